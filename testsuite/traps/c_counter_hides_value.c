/* The counter of the loop that fills the message hides a variable that the call needs, and another loop's counter its bound. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000, MAX_RANKS = 16 };
static double sent[N], received[N], inner[N];

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[MAX_RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int i = (rank + 1) % ranks, n = N - 17;
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < n; i++) sent[i] = rank + 0.5 * i + step;
        MPI_Sendrecv(sent, n, MPI_DOUBLE, i, 1, received, n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, /* trapped */
                     MPI_STATUS_IGNORE);
        int last = n;
        for (int n = 0; n < last; n++) inner[n] += 0.25 * received[n];
    }
    double sum = i;
    for (int i = 0; i < N; i++) sum += inner[i];
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < ranks; i++) printf("%.6f\n", sums[i]);
    MPI_Finalize();
    return 0;
}
