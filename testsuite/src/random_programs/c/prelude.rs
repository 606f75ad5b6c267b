//! What all programs of a file in C share: headers, macros, functions.

/// In front of the programs.
pub(super) const PRELUDE: &str = r#"#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define CHECK(call) \
    do { \
        int code = (call); \
        if (code != MPI_SUCCESS) { \
            fprintf(stderr, "line %d: code %d\n", __LINE__, code); \
            MPI_Abort(MPI_COMM_WORLD, code); \
        } \
    } while (0)
#define SEND(buffer, count, to, tag) MPI_Send(buffer, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD)
#define POST(buffer, count, from, tag, request) \
    MPI_Irecv((buffer), (count), MPI_DOUBLE, (from), (tag), MPI_COMM_WORLD, (request))
#define AWAIT(request) \
    do { \
        MPI_Wait((request), MPI_STATUS_IGNORE); \
    } while (0)
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline void *fresh(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "there is no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static inline double **table(int rows, int columns)
{
    double **rows_of = fresh((size_t)rows * sizeof *rows_of);
    rows_of[0] = fresh((size_t)rows * (size_t)columns * sizeof **rows_of);
    for (int row = 1; row < rows; row++)
        rows_of[row] = rows_of[row - 1] + columns;
    return rows_of;
}

static unsigned long long bits(double number)
{
    unsigned long long word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static inline void note(int program, double number)
{
    printf("program %d note %016llX\n", program, bits(number));
    fflush(stdout);
}

static void collect(int program, const double *results, int rank, int ranks)
{
    double all[16][8];
    MPI_Gather(results, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int other = 0; other < ranks; other++) {
            printf("program %d rank %d", program, other);
            for (int i = 0; i < 8; i++)
                printf(" %016llX", bits(all[other][i]));
            printf("\n");
        }
        fflush(stdout);
    }
}

"#;
