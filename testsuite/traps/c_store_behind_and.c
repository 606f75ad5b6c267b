/* What was received is changed where a condition holds, in the middle of an expression. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, k, step;
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
        k = step;
        for (i = 0; i < N; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, step, MPI_COMM_WORLD, &rq[0]);
        MPI_Isend(sbuf, N, MPI_DOUBLE, next, step, MPI_COMM_WORLD, &rq[1]);
        MPI_Wait(&rq[0], MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&rq[1], MPI_STATUS_IGNORE); /* trapped */
        if ((k++ > 0 && (rbuf[k] += 3.0) > 1.0) || (sbuf[k * 7] = 5.0 + rank) < 0.0)
            sum += 0.25 * rbuf[k];
        for (i = 0; i < N; i++)
            inner[i] += 0.25 * i;
        sum += k > 1 ? (rbuf[k + 1] = sbuf[k]) : k--;
    }

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
