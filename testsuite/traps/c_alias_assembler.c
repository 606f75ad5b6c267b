/* Assembler gives the array that is received a second name. */
/* expect: handled */
/* ranks: 2 3 */
/* tiles: unset 1 37 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
static double sbuf[N], rbuf[N], inner[N];
double target[N];
extern double other[N];
__asm__(".globl other\n.set other, target");

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, n = N - 1 + argc;
    double sum = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Irecv(target, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request); /* trapped */
    for (i = 0; i < N; i++)
        sbuf[i] = rank + 0.5 * i;
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        inner[i] += other[i];
    for (i = 0; i < N; i++)
        inner[i] += target[i];
    for (i = 0; i < N; i++)
        sum += inner[i] * (i % 13 + 1);
    {
        double sums[16];
        MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (i = 0; rank == 0 && i < ranks; i++)
            printf("%.17g\n", sums[i]);
    }
    MPI_Finalize();
    return 0;
}
