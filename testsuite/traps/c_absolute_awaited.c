/* A wait for a receive whose buffer is `MPI_BOTTOM`, which is no variable. */
/* expect: handled */
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
    MPI_Datatype parts, types[2] = { MPI_DOUBLE, MPI_DOUBLE };
    MPI_Aint places[2];
    int lengths[2] = { 4, N - 10 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Get_address(rbuf, &places[0]);
    MPI_Get_address(rbuf + 8, &places[1]);
    MPI_Type_create_struct(2, lengths, places, types, &parts);
    MPI_Type_commit(&parts);
    MPI_Irecv(MPI_BOTTOM, 1, parts, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    MPI_Send(sbuf, N - 6, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    MPI_Type_free(&parts);

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
