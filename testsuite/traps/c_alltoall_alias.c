/* What is sent to everyone is reached by another pointer, which changes it behind the call; what arrives is looked at by one. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 900, MAX_RANKS = 16 };

static double look(const double *at) { return *at; }

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *memory = malloc((size_t)(2 * ranks * BLOCK) * sizeof *memory);
    double *sent = memory, *received = memory + ranks * BLOCK, *other = memory + 5;
    double sum = 0.0;
    for (int i = 0; i < ranks * BLOCK; i++) received[i] = 0.0;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < ranks * BLOCK; i++) sent[i] = rank + 0.5 * i + step;
        MPI_Alltoall(sent, BLOCK, MPI_DOUBLE, received, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD); /* trapped */
        for (int i = 0; i < BLOCK; i++) other[i] = -1.0;
        sum += look(other + ranks * BLOCK);
        for (int i = 0; i < ranks * BLOCK; i++) sum += received[i] * (i % 5) + sent[i];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    free(memory);
    MPI_Finalize();
    return 0;
}
