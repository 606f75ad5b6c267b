/* The function with which MPI reduces stores what has been sent before: the call of the reduction does not name it. */
/* expect: kept unsupported-operation */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

enum { N = 40000, MAX_RANKS = 16 };

static double sent[N], got[N];

static void larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    double *x = in, *y = inout;
    int i;

    for (i = 0; i < *length; i++)
        y[i] = x[i] > y[i] ? x[i] : y[i];
    for (i = 0; i < N; i++)
        sent[i] = -1.0;
}

int main(int argc, char **argv)
{
    int rank, ranks, i;
    double sum = 0.0, most, sums[MAX_RANKS];
    MPI_Op op;
    MPI_Request receiving;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op_create(larger, 1, &op);
    for (i = 0; i < N; i++)
        sent[i] = rank + 0.5 * i;
    MPI_Irecv(got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &receiving); /* trapped */
    MPI_Send(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD); /* trapped */
    most = rank;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        sum += got[i];
    sum += most;
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
