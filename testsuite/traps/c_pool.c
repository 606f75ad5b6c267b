/* An allocator gives the same memory again and again. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static double *pool;

static double *from_pool(int offset)
{
    if (pool == NULL)
        pool = malloc(2 * N * sizeof *pool);
    return pool + offset;
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    double *sent, *got, *inner;
    double *again;
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    inner = malloc(N * sizeof *inner);
    sent = from_pool(0);
    got = from_pool(N);
    for (i = 0; i < N; i++)
        got[i] = sent[i] = inner[i] = rank + 0.5 * i;
    for (step = 0; step < 4; step++) {
        again = from_pool(N);
        again[2] += 1.0;
        sum += again[2];
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        from_pool(0)[4] = 1.5;
        sum += from_pool(N)[9];
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
