//! Datatypes: the MPI side answers questions about them, this side decides whether they can be moved.

use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::sync::{Arc, Mutex, PoisonError};

use super::guard::{peek, with_runtime};
use crate::error::{Error, Result};
use crate::message::datatype::cache::{DatatypeCache, Found};
use crate::message::datatype::combiner::Combiner;
use crate::message::datatype::layout::Layout;
use crate::message::datatype::{Contents, Facts, Inspector};
use crate::message::retirement::{Key, Retirements};

/// What the MPI side says about a datatype; lengths in bytes. See [`Facts`].
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct DatatypeFacts {
    /// A number of [`Combiner`].
    pub combiner: c_int,
    /// Number of integers that went into it.
    pub integers: c_int,
    /// Number of addresses.
    pub addresses: c_int,
    /// Number of datatypes.
    pub datatypes: c_int,
    /// Data in one element.
    pub size: i64,
    /// From one element to the next.
    pub extent: i64,
    /// Where the data of an element begins.
    pub true_lower_bound: i64,
    /// From the first byte of the data to the last.
    pub true_extent: i64,
}

/// What the MPI side can do about datatypes, which it is given by their Fortran handles. All functions return an MPI
/// error code (zero is MPI_SUCCESS). See [`Inspector`].
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DatatypeCallbacks {
    /// Describes a datatype.
    pub describe: Option<unsafe extern "C" fn(datatype: c_int, facts: *mut DatatypeFacts) -> c_int>,
    /// Takes a derived datatype apart, into arrays as long as `facts` says. The order of a subarray, its last integer, is
    /// given as 0 for MPI_ORDER_C and 1 for MPI_ORDER_FORTRAN.
    pub contents: Option<
        unsafe extern "C" fn(
            datatype: c_int,
            facts: *const DatatypeFacts,
            integers: *mut c_int,
            addresses: *mut i64,
            datatypes: *mut c_int,
        ) -> c_int,
    >,
    /// Gives a reference to a derived datatype back.
    pub release: Option<unsafe extern "C" fn(datatype: c_int) -> c_int>,
    /// Writes the name, with a zero behind it, into so many bytes.
    pub name: Option<unsafe extern "C" fn(datatype: c_int, name: *mut c_char, capacity: c_int) -> c_int>,
    /// Puts an attribute on the datatype whose delete callback calls [`gravel_rt_forget_datatype`] with the key.
    pub watch: Option<unsafe extern "C" fn(datatype: c_int, key: i64) -> c_int>,
}

/// An element of a datatype that can be moved.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct DatatypeDescription {
    /// The length of its data.
    pub bytes: u64,
    /// Names where its data lies, for messages of it; 0 if elements are contiguous.
    pub layout: i64,
    /// 1 if the handle means this datatype for as long as the process lives, else 0.
    pub permanent: c_int,
}

thread_local! {
    /// Of the thread that makes all calls.
    static KNOWN: RefCell<Option<(DatatypeCallbacks, DatatypeCache)>> = const { RefCell::new(None) };
}

/// Where the cache looks for datatypes that were freed.
static RETIRED: Mutex<Option<Arc<Retirements>>> = Mutex::new(None);

/// Says how the MPI side is asked about datatypes: right after `gravel_init`, by the thread that called it.
///
/// # Safety
/// `callbacks` must be null or valid, and its functions callable until finalize.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_use_datatypes(callbacks: *const DatatypeCallbacks) -> c_int {
    with_runtime("gravel_init", |_| {
        // SAFETY: passed on.
        let callbacks = *unsafe { callbacks.as_ref() }.ok_or(Error::NullArgument { name: "callbacks" })?;
        let cache = DatatypeCache::default();
        *RETIRED.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache.retirements());
        KNOWN.with(|known| *known.borrow_mut() = Some((callbacks, cache)));
        Ok(())
    })
}

/// The length of an element of a datatype, by its Fortran handle. Datatypes that cannot be moved are refused by name.
///
/// Without a runtime on this thread nothing is known, and that is no error yet: the call for which this was asked is
/// refused next, by its own name.
///
/// # Safety
/// `description` must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_datatype(datatype: c_int, description: *mut DatatypeDescription) -> c_int {
    if peek(|_| ()).is_none() {
        // SAFETY: passed on.
        if let Some(description) = unsafe { description.as_mut() } {
            *description = DatatypeDescription { bytes: 0, layout: 0, permanent: 0 };
            return 0;
        }
    }
    with_runtime("gravel: datatype argument", |_| {
        // SAFETY: passed on.
        let description = unsafe { description.as_mut() }.ok_or(Error::NullArgument { name: "description" })?;
        KNOWN.with(|known| {
            let mut known = known.borrow_mut();
            let (callbacks, cache) = known.as_mut().ok_or(Error::NotInitialized)?;
            let Found { bytes, is_permanent, layout } = cache.find(callbacks, datatype)?;
            let layout = layout.map_or(0, Key::into_raw);
            *description = DatatypeDescription { bytes, layout, permanent: c_int::from(is_permanent) };
            Ok(())
        })
    })
}

/// The layout that [`gravel_rt_datatype`] has named for this very call.
#[cold]
pub(super) fn known_layout(name: i64) -> Result<Arc<Layout>> {
    let find = |cache: &DatatypeCache| Key::from_raw(name).and_then(|key| cache.layout(key).cloned());
    let found = KNOWN.with(|known| known.borrow().as_ref().and_then(|(_, cache)| find(cache)));
    found.ok_or_else(|| Error::Internal(format!("a message of layout {name}, which is not known")).into())
}

/// What the delete callback of the attribute calls: the datatype with this key is no more.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_forget_datatype(key: i64) {
    if let (Some(key), Some(retired)) =
        (Key::from_raw(key), RETIRED.lock().unwrap_or_else(PoisonError::into_inner).as_ref())
    {
        retired.retire(key);
    }
}

fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Mpi { call, code }.into()) }
}

fn present<F>(callback: Option<F>, name: &'static str) -> Result<F> {
    callback.ok_or_else(|| Error::NullArgument { name }.into())
}

fn length(given: c_int) -> Result<usize> {
    usize::try_from(given).map_err(|_| Error::Internal(format!("a datatype with {given} arguments")).into())
}

impl Inspector for DatatypeCallbacks {
    fn describe(&self, datatype: i32) -> Result<Facts> {
        let mut facts = DatatypeFacts::default();
        let describe = present(self.describe, "describe")?;
        // SAFETY: the function fills one structure.
        check("MPI_Type_get_envelope", unsafe { describe(datatype, &raw mut facts) })?;
        Ok(Facts {
            combiner: Combiner::from_number(facts.combiner),
            arguments: [length(facts.integers)?, length(facts.addresses)?, length(facts.datatypes)?],
            size: facts.size,
            extent: facts.extent,
            true_lower_bound: facts.true_lower_bound,
            true_extent: facts.true_extent,
        })
    }

    fn contents(&self, datatype: i32, facts: &Facts) -> Result<Contents> {
        let [integers, addresses, datatypes] = facts.arguments;
        let mut contents =
            Contents { integers: vec![0; integers], addresses: vec![0; addresses], datatypes: vec![0; datatypes] };
        // These came from integers of that size.
        let lengths = DatatypeFacts {
            combiner: facts.combiner as c_int,
            integers: integers as c_int,
            addresses: addresses as c_int,
            datatypes: datatypes as c_int,
            ..DatatypeFacts::default()
        };
        let take_apart = present(self.contents, "contents")?;
        // SAFETY: the function fills three arrays of these lengths.
        let code = unsafe {
            take_apart(
                datatype,
                &raw const lengths,
                contents.integers.as_mut_ptr(),
                contents.addresses.as_mut_ptr(),
                contents.datatypes.as_mut_ptr(),
            )
        };
        check("MPI_Type_get_contents", code)?;
        Ok(contents)
    }

    fn release(&self, datatype: i32) -> Result<()> {
        let release = present(self.release, "release")?;
        // SAFETY: called on the application's thread, inside one of its calls.
        check("MPI_Type_free", unsafe { release(datatype) })
    }

    fn name(&self, datatype: i32) -> Result<String> {
        /// More than any MPI's MPI_MAX_OBJECT_NAME.
        const CAPACITY: usize = 1024;
        let mut name = [0_u8; CAPACITY];
        let write_name = present(self.name, "name")?;
        // SAFETY: the function writes at most so many bytes.
        check("MPI_Type_get_name", unsafe { write_name(datatype, name.as_mut_ptr().cast(), CAPACITY as c_int) })?;
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(CAPACITY);
        Ok(String::from_utf8_lossy(&name[..end]).trim_end().to_owned())
    }

    fn watch(&self, datatype: i32, key: Key) -> Result<()> {
        let watch = present(self.watch, "watch")?;
        // SAFETY: as above.
        check("MPI_Type_set_attr", unsafe { watch(datatype, key.into_raw()) })
    }
}
