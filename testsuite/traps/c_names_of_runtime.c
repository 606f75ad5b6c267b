/* A function and a macro of the program have names of the emitted code. */
/* expect: kept name-taken */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };
#define gravel_step1 4

static int gravel_tile(int count)
{
    return 2 * count;
}

static double sbuf[N], rbuf[N], inner[N];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    inner[0] = gravel_tile(3) + gravel_step1;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    for (i = 1; i < N; i++)
        inner[i] = 0.25 * i;

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
