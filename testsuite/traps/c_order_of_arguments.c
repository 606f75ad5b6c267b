/* Macros make statements of their arguments, in another order than that of the text. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define DO(x) do { x; } while (0)
#define AFTER(second, first) do { first; second; } while (0)

enum { N = 20000, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step, codes = 0;
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
    for (step = 0; step < 3; step++) {
        for (i = 0; i < N; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9) + step;
        DO(MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, step, MPI_COMM_WORLD, &rq[0])); /* trapped */
        AFTER(inner[0] += step, MPI_Isend(sbuf, N, MPI_DOUBLE, next, step, MPI_COMM_WORLD, &rq[1])); /* trapped */
        for (i = 1; i < N; i++)
            inner[i] += 0.25 * i;
        for (i = 0; i < 3; i++)
            AFTER(sum += rbuf[i], if (i == 0) MPI_Wait(&rq[0], MPI_STATUS_IGNORE)); /* trapped */
        codes |= MPI_Wait(&rq[1], MPI_STATUS_IGNORE); /* trapped */
        DO(sbuf[0] = rbuf[1]);
    }
    sum += codes;
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
