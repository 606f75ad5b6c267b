/* A macro sets the variable of a loop that is split: its first part begins with whatever the variable was. */
/* expect: handled */
/* ranks: 2 3 */
/* tiles: unset 1 37 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
static double sbuf[N], rbuf[N], inner[N];
static double line[N + 1];
#define LET(a, b) a = b

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, n = N - 1 + argc;
    double sum = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    i = 0;
    for (int step = 0; step < 3; step++) {
        MPI_Request rq[2];
        MPI_Irecv(&line[0], 1, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &rq[0]); /* trapped */
        MPI_Irecv(&line[N - 1], 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &rq[1]); /* trapped */
        MPI_Send(&line[1], 1, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD); /* trapped */
        MPI_Send(&line[N - 2], 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
        MPI_Waitall(2, rq, MPI_STATUSES_IGNORE); /* trapped */
        for (LET(i, 1); i < N - 1; i++)
            inner[i] = 0.5 * (line[i - 1] + line[i + 1]);
        for (i = 1; i < N - 1; i++)
            line[i] = inner[i] + rank + i % 3;
        i = 0;
    }
    for (i = 0; i < N; i++)
        sum += inner[i] * (i % 13 + 1);
    {
        double sums[16];
        MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (i = 0; rank == 0 && i < ranks; i++)
            printf("%.17g\n", sums[i]);
    }
    MPI_Finalize();
    return 0;
}
