/* The token carries nothing, and is nowhere: only the order of effects says when its receive has to be complete. */
/* expect: without sink-wait */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, i;
    double work = 1.0;
    char line[80];
    FILE *file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        for (i = 0; i < 4000000; i++)
            work = 1.0 + 1.0 / work;
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* trapped */
    file = fopen("c_empty_token.log", rank == 0 ? "w" : "a");
    fprintf(file, "the token is at %d\n", rank);
    fclose(file);
    if (rank < ranks - 1)
        MPI_Send(MPI_BOTTOM, 0, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        file = fopen("c_empty_token.log", "r");
        while (fgets(line, sizeof line, file) != NULL)
            printf("%s", line);
        fclose(file);
        remove("c_empty_token.log");
        printf("%.6f\n", work);
    }
    MPI_Finalize();
    return 0;
}
