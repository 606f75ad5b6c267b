//! Libraries that programs use and nobody gives to gravelc, by the names of their modules: NetCDF and HDF5; and NetCDF's older
//! interface, by those of its functions.
//!
//! They do input and output, on communicators of their own where they are parallel. They call no procedure of the program and
//! know none of its variables, but for what [`may_do_more`] names, and redefine no intrinsic procedure.

/// The modules, in lower case.
const MODULES: [&str; 2] = ["netcdf", "hdf5"];

/// What the name of a procedure holds that calls back, or goes on when it has returned.
const MORE: [&str; 4] = ["async", "iterate", "visit", "eset_auto"];

/// Is the module (in lower case) one of a library that is known to keep to itself?
pub fn is_known_module(module: &str) -> bool {
    MODULES.contains(&module)
}

/// Does this procedure (in lower case) of such a library call back, or go on when it has returned?
pub fn may_do_more(procedure: &str) -> bool {
    MORE.iter().any(|part| procedure.contains(part))
}

/// How the names of NetCDF's functions go on behind `nf_` (The NetCDF Fortran 77 Interface Guide).
const NETCDF: [&str; 20] = [
    "abort",
    "close",
    "copy_att",
    "create",
    "def_dim",
    "def_var",
    "del_att",
    "enddef",
    "get_att",
    "get_var",
    "inq",
    "open",
    "put_att",
    "put_var",
    "redef",
    "rename",
    "set_fill",
    "strerror",
    "sync",
    "set_default_format",
];

/// Is it a function (in lower case) of NetCDF's interface without modules?
pub fn is_known_function(name: &str) -> bool {
    name.strip_prefix("nf_").is_some_and(|rest| NETCDF.iter().any(|beginning| rest.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_the_names_of_their_modules() {
        assert!(is_known_module("netcdf") && is_known_module("hdf5"));
        assert!(!is_known_module("pnetcdf"), "it hands requests out");
        assert!(is_known_function("nf_put_vara_real") && is_known_function("nf_inq_varid"));
        assert!(!is_known_function("nf_iput_var") && !is_known_function("nfft_create"));
        assert!(!may_do_more("h5dwrite_f") && may_do_more("h5dwrite_async_f") && may_do_more("h5literate_by_name_f"));
    }
}
