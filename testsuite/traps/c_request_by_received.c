/* Which element of the array takes the request is read where the same call receives. */
/* expect: kept unrepeatable-arguments */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static int numbers[N];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    double *sbuf, *rbuf, *inner;
    MPI_Request rq[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    sbuf = malloc(N * sizeof *sbuf);
    rbuf = malloc(N * sizeof *rbuf);
    inner = malloc(N * sizeof *inner);
    for (i = 0; i < N; i++)
        inner[i] = rbuf[i] = 0.0;
    int *first = numbers, *which = numbers;
    first[0] = 1;
    MPI_Irecv(which, N, MPI_INT, prev, 1, MPI_COMM_WORLD, &rq[first[0]]); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = i;
    {
        static int out[N];
        for (i = 0; i < N; i++)
            out[i] = i % 3 + rank;
        MPI_Send(out, N, MPI_INT, next, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&rq[1], MPI_STATUS_IGNORE);
    sum += first[5];

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    free(sbuf);
    free(rbuf);
    free(inner);
    MPI_Finalize();
    return 0;
}
