/* Below the wait the macro that is the subscript of its request means another number. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 30000, MAX_RANKS = 16 };
#define LAST 0

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double received[N], sent[N], inner[N];
    double sum = 0.0;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < N; i++) sent[i] = rank + 0.5 * i + step;
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(received, N, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[LAST]); /* trapped */
        MPI_Send(sent, N, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
        {
            MPI_Wait(&requests[LAST], MPI_STATUS_IGNORE);
            for (int i = 0; i < N; i++) inner[i] += 0.25 * sent[i];

#undef LAST
#define LAST 2
            for (int i = 0; i < N; i++) inner[i] += 0.125 * sent[i];
            sum += LAST;
            for (int i = 0; i < N; i++) sum += received[i] * (i % 5);
        }
    }
    for (int i = 0; i < N; i++) sum += inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
