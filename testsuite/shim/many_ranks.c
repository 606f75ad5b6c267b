/* gravel_init, gravel_attach and gravel_finalize where ranks outnumber the processors by far: whoever waits for others must
 * leave them a processor. Runs on any number of ranks. */
#include "check.h"

int main(int argc, char **argv) {
    MPI_Comm duplicate;
    start(&argc, &argv);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    check_ring(MPI_COMM_WORLD, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    CHECK(gravel_attach(duplicate) == MPI_SUCCESS);
    check_ring(duplicate, 1);
    MPI_Comm_free(&duplicate);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
