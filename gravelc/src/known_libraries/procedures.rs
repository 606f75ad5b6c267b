//! Libraries that are not given but known: BLAS, LAPACK, ARPACK, FFTW and the vector functions of MKL. They do not communicate, do no input or output, and
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
    "gbsv",
    "gbsvx",
    "gbtrf",
    "gbtrs",
    "gebal",
    "gebrd",
    "gecon",
    "geequ",
    "gees",
    "geesx",
    "geev",
    "geevx",
    "gehrd",
    "gelqf",
    "gels",
    "gelsd",
    "gelss",
    "gelsy",
    "geqlf",
    "geqp3",
    "geqrf",
    "gerqf",
    "gesdd",
    "gesv",
    "gesvd",
    "gesvx",
    "getf2",
    "getrf",
    "getri",
    "getrs",
    "ggev",
    "ggevx",
    "gges",
    "gtsv",
    "gttrf",
    "gttrs",
    "hbev",
    "hbevd",
    "heev",
    "heevd",
    "heevr",
    "heevx",
    "hegv",
    "hegvd",
    "hesv",
    "hetrd",
    "hetrf",
    "hetrs",
    "hpev",
    "hseqr",
    "lacpy",
    "lange",
    "larf",
    "larfb",
    "larfg",
    "larft",
    "larnv",
    "lascl",
    "laset",
    "lasr",
    "laswp",
    "orgbr",
    "orghr",
    "orglq",
    "orgqr",
    "orgtr",
    "ormbr",
    "ormlq",
    "ormqr",
    "ormtr",
    "pbsv",
    "pbtrf",
    "pbtrs",
    "pocon",
    "posv",
    "posvx",
    "potrf",
    "potri",
    "potrs",
    "ppsv",
    "pptrf",
    "pptrs",
    "ptsv",
    "pttrf",
    "pttrs",
    "sbev",
    "sbevd",
    "spev",
    "stebz",
    "stedc",
    "stegr",
    "bdsdc",
    "bdsqr",
    "gbbrd",
    "gbcon",
    "gbequ",
    "gbrfs",
    "gebak",
    "geequb",
    "gejsv",
    "gelq2",
    "gelqt",
    "gemqrt",
    "geql2",
    "geqr",
    "geqr2",
    "geqr2p",
    "geqrfp",
    "geqrt",
    "gerfs",
    "gerq2",
    "gesvj",
    "getc2",
    "getrf2",
    "getsls",
    "ggbak",
    "ggbal",
    "ggev3",
    "ggglm",
    "gghrd",
    "gglse",
    "ggqrf",
    "ggrqf",
    "ggsvd3",
    "gtcon",
    "gtrfs",
    "gtsvx",
    "hbgv",
    "hbtrd",
    "hecon",
    "heevd_2stage",
    "heevr_2stage",
    "hegst",
    "hegvx",
    "heswapr",
    "hesvx",
    "hetd2",
    "hetri",
    "hetrs2",
    "hpevd",
    "hpgv",
    "hpgvd",
    "hpsv",
    "hptrd",
    "hptrf",
    "hptri",
    "hptrs",
    "hsein",
    "labad",
    "lacgv",
    "lacn2",
    "lacon",
    "lacp2",
    "lamrg",
    "langb",
    "langt",
    "lanhb",
    "lanhe",
    "lanhp",
    "lanhs",
    "lansb",
    "lansp",
    "lanst",
    "lansy",
    "lantb",
    "lantp",
    "lantr",
    "lapmr",
    "lapmt",
    "lapy2",
    "lapy3",
    "larfx",
    "largv",
    "lartg",
    "lartv",
    "lasrt",
    "lassq",
    "lasv2",
    "latrd",
    "latrs",
    "lauum",
    "opgtr",
    "opmtr",
    "orbdb",
    "org2l",
    "org2r",
    "orgl2",
    "orgql",
    "orgr2",
    "orgrq",
    "orm2r",
    "orml2",
    "ormhr",
    "ormql",
    "ormrq",
    "ormrz",
    "pbequ",
    "pbrfs",
    "pbsvx",
    "pbtf2",
    "pftrf",
    "pftri",
    "pftrs",
    "poequ",
    "porfs",
    "potf2",
    "ppcon",
    "ppequ",
    "pprfs",
    "ppsvx",
    "pptri",
    "pstrf",
    "ptcon",
    "pteqr",
    "ptrfs",
    "ptsvx",
    "rscl",
    "sbevx",
    "sbgv",
    "sbtrd",
    "spcon",
    "spevd",
    "spevx",
    "spgst",
    "spgv",
    "sprfs",
    "spsv",
    "spsvx",
    "sptrd",
    "sptrf",
    "sptri",
    "sptrs",
    "sycon",
    "sygst",
    "sygvx",
    "syrfs",
    "sysvx",
    "sytd2",
    "sytri",
    "sytrs2",
    "tbcon",
    "tbrfs",
    "tbtrs",
    "tgevc",
    "tgexc",
    "tgsen",
    "tgsja",
    "tgsyl",
    "tpcon",
    "tprfs",
    "tptri",
    "tptrs",
    "trexc",
    "trrfs",
    "trsen",
    "trsna",
    "trti2",
    "tzrzf",
    "ung2l",
    "ung2r",
    "ungbr",
    "unghr",
    "ungl2",
    "ungql",
    "ungr2",
    "ungrq",
    "ungtr",
    "unm2r",
    "unmbr",
    "unmhr",
    "unmql",
    "unmrq",
    "unmrz",
    "unmtr",
    "upgtr",
    "upmtr",
    "stein",
    "steqr",
    "sterf",
    "stev",
    "stevd",
    "stevr",
    "stevx",
    "syev",
    "syevd",
    "syevr",
    "syevx",
    "sygv",
    "sygvd",
    "sysv",
    "sytrd",
    "sytrf",
    "sytrs",
    "trcon",
    "trevc",
    "trsyl",
    "trtri",
    "trtrs",
    "unglq",
    "ungqr",
    "unmlq",
    "unmqr",
];

/// LAPACK routines without a letter of the precision, and those that only one precision has.
const LAPACK_OTHER: &[&str] = &[
    "dlamch", "dlapy2", "dlapy3", "dsgesv", "dsposv", "ilaenv", "ilaver", "lsame", "slamch", "slapy2", "slapy3",
    "zcgesv",
];

/// ARPACK's reverse communication interface without the letter of the precision (ARPACK Users' Guide, 1998): the vectors
/// are among the arguments of every call. (PARPACK's names begin with p.)
const ARPACK: &[&str] = &["naupd", "neupd", "saupd", "seupd"];

/// The vector functions of MKL for whole arrays without the letters before (`vdexp`; Intel oneMKL Developer Reference, "VM
/// Mathematical Functions"). They may use threads of their own.
const VECTOR_FUNCTIONS: &[&str] = &[
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos", "cosh", "div",
    "erf", "erfc", "exp", "expm1", "floor", "hypot", "inv", "invsqrt", "ln", "log10", "log1p", "mul", "pow", "powx",
    "round", "sin", "sincos", "sinh", "sqr", "sqrt", "sub", "tan", "tanh", "trunc",
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
    let vector = PRECISIONS.iter().find_map(|precision| name.strip_prefix('v')?.strip_prefix(precision));
    if vector.is_some_and(|stem| VECTOR_FUNCTIONS.contains(&stem)) {
        return Some(MemoryUse::Arguments);
    }
    let stem = PRECISIONS.iter().find_map(|precision| name.strip_prefix(precision))?;
    (BLAS.contains(&stem) || LAPACK.contains(&stem) || ARPACK.contains(&stem)).then_some(MemoryUse::Arguments)
}

/// Does the library procedure `name` (lower case) certainly keep out of communication?
pub fn is_known_not_to_communicate(name: &str) -> bool {
    memory_use(name).is_some()
}

/// Does a known library call the procedure `name` (lower case), which a program may define anew (LAPACK Users' Guide,
/// section 5.5; ScaLAPACK Users' Guide, section 7.4)?
pub fn is_known_to_be_called_back(name: &str) -> bool {
    ["xerbla", "xerbla_array", "pxerbla"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_libraries_and_nothing_else() {
        for name in [
            "dgemm",
            "zheev",
            "saxpy",
            "idamax",
            "dsyrk",
            "dfftw_execute_dft",
            "dfftw_plan_dft_1d",
            "dsaupd",
            "vdexp",
            "zunmqr",
        ] {
            assert_eq!(memory_use(name), Some(MemoryUse::Arguments), "{name}");
        }
        assert_eq!(memory_use("dfftw_execute"), Some(MemoryUse::Remembered));
        for name in [
            "pdgemm",
            "compute",
            "dswapper",
            "d",
            "",
            "dfftw_mpi_plan",
            "scopy2",
            "exchange",
            "pdsaupd",
            "vexp",
            "vdexchange",
        ] {
            assert_eq!(memory_use(name), None, "{name}");
        }
    }
}
