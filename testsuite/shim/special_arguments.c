/* MPI_PROC_NULL, MPI_COMM_SELF, MPI_COMM_NULL and an intercommunicator as arguments of every call: what comes of it is what comes of
 * MPI's own call. On two ranks. */
#include "check.h"

enum { POSTS = 9, RECEIVES = 3, PREPARES = 6 };

static int in[4], out[4];

/* The posts and transfers of Gravel, and what they are in MPI. */
static int post(int which, int count, int rank, int tag, MPI_Comm comm, gravel_request *request) {
    gravel_transfer transfer = GRAVEL_TRANSFER_NULL;
    int error;
    switch (which) {
    case 0: return gravel_post_send(out, count, MPI_INT, rank, tag, comm, request);
    case 1: return gravel_post_send_synchronous(out, count, MPI_INT, rank, tag, comm, request);
    case 2: return gravel_post_snd_buffer_rdma(out, count, MPI_INT, rank, tag, comm, request);
    case 3: return gravel_post_send_copied(out, count, MPI_INT, rank, tag, comm, request);
    case 4: return gravel_post_snd_buffer_copied(out, count, MPI_INT, rank, tag, comm, request);
    case 5: return gravel_post_snd_buffer_synchronous(out, count, MPI_INT, rank, tag, comm, request);
    case 6: error = gravel_wait_rcv_buffer(out, count, MPI_INT, rank, tag, comm, &transfer); break;
    case 7: error = gravel_wait_rcv_buffer_synchronous(out, count, MPI_INT, rank, tag, comm, &transfer); break;
    default: error = gravel_post_snd_request(out, count, MPI_INT, rank, tag, comm, &transfer);
    }
    if (error != MPI_SUCCESS) {
        CHECK(transfer == GRAVEL_TRANSFER_NULL);
        return error;
    }
    CHECK(gravel_tile(transfer, 100, 1) == 100);
    CHECK(gravel_post_os_put(transfer, out, 0, count) == MPI_SUCCESS);
    return gravel_send_fin(&transfer, request);
}

static int receive(int which, int rank, int tag, MPI_Comm comm, gravel_request *request) {
    switch (which) {
    case 0: return gravel_post_rcv_buffer_rdma(in, 4, MPI_INT, rank, tag, comm, request);
    case 1: return gravel_post_rcv_segments(in, 4, MPI_INT, rank, tag, comm, request);
    default: return gravel_post_rcv_announced(in, 4, MPI_INT, rank, tag, comm, request);
    }
}

static int prepare(int which, int rank, int tag, MPI_Comm comm, gravel_request *request) {
    switch (which) {
    case 0: return gravel_prepare_receive(in, 4, MPI_INT, rank, tag, comm, request);
    case 1: return gravel_prepare_announced_receive(in, 4, MPI_INT, rank, tag, comm, request);
    case 2: return gravel_prepare_send(out, 4, MPI_INT, rank, tag, comm, request);
    case 3: return gravel_prepare_announced_send(out, 4, MPI_INT, rank, tag, comm, request);
    case 4: return gravel_prepare_send_synchronous(out, 4, MPI_INT, rank, tag, comm, request);
    default: return gravel_prepare_announced_send_synchronous(out, 4, MPI_INT, rank, tag, comm, request);
    }
}

/* Gravel's say it as MPI 4.0, section 3.10, has it; not every MPI does. */
#define check_from_nobody(comm, status)                                                                                \
    do {                                                                                                               \
        if (gravel_rt_communicator_key((int)MPI_Comm_c2f(comm)) != 0) check_status_from_nobody(status, __LINE__);      \
    } while (0)

static void check_status_from_nobody(const MPI_Status *status, int line) {
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    check(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && count == 0, "a status of nobody", __FILE__, line);
}

/* Messages to and from nobody. */
static void check_nobody(MPI_Comm comm) {
    gravel_request request;
    MPI_Status status;
    int which, flag;
    for (which = 0; which < POSTS; which++) {
        CHECK(post(which, 4, MPI_PROC_NULL, 3, comm, &request) == MPI_SUCCESS);
        CHECK(gravel_wait(&request, out, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == GRAVEL_REQUEST_NULL);
    }
    for (which = 0; which < RECEIVES; which++) {
        in[0] = -1;
        CHECK(receive(which, MPI_PROC_NULL, which == 1 ? MPI_ANY_TAG : 3, comm, &request) == MPI_SUCCESS);
        if (which == 1) CHECK(gravel_wait_range(request, in, 0, 4) == MPI_SUCCESS);
        CHECK(gravel_tile_of_request(request, 100, 1) == 100);
        for (flag = 0; which == 2 && !flag;)
            CHECK(gravel_test(&request, in, &flag, &status) == MPI_SUCCESS);
        if (which < 2) CHECK(gravel_wait(&request, in, &status) == MPI_SUCCESS);
        check_from_nobody(comm, &status);
        CHECK(request == GRAVEL_REQUEST_NULL && in[0] == -1);
    }
    for (which = 0; which < PREPARES; which++) {
        CHECK(prepare(which, MPI_PROC_NULL, 3, comm, &request) == MPI_SUCCESS);
        CHECK(gravel_start(request, in) == MPI_SUCCESS);
        CHECK(gravel_wait(&request, in, &status) == MPI_SUCCESS && request != GRAVEL_REQUEST_NULL);
        if (which < 2) check_from_nobody(comm, &status);
        CHECK(gravel_release(&request) == MPI_SUCCESS && request == GRAVEL_REQUEST_NULL);
    }
    CHECK(gravel_wait_snd_request(MPI_PROC_NULL, MPI_ANY_TAG, comm, &status) == MPI_SUCCESS);
    check_from_nobody(comm, &status);
}

/* Messages to this rank itself, and between groups: sent first and received later. */
static void check_delivery(int rank, MPI_Comm comm, int value, int expected) {
    gravel_request sending, receiving;
    MPI_Status status;
    int which;
    for (which = 0; which < POSTS; which++) {
        /* What is announced is received so, where that makes a difference. */
        int announced = which == 2 || which == 4 || which == 5 || which == 8;
        int tag = announced ? 20 : 10, k;
        in[3] = -1;
        for (k = 0; k < 4; k++) out[k] = value + which + k;
        CHECK(receive(announced ? 2 : which % 2, rank, tag, comm, &receiving) == MPI_SUCCESS);
        CHECK(post(which, 4, rank, tag, comm, &sending) == MPI_SUCCESS);
        CHECK(gravel_wait(&receiving, in, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&sending, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(in[3] == expected + which + 3 && status.MPI_SOURCE == rank && status.MPI_TAG == tag);
    }
}

/* Where there is no communicator, MPI says so. */
static void check_no_communicator(void) {
    gravel_request request;
    gravel_transfer transfer;
    MPI_Request mpis;
    MPI_Datatype unknown;
    int which, sizes[1] = {8}, kinds[1] = {MPI_DISTRIBUTE_BLOCK}, blocks[1] = {MPI_DISTRIBUTE_DFLT_DARG}, processes[1] = {2};
    int expected = class_of(MPI_Isend(out, 4, MPI_INT, 0, 3, MPI_COMM_NULL, &mpis));
    CHECK(expected == MPI_ERR_COMM);
    CHECK(gravel_attach(MPI_COMM_NULL) == MPI_SUCCESS);
    for (which = 0; which < POSTS; which++) {
        /* A transfer is sent where it ends. */
        if (which < 6) CHECK(class_of(post(which, 4, 0, 3, MPI_COMM_NULL, &request)) == expected);
        if (which < 6) CHECK(request == GRAVEL_REQUEST_NULL);
    }
    CHECK(gravel_wait_rcv_buffer(out, 4, MPI_INT, 0, 3, MPI_COMM_NULL, &transfer) == MPI_SUCCESS);
    CHECK(class_of(gravel_send_fin(&transfer, &request)) == expected);
    CHECK(transfer == GRAVEL_TRANSFER_NULL && request == GRAVEL_REQUEST_NULL);
    for (which = 0; which < RECEIVES; which++) {
        CHECK(class_of(receive(which, 0, 3, MPI_COMM_NULL, &request)) == expected);
        CHECK(class_of(receive(which, MPI_PROC_NULL, 3, MPI_COMM_NULL, &request)) == expected);
    }
    for (which = 0; which < PREPARES; which++) CHECK(class_of(prepare(which, 0, 3, MPI_COMM_NULL, &request)) == expected);
    CHECK(class_of(gravel_post_alltoall(in, 1, MPI_INT, MPI_COMM_NULL, &request)) == expected);
    CHECK(class_of(gravel_send_alltoall(out, 1, MPI_INT, MPI_COMM_NULL, &request)) == expected);
    CHECK(class_of(gravel_open_alltoall(out, 1, MPI_INT, MPI_COMM_NULL, &transfer)) == expected);
    /* Also of a part of a distributed array. */
    MPI_Type_create_darray(2, 1, 1, sizes, kinds, blocks, processes, MPI_ORDER_C, MPI_INT, &unknown);
    MPI_Type_commit(&unknown);
    CHECK(class_of(gravel_post_send(out, 1, unknown, 0, 3, MPI_COMM_NULL, &request)) == expected);
    MPI_Type_free(&unknown);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm alone, inter;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - rank, 8, &inter);
    CHECK(gravel_attach(inter) == MPI_SUCCESS);
    check_nobody(MPI_COMM_WORLD);
    check_nobody(inter);
    check_nobody(MPI_COMM_SELF);
    check_delivery(0, MPI_COMM_SELF, 100, 100);
    check_delivery(0, inter, 100 * rank, 100 * (1 - rank));
    CHECK(gravel_attach(MPI_COMM_SELF) == MPI_SUCCESS);
    check_nobody(MPI_COMM_SELF);
    check_delivery(0, MPI_COMM_SELF, 100, 100);
    check_no_communicator();
    MPI_Comm_free(&inter);
    MPI_Comm_free(&alone);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
