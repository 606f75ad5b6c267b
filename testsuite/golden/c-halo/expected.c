/* Halos of a plane and of a line on the heap: the iterations inside run before the wait, the first and the last ones behind it. */
#include <mpi.h>
#include <gravel.h>
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
    gravel_request gravel_s3, gravel_s4;
    int gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_part1, gravel_part2;
    double sums[16];
    int rank, ranks, last;
    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
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
        /* gravel: posted here, was line 29: MPI_Irecv(&u[0], nx, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &ro... */
        gravel_post_rcv_buffer_rdma(&u[0], nx, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &rows[0]);
        /* gravel: posted here, was line 30: MPI_Irecv(&u[(ny + 1) * nx], nx, MPI_DOUBLE, down, 1, MPI_C... */
        gravel_post_rcv_buffer_rdma(&u[(ny + 1) * nx], nx, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &rows[1]);
        /* gravel: sent without waiting, was line 31: MPI_Isend(&u[nx], nx, MPI_DOUBLE, up, 1, MPI_COMM_... */
        gravel_post_send(&u[nx], nx, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &rows[2]);
        /* gravel: sent without waiting, was line 32: MPI_Isend(&u[ny * nx], nx, MPI_DOUBLE, down, 2, MP... */
        gravel_post_send(&u[ny * nx], nx, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &rows[3]);
        /* gravel: posted early, was line 39: MPI_Irecv(&line[0], 1, MPI_DOUBLE, up, 3, MPI_COMM_WORLD,... */
        gravel_post_rcv_buffer_rdma(&line[0], 1, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &ends[0]);
        /* gravel: moved away from here, was line 33: MPI_Waitall(4, rows, MPI_STATUSES_IGNORE); */
        /* gravel: the iterations inside, then the wait, then the first and the last iteration */
        gravel_lo1 = 2;
        gravel_hi1 = ny - 1;
        for (gravel_part1 = 1; gravel_part1 <= 3; gravel_part1++) {
            if (gravel_part1 == 2) {
                /* gravel: waits here, before the first and the last iteration, was line 33: MPI_Waitall... */
                gravel_wait(&rows[0], u, MPI_STATUS_IGNORE);
                gravel_wait(&rows[1], u, MPI_STATUS_IGNORE);
                gravel_lo1 = 1;
                gravel_hi1 = 1 < ny ? 1 : ny;
            } else if (gravel_part1 == 3) {
                gravel_lo1 = 2 > ny ? 2 : ny;
                gravel_hi1 = ny;
            }
            for (int j = gravel_lo1; j <= gravel_hi1; j++)
                for (int i = 1; i < nx - 1; i++)
                    v[j * nx + i] = 0.25 * (u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] + u[(j + 1) * nx + i]);
        }

        int i;
        /* gravel: moved away from here, was line 39: MPI_Irecv(&line[0], 1, MPI_DOUBLE, up, 3, MPI_COMM... */
        /* gravel: posted here, was line 40: MPI_Irecv(&line[n + 1], 1, MPI_DOUBLE, down, 4, MPI_COMM_WO... */
        gravel_post_rcv_buffer_rdma(&line[n + 1], 1, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, &ends[1]);
        /* gravel: sent without waiting, was line 41: MPI_Send(&line[1], 1, MPI_DOUBLE, up, 4, MPI_COMM_... */
        gravel_post_send(&line[1], 1, MPI_DOUBLE, up, 4, MPI_COMM_WORLD, &gravel_s3);
        /* gravel: sent without waiting, was line 42: MPI_Send(&line[n], 1, MPI_DOUBLE, down, 3, MPI_COM... */
        gravel_post_send(&line[n], 1, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, &gravel_s4);
        /* gravel: waits here, was line 43: MPI_Wait(&ends[0], MPI_STATUS_IGNORE); */
        gravel_wait_request(&ends[0], MPI_STATUS_IGNORE);
        /* gravel: moved away from here, was line 44: MPI_Wait(&ends[1], MPI_STATUS_IGNORE); */
        /* gravel: the iterations inside, then the wait, then the first and the last iterations */
        gravel_lo2 = 65;
        gravel_hi2 = (n + 1) - 1 - ((n + 1) - 2) % 64;
        for (gravel_part2 = 1; gravel_part2 <= 3; gravel_part2++) {
            if (gravel_part2 == 2) {
                /* gravel: waits here, before the first and the last iterations, was line 44: MPI_Wait(&... */
                gravel_wait_request(&ends[1], MPI_STATUS_IGNORE);
                gravel_lo2 = 1;
                gravel_hi2 = 65 < n + 1 ? 65 : n + 1;
            } else if (gravel_part2 == 3) {
                gravel_lo2 = 65 > (n + 1) - 1 - ((n + 1) - 2) % 64 ? 65 : (n + 1) - 1 - ((n + 1) - 2) % 64;
                gravel_hi2 = n + 1;
            }
            for (i = gravel_lo2; i < gravel_hi2; ++i) {
                next[i] = 0.5 * (line[i - 1] + line[i + 1]);
            }
        }
        i = 1 > n + 1 ? 1 : n + 1;
        /* gravel: the wait moved here, was line 33: MPI_Waitall(4, rows, MPI_STATUSES_IGNORE); */
        gravel_wait(&rows[2], u, MPI_STATUS_IGNORE);
        gravel_wait(&rows[3], u, MPI_STATUS_IGNORE);
        last += i;

        for (int k = nx; k < (ny + 1) * nx; k++) u[k] = v[k];
        /* gravel: the wait moved here, was line 41: MPI_Send(&line[1], 1, MPI_DOUBLE, up, 4, MPI_COMM_W... */
        gravel_wait_request(&gravel_s3, MPI_STATUS_IGNORE);
        /* gravel: the wait moved here, was line 42: MPI_Send(&line[n], 1, MPI_DOUBLE, down, 3, MPI_COMM... */
        gravel_wait_request(&gravel_s4, MPI_STATUS_IGNORE);
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
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
