// What the headers of the C library declare (C11, with what glibc and POSIX add to them). The format is that of `mod.rs`.

#header *
#opaque __gravel_rest
#define NULL __gravel_null
#define offsetof __builtin_offsetof
#define va_start __builtin_va_start
#define va_arg __builtin_va_arg
#define va_end __builtin_va_end
#define va_copy __builtin_va_copy
typedef __builtin_va_list va_list;
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ptrdiff_t;
typedef __typeof__(L'x') wchar_t;
typedef unsigned int wint_t;
typedef struct { long long one __attribute__((aligned(8))); long double other __attribute__((aligned(16))); } max_align_t;
typedef long ssize_t, off_t, time_t, clock_t, suseconds_t;
typedef int clockid_t, pid_t;
// Macros of the GNU C library use these.
typedef long __clock_t, __fd_mask;
typedef unsigned int mode_t, uid_t, gid_t, id_t, useconds_t;
typedef unsigned long dev_t, ino_t;
typedef void *timer_t;
typedef struct { __gravel_rest rest[32]; } sigset_t;
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timespec { time_t tv_sec; long tv_nsec; };

#header stdint.h inttypes.h sys/types.h unistd.h gravel.h
typedef signed char int8_t, int_least8_t, int_fast8_t;
typedef short int16_t, int_least16_t;
typedef int int32_t, int_least32_t;
typedef long int64_t, int_least64_t, int_fast16_t, int_fast32_t, int_fast64_t, intptr_t, intmax_t;
typedef unsigned char uint8_t, uint_least8_t, uint_fast8_t;
typedef unsigned short uint16_t, uint_least16_t;
typedef unsigned int uint32_t, uint_least32_t;
typedef unsigned long uint64_t, uint_least64_t, uint_fast16_t, uint_fast32_t, uint_fast64_t, uintptr_t, uintmax_t;

#header inttypes.h
typedef struct { long quot; long rem; } imaxdiv_t;
intmax_t imaxabs(intmax_t);
imaxdiv_t imaxdiv(intmax_t, intmax_t);
intmax_t strtoimax(const char *restrict, char **restrict, int);
uintmax_t strtoumax(const char *restrict, char **restrict, int);

// They define macros alone.
#header float.h iso646.h limits.h stdalign.h stdarg.h stdbool.h stddef.h stdnoreturn.h

#header assert.h
// Its argument may be a pointer as well as a number.
void assert();

#header errno.h
extern int errno;

#header ctype.h
int isalnum(int);
int isalpha(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
int isascii(int);
int toascii(int);

#header locale.h
struct lconv { char *decimal_point; char *thousands_sep; __gravel_rest rest; };
char *setlocale(int, const char *);
struct lconv *localeconv(void);

#header setjmp.h
struct __jmp_buf_tag { __gravel_rest rest; };
typedef struct __jmp_buf_tag jmp_buf[1];
typedef struct __jmp_buf_tag sigjmp_buf[1];
int sigsetjmp(sigjmp_buf, int) __attribute__((returns_twice));
int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);
int _setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void _longjmp(jmp_buf, int);
_Noreturn void siglongjmp(sigjmp_buf, int);

#header stdio.h wchar.h
typedef struct _IO_FILE FILE;

#header stdio.h
enum { EOF = -1 };
typedef struct { __gravel_rest rest; } fpos_t;
extern FILE *stdin, *stdout, *stderr;
FILE *fopen(const char *restrict, const char *restrict);
FILE *freopen(const char *restrict, const char *restrict, FILE *restrict);
int fclose(FILE *);
int fflush(FILE *);
size_t fread(void *restrict, size_t, size_t, FILE *restrict);
size_t fwrite(const void *restrict, size_t, size_t, FILE *restrict);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int fgetpos(FILE *restrict, fpos_t *restrict);
int fsetpos(FILE *, const fpos_t *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int fprintf(FILE *restrict, const char *restrict, ...);
int printf(const char *restrict, ...);
int sprintf(char *restrict, const char *restrict, ...);
int snprintf(char *restrict, size_t, const char *restrict, ...);
int vfprintf(FILE *restrict, const char *restrict, va_list);
int vprintf(const char *restrict, va_list);
int vsprintf(char *restrict, const char *restrict, va_list);
int vsnprintf(char *restrict, size_t, const char *restrict, va_list);
int fscanf(FILE *restrict, const char *restrict, ...);
int scanf(const char *restrict, ...);
int sscanf(const char *restrict, const char *restrict, ...);
int vfscanf(FILE *restrict, const char *restrict, va_list);
int vscanf(const char *restrict, va_list);
int vsscanf(const char *restrict, const char *restrict, va_list);
int fgetc(FILE *);
int getc(FILE *);
int getchar(void);
int ungetc(int, FILE *);
int fputc(int, FILE *);
int putc(int, FILE *);
int putchar(int);
char *fgets(char *restrict, int, FILE *restrict);
int fputs(const char *restrict, FILE *restrict);
int puts(const char *);
void perror(const char *);
int remove(const char *);
int rename(const char *, const char *);
FILE *tmpfile(void);
char *tmpnam(char *);
int setvbuf(FILE *restrict, char *restrict, int, size_t);
void setbuf(FILE *restrict, char *restrict);
int fileno(FILE *);
FILE *fdopen(int, const char *);
FILE *popen(const char *, const char *);
int pclose(FILE *);
ssize_t getline(char **restrict, size_t *restrict, FILE *restrict);
ssize_t getdelim(char **restrict, size_t *restrict, int, FILE *restrict);
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
void flockfile(FILE *);
void funlockfile(FILE *);
FILE *fmemopen(void *, size_t, const char *);
FILE *open_memstream(char **, size_t *);
int dprintf(int, const char *restrict, ...);
int vdprintf(int, const char *restrict, va_list);
int asprintf(char **restrict, const char *restrict, ...);
int vasprintf(char **restrict, const char *restrict, va_list);
void setlinebuf(FILE *);
void setbuffer(FILE *restrict, char *restrict, size_t);
char *tempnam(const char *, const char *);
int putw(int, FILE *);
int getw(FILE *);
int renameat(int, const char *, int, const char *);
char *ctermid(char *);

#header stdlib.h
typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;
typedef struct { long long quot; long long rem; } lldiv_t;
extern const size_t MB_CUR_MAX;
void *malloc(size_t) __attribute__((malloc));
void *calloc(size_t, size_t) __attribute__((malloc));
void *realloc(void *, size_t) __attribute__((malloc));
void free(void *);
_Noreturn void abort(void);
_Noreturn void exit(int);
_Noreturn void _Exit(int);
_Noreturn void quick_exit(int);
int atexit(void (*)(void));
int at_quick_exit(void (*)(void));
int on_exit(void (*)(int, void *), void *);
double atof(const char *);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double strtod(const char *restrict, char **restrict);
float strtof(const char *restrict, char **restrict);
long double strtold(const char *restrict, char **restrict);
long strtol(const char *restrict, char **restrict, int);
unsigned long strtoul(const char *restrict, char **restrict, int);
long long strtoll(const char *restrict, char **restrict, int);
unsigned long long strtoull(const char *restrict, char **restrict, int);
int rand(void);
void srand(unsigned int);
int rand_r(unsigned int *);
long random(void);
void srandom(unsigned int);
char *initstate(unsigned int, char *, size_t);
char *setstate(char *);
double drand48(void);
double erand48(unsigned short [3]);
long lrand48(void);
long nrand48(unsigned short [3]);
long mrand48(void);
long jrand48(unsigned short [3]);
void srand48(long);
unsigned short *seed48(unsigned short [3]);
void lcong48(unsigned short [7]);
char *getenv(const char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
int putenv(char *);
int clearenv(void);
int system(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);
int mblen(const char *, size_t);
int mbtowc(wchar_t *restrict, const char *restrict, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *restrict, const char *restrict, size_t);
size_t wcstombs(char *restrict, const wchar_t *restrict, size_t);
int posix_memalign(void **, size_t, size_t);
void *aligned_alloc(size_t, size_t) __attribute__((malloc));
void *valloc(size_t) __attribute__((malloc));
int mkstemp(char *);
int mkstemps(char *, int);
char *mkdtemp(char *);
char *mktemp(char *);
char *realpath(const char *restrict, char *restrict);
int getloadavg(double [], int);
void *reallocarray(void *, size_t, size_t) __attribute__((malloc));
int grantpt(int);
int unlockpt(int);
char *ptsname(int);
int getsubopt(char **restrict, char *const *restrict, char **restrict);
char *secure_getenv(const char *);
long a64l(const char *);
char *l64a(long);
char *ecvt(double, int, int *restrict, int *restrict);
char *fcvt(double, int, int *restrict, int *restrict);
char *gcvt(double, int, char *);

#header alloca.h stdlib.h
void *alloca(size_t);

#header malloc.h
void *memalign(size_t, size_t) __attribute__((malloc));
void *valloc(size_t) __attribute__((malloc));
size_t malloc_usable_size(void *);
int malloc_trim(size_t);
int mallopt(int, int);

#header string.h
void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memrchr(const void *, int, size_t);
void *memmem(const void *, size_t, const void *, size_t);
void *mempcpy(void *restrict, const void *restrict, size_t);
char *strcpy(char *restrict, const char *restrict);
char *strncpy(char *restrict, const char *restrict, size_t);
char *strcat(char *restrict, const char *restrict);
char *strncat(char *restrict, const char *restrict, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
size_t strxfrm(char *restrict, const char *restrict, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strchrnul(const char *, int);
char *strstr(const char *, const char *);
char *strcasestr(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strtok(char *restrict, const char *restrict);
char *strtok_r(char *restrict, const char *restrict, char **restrict);
char *strsep(char **restrict, const char *restrict);
char *strerror(int);
char *strerror_r(int, char *, size_t);
char *strdup(const char *) __attribute__((malloc));
char *strndup(const char *, size_t) __attribute__((malloc));
char *stpcpy(char *restrict, const char *restrict);
char *stpncpy(char *restrict, const char *restrict, size_t);
char *strsignal(int);
void *memccpy(void *restrict, const void *restrict, int, size_t);
char *basename(const char *);
int strverscmp(const char *, const char *);
void explicit_bzero(void *, size_t);

#header strings.h string.h
void bcopy(const void *, void *, size_t);
void bzero(void *, size_t);
int bcmp(const void *, const void *, size_t);
char *index(const char *, int);
char *rindex(const char *, int);
int ffs(int);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);

#header time.h
struct tm {
  int tm_sec; int tm_min; int tm_hour; int tm_mday; int tm_mon; int tm_year; int tm_wday; int tm_yday; int tm_isdst;
  __gravel_rest rest;
};
struct itimerspec { struct timespec it_interval; struct timespec it_value; };
struct sigevent;
extern long timezone;
extern int daylight;
extern char *tzname[2];
time_t time(time_t *);
clock_t clock(void);
double difftime(time_t, time_t);
time_t mktime(struct tm *);
char *asctime(const struct tm *);
char *ctime(const time_t *);
struct tm *gmtime(const time_t *);
struct tm *localtime(const time_t *);
size_t strftime(char *restrict, size_t, const char *restrict, const struct tm *restrict);
char *strptime(const char *restrict, const char *restrict, struct tm *);
int clock_gettime(clockid_t, struct timespec *);
int clock_getres(clockid_t, struct timespec *);
int clock_settime(clockid_t, const struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
int clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);
char *asctime_r(const struct tm *restrict, char *restrict);
char *ctime_r(const time_t *restrict, char *restrict);
struct tm *gmtime_r(const time_t *restrict, struct tm *restrict);
struct tm *localtime_r(const time_t *restrict, struct tm *restrict);
void tzset(void);
time_t timegm(struct tm *);
int timespec_get(struct timespec *, int);
int timer_create(clockid_t, struct sigevent *restrict, timer_t *restrict);
int timer_delete(timer_t);
int timer_settime(timer_t, int, const struct itimerspec *restrict, struct itimerspec *restrict);
int timer_gettime(timer_t, struct itimerspec *);

#header wchar.h
typedef struct { __gravel_rest rest; } mbstate_t;
size_t wcslen(const wchar_t *);
wchar_t *wcscpy(wchar_t *restrict, const wchar_t *restrict);
wchar_t *wcsncpy(wchar_t *restrict, const wchar_t *restrict, size_t);
wchar_t *wcscat(wchar_t *restrict, const wchar_t *restrict);
wchar_t *wcsncat(wchar_t *restrict, const wchar_t *restrict, size_t);
int wcscmp(const wchar_t *, const wchar_t *);
int wcsncmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wcschr(const wchar_t *, wchar_t);
wchar_t *wcsrchr(const wchar_t *, wchar_t);
wchar_t *wcsstr(const wchar_t *, const wchar_t *);
wchar_t *wcstok(wchar_t *restrict, const wchar_t *restrict, wchar_t **restrict);
wchar_t *wmemcpy(wchar_t *restrict, const wchar_t *restrict, size_t);
wchar_t *wmemmove(wchar_t *, const wchar_t *, size_t);
wchar_t *wmemset(wchar_t *, wchar_t, size_t);
int wmemcmp(const wchar_t *, const wchar_t *, size_t);
wchar_t *wmemchr(const wchar_t *, wchar_t, size_t);
size_t mbrtowc(wchar_t *restrict, const char *restrict, size_t, mbstate_t *restrict);
size_t wcrtomb(char *restrict, wchar_t, mbstate_t *restrict);
size_t mbsrtowcs(wchar_t *restrict, const char **restrict, size_t, mbstate_t *restrict);
size_t wcsrtombs(char *restrict, const wchar_t **restrict, size_t, mbstate_t *restrict);
size_t mbrlen(const char *restrict, size_t, mbstate_t *restrict);
int mbsinit(const mbstate_t *);
wint_t btowc(int);
int wctob(wint_t);
wint_t fgetwc(FILE *);
wint_t fputwc(wchar_t, FILE *);
wchar_t *fgetws(wchar_t *restrict, int, FILE *restrict);
int fputws(const wchar_t *restrict, FILE *restrict);
wint_t getwc(FILE *);
wint_t putwc(wchar_t, FILE *);
wint_t getwchar(void);
wint_t putwchar(wchar_t);
wint_t ungetwc(wint_t, FILE *);
int wprintf(const wchar_t *restrict, ...);
int fwprintf(FILE *restrict, const wchar_t *restrict, ...);
int swprintf(wchar_t *restrict, size_t, const wchar_t *restrict, ...);
int vwprintf(const wchar_t *restrict, va_list);
int vfwprintf(FILE *restrict, const wchar_t *restrict, va_list);
int vswprintf(wchar_t *restrict, size_t, const wchar_t *restrict, va_list);
int wscanf(const wchar_t *restrict, ...);
int fwscanf(FILE *restrict, const wchar_t *restrict, ...);
int swscanf(const wchar_t *restrict, const wchar_t *restrict, ...);
double wcstod(const wchar_t *restrict, wchar_t **restrict);
float wcstof(const wchar_t *restrict, wchar_t **restrict);
long double wcstold(const wchar_t *restrict, wchar_t **restrict);
long wcstol(const wchar_t *restrict, wchar_t **restrict, int);
unsigned long wcstoul(const wchar_t *restrict, wchar_t **restrict, int);
long long wcstoll(const wchar_t *restrict, wchar_t **restrict, int);
unsigned long long wcstoull(const wchar_t *restrict, wchar_t **restrict, int);
size_t wcsftime(wchar_t *restrict, size_t, const wchar_t *restrict, const struct tm *restrict);
int fwide(FILE *, int);

#header wctype.h
typedef unsigned long wctype_t;
typedef const int *wctrans_t;
int iswalnum(wint_t);
int iswalpha(wint_t);
int iswcntrl(wint_t);
int iswdigit(wint_t);
int iswgraph(wint_t);
int iswlower(wint_t);
int iswprint(wint_t);
int iswpunct(wint_t);
int iswspace(wint_t);
int iswupper(wint_t);
int iswxdigit(wint_t);
wint_t towlower(wint_t);
wint_t towupper(wint_t);
wctype_t wctype(const char *);
int iswctype(wint_t, wctype_t);
wctrans_t wctrans(const char *);
wint_t towctrans(wint_t, wctrans_t);

#header fenv.h
#unspecified FE_INVALID FE_DIVBYZERO FE_OVERFLOW FE_UNDERFLOW FE_INEXACT FE_TONEAREST FE_DOWNWARD FE_UPWARD
#unspecified FE_TOWARDZERO
#opaque fexcept_t
typedef struct { __gravel_rest rest; } fenv_t;
int feclearexcept(int);
int fegetexceptflag(fexcept_t *, int);
int feraiseexcept(int);
int fesetexceptflag(const fexcept_t *, int);
int fetestexcept(int);
int fegetround(void);
int fesetround(int);
int fegetenv(fenv_t *);
int feholdexcept(fenv_t *);
int fesetenv(const fenv_t *);
int feupdateenv(const fenv_t *);
int feenableexcept(int);
int fedisableexcept(int);
int fegetexcept(void);
