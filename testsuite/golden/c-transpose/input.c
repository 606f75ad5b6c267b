/* A matrix on the heap that is transposed twice a step, as in a spectral code: blocks are packed, exchanged and unpacked by loops
 * with variables of their own; the norms of the rows go once around the ring. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 24 };

static double *vector(size_t elements)
{
    double *memory = malloc(elements * sizeof *memory);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

int main(int argc, char **argv)
{
    double sums[16];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int columns = ROWS * ranks, block = ROWS * ROWS;
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    double *a = vector((size_t)(ROWS * columns));
    double *packed = vector((size_t)(ROWS * columns));
    double *arrived = vector((size_t)(ROWS * columns));
    double *norms = vector(ROWS), *others = vector(ROWS);
    double *seen = vector(ROWS);
    for (int k = 0; k < ROWS * columns; k++) a[k] = 1.0 + rank + 0.001 * k;
    for (int r = 0; r < ROWS; r++) seen[r] = 0.0;

    for (int step = 0; step < 4; step++) {
        for (int p = 0; p < ranks; p++)
            for (int r = 0; r < ROWS; r++)
                for (int c = 0; c < ROWS; c++) packed[(p * ROWS + r) * ROWS + c] = 0.5 * a[r * columns + p * ROWS + c];
        MPI_Alltoall(packed, block, MPI_DOUBLE, arrived, block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int p = 0; p < ranks; p++)
            for (int r = 0; r < ROWS; r++)
                for (int c = 0; c < ROWS; c++) a[c * columns + p * ROWS + r] = arrived[(p * ROWS + r) * ROWS + c] + step;

        for (int r = 0; r < ROWS; r++) {
            double sum = 0.0;
            for (int c = 0; c < columns; c++) sum += a[r * columns + c] * a[r * columns + c];
            norms[r] = sum;
        }
        MPI_Sendrecv(norms, ROWS, MPI_DOUBLE, right, 5, others, ROWS, MPI_DOUBLE, left, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int r = 0; r < ROWS; r++) seen[r] += others[r];
    }

    double sum = 0.0;
    for (int k = 0; k < ROWS * columns; k++) sum += a[k] * (k % 7);
    for (int r = 0; r < ROWS; r++) sum += seen[r];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int p = 0; p < ranks; p++) printf("%d %.9e\n", p, sums[p]);
    free(a);
    free(packed);
    free(arrived);
    free(norms);
    free(others);
    free(seen);
    MPI_Finalize();
    return 0;
}
