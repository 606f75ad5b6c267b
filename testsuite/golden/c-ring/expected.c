/* A ring in C: the send goes tile by tile while its loop fills the message, the receive is waited for tile by tile. */
#include <mpi.h>
#include <gravel.h>
#include <stdio.h>

#define TAG 7

enum { N = 20000, STEPS = 3, MAX_RANKS = 16 };

static double field[N], sbuf[N], rbuf[N];

int main(int argc, char **argv) {
    gravel_request gravel_s1;
    gravel_transfer gravel_t1;
    int gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2;
    int64_t gravel_step1, gravel_step2;
    int rank, ranks, next, prev, step, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (i = 0; i < N; i++)
        field[i] = (rank + 1) * 0.5 + i % 17;

    for (step = 0; step < STEPS; step++) {
        /* gravel: posted here, was line 25: MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, TAG, MPI_COMM_WORLD, &... */
        gravel_post_rcv_segments(rbuf, N, MPI_DOUBLE, prev, TAG, MPI_COMM_WORLD, &request);
        /* gravel: one handshake, a put per tile, was line 28: MPI_Send(sbuf, N, MPI_DOUBLE, next, TAG,... */
        gravel_wait_rcv_buffer(sbuf, N, MPI_DOUBLE, next, TAG, MPI_COMM_WORLD, &gravel_t1);
        gravel_step1 = gravel_tile(gravel_t1, N, 64);
        for (gravel_lo1 = 0; gravel_lo1 < N; gravel_lo1 = gravel_hi1) {
            gravel_hi1 = gravel_step1 < N - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : N;
            for (i = gravel_lo1; i < gravel_hi1; i++)
                sbuf[i] = field[i] * 1.25 + step;
            gravel_post_os_put(gravel_t1, sbuf, gravel_lo1, gravel_hi1 - gravel_lo1);
        }
        /* gravel: sent tile by tile above, was line 28: MPI_Send(sbuf, N, MPI_DOUBLE, next, TAG, MPI_CO... */
        gravel_send_fin(&gravel_t1, &gravel_s1);
        /* gravel: moved away from here, was line 29: MPI_Wait(&request, MPI_STATUS_IGNORE); */
        /* gravel: waits here for what each tile reads, was line 29: MPI_Wait(&request, MPI_STATUS_IGNORE); */
        gravel_step2 = gravel_tile_of_request(request, N, 64);
        if (gravel_step2 >= N) gravel_wait(&request, rbuf, MPI_STATUS_IGNORE);
        for (gravel_lo2 = 0; gravel_lo2 < N; gravel_lo2 = gravel_hi2) {
            gravel_hi2 = gravel_step2 < N - gravel_lo2 ? gravel_lo2 + (int)gravel_step2 : N;
            if (gravel_step2 < N) gravel_wait_range(request, rbuf, 0, gravel_hi2);
            for (i = gravel_lo2; i < gravel_hi2; i++) {
                /* What has come is mixed in. */
                field[i] = 0.75 * field[i] + 0.25 * rbuf[i];
            }
        }
        if (gravel_step2 < N) gravel_wait(&request, rbuf, MPI_STATUS_IGNORE);
        /* gravel: the wait moved here, was line 28: MPI_Send(sbuf, N, MPI_DOUBLE, next, TAG, MPI_COMM_W... */
        gravel_wait(&gravel_s1, sbuf, MPI_STATUS_IGNORE);
    }

    for (i = 0; i < N; i++)
        sum += field[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%24.16e\n", sums[i]);
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
