/* Requests are sorted while their messages are on the way: which element is which is not known then. */
/* expect: handled */
/* ranks: 1 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, MAX_RANKS = 16 };

static double sent[2][N], got[2][N];

static int by_bytes(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(MPI_Request));
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request receiving[2], sending[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (step = 0; step < 4; step++) {
        for (i = 0; i < N; i++) {
            sent[0][i] = (rank + 1) * (double)(i % 9) + step;
            sent[1][i] = sent[0][i] + 0.5;
        }
        MPI_Irecv(got[1], N, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD, &receiving[0]); /* trapped */
        MPI_Irecv(got[0], N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving[1]); /* trapped */
        MPI_Isend(sent[0], N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending[0]);  /* trapped */
        MPI_Isend(sent[1], N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &sending[1]);  /* trapped */
        qsort(receiving, 2, sizeof *receiving, by_bytes);
        MPI_Wait(&receiving[0], MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&receiving[1], MPI_STATUS_IGNORE); /* trapped */
        for (i = 0; i < N; i++)
            sum += 0.5 * got[0][i];
        for (i = 0; i < N; i++)
            sum += 0.25 * got[1][i] * (i % 3);
        MPI_Waitall(2, sending, MPI_STATUSES_IGNORE); /* trapped */
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
