/* A function of the library calls back, and that exchanges messages. */
/* expect: handled */
/* ranks: 1 2 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

static double sent[N], got[N];
static int rank, ranks;

static int by_value(const void *one, const void *other)
{
    const int *a = one, *b = other;
    MPI_Request rq;
    MPI_Irecv(got, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &rq); /* trapped */
    MPI_Send(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    return *a - *b;
}

int main(int argc, char **argv)
{
    int v[5] = { 4, 2, 5, 1, 3 }, i;
    double sum = 0.0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (i = 0; i < N; i++)
        sent[i] = rank + i;
    qsort(v, 5, sizeof *v, by_value);
    for (i = 0; i < N; i++)
        sum += got[i];
    if (rank == 0)
        printf("%d %f\n", v[0], sum);
    MPI_Finalize();
    return 0;
}
