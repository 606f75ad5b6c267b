/* The length of the message is a constant that is declared behind the work, where another one has had its name. */
/* expect: without hoist-receive */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, COUNT = 10, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS], sum = 0.0;
    double *received = calloc(N, sizeof *received), *sent = calloc(N, sizeof *sent);
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < N; i++) sent[i] = rank + 0.5 * i + step;
        enum { COUNT = N };
        MPI_Irecv(received, COUNT, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &request); /* trapped */
        MPI_Send(sent, COUNT, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) sum += received[i] * (i % 5);
    }
    sum += COUNT;
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    free(received);
    free(sent);
    MPI_Finalize();
    return 0;
}
