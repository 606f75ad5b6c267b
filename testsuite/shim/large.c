/* Messages of more than 2^31 and 2^32 bytes, though a count is an int: elements are MiB, or the whole message. The lengths
 * that are no more than compared are chosen so that one that is cut to 32 bits would fit. On two ranks.
 *
 * With LARGE_MESSAGES set they are carried, too; their buffers take little memory: all but the end of one is the same
 * few MiB, mapped over and over. */
#define _GNU_SOURCE /* memfd_create */
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, WHOLE = 4100, REST_OF_4096 = WHOLE - 4096, ALIASED = 8, BLOCK = 2052 };
/* More than 2^32. */
#define WHOLE_BYTES ((MPI_Count)WHOLE * MEBIBYTE)

static MPI_Datatype mebibyte, whole;

/* So many MiB: of them, the last is memory of its own. */
static unsigned char *aliased_buffer(int mebibytes) {
    int k, file = memfd_create("large", MFD_CLOEXEC), access = PROT_READ | PROT_WRITE;
    size_t bytes = (size_t)mebibytes * MEBIBYTE;
    unsigned char *start = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(file >= 0 && start != MAP_FAILED && ftruncate(file, ALIASED * MEBIBYTE) == 0);
    for (k = 0; k + ALIASED < mebibytes; k += ALIASED) {
        size_t offset = (size_t)k * MEBIBYTE;
        CHECK(mmap(start + offset, ALIASED * MEBIBYTE, access, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
    }
    close(file);
    return start;
}

static unsigned char value_at(int mebibyte_number) {
    return (unsigned char)(17 * mebibyte_number + 5);
}

/* Elements of a buffer have values at their beginnings; those that share memory have the same. */
static void fill(unsigned char *buffer, int mebibytes, unsigned char change) {
    int k;
    for (k = 0; k < ALIASED; k++) buffer[(size_t)k * MEBIBYTE] = value_at(k) ^ change;
    buffer[(size_t)mebibytes * MEBIBYTE - 1] = value_at(mebibytes) ^ change;
}

static int is_filled(const unsigned char *buffer, int mebibytes, unsigned char change) {
    int k, holds = buffer[(size_t)mebibytes * MEBIBYTE - 1] == (value_at(mebibytes) ^ change);
    for (k = 0; k < ALIASED; k++) holds = holds && buffer[(size_t)k * MEBIBYTE] == (value_at(k) ^ change);
    return holds;
}

/* A status knows the length, whatever it is asked for; MPI_Get_count cannot say how many bytes that are. */
static void check_status(const MPI_Status *status, int source) {
    MPI_Count bytes = -1;
    int count = -1;
    CHECK(status->MPI_SOURCE == source);
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    CHECK(bytes == WHOLE_BYTES);
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Get_count(status, mebibyte, &count);
    CHECK(count == WHOLE);
    MPI_Get_count(status, whole, &count);
    CHECK(count == 1);
}

/* Of a message that is too long, both sides get an error with both lengths. No byte moves. */
static void check_comparisons(int rank, unsigned char *buffer, unsigned char *other) {
    gravel_request request, receive;
    gravel_transfer transfer;
    MPI_Status status;
    int tag, peer = 1 - rank;
    const char *words = "message of 4299161600 bytes from rank 0 to rank 1, tag";
    for (tag = 0; tag < 3; tag++) {
        if (rank == 0) {
            if (tag == 0) CHECK(gravel_post_send(buffer, WHOLE, mebibyte, peer, tag, MPI_COMM_WORLD, &request) == 0);
            if (tag == 1) CHECK(gravel_post_send(buffer, 1, whole, peer, tag, MPI_COMM_WORLD, &request) == 0);
            if (tag == 2) {
                CHECK(gravel_post_snd_buffer_rdma(buffer, WHOLE, mebibyte, peer, tag, MPI_COMM_WORLD, &request) == 0);
            }
        } else if (tag < 2) {
            CHECK(gravel_post_rcv_buffer_rdma(buffer, REST_OF_4096, mebibyte, peer, tag, MPI_COMM_WORLD, &request) == 0);
        } else {
            CHECK(gravel_wait_snd_request(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
            check_status(&status, 0);
            CHECK(gravel_post_rcv_announced(buffer, REST_OF_4096, mebibyte, peer, tag, MPI_COMM_WORLD, &request) == 0);
        }
        CHECK(refused(gravel_wait(&request, buffer, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, words));
        CHECK(strstr(gravel_rt_error_text(), "posted receive of 4194304 bytes") != NULL);
    }

    /* What is put, and what is waited for, beyond the end: offsets count in elements. */
    CHECK(gravel_post_rcv_segments(buffer, WHOLE, mebibyte, rank, 7, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(refused(gravel_wait_range(request, buffer, WHOLE - 1, 2), MPI_ERR_REQUEST, "outside"));
    CHECK(refused(gravel_wait_range(request, buffer, INT64_C(1) << 44, 1), MPI_ERR_REQUEST, "outside"));
    CHECK(gravel_cancel(request) == MPI_SUCCESS);
    CHECK(gravel_wait(&request, buffer, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_post_rcv_buffer_rdma(other, WHOLE, mebibyte, rank, 8, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(buffer, WHOLE, mebibyte, rank, 8, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
    CHECK(refused(gravel_post_os_put(transfer, buffer, WHOLE - 1, 2), MPI_ERR_REQUEST, "outside"));
    CHECK(refused(gravel_post_os_put(transfer, buffer, INT64_C(1) << 44, 1), MPI_ERR_REQUEST, "outside"));
    CHECK(gravel_post_os_put(transfer, buffer, WHOLE - 1, 1) == MPI_SUCCESS);
    CHECK(refused(gravel_send_fin(&transfer, &request), MPI_ERR_REQUEST, "1048576 of 4299161600 bytes"));
    CHECK(refused(gravel_wait(&receive, other, MPI_STATUS_IGNORE), MPI_ERR_OTHER, "could not complete"));
    CHECK(other[(size_t)(WHOLE - 1) * MEBIBYTE] == buffer[(size_t)(WHOLE - 1) * MEBIBYTE]);
    /* 2^31 - 1 elements of 2^32 bytes are more than there are addresses. */
    CHECK(refused(gravel_post_send(buffer, INT32_MAX, whole, peer, 9, MPI_COMM_WORLD, &request), MPI_ERR_COUNT, "count"));
}

enum way { AT_ONCE, IN_SEGMENTS, ANNOUNCED, WAYS };

/* A message of one element, or of 4100 of which the last one, and one behind 2^32 bytes, are put first. */
static void send_whole(enum way way, const unsigned char *buffer, gravel_request *request) {
    gravel_transfer transfer;
    switch (way) {
    case AT_ONCE:
        CHECK(gravel_post_send(buffer, 1, whole, 1, way, MPI_COMM_WORLD, request) == MPI_SUCCESS);
        break;
    case ANNOUNCED:
        CHECK(gravel_post_snd_buffer_rdma(buffer, WHOLE, mebibyte, 1, way, MPI_COMM_WORLD, request) == MPI_SUCCESS);
        break;
    default:
        CHECK(gravel_wait_rcv_buffer(buffer, WHOLE, mebibyte, 1, way, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, buffer, 4097, WHOLE - 4097) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, buffer, 0, 2049) == MPI_SUCCESS);
        CHECK(gravel_post_os_put(transfer, buffer, 2049, 2048) == MPI_SUCCESS);
        CHECK(gravel_send_fin(&transfer, request) == MPI_SUCCESS);
    }
}

static void check_messages(int rank, unsigned char *buffer) {
    gravel_request request;
    MPI_Status status;
    enum way way;
    for (way = AT_ONCE; way < WAYS; way++) {
        fill(buffer, WHOLE, (unsigned char)(rank == 0 ? way : 99));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            send_whole(way, buffer, &request);
            CHECK(gravel_wait(&request, buffer, MPI_STATUS_IGNORE) == MPI_SUCCESS);
            continue;
        }
        if (way == AT_ONCE)
            CHECK(gravel_post_rcv_buffer_rdma(buffer, WHOLE, mebibyte, 0, way, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        if (way == IN_SEGMENTS) {
            CHECK(gravel_post_rcv_segments(buffer, WHOLE, mebibyte, 0, way, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
            CHECK(gravel_wait_range(request, buffer, WHOLE - 1, 1) == MPI_SUCCESS);
            CHECK(buffer[(size_t)WHOLE * MEBIBYTE - 1] == (value_at(WHOLE) ^ way));
        }
        if (way == ANNOUNCED)
            CHECK(gravel_post_rcv_announced(buffer, 1, whole, 0, way, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        CHECK(gravel_wait(&request, buffer, &status) == MPI_SUCCESS);
        check_status(&status, 0);
        CHECK(is_filled(buffer, WHOLE, (unsigned char)way));
    }
}

/* Blocks of more than 2^31 bytes, buffers of more than 2^32: blocks are marked at their ends. */
static void check_exchange(int rank, unsigned char *buffer, unsigned char *received) {
    gravel_request requests[2];
    int k;
    for (k = 0; k < 2; k++) {
        buffer[(size_t)(k + 1) * BLOCK * MEBIBYTE - 1] = (unsigned char)(40 + 2 * rank + k);
        received[(size_t)(k + 1) * BLOCK * MEBIBYTE - 1] = 99;
    }
    CHECK(gravel_post_alltoall(received, BLOCK, mebibyte, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_send_alltoall(buffer, BLOCK, mebibyte, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(received[(size_t)2 * BLOCK * MEBIBYTE - 1] == 40 + 2 + rank);
}

int main(int argc, char **argv) {
    unsigned char *buffer, *other;
    int rank;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(MEBIBYTE, MPI_BYTE, &mebibyte);
    MPI_Type_contiguous(WHOLE, mebibyte, &whole);
    MPI_Type_commit(&mebibyte);
    MPI_Type_commit(&whole);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    buffer = aliased_buffer(2 * BLOCK);
    other = aliased_buffer(2 * BLOCK);
    check_comparisons(rank, buffer, other);
    if (getenv("LARGE_MESSAGES") != NULL) {
        check_messages(rank, buffer);
        check_exchange(rank, buffer, other);
    }
    CHECK(gravel_finalize() == MPI_SUCCESS);
    MPI_Type_free(&whole);
    MPI_Type_free(&mebibyte);
    return finish();
}
