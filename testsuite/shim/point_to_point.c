/* What MPI has beside plain sends and receives: probes, matched probes, buffered sends, cancel, errors that are returned,
 * MPI_BOTTOM, persistent requests. Built three ways: as it is, with MPI alone; likewise, and run with libgravel_mpi.so before
 * MPI; and with the calls of gravel.h (WITH_GRAVEL). All must pass. Runs on 2 ranks. */
#ifdef WITH_GRAVEL
#include "gravel.h"
#else
#include <mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_GRAVEL
#define MPI_Probe gravel_probe
#define MPI_Iprobe gravel_iprobe
#define MPI_Mprobe gravel_mprobe
#define MPI_Improbe gravel_improbe
#define MPI_Mrecv gravel_mrecv
#define MPI_Imrecv gravel_imrecv
#define MPI_Buffer_attach gravel_buffer_attach
#define MPI_Buffer_detach gravel_buffer_detach
#define MPI_Ibsend gravel_post_bsend
#define MPI_Bsend_init gravel_prepare_bsend
#define MPI_Send_init gravel_prepare_announced_send
#define MPI_Recv_init gravel_prepare_announced_receive
#define MPI_Sendrecv_replace gravel_sendrecv_replace
#define MPI_Isend gravel_post_snd_buffer_rdma
#define MPI_Irecv gravel_post_rcv_announced
#define MPI_Wait gravel_wait_request
#define MPI_Test gravel_test_request
#define MPI_Waitall gravel_waitall
#define MPI_Waitany gravel_waitany
#define MPI_Cancel(request) gravel_cancel(*(request))
#define MPI_Start(request) gravel_start(*(request), NULL)
#define MPI_Request_free gravel_release
#endif

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static int rank, peer;

static void check(int holds, const char *condition, int line) {
    if (holds) return;
    fprintf(stderr, "line %d, rank %d: does not hold: %s\n", line, rank, condition);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int class_of(int error) {
    int found;
    MPI_Error_class(error, &found);
    return found;
}

static int count_of(MPI_Status *status) {
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

enum { MESSAGES = 4, LONGEST = 300000 };
static const int lengths[MESSAGES] = {1, 3000, 70000, LONGEST};
static int in[LONGEST], out[MESSAGES][LONGEST];

static void send_all(MPI_Request *requests) {
    int k, i;
    for (k = 0; k < MESSAGES; k++) {
        for (i = 0; i < lengths[k]; i++) out[k][i] = 1000 * k + i;
        MPI_Isend(out[k], lengths[k], MPI_INT, peer, 5 + k % 2, MPI_COMM_WORLD, &requests[k]);
    }
}

static void check_message(int k) {
    int i;
    for (i = 0; i < lengths[k]; i++)
        if (in[i] != 1000 * k + i) CHECK(!"what has come is what was sent");
    memset(in, 0, sizeof in);
}

static void check_probes(MPI_Comm comm) {
    MPI_Request requests[MESSAGES], request;
    MPI_Status statuses[MESSAGES];
    MPI_Message first, second, nobody;
    MPI_Status status;
    int k, flag = 0;
    /* Nothing is there for this tag. */
    CHECK(MPI_Iprobe(MPI_ANY_SOURCE, 77, comm, &flag, &status) == MPI_SUCCESS && !flag);
    CHECK(MPI_Improbe(MPI_ANY_SOURCE, 77, comm, &flag, &first, &status) == MPI_SUCCESS && !flag);
    MPI_Barrier(comm);
    if (rank == 0) {
        send_all(requests);
        MPI_Waitall(MESSAGES, requests, statuses);
    } else {
        /* The first of its sender, whatever its tag; a probe leaves it there. */
        for (k = 0; k < 2; k++) {
            CHECK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status) == MPI_SUCCESS);
            CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 5 && count_of(&status) == lengths[0]);
        }
        CHECK(MPI_Mprobe(0, MPI_ANY_TAG, comm, &first, &status) == MPI_SUCCESS);
        CHECK(status.MPI_TAG == 5 && count_of(&status) == lengths[0] && first != MPI_MESSAGE_NULL);
        /* It is gone for others. */
        CHECK(MPI_Probe(0, 5, comm, &status) == MPI_SUCCESS && count_of(&status) == lengths[2]);
        do CHECK(MPI_Improbe(MPI_ANY_SOURCE, 6, comm, &flag, &second, &status) == MPI_SUCCESS);
        while (!flag);
        CHECK(status.MPI_SOURCE == 0 && count_of(&status) == lengths[1]);
        do CHECK(MPI_Iprobe(0, MPI_ANY_TAG, comm, &flag, &status) == MPI_SUCCESS);
        while (!flag);
        CHECK(status.MPI_TAG == 5 && count_of(&status) == lengths[2]);
        CHECK(MPI_Imrecv(in, lengths[1], MPI_INT, &second, &request) == MPI_SUCCESS && second == MPI_MESSAGE_NULL);
        CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && count_of(&status) == lengths[1]);
        check_message(1);
        CHECK(MPI_Mrecv(in, LONGEST, MPI_INT, &first, &status) == MPI_SUCCESS && first == MPI_MESSAGE_NULL);
        CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 5 && count_of(&status) == lengths[0]);
        check_message(0);
        /* Of the last two one is received as usual, one after a matched probe, into elements that lie apart. */
        MPI_Irecv(in, LONGEST, MPI_INT, MPI_ANY_SOURCE, 5, comm, &request);
        MPI_Wait(&request, &status);
        CHECK(count_of(&status) == lengths[2]);
        check_message(2);
        {
            MPI_Datatype twos;
            int *apart = calloc(2 * LONGEST, sizeof *apart);
            MPI_Type_vector(LONGEST, 1, 2, MPI_INT, &twos);
            MPI_Type_commit(&twos);
            CHECK(MPI_Mprobe(0, 6, comm, &first, &status) == MPI_SUCCESS && count_of(&status) == lengths[3]);
            CHECK(MPI_Mrecv(apart, 1, twos, &first, &status) == MPI_SUCCESS && count_of(&status) == lengths[3]);
            for (k = 0; k < LONGEST; k++) in[k] = apart[2 * k];
            for (k = 1; k < 2 * LONGEST; k += 2)
                if (apart[k] != 0) CHECK(!"gaps are left alone");
            check_message(3);
            MPI_Type_free(&twos);
            free(apart);
        }
    }
    CHECK(MPI_Probe(MPI_PROC_NULL, 3, comm, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count_of(&status) == 0);
    CHECK(MPI_Iprobe(MPI_PROC_NULL, 3, comm, &flag, &status) == MPI_SUCCESS && flag && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(MPI_Mprobe(MPI_PROC_NULL, 3, comm, &nobody, &status) == MPI_SUCCESS && nobody == MPI_MESSAGE_NO_PROC);
    CHECK(MPI_Mrecv(in, 1, MPI_INT, &nobody, &status) == MPI_SUCCESS && nobody == MPI_MESSAGE_NULL);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(MPI_Improbe(MPI_PROC_NULL, 3, comm, &flag, &nobody, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
    CHECK(MPI_Imrecv(in, 1, MPI_INT, &nobody, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL);
}

/* Whether Open MPI itself carries the messages. */
static int is_left_to_open_mpi(MPI_Comm comm) {
#ifndef OPEN_MPI
    (void)comm;
    return 0;
#elif defined(WITH_GRAVEL)
    return gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(comm));
#else
    (void)comm;
    return getenv("LD_PRELOAD") == NULL;
#endif
}

static void check_buffered(MPI_Comm comm) {
    enum { LENGTH = 50000 };
    int size, k, round, overhead = MPI_BSEND_OVERHEAD, attached = 2 * (LENGTH * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *room = malloc((size_t)attached + 64), *back;
    int *message = malloc(LENGTH * sizeof *message);
    MPI_Request request, receive;
    /* To nobody without any room. */
    CHECK(MPI_Ibsend(message, LENGTH, MPI_INT, MPI_PROC_NULL, 9, comm, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(overhead >= 0 && MPI_Buffer_attach(room, attached) == MPI_SUCCESS);
    for (round = 0; round < 3; round++) {
        for (k = 0; k < LENGTH; k++) message[k] = k + round;
        /* It may be written at once, and nobody need receive for the wait to end. */
        CHECK(MPI_Ibsend(message, LENGTH, MPI_INT, peer, 9, comm, &request) == MPI_SUCCESS);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        memset(message, 0, LENGTH * sizeof *message);
        MPI_Barrier(comm);
        MPI_Irecv(in, LENGTH, MPI_INT, peer, 9, comm, &receive);
        CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_SUCCESS && in[0] == round && in[LENGTH - 1] == LENGTH - 1 + round);
        MPI_Barrier(comm);
    }
    /* More than is attached. After that no message of Open MPI 4.1's own arrives any more. */
    if (!is_left_to_open_mpi(comm))
        CHECK(class_of(MPI_Ibsend(out, 3 * LENGTH, MPI_INT, peer, 9, comm, &request)) == MPI_ERR_BUFFER);
    CHECK(MPI_Bsend_init(message, 100, MPI_INT, peer, 10, comm, &request) == MPI_SUCCESS);
    for (round = 0; round < 3; round++) {
        message[7] = 70 + round;
        CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(request != MPI_REQUEST_NULL);
        message[7] = 0;
        MPI_Irecv(in, LENGTH, MPI_INT, peer, 10, comm, &receive);
        CHECK(MPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_SUCCESS && in[7] == 70 + round);
    }
    MPI_Request_free(&request);
    CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == room && size == attached);
    free(room);
    free(message);
}

static void check_replaced(MPI_Comm comm) {
    enum { ROWS = 20000 };
    int k, *columns = malloc(2 * ROWS * sizeof *columns);
    MPI_Datatype column;
    MPI_Status status;
    MPI_Type_vector(ROWS, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (k = 0; k < 2 * ROWS; k++) columns[k] = rank * 100000 + k;
    CHECK(MPI_Sendrecv_replace(columns, 1, column, peer, 11, peer, 11, comm, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == peer && count_of(&status) == ROWS);
    for (k = 0; k < 2 * ROWS; k++)
        if (columns[k] != (k % 2 ? rank : peer) * 100000 + k) CHECK(!"one column came, the other stayed");
    CHECK(MPI_Sendrecv_replace(columns, 1, column, MPI_PROC_NULL, 11, MPI_PROC_NULL, 11, comm, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && columns[0] == peer * 100000);
    MPI_Type_free(&column);
    free(columns);
}

static void check_cancelled(MPI_Comm comm) {
    int cancelled = 0, value = rank, received = -1;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Irecv(in, 10, MPI_INT, MPI_ANY_SOURCE, 12, comm, &requests[0]);
    CHECK(MPI_Cancel(&requests[0]) == MPI_SUCCESS && MPI_Wait(&requests[0], &status) == MPI_SUCCESS);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled && requests[0] == MPI_REQUEST_NULL);
    MPI_Barrier(comm);
    /* The next one is not: it gets the message. */
    MPI_Irecv(&received, 1, MPI_INT, peer, 12, comm, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, peer, 12, comm, &requests[1]);
    CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS && MPI_Wait(&requests[0], &status) == MPI_SUCCESS);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled && received == peer);
}

static int errors_handled, handled_class;

static void handle(MPI_Comm *comm, int *error, ...) {
    (void)comm;
    errors_handled++;
    handled_class = class_of(*error);
}

static void check_errors(MPI_Comm comm) {
    MPI_Errhandler handler;
    MPI_Request request, send;
    MPI_Status status;
    int flag, size;
    MPI_Comm_size(comm, &size);
    MPI_Isend(out[0], 100, MPI_INT, peer, 13, comm, &send);
    MPI_Irecv(in, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    memset(&status, -1, sizeof status);
    CHECK(class_of(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE);
    /* Whose message it was. */
    CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == 13);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    CHECK(class_of(MPI_Isend(out[0], -1, MPI_INT, peer, 13, comm, &request)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Isend(out[0], 1, MPI_INT, size, 13, comm, &request)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Isend(out[0], 1, MPI_INT, peer, -20, comm, &request)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Irecv(in, 1, MPI_INT, size, 13, comm, &request)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Iprobe(size, 13, comm, &flag, &status)) == MPI_ERR_RANK);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    CHECK(class_of(MPI_Isend(out[0], 1, MPI_INT, size + 3, 13, comm, &request)) == MPI_ERR_RANK);
    CHECK(errors_handled == 1 && handled_class == MPI_ERR_RANK);
    MPI_Isend(out[0], 100, MPI_INT, peer, 13, comm, &send);
    MPI_Irecv(in, 10, MPI_INT, peer, 13, comm, &request);
    CHECK(class_of(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE);
#ifdef WITH_GRAVEL
    /* MPICH calls none here. */
    CHECK(errors_handled == (gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(comm)) ? errors_handled : 2));
#endif
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

static void check_bottom(MPI_Comm comm) {
    int a = rank + 10, b[3] = {rank, rank + 1, rank + 2}, c = -1, d[3] = {-1, -1, -1}, blocks[2] = {1, 3};
    MPI_Aint places[2];
    MPI_Datatype from, to;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Get_address(&a, &places[0]);
    MPI_Get_address(b, &places[1]);
    MPI_Type_create_hindexed(2, blocks, places, MPI_INT, &from);
    MPI_Type_commit(&from);
    MPI_Get_address(&c, &places[0]);
    MPI_Get_address(d, &places[1]);
    MPI_Type_create_hindexed(2, blocks, places, MPI_INT, &to);
    MPI_Type_commit(&to);
    CHECK(MPI_Irecv(MPI_BOTTOM, 1, to, peer, 14, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(MPI_Isend(MPI_BOTTOM, 1, from, peer, 14, comm, &requests[1]) == MPI_SUCCESS);
    CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
    CHECK(c == peer + 10 && d[0] == peer && d[2] == peer + 2);
    MPI_Type_free(&from);
    MPI_Type_free(&to);
}

static void check_persistent(MPI_Comm comm) {
    enum { LENGTH = 40000 };
    MPI_Request requests[3];
    MPI_Status status, statuses[3];
    int round, index, k;
    requests[2] = MPI_REQUEST_NULL;
    CHECK(MPI_Recv_init(in, LENGTH, MPI_INT, MPI_ANY_SOURCE, 15, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(MPI_Send_init(out[3], LENGTH, MPI_INT, peer, 15, comm, &requests[1]) == MPI_SUCCESS);
    for (round = 0; round < 4; round++) {
        out[3][1] = rank * 10 + round;
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        if (round % 2) {
            CHECK(MPI_Waitall(3, requests, statuses) == MPI_SUCCESS);
        } else {
            int ended = 0;
            for (k = 0; k < 2; k++) {
                CHECK(MPI_Waitany(3, requests, &index, &status) == MPI_SUCCESS && (index == 0 || index == 1));
                ended |= 1 << index;
            }
            CHECK(ended == 3 && MPI_Waitany(3, requests, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
        }
        CHECK(in[1] == peer * 10 + round && requests[0] != MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv) {
    MPI_Comm comms[3];
    int k;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    comms[0] = MPI_COMM_WORLD;
    /* Errors handlers go along; the second dup is never attached with Gravel's own calls: all is MPI's there. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comms[1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[2]);
    MPI_Comm_set_errhandler(comms[1], MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comms[2], MPI_ERRORS_RETURN);
#ifdef WITH_GRAVEL
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS && gravel_attach(comms[1]) == MPI_SUCCESS);
#endif
    check_probes(MPI_COMM_WORLD);
    for (k = 0; k < 3; k++) {
        check_buffered(comms[k]);
        check_replaced(comms[k]);
        check_cancelled(comms[k]);
        errors_handled = 0;
        check_errors(comms[k]);
        check_bottom(comms[k]);
        check_persistent(comms[k]);
    }
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
#ifdef WITH_GRAVEL
    CHECK(gravel_finalize() == MPI_SUCCESS);
#endif
    if (rank == 0) puts("passed");
    MPI_Finalize();
    return 0;
}
