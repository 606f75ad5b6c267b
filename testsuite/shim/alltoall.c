/* All-to-all exchanges beside MPI's own: the same blocks come, and what the ranks disagree about is an error. Runs on 4
 * ranks. */
#include "check.h"

#define MOST 200000

static int outgoing[4 * MOST], incoming[4 * MOST], expected[4 * MOST];

static void fill(int rank, int size, int count, int step) {
    for (int k = 0; k < size * count; k++) outgoing[k] = 1000000 * step + 100000 * rank + k % 99991;
    memset(incoming, -1, sizeof incoming);
}

/* One exchange, as a whole and in tiles, and what MPI makes of the same. */
static void compare(MPI_Comm comm, int count, int tile) {
    int rank, size, step, ready = 0;
    gravel_request receives, sends;
    gravel_transfer transfer;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (step = 0; step < 3; step++) {
        fill(rank, size, count, step);
        MPI_Alltoall(outgoing, count, MPI_INT, expected, count, MPI_INT, comm);
        if (step == 2)
            CHECK(gravel_post_alltoall_segments(incoming, count, MPI_INT, comm, &receives) == MPI_SUCCESS);
        else
            CHECK(gravel_post_alltoall(incoming, count, MPI_INT, comm, &receives) == MPI_SUCCESS);
        if (step == 0) {
            CHECK(gravel_send_alltoall(outgoing, count, MPI_INT, comm, &sends) == MPI_SUCCESS);
        } else {
            CHECK(gravel_open_alltoall(outgoing, count, MPI_INT, comm, &transfer) == MPI_SUCCESS);
            CHECK(gravel_tile(transfer, (int64_t)size * count, 64) >= 1);
            for (int k = 0; k < size * count; k += tile)
                CHECK(gravel_post_os_put(transfer, outgoing, k, tile) == MPI_SUCCESS);
            CHECK(gravel_send_fin(&transfer, &sends) == MPI_SUCCESS);
        }
        if (step == 2) {
            CHECK(gravel_wait_range(receives, incoming, 0, count + 1) == MPI_SUCCESS);
            CHECK(memcmp(incoming, expected, (size_t)count * sizeof *incoming) == 0);
        }
        if (step == 1) {
            while (!ready) CHECK(gravel_test(&receives, incoming, &ready, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(gravel_wait(&receives, incoming, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_wait(&sends, outgoing, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(memcmp(incoming, expected, (size_t)size * (size_t)count * sizeof *incoming) == 0);
    }
}

/* Likewise with blocks of different lengths: those that are sent overlap, those that come lie in the opposite order and have
 * gaps between them. */
static void compare_blocks(MPI_Comm comm, int count, int tile) {
    int rank, size, step, sent[4], received[4], sent_at[4], received_at[4];
    gravel_request receives, sends;
    gravel_transfer transfer;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int p = 0; p < size; p++) {
        /* Some have nothing for each other. */
        sent[p] = (p + rank) % 3 == 2 ? 0 : count + 10 * rank;
        received[p] = (p + rank) % 3 == 2 ? 0 : count + 10 * p;
        sent_at[p] = 7 * p;
        received_at[p] = (size - 1 - p) * (count + 50);
    }
    for (step = 0; step < 3; step++) {
        fill(rank, size, count + 50, step);
        memset(expected, -1, sizeof expected);
        MPI_Alltoallv(outgoing, sent, sent_at, MPI_INT, expected, received, received_at, MPI_INT, comm);
        if (step == 2)
            CHECK(gravel_post_alltoallv_segments(incoming, received, received_at, MPI_INT, comm, &receives) ==
                  MPI_SUCCESS);
        else
            CHECK(gravel_post_alltoallv(incoming, received, received_at, MPI_INT, comm, &receives) == MPI_SUCCESS);
        if (step == 0) {
            CHECK(gravel_send_alltoallv(outgoing, sent, sent_at, MPI_INT, comm, &sends) == MPI_SUCCESS);
        } else {
            CHECK(gravel_open_alltoallv(outgoing, sent, sent_at, MPI_INT, comm, &transfer) == MPI_SUCCESS);
            CHECK(gravel_tile(transfer, (int64_t)count, 64) >= 1);
            for (int k = 0; k < 2 * count; k += tile)
                CHECK(gravel_post_os_put(transfer, outgoing, k, tile) == MPI_SUCCESS);
            CHECK(gravel_send_fin(&transfer, &sends) == MPI_SUCCESS);
        }
        if (step == 2) {
            /* Of the block of the last rank, which lies first, and of the gap behind it. */
            CHECK(gravel_wait_range(receives, incoming, 0, count + 49) == MPI_SUCCESS);
            CHECK(memcmp(incoming, expected, (size_t)(count + 49) * sizeof *incoming) == 0);
        }
        CHECK(gravel_wait(&receives, incoming, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_wait(&sends, outgoing, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(memcmp(incoming, expected, sizeof expected) == 0);
    }
}

static void check_errors(void) {
    int rank, count;
    gravel_request receives, sends;
    MPI_Datatype gaps;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(refused(gravel_post_alltoall(incoming, -1, MPI_INT, MPI_COMM_WORLD, &receives), MPI_ERR_COUNT, "-1"));
    CHECK(receives == GRAVEL_REQUEST_NULL);
    {
        int lengths[4] = {1, 1, -3, 1}, places[4] = {0, 1, 2, 3};
        CHECK(refused(gravel_post_alltoallv(incoming, lengths, places, MPI_INT, MPI_COMM_WORLD, &receives), MPI_ERR_COUNT,
                      "-3"));
        CHECK(receives == GRAVEL_REQUEST_NULL);
    }
    MPI_Type_vector(2, 1, 3, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    CHECK(refused(gravel_send_alltoall(outgoing, 1, gaps, MPI_COMM_WORLD, &sends), MPI_ERR_TYPE, "not contiguous"));
    MPI_Type_free(&gaps);
    /* Rank 1 sends and expects more than the others. */
    count = rank == 1 ? 20 : 10;
    CHECK(gravel_post_alltoall(incoming, count, MPI_INT, MPI_COMM_WORLD, &receives) == MPI_SUCCESS);
    CHECK(refused(gravel_cancel(receives), MPI_ERR_REQUEST, "cannot be cancelled"));
    CHECK(gravel_send_alltoall(outgoing, count, MPI_INT, MPI_COMM_WORLD, &sends) == MPI_SUCCESS);
    if (rank == 1)
        CHECK(refused(gravel_wait(&receives, incoming, MPI_STATUS_IGNORE), MPI_ERR_COUNT, "must agree"));
    else
        CHECK(refused(gravel_wait(&receives, incoming, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "all-to-all"));
    CHECK(receives == GRAVEL_REQUEST_NULL);
    gravel_wait(&sends, outgoing, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Comm halves;
    start(&argc, &argv);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &halves);
    CHECK(gravel_attach(halves) == MPI_SUCCESS);
    compare(MPI_COMM_WORLD, 0, 1);
    compare(MPI_COMM_WORLD, 3, 2);
    compare(MPI_COMM_WORLD, 5000, 777);
    compare(MPI_COMM_WORLD, MOST, 150001);
    compare(halves, 4, 100);
    compare(halves, MOST, 65536);
    compare_blocks(MPI_COMM_WORLD, 3, 2);
    compare_blocks(MPI_COMM_WORLD, 5000, 777);
    compare_blocks(MPI_COMM_WORLD, MOST - 50, 150001);
    compare_blocks(halves, 40000, 4096);
    check_errors();
    compare(MPI_COMM_WORLD, 1, 1);
    MPI_Comm_free(&halves);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
