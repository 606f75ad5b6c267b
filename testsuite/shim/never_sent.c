/* Rank 0 waits for what rank 1 does not send, or does not receive, because it has called gravel_finalize: under GRAVEL_CHECK that
 * is an error of the wait, and standard error says where each of them is. On two ranks. */
#include "check.h"

static double halo[40000];

__attribute__((noinline)) static void await_message(void) {
    gravel_request request;
    CHECK(gravel_post_rcv_buffer_rdma(halo, 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(refused(gravel_wait(&request, halo, MPI_STATUS_IGNORE), MPI_ERR_OTHER,
                  "rank 1 has called gravel_finalize and has not sent the message with tag 7 that rank 0 waits for"));
}

__attribute__((noinline)) static void await_receive(void) {
    gravel_request request;
    CHECK(gravel_post_send(halo, 40000, MPI_DOUBLE, 1, 8, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(refused(gravel_wait(&request, halo, MPI_STATUS_IGNORE), MPI_ERR_OTHER,
                  "rank 1 has called gravel_finalize and has not posted a receive for the message with tag 8"));
}

int main(int argc, char **argv) {
    int rank;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    if (rank == 0) {
        await_message();
        await_receive();
    }
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
