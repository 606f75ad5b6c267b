/* Beside brackets and an ampersand the macros of requests are more than they look like: `*RQ[0]` is `*q + p[0]`. */
/* expect: handled */
/* ranks: 2 3 */
/* tiles: unset 1 37 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
static double sbuf[N], rbuf[N], inner[N];
static double b[N], c[N];
#define RQ q + p
#define FIRST rq[0] + 2

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
    MPI_Request rq[3], *p[1] = { rq };
    int q = 1;
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, RQ[0]); /* trapped */
    MPI_Irecv(b, N, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD, rq); /* trapped */
    MPI_Irecv(c, N, MPI_DOUBLE, prev, 3, MPI_COMM_WORLD, &FIRST); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = rank + 0.5 * i;
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 3, MPI_COMM_WORLD); /* trapped */
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD); /* trapped */
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    MPI_Wait(RQ[0], MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] += rbuf[i];
    MPI_Wait(rq, MPI_STATUS_IGNORE); /* trapped */
    MPI_Wait(&FIRST, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] += b[i];
    for (i = 0; i < N; i++)
        inner[i] += c[i];
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
