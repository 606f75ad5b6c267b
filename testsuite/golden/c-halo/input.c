/* Halos of a plane and of a line on the heap: the iterations inside run before the wait, the first and the last ones behind it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double *zeros(int elements)
{
    double *memory = calloc((size_t)elements, sizeof *memory);
    if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

int main(int argc, char **argv)
{
    double sums[16];
    int rank, ranks, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int nx = 120 + argc, ny = 29 + argc, n = 500 + argc;
    const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double *u = zeros((ny + 2) * nx), *v = zeros((ny + 2) * nx), *line = zeros(n + 2), *next = zeros(n + 2);
    for (int k = 0; k < (ny + 2) * nx; k++) u[k] = rank + 0.01 * k;
    for (int k = 0; k < n + 2; k++) line[k] = rank - 0.25 * k;
    last = 0;

    for (int step = 0; step < 4; step++) {
        MPI_Request rows[4], ends[2];
        MPI_Irecv(&u[0], nx, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &rows[0]);
        MPI_Irecv(&u[(ny + 1) * nx], nx, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &rows[1]);
        MPI_Isend(&u[nx], nx, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &rows[2]);
        MPI_Isend(&u[ny * nx], nx, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &rows[3]);
        MPI_Waitall(4, rows, MPI_STATUSES_IGNORE);
        for (int j = 1; j <= ny; j++)
            for (int i = 1; i < nx - 1; i++)
                v[j * nx + i] = 0.25 * (u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] + u[(j + 1) * nx + i]);

        int i;
        MPI_Irecv(&line[0], 1, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &ends[0]);
        MPI_Irecv(&line[n + 1], 1, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, &ends[1]);
        MPI_Send(&line[1], 1, MPI_DOUBLE, up, 4, MPI_COMM_WORLD);
        MPI_Send(&line[n], 1, MPI_DOUBLE, down, 3, MPI_COMM_WORLD);
        MPI_Wait(&ends[0], MPI_STATUS_IGNORE);
        MPI_Wait(&ends[1], MPI_STATUS_IGNORE);
        for (i = 1; i < n + 1; ++i) {
            next[i] = 0.5 * (line[i - 1] + line[i + 1]);
        }
        last += i;

        for (int k = nx; k < (ny + 1) * nx; k++) u[k] = v[k];
        for (int k = 1; k <= n; k++) line[k] = next[k];
    }

    double sum = last;
    for (int k = 0; k < (ny + 2) * nx; k++) sum += u[k] * (k % 11);
    for (int k = 0; k < n + 2; k++) sum += line[k] * (k % 7);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int p = 0; p < ranks; p++) printf("%d %.12e\n", p, sums[p]);
    free(u);
    free(v);
    free(line);
    free(next);
    MPI_Finalize();
    return 0;
}
