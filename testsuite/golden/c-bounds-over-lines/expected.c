/* The bounds of loops that are cut into tiles go on on the next line. */
#include <mpi.h>
#include <gravel.h>
#include <stdio.h>

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];

int main(int argc, char **argv)
{
    gravel_request gravel_s1;
    gravel_transfer gravel_t1;
    int gravel_lo1, gravel_hi1;
    int64_t gravel_step1;
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request receive;

    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    /* gravel: posted here, was line 20: MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receive); */
    gravel_post_rcv_buffer_rdma(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receive);
    /* gravel: one handshake, a put per tile, was line 24: MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_CO... */
    gravel_wait_rcv_buffer(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &gravel_t1);
    gravel_step1 = gravel_tile(gravel_t1, N - 0, 64);
    for (gravel_lo1 = 0; gravel_lo1 < N - 0; gravel_lo1 = gravel_hi1) {
        gravel_hi1 = gravel_step1 < (N - 0) - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : N - 0;
        for (i = gravel_lo1; i < gravel_hi1; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9);
        gravel_post_os_put(gravel_t1, sbuf, gravel_lo1, gravel_hi1 - gravel_lo1);
    }
    /* gravel: sent tile by tile above, was line 24: MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WOR... */
    gravel_send_fin(&gravel_t1, &gravel_s1);
    for (i = 0; i < N -
                0; i++)
        inner[i] = 0.25 * i;
    /* gravel: waits here, was line 28: MPI_Wait(&receive, MPI_STATUS_IGNORE); */
    gravel_wait(&receive, rbuf, MPI_STATUS_IGNORE);

    for (i = 0; i < N -
                0; i++)
        sum += 0.5 * rbuf[i] + inner[i];
    /* gravel: the wait moved here, was line 24: MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); */
    gravel_wait(&gravel_s1, sbuf, MPI_STATUS_IGNORE);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
