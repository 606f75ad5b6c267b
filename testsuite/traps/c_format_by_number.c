/* Output that stores a number in what is sent: its format says by its place which argument that is. */
/* expect: without sink-wait */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };
static int counts[N];

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
    MPI_Irecv(rbuf, N, MPI_INT, prev, 1, MPI_COMM_WORLD, &request);
    for (i = 0; i < N; i++)
        counts[i] = rank + i % 9;
    MPI_Send(counts, N, MPI_INT, next, 1, MPI_COMM_WORLD); /* trapped */
    if (rank == 0)
        printf("%1$d%2$n\n", 1234, &counts[N - 1]);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        sum += ((int *)rbuf)[i] + counts[i];
    for (i = 0; i < N; i++)
        rbuf[i] = 0.0;

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
