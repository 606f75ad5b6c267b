/* The program's own handler of errors sends what it knows to another process, by a message that the program receives as any other, and */
/* ends its own one. */
/* expect: kept error-handler */
/* ranks: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

static double sbuf[N], rbuf[N];

static void handle(MPI_Comm *comm, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    class = class == MPI_ERR_TRUNCATE;
    MPI_Send(&class, 1, MPI_INT, 0, 2, *comm); /* trapped */
    MPI_Finalize();
    exit(0);
}

int main(int argc, char **argv)
{
    int rank, i, told = 0;
    double sum = 0.0;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (i = 0; i < N; i++)
        sbuf[i] = i % 9;
    if (rank == 0) {
        MPI_Send(sbuf, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); /* trapped */
        MPI_Recv(&told, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
        for (i = 0; i < N; i++)
            sum += sbuf[i] + told;
        printf("%.6f\n", sum);
    } else {
        MPI_Recv(rbuf, N / 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
    }
    MPI_Finalize();
    return 0;
}
