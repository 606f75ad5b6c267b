/* Errors return. A send whose transfer would be opened above the loop that fills its message names no rank. */
/* expect: without strip-mine-producer */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request request;
    int code, class;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request);
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    code = MPI_Send(sbuf, N, MPI_DOUBLE, ranks + 5, 1, MPI_COMM_WORLD); /* trapped */
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
        sum += class == MPI_ERR_RANK ? 10.0 : 1.0;
    }
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
