/* The buffer and the request of a receive are declared behind the work, where other variables have had their names. */
/* expect: without hoist-receive */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3000, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double received[N], sent[N], sum = 0.0;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < N; i++) received[i] = sent[i] = 0.0;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < N; i++) sent[i] = rank + 0.5 * i + step;
        double received[N];
        MPI_Request request;
        MPI_Irecv(received, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &request); /* trapped */
        MPI_Send(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) sum += received[i] * (i % 5);
    }
    for (int i = 0; i < N; i++) sum += received[i];
    sum += request == MPI_REQUEST_NULL;
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
