// What the headers of POSIX and Linux declare beyond those of C. The format is that of `mod.rs`.

#header sys/types.h sys/stat.h unistd.h stdlib.h
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef long quad_t, loff_t, off64_t, blkcnt_t, register_t;
typedef unsigned long u_quad_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t, socklen_t;
typedef unsigned long u_int64_t;
typedef int key_t;
typedef char *caddr_t;
#opaque nlink_t blksize_t

#header sys/select.h sys/types.h sys/time.h
typedef struct { __gravel_rest rest; } fd_set;
void FD_ZERO(fd_set *);
void FD_SET(int, fd_set *);
void FD_CLR(int, fd_set *);
int FD_ISSET(int, fd_set *);
int select(int, fd_set *restrict, fd_set *restrict, fd_set *restrict, struct timeval *restrict);
int pselect(int, fd_set *restrict, fd_set *restrict, fd_set *restrict, const struct timespec *restrict, const sigset_t
  *restrict);

#header sys/time.h
#unspecified ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF
struct timezone { int tz_minuteswest; int tz_dsttime; };
struct itimerval { struct timeval it_interval; struct timeval it_value; };
int gettimeofday(struct timeval *restrict, void *restrict);
int settimeofday(const struct timeval *, const struct timezone *);
int getitimer(int, struct itimerval *);
int setitimer(int, const struct itimerval *restrict, struct itimerval *restrict);
int utimes(const char *, const struct timeval [2]);

#header sys/times.h
struct tms { clock_t tms_utime; clock_t tms_stime; clock_t tms_cutime; clock_t tms_cstime; };
clock_t times(struct tms *);

#header unistd.h
#unspecified _PC_LINK_MAX _PC_MAX_CANON _PC_MAX_INPUT _PC_NAME_MAX _PC_PATH_MAX _PC_PIPE_BUF _PC_CHOWN_RESTRICTED
#unspecified _PC_NO_TRUNC _PC_VDISABLE _PC_SYNC_IO _PC_ASYNC_IO _PC_PRIO_IO _PC_SOCK_MAXBUF _PC_FILESIZEBITS
#unspecified _PC_REC_INCR_XFER_SIZE _PC_REC_MAX_XFER_SIZE _PC_REC_MIN_XFER_SIZE _PC_REC_XFER_ALIGN _PC_ALLOC_SIZE_MIN
#unspecified _PC_SYMLINK_MAX _PC_2_SYMLINKS _SC_ARG_MAX _SC_CHILD_MAX _SC_CLK_TCK _SC_NGROUPS_MAX _SC_OPEN_MAX
#unspecified _SC_STREAM_MAX _SC_TZNAME_MAX _SC_JOB_CONTROL _SC_SAVED_IDS _SC_REALTIME_SIGNALS _SC_PRIORITY_SCHEDULING
#unspecified _SC_TIMERS _SC_ASYNCHRONOUS_IO _SC_PRIORITIZED_IO _SC_SYNCHRONIZED_IO _SC_FSYNC _SC_MAPPED_FILES
#unspecified _SC_MEMLOCK _SC_MEMLOCK_RANGE _SC_MEMORY_PROTECTION _SC_MESSAGE_PASSING _SC_SEMAPHORES
#unspecified _SC_SHARED_MEMORY_OBJECTS _SC_AIO_LISTIO_MAX _SC_AIO_MAX _SC_AIO_PRIO_DELTA_MAX _SC_DELAYTIMER_MAX
#unspecified _SC_MQ_OPEN_MAX _SC_MQ_PRIO_MAX _SC_VERSION _SC_PAGESIZE _SC_RTSIG_MAX _SC_SEM_NSEMS_MAX
#unspecified _SC_SEM_VALUE_MAX _SC_SIGQUEUE_MAX _SC_TIMER_MAX _SC_BC_BASE_MAX _SC_BC_DIM_MAX _SC_BC_SCALE_MAX
#unspecified _SC_BC_STRING_MAX _SC_COLL_WEIGHTS_MAX _SC_EQUIV_CLASS_MAX _SC_EXPR_NEST_MAX _SC_LINE_MAX _SC_RE_DUP_MAX
#unspecified _SC_CHARCLASS_NAME_MAX _SC_2_VERSION _SC_2_C_BIND _SC_2_C_DEV _SC_2_FORT_DEV _SC_2_FORT_RUN _SC_2_SW_DEV
#unspecified _SC_2_LOCALEDEF _SC_PII _SC_PII_XTI _SC_PII_SOCKET _SC_PII_INTERNET _SC_PII_OSI _SC_POLL _SC_SELECT
#unspecified _SC_UIO_MAXIOV _SC_IOV_MAX _SC_PII_INTERNET_STREAM _SC_PII_INTERNET_DGRAM _SC_PII_OSI_COTS
#unspecified _SC_PII_OSI_CLTS _SC_PII_OSI_M _SC_T_IOV_MAX _SC_THREADS _SC_THREAD_SAFE_FUNCTIONS _SC_GETGR_R_SIZE_MAX
#unspecified _SC_GETPW_R_SIZE_MAX _SC_LOGIN_NAME_MAX _SC_TTY_NAME_MAX _SC_THREAD_DESTRUCTOR_ITERATIONS
#unspecified _SC_THREAD_KEYS_MAX _SC_THREAD_STACK_MIN _SC_THREAD_THREADS_MAX _SC_THREAD_ATTR_STACKADDR
#unspecified _SC_THREAD_ATTR_STACKSIZE _SC_THREAD_PRIORITY_SCHEDULING _SC_THREAD_PRIO_INHERIT _SC_THREAD_PRIO_PROTECT
#unspecified _SC_THREAD_PROCESS_SHARED _SC_NPROCESSORS_CONF _SC_NPROCESSORS_ONLN _SC_PHYS_PAGES _SC_AVPHYS_PAGES
#unspecified _SC_ATEXIT_MAX _SC_PASS_MAX _SC_XOPEN_VERSION _SC_XOPEN_XCU_VERSION _SC_XOPEN_UNIX _SC_XOPEN_CRYPT
#unspecified _SC_XOPEN_ENH_I18N _SC_XOPEN_SHM _SC_2_CHAR_TERM _SC_2_C_VERSION _SC_2_UPE _SC_XOPEN_XPG2 _SC_XOPEN_XPG3
#unspecified _SC_XOPEN_XPG4 _SC_CHAR_BIT _SC_CHAR_MAX _SC_CHAR_MIN _SC_INT_MAX _SC_INT_MIN _SC_LONG_BIT _SC_WORD_BIT
#unspecified _SC_MB_LEN_MAX _SC_NZERO _SC_SSIZE_MAX _SC_SCHAR_MAX _SC_SCHAR_MIN _SC_SHRT_MAX _SC_SHRT_MIN
#unspecified _SC_UCHAR_MAX _SC_UINT_MAX _SC_ULONG_MAX _SC_USHRT_MAX _SC_NL_ARGMAX _SC_NL_LANGMAX _SC_NL_MSGMAX
#unspecified _SC_NL_NMAX _SC_NL_SETMAX _SC_NL_TEXTMAX _SC_XBS5_ILP32_OFF32 _SC_XBS5_ILP32_OFFBIG _SC_XBS5_LP64_OFF64
#unspecified _SC_XBS5_LPBIG_OFFBIG _SC_XOPEN_LEGACY _SC_XOPEN_REALTIME _SC_XOPEN_REALTIME_THREADS _SC_ADVISORY_INFO
#unspecified _SC_BARRIERS _SC_BASE _SC_C_LANG_SUPPORT _SC_C_LANG_SUPPORT_R _SC_CLOCK_SELECTION _SC_CPUTIME
#unspecified _SC_THREAD_CPUTIME _SC_DEVICE_IO _SC_DEVICE_SPECIFIC _SC_DEVICE_SPECIFIC_R _SC_FD_MGMT _SC_FIFO _SC_PIPE
#unspecified _SC_FILE_ATTRIBUTES _SC_FILE_LOCKING _SC_FILE_SYSTEM _SC_MONOTONIC_CLOCK _SC_MULTI_PROCESS
#unspecified _SC_SINGLE_PROCESS _SC_NETWORKING _SC_READER_WRITER_LOCKS _SC_SPIN_LOCKS _SC_REGEXP _SC_REGEX_VERSION
#unspecified _SC_SHELL _SC_SIGNALS _SC_SPAWN _SC_SPORADIC_SERVER _SC_THREAD_SPORADIC_SERVER _SC_SYSTEM_DATABASE
#unspecified _SC_SYSTEM_DATABASE_R _SC_TIMEOUTS _SC_TYPED_MEMORY_OBJECTS _SC_USER_GROUPS _SC_USER_GROUPS_R _SC_2_PBS
#unspecified _SC_2_PBS_ACCOUNTING _SC_2_PBS_LOCATE _SC_2_PBS_MESSAGE _SC_2_PBS_TRACK _SC_SYMLOOP_MAX _SC_STREAMS
#unspecified _SC_2_PBS_CHECKPOINT _SC_V6_ILP32_OFF32 _SC_V6_ILP32_OFFBIG _SC_V6_LP64_OFF64 _SC_V6_LPBIG_OFFBIG
#unspecified _SC_HOST_NAME_MAX _SC_TRACE _SC_TRACE_EVENT_FILTER _SC_TRACE_INHERIT _SC_TRACE_LOG _SC_LEVEL1_ICACHE_SIZE
#unspecified _SC_LEVEL1_ICACHE_ASSOC _SC_LEVEL1_ICACHE_LINESIZE _SC_LEVEL1_DCACHE_SIZE _SC_LEVEL1_DCACHE_ASSOC
#unspecified _SC_LEVEL1_DCACHE_LINESIZE _SC_LEVEL2_CACHE_SIZE _SC_LEVEL2_CACHE_ASSOC _SC_LEVEL2_CACHE_LINESIZE
#unspecified _SC_LEVEL3_CACHE_SIZE _SC_LEVEL3_CACHE_ASSOC _SC_LEVEL3_CACHE_LINESIZE _SC_LEVEL4_CACHE_SIZE
#unspecified _SC_LEVEL4_CACHE_ASSOC _SC_LEVEL4_CACHE_LINESIZE _SC_IPV6 _SC_RAW_SOCKETS _SC_V7_ILP32_OFF32
#unspecified _SC_V7_ILP32_OFFBIG _SC_V7_LP64_OFF64 _SC_V7_LPBIG_OFFBIG _SC_SS_REPL_MAX _SC_TRACE_EVENT_NAME_MAX
#unspecified _SC_TRACE_NAME_MAX _SC_TRACE_SYS_MAX _SC_TRACE_USER_EVENT_MAX _SC_XOPEN_STREAMS
#unspecified _SC_THREAD_ROBUST_PRIO_INHERIT _SC_THREAD_ROBUST_PRIO_PROTECT _SC_MINSIGSTKSZ _SC_SIGSTKSZ _CS_PATH
#unspecified _CS_V6_WIDTH_RESTRICTED_ENVS _CS_GNU_LIBC_VERSION _CS_GNU_LIBPTHREAD_VERSION _CS_V5_WIDTH_RESTRICTED_ENVS
#unspecified _CS_V7_WIDTH_RESTRICTED_ENVS _CS_LFS_CFLAGS _CS_LFS_LDFLAGS _CS_LFS_LIBS _CS_LFS_LINTFLAGS
#unspecified _CS_LFS64_CFLAGS _CS_LFS64_LDFLAGS _CS_LFS64_LIBS _CS_LFS64_LINTFLAGS _CS_XBS5_ILP32_OFF32_CFLAGS
#unspecified _CS_XBS5_ILP32_OFF32_LDFLAGS _CS_XBS5_ILP32_OFF32_LIBS _CS_XBS5_ILP32_OFF32_LINTFLAGS
#unspecified _CS_XBS5_ILP32_OFFBIG_CFLAGS _CS_XBS5_ILP32_OFFBIG_LDFLAGS _CS_XBS5_ILP32_OFFBIG_LIBS
#unspecified _CS_XBS5_ILP32_OFFBIG_LINTFLAGS _CS_XBS5_LP64_OFF64_CFLAGS _CS_XBS5_LP64_OFF64_LDFLAGS
#unspecified _CS_XBS5_LP64_OFF64_LIBS _CS_XBS5_LP64_OFF64_LINTFLAGS _CS_XBS5_LPBIG_OFFBIG_CFLAGS
#unspecified _CS_XBS5_LPBIG_OFFBIG_LDFLAGS _CS_XBS5_LPBIG_OFFBIG_LIBS _CS_XBS5_LPBIG_OFFBIG_LINTFLAGS
#unspecified _CS_POSIX_V6_ILP32_OFF32_CFLAGS _CS_POSIX_V6_ILP32_OFF32_LDFLAGS _CS_POSIX_V6_ILP32_OFF32_LIBS
#unspecified _CS_POSIX_V6_ILP32_OFF32_LINTFLAGS _CS_POSIX_V6_ILP32_OFFBIG_CFLAGS _CS_POSIX_V6_ILP32_OFFBIG_LDFLAGS
#unspecified _CS_POSIX_V6_ILP32_OFFBIG_LIBS _CS_POSIX_V6_ILP32_OFFBIG_LINTFLAGS _CS_POSIX_V6_LP64_OFF64_CFLAGS
#unspecified _CS_POSIX_V6_LP64_OFF64_LDFLAGS _CS_POSIX_V6_LP64_OFF64_LIBS _CS_POSIX_V6_LP64_OFF64_LINTFLAGS
#unspecified _CS_POSIX_V6_LPBIG_OFFBIG_CFLAGS _CS_POSIX_V6_LPBIG_OFFBIG_LDFLAGS _CS_POSIX_V6_LPBIG_OFFBIG_LIBS
#unspecified _CS_POSIX_V6_LPBIG_OFFBIG_LINTFLAGS _CS_POSIX_V7_ILP32_OFF32_CFLAGS _CS_POSIX_V7_ILP32_OFF32_LDFLAGS
#unspecified _CS_POSIX_V7_ILP32_OFF32_LIBS _CS_POSIX_V7_ILP32_OFF32_LINTFLAGS _CS_POSIX_V7_ILP32_OFFBIG_CFLAGS
#unspecified _CS_POSIX_V7_ILP32_OFFBIG_LDFLAGS _CS_POSIX_V7_ILP32_OFFBIG_LIBS _CS_POSIX_V7_ILP32_OFFBIG_LINTFLAGS
#unspecified _CS_POSIX_V7_LP64_OFF64_CFLAGS _CS_POSIX_V7_LP64_OFF64_LDFLAGS _CS_POSIX_V7_LP64_OFF64_LIBS
#unspecified _CS_POSIX_V7_LP64_OFF64_LINTFLAGS _CS_POSIX_V7_LPBIG_OFFBIG_CFLAGS _CS_POSIX_V7_LPBIG_OFFBIG_LDFLAGS
#unspecified _CS_POSIX_V7_LPBIG_OFFBIG_LIBS _CS_POSIX_V7_LPBIG_OFFBIG_LINTFLAGS _CS_V6_ENV _CS_V7_ENV
extern char **environ;

ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
int close(int);
off_t lseek(int, off_t, int);
int access(const char *, int);
int unlink(const char *);
int rmdir(const char *);
int chdir(const char *);
char *getcwd(char *, size_t);
int dup(int);
int dup2(int, int);
int pipe(int [2]);
pid_t fork(void);
pid_t vfork(void) __attribute__((returns_twice));
int execv(const char *, char *const *);
int execve(const char *, char *const *, char *const *);
int execvp(const char *, char *const *);
int execl(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
_Noreturn void _exit(int);
pid_t getpid(void);
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t);
int setgid(gid_t);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
unsigned int alarm(unsigned int);
int pause(void);
int isatty(int);
char *ttyname(int);
int link(const char *, const char *);
int symlink(const char *, const char *);
ssize_t readlink(const char *restrict, char *restrict, size_t);
int gethostname(char *, size_t);
int sethostname(const char *, size_t);
int getdomainname(char *, size_t);
long sysconf(int);
long pathconf(const char *, int);
long fpathconf(int, int);
int fsync(int);
int fdatasync(int);
void sync(void);
int ftruncate(int, off_t);
int truncate(const char *, off_t);
int getpagesize(void);
int nice(int);
void *sbrk(intptr_t);
int brk(void *);
char *getlogin(void);
int getlogin_r(char *, size_t);
int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int lchown(const char *, uid_t, gid_t);
pid_t getpgrp(void);
int setpgid(pid_t, pid_t);
pid_t setsid(void);
pid_t getsid(pid_t);
pid_t tcgetpgrp(int);
int tcsetpgrp(int, pid_t);
char *crypt(const char *, const char *);
size_t confstr(int, char *, size_t);
long gethostid(void);
int lockf(int, int, off_t);
long syscall(long, ...);
int daemon(int, int);
void swab(const void *restrict, void *restrict, ssize_t);
int fchdir(int);
pid_t getpgid(pid_t);

#header getopt.h unistd.h
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);

#header getopt.h
struct option { const char *name; int has_arg; int *flag; int val; };
int getopt_long(int, char *const *, const char *, const struct option *, int *);
int getopt_long_only(int, char *const *, const char *, const struct option *, int *);

#header fcntl.h
struct flock { short l_type; short l_whence; off_t l_start; off_t l_len; pid_t l_pid; };
int open(const char *, int, ...);
int creat(const char *, mode_t);
int fcntl(int, int, ...);
int openat(int, const char *, int, ...);
int posix_fallocate(int, off_t, off_t);
int posix_fadvise(int, off_t, off_t, int);
int fallocate(int, int, off_t, off_t);

#header sys/stat.h
struct stat {
  dev_t st_dev; ino_t st_ino; mode_t st_mode; nlink_t st_nlink; uid_t st_uid; gid_t st_gid; dev_t st_rdev; off_t st_size;
  blksize_t st_blksize; blkcnt_t st_blocks; struct timespec st_atim; struct timespec st_mtim; struct timespec st_ctim;
  __gravel_rest rest;
};
int stat(const char *restrict, struct stat *restrict);
int fstat(int, struct stat *);
int lstat(const char *restrict, struct stat *restrict);
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int mkdir(const char *, mode_t);
int mkfifo(const char *, mode_t);
mode_t umask(mode_t);
int mknod(const char *, mode_t, dev_t);
int fstatat(int, const char *restrict, struct stat *restrict, int);
int mkdirat(int, const char *, mode_t);
int utimensat(int, const char *, const struct timespec [2], int);
int futimens(int, const struct timespec [2]);

#header sys/resource.h
#unspecified RLIMIT_CPU RLIMIT_FSIZE RLIMIT_DATA RLIMIT_STACK RLIMIT_CORE RLIMIT_NOFILE __RLIMIT_OFILE RLIMIT_AS
#unspecified RUSAGE_SELF RUSAGE_CHILDREN RUSAGE_THREAD PRIO_PROCESS PRIO_PGRP PRIO_USER
typedef unsigned long rlim_t;
struct rlimit { rlim_t rlim_cur; rlim_t rlim_max; };
struct rusage {
  struct timeval ru_utime; struct timeval ru_stime; long ru_maxrss; long ru_ixrss; long ru_idrss; long ru_isrss;
  long ru_minflt; long ru_majflt; long ru_nswap; long ru_inblock; long ru_oublock; long ru_msgsnd; long ru_msgrcv;
  long ru_nsignals; long ru_nvcsw; long ru_nivcsw;
  __gravel_rest rest;
};
int getrusage(int, struct rusage *);
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getpriority(int, id_t);
int setpriority(int, id_t, int);

#header pthread.h signal.h sys/types.h
#opaque pthread_t pthread_spinlock_t
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef struct { __gravel_rest rest[64]; } pthread_mutex_t;
typedef struct { __gravel_rest rest[64]; } pthread_cond_t;
typedef struct { __gravel_rest rest[64]; } pthread_rwlock_t;
typedef struct { __gravel_rest rest[64]; } pthread_barrier_t;
typedef struct { __gravel_rest rest; } pthread_attr_t;
typedef struct { __gravel_rest rest; } pthread_mutexattr_t;
typedef struct { __gravel_rest rest; } pthread_condattr_t;
typedef struct { __gravel_rest rest; } pthread_rwlockattr_t;
typedef struct { __gravel_rest rest; } pthread_barrierattr_t;
#header signal.h sys/wait.h
typedef void (*sighandler_t)(int);
typedef int sig_atomic_t;
typedef struct { int si_signo; int si_errno; int si_code; __gravel_rest rest; } siginfo_t;
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
union sigval { int sival_int; void *sival_ptr; };
typedef union sigval sigval_t;
struct sigevent { int sigev_notify; int sigev_signo; union sigval sigev_value; __gravel_rest rest; };
struct sigaction {
  union { sighandler_t sa_handler; void (*sa_sigaction)(int, siginfo_t *, void *); } __sigaction_handler;
  sigset_t sa_mask; int sa_flags;
  __gravel_rest rest;
};
extern const sighandler_t SIG_DFL, SIG_IGN, SIG_ERR;
sighandler_t signal(int, sighandler_t);
int raise(int);
int kill(pid_t, int);
int sigaction(int, const struct sigaction *restrict, struct sigaction *restrict);
int sigprocmask(int, const sigset_t *restrict, sigset_t *restrict);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigpending(sigset_t *);
int sigsuspend(const sigset_t *);
int sigwait(const sigset_t *restrict, int *restrict);
int killpg(pid_t, int);
int siginterrupt(int, int);
int sigaltstack(const stack_t *restrict, stack_t *restrict);
int pthread_kill(pthread_t, int);
int pthread_sigmask(int, const sigset_t *restrict, sigset_t *restrict);
int sigqueue(pid_t, int, const union sigval);
int sigwaitinfo(const sigset_t *restrict, siginfo_t *restrict);
int sigtimedwait(const sigset_t *restrict, siginfo_t *restrict, const struct timespec *restrict);
void psignal(int, const char *);

#header sys/wait.h
typedef enum { P_ALL, P_PID, P_PGID, P_PIDFD } idtype_t;
int WIFEXITED(int);
int WEXITSTATUS(int);
int WIFSIGNALED(int);
int WTERMSIG(int);
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
pid_t wait3(int *, int, struct rusage *);
pid_t wait4(pid_t, int *, int, struct rusage *);
int waitid(idtype_t, id_t, siginfo_t *, int);

#header sys/mman.h
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int mprotect(void *, size_t, int);
int msync(void *, size_t, int);
int mlock(const void *, size_t);
int munlock(const void *, size_t);
int madvise(void *, size_t, int);
int mlockall(int);
int munlockall(void);
int shm_open(const char *, int, mode_t);
int shm_unlink(const char *);
void *mremap(void *, size_t, size_t, int, ...);

#header regex.h
#unspecified REG_NOMATCH REG_BADPAT REG_ECOLLATE REG_ECTYPE REG_EESCAPE REG_ESUBREG REG_EBRACK REG_EPAREN REG_EBRACE REG_BADBR
#unspecified REG_ERANGE REG_ESPACE REG_BADRPT REG_ENOSYS REG_NOERROR
#unspecified _REG_NOMATCH _REG_BADPAT _REG_ECOLLATE _REG_ECTYPE _REG_EESCAPE _REG_ESUBREG _REG_EBRACK _REG_EPAREN _REG_EBRACE _REG_BADBR
#unspecified _REG_ERANGE _REG_ESPACE _REG_BADRPT _REG_ENOSYS _REG_NOERROR
#unspecified REG_EXTENDED REG_ICASE REG_NEWLINE REG_NOSUB REG_NOTBOL REG_NOTEOL REG_STARTEND
typedef int regoff_t;
typedef struct { size_t re_nsub; __gravel_rest rest; } regex_t;
typedef struct { regoff_t rm_so; regoff_t rm_eo; } regmatch_t;
int regcomp(regex_t *restrict, const char *restrict, int);
int regexec(const regex_t *restrict, const char *restrict, size_t, regmatch_t *restrict, int);
size_t regerror(int, const regex_t *restrict, char *restrict, size_t);
void regfree(regex_t *);

#header xmmintrin.h emmintrin.h immintrin.h x86intrin.h
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int);

#header sys/utsname.h
struct utsname {
  char sysname[65]; char nodename[65]; char release[65]; char version[65]; char machine[65];
  __gravel_rest rest;
};
int uname(struct utsname *);

#header sys/statvfs.h sys/types.h
typedef unsigned long fsblkcnt_t, fsfilcnt_t;
#header sys/statvfs.h
struct statvfs {
  unsigned long f_bsize; unsigned long f_frsize; fsblkcnt_t f_blocks; fsblkcnt_t f_bfree; fsblkcnt_t f_bavail;
  __gravel_rest rest;
};
int statvfs(const char *restrict, struct statvfs *restrict);
int fstatvfs(int, struct statvfs *);

#header sys/ioctl.h
int ioctl(int, unsigned long, ...);

#header poll.h
typedef unsigned long nfds_t;
struct pollfd { int fd; short events; short revents; };
int poll(struct pollfd *, nfds_t, int);

#header sys/uio.h
struct iovec { void *iov_base; size_t iov_len; };
ssize_t readv(int, const struct iovec *, int);
ssize_t writev(int, const struct iovec *, int);

#header dirent.h
#unspecified DT_UNKNOWN DT_FIFO DT_CHR DT_DIR DT_BLK DT_REG DT_LNK DT_SOCK DT_WHT
typedef struct __dirstream DIR;
struct dirent { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
DIR *opendir(const char *);
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *);
void rewinddir(DIR *);
void seekdir(DIR *, long);
long telldir(DIR *);
int dirfd(DIR *);
int scandir(const char *restrict, struct dirent ***restrict, int (*)(const struct dirent *), int (*)(const struct
  dirent **, const struct dirent **));
int alphasort(const struct dirent **, const struct dirent **);

#header libgen.h
char *dirname(char *);

#header dlfcn.h
void *dlopen(const char *, int);
int dlclose(void *);
void *dlsym(void *restrict, const char *restrict);
char *dlerror(void);

#header sched.h
typedef unsigned long __cpu_mask;
typedef struct { __cpu_mask __bits[16]; } cpu_set_t;
struct sched_param { int sched_priority; __gravel_rest rest; };
int sched_yield(void);
int sched_getcpu(void);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_setscheduler(pid_t, int, const struct sched_param *);

#header pthread.h
#unspecified PTHREAD_CREATE_JOINABLE PTHREAD_CREATE_DETACHED PTHREAD_MUTEX_TIMED_NP PTHREAD_MUTEX_RECURSIVE_NP
#unspecified PTHREAD_MUTEX_ERRORCHECK_NP PTHREAD_MUTEX_ADAPTIVE_NP PTHREAD_MUTEX_NORMAL PTHREAD_MUTEX_RECURSIVE
#unspecified PTHREAD_MUTEX_ERRORCHECK PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_FAST_NP PTHREAD_MUTEX_STALLED
#unspecified PTHREAD_MUTEX_STALLED_NP PTHREAD_MUTEX_ROBUST PTHREAD_MUTEX_ROBUST_NP PTHREAD_PRIO_NONE
#unspecified PTHREAD_PRIO_INHERIT PTHREAD_PRIO_PROTECT PTHREAD_RWLOCK_PREFER_READER_NP PTHREAD_RWLOCK_PREFER_WRITER_NP
#unspecified PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP PTHREAD_RWLOCK_DEFAULT_NP PTHREAD_INHERIT_SCHED
#unspecified PTHREAD_EXPLICIT_SCHED PTHREAD_SCOPE_SYSTEM PTHREAD_SCOPE_PROCESS PTHREAD_PROCESS_PRIVATE
#unspecified PTHREAD_PROCESS_SHARED PTHREAD_CANCEL_ENABLE PTHREAD_CANCEL_DISABLE PTHREAD_CANCEL_DEFERRED
#unspecified PTHREAD_CANCEL_ASYNCHRONOUS
int pthread_create(pthread_t *restrict, const pthread_attr_t *restrict, void *(*)(void *), void *restrict);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
_Noreturn void pthread_exit(void *);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
int pthread_cancel(pthread_t);
void pthread_testcancel(void);
int pthread_setcancelstate(int, int *);
int pthread_setcanceltype(int, int *);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_getdetachstate(const pthread_attr_t *, int *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_attr_getstacksize(const pthread_attr_t *restrict, size_t *restrict);
int pthread_attr_setscope(pthread_attr_t *, int);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_cond_init(pthread_cond_t *restrict, const pthread_condattr_t *restrict);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *restrict, pthread_mutex_t *restrict);
int pthread_cond_timedwait(pthread_cond_t *restrict, pthread_mutex_t *restrict, const struct timespec *restrict);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_condattr_init(pthread_condattr_t *);
int pthread_condattr_destroy(pthread_condattr_t *);
int pthread_rwlock_init(pthread_rwlock_t *restrict, const pthread_rwlockattr_t *restrict);
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_barrier_init(pthread_barrier_t *restrict, const pthread_barrierattr_t *restrict, unsigned int);
int pthread_barrier_destroy(pthread_barrier_t *);
int pthread_barrier_wait(pthread_barrier_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_destroy(pthread_spinlock_t *);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_trylock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_key_delete(pthread_key_t);
void *pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *);
int pthread_setaffinity_np(pthread_t, size_t, const cpu_set_t *);
int pthread_getaffinity_np(pthread_t, size_t, cpu_set_t *);

#header semaphore.h
typedef struct { __gravel_rest rest; } sem_t;
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *restrict, const struct timespec *restrict);
int sem_post(sem_t *);
int sem_getvalue(sem_t *restrict, int *restrict);
