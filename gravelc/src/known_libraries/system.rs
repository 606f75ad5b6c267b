//! Functions of the C library, POSIX, FFTW and OpenMP that programs in Fortran call: those of C by interfaces with BIND(C), those
//! of OpenMP by its module, its file `omp_lib.h` or without any.
//!
//! They neither communicate nor call the program, and return. What is called back, jumps, begins processes or threads, ends the
//! program, gives memory or takes it away is not among them.

/// Functions of C and POSIX, as linkers spell them.
const OF_C: &str = "
    access asctime asctime_r basename bcmp bcopy bzero ceil chdir chmod clock clock_getres clock_gettime close closedir cos creat
    ctime ctime_r difftime dirname erf erfc exp fabs fchmod fclose fdatasync feclearexcept feof ferror fflush fgetc fgets fileno
    floor fmod fopen fputc fputs fread fseek fstat fsync ftell ftruncate fwrite gamma getcwd getdomainname getegid getenv geteuid
    getgid gethostid gethostname getlogin getlogin_r getloadavg getpagesize getpgrp getpid getpgid getppid getpriority getrlimit
    getrusage getsid gettimeofday getuid gmtime gmtime_r isatty iscntrl isdigit isspace link localtime localtime_r log log10
    lseek lstat malloc_trim memccpy memchr memcmp memcpy memmove memset mkdir mkdirat mkfifo mktime nanosleep nice open opendir
    pathconf pow putc putchar putenv puts read readdir readlink realpath remove rename rewind rewinddir rmdir sched_getaffinity
    sched_getcpu sched_setaffinity sched_yield setenv setlinebuf setpriority sin sleep sqrt stat statvfs stpcpy strcasecmp strcat
    strchr strcmp strcpy strcspn strdup strerror strerror_r strftime strlen strncasecmp strncat strncmp strncpy strnlen strrchr
    strspn strstr strtod strtok strtok_r strtol strtoll strtoul symlink sync sysconf tan time timegm times tolower toupper
    truncate ttyname tzset umask uname unlink unsetenv usleep utimes write
";

/// How the names of FFTW's functions go on behind the letters of a precision (FFTW 3.3 manual, chapters 4 and 7). What executes a
/// plan for arrays that it does not name is not among them, nor is what gives memory, calls back or communicates.
const OF_FFTW: [&str; 13] = [
    "plan_dft",
    "plan_guru",
    "plan_many",
    "plan_r2r",
    "plan_with_nthreads",
    "execute_dft",
    "execute_r2r",
    "execute_split_dft",
    "destroy_plan",
    "cleanup",
    "init_threads",
    "forget_wisdom",
    "set_timelimit",
];

/// How the names of OpenMP's routines go on behind `omp_` (OpenMP 5.2, chapter 18). Names with this beginning are OpenMP's own.
/// What copies memory behind the caller, ends an event or speaks to a tool is not among them.
const OF_OPENMP: [&str; 8] = ["get_", "set_", "in_", "is_", "init_", "destroy_", "unset_", "test_"];

/// Is it such a function of C, POSIX or FFTW, by its name for linkers?
pub fn is_of_c(label: &str) -> bool {
    let precisions = ["fftw_", "fftwf_", "fftwl_", "fftwq_"];
    let of_fftw = precisions.iter().find_map(|precision| label.strip_prefix(precision));
    match of_fftw {
        Some(rest) => OF_FFTW.iter().any(|beginning| rest.starts_with(beginning)),
        None => OF_C.split_whitespace().any(|known| known == label),
    }
}

/// Is it a routine of OpenMP (in lower case) that asks or sets something, or a lock's?
pub fn is_of_openmp(name: &str) -> bool {
    name.strip_prefix("omp_").is_some_and(|rest| OF_OPENMP.iter().any(|beginning| rest.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_do_more_are_not_among_them() {
        assert!(
            ["getpid", "isatty", "usleep", "memcpy", "fflush", "fftw_plan_guru_dft", "fftwf_execute_dft_r2c"]
                .into_iter()
                .all(is_of_c)
        );
        for name in [
            "qsort",
            "signal",
            "system",
            "fork",
            "exit",
            "abort",
            "dlsym",
            "malloc",
            "free",
            "GETPID",
            "MPI_Send",
            "fftw_execute",
            "fftw_mpi_plan_dft_2d",
            "fftw_malloc",
        ] {
            assert!(!is_of_c(name), "{name}");
        }
        assert!(
            ["omp_get_wtime", "omp_init_lock", "omp_set_num_threads", "omp_in_parallel"].into_iter().all(is_of_openmp)
        );
        for name in ["omp_target_memcpy_async", "omp_fulfill_event", "omp_control_tool", "ompi_get", "my_omp_get"] {
            assert!(!is_of_openmp(name), "{name}");
        }
    }
}
