//! Libraries that programs use and nobody gives to gravelc, by the names of their modules: NetCDF and HDF5; and NetCDF's older
//! interface, by those of its functions.
//!
//! Which names their modules export is known by how these begin: a USE without ONLY hides no other name of the host.
//!
//! They do input and output, on communicators of their own where they are parallel. They call no procedure of the program and
//! know none of its variables, but for what [`may_do_more`] names, and redefine no intrinsic procedure.

pub mod procedures;
pub mod scalapack;
pub mod system;

/// The modules, in lower case.
const MODULES: [&str; 8] = ["netcdf", "typesizes", "hdf5", "h5lt", "h5ds", "h5tb", "h5im", C_LIBRARY];

/// What stands for the module of the C library, POSIX and OpenMP: no name that a module can have.
pub const C_LIBRARY: &str = "<c>";

/// What the name of a procedure holds that calls back, or goes on when it has returned.
const MORE: [&str; 4] = ["async", "iterate", "visit", "eset_auto"];

/// Is the module (in lower case) one of a library that is known to keep to itself?
pub fn is_known_module(module: &str) -> bool {
    MODULES.contains(&module)
}

/// Does the library of such a module read and write files, perhaps by MPI?
pub fn uses_files(module: &str) -> bool {
    is_known_module(module) && module != C_LIBRARY
}

/// Does this procedure (in lower case) of such a library call back, or go on when it has returned?
pub fn may_do_more(procedure: &str) -> bool {
    MORE.iter().any(|part| procedure.contains(part))
}

/// Functions of the C library and POSIX that certainly have the program's code run at other places than where it stands: they call
/// what they are handed, let it run beside the caller, go on to store when they have returned, or jump.
const RUN_THE_PROGRAM: &str = "
    qsort_r lfind lsearch tsearch tfind tdelete twalk tdestroy ftw ftw64 nftw nftw64 scandir scandir64 pthread_once call_once
    pthread_create thrd_create timer_create mq_notify aio_read aio_write lio_listio
    setjmp _setjmp sigsetjmp longjmp _longjmp siglongjmp makecontext swapcontext setcontext getcontext
";

/// Is the procedure, which the program does not define, one that certainly has the program's code run at other places than where it
/// stands? No assumption about libraries holds for it.
pub fn runs_the_program(procedure: &str) -> bool {
    RUN_THE_PROGRAM.split_whitespace().any(|known| known == procedure)
}

/// Functions of the C library and POSIX that tell of time, of the process or of an error, or put text together. They write to no file, and
/// use nothing but what they are handed themselves.
const TELL: &str = "
    time ctime ctime_r localtime localtime_r gmtime gmtime_r asctime strftime difftime clock clock_gettime gettimeofday
    gethostname getpid getppid getenv strerror strerror_r strlen strcpy strncpy strcat strncat strcmp strncmp sprintf snprintf
    sleep usleep fclose
";

/// Is the procedure one of the C library that only tells something, or puts text together?
pub fn only_tells(procedure: &str) -> bool {
    let own = procedure.split_once("::").filter(|(module, _)| *module == C_LIBRARY);
    own.is_some_and(|(_, name)| TELL.split_whitespace().any(|known| known == name))
}

/// How the names begin that a module of a library exports, where they are known; those of other modules may be any.
///
/// Read off the compiled modules of netcdf-fortran 4.5.4, PnetCDF 1.12.3 and HDF5 1.10.8. HDF5's exports what `iso_c_binding`
/// holds, too, and types and kinds of its own.
fn beginnings_of(module: &str) -> Option<&'static [&'static str]> {
    Some(match module {
        "netcdf" => &["nf90"],
        "pnetcdf" => &["nf", "nc", "fil", "max", "pnetcdf"],
        "typesizes" => &KINDS,
        // The high-level interface exports what `hdf5` does, too.
        "hdf5" | "h5lt" | "h5ds" | "h5tb" | "h5im" => &HDF5,
        _ => return None,
    })
}

/// Is it known which names the module (in lower case) exports?
pub fn names_are_known(module: &str) -> bool {
    beginnings_of(module).is_some()
}

/// The names of NetCDF's module with kinds of numbers.
const KINDS: [&str; 7] =
    ["onebyteint", "twobyteint", "fourbyteint", "eightbyteint", "fourbytereal", "eightbytereal", "bytesizesok"];

/// How HDF5's names begin.
const HDF5: [&str; 27] = [
    "h5",
    "hd5",
    "hid_t",
    "hsize_t",
    "hssize_t",
    "haddr_",
    "hdset_",
    "hobj_",
    "hvl_t",
    "hdr_t",
    "c_",
    "enum_",
    "fortran_",
    "floating_types",
    "integer_types",
    "predef_types",
    "num_native",
    "object_namelen",
    "ref_reg_buf_len",
    "print",
    "size_t",
    "off_t",
    "mesg_t",
    "meta_size_t",
    "space_t",
    "time_t",
    "union_t",
];

/// May the module (in lower case) export something under this name (in lower case)? Modules whose names are not known may.
pub fn may_export(module: &str, name: &str) -> bool {
    beginnings_of(module).is_none_or(|beginnings| beginnings.iter().any(|beginning| name.starts_with(beginning)))
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
        assert!(["netcdf", "typesizes", "hdf5", "h5lt"].into_iter().all(is_known_module));
        assert!(may_export("typesizes", "fourbytereal") && !may_export("typesizes", "nf90_open"));
        assert!(!is_known_module("pnetcdf"), "it hands requests out");
        assert!(is_known_function("nf_put_vara_real") && is_known_function("nf_inq_varid"));
        assert!(!is_known_function("nf_iput_var") && !is_known_function("nfft_create"));
        assert!(
            may_export("netcdf", "nf90_open") && !may_export("netcdf", "my_task") && may_export("other", "my_task")
        );
        assert!(may_export("hdf5", "hid_t") && may_export("hdf5", "c_ptr") && !may_export("hdf5", "nx_block"));
        assert!(!may_do_more("h5dwrite_f") && may_do_more("h5dwrite_async_f") && may_do_more("h5literate_by_name_f"));
    }
}
