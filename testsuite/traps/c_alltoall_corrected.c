/* A block of the exchange is corrected behind the loop that fills it, and the counts of another one change behind its call. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 900, MAX_RANKS = 16 };

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *sent = malloc((size_t)(ranks * BLOCK) * sizeof *sent), *received = malloc((size_t)(ranks * BLOCK) * sizeof *received);
    int counts[MAX_RANKS], places[MAX_RANKS];
    double sum = 0.0;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < ranks * BLOCK; i++) sent[i] = rank + 0.5 * i + step;
        sent[BLOCK * (ranks - 1) + 3] = -100.0 * rank;
        MPI_Alltoall(sent, BLOCK, MPI_DOUBLE, received, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD); /* trapped */
        for (int i = 0; i < ranks * BLOCK; i++) sum += received[i] * (i % 5);

        for (int p = 0; p < ranks; p++) {
            counts[p] = BLOCK - 1;
            places[p] = p * BLOCK;
        }
        for (int i = 0; i < ranks * BLOCK; i++) sent[i] = rank - 0.25 * i + step;
        MPI_Alltoallv(sent, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD); /* trapped */
        counts[0] = 1;
        for (int p = 0; p < ranks; p++) places[p] = 0;
        for (int i = 0; i < ranks * BLOCK; i++) sum += i % BLOCK < BLOCK - 1 ? received[i] * (i % 3) : 0.0;
        sum += counts[0] + places[0];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
