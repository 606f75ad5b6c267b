/* A wait for two receives is split: each has its own status, and both are read. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], left[N], right[N], inner[N];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, one, two;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Status statuses[2];
    MPI_Request requests[3];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    MPI_Irecv(left, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &requests[1]); /* trapped */
    MPI_Irecv(right, N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[2]); /* trapped */
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    MPI_Send(sbuf, N / 2, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD); /* trapped */
    MPI_Waitall(2, &requests[1], statuses); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    for (i = 0; i < N; i++)
        sum += left[i] * inner[i];
    for (i = 0; i < N; i++)
        inner[i] = 0.5 * inner[i];
    for (i = 0; i < N; i++)
        sum += right[i] * inner[i];
    MPI_Get_count(&statuses[0], MPI_DOUBLE, &one);
    MPI_Get_count(&statuses[1], MPI_DOUBLE, &two);
    sum += one + 2.0 * two + statuses[0].MPI_TAG + 10.0 * statuses[1].MPI_TAG;
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
