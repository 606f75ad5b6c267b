/* The program's own handler of errors prints and ends the program, as MPI's does: codes tell of no error. */
#include <mpi.h>
#include <gravel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 20000, MAX_RANKS = 16 };

static double edge[N], halo[N], inner[N];
static int rank;

static void end_all(int status)
{
    time_t now;

    time(&now);
    printf("rank %d ends with %d at %s\n", rank, status, ctime(&now));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    exit(status);
}

static void tell(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, own;

    MPI_Comm_rank(*comm, &own);
    MPI_Error_string(*code, text, &length);
    fprintf(stderr, "process %d: %s\n", own, text);
    end_all(*code);
}

int main(int argc, char **argv)
{
    gravel_request gravel_r1;
    gravel_transfer gravel_t1;
    int gravel_lo1, gravel_hi1;
    int64_t gravel_step1;
    int ranks, next, prev, i, code;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Errhandler handler;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
    code = MPI_Comm_create_errhandler(tell, &handler);
    if (code != MPI_SUCCESS)
        end_all(code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    /* gravel: posted early, was line 54: code = MPI_Recv(halo, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD,... */
    gravel_post_rcv_buffer_rdma(halo, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &gravel_r1);
    /* gravel: one handshake, a put per tile, was line 53: MPI_Isend(edge, N, MPI_DOUBLE, next, 1, MPI_C... */
    gravel_wait_rcv_buffer(edge, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &gravel_t1);
    gravel_step1 = gravel_tile(gravel_t1, N, 64);
    for (gravel_lo1 = 0; gravel_lo1 < N; gravel_lo1 = gravel_hi1) {
        gravel_hi1 = gravel_step1 < N - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : N;
        for (i = gravel_lo1; i < gravel_hi1; i++)
            edge[i] = (rank + 1) * (double)(i % 9);
        gravel_post_os_put(gravel_t1, edge, gravel_lo1, gravel_hi1 - gravel_lo1);
    }
    /* gravel: sent tile by tile above, was line 53: MPI_Isend(edge, N, MPI_DOUBLE, next, 1, MPI_COMM_WO... */
    gravel_send_fin(&gravel_t1, &request);
    /* gravel: moved away from here, was line 54: code = MPI_Recv(halo, N, MPI_DOUBLE, prev, 1, MPI_COMM... */
    code = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        end_all(code);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * edge[i];
    /* gravel: the wait moved here, was line 54: code = MPI_Recv(halo, N, MPI_DOUBLE, prev, 1, MPI_COMM_... */
    gravel_wait(&gravel_r1, halo, MPI_STATUS_IGNORE);
    /* gravel: moved away from here, was line 59: MPI_Wait(&request, MPI_STATUS_IGNORE); */

    for (i = 0; i < N; i++)
        sum += 0.5 * halo[i] + inner[i];
    /* gravel: the wait moved here, was line 59: MPI_Wait(&request, MPI_STATUS_IGNORE); */
    gravel_wait(&request, edge, MPI_STATUS_IGNORE);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
