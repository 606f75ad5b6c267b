/* A pointer to what is received is stored in a condition; what it leads to is changed behind. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

struct part {
    int length;
    double *memory;
};

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
    struct part parts[3], *part;
    parts[0].length = parts[1].length = N / 4;
    parts[2].length = 0;
    parts[0].memory = inner;
    parts[1].memory = rbuf + N / 2;
    for (step = 0; step < 3; step++) {
        double *at;
        for (i = 0; i < N; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, step, MPI_COMM_WORLD, &rq[0]);
        MPI_Isend(sbuf, N, MPI_DOUBLE, next, step, MPI_COMM_WORLD, &rq[1]);
        MPI_Wait(&rq[0], MPI_STATUS_IGNORE); /* trapped */
        k = 0;
        while ((part = &parts[k++])->length > 0 && (at = part->memory) != NULL)
            for (i = 0; i < part->length; i++)
                *at++ += 0.5 * i;
        MPI_Wait(&rq[1], MPI_STATUS_IGNORE);
        for (i = 0; i < N; i++)
            inner[i] += 0.25 * i;
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
