/* A handler of signals stores a volatile flag, by which the program ends. */
/* expect: handled */
/* ranks: 1 2 4 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static double *sent, *got;
static volatile sig_atomic_t caught = 0;

static void on_signal(int number)
{
    caught = number;
    signal(number, on_signal);
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    signal(SIGUSR1, on_signal);
    signal(SIGPIPE, SIG_IGN);
    sent = malloc(N * sizeof *sent);
    got = malloc(N * sizeof *got);
    for (step = 0; step < 4 && !caught; step++) {
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        for (i = 0; i < N; i++)
            sum += 0.5 * got[i] + sent[i];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
