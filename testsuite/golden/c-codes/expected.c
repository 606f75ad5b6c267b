/* Codes are stored and thrown away, statuses are read, calls stand several on a line. */
#include <mpi.h>
#include <gravel.h>
#include <stdio.h>

enum { N = 16384, WIDTH = 128 };

static double sent[N], got[N], inner[N];

int main(int argc, char **argv)
{
	gravel_request gravel_r1, gravel_s2;
	gravel_transfer gravel_t1;
	int gravel_lo1, gravel_hi1;
	int64_t gravel_step1;
	int rank, ranks, rc, i, j, count;
	double sum = 0.0, total;
	MPI_Request rq, sq;
	MPI_Status status;

	rc = MPI_Init(&argc, &argv);
	/* gravel: the runtime starts after MPI */
	gravel_init(MPI_COMM_WORLD);
	rc = MPI_Comm_rank(MPI_COMM_WORLD, &rank); rc = MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	/* gravel: posted early, was line 21: rc = MPI_Irecv(got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, /... */
	gravel_post_rcv_buffer_rdma(got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 11, MPI_COMM_WORLD, &rq);
	/* gravel: one handshake, a put per tile, was line 20: rc = MPI_Isend(sent, N, MPI_DOUBLE, (rank + 1) %... */
	gravel_wait_rcv_buffer(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 11, MPI_COMM_WORLD, &gravel_t1);
	gravel_step1 = gravel_tile(gravel_t1, N, 64);
	for (gravel_lo1 = 0; gravel_lo1 < N; gravel_lo1 = gravel_hi1) {
		gravel_hi1 = gravel_step1 < N - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : N;
		for (i = gravel_lo1; i < gravel_hi1; i++) { sent[i] = rank * 0.5 + i % 11; inner[i] = 0.0; }
		gravel_post_os_put(gravel_t1, sent, gravel_lo1, gravel_hi1 - gravel_lo1);
	}

	/* gravel: sent tile by tile above, was line 20: rc = MPI_Isend(sent, N, MPI_DOUBLE, (rank + 1) % ranks... */
	rc = gravel_send_fin(&gravel_t1, &sq);
	/* gravel: moved away from here, was line 21: rc = MPI_Irecv(got, N, MPI_DOUBLE, (rank + ranks - 1) % r... */
	rc = MPI_SUCCESS;
	/* gravel: moved away from here, was line 24: (void)MPI_Wait(&rq, &status); */ /* gravel: moved away from here, was line 24: (void)MPI_Wait(&sq, MPI_STATUS_IGNORE); */
	for (j = 1; j < WIDTH - 1; j++)
		for (i = 0; i < WIDTH; i++)
			inner[j * WIDTH + i] = 2.0 * i + j;
	/* gravel: the wait moved here, was line 24: (void)MPI_Wait(&rq, &status); */
	gravel_wait(&rq, got, &status);
	for (i = 0; i < N; i++) sum += got[i] + inner[i];

	MPI_Get_count(&status, MPI_DOUBLE, &count);
	/* gravel: receives and sends here, was line 31: rc = MPI_Sendrecv(sent, N, MPI_DOUBLE, (rank + 1) % ra... */
	gravel_post_rcv_buffer_rdma(got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 12, MPI_COMM_WORLD, &gravel_r1);
	rc = gravel_post_send(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 12, MPI_COMM_WORLD, &gravel_s2);
	for (i = 0; i < N; i++) inner[i] = inner[i] * 0.5 + 1.0;
	/* gravel: the wait moved here, was line 31: rc = MPI_Sendrecv(sent, N, MPI_DOUBLE, (rank + 1) % ranks,... */
	gravel_wait(&gravel_r1, got, MPI_STATUS_IGNORE);
	for (i = 0; i < N; i++) sum += got[i] * inner[i];
	/* gravel: the wait moved here, was line 24: (void)MPI_Wait(&sq, MPI_STATUS_IGNORE); */
	gravel_wait(&sq, sent, MPI_STATUS_IGNORE);
	/* gravel: the wait moved here, was line 31: rc = MPI_Sendrecv(sent, N, MPI_DOUBLE, (rank + 1) % ranks,... */
	gravel_wait(&gravel_s2, sent, MPI_STATUS_IGNORE);

	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.12e %d %d\n", total, count, rc);
	/* gravel: the runtime ends before MPI */
	gravel_finalize();
	MPI_Finalize();
	return 0;
}
