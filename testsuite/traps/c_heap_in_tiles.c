/* The message lies on the heap, where a wait has no name for it: it is waited for in tiles all the same. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *sent = malloc(N * sizeof *sent), *received = calloc(N, sizeof *received), *inner = calloc(N, sizeof *inner);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < N; i++) sent[i] = rank + 0.5 * i + step;
        MPI_Sendrecv(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 1, received, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, /* trapped */
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) inner[i] += 0.25 * received[i];
    }
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    free(sent);
    free(received);
    free(inner);
    MPI_Finalize();
    return 0;
}
