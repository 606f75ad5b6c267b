/* A macro ends MPI and the program, on the first rank: MPI_Finalize ends the runtime there, and gravel_finalize on the others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define QUIT(code) { MPI_Finalize(); exit(code); }

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request receive;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MAX_RANKS)
        QUIT(1)
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receive);
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    MPI_Wait(&receive, MPI_STATUS_IGNORE);

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    if (rank == 0)
        QUIT(0)
    MPI_Finalize();
    return 0;
}
