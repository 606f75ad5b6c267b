/* A structure goes to the process itself as bytes, with the address of a buffer in it. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };

struct message {
    double number;
    double *memory;
};

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step;
    double sum = 0.0, sums[MAX_RANKS];
    double *sent, *got, *inner;
    struct message out, in;
    MPI_Request receiving, sending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    inner = malloc(N * sizeof *inner);
    sent = malloc(N * sizeof *sent);
    got = malloc(N * sizeof *got);
    out.number = 1.0;
    out.memory = got;
    in.memory = inner;
    MPI_Sendrecv(&out.number, sizeof out, MPI_BYTE, 0, 9, &in.number, sizeof in, MPI_BYTE, 0, 9, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    for (i = 0; i < N; i++)
        got[i] = sent[i] = inner[i] = rank + 0.5 * i;
    for (step = 0; step < 4; step++) {
        in.memory[6] += 1.0;
        sum += got[6];
        for (i = 0; i < N; i++)
            sent[i] = (rank + 1) * (double)(i % 9) + step;
        MPI_Irecv(got, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, &receiving); /* trapped */
        MPI_Isend(sent, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sending); /* trapped */
        MPI_Wait(&receiving, MPI_STATUS_IGNORE); /* trapped */
        MPI_Wait(&sending, MPI_STATUS_IGNORE); /* trapped */
        sum += in.memory[7];
        in.memory[8] = 1.0;
        for (i = 0; i < N; i++)
            inner[i] = 0.25 * inner[i] + i;
        for (i = 0; i < N; i++)
            sum += 0.5 * got[i] + sent[i] + inner[i];
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
