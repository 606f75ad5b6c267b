//! What is known of the functions of the C library, POSIX and OpenMP.
//!
//! All that the stand-ins declare keeps to itself: it neither communicates nor calls the program's functions, but for those that
//! are handed over to be called, jumps and threads, which [`known`] does not tell of.

use crate::known_libraries::procedures::{self, MemoryUse};

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It computes its value from those of its arguments.
    Value,
    /// It gives memory that nothing else leads to.
    Fresh,
    /// It ends the life of what its argument points to.
    Frees,
    /// It writes to a file what its arguments say, and what they point to.
    Output,
    /// It ends the program.
    Ends,
    /// Nothing else is told of it.
    Inside,
}

/// Functions of numbers. They set `errno`, and raise floating-point exceptions that nobody looks at.
const VALUES: &str = "
    abs labs llabs fabs fabsf fabsl sqrt sqrtf sqrtl cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2
    sinh cosh tanh asinh acosh atanh hypot floor ceil round trunc rint fmod fmax fmin fma erf erfc tgamma expf logf powf sinf cosf
    tanf floorf ceilf roundf truncf fmodf fmaxf fminf lround lroundf llround lrint copysign isalpha isdigit isspace toupper tolower
    bswap16 bswap32 bswap64 clz clzl clzll ctz ctzl ctzll ffs ffsl ffsll parity popcount popcountl popcountll expect
    expect_with_probability inf inff infl huge_val huge_valf huge_vall
    omp_get_thread_num omp_get_num_threads omp_get_max_threads
";

/// Memory that is new.
const FRESH: &str = "malloc calloc aligned_alloc";

/// Output, without what is read or stored besides.
const OUTPUT: &str = "printf fprintf puts fputs putchar putc fputc fflush perror";

/// Ends of the program that call none of its functions.
const ENDS: &str = "abort _Exit _exit quick_exit exit trap unreachable";

/// What calls functions of the program, leaves them, lets others run beside them or says where it may be called: nothing is told
/// of these.
const MORE: &str = "
    qsort qsort_r bsearch atexit at_quick_exit on_exit signal sigaction sigset bsd_signal raise kill pthread_kill sigqueue
    pthread_create pthread_once pthread_exit pthread_cancel pthread_key_create pthread_atfork pthread_cleanup_push thrd_create
    thrd_exit call_once tss_create setjmp _setjmp sigsetjmp longjmp _longjmp siglongjmp fork vfork clone exec execl execle execlp
    execv execve execvp execvpe fexecve posix_spawn posix_spawnp dlopen dlsym dlclose lfind lsearch tsearch tfind tdelete
    twalk tdestroy hsearch ftw ftw64 nftw nftw64 fts_open scandir scandir64 alphasort glob glob64 wordexp makecontext
    swapcontext setcontext getcontext timer_create mq_notify aio_read aio_write lio_listio set_constraint_handler_s error
    mmap mmap64 munmap mremap shmat shmdt brk sbrk alarm setitimer ualarm
";

/// Functions that call one of the program's, which they are handed, and remember nothing of it; with the number of that argument.
const CALLS_BACK: [(&str, usize); 2] = [("qsort", 3), ("bsearch", 4)];

/// Functions of BLAS that read vectors and store nothing.
const READS_VECTORS: &str = "
    sasum dasum scasum dzasum snrm2 dnrm2 scnrm2 dznrm2 sdot ddot sdsdot dsdot isamax idamax icamax izamax
";

/// The name in the library of what may be a function of BLAS or LAPACK, by its name of C (`cblas_dgemm`, `LAPACKE_dgesv`) or of
/// Fortran (`dgemm_`).
fn name_in_linear_algebra(name: &str) -> Option<&str> {
    let of_c = name.strip_prefix("cblas_").or_else(|| name.strip_prefix("LAPACKE_"));
    of_c.or_else(|| name.strip_suffix('_')).map(|stem| stem.trim_end_matches("_work"))
}

/// Is it a function of BLAS or LAPACK? They read and store numbers to which their arguments lead, and that is all. A name of Fortran may be
/// one of the program's own, where it is not in C alone.
pub fn is_of_linear_algebra(name: &str, is_in_c_alone: bool) -> bool {
    if name.ends_with('_') && !is_in_c_alone {
        return false;
    }
    // FFTW remembers the arrays of a plan.
    let name = name_in_linear_algebra(name).filter(|name| !name.contains("fftw"));
    name.is_some_and(|name| procedures::memory_use(name) == Some(MemoryUse::Arguments))
}

/// Is it one of them that stores nothing?
pub fn reads_vectors(name: &str, is_in_c_alone: bool) -> bool {
    is_of_linear_algebra(name, is_in_c_alone)
        && name_in_linear_algebra(name).is_some_and(|name| has(READS_VECTORS, name))
}

/// The number of the argument that such a function calls.
pub fn called_back(name: &str) -> Option<usize> {
    CALLS_BACK.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

/// What is known of a function that a stand-in declares; nothing, if it may do more.
pub fn known(name: &str) -> Option<Use> {
    // The runtime's own interface, which has a stand-in, communicates.
    if has(MORE, name) || name.starts_with("gravel_") {
        return None;
    }
    Some(if has(VALUES, name) {
        Use::Value
    } else if has(FRESH, name) {
        Use::Fresh
    } else if name == "free" {
        Use::Frees
    } else if has(OUTPUT, name) {
        Use::Output
    } else if has(ENDS, name) {
        Use::Ends
    } else {
        Use::Inside
    })
}
