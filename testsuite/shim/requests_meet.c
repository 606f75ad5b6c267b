/* An MPI whose requests look like those of Gravel: gravel_init refuses. Here a function of the program stands for such an MPI. */
#include "check.h"

int MPI_Recv_init(void *buffer, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    (void)buffer, (void)count, (void)datatype, (void)source, (void)tag, (void)comm;
    *request = gravel_rt_request_of(0x3c000123);
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    start(&argc, &argv);
    CHECK(refused(gravel_init(MPI_COMM_WORLD), MPI_ERR_OTHER, "gravel_init: a handle of this MPI"));
    CHECK(refused(gravel_finalize(), MPI_ERR_OTHER, "not initialised"));
    return finish();
}
