/* A function of the library calls back, and that writes to the buffers. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static double *seen[2];

static int by_first(const void *one, const void *other)
{
    double *const *a = one, *const *b = other;
    (*a)[3] += 1.0;
    return (**a > **b) - (**a < **b);
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    double *sent, *got, *inner;
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    inner = malloc(N * sizeof *inner);
    sent = malloc(N * sizeof *sent);
    got = malloc(N * sizeof *got);
    seen[0] = sent;
    seen[1] = got;
    for (i = 0; i < N; i++)
        got[i] = sent[i] = inner[i] = rank + 0.5 * i;
    for (step = 0; step < 4; step++) {
        qsort(seen, 2, sizeof *seen, by_first);
        sum += got[3];
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        qsort(seen, 2, sizeof *seen, by_first);
        for (i = 0; i < N; i++)
            inner[i] = 0.25 * inner[i] + i;
        for (i = 0; i < N; i++)
            sum += 0.5 * got[i] + sent[i] + inner[i];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
