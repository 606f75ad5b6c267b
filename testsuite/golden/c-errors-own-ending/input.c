/* The program's own handler of errors prints and ends the program, as MPI's does: codes tell of no error. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 20000, MAX_RANKS = 16 };

static double edge[N], halo[N], inner[N];
static int rank;

static void end_all(int status)
{
    time_t now;

    time(&now);
    printf("rank %d ends with %d at %s\n", rank, status, ctime(&now));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    exit(status);
}

static void tell(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, own;

    MPI_Comm_rank(*comm, &own);
    MPI_Error_string(*code, text, &length);
    fprintf(stderr, "process %d: %s\n", own, text);
    end_all(*code);
}

int main(int argc, char **argv)
{
    int ranks, next, prev, i, code;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Errhandler handler;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    code = MPI_Comm_create_errhandler(tell, &handler);
    if (code != MPI_SUCCESS)
        end_all(code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (i = 0; i < N; i++)
        edge[i] = (rank + 1) * (double)(i % 9);
    MPI_Isend(edge, N, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request);
    code = MPI_Recv(halo, N, MPI_DOUBLE, prev, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        end_all(code);
    for (i = 0; i < N; i++)
        inner[i] = 0.25 * edge[i];
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    for (i = 0; i < N; i++)
        sum += 0.5 * halo[i] + inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
