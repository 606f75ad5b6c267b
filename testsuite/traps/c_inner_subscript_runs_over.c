/* A row is written through the one before it: the message is complete only behind the loop. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];
static double grid[200][100], grid_in[200][100];

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request request;
    int j;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Irecv(&grid_in[0][0], N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    for (i = 0; i < 200; i++) {
        for (j = 0; j < 100; j++)
            (&grid[0][0])[(199 - i) * 100 + j] = rank + i + 0.5 * j;
    }
    MPI_Send(&grid[0][0], N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < 200; i++)
        for (j = 0; j < 100; j++)
            sum += grid_in[i][j] * (i + 1);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
