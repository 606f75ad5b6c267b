//! Fortran array descriptors (ISO_Fortran_binding.h, Fortran 2018 section 18.5).

use std::ffi::{c_int, c_void};

use crate::error::{Code, Error};

use super::guard;

/// Up to and including `rank`, which is all that is read, compilers agree on the layout; gfortran's and flang's
/// dimensions begin at the same place.
#[repr(C)]
pub struct Descriptor {
    base_addr: *mut c_void,
    elem_len: usize,
    version: c_int,
    rank: i8,
    attribute_and_type: [u8; 3],
    dim: [Dimension; 0],
}

/// One dimension of a descriptor.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    lower_bound: isize,
    /// -1 in the last dimension of an assumed-size array.
    extent: isize,
    /// Bytes between neighbours.
    sm: isize,
}

/// Whether elements lie one behind the other, in array element order.
#[inline]
fn is_contiguous(elem_len: usize, dimensions: &[Dimension]) -> bool {
    let Ok(mut expected) = isize::try_from(elem_len) else {
        return false;
    };
    if let [only] = dimensions {
        return only.sm == expected || matches!(only.extent, 0 | 1);
    }
    if dimensions.iter().any(|dimension| dimension.extent == 0) {
        return true;
    }
    for dimension in dimensions {
        // The stride of a dimension with one element means nothing.
        if dimension.extent != 1 && dimension.sm != expected {
            return false;
        }
        match expected.checked_mul(dimension.extent.max(1)) {
            Some(product) => expected = product,
            None => return false,
        }
    }
    true
}

/// Finds out where a Fortran actual argument lies. Its address and element length in bytes are returned; a section
/// that is not contiguous is an error.
///
/// # Safety
/// `buffer` must be null or a valid C descriptor; the results null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_describe(
    buffer: *const Descriptor,
    address: *mut *mut c_void,
    element_bytes: *mut u64,
) -> c_int {
    if buffer.is_null() || address.is_null() || element_bytes.is_null() {
        return guard::fail("gravel: buffer argument", &Error::NullArgument { name: "buffer" });
    }
    // SAFETY: a valid descriptor has `rank` dimensions behind its head.
    let (head, dimensions) = unsafe {
        let head = &*buffer;
        let first = (&raw const (*buffer).dim).cast::<Dimension>();
        (head, std::slice::from_raw_parts(first, usize::try_from(head.rank).unwrap_or(0)))
    };
    if !is_contiguous(head.elem_len, dimensions) {
        return guard::fail("gravel: buffer argument", &Error::NonContiguousBuffer);
    }
    // SAFETY: not null, and writable by the contract.
    unsafe {
        *address = head.base_addr;
        *element_bytes = head.elem_len as u64;
    }
    Code::Success as c_int
}

/// Whether two Fortran arguments are the same object: how the module recognises MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_same_object(first: *const c_void, second: *const c_void) -> c_int {
    c_int::from(first == second)
}

/// Does nothing, where the Fortran compiler cannot see that: after this call it must read the buffer's memory again. A
/// wait ends with it.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_expose(_buffer: *const c_void) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(extent: isize, sm: isize) -> Dimension {
        Dimension { lower_bound: 0, extent, sm }
    }

    #[test]
    fn layouts_that_are_contiguous() {
        assert!(is_contiguous(8, &[]), "a scalar");
        assert!(is_contiguous(8, &[dimension(10, 8), dimension(10, 80)]));
        assert!(is_contiguous(8, &[dimension(10, 8), dimension(-1, 80)]), "assumed size");
        assert!(is_contiguous(8, &[dimension(1, 999), dimension(3, 8)]), "one column of one element");
        assert!(is_contiguous(8, &[dimension(0, 16)]), "nothing");
    }

    #[test]
    fn layouts_that_are_not() {
        assert!(!is_contiguous(8, &[dimension(5, 16)]));
        assert!(!is_contiguous(8, &[dimension(5, -8)]));
        assert!(!is_contiguous(8, &[dimension(5, 8), dimension(2, 80)]));
        assert!(!is_contiguous(8, &[dimension(1, 8), dimension(5, 80)]), "a row");
    }

    #[test]
    fn the_head_has_the_standards_layout() {
        assert_eq!(std::mem::offset_of!(Descriptor, rank), 20);
        assert_eq!(std::mem::offset_of!(Descriptor, dim), 24);
    }
}
