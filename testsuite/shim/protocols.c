/* The protocols of the paper (section 2.1) by its names, and every call that completes a request: from shorter than a cache
 * line to longer than every limit. Each rank sends to the next one and receives from the previous one. Runs on 3 ranks. */
#include "check.h"

enum { LONGEST = 500009 };

static int rank, size, next, previous;
/* For messages that are announced: receives of any source and any tag are for all messages of their communicator. */
static MPI_Comm announced;
/* Program data, which is adopted, but for its edges. */
static char in[LONGEST + 1], out[LONGEST];

static char byte_of(int source, int position, int seed) {
    return (char)(source * 31 + position * 7 + position / 251 + seed);
}

static void fill(int bytes, int seed) {
    int k;
    for (k = 0; k < bytes; k++) out[k] = byte_of(rank, k, seed);
    memset(in, 0x55, sizeof in);
}

/* The message of a rank is in the buffer, nothing behind it, and the status says so. */
static void check_arrived(int source, int tag, int bytes, int seed, MPI_Status *status) {
    int k, count = -1;
    MPI_Get_count(status, MPI_CHAR, &count);
    CHECK(status->MPI_SOURCE == source && status->MPI_TAG == tag && count == bytes);
    for (k = 0; k < bytes; k++) CHECK(in[k] == byte_of(source, k, seed));
    for (k = bytes; k < LONGEST + 1; k++) CHECK(in[k] == 0x55);
}

/* Puts a message in five segments, the middle one first, and ends it. */
static void put_segments(gravel_transfer *transfer, int bytes, gravel_request *send) {
    static const int order[] = {2, 4, 0, 3, 1};
    int k;
    for (k = 0; k < 5; k++) {
        int first = (int)((long long)bytes * order[k] / 5), end = (int)((long long)bytes * (order[k] + 1) / 5);
        CHECK(gravel_post_os_put(*transfer, out, first, end - first) == MPI_SUCCESS);
    }
    CHECK(gravel_send_fin(transfer, send) == MPI_SUCCESS);
    CHECK(*transfer == GRAVEL_TRANSFER_NULL);
}

/* Consumer-initiated write, and the advanced write: one handshake, puts at any offsets, one FIN. With is_late, all is put
 * before any receive is posted. */
static void check_consumer_initiated(int bytes, int is_late) {
    gravel_request receive, send;
    gravel_transfer transfer;
    MPI_Status status;
    fill(bytes, 1);
    if (!is_late)
        CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(out, bytes, MPI_CHAR, next, 1, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
    put_segments(&transfer, bytes, &send);
    if (is_late) {
        MPI_Barrier(MPI_COMM_WORLD);
        /* Of more room than is needed: the length is that of the message. */
        CHECK(gravel_post_rcv_buffer_rdma(in, LONGEST, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    }
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS && receive == GRAVEL_REQUEST_NULL);
    check_arrived(previous, 1, bytes, 1, &status);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS && send == GRAVEL_REQUEST_NULL);
}

/* The consumer reads each part of a message while the next one is not yet put. */
static void check_ranges(int bytes) {
    gravel_request receive, send;
    gravel_transfer transfer;
    MPI_Status status;
    int part, k;
    fill(bytes, 2);
    CHECK(gravel_post_rcv_segments(in, bytes, MPI_CHAR, previous, 2, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(out, bytes, MPI_CHAR, next, 2, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
    for (part = 0; part < 4; part++) {
        int first = bytes / 4 * part, end = part == 3 ? bytes : bytes / 4 * (part + 1);
        CHECK(gravel_post_os_put(transfer, out, first, end - first) == MPI_SUCCESS);
        CHECK(gravel_wait_range(receive, in, first, end - first) == MPI_SUCCESS);
        for (k = first; k < end; k++) CHECK(in[k] == byte_of(previous, k, 2));
    }
    CHECK(gravel_send_fin(&transfer, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
    check_arrived(previous, 2, bytes, 2, &status);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

enum producer { WRITES, IS_READ };

static void announce(enum producer how, int bytes, int dest, int tag, gravel_request *send) {
    gravel_transfer transfer;
    if (how == IS_READ) {
        CHECK(gravel_post_snd_buffer_rdma(out, bytes, MPI_CHAR, dest, tag, announced, send) == MPI_SUCCESS);
    } else {
        CHECK(gravel_post_snd_request(out, bytes, MPI_CHAR, dest, tag, announced, &transfer) == MPI_SUCCESS);
        put_segments(&transfer, bytes, send);
    }
}

/* Producer-initiated write and read: the receive is posted before or after the announcement, which may be waited for, with
 * wildcards or without. */
static void check_producer_initiated(enum producer how, int bytes, int is_late) {
    gravel_request receive, send;
    MPI_Status status;
    int source = is_late ? previous : MPI_ANY_SOURCE, tag = 10 + (int)how, count;
    fill(bytes, 3);
    if (!is_late)
        CHECK(gravel_post_rcv_announced(in, LONGEST, MPI_CHAR, source, MPI_ANY_TAG, announced, &receive) ==
              MPI_SUCCESS);
    announce(how, bytes, next, tag, &send);
    if (is_late) {
        CHECK(gravel_wait_snd_request(MPI_ANY_SOURCE, MPI_ANY_TAG, announced, &status) == MPI_SUCCESS);
        MPI_Get_count(&status, MPI_CHAR, &count);
        CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == tag && count == bytes);
        CHECK(gravel_post_rcv_announced(in, count, MPI_CHAR, source, tag, announced, &receive) == MPI_SUCCESS);
    }
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
    check_arrived(previous, tag, bytes, 3, &status);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    /* A receive of any tag is for whoever comes first: nobody shall be a step ahead. */
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Messages of all others are there: each source is named truly, keeps its order, and waits for no more than its turn. */
static void check_any_source(void) {
    enum { MESSAGES = 50 };
    gravel_request request;
    MPI_Status status;
    int k, source, message[2], number[3] = {0, 0, 0};
    if (rank > 0) {
        for (k = 0; k < MESSAGES; k++) {
            message[0] = rank, message[1] = k;
            CHECK(gravel_post_snd_buffer_rdma(message, 2, MPI_INT, 0, 3, announced, &request) == MPI_SUCCESS);
            CHECK(gravel_wait(&request, message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (source = 1; source < size; source++)
        CHECK(gravel_wait_snd_request(source, 3, announced, &status) == MPI_SUCCESS && status.MPI_SOURCE == source);
    for (k = 0; k < (size - 1) * MESSAGES; k++) {
        CHECK(gravel_post_rcv_announced(message, 2, MPI_INT, MPI_ANY_SOURCE, 3, announced, &request) ==
              MPI_SUCCESS);
        CHECK(gravel_wait(&request, message, &status) == MPI_SUCCESS);
        source = status.MPI_SOURCE;
        CHECK(source > 0 && source < size && message[0] == source && message[1] == number[source]);
        number[source]++;
        if (k + 1 == MESSAGES) CHECK(number[1] >= MESSAGES / 4 && number[2] >= MESSAGES / 4);
    }
}

/* Several messages of each of two tags are under way; the tags are received in the other order. Then the waits for some of
 * many, and for all. */
static void check_order(int bytes) {
    enum { MESSAGES = 3 };
    gravel_request receives[2 * MESSAGES], sends[2 * MESSAGES];
    MPI_Status statuses[2 * MESSAGES], status;
    int k, tag, position, index, count, done = 0, slot = LONGEST / (2 * MESSAGES);
    fill(LONGEST, 4);
    for (k = 0; k < 2 * MESSAGES; k++) /* tags 4 and 5, in turns; message k is k bytes shorter and begins k bytes later */
        CHECK(gravel_post_send(out + k, bytes - k, MPI_CHAR, next, 4 + k % 2, MPI_COMM_WORLD, &sends[k]) == MPI_SUCCESS);
    for (tag = 5; tag >= 4; tag--)
        for (k = tag - 4; k < 2 * MESSAGES; k += 2)
            CHECK(gravel_post_rcv_buffer_rdma(in + k * slot, slot, MPI_CHAR, previous, tag, MPI_COMM_WORLD,
                                              &receives[k]) == MPI_SUCCESS);
    /* Half of them one by one, in whichever order, the others at once. */
    for (k = 0; k < MESSAGES; k++) {
        CHECK(gravel_waitany(2 * MESSAGES, receives, &index, &status) == MPI_SUCCESS);
        CHECK(index >= 0 && index < 2 * MESSAGES && receives[index] == GRAVEL_REQUEST_NULL && !(done >> index & 1));
        done |= 1 << index;
        MPI_Get_count(&status, MPI_CHAR, &count);
        CHECK(count == bytes - index && status.MPI_TAG == 4 + index % 2 && status.MPI_SOURCE == previous);
    }
    CHECK(gravel_waitall(2 * MESSAGES, receives, statuses) == MPI_SUCCESS);
    for (k = 0; k < 2 * MESSAGES; k++) {
        CHECK(receives[k] == GRAVEL_REQUEST_NULL);
        MPI_Get_count(&statuses[k], MPI_CHAR, &count);
        if (!(done >> k & 1)) CHECK(count == bytes - k && statuses[k].MPI_TAG == 4 + k % 2);
        for (position = 0; position < bytes - k; position++)
            CHECK(in[k * slot + position] == byte_of(previous, position + k, 4));
    }
    CHECK(gravel_waitany(2 * MESSAGES, receives, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
    CHECK(gravel_waitall(2 * MESSAGES, sends, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

/* Tests complete what can be completed and leave the rest. */
static void check_tests(int bytes) {
    gravel_request receive, send;
    MPI_Status status;
    int flag;
    fill(bytes, 5);
    CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 6, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_test(&receive, in, &flag, &status) == MPI_SUCCESS && !flag && receive != GRAVEL_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(gravel_post_send(out, bytes, MPI_CHAR, next, 6, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    do CHECK(gravel_test(&receive, in, &flag, &status) == MPI_SUCCESS);
    while (!flag);
    CHECK(receive == GRAVEL_REQUEST_NULL);
    check_arrived(previous, 6, bytes, 5, &status);
    do CHECK(gravel_test(&send, out, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    while (!flag);
    CHECK(send == GRAVEL_REQUEST_NULL);
    CHECK(gravel_test(&send, out, &flag, &status) == MPI_SUCCESS && flag); /* null requests are complete */
}

/* Waits and tests for some, and tests for any and for all: each request is told of once, short sends, too. */
static void check_some(int bytes) {
    gravel_request requests[6];
    MPI_Status statuses[6], status;
    int indices[6], flag, index, count, number, k, way;
    for (way = 0; way < 4; way++) {
        int told = 0;
        const int slot = LONGEST / 2;
        fill(LONGEST, 15);
        requests[0] = requests[5] = GRAVEL_REQUEST_NULL;
        for (k = 0; k < 2; k++)
            CHECK(gravel_post_rcv_buffer_rdma(in + k * slot, slot, MPI_CHAR, previous, 30 + k, MPI_COMM_WORLD,
                                              &requests[1 + k]) == MPI_SUCCESS);
        requests[3] = requests[4] = GRAVEL_REQUEST_NULL;
        CHECK(gravel_testall(6, requests, &flag, statuses) == MPI_SUCCESS && !flag);
        CHECK(gravel_testany(6, requests, &index, &flag, &status) == MPI_SUCCESS && !flag && index == MPI_UNDEFINED);
        CHECK(gravel_testsome(6, requests, &number, indices, statuses) == MPI_SUCCESS && number == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        for (k = 0; k < 2; k++) {
            CHECK(gravel_post_send(out, bytes / (k + 1), MPI_CHAR, next, 30 + k, MPI_COMM_WORLD, &requests[3 + k]) ==
                  MPI_SUCCESS);
            CHECK(requests[3 + k] != GRAVEL_REQUEST_NULL);
        }
        while (told != 0x1e) {
            if (way == 0) CHECK(gravel_waitsome(6, requests, &number, indices, statuses) == MPI_SUCCESS && number > 0);
            if (way == 1) CHECK(gravel_testsome(6, requests, &number, indices, statuses) == MPI_SUCCESS && number >= 0);
            if (way == 2) {
                CHECK(gravel_testany(6, requests, &indices[0], &number, &statuses[0]) == MPI_SUCCESS);
            }
            if (way == 3) {
                CHECK(gravel_testall(6, requests, &flag, statuses) == MPI_SUCCESS);
                if (!flag) continue;
                for (k = 0; k < 6; k++) CHECK(requests[k] == GRAVEL_REQUEST_NULL);
                for (k = 0; k < 2; k++) {
                    indices[k] = 1 + k;
                    statuses[k] = statuses[1 + k];
                }
                indices[2] = 3, indices[3] = 4, number = 4;
            }
            for (k = 0; k < number; k++) {
                CHECK(indices[k] >= 1 && indices[k] <= 4 && !(told >> indices[k] & 1));
                CHECK(requests[indices[k]] == GRAVEL_REQUEST_NULL);
                told |= 1 << indices[k];
                if (indices[k] > 2) continue;
                MPI_Get_count(&statuses[k], MPI_CHAR, &count);
                CHECK(count == bytes / indices[k] && statuses[k].MPI_TAG == 29 + indices[k]);
                CHECK(statuses[k].MPI_SOURCE == previous);
            }
        }
        for (k = 0; k < bytes / 2; k++) CHECK(in[slot + k] == byte_of(previous, k, 15));
        CHECK(gravel_waitsome(6, requests, &number, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(number == MPI_UNDEFINED);
        CHECK(gravel_testsome(6, requests, &number, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(number == MPI_UNDEFINED);
        CHECK(gravel_testany(6, requests, &index, &flag, &status) == MPI_SUCCESS && flag && index == MPI_UNDEFINED);
        MPI_Get_count(&status, MPI_CHAR, &count);
        CHECK(count == 0 && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
        CHECK(gravel_testall(6, requests, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
    }
}

/* A receive that no message has met is withdrawn, and the next one gets the message; one that has its message is not. */
static void check_cancel(int bytes) {
    gravel_request first, second, send;
    MPI_Status status;
    int cancelled;
    fill(bytes, 6);
    CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 7, MPI_COMM_WORLD, &first) == MPI_SUCCESS);
    CHECK(gravel_cancel(first) == MPI_SUCCESS);
    CHECK(gravel_wait(&first, in, &status) == MPI_SUCCESS && first == GRAVEL_REQUEST_NULL);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(gravel_post_send(out, bytes, MPI_CHAR, next, 7, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 7, MPI_COMM_WORLD, &second) == MPI_SUCCESS);
    CHECK(gravel_wait_range(second, in, 0, bytes) == MPI_SUCCESS);
    CHECK(gravel_cancel(second) == MPI_SUCCESS);
    CHECK(gravel_wait(&second, in, &status) == MPI_SUCCESS);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);
    check_arrived(previous, 7, bytes, 6, &status);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Longer than its receive: an error on both sides, where the sender has to wait, and no byte is written. */
static void check_too_long(void) {
    gravel_request receive, send;
    int k, position;
    for (k = 0; k < 2; k++) {
        fill(100000, 7);
        if (k == 0) {
            CHECK(gravel_post_rcv_buffer_rdma(in, 70000, MPI_CHAR, previous, 8, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
            CHECK(gravel_post_send(out, 100000, MPI_CHAR, next, 8, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        } else {
            CHECK(gravel_post_rcv_announced(in, 70000, MPI_CHAR, previous, 9, announced, &receive) == MPI_SUCCESS);
            CHECK(gravel_post_snd_buffer_rdma(out, 100000, MPI_CHAR, next, 9, announced, &send) == MPI_SUCCESS);
        }
        CHECK(refused(gravel_wait(&receive, in, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "message of 100000 bytes"));
        CHECK(refused(gravel_wait(&send, out, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "receive of 70000 bytes"));
        for (position = 0; position < LONGEST + 1; position++) CHECK(in[position] == 0x55);
    }
}

/* Messages to oneself and to nobody, in all protocols. */
static void check_partners(int bytes) {
    gravel_request receive, send;
    gravel_transfer transfer;
    MPI_Status status;
    int k, partners[2], count;
    partners[0] = rank, partners[1] = MPI_PROC_NULL;
    for (k = 0; k < 2; k++) {
        int source = partners[k], flag;
        fill(bytes, 8);
        CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, source, 20, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
        CHECK(gravel_wait_rcv_buffer(out, bytes, MPI_CHAR, source, 20, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
        put_segments(&transfer, bytes, &send);
        CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Get_count(&status, MPI_CHAR, &count);
        CHECK(status.MPI_SOURCE == source && count == (k == 0 ? bytes : 0));
        if (k == 0) check_arrived(rank, 20, bytes, 8, &status);
        CHECK(k == 0 || status.MPI_TAG == MPI_ANY_TAG); /* MPI 4.0, section 3.10 */

        fill(bytes, 9);
        CHECK(gravel_post_rcv_announced(in, bytes, MPI_CHAR, source, 21, announced, &receive) == MPI_SUCCESS);
        announce(k == 0 ? WRITES : IS_READ, bytes, source, 21, &send);
        CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        if (k == 0) check_arrived(rank, 21, bytes, 9, &status);
        else CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
        CHECK(gravel_post_send(out, bytes, MPI_CHAR, MPI_PROC_NULL, 22, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        CHECK(gravel_test(&send, out, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
    }
    CHECK(gravel_wait_snd_request(MPI_PROC_NULL, 0, announced, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* What is sent is what the buffer held at the call, although the message that comes takes its place. */
static void check_copied(int bytes, int is_announced) {
    MPI_Comm comm = is_announced ? announced : MPI_COMM_WORLD;
    gravel_request receive, send;
    MPI_Status status;
    fill(bytes, 8);
    memcpy(in, out, (size_t)bytes);
    if (is_announced) {
        CHECK(gravel_post_snd_buffer_copied(in, bytes, MPI_CHAR, next, 8, comm, &send) == MPI_SUCCESS);
        CHECK(gravel_post_rcv_announced(in, bytes, MPI_CHAR, previous, 8, comm, &receive) == MPI_SUCCESS);
    } else {
        CHECK(gravel_post_send_copied(in, bytes, MPI_CHAR, next, 8, comm, &send) == MPI_SUCCESS);
        CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 8, comm, &receive) == MPI_SUCCESS);
    }
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
    check_arrived(previous, 8, bytes, 8, &status);
    CHECK(gravel_wait(&send, in, MPI_STATUS_IGNORE) == MPI_SUCCESS && send == GRAVEL_REQUEST_NULL);
}

/* A synchronous send, begun in one of three ways. */
static void begin_synchronous(int way, int bytes, int is_announced, gravel_request *send) {
    MPI_Comm comm = is_announced ? announced : MPI_COMM_WORLD;
    gravel_transfer transfer;
    switch (way) {
    case 0:
        if (is_announced)
            CHECK(gravel_post_snd_buffer_synchronous(out, bytes, MPI_CHAR, next, 10, comm, send) == MPI_SUCCESS);
        else
            CHECK(gravel_post_send_synchronous(out, bytes, MPI_CHAR, next, 10, comm, send) == MPI_SUCCESS);
        break;
    case 1:
        if (is_announced)
            CHECK(gravel_post_snd_request_synchronous(out, bytes, MPI_CHAR, next, 10, comm, &transfer) == MPI_SUCCESS);
        else
            CHECK(gravel_wait_rcv_buffer_synchronous(out, bytes, MPI_CHAR, next, 10, comm, &transfer) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, out, 0, bytes / 2) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, out, bytes / 2, bytes - bytes / 2) == MPI_SUCCESS);
        CHECK(gravel_send_fin(&transfer, send) == MPI_SUCCESS);
        break;
    default:
        if (is_announced)
            CHECK(gravel_prepare_announced_send_synchronous(out, bytes, MPI_CHAR, next, 10, comm, send) == MPI_SUCCESS);
        else
            CHECK(gravel_prepare_send_synchronous(out, bytes, MPI_CHAR, next, 10, comm, send) == MPI_SUCCESS);
        CHECK(gravel_start(*send, out) == MPI_SUCCESS);
    }
}

/* It is over only when its receive was posted. */
static void check_synchronous(int bytes, int is_announced) {
    MPI_Comm comm = is_announced ? announced : MPI_COMM_WORLD;
    gravel_request receive, send;
    MPI_Status status;
    int way, k, flag;
    for (way = 0; way < 3; way++) {
        fill(bytes, 12 + way);
        begin_synchronous(way, bytes, is_announced, &send);
        for (k = 0; k < 20; k++) CHECK(gravel_test(&send, out, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
        MPI_Barrier(MPI_COMM_WORLD);
        if (is_announced)
            CHECK(gravel_post_rcv_announced(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, 10, comm, &receive) == MPI_SUCCESS);
        else
            CHECK(gravel_post_rcv_buffer_rdma(in, bytes, MPI_CHAR, previous, 10, comm, &receive) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
        check_arrived(previous, 10, bytes, 12 + way, &status);
        if (way == 2) CHECK(gravel_release(&send) == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* What is described once is begun by every start, with what the buffer holds then. */
static void check_persistent(int bytes, int is_announced) {
    MPI_Comm comm = is_announced ? announced : MPI_COMM_WORLD;
    gravel_request both[2], persistent[2];
    MPI_Status statuses[2];
    int step;
    if (is_announced) {
        CHECK(gravel_prepare_announced_receive(in, LONGEST, MPI_CHAR, previous, 9, comm, &both[0]) == MPI_SUCCESS);
        CHECK(gravel_prepare_announced_send(out, bytes, MPI_CHAR, next, 9, comm, &both[1]) == MPI_SUCCESS);
    } else {
        CHECK(gravel_prepare_receive(in, LONGEST, MPI_CHAR, previous, 9, comm, &both[0]) == MPI_SUCCESS);
        CHECK(gravel_prepare_send(out, bytes, MPI_CHAR, next, 9, comm, &both[1]) == MPI_SUCCESS);
    }
    memcpy(persistent, both, sizeof both);
    for (step = 0; step < 3; step++) {
        int count = -1;
        fill(bytes, 9 + step);
        if (step == 1) {
            CHECK(gravel_start(both[1], out) == MPI_SUCCESS);
            CHECK(gravel_start(both[0], in) == MPI_SUCCESS);
            CHECK(gravel_wait(&both[0], in, &statuses[0]) == MPI_SUCCESS);
            CHECK(gravel_wait(&both[1], out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        } else {
            CHECK(gravel_startall(2, both) == MPI_SUCCESS);
            CHECK(gravel_waitall(2, both, statuses) == MPI_SUCCESS);
        }
        check_arrived(previous, 9, bytes, 9 + step, &statuses[0]);
        CHECK(memcmp(persistent, both, sizeof both) == 0);
        /* It is inactive, and a wait for it says nothing. */
        CHECK(gravel_wait(&both[0], in, &statuses[0]) == MPI_SUCCESS);
        MPI_Get_count(&statuses[0], MPI_CHAR, &count);
        CHECK(count == 0 && statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_TAG == MPI_ANY_TAG);
    }
    CHECK(gravel_release(&both[0]) == MPI_SUCCESS && both[0] == GRAVEL_REQUEST_NULL);
    CHECK(gravel_release(&both[1]) == MPI_SUCCESS && both[1] == GRAVEL_REQUEST_NULL);
}

int main(int argc, char **argv) {
    static const int lengths[] = {0, 1, 32, 1000, 8192, 8193, 65536, 65537, LONGEST};
    size_t k;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 3);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &announced);
    CHECK(gravel_attach(announced) == MPI_SUCCESS);
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int late;
        for (late = 0; late < 2; late++) {
            check_consumer_initiated(lengths[k], late);
            check_producer_initiated(WRITES, lengths[k], late);
            check_producer_initiated(IS_READ, lengths[k], late);
        }
        check_copied(lengths[k], 0);
        check_copied(lengths[k], 1);
        check_synchronous(lengths[k], 0);
        check_synchronous(lengths[k], 1);
        check_persistent(lengths[k], 0);
        check_persistent(lengths[k], 1);
        check_tests(lengths[k]);
        if (lengths[k] <= LONGEST / 2) check_some(lengths[k]);
        if (lengths[k] > 0) check_cancel(lengths[k]); /* of an empty message there is no part to wait for */
        check_partners(lengths[k]);
    }
    check_ranges(20000);
    check_ranges(LONGEST);
    check_any_source();
    check_order(100);
    check_order(80000);
    check_too_long();
    MPI_Comm_free(&announced);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
