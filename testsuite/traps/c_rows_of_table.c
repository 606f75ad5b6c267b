/* Rows of a table are pieces of one array, and a row is used by the array. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static double **table(int rows, int columns)
{
    double **t = malloc((size_t)rows * sizeof *t);
    int i;
    t[0] = malloc((size_t)(rows * columns) * sizeof **t);
    for (i = 1; i < rows; i++)
        t[i] = t[i - 1] + columns;
    return t;
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    double *sent, *got, *inner;
    double **t;
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    inner = malloc(N * sizeof *inner);
    t = table(3, N);
    sent = t[0];
    got = t[2];
    for (i = 0; i < N; i++)
        got[i] = sent[i] = inner[i] = rank + 0.5 * i;
    for (step = 0; step < 4; step++) {
        t[1][N + 5] += 1.0;
        sum += t[0][2 * N + 5];
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        t[0][3] = 2.0;
        sum += t[1][N + 6];
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
