/* A tag is pasted of __COUNTER__, of which no token is left: the call moves in front of a loop that counts, too. */
/* expect: kept name-taken */
/* ranks: 2 3 */
/* tiles: unset 1 37 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
#define PASTED(a, b) a##b
#define PASTE(a, b) PASTED(a, b)
#define COUNTED PASTE(1, __COUNTER__)
static double sbuf[N], rbuf[N], inner[N];

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
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, COUNTED, MPI_COMM_WORLD, &request); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = i + COUNTED;
    MPI_Send(sbuf, N, MPI_DOUBLE, next, COUNTED - 2, MPI_COMM_WORLD); /* trapped */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] += rbuf[i];
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
