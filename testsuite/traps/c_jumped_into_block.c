/* Control comes into a branch, or into a loop, by a jump from outside: a receive does not leave that way. */
/* expect: without hoist-receive */
#include <mpi.h>
#include <math.h>
#include <stdio.h>

enum { N = 20000, MAX_RANKS = 16 };
static double sbuf[N], rbuf[N], more[N];

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
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    if (ranks > 0)
        goto inside;
    for (i = 0; i < N; i++)
        sum += sqrt((double)i);
    if (0) {
        sum += 1.0;
    inside:
        sum += 2.0;
    }
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        sum += rbuf[i];

    i = 0;
    if (ranks > 0)
        goto loop;
    for (i = 0; i < N; i++)
        sum += sqrt((double)i);
    while (i < 3) {
        sum += 4.0;
    loop:
        i += 2;
    }
    MPI_Irecv(more, N, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD, &request); /* trapped */
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        sum += more[i];

    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
