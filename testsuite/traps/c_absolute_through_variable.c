/* A datatype holds the address of `a`, and the buffer that goes with it stands in a variable: nothing at the call names `a`, */
/* which the next message replaces. */
/* expect: without hoist-receive */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

enum { N = 20000, MAX_RANKS = 16 };

static double a[N], got[N], later[N], work[N];
static void *base;

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, length = N;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Datatype absolute;
    MPI_Aint place;
    MPI_Request early, sent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Get_address(a, &place);
    MPI_Type_create_hindexed(1, &length, &place, MPI_DOUBLE, &absolute);
    MPI_Type_commit(&absolute);
    base = MPI_BOTTOM;

    for (i = 0; i < N; i++)
        a[i] = (rank + 1) * (double)(i % 9);
    MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &early);
    MPI_Isend(got + N - 1, 0, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &sent);
    MPI_Send(base, 1, absolute, next, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_DOUBLE, prev, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        work[i] = 0.5 * i;
    MPI_Isend(work, N, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &sent);
    MPI_Irecv(later, N, MPI_DOUBLE, prev, 4, MPI_COMM_WORLD, &early);
    MPI_Send(base, 1, absolute, next, 4, MPI_COMM_WORLD);
    MPI_Recv(a, N, MPI_DOUBLE, prev, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Wait(&early, MPI_STATUS_IGNORE);

    for (i = 0; i < N; i++)
        sum += 0.5 * a[i] + got[i] + 0.25 * later[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Type_free(&absolute);
    MPI_Finalize();
    return 0;
}
