/* A ring in C: the send goes tile by tile while its loop fills the message, the receive is waited for tile by tile. */
#include <mpi.h>
#include <stdio.h>

#define TAG 7

enum { N = 20000, STEPS = 3, MAX_RANKS = 16 };

static double field[N], sbuf[N], rbuf[N];

int main(int argc, char **argv) {
    int rank, ranks, next, prev, step, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (i = 0; i < N; i++)
        field[i] = (rank + 1) * 0.5 + i % 17;

    for (step = 0; step < STEPS; step++) {
        MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, TAG, MPI_COMM_WORLD, &request);
        for (i = 0; i < N; i++)
            sbuf[i] = field[i] * 1.25 + step;
        MPI_Send(sbuf, N, MPI_DOUBLE, next, TAG, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (i = 0; i < N; i++) {
            /* What has come is mixed in. */
            field[i] = 0.75 * field[i] + 0.25 * rbuf[i];
        }
    }

    for (i = 0; i < N; i++)
        sum += field[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%24.16e\n", sums[i]);
    MPI_Finalize();
    return 0;
}
