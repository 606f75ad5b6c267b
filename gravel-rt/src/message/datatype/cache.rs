//! What is known about datatypes, by their handles.

use std::collections::HashMap;
use std::sync::Arc;

use super::Inspector;
use super::layout::{Layout, layout_of};
use crate::error::Result;
use crate::message::retirement::{Key, Retirements};

/// A datatype that can be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Bytes of data in one element.
    pub bytes: u64,
    /// Whether the handle means this datatype for as long as the process lives.
    pub is_permanent: bool,
    /// Names the layout, where elements are not contiguous (see [`DatatypeCache::layout`]).
    pub layout: Option<Key>,
}

/// Datatypes that were used, until they are freed.
#[derive(Debug, Default)]
pub struct DatatypeCache {
    known: HashMap<i32, (Found, Key)>,
    /// The one that was used last, which is mostly meant again.
    last: Option<(i32, Found)>,
    /// Those whose elements are not contiguous, by their keys.
    layouts: HashMap<Key, Arc<Layout>>,
    retired: Arc<Retirements>,
}

impl DatatypeCache {
    /// Where the keys of freed datatypes go.
    pub fn retirements(&self) -> Arc<Retirements> {
        Arc::clone(&self.retired)
    }

    /// A datatype that Gravel can move. The first use takes it apart.
    pub fn find(&mut self, inspector: &dyn Inspector, handle: i32) -> Result<Found> {
        if self.retired.any() {
            self.drop_retired();
        }
        if let Some((_, found)) = self.last.filter(|&(last, _)| last == handle) {
            return Ok(found);
        }
        let found = match self.known.get(&handle) {
            Some(&(found, _)) => found,
            None => self.inspect(inspector, handle)?,
        };
        self.last = Some((handle, found));
        Ok(found)
    }

    /// The layout that was [found](DatatypeCache::find), until its datatype is freed. What is under way keeps it longer.
    pub fn layout(&self, key: Key) -> Option<&Arc<Layout>> {
        self.layouts.get(&key)
    }

    fn inspect(&mut self, inspector: &dyn Inspector, handle: i32) -> Result<Found> {
        let (facts, layout) = layout_of(inspector, handle)?;
        let key = Key::new();
        let named = (!layout.is_contiguous()).then_some(key);
        let found = Found { bytes: layout.element.bytes(), is_permanent: facts.combiner.is_permanent(), layout: named };
        if !found.is_permanent {
            inspector.watch(handle, key)?;
        }
        self.known.insert(handle, (found, key));
        if named.is_some() {
            self.layouts.insert(key, Arc::new(layout));
        }
        Ok(found)
    }

    fn drop_retired(&mut self) {
        self.last = None;
        for freed in self.retired.take() {
            self.known.retain(|_, (_, key)| *key != freed);
            self.layouts.remove(&freed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::message::datatype::combiner::Combiner;
    use crate::message::datatype::{Contents, Facts};

    /// An MPI with one predefined type, 1, of 4 bytes, and derived ones, each of so many of them.
    #[derive(Default)]
    struct Mpi {
        counts: RefCell<HashMap<i32, i32>>,
        watched: RefCell<HashMap<i32, Key>>,
        described: Cell<usize>,
    }

    impl Inspector for Mpi {
        fn describe(&self, datatype: i32) -> Result<Facts> {
            self.described.set(self.described.get() + 1);
            let count = self.counts.borrow().get(&datatype).copied();
            let size = 4 * i64::from(count.unwrap_or(1));
            let combiner = if count.is_some() { Combiner::Contiguous } else { Combiner::Named };
            Ok(Facts { combiner, arguments: [1, 0, 1], size, extent: size, true_lower_bound: 0, true_extent: size })
        }

        fn contents(&self, datatype: i32, _: &Facts) -> Result<Contents> {
            Ok(Contents { integers: vec![self.counts.borrow()[&datatype]], datatypes: vec![1], ..Contents::default() })
        }

        fn release(&self, _: i32) -> Result<()> {
            unreachable!("only a predefined type went into the others")
        }

        fn name(&self, _: i32) -> Result<String> {
            Ok(String::new())
        }

        fn watch(&self, datatype: i32, key: Key) -> Result<()> {
            self.watched.borrow_mut().insert(datatype, key);
            Ok(())
        }
    }

    #[test]
    fn a_datatype_is_taken_apart_once_until_it_is_freed() {
        let mpi = Mpi::default();
        let mut cache = DatatypeCache::default();
        mpi.counts.borrow_mut().insert(50, 3);
        for handle in [50, 1, 50, 1, 1, 50] {
            let expected = if handle == 1 { (4, true) } else { (12, false) };
            let found = cache.find(&mpi, handle).unwrap();
            assert_eq!((found.bytes, found.is_permanent), expected);
        }
        let looks = mpi.described.get();
        assert_eq!(cache.find(&mpi, 50).unwrap().bytes, 12);
        assert_eq!(mpi.described.get(), looks);
        assert_eq!(mpi.watched.borrow().len(), 1, "a predefined type is never freed");

        // Freed; another one gets its handle.
        cache.retirements().retire(mpi.watched.borrow()[&50]);
        mpi.counts.borrow_mut().insert(50, 7);
        assert_eq!(cache.find(&mpi, 50).unwrap().bytes, 28);
        assert_eq!(cache.find(&mpi, 1).unwrap().bytes, 4);
    }
}
