/* Whether an exchange is worth overlapping: what is forced, what the first rounds are, and that either way brings the message. Runs on
 * 2 ranks. */
#include "check.h"

#define LENGTH 5000
#define ROUNDS 30

static int outgoing[LENGTH], incoming[LENGTH];

int main(int argc, char **argv) {
    int rank, size, yes = 0;
    const char *setting = getenv("GRAVEL_OVERLAP");
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(gravel_worth_overlapping("before gravel_init") == 0);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        gravel_request requests[2];
        int apart, other = (rank + 1) % size, sum = 0;
        for (int k = 0; k < LENGTH; k++) outgoing[k] = 100 * round + rank + k;
        CHECK(gravel_post_rcv_buffer_rdma(incoming, LENGTH, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
        CHECK(gravel_post_send(outgoing, LENGTH, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
        apart = gravel_worth_overlapping("overlap.c");
        /* Where nothing is forced, whole rounds are tried first. */
        CHECK(setting != NULL || round >= 3 || !apart);
        yes += apart;
        if (apart)
            for (int k = 0; k < LENGTH; k++) sum += outgoing[k];
        CHECK(gravel_wait(&requests[0], incoming, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_wait(&requests[1], outgoing, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        if (!apart)
            for (int k = 0; k < LENGTH; k++) sum += outgoing[k];
        for (int k = 0; k < LENGTH; k++) sum -= incoming[k];
        CHECK(sum == LENGTH * (rank - other));
        /* Nothing is under way: there is nothing to hide. */
        CHECK(setting != NULL || gravel_worth_overlapping("nothing under way") == 0);
    }
    if (setting != NULL) CHECK(yes == (strcmp(setting, "always") == 0 ? ROUNDS : 0));
    CHECK(gravel_finalize() == MPI_SUCCESS);
    if (rank == 0) printf("passed\n");
    MPI_Finalize();
    return 0;
}
