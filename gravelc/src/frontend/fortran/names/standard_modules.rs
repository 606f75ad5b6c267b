//! The names of modules that come with compilers and libraries.

use crate::mpi::routines::without_profiling;
use crate::mpi::{constants, routines};
use crate::runtime_module;

/// What a name of such a module is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandardName {
    /// A named constant, with its value where it is the same everywhere.
    Constant(Option<i64>),
    /// A function without effects.
    PureFunction,
    /// Another procedure.
    Procedure,
    /// A derived type without pointer components that the program can see.
    Type,
    /// A name of MPI, in lower case.
    Messaging(String),
}

/// Is it a module whose names are known without its source?
pub fn is_standard(module: &str) -> bool {
    matches!(
        module,
        "mpi"
            | "mpi_f08"
            | "iso_fortran_env"
            | "iso_c_binding"
            | "ieee_arithmetic"
            | "ieee_exceptions"
            | "ieee_features"
            | "omp_lib"
            | "omp_lib_kinds"
            | "openacc"
            | "gravel"
    )
}

/// What `name` is in the standard `module`; `None` if the module has no such name.
pub fn find(module: &str, name: &str) -> Option<StandardName> {
    match module {
        "mpi" | "mpi_f08" => messaging(name),
        "iso_fortran_env" => environment(name),
        "iso_c_binding" => c_binding(name),
        "ieee_arithmetic" | "ieee_exceptions" | "ieee_features" => ieee(name),
        "omp_lib" | "omp_lib_kinds" | "openacc" => threads(name),
        "gravel" => gravel(name),
        _ => None,
    }
}

/// Names of MPI. Others that begin with `mpi_` are the program's own.
pub fn messaging(name: &str) -> Option<StandardName> {
    let plain = without_profiling(name);
    let is_name = constants::is_known(plain) || routines::is_in_fortran(plain);
    is_name.then(|| StandardName::Messaging(name.to_string()))
}

/// ISO_FORTRAN_ENV (Fortran 2018, 16.10.2).
fn environment(name: &str) -> Option<StandardName> {
    let value = match name {
        "int8" | "logical8" => Some(1),
        "int16" | "logical16" | "real16" => Some(2),
        "int32" | "real32" | "logical32" => Some(4),
        "int64" | "real64" | "logical64" => Some(8),
        "real128" => Some(16),
        "input_unit"
        | "output_unit"
        | "error_unit"
        | "iostat_end"
        | "iostat_eor"
        | "iostat_inquire_internal_unit"
        | "numeric_storage_size"
        | "character_storage_size"
        | "file_storage_size"
        | "atomic_int_kind"
        | "atomic_logical_kind"
        | "real_kinds"
        | "integer_kinds"
        | "logical_kinds"
        | "character_kinds"
        | "stat_locked"
        | "stat_unlocked"
        | "stat_locked_other_image"
        | "stat_stopped_image"
        | "stat_failed_image"
        | "stat_unlocked_failed_image"
        | "current_team"
        | "initial_team"
        | "parent_team" => None,
        "compiler_version" | "compiler_options" => return Some(StandardName::PureFunction),
        "lock_type" | "event_type" | "team_type" => return Some(StandardName::Type),
        _ => return None,
    };
    Some(StandardName::Constant(value))
}

/// ISO_C_BINDING (Fortran 2018, 18.2), with the sizes of 64-bit Unix systems.
fn c_binding(name: &str) -> Option<StandardName> {
    let value = match name {
        "c_signed_char" | "c_int8_t" | "c_int_least8_t" | "c_bool" | "c_char" => 1,
        "c_short" | "c_int16_t" | "c_int_least16_t" => 2,
        "c_int" | "c_int32_t" | "c_int_least32_t" | "c_float" | "c_float_complex" => 4,
        "c_long" | "c_long_long" | "c_size_t" | "c_intmax_t" | "c_intptr_t" | "c_ptrdiff_t" | "c_int64_t"
        | "c_int_least64_t" | "c_double" | "c_double_complex" => 8,
        "c_int_fast8_t"
        | "c_int_fast16_t"
        | "c_int_fast32_t"
        | "c_int_fast64_t"
        | "c_long_double"
        | "c_long_double_complex"
        | "c_float128"
        | "c_float128_complex"
        | "c_int128_t"
        | "c_null_char"
        | "c_alert"
        | "c_backspace"
        | "c_form_feed"
        | "c_new_line"
        | "c_carriage_return"
        | "c_horizontal_tab"
        | "c_vertical_tab"
        | "c_null_ptr"
        | "c_null_funptr" => return Some(StandardName::Constant(None)),
        "c_ptr" | "c_funptr" => return Some(StandardName::Type),
        "c_loc" | "c_funloc" | "c_associated" | "c_sizeof" => return Some(StandardName::PureFunction),
        "c_f_pointer" | "c_f_procpointer" => return Some(StandardName::Procedure),
        _ => return None,
    };
    Some(StandardName::Constant(Some(value)))
}

/// The IEEE modules (Fortran 2018, clause 17): values are asked, modes are set.
fn ieee(name: &str) -> Option<StandardName> {
    if !name.starts_with("ieee_") {
        return None;
    }
    Some(if name.starts_with("ieee_set_") || name.starts_with("ieee_get_") {
        StandardName::Procedure
    } else if name.ends_with("_type") {
        StandardName::Type
    } else if matches!(
        name,
        "ieee_is_nan"
            | "ieee_is_finite"
            | "ieee_is_negative"
            | "ieee_is_normal"
            | "ieee_value"
            | "ieee_class"
            | "ieee_copy_sign"
            | "ieee_logb"
            | "ieee_next_after"
            | "ieee_rem"
            | "ieee_rint"
            | "ieee_scalb"
            | "ieee_unordered"
            | "ieee_fma"
            | "ieee_signbit"
            | "ieee_max_num"
            | "ieee_min_num"
            | "ieee_int"
            | "ieee_real"
            | "ieee_selected_real_kind"
    ) || name.starts_with("ieee_support_")
    {
        StandardName::PureFunction
    } else {
        StandardName::Constant(None)
    })
}

fn threads(name: &str) -> Option<StandardName> {
    let prefixed = ["omp_", "kmp_", "acc_", "openmp_", "openacc_"].iter().any(|prefix| name.starts_with(prefix));
    prefixed.then(|| if name.ends_with("_kind") { StandardName::Constant(None) } else { StandardName::Procedure })
}

/// The runtime's own module, in a program that has been transformed already.
fn gravel(name: &str) -> Option<StandardName> {
    Some(match name {
        "gravel_request_kind" | "gravel_transfer_kind" => StandardName::Constant(Some(4)),
        "gravel_offset_kind" => StandardName::Constant(Some(8)),
        "gravel_request_null" | "gravel_transfer_null" => StandardName::Constant(Some(0)),
        _ if runtime_module::exports(name) => StandardName::Procedure,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_values() {
        assert_eq!(find("iso_fortran_env", "real64"), Some(StandardName::Constant(Some(8))));
        assert_eq!(find("iso_c_binding", "c_double"), Some(StandardName::Constant(Some(8))));
        assert_eq!(find("iso_fortran_env", "error_unit"), Some(StandardName::Constant(None)));
        assert_eq!(find("iso_fortran_env", "dp"), None);
    }

    #[test]
    fn the_runtime_and_mpi_are_known_by_their_modules() {
        assert_eq!(find("gravel", "gravel_wait"), Some(StandardName::Procedure));
        assert_eq!(find("mpi", "mpi_comm_world"), Some(StandardName::Messaging("mpi_comm_world".to_string())));
        assert_eq!(find("mpi_f08", "status"), None);
    }

    #[test]
    fn names_of_messaging_are_a_list() {
        let known =
            ["mpi_send", "pmpi_send", "mpi_comm_world", "mpi_status_size", "mpi_double_precision", "mpi_in_place"];
        let newer = ["mpi_status", "mpi_type_create_subarray", "mpi_neighbor_alltoall", "mpi_comm_dup_fn", "mpi_tag"];
        for name in known.into_iter().chain(newer) {
            assert_eq!(messaging(name), Some(StandardName::Messaging(name.to_string())), "{name}");
        }
        for name in
            ["mpi_from", "mpi_rank", "mpi_size", "mpi_comm_cart", "mpi_real_rp", "mpi_", "pmpi_rank", "mpi_exchange"]
        {
            assert_eq!(messaging(name), None, "{name}");
        }
    }
}
