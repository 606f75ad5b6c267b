/* Every call of Gravel on communicators that are not attached: a duplicate, and an intercommunicator. Their messages are MPI's,
 * of datatypes that Gravel does not know, too. Runs on 2 ranks. */
#include "check.h"

enum { LONG = 30000 };

static int in[LONG], out[LONG];

/* Sends a message by one of the calls. */
static void send(int way, int length, int peer, int tag, MPI_Comm comm, gravel_request *request) {
    gravel_transfer transfer = GRAVEL_TRANSFER_NULL;
    int k;
    switch (way) {
    case 0: CHECK(gravel_post_send(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 1: CHECK(gravel_post_send_synchronous(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 2: CHECK(gravel_post_snd_buffer_rdma(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 3: CHECK(gravel_post_snd_buffer_synchronous(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 4: CHECK(gravel_post_send_copied(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); break;
    case 5: CHECK(gravel_post_snd_buffer_copied(out, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); break;
    case 6: CHECK(gravel_wait_rcv_buffer(out, length, MPI_INT, peer, tag, comm, &transfer) == MPI_SUCCESS); break;
    case 7:
        CHECK(gravel_wait_rcv_buffer_synchronous(out, length, MPI_INT, peer, tag, comm, &transfer) == MPI_SUCCESS);
        break;
    case 8: CHECK(gravel_post_snd_request(out, length, MPI_INT, peer, tag, comm, &transfer) == MPI_SUCCESS); break;
    default:
        CHECK(gravel_post_snd_request_synchronous(out, length, MPI_INT, peer, tag, comm, &transfer) == MPI_SUCCESS);
    }
    if (way < 6) {
        /* The copy has left: the buffer is the program's. */
        for (k = 0; k < length; k++) out[k] = -1;
        return;
    }
    CHECK(transfer != GRAVEL_TRANSFER_NULL && gravel_tile(transfer, 1000, 64) == 1000);
    CHECK(gravel_post_os_put(transfer, out, 0, length) == MPI_SUCCESS);
    CHECK(gravel_send_fin(&transfer, request) == MPI_SUCCESS && transfer == GRAVEL_TRANSFER_NULL);
}

static void receive(int way, int length, int peer, int tag, MPI_Comm comm, gravel_request *request) {
    MPI_Status status;
    int count;
    switch (way % 4) {
    case 0: CHECK(gravel_post_rcv_buffer_rdma(in, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 1: CHECK(gravel_post_rcv_segments(in, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS); return;
    case 2:
        CHECK(gravel_post_rcv_announced(in, length, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, request) == MPI_SUCCESS);
        return;
    default:
        CHECK(gravel_wait_snd_request(MPI_ANY_SOURCE, tag, comm, &status) == MPI_SUCCESS);
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == tag && count == length);
        CHECK(gravel_post_rcv_announced(in, length, MPI_INT, peer, tag, comm, request) == MPI_SUCCESS);
    }
}

static void check_messages(int rank, int peer, int length, MPI_Comm comm) {
    int way, k;
    gravel_request sending, receiving;
    MPI_Status status;
    for (way = 0; way < 10; way++) {
        for (k = 0; k < length; k++) out[k] = 1000 * way + rank + k, in[k] = -1;
        if (way % 4 != 3) receive(way, length, peer, way, comm, &receiving);
        send(way, length, peer, way, comm, &sending);
        if (way % 4 == 3) receive(way, length, peer, way, comm, &receiving);
        CHECK(!gravel_rt_is_own(receiving) && gravel_tile_of_request(receiving, 777, 64) == 777);
        if (way % 4 == 1) {
            CHECK(gravel_wait_range(receiving, in, length - 1, 1) == MPI_SUCCESS);
            CHECK(in[length - 1] == 1000 * way + (rank ^ 1) + length - 1 && receiving != GRAVEL_REQUEST_NULL);
        }
        CHECK(gravel_wait(&receiving, in, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&sending, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == way);
        for (k = 0; k < length; k++) CHECK(in[k] == 1000 * way + (rank ^ 1) + k);
    }
}

static void check_persistent(int rank, int peer, MPI_Comm comm) {
    gravel_request requests[6];
    int values[3] = {0, 0, 0}, got[3] = {0, 0, 0}, round, k;
    CHECK(gravel_prepare_receive(&got[0], 1, MPI_INT, peer, 1, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_prepare_send(&values[0], 1, MPI_INT, peer, 1, comm, &requests[1]) == MPI_SUCCESS);
    CHECK(gravel_prepare_announced_receive(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[2]) == MPI_SUCCESS);
    CHECK(gravel_prepare_announced_send(&values[1], 1, MPI_INT, peer, 2, comm, &requests[3]) == MPI_SUCCESS);
    CHECK(gravel_prepare_send_synchronous(&values[2], 1, MPI_INT, peer, 3, comm, &requests[4]) == MPI_SUCCESS);
    CHECK(gravel_prepare_announced_receive(&got[2], 1, MPI_INT, peer, 3, comm, &requests[5]) == MPI_SUCCESS);
    for (round = 0; round < 3; round++) {
        for (k = 0; k < 3; k++) values[k] = 10 * round + k + rank, got[k] = -1;
        CHECK(gravel_startall(6, requests) == MPI_SUCCESS);
        CHECK(gravel_waitall(6, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        for (k = 0; k < 3; k++) CHECK(got[k] == 10 * round + k + (rank ^ 1));
    }
    for (k = 0; k < 6; k++) CHECK(gravel_release(&requests[k]) == MPI_SUCCESS && requests[k] == GRAVEL_REQUEST_NULL);
}

/* A part of a distributed array, and a datatype of absolute addresses. */
static void check_datatypes(int rank, int peer, MPI_Comm comm) {
    int sizes[1] = {8}, kinds[1] = {MPI_DISTRIBUTE_BLOCK}, blocks[1] = {MPI_DISTRIBUTE_DFLT_DARG}, processes[1] = {2}, k;
    MPI_Datatype half, absolute;
    MPI_Aint address;
    gravel_request requests[2];
    gravel_transfer transfer;
    MPI_Type_create_darray(2, 1, 1, sizes, kinds, blocks, processes, MPI_ORDER_C, MPI_INT, &half);
    MPI_Type_commit(&half);
    for (k = 0; k < 8; k++) out[k] = 10 * rank + k, in[k] = -1;
    CHECK(gravel_post_rcv_buffer_rdma(in, 1, half, peer, 5, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_post_send(out, 1, half, peer, 5, comm, &requests[1]) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < 8; k++) CHECK(in[k] == (k < 4 ? -1 : 10 * (rank ^ 1) + k));
    MPI_Get_address(&out[3], &address);
    k = 2;
    MPI_Type_create_hindexed(1, &k, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    CHECK(gravel_post_rcv_buffer_rdma(in, 2, MPI_INT, peer, 6, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_post_send(MPI_BOTTOM, 1, absolute, peer, 6, comm, &requests[1]) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(in[0] == 10 * (rank ^ 1) + 3 && in[1] == 10 * (rank ^ 1) + 4);
    MPI_Type_free(&absolute);
    /* Freed before the message is ended. */
    for (k = 0; k < 8; k++) out[k] = 20 * rank + k, in[k] = -1;
    CHECK(gravel_post_rcv_segments(in, 1, half, peer, 7, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(out, 1, half, peer, 7, comm, &transfer) == MPI_SUCCESS);
    MPI_Type_free(&half);
    CHECK(gravel_post_os_put(transfer, out, 0, 1) == MPI_SUCCESS);
    CHECK(gravel_send_fin(&transfer, &requests[1]) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < 8; k++) CHECK(in[k] == (k < 4 ? -1 : 20 * (rank ^ 1) + k));
}

/* Copies are kept no longer than MPI needs them. */
static void check_copies(int rank, int peer, MPI_Comm comm) {
    enum { MANY = 2000 };
    gravel_request request;
    int k, kept, most = 0, handle;
    for (k = 0; k < MANY; k++) {
        out[0] = 1000 * rank + k;
        CHECK(gravel_post_send_copied(out, 100, MPI_INT, peer, 9, comm, &request) == MPI_SUCCESS);
        out[0] = -1;
        CHECK(gravel_release(&request) == MPI_SUCCESS);
        CHECK(gravel_post_rcv_buffer_rdma(in, 100, MPI_INT, peer, 9, comm, &request) == MPI_SUCCESS);
        CHECK(gravel_wait(&request, in, MPI_STATUS_IGNORE) == MPI_SUCCESS && in[0] == 1000 * (rank ^ 1) + k);
        for (kept = 0; gravel_rt_copy(kept, &handle); kept++) continue;
        if (kept > most) most = kept;
    }
    CHECK(most < MANY / 20);
}

/* Errors are MPI's own; a communicator that is none, too. */
static void check_errors(MPI_Comm comm) {
    gravel_request request;
    CHECK(class_of(gravel_post_send(out, 1, MPI_INT, 99, 0, comm, &request)) == MPI_ERR_RANK);
    CHECK(request == GRAVEL_REQUEST_NULL);
    CHECK(class_of(gravel_post_rcv_buffer_rdma(in, -1, MPI_INT, 0, 0, comm, &request)) == MPI_ERR_COUNT);
    CHECK(class_of(gravel_post_send(out, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request)) == MPI_ERR_COMM);
    CHECK(class_of(gravel_post_alltoall(in, 1, MPI_INT, MPI_COMM_NULL, &request)) == MPI_ERR_COMM);
    CHECK(request == GRAVEL_REQUEST_NULL);
    CHECK(gravel_post_send(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request) == MPI_SUCCESS);
    CHECK(gravel_wait(&request, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Exchanges, which are MPI_Alltoall and MPI_Alltoallv: halves in either order, sent at once and put in tiles, several under way, of
 * a datatype that is freed; counted alike on one side and for each rank on the other. */
static void check_exchanges(int rank, int ranks, MPI_Comm comm) {
    int counts[2] = {3, 3}, places[2] = {5, 0}, way, k, flag;
    MPI_Datatype three;
    gravel_request receives[2], sends[2];
    gravel_transfer transfer;
    for (way = 0; way < 6; way++) {
        for (k = 0; k < 20; k++) out[k] = 100 * way + 50 * rank + k, in[k] = -1;
        MPI_Type_contiguous(3, MPI_INT, &three);
        MPI_Type_commit(&three);
        if (way == 3) {
            CHECK(gravel_send_alltoall(out, 3, MPI_INT, comm, &sends[0]) == MPI_SUCCESS);
            CHECK(gravel_post_alltoall(in, 1, three, comm, &receives[0]) == MPI_SUCCESS);
            MPI_Type_free(&three);
        } else if (way < 3) {
            CHECK(gravel_post_alltoall_segments(in, 1, three, comm, &receives[0]) == MPI_SUCCESS);
            CHECK(receives[0] != GRAVEL_REQUEST_NULL && gravel_tile_of_request(receives[0], 77, 1) == 77);
            MPI_Type_free(&three);
            if (way == 0) {
                CHECK(gravel_send_alltoall(out, 3, MPI_INT, comm, &sends[0]) == MPI_SUCCESS);
            } else {
                CHECK(gravel_open_alltoall(out, 3, MPI_INT, comm, &transfer) == MPI_SUCCESS);
                CHECK(transfer != GRAVEL_TRANSFER_NULL && gravel_tile(transfer, 77, 1) == 77);
                for (k = 0; k < 3 * ranks; k++) CHECK(gravel_post_os_put(transfer, out, k, 1) == MPI_SUCCESS);
                CHECK(gravel_send_fin(&transfer, &sends[0]) == MPI_SUCCESS && transfer == GRAVEL_TRANSFER_NULL);
            }
            CHECK(gravel_wait_range(receives[0], in, 2, 1) == MPI_SUCCESS);
        } else {
            MPI_Type_free(&three);
            CHECK(gravel_post_alltoallv(in, counts, places, MPI_INT, comm, &receives[0]) == MPI_SUCCESS);
            if (way == 4) {
                CHECK(gravel_send_alltoall(out, 3, MPI_INT, comm, &sends[0]) == MPI_SUCCESS);
            } else {
                places[0] = 0, places[1] = 3;
                CHECK(gravel_open_alltoallv(out, counts, places, MPI_INT, comm, &transfer) == MPI_SUCCESS);
                places[0] = 5, places[1] = 0;
                CHECK(gravel_send_fin(&transfer, &sends[0]) == MPI_SUCCESS);
            }
        }
        if (way == 1) {
            for (k = 0; k < 2; k++) CHECK(gravel_test_request(k ? &sends[0] : &receives[0], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
        } else {
            CHECK(gravel_request_get_status(sends[0], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
            CHECK(gravel_wait(&receives[0], in, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(gravel_wait(&sends[0], out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(receives[0] == GRAVEL_REQUEST_NULL && sends[0] == GRAVEL_REQUEST_NULL);
        for (k = 0; k < 3 * ranks; k++) {
            int from = k / 3, peer = ranks == 1 ? 1 - rank : from;
            int place = way < 4 ? k : places[from] + k % 3;
            CHECK(in[place] == 100 * way + 50 * peer + 3 * (ranks == 1 ? 0 : rank) + k % 3);
        }
    }
    /* Two under way. */
    for (k = 0; k < 2; k++) out[k] = rank, out[2 + k] = 10 + rank;
    CHECK(gravel_post_alltoall(in, 1, MPI_INT, comm, &receives[0]) == MPI_SUCCESS);
    CHECK(gravel_post_alltoall(in + 2, 1, MPI_INT, comm, &receives[1]) == MPI_SUCCESS);
    CHECK(gravel_open_alltoall(out, 1, MPI_INT, comm, &transfer) == MPI_SUCCESS);
    CHECK(gravel_send_alltoall(out + 2, 1, MPI_INT, comm, &sends[1]) == MPI_SUCCESS);
    CHECK(gravel_send_fin(&transfer, &sends[0]) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, receives, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, sends, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < ranks; k++) CHECK(in[k] == (ranks == 1 ? 1 - rank : k) && in[2 + k] == 10 + (ranks == 1 ? 1 - rank : k));
}

int main(int argc, char **argv) {
    int rank, lengths[2] = {3, LONG}, k;
    MPI_Comm duplicate, alone, inter;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - rank, 8, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK(gravel_attach(inter) == MPI_SUCCESS);
    for (k = 0; k < 2; k++) {
        check_messages(rank, 1 - rank, lengths[k], duplicate);
        check_messages(rank, 0, lengths[k], inter);
    }
    check_persistent(rank, 1 - rank, duplicate);
    check_persistent(rank, 0, inter);
    check_datatypes(rank, 1 - rank, duplicate);
    check_datatypes(rank, 0, inter);
    check_copies(rank, 1 - rank, duplicate);
    check_copies(rank, 0, inter);
    check_exchanges(rank, 2, duplicate);
    check_exchanges(rank, 1, inter);
    check_errors(duplicate);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&duplicate);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
