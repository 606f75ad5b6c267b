/* Notes which ranks of a run have begun MPI_Finalize: for each a line with the number of all ranks, in the file that
   GRAVEL_TESTSUITE_FINALIZATION names. Loaded before a program of MPICH. */

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void note(void)
{
    const char *path = getenv("GRAVEL_TESTSUITE_FINALIZATION");
    int ranks = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0644) : -1;
    if (file >= 0) {
        /* A line of one write: lines of different processes do not mix. */
        if (dprintf(file, "%d\n", ranks) < 0)
            perror(path);
        close(file);
    }
}

int MPI_Finalize(void)
{
    note();
    return PMPI_Finalize();
}

/* MPICH's module mpi_f08 does not come by MPI_Finalize. */
void mpi_finalize_f08_(int *error)
{
    note();
    int code = PMPI_Finalize();
    if (error)
        *error = code;
}
