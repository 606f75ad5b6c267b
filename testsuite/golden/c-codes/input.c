/* Codes are stored and thrown away, statuses are read, calls stand several on a line. */
#include <mpi.h>
#include <stdio.h>

enum { N = 16384, WIDTH = 128 };

static double sent[N], got[N], inner[N];

int main(int argc, char **argv)
{
	int rank, ranks, rc, i, j, count;
	double sum = 0.0, total;
	MPI_Request rq, sq;
	MPI_Status status;

	rc = MPI_Init(&argc, &argv);
	rc = MPI_Comm_rank(MPI_COMM_WORLD, &rank); rc = MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (i = 0; i < N; i++) { sent[i] = rank * 0.5 + i % 11; inner[i] = 0.0; }

	rc = MPI_Isend(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 11, MPI_COMM_WORLD, &sq);
	rc = MPI_Irecv(got, N, MPI_DOUBLE,
	               (rank + ranks - 1) % ranks, /* from the left */
	               11, MPI_COMM_WORLD, &rq);
	(void)MPI_Wait(&rq, &status); (void)MPI_Wait(&sq, MPI_STATUS_IGNORE);
	for (j = 1; j < WIDTH - 1; j++)
		for (i = 0; i < WIDTH; i++)
			inner[j * WIDTH + i] = 2.0 * i + j;
	for (i = 0; i < N; i++) sum += got[i] + inner[i];

	MPI_Get_count(&status, MPI_DOUBLE, &count);
	rc = MPI_Sendrecv(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 12, got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 12,
	                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < N; i++) inner[i] = inner[i] * 0.5 + 1.0;
	for (i = 0; i < N; i++) sum += got[i] * inner[i];

	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.12e %d %d\n", total, count, rc);
	MPI_Finalize();
	return 0;
}
