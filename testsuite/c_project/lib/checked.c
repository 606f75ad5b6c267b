#include "exchange.h"
#include <stdio.h>
#include <stdlib.h>

void check_mpi(int code, const char *file, int line)
{
    if (code != 0) {
        fprintf(stderr, "%s:%d: MPI failed\n", file, line);
        exit(1);
    }
}
