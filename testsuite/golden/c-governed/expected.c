/* Calls without braces around, in branches and loops: what takes their places gets some. */
#include <stdio.h>

#include <mpi.h>
#include <gravel.h>

#define N 15000

static double west[N], east[N], halo[N], field[N], smooth[N], got[N];

static void exchange(int rank, int ranks, MPI_Comm comm) {
  gravel_request gravel_s1;
  gravel_transfer gravel_t1;
  int gravel_lo1, gravel_hi1;
  int64_t gravel_step1;
  MPI_Request requests[1];
  int i;

  if (rank > 0)
    /* gravel: posted here, was line 15: MPI_Irecv(halo, N, MPI_DOUBLE, rank - 1, 3, comm, &requests[0]); */
    gravel_post_rcv_buffer_rdma(halo, N, MPI_DOUBLE, rank - 1, 3, comm, &requests[0]);
  /* gravel: one handshake, a put per tile, was line 18: MPI_Send(east, N, MPI_DOUBLE, rank + 1, 3, comm); */
  gravel_t1 = GRAVEL_TRANSFER_NULL;
  if (rank < ranks - 1) gravel_wait_rcv_buffer(east, N, MPI_DOUBLE, rank + 1, 3, comm, &gravel_t1);
  gravel_step1 = gravel_tile(gravel_t1, N, 64);
  for (gravel_lo1 = 0; gravel_lo1 < N; gravel_lo1 = gravel_hi1) {
    gravel_hi1 = gravel_step1 < N - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : N;
    for (i = gravel_lo1; i < gravel_hi1; i++)
      east[i] = field[i] + 1.0;
    gravel_post_os_put(gravel_t1, east, gravel_lo1, gravel_hi1 - gravel_lo1);
  }
  /* gravel: null where the branch below is not taken */
  gravel_s1 = GRAVEL_REQUEST_NULL;
  if (rank < ranks - 1) {
    /* gravel: sent tile by tile above, was line 18: MPI_Send(east, N, MPI_DOUBLE, rank + 1, 3, comm); */
    gravel_send_fin(&gravel_t1, &gravel_s1);
  }
  else
    for (i = 0; i < N; i++)
      west[i] = 0.5 * field[i];
  for (i = 0; i < N; i++) smooth[i] = 0.25 * field[i];
  if (rank > 0)
    /* gravel: waits here, was line 24: MPI_Wait(&requests[0], MPI_STATUS_IGNORE); */
    gravel_wait(&requests[0], halo, MPI_STATUS_IGNORE);
  if (rank > 0)
    for (i = 0; i < N; i++)
      smooth[i] += halo[i];
  /* gravel: the wait moved here, was line 18: MPI_Send(east, N, MPI_DOUBLE, rank + 1, 3, comm); */
  gravel_wait(&gravel_s1, east, MPI_STATUS_IGNORE);
}

static void swap(int rank, MPI_Comm comm) {
  gravel_request gravel_s1;
  MPI_Request request;
  int i;

  /* gravel: posted early, was line 36: MPI_Irecv(got, N, MPI_DOUBLE, 1 - rank, 4, comm, &request); */
  if (rank < 2) gravel_post_rcv_buffer_rdma(got, N, MPI_DOUBLE, 1 - rank, 4, comm, &request);
  for (i = 0; i < N; i++) smooth[i] += 0.5 * field[i];
  if (rank < 2)
    {} /* gravel: moved away from here, was line 36: MPI_Irecv(got, N, MPI_DOUBLE, 1 - rank, 4, comm,
                                                               &request); */
  /* gravel: null where the branch below is not taken */
  gravel_s1 = GRAVEL_REQUEST_NULL;
  if (rank < 2) {
    /* gravel: sent without waiting, was line 37: MPI_Send(field, N, MPI_DOUBLE, 1 - rank, 4, comm); */
    gravel_post_send(field, N, MPI_DOUBLE, 1 - rank, 4, comm, &gravel_s1);
  }
  if (rank < 2) {
    /* gravel: waits here, was line 38: MPI_Wait(&request, MPI_STATUS_IGNORE); */
    gravel_wait(&request, got, MPI_STATUS_IGNORE);
  }
  if (rank < 2)
    for (i = 0; i < N; i++) smooth[i] += got[i];
  /* gravel: the wait moved here, was line 37: MPI_Send(field, N, MPI_DOUBLE, 1 - rank, 4, comm); */
  gravel_wait(&gravel_s1, field, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int rank, ranks, i;
  double sum = 0.0, total;

  MPI_Init(&argc, &argv);
  /* gravel: the runtime starts after MPI */
  gravel_init(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (i = 0; i < N; i++) field[i] = rank + i % 13;
  exchange(rank, ranks, MPI_COMM_WORLD);
  if (ranks > 1) swap(rank, MPI_COMM_WORLD);
  for (i = 0; i < N; i++) sum += smooth[i] + west[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.10g\n", total);
  /* gravel: the runtime ends before MPI */
  gravel_finalize();
  MPI_Finalize();
  return 0;
}
