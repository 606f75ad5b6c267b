/* A stream has the array that is sent for its memory: output stores there. What another stream has is its own. */
/* expect: without sink-wait */
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
    FILE *stream;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (i = 0; i < N; i++)
        sbuf[i] = (rank + 1) * (double)(i % 9);
    stream = fopen("/dev/null", "w");
    if (stream == NULL || setvbuf(stream, (char *)sbuf, _IOFBF, sizeof sbuf) != 0)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &request);
    MPI_Send(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD); /* trapped */
    fprintf(stream, "%08d", 12345678);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fclose(stream);
    sbuf[0] = 0.0;
    rbuf[0] = 0.0;

    for (i = 0; i < N; i++)
        sum += 0.5 * rbuf[i] + sbuf[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
