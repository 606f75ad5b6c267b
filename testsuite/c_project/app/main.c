#include <mpi.h>
#include <stdio.h>
#include "exchange.h"

int main(int argc, char **argv)
{
    exchange ring;
    double sum = 0.0;
    MPI_Init(&argc, &argv);
    open_exchange(&ring);
    for (int i = 0; i < LENGTH; i++)
        ring.received[i] = 0.0;
    for (int step = 1; step <= 5; step++) {
        for (int i = 0; i < LENGTH; i++)
            ring.sent[i] = (ring.rank + 0.25) * 0.5 + step + i + 0.5 * ring.received[i];
        swap(&ring);
        for (int i = 0; i < LENGTH; i++)
            sum += ring.received[i];
    }
    if (ring.rank == 0)
        printf("%s: sum %24.16e\n", __FILE__, sum);
    MPI_Finalize();
    return 0;
}
