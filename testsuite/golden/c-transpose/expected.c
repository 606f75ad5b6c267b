/* A matrix on the heap that is transposed twice a step, as in a spectral code: blocks are packed, exchanged and unpacked by loops
 * with variables of their own; the norms of the rows go once around the ring. */
#include <mpi.h>
#include <gravel.h>
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
    gravel_request gravel_r1, gravel_r2, gravel_s1, gravel_s2;
    gravel_transfer gravel_t1, gravel_t2;
    int gravel_lo1, gravel_lo2, gravel_lo3, gravel_lo4, gravel_hi1, gravel_hi2, gravel_hi3, gravel_hi4;
    int64_t gravel_step1, gravel_step2, gravel_step3, gravel_step4;
    double sums[16];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
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
        /* gravel: posted early, was line 37: MPI_Alltoall(packed, block, MPI_DOUBLE, arrived, block, MP... */
        gravel_post_alltoall_segments(arrived, block, MPI_DOUBLE, MPI_COMM_WORLD, &gravel_r1);
        /* gravel: posted early, was line 47: MPI_Sendrecv(norms, ROWS, MPI_DOUBLE, right, 5, others, RO... */
        gravel_post_rcv_segments(others, ROWS, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &gravel_r2);
        /* gravel: one handshake, a put per tile, was line 37: MPI_Alltoall(packed, block, MPI_DOUBLE, a... */
        gravel_open_alltoall(packed, block, MPI_DOUBLE, MPI_COMM_WORLD, &gravel_t1);
        gravel_step1 = gravel_tile(gravel_t1, ranks, 64);
        for (gravel_lo1 = 0; gravel_lo1 < ranks; gravel_lo1 = gravel_hi1) {
            gravel_hi1 = gravel_step1 < ranks - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : ranks;
            for (int p = gravel_lo1; p < gravel_hi1; p++)
                for (int r = 0; r < ROWS; r++)
                    for (int c = 0; c < ROWS; c++) packed[(p * ROWS + r) * ROWS + c] = 0.5 * a[r * columns + p * ROWS + c];
            gravel_post_os_put(gravel_t1, packed, (int64_t)gravel_lo1*576,
                               (int64_t)(gravel_hi1 - gravel_lo1)*576);
        }
        /* gravel: sent tile by tile above, was line 37: MPI_Alltoall(packed, block, MPI_DOUBLE, arrived... */
        gravel_send_fin(&gravel_t1, &gravel_s1);
        /* gravel: waits here for what each tile reads, was line 37: MPI_Alltoall(packed, block, MPI_DOU... */
        gravel_step2 = gravel_tile_of_request(gravel_r1, ranks, 64);
        if (gravel_step2 >= ranks) gravel_wait_request(&gravel_r1, MPI_STATUS_IGNORE);
        for (gravel_lo2 = 0; gravel_lo2 < ranks; gravel_lo2 = gravel_hi2) {
            gravel_hi2 = gravel_step2 < ranks - gravel_lo2 ? gravel_lo2 + (int)gravel_step2 : ranks;
            if (gravel_step2 < ranks) gravel_wait_range(gravel_r1, NULL, 0, 576*(int64_t)gravel_hi2);
            for (int p = gravel_lo2; p < gravel_hi2; p++)
                for (int r = 0; r < ROWS; r++)
                    for (int c = 0; c < ROWS; c++) a[c * columns + p * ROWS + r] = arrived[(p * ROWS + r) * ROWS + c] + step;
        }
        if (gravel_step2 < ranks) gravel_wait_request(&gravel_r1, MPI_STATUS_IGNORE);

        /* gravel: one handshake, a put per tile, was line 47: MPI_Sendrecv(norms, ROWS, MPI_DOUBLE, rig... */
        gravel_wait_rcv_buffer(norms, ROWS, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &gravel_t2);
        gravel_step3 = gravel_tile(gravel_t2, ROWS, 64);
        for (gravel_lo3 = 0; gravel_lo3 < ROWS; gravel_lo3 = gravel_hi3) {
            gravel_hi3 = gravel_step3 < ROWS - gravel_lo3 ? gravel_lo3 + (int)gravel_step3 : ROWS;
            for (int r = gravel_lo3; r < gravel_hi3; r++) {
                double sum = 0.0;
                for (int c = 0; c < columns; c++) sum += a[r * columns + c] * a[r * columns + c];
                norms[r] = sum;
            }
            gravel_post_os_put(gravel_t2, norms, gravel_lo3, gravel_hi3 - gravel_lo3);
        }
        /* gravel: sent tile by tile above, was line 47: MPI_Sendrecv(norms, ROWS, MPI_DOUBLE, right, 5,... */
        gravel_send_fin(&gravel_t2, &gravel_s2);
        /* gravel: waits here for what each tile reads, was line 47: MPI_Sendrecv(norms, ROWS, MPI_DOUBL... */
        gravel_step4 = gravel_tile_of_request(gravel_r2, ROWS, 64);
        if (gravel_step4 >= ROWS) gravel_wait_request(&gravel_r2, MPI_STATUS_IGNORE);
        for (gravel_lo4 = 0; gravel_lo4 < ROWS; gravel_lo4 = gravel_hi4) {
            gravel_hi4 = gravel_step4 < ROWS - gravel_lo4 ? gravel_lo4 + (int)gravel_step4 : ROWS;
            if (gravel_step4 < ROWS) gravel_wait_range(gravel_r2, NULL, 0, gravel_hi4);
            for (int r = gravel_lo4; r < gravel_hi4; r++) seen[r] += others[r];
        }
        if (gravel_step4 < ROWS) gravel_wait_request(&gravel_r2, MPI_STATUS_IGNORE);
        /* gravel: the wait moved here, was line 37: MPI_Alltoall(packed, block, MPI_DOUBLE, arrived, bl... */
        gravel_wait_request(&gravel_s1, MPI_STATUS_IGNORE);
        /* gravel: the wait moved here, was line 47: MPI_Sendrecv(norms, ROWS, MPI_DOUBLE, right, 5, oth... */
        gravel_wait_request(&gravel_s2, MPI_STATUS_IGNORE);
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
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
