//! The named constants of MPI, and which of them are integers (MPI 4.0, sections 2.5.4 and A.1.1).

use std::collections::HashSet;
use std::sync::LazyLock;

use super::properties::is_function;
use crate::ir::MessagingNames;

/// The names of MPI that are no routines, in lower case: those that the headers and modules of Open MPI 4.1 and MPICH 4.0 have.
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("names.txt").split_whitespace().collect());

/// All of them.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

/// Is it a name of MPI that is no routine's? In lower case.
pub fn is_known(name: &str) -> bool {
    NAMES.contains(name)
}

/// Is it one that says which MPI there is (MPI 4.0, 9.1.1)? Only programs ask for these.
pub fn is_of_version(name: &str) -> bool {
    ["mpi_version", "mpi_subversion"].contains(&name)
}

/// Those that are no integers in `mpif.h` and the module MPI: places in memory, texts, and what is true of the library.
const NO_INTEGERS: [&str; 12] = [
    "mpi_argv_null",
    "mpi_argvs_null",
    "mpi_async_protects_nonblocking",
    "mpi_bottom",
    "mpi_buffer_automatic",
    "mpi_errcodes_ignore",
    "mpi_in_place",
    "mpi_status_ignore",
    "mpi_statuses_ignore",
    "mpi_subarrays_supported",
    "mpi_unweighted",
    "mpi_weights_empty",
];

/// Those that are integers in MPI_F08, too, where handles are of types of their own.
const NUMBERS: [&str; 18] = [
    "mpi_any_source",
    "mpi_any_tag",
    "mpi_cart",
    "mpi_congruent",
    "mpi_dist_graph",
    "mpi_error",
    "mpi_graph",
    "mpi_ident",
    "mpi_proc_null",
    "mpi_root",
    "mpi_similar",
    "mpi_source",
    "mpi_status_size",
    "mpi_success",
    "mpi_tag",
    "mpi_undefined",
    "mpi_unequal",
    "mpi_wtime_is_global",
];

/// Beginnings of such names.
const NUMBERS_BY_PREFIX: [&str; 4] = ["mpi_comm_type_", "mpi_err_", "mpi_max_", "mpi_thread_"];

/// How the names of callbacks that MPI predefines end.
const CALLBACK: &str = "_fn";

/// Constants that each `mpif.h` declares, with numbers. A program that declares a few names of MPI by itself has not all of them.
pub const OF_EACH_HEADER: [&str; 10] = [
    "mpi_any_source",
    "mpi_any_tag",
    "mpi_comm_self",
    "mpi_comm_world",
    "mpi_double_precision",
    "mpi_integer",
    "mpi_proc_null",
    "mpi_request_null",
    "mpi_status_size",
    "mpi_success",
];

/// The value of a constant (lower case) that is a kind of integers, as the Fortran modules of the usual implementations define it on
/// 64-bit systems.
pub fn kind_value(name: &str) -> Option<i64> {
    match name {
        "mpi_integer_kind" => Some(4),
        _ => is_kind_of_addresses(name).then_some(8),
    }
}

/// Is it one of the kinds for addresses and the like, which hold all default integers (MPI 4.0, section 2.5.6)?
pub fn is_kind_of_addresses(name: &str) -> bool {
    ["mpi_address_kind", "mpi_offset_kind", "mpi_count_kind"].contains(&name)
}

/// Is the constant (lower case) certainly an integer for a procedure that sees the names of MPI in this way?
pub fn is_integer(name: &str, names: &MessagingNames) -> bool {
    let is_number = NUMBERS.contains(&name) || NUMBERS_BY_PREFIX.iter().any(|prefix| name.starts_with(prefix));
    let sees_integers = matches!(names, MessagingNames::All("mpi") | MessagingNames::Some("mpi"));
    let is_procedure = is_function(name) || name.ends_with(CALLBACK);
    let is_other = is_procedure || NO_INTEGERS.contains(&name) || !name.starts_with("mpi_");
    is_number || sees_integers && !is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_integers_but_in_the_newest_binding() {
        let (older, newer) = (MessagingNames::All("mpi"), MessagingNames::All("mpi_f08"));
        for handle in ["mpi_comm_world", "mpi_request_null", "mpi_double_precision", "mpi_sum"] {
            assert!(is_integer(handle, &older) && !is_integer(handle, &newer), "{handle}");
            assert!(!is_integer(handle, &MessagingNames::Unclear), "{handle}");
        }
        for number in ["mpi_any_source", "mpi_undefined", "mpi_err_truncate", "mpi_max_processor_name"] {
            assert!(is_integer(number, &older) && is_integer(number, &newer), "{number}");
        }
        for other in ["mpi_in_place", "mpi_status_ignore", "mpi_comm_null_copy_fn", "mpi_wtime"] {
            assert!(!is_integer(other, &older) && !is_integer(other, &newer), "{other}");
        }
    }
}
