/* Calls that are wrong are errors with a text, and change nothing: before gravel_init and after gravel_finalize, also where
 * MPI is not there, from another thread, with handles that are over, invented, or another rank's; and, under GRAVEL_CHECK,
 * with buffers that are gone. On two ranks. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

static int buffer[30000];

/* A request that nothing has given out. */
static gravel_request invented(void) {
    return gravel_request_f2c(0x3d234567);
}

static void check_without_runtime(void) {
    gravel_request request = invented();
    gravel_transfer transfer;
    int flag;
    /* The call is named, also where the datatype is one that nobody has asked about before. */
    CHECK(refused(gravel_post_rcv_buffer_rdma(buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_OTHER,
                  "gravel_post_rcv_buffer_rdma: gravel is not initialised"));
    CHECK(refused(gravel_post_send(buffer, 1, MPI_SHORT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_OTHER,
                  "gravel_post_send: gravel is not initialised"));
    CHECK(refused(gravel_wait_rcv_buffer(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &transfer), MPI_ERR_OTHER,
                  "gravel_wait_rcv_buffer: gravel is not initialised"));
    request = invented();
    CHECK(refused(gravel_wait(&request, buffer, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "not initialised"));
    request = invented();
    CHECK(refused(gravel_test(&request, buffer, &flag, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "not initialised"));
    CHECK(refused(gravel_cancel(invented()), MPI_ERR_OTHER, "not initialised"));
    CHECK(refused(gravel_finalize(), MPI_ERR_OTHER, "not initialised"));
}

/* A call without MPI, whose error handlers and classes of errors are not there: it has failed with this text. */
static void check_refused(int error, const char *text) {
    if (error == MPI_ERR_OTHER && strstr(gravel_rt_error_text(), text) != NULL) return;
    fprintf(stderr, "without MPI, a call has returned %d, expected was \"%s\": %s\n", error, text,
            gravel_rt_error_text());
    abort();
}

/* Calls that post or open something: they name a communicator and a datatype, about which MPI must not be asked, and leave
 * a null handle. */
#define CHECK_POST(call, text)                                                                                         \
    do {                                                                                                               \
        request = invented(), transfer = 1;                                                                            \
        check_refused(call, text);                                                                                     \
        if (request != GRAVEL_REQUEST_NULL && transfer != GRAVEL_TRANSFER_NULL) abort();                               \
    } while (0)

/* Before MPI_Init, after MPI_Finalize, and after an MPI_Finalize without gravel_finalize: every call of gravel.h. */
static void check_without_mpi(const char *why) {
    gravel_request request;
    gravel_transfer transfer;
    MPI_Status status;
    MPI_Datatype type = MPI_DOUBLE; /* about which nobody has asked before */
    MPI_Comm comm = MPI_COMM_WORLD;
    int index = 0, flag = 0;
    check_refused(gravel_init(comm), "gravel_init: MPI is not there");
    check_refused(gravel_attach(comm), "gravel_attach: MPI is not there");
    check_refused(gravel_finalize(), "gravel_finalize: MPI is not there");
    if (gravel_attach(MPI_COMM_NULL) != MPI_SUCCESS) abort();

    CHECK_POST(gravel_post_rcv_buffer_rdma(buffer, 1, type, 0, 0, comm, &request), why);
    CHECK_POST(gravel_post_rcv_segments(buffer, 1, type, 0, 0, comm, &request), why);
    CHECK_POST(gravel_post_rcv_announced(buffer, 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request), why);
    CHECK_POST(gravel_wait_rcv_buffer(buffer, 1, type, 0, 0, comm, &transfer), why);
    CHECK_POST(gravel_post_snd_request(buffer, 1, type, 0, 0, comm, &transfer), why);
    CHECK_POST(gravel_post_snd_buffer_rdma(buffer, 1, type, 0, 0, comm, &request), why);
    CHECK_POST(gravel_post_send(buffer, 1, type, 0, 0, comm, &request), why);
    CHECK_POST(gravel_post_send(buffer, 1, type, MPI_PROC_NULL, 0, comm, &request), why);
    CHECK_POST(gravel_post_alltoall(buffer, 1, type, comm, &request), why);
    CHECK_POST(gravel_post_alltoall_segments(buffer, 1, type, comm, &request), why);
    CHECK_POST(gravel_open_alltoall(buffer, 1, type, comm, &transfer), why);
    CHECK_POST(gravel_send_alltoall(buffer, 1, type, comm, &request), why);
    check_refused(gravel_wait_snd_request(MPI_ANY_SOURCE, 0, comm, &status), why);

    transfer = 1, request = invented();
    if (gravel_tile(transfer, 100, 64) != 100) abort();
    check_refused(gravel_post_os_put(transfer, buffer, 0, 1), why);
    check_refused(gravel_send_fin(&transfer, &request), why);
    check_refused(gravel_wait(&request, buffer, &status), why);
    check_refused(gravel_waitall(1, &request, MPI_STATUSES_IGNORE), why);
    check_refused(gravel_waitany(1, &request, &index, &status), why);
    if (index != MPI_UNDEFINED) abort();
    check_refused(gravel_test(&request, buffer, &flag, &status), why);
    check_refused(gravel_wait_range(request, buffer, 0, 1), why);
    check_refused(gravel_cancel(request), "gravel_cancel");
    gravel_f_sync_reg(buffer);
}

/* The program gives the memory of a receive, or of a send, back to the system before its wait. */
static void check_gone(int rank, int of_send) {
    enum { BYTES = 1 << 20 };
    char *areas[2];
    gravel_request requests[2];
    int k;
    for (k = 0; k < 2; k++) {
        areas[k] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(areas[k] != MAP_FAILED);
    }
    CHECK(gravel_post_rcv_buffer_rdma(areas[0], BYTES, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_post_send(areas[1], BYTES, MPI_CHAR, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    /* The receive first: the other rank's send may need its memory until then. */
    for (k = 0; k < 2; k++) {
        if (k == of_send) munmap(areas[k], BYTES);
        if (k == of_send)
            CHECK(refused(gravel_wait(&requests[k], areas[k], MPI_STATUS_IGNORE), MPI_ERR_BUFFER, "GRAVEL_CHECK"));
        else
            CHECK(gravel_wait(&requests[k], areas[k], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(requests[k] == GRAVEL_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    munmap(areas[1 - of_send], BYTES);
}

static void *wait_elsewhere(void *request) {
    CHECK(refused(gravel_wait((gravel_request *)request, buffer, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "thread"));
    return NULL;
}

int main(int argc, char **argv) {
    int rank, index;
    int mine, theirs;
    gravel_request receive, send, copy;
    gravel_transfer transfer;
    pthread_t thread;
    check_without_mpi("gravel is not initialised");
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
    mine = (int)gravel_request_c2f(receive);
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(theirs != mine);
    copy = gravel_request_f2c(theirs);
    CHECK(refused(gravel_wait(&copy, buffer, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
    for (index = 0; index < 3; index++) {
        static const int of_requests[] = {0x3fffffff, 0x3d234567, 0x3c012345}, of_transfers[] = {-1, 0x7fffffff, 12345};
        copy = gravel_request_f2c(of_requests[index]);
        CHECK(refused(gravel_wait(&copy, buffer, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
        transfer = of_transfers[index];
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
    if (getenv("GRAVEL_CHECK") != NULL) {
        check_gone(rank, 0);
        check_gone(rank, 1);
    }
    CHECK(gravel_finalize() == MPI_SUCCESS);
    check_without_runtime();
    /* Once more, and this time MPI ends before it. */
    if (getenv("FORGET_GRAVEL_FINALIZE") != NULL) {
        CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK(gravel_post_rcv_buffer_rdma(buffer, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
        finish(); /* which ends the runtime, too */
        check_without_mpi("gravel is not initialised");
        return 0;
    }
    finish();
    check_without_mpi("gravel is not initialised");
    return 0;
}
