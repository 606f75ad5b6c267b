//! Libraries that are not given but known: BLAS, LAPACK and FFTW. They do not communicate, do no input or output, and
//! return.

/// What a known procedure does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryUse {
    /// It reads and writes nothing but its arguments.
    Arguments,
    /// It may also read and write memory that was named in earlier calls of the library (the arrays of an FFTW plan).
    Remembered,
}

/// The initials of the BLAS and LAPACK routines: single, double, complex, double complex.
const PRECISIONS: [&str; 4] = ["s", "d", "c", "z"];

/// BLAS, levels 1 to 3, without the letter of the precision (Lawson et al. 1979; Dongarra et al. 1988, 1990).
const BLAS: &[&str] = &[
    "asum", "axpy", "copy", "dot", "dotc", "dotu", "gbmv", "gemm", "gemv", "ger", "gerc", "geru", "hbmv", "hemm",
    "hemv", "her", "her2", "her2k", "herk", "hpmv", "hpr", "hpr2", "nrm2", "rot", "rotg", "rotm", "rotmg", "sbmv",
    "scal", "spmv", "spr", "spr2", "swap", "symm", "symv", "syr", "syr2", "syr2k", "syrk", "tbmv", "tbsv", "tpmv",
    "tpsv", "trmm", "trmv", "trsm", "trsv",
];

/// BLAS routines whose names mix precisions.
const BLAS_MIXED: &[&str] = &[
    "csrot", "csscal", "dcabs1", "dsdot", "dzasum", "dznrm2", "icamax", "idamax", "isamax", "izamax", "scabs1",
    "scasum", "scnrm2", "sdsdot", "zdrot", "zdscal",
];

/// LAPACK's drivers and the computational and auxiliary routines that applications call, without the letter of the
/// precision (LAPACK Users' Guide, third edition).
const LAPACK: &[&str] = &[
    "gbsv", "gbsvx", "gbtrf", "gbtrs", "gebal", "gebrd", "gecon", "geequ", "gees", "geesx", "geev", "geevx", "gehrd",
    "gelqf", "gels", "gelsd", "gelss", "gelsy", "geqlf", "geqp3", "geqrf", "gerqf", "gesdd", "gesv", "gesvd", "gesvx",
    "getf2", "getrf", "getri", "getrs", "ggev", "ggevx", "gges", "gtsv", "gttrf", "gttrs", "hbev", "hbevd", "heev",
    "heevd", "heevr", "heevx", "hegv", "hegvd", "hesv", "hetrd", "hetrf", "hetrs", "hpev", "hseqr", "lacpy", "lange",
    "larf", "larfb", "larfg", "larft", "larnv", "lascl", "laset", "lasr", "laswp", "orgbr", "orghr", "orglq", "orgqr",
    "orgtr", "ormbr", "ormlq", "ormqr", "ormtr", "pbsv", "pbtrf", "pbtrs", "pocon", "posv", "posvx", "potrf", "potri",
    "potrs", "ppsv", "pptrf", "pptrs", "ptsv", "pttrf", "pttrs", "sbev", "sbevd", "spev", "stebz", "stedc", "stegr",
    "stein", "steqr", "sterf", "stev", "stevd", "stevr", "stevx", "syev", "syevd", "syevr", "syevx", "sygv", "sygvd",
    "sysv", "sytrd", "sytrf", "sytrs", "trcon", "trevc", "trsyl", "trtri", "trtrs", "unglq", "ungqr", "unmlq", "unmqr",
];

/// LAPACK routines without a letter of the precision, and those that only one precision has.
const LAPACK_OTHER: &[&str] = &[
    "dlamch", "dlapy2", "dlapy3", "dsgesv", "dsposv", "ilaenv", "ilaver", "lsame", "slamch", "slapy2", "slapy3",
    "zcgesv",
];

/// The prefixes of FFTW's interface for Fortran 77, for each precision (FFTW 3 manual, chapter 8).
const FFTW_PREFIXES: [&str; 3] = ["dfftw_", "sfftw_", "lfftw_"];

/// What the FFTW plan makers begin with: they read and write their arguments, and remember the arrays.
const FFTW_PLANNERS: [&str; 3] = ["plan_dft", "plan_many", "plan_r2r"];

/// FFTW's other procedures that use nothing but their arguments.
const FFTW_ARGUMENTS: &[&str] = &[
    "cleanup",
    "cost",
    "destroy_plan",
    "estimate_cost",
    "execute_dft",
    "execute_dft_c2r",
    "execute_dft_r2c",
    "execute_r2r",
    "execute_split_dft",
    "flops",
    "init_threads",
    "plan_with_nthreads",
];

/// What the library procedure `name` (lower case) does to memory; `None` if it is not known.
pub fn memory_use(name: &str) -> Option<MemoryUse> {
    if BLAS_MIXED.contains(&name) || LAPACK_OTHER.contains(&name) {
        return Some(MemoryUse::Arguments);
    }
    for prefix in FFTW_PREFIXES {
        if let Some(rest) = name.strip_prefix(prefix) {
            let is_planner = FFTW_PLANNERS.iter().any(|planner| rest.starts_with(planner));
            return match rest {
                "execute" => Some(MemoryUse::Remembered),
                _ if is_planner || FFTW_ARGUMENTS.contains(&rest) => Some(MemoryUse::Arguments),
                _ => None,
            };
        }
    }
    let stem = PRECISIONS.iter().find_map(|precision| name.strip_prefix(precision))?;
    (BLAS.contains(&stem) || LAPACK.contains(&stem)).then_some(MemoryUse::Arguments)
}

/// Does the library procedure `name` (lower case) certainly keep out of communication?
pub fn is_known_not_to_communicate(name: &str) -> bool {
    memory_use(name).is_some()
}

/// Does a known library call the procedure `name` (lower case), which a program may define anew (LAPACK Users' Guide,
/// section 5.5)?
pub fn is_known_to_be_called_back(name: &str) -> bool {
    ["xerbla", "xerbla_array"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_libraries_and_nothing_else() {
        for name in ["dgemm", "zheev", "saxpy", "idamax", "dsyrk", "dfftw_execute_dft", "dfftw_plan_dft_1d"] {
            assert_eq!(memory_use(name), Some(MemoryUse::Arguments), "{name}");
        }
        assert_eq!(memory_use("dfftw_execute"), Some(MemoryUse::Remembered));
        for name in ["pdgemm", "compute", "dswapper", "d", "", "dfftw_mpi_plan", "scopy2", "exchange"] {
            assert_eq!(memory_use(name), None, "{name}");
        }
    }
}
