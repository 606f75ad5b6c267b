/* The program's own handler of errors ends the program, but prints before how far its field has come: a message that is too long is */
/* noticed where it is received, before the loop behind that. */
/* expect: kept error-handler */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

static double sbuf[N], rbuf[N], field[N];
static int rank;

static void save(const double *values)
{
    double sum = 0.0;
    int i;

    for (i = 0; i < N; i++)
        sum += values[i];
    if (rank == 0)
        printf("%.6f\n", sum);
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    save(field);
    fflush(stdout);
    MPI_Barrier(*comm);
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    int ranks, next, prev, i;
    MPI_Errhandler handler;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (i = 0; i < N; i++) {
        sbuf[i] = (rank + 1) * (double)(i % 9);
        field[i] = 0.5 * i;
    }
    MPI_Isend(sbuf, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request); /* trapped */
    MPI_Recv(rbuf, N / 2, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        field[i] += 0.25 * i;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* trapped */
    for (i = 0; i < N; i++)
        field[i] += rbuf[i];
    save(field);
    MPI_Finalize();
    return 0;
}
