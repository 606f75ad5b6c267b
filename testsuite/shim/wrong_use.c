/* Calls that are wrong are errors with a text, and change nothing: before gravel_init and after gravel_finalize, from
 * another thread, with handles that are over, invented, or another rank's. On two ranks. */
#include "check.h"
#include <pthread.h>

static int buffer[30000];

static void check_without_runtime(void) {
    gravel_request request = (gravel_request)1;
    gravel_transfer transfer;
    int flag;
    /* The call is named, also where the datatype is one that nobody has asked about before. */
    CHECK(refused(gravel_post_rcv_buffer_rdma(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_OTHER,
                  "gravel_post_rcv_buffer_rdma: gravel is not initialised"));
    CHECK(refused(gravel_post_send(buffer, 1, MPI_SHORT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_OTHER,
                  "gravel_post_send: gravel is not initialised"));
    CHECK(refused(gravel_wait_rcv_buffer(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &transfer), MPI_ERR_OTHER,
                  "gravel_wait_rcv_buffer: gravel is not initialised"));
    request = (gravel_request)1;
    CHECK(refused(gravel_wait(&request, buffer, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "not initialised"));
    request = (gravel_request)1;
    CHECK(refused(gravel_test(&request, buffer, &flag, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "not initialised"));
    CHECK(refused(gravel_cancel((gravel_request)1), MPI_ERR_OTHER, "not initialised"));
    CHECK(refused(gravel_finalize(), MPI_ERR_OTHER, "not initialised"));
}

static void *wait_elsewhere(void *request) {
    CHECK(refused(gravel_wait((gravel_request *)request, buffer, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "thread"));
    return NULL;
}

int main(int argc, char **argv) {
    int rank, index;
    long long mine, theirs;
    gravel_request receive, send, copy;
    gravel_transfer transfer;
    pthread_t thread;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_without_runtime();
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(refused(gravel_init(MPI_COMM_WORLD), MPI_ERR_OTHER, "called twice"));

    /* Handles of the ranks would be the same numbers, had they made the same calls. */
    for (index = 0; index < rank; index++) CHECK(exchange(7, rank, rank, 9, MPI_COMM_WORLD) == 7);

    /* A receive that is posted here: waited for from another thread, with another rank's handle, with invented ones. */
    CHECK(gravel_post_rcv_buffer_rdma(buffer, 30000, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    copy = receive;
    CHECK(pthread_create(&thread, NULL, wait_elsewhere, &copy) == 0);
    pthread_join(thread, NULL);
    mine = (long long)receive;
    MPI_Sendrecv(&mine, 1, MPI_LONG_LONG, 1 - rank, 0, &theirs, 1, MPI_LONG_LONG, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(theirs != mine);
    copy = (gravel_request)theirs;
    CHECK(refused(gravel_wait(&copy, buffer, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
    for (index = 0; index < 3; index++) {
        static const long long invented[] = {-1, 0x7fffffffffffffffLL, 12345};
        copy = (gravel_request)invented[index];
        CHECK(refused(gravel_wait(&copy, buffer, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
        transfer = (gravel_transfer)invented[index];
        CHECK(refused(gravel_post_os_put(transfer, buffer, 0, 1), MPI_ERR_REQUEST, "gravel_post_os_put"));
        CHECK(refused(gravel_send_fin(&transfer, &send), MPI_ERR_REQUEST, "gravel_send_fin"));
    }

    /* None of that has touched the receive. Its handle is null after its wait; a copy of it is refused. */
    {
        static int message[30000];
        for (index = 0; index < 30000; index++) message[index] = index + rank;
        CHECK(gravel_post_send(message, 30000, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        copy = receive;
        CHECK(gravel_wait(&receive, buffer, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (index = 0; index < 30000; index++) CHECK(buffer[index] == index + 1 - rank);
        CHECK(refused(gravel_wait(&copy, buffer, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
        CHECK(gravel_wait(&receive, buffer, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(gravel_finalize() == MPI_SUCCESS);
    check_without_runtime();
    return finish();
}
