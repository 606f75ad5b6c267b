/* The functions that exchange are called by pointers, of which a table and a structure hold some: their messages keep their order. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

struct way {
    void (*exchange)(double *to, const double *from, int next, int prev);
    double scale;
};

static void by_two_calls(double *to, const double *from, int next, int prev)
{
    MPI_Request request;
    MPI_Irecv(to, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    MPI_Send(from, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
}

static void by_one_call(double *to, const double *from, int next, int prev)
{
    MPI_Sendrecv(from, N, MPI_DOUBLE, prev, 1, to, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
}

static void no_exchange(double *to, const double *from, int next, int prev)
{
    to[0] += from[0] + next - prev;
}

static void (*const table[3])(double *, const double *, int, int) = { by_two_calls, no_exchange, by_one_call };

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    double *sent = malloc(N * sizeof *sent), *got = malloc(N * sizeof *got), *other = malloc(N * sizeof *other);
    struct way ways[2];
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    ways[0].exchange = by_one_call;
    ways[0].scale = 0.5;
    ways[1] = ways[0];
    ways[1].exchange = table[0];
    for (i = 0; i < N; i++)
        got[i] = sent[i] = other[i] = rank + 0.5 * i;
    for (step = 0; step < 6; step++) {
        /* A receive that is posted above this would take its message. */
        table[step % 3](other, sent, next, prev);
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        ways[step & 1].exchange(sent, got, next, prev);
        for (i = 0; i < N; i++)
            sum += ways[0].scale * got[i] + sent[i] + other[i];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
