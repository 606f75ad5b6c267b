/* How long a Fortran program is in calls of MPI that may block.

   Preloaded into a program (LD_PRELOAD), these calls come before those of the MPI library, measure and hand on, as MPI's
   profiling interface provides for (MPI 4.0, section 15.2); but the next definition is found by the dynamic linker and not
   by its PMPI name, for the Fortran calls of Open MPI pass by the PMPI calls of C. Each call has up to three names: that of
   mpif.h and the module mpi, that of mpi_f08, and that of mpi_f08 with buffers passed by descriptor. All arguments are
   addresses.

   At MPI_Finalize every rank writes a file with four numbers into the folder that TESTSUITE_TIMES_FOLDER names: the seconds
   since MPI_Init, and those of them that were spent in blocking calls; and the same between the first two calls of MPI_Wtime,
   which is what a kernel times. Only the thread that called MPI_Init may call MPI.

   Gravel calls nothing of this while it waits (it probes and tests), so that its own waits are not counted here. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int calls_of_wtime, depth;
static double program_began, seconds_in_calls;
/* The part that the program times: first when it began and what had been before, then how long it was. */
static double timed_seconds, timed_seconds_in_calls;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *next_definition(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (next == NULL) {
        fprintf(stderr, "time_in_mpi: no library defines %s\n", name);
        abort();
    }
    return next;
}

static double enter(void)
{
    return depth++ == 0 ? now() : 0.0;
}

static void leave(double start)
{
    if (--depth == 0)
        seconds_in_calls += now() - start;
}

static void write_times(void)
{
    const char *folder = getenv("TESTSUITE_TIMES_FOLDER");
    double seconds = now() - program_began;
    char path[4096];
    int file = -1;
    if (folder != NULL && snprintf(path, sizeof path, "%s/XXXXXX", folder) < (int)sizeof path)
        file = mkstemp(path);
    if (file < 0
        || dprintf(file, "%.9f %.9f %.9f %.9f\n", seconds, seconds_in_calls, timed_seconds, timed_seconds_in_calls) < 0
        || close(file) != 0) {
        fprintf(stderr, "time_in_mpi: cannot write into the folder %s\n", folder != NULL ? folder : "(none given)");
        abort();
    }
}

static void timed(void)
{
    calls_of_wtime++;
    if (calls_of_wtime <= 2) {
        timed_seconds = now() - timed_seconds;
        timed_seconds_in_calls = seconds_in_calls - timed_seconds_in_calls;
    }
}

/* MPI_Init ends what is before, and MPI_Finalize begins what is behind the part that is measured. */
#define INIT(name)                                                      \
    void name(void *error);                                             \
    void name(void *error)                                              \
    {                                                                   \
        void (*next)(void *);                                           \
        *(void **)&next = next_definition(#name);                       \
        next(error);                                                    \
        program_began = now();                                          \
    }

#define FINALIZE(name)                                                  \
    void name(void *error);                                             \
    void name(void *error)                                              \
    {                                                                   \
        void (*next)(void *);                                           \
        *(void **)&next = next_definition(#name);                       \
        write_times();                                                  \
        next(error);                                                    \
    }

INIT(mpi_init_)
INIT(mpi_init_f08_)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize_f08_)

/* One of the names of MPI_Wtime may call another one. */
#define WTIME(name)                                                     \
    double name(void);                                                  \
    double name(void)                                                   \
    {                                                                   \
        static double (*next)(void);                                    \
        if (next == NULL)                                               \
            *(void **)&next = next_definition(#name);                   \
        depth++;                                                        \
        double seconds = next();                                        \
        depth--;                                                        \
        if (depth == 0)                                                 \
            timed();                                                    \
        return seconds;                                                 \
    }

WTIME(MPI_Wtime)
WTIME(mpi_wtime_)
WTIME(mpi_wtime_f08_)

#define DEFINE(name, parameters, arguments)                             \
    void name parameters;                                               \
    void name parameters                                                \
    {                                                                   \
        static void (*next) parameters;                                 \
        if (next == NULL)                                               \
            *(void **)&next = next_definition(#name);                   \
        double start = enter();                                         \
        next arguments;                                                 \
        leave(start);                                                   \
    }

#define CALL(name, count)                                               \
    DEFINE(name##_, PARAMETERS_##count, ARGUMENTS_##count)              \
    DEFINE(name##_f08_, PARAMETERS_##count, ARGUMENTS_##count)          \
    DEFINE(name##_f08ts_, PARAMETERS_##count, ARGUMENTS_##count)

#define PARAMETERS_2 (void *a, void *b)
#define PARAMETERS_3 (void *a, void *b, void *c)
#define PARAMETERS_4 (void *a, void *b, void *c, void *d)
#define PARAMETERS_5 (void *a, void *b, void *c, void *d, void *e)
#define PARAMETERS_6 (void *a, void *b, void *c, void *d, void *e, void *f)
#define PARAMETERS_7 (void *a, void *b, void *c, void *d, void *e, void *f, void *g)
#define PARAMETERS_8 (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h)
#define PARAMETERS_9 (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i)
#define PARAMETERS_10 (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j)
#define PARAMETERS_13                                                                                          \
    (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j, void *k, void *l, \
     void *m)
#define ARGUMENTS_2 (a, b)
#define ARGUMENTS_3 (a, b, c)
#define ARGUMENTS_4 (a, b, c, d)
#define ARGUMENTS_5 (a, b, c, d, e)
#define ARGUMENTS_6 (a, b, c, d, e, f)
#define ARGUMENTS_7 (a, b, c, d, e, f, g)
#define ARGUMENTS_8 (a, b, c, d, e, f, g, h)
#define ARGUMENTS_9 (a, b, c, d, e, f, g, h, i)
#define ARGUMENTS_10 (a, b, c, d, e, f, g, h, i, j)
#define ARGUMENTS_13 (a, b, c, d, e, f, g, h, i, j, k, l, m)

CALL(mpi_send, 7)
CALL(mpi_ssend, 7)
CALL(mpi_rsend, 7)
CALL(mpi_bsend, 7)
CALL(mpi_recv, 8)
CALL(mpi_mrecv, 6)
CALL(mpi_sendrecv, 13)
CALL(mpi_sendrecv_replace, 10)
CALL(mpi_probe, 5)
CALL(mpi_mprobe, 6)
CALL(mpi_wait, 3)
CALL(mpi_waitall, 4)
CALL(mpi_waitany, 5)
CALL(mpi_waitsome, 6)
CALL(mpi_barrier, 2)
CALL(mpi_bcast, 6)
CALL(mpi_reduce, 8)
CALL(mpi_allreduce, 7)
CALL(mpi_reduce_scatter, 7)
CALL(mpi_reduce_scatter_block, 7)
CALL(mpi_scan, 7)
CALL(mpi_exscan, 7)
CALL(mpi_gather, 9)
CALL(mpi_gatherv, 10)
CALL(mpi_scatter, 9)
CALL(mpi_scatterv, 10)
CALL(mpi_allgather, 8)
CALL(mpi_allgatherv, 9)
CALL(mpi_alltoall, 8)
CALL(mpi_alltoallv, 10)
CALL(mpi_alltoallw, 10)
