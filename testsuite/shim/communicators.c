/* gravel_attach: communicators of every make, freed and made again. Runs on 4 ranks. */
#include "check.h"

/* Every way to make a communicator. */
static void check_makes(int rank, int size) {
    MPI_Comm duplicate, part, created, grid, row;
    MPI_Group world_group, group;
    int members[2] = {3, 1}, dimensions[2] = {2, 2}, periods[2] = {1, 1}, rows[2] = {0, 1}, error;

    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    check_left_to_mpi(duplicate);
    CHECK(gravel_attach(duplicate) == MPI_SUCCESS);
    CHECK(gravel_attach(duplicate) == MPI_SUCCESS); /* a second time does nothing */
    check_ring(duplicate, 5);

    /* Reversed ranks. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    CHECK(gravel_attach(part) == MPI_SUCCESS);
    check_ring(part, 5);

    /* Two of the four ranks, the others have no communicator. */
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Group_incl(world_group, 2, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &created);
    CHECK((created == MPI_COMM_NULL) == (rank % 2 == 0));
    CHECK(gravel_attach(created) == MPI_SUCCESS);
    if (created != MPI_COMM_NULL) check_ring(created, 5);

    error = MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 1, &grid);
    CHECK(error == MPI_SUCCESS && size == 4);
    CHECK(gravel_attach(grid) == MPI_SUCCESS);
    check_ring(grid, 5);
    MPI_Cart_sub(grid, rows, &row);
    CHECK(gravel_attach(row) == MPI_SUCCESS);
    check_ring(row, 5);

    CHECK(gravel_attach(MPI_COMM_SELF) == MPI_SUCCESS);
    CHECK(exchange(rank, 0, 0, 9, MPI_COMM_SELF) == rank);
    CHECK(gravel_attach(MPI_COMM_WORLD) == MPI_SUCCESS); /* gravel_init's own */
    check_ring(MPI_COMM_WORLD, 5);

    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    if (created != MPI_COMM_NULL) MPI_Comm_free(&created);
    MPI_Comm_free(&part);
    MPI_Comm_free(&duplicate);
    MPI_Group_free(&group);
    MPI_Group_free(&world_group);
}

/* The same tag on two communicators: receives posted in one order, messages sent in the other. */
static void check_tags_do_not_mix(int rank, int size) {
    MPI_Comm other;
    int here = -1, there = -1, to = (rank + 1) % size, from = (rank + size - 1) % size, k;
    int values[2] = {100 + rank, 200 + rank};
    gravel_request receives[2], sends[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    CHECK(gravel_attach(other) == MPI_SUCCESS);
    for (k = 0; k < 100; k++) {
        gravel_post_rcv_buffer_rdma(&here, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &receives[0]);
        gravel_post_rcv_buffer_rdma(&there, 1, MPI_INT, from, 1, other, &receives[1]);
        gravel_post_send(&values[1], 1, MPI_INT, to, 1, other, &sends[1]);
        gravel_post_send(&values[0], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &sends[0]);
        CHECK(gravel_waitall(2, receives, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_waitall(2, sends, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(here == 100 + from && there == 200 + from);
    }
    MPI_Comm_free(&other);
}

/* Handles come back from MPI for other communicators: one that is not attached is never taken for the one before, and
 * one that is has other ranks and no old messages. */
static void check_reused_handles(int rank) {
    MPI_Comm attached, next;
    MPI_Fint handle;
    int k, reused = 0, unread = 7;
    gravel_request request;
    for (k = 0; k < 50; k++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, k % 2 ? rank : -rank, &attached);
        CHECK(gravel_attach(attached) == MPI_SUCCESS);
        handle = MPI_Comm_c2f(attached);
        check_ring(attached, 3);
        /* Nobody receives this one. */
        gravel_post_send(&unread, 1, MPI_INT, 0, 4, attached, &request);
        CHECK(gravel_wait(&request, &unread, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Comm_free(&attached);

        MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &next);
        reused += MPI_Comm_c2f(next) == handle;
        check_left_to_mpi(next);
        CHECK(gravel_attach(next) == MPI_SUCCESS);
        CHECK(exchange(rank, rank % 2 ? 0 : 1, rank % 2 ? 0 : 1, 4, next) == (rank ^ 1));
        MPI_Comm_free(&next);
    }
    CHECK(reused > 0); /* or nothing was tested */
}

/* A duplicate of an attached communicator is another one. */
static void check_duplicates(void) {
    MPI_Comm attached, duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &attached);
    CHECK(gravel_attach(attached) == MPI_SUCCESS);
    MPI_Comm_dup(attached, &duplicate);
    check_left_to_mpi(duplicate);
    MPI_Comm_free(&duplicate);
    check_ring(attached, 2); /* not detached by what happened to its duplicate */
    MPI_Comm_free(&attached);
}

/* What was posted before MPI_Comm_free completes, with ranks of the communicator that is gone; also while another one,
 * perhaps of the same handle, is being attached and used. */
static void check_freed_in_flight(int rank, int bytes) {
    MPI_Comm comm, next;
    MPI_Status status;
    gravel_request receive, send;
    gravel_transfer transfer;
    int peer, k, count, tile = bytes / 4;
    char *in = malloc((size_t)bytes), *out = malloc((size_t)bytes);
    CHECK(in != NULL && out != NULL);
    memset(in, 0, (size_t)bytes);
    memset(out, rank + 1, (size_t)bytes);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    CHECK(gravel_attach(comm) == MPI_SUCCESS);
    MPI_Comm_rank(comm, &peer);
    peer = 1 - peer;
    CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, peer, 6, comm, &receive) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(out, bytes, MPI_CHAR, peer, 6, comm, &transfer) == MPI_SUCCESS);
    CHECK(gravel_post_os_put(transfer, out, 0, tile) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    CHECK(gravel_attach(next) == MPI_SUCCESS);
    check_ring(next, 6);
    for (k = 1; k < 4; k++) CHECK(gravel_post_os_put(transfer, out, k * tile, tile) == MPI_SUCCESS);
    CHECK(gravel_send_fin(&transfer, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_CHAR, &count);
    CHECK(status.MPI_SOURCE == peer && count == bytes);
    for (k = 0; k < bytes; k++) CHECK(in[k] == (rank ^ 2) + 1);
    MPI_Comm_free(&next);
    free(in);
    free(out);
}

/* An MPI may drop a freed communicator only when MPI's own messages on it are over: inside a wait of Gravel. */
static void check_freed_by_progress(int rank) {
    enum { BYTES = 1 << 20 };
    MPI_Comm comm;
    MPI_Request requests[2];
    gravel_request receive, send;
    int peer = rank ^ 1, received = -1;
    char *in = malloc(BYTES), *out = calloc(BYTES, 1);
    CHECK(in != NULL && out != NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(gravel_attach(comm) == MPI_SUCCESS);
    CHECK(gravel_post_rcv_buffer_rdma(&received, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    MPI_Irecv(in, BYTES, MPI_CHAR, peer, 6, comm, &requests[0]);
    MPI_Isend(out, BYTES, MPI_CHAR, peer, 6, comm, &requests[1]);
    MPI_Comm_free(&comm);
    if (rank % 2 == 0) CHECK(gravel_wait(&receive, &received, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(gravel_post_send(&rank, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, &rank, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, &received, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(received == peer);
    free(in);
    free(out);
}

static void check_intercommunicator(int rank) {
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 8, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK(gravel_attach(inter) == MPI_SUCCESS);
    CHECK(gravel_rt_communicator_key((int)MPI_Comm_c2f(inter)) == 0);
    CHECK(exchange(rank, rank % 2, rank % 2, 9, inter) == (rank ^ 2));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static int called_here, called_elsewhere;

static void count_here(MPI_Comm *comm, int *error, ...) {
    (void)comm, (void)error;
    called_here++;
}

static void count_elsewhere(MPI_Comm *comm, int *error, ...) {
    (void)comm, (void)error;
    called_elsewhere++;
}

/* Was exactly one error handler called, that of the operation's communicator? */
static int one_call_here(void) {
    int is_so = called_here == 1 && called_elsewhere == 0;
    called_here = called_elsewhere = 0;
    return is_so;
}

/* Calls that name an operation and no communicator: a failed one goes to the error handler of the operation's (MPI 4.0,
 * section 9.3). Short and long messages take different ways to their errors. */
static void check_error_handlers(int rank, int bytes) {
    MPI_Comm comm;
    MPI_Errhandler here, elsewhere;
    gravel_request requests[2];
    gravel_transfer transfer;
    int peer = rank ^ 1, index, flag, error;
    char *buffer = calloc((size_t)bytes, 1);
    CHECK(buffer != NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(gravel_attach(comm) == MPI_SUCCESS);
    MPI_Comm_create_errhandler(count_here, &here);
    MPI_Comm_create_errhandler(count_elsewhere, &elsewhere);
    MPI_Comm_set_errhandler(comm, here);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, elsewhere);

    if (rank % 2 == 0) {
        /* Messages that are longer than their receives: errors of waits. */
        CHECK(gravel_post_rcv_buffer_rdma(buffer, bytes / 2, MPI_CHAR, peer, 1, comm, &requests[0]) == MPI_SUCCESS);
        CHECK(refused(gravel_wait(&requests[0], buffer, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "gravel_wait"));
        CHECK(one_call_here());
        CHECK(gravel_post_rcv_buffer_rdma(buffer, bytes / 2, MPI_CHAR, peer, 1, comm, &requests[0]) == MPI_SUCCESS);
        do error = gravel_test(&requests[0], buffer, &flag, MPI_STATUS_IGNORE);
        while (error == MPI_SUCCESS && !flag);
        CHECK(refused(error, MPI_ERR_TRUNCATE, "gravel_test"));
        CHECK(one_call_here());
        requests[0] = GRAVEL_REQUEST_NULL;
        CHECK(gravel_post_rcv_buffer_rdma(buffer, bytes / 2, MPI_CHAR, peer, 1, comm, &requests[1]) == MPI_SUCCESS);
        CHECK(refused(gravel_waitany(2, requests, &index, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "gravel_waitany"));
        CHECK(index == 1 && one_call_here());
        /* The message that is not ended properly below. */
        CHECK(gravel_post_rcv_buffer_rdma(buffer, bytes, MPI_CHAR, peer, 2, comm, &requests[0]) == MPI_SUCCESS);
        CHECK(gravel_wait_range(requests[0], buffer, 0, bytes + 1) != MPI_SUCCESS);
        CHECK(one_call_here());
        CHECK(gravel_wait(&requests[0], buffer, MPI_STATUS_IGNORE) != MPI_SUCCESS);
        CHECK(one_call_here());
    } else {
        for (index = 0; index < 3; index++) {
            CHECK(gravel_post_send(buffer, bytes, MPI_CHAR, peer, 1, comm, &requests[0]) == MPI_SUCCESS);
            /* A short send is over before its receiver can know that it is too long. */
            if (gravel_wait(&requests[0], buffer, MPI_STATUS_IGNORE) != MPI_SUCCESS) CHECK(one_call_here());
        }
        CHECK(gravel_wait_rcv_buffer(buffer, bytes, MPI_CHAR, peer, 2, comm, &transfer) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, buffer, bytes, 1) != MPI_SUCCESS);
        CHECK(one_call_here());
        CHECK(gravel_post_os_put(transfer, buffer, 0, 1) == MPI_SUCCESS);
        CHECK(gravel_send_fin(&transfer, &requests[0]) != MPI_SUCCESS);
        CHECK(one_call_here());
    }
    /* A handle that names no operation is an error of gravel_init's communicator. */
    requests[0] = gravel_request_f2c(0x3d234567);
    CHECK(gravel_wait(&requests[0], buffer, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(called_here == 0 && called_elsewhere == 1);
    called_elsewhere = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&here);
    MPI_Errhandler_free(&elsewhere);
    MPI_Comm_free(&comm);
    free(buffer);
}

int main(int argc, char **argv) {
    int rank, size;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    CHECK(refused(gravel_attach(MPI_COMM_WORLD), MPI_ERR_OTHER, "gravel_attach: gravel is not initialised"));
    CHECK(gravel_attach(MPI_COMM_NULL) == MPI_SUCCESS);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    check_makes(rank, size);
    check_tags_do_not_mix(rank, size);
    check_reused_handles(rank);
    check_duplicates();
    check_freed_in_flight(rank, 400);
    check_freed_in_flight(rank, 400000);
    check_freed_by_progress(rank);
    check_intercommunicator(rank);
    check_error_handlers(rank, 400);
    check_error_handlers(rank, 400000);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    CHECK(refused(gravel_attach(MPI_COMM_WORLD), MPI_ERR_OTHER, "gravel_attach: gravel is not initialised"));
    return finish();
}
