//! How MPI datatypes are made (MPI 4.0, section 5.1.13).

/// The constructor of a datatype. The numbers are those of the C interface; each MPI has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Combiner {
    /// Predefined.
    Named = 1,
    /// MPI_Type_dup.
    Dup = 2,
    /// MPI_Type_contiguous.
    Contiguous = 3,
    /// MPI_Type_vector.
    Vector = 4,
    /// MPI_Type_create_hvector.
    Hvector = 5,
    /// MPI_Type_indexed.
    Indexed = 6,
    /// MPI_Type_create_hindexed.
    Hindexed = 7,
    /// MPI_Type_create_indexed_block.
    IndexedBlock = 8,
    /// MPI_Type_create_hindexed_block.
    HindexedBlock = 9,
    /// MPI_Type_create_struct.
    Struct = 10,
    /// MPI_Type_create_subarray.
    Subarray = 11,
    /// MPI_Type_create_darray.
    Darray = 12,
    /// MPI_Type_create_resized.
    Resized = 13,
    /// MPI_Type_create_f90_real, MPI_Type_create_f90_complex or MPI_Type_create_f90_integer.
    F90 = 14,
    /// One that this version does not know.
    Other = 15,
}

impl Combiner {
    const ALL: [Self; 15] = [
        Self::Named,
        Self::Dup,
        Self::Contiguous,
        Self::Vector,
        Self::Hvector,
        Self::Indexed,
        Self::Hindexed,
        Self::IndexedBlock,
        Self::HindexedBlock,
        Self::Struct,
        Self::Subarray,
        Self::Darray,
        Self::Resized,
        Self::F90,
        Self::Other,
    ];

    /// From a number of the C interface.
    pub fn from_number(number: i32) -> Self {
        Self::ALL.into_iter().find(|&combiner| combiner as i32 == number).unwrap_or(Self::Other)
    }

    /// Whether datatypes of this kind have always been there and cannot be freed.
    pub fn is_permanent(self) -> bool {
        matches!(self, Self::Named | Self::F90)
    }

    /// Whoever made it, for a message.
    pub fn maker(self) -> &'static str {
        match self {
            Self::Named => "predefined",
            Self::Dup => "made by MPI_Type_dup",
            Self::Contiguous => "made by MPI_Type_contiguous",
            Self::Vector => "made by MPI_Type_vector",
            Self::Hvector => "made by MPI_Type_create_hvector",
            Self::Indexed => "made by MPI_Type_indexed",
            Self::Hindexed => "made by MPI_Type_create_hindexed",
            Self::IndexedBlock => "made by MPI_Type_create_indexed_block",
            Self::HindexedBlock => "made by MPI_Type_create_hindexed_block",
            Self::Struct => "made by MPI_Type_create_struct",
            Self::Subarray => "made by MPI_Type_create_subarray",
            Self::Darray => "made by MPI_Type_create_darray",
            Self::Resized => "made by MPI_Type_create_resized",
            Self::F90 => "made by MPI_Type_create_f90_real, _complex or _integer",
            Self::Other => "made by a constructor that this version does not know",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for (place, combiner) in Combiner::ALL.into_iter().enumerate() {
            assert_eq!(combiner as usize, place + 1);
            assert_eq!(Combiner::from_number(combiner as i32), combiner);
        }
        assert_eq!(Combiner::from_number(0), Combiner::Other);
        assert_eq!(Combiner::from_number(99), Combiner::Other);
    }
}
