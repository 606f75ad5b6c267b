//! What analyses ask about routines beside their arguments: the words behind the semicolons of `routines.txt`.

use super::routines::{argument_position, has_property, without_profiling};

/// Something that is true of some routines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// Its errors go to the handler of a communicator or of the process, and programs make such calls beside their messages.
    Fatal,
    /// A collective operation after which every process knows that all others have begun it, if they have something to exchange.
    AllWaitForAll,
    /// A collective operation that hands something from its root to all others.
    FromRoot,
    /// A collective operation that hands something from all others to its root.
    ToRoot,
    /// Another collective operation, which orders something.
    Orders,
    /// It concerns handles of the process only, or orders nothing but the end of a communicator.
    Unordered,
    /// It gives the address of its argument.
    GivesAddress,
    /// It gives ranks and sizes, which are no wildcards.
    GivesRanks,
    /// It gives the rank of the calling process.
    GivesOwnRank,
    /// It gives the size of a datatype, or of what it is handed.
    TellsSize,
    /// It gives the size or the extent of a datatype, as the last of its results.
    TellsDatatypeSize,
    /// It commits a datatype. The handle is the same afterwards.
    CommitsDatatype,
    /// It frees a datatype.
    FreesDatatype,
    /// It marks an error handler as no longer needed: the variable holds none afterwards.
    FreesErrorHandler,
    /// It keeps an address for the program, or gives one back: attributes.
    KeepsAddress,
    /// A function that tells the time, each time another one.
    Clock,
    /// A function that computes with addresses.
    AddsAddresses,
    /// It copies between a buffer and packed data.
    Packs,
    /// It writes elements of whatever type to a buffer.
    Unpacks,
    /// No argument stands for more than the one value, or the one status, that is named; an address is not read through.
    SingleValues,
    /// Only those take part that will be in the new communicator (MPI 4.0, 7.4.2): what one process makes first, another one may
    /// make second, for what comes in between need not concern both.
    MembersOnly,
}

impl Property {
    /// The property of a word.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "fatal" => Self::Fatal,
            "all-wait" => Self::AllWaitForAll,
            "from-root" => Self::FromRoot,
            "to-root" => Self::ToRoot,
            "orders" => Self::Orders,
            "unordered" => Self::Unordered,
            "gives-address" => Self::GivesAddress,
            "gives-ranks" => Self::GivesRanks,
            "own-rank" => Self::GivesOwnRank,
            "tells-size" => Self::TellsSize,
            "datatype-size" => Self::TellsDatatypeSize,
            "commits" => Self::CommitsDatatype,
            "frees-datatype" => Self::FreesDatatype,
            "frees-error-handler" => Self::FreesErrorHandler,
            "attribute" => Self::KeepsAddress,
            "clock" => Self::Clock,
            "adds-addresses" => Self::AddsAddresses,
            "packs" => Self::Packs,
            "unpacks" => Self::Unpacks,
            "single-values" => Self::SingleValues,
            "members-only" => Self::MembersOnly,
            _ => return None,
        })
    }

    /// Is it true of the routine of this name (in lower case)? Never of the forms for large counts.
    pub fn holds_of(self, routine: &str) -> bool {
        has_property(routine, self)
    }
}

/// Is the routine of this name (in lower case), or the one that it stands for in the profiling interface, a clock?
pub fn is_clock(routine: &str) -> bool {
    Property::Clock.holds_of(without_profiling(routine))
}

/// Likewise: is it a function, whose value is what it is for, rather than a code?
pub fn is_function(routine: &str) -> bool {
    is_clock(routine) || Property::AddsAddresses.holds_of(without_profiling(routine))
}

/// The place among its arguments where the routine of this name has a number of elements that it sends, or else receives.
pub fn count_position(routine: &str) -> Option<usize> {
    argument_position(routine, |name| name.ends_with("count"))
}

/// The place where it has a root.
pub fn root_position(routine: &str) -> Option<usize> {
    argument_position(routine, |name| name == "root")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_and_roots_are_found() {
        let places = |routine| (count_position(routine), root_position(routine));
        assert_eq!(places("mpi_barrier"), (None, None));
        assert_eq!(places("mpi_allreduce"), (Some(2), None));
        assert_eq!(places("mpi_allgather"), (Some(1), None));
        assert_eq!(places("mpi_reduce_scatter_block"), (Some(2), None));
        assert_eq!(places("mpi_bcast"), (Some(1), Some(3)));
        assert_eq!(places("mpi_scatter"), (Some(1), Some(6)));
        assert_eq!(places("mpi_reduce"), (Some(2), Some(5)));
        assert_eq!(places("mpi_gather"), (Some(1), Some(6)));
    }

    #[test]
    fn properties_are_those_of_the_table() {
        assert!(Property::Fatal.holds_of("mpi_init") && Property::Fatal.holds_of("mpi_bcast"));
        assert!(!Property::Fatal.holds_of("mpi_bcast_c") && !Property::Fatal.holds_of("pmpi_bcast"));
        assert!(Property::Packs.holds_of("mpi_unpack") && Property::Unpacks.holds_of("mpi_unpack"));
        assert!(!Property::Unpacks.holds_of("mpi_pack"));
        assert!(is_clock("pmpi_wtime") && is_function("mpi_wtick") && !is_function("mpi_get_address"));
        assert!(is_function("mpi_aint_add") && !is_clock("mpi_aint_add"));
    }
}
