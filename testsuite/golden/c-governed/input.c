/* Calls without braces around, in branches and loops: what takes their places gets some. */
#include <stdio.h>

#include <mpi.h>

#define N 15000

static double west[N], east[N], halo[N], field[N], smooth[N], got[N];

static void exchange(int rank, int ranks, MPI_Comm comm) {
  MPI_Request requests[1];
  int i;

  if (rank > 0)
    MPI_Irecv(halo, N, MPI_DOUBLE, rank - 1, 3, comm, &requests[0]);
  for (i = 0; i < N; i++)
    east[i] = field[i] + 1.0;
  if (rank < ranks - 1) MPI_Send(east, N, MPI_DOUBLE, rank + 1, 3, comm);
  else
    for (i = 0; i < N; i++)
      west[i] = 0.5 * field[i];
  for (i = 0; i < N; i++) smooth[i] = 0.25 * field[i];
  if (rank > 0)
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (rank > 0)
    for (i = 0; i < N; i++)
      smooth[i] += halo[i];
}

static void swap(int rank, MPI_Comm comm) {
  MPI_Request request;
  int i;

  for (i = 0; i < N; i++) smooth[i] += 0.5 * field[i];
  if (rank < 2)
    MPI_Irecv(got, N, MPI_DOUBLE, 1 - rank, 4, comm, &request);
  if (rank < 2) MPI_Send(field, N, MPI_DOUBLE, 1 - rank, 4, comm);
  if (rank < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank < 2)
    for (i = 0; i < N; i++) smooth[i] += got[i];
}

int main(int argc, char **argv) {
  int rank, ranks, i;
  double sum = 0.0, total;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (i = 0; i < N; i++) field[i] = rank + i % 13;
  exchange(rank, ranks, MPI_COMM_WORLD);
  if (ranks > 1) swap(rank, MPI_COMM_WORLD);
  for (i = 0; i < N; i++) sum += smooth[i] + west[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.10g\n", total);
  MPI_Finalize();
  return 0;
}
