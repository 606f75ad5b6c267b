//! Modules of libraries that programs use and nobody gives to gravelc: NetCDF and HDF5.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_the_names_of_their_modules() {
        assert!(is_known_module("netcdf") && is_known_module("hdf5"));
        assert!(!is_known_module("pnetcdf"), "it hands requests out");
        assert!(!may_do_more("h5dwrite_f") && may_do_more("h5dwrite_async_f") && may_do_more("h5literate_by_name_f"));
    }
}
