//! Predefined datatypes of MPI in Fortran (MPI 4.0, table 3.1 and annex A.1.1).

use crate::ir::{ElementType, TypeCategory};

/// What the contiguous predefined datatype `name` (in lower case) stands for; `None` for any other name.
pub fn predefined(name: &str) -> Option<ElementType> {
    use TypeCategory::{Character, Complex, Integer, Logical, Real, Unknown};
    let (category, bytes) = match name {
        "mpi_integer" | "mpi_integer4" => (Integer, 4),
        "mpi_integer1" => (Integer, 1),
        "mpi_integer2" => (Integer, 2),
        "mpi_integer8" => (Integer, 8),
        "mpi_integer16" => (Integer, 16),
        "mpi_real" | "mpi_real4" => (Real, 4),
        "mpi_double_precision" | "mpi_real8" => (Real, 8),
        "mpi_real2" => (Real, 2),
        "mpi_real16" => (Real, 16),
        "mpi_complex" | "mpi_complex8" => (Complex, 8),
        "mpi_double_complex" | "mpi_complex16" => (Complex, 16),
        "mpi_complex4" => (Complex, 4),
        "mpi_complex32" => (Complex, 32),
        "mpi_logical" | "mpi_logical4" => (Logical, 4),
        "mpi_logical1" => (Logical, 1),
        "mpi_logical2" => (Logical, 2),
        "mpi_logical8" => (Logical, 8),
        "mpi_character" => (Character, 1),
        "mpi_aint" | "mpi_offset" | "mpi_count" => (Integer, 8),
        // Types of C, usable from Fortran with the kinds of ISO_C_BINDING.
        "mpi_int8_t" | "mpi_signed_char" => (Integer, 1),
        "mpi_int16_t" | "mpi_short" => (Integer, 2),
        "mpi_int32_t" | "mpi_int" => (Integer, 4),
        "mpi_int64_t" | "mpi_long_long" | "mpi_long_long_int" => (Integer, 8),
        "mpi_float" => (Real, 4),
        "mpi_double" => (Real, 8),
        "mpi_c_float_complex" | "mpi_c_complex" => (Complex, 8),
        "mpi_c_double_complex" => (Complex, 16),
        // What is packed is the data of its type map, byte by byte, where all processes represent it alike.
        "mpi_byte" | "mpi_packed" | "mpi_char" | "mpi_uint8_t" | "mpi_unsigned_char" => (Unknown, 1),
        "mpi_uint16_t" => (Unknown, 2),
        "mpi_uint32_t" => (Unknown, 4),
        "mpi_uint64_t" => (Unknown, 8),
        "mpi_2integer" | "mpi_2real" => (Unknown, 8),
        "mpi_2double_precision" => (Unknown, 16),
        _ => return None,
    };
    Some(ElementType { category, bytes: Some(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_language() {
        let double = predefined("mpi_double_precision").unwrap();
        assert_eq!(double, ElementType { category: TypeCategory::Real, bytes: Some(8) });
        assert_eq!(predefined("mpi_double_complex").unwrap().bytes, Some(16));
        assert_eq!(predefined("mpi_byte").unwrap().category, TypeCategory::Unknown);
        assert_eq!(predefined("mpi_packed").unwrap(), predefined("mpi_byte").unwrap());
        assert_eq!(predefined("my_type"), None);
    }
}
