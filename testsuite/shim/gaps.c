/* Messages of datatypes with gaps, in every protocol: halos of a field, of all lengths, each rank to the next one. Datatypes are
 * freed as soon as they have been handed over. What arrives is compared with what MPI delivers. Runs on 3 ranks. */
#include "check.h"

enum { ROWS = 300, COLUMNS = 310, CELLS = ROWS * COLUMNS };
static double field[CELLS], arrived[CELLS], expected[CELLS];
static int rank, ranks, next, previous;
static MPI_Comm announced;

/* The datatypes of a halo of so many rows: elements are doubles, the first lies at the returned place of the field. */
static int make(int shape, int rows, MPI_Datatype *datatype) {
    int sizes[2] = {ROWS, COLUMNS}, part[2] = {rows, 3}, starts[2] = {0, 5}, k;
    int lengths[ROWS], places[ROWS];
    MPI_Datatype inner;
    MPI_Aint fields[2] = {0, 16};
    int each[2] = {1, 1};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    switch (shape) {
    case 0: /* a column */
        MPI_Type_vector(rows, 1, COLUMNS, MPI_DOUBLE, datatype);
        return COLUMNS - 1;
    case 1: /* three columns, from the last row upwards */
        MPI_Type_vector(rows, 3, -COLUMNS, MPI_DOUBLE, datatype);
        return (rows - 1) * COLUMNS + 5;
    case 2:
        MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, datatype);
        return 0;
    case 3: /* pieces of all lengths */
        for (k = 0; k < rows; k++) {
            lengths[k] = 1 + k % 5;
            places[k] = (k ^ 1) * COLUMNS + k % 7;
        }
        MPI_Type_indexed(rows & ~1, lengths, places, MPI_DOUBLE, datatype);
        return 2;
    case 4: /* structures with a gap inside and one behind */
        MPI_Type_create_struct(2, each, fields, types, &inner);
        MPI_Type_create_resized(inner, 0, 40, &types[0]);
        MPI_Type_contiguous(rows, types[0], datatype);
        MPI_Type_free(&inner);
        MPI_Type_free(&types[0]);
        return 1;
    default: /* whole rows, somewhere in the middle: no gap, and another address */
        starts[1] = 0, part[1] = COLUMNS, starts[0] = ROWS / 3, part[0] = rows < 2 * ROWS / 3 ? rows : 2 * ROWS / 3;
        MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_DOUBLE, datatype);
        return 0;
    }
}

enum { SHAPES = 6, WAYS = 8 };

static void check_message(int shape, int rows, int way) {
    int k, origin, index, done = 0, count, expected_count, is_announced = way >= 4;
    MPI_Comm comm = is_announced ? announced : MPI_COMM_WORLD;
    MPI_Datatype datatype, of_receive;
    MPI_Status status, expected_status;
    gravel_request receive, send = GRAVEL_REQUEST_NULL, both[2];
    gravel_transfer transfer;
    for (k = 0; k < CELLS; k++) field[k] = rank * 1e6 + k + way * 0.125;
    for (k = 0; k < CELLS; k++) arrived[k] = expected[k] = -1;
    origin = make(shape, rows, &datatype);
    MPI_Type_commit(&datatype);
    MPI_Sendrecv(field + origin, 1, datatype, next, 0, expected + origin, 1, datatype, previous, 0, MPI_COMM_WORLD,
                 &expected_status);
    MPI_Type_dup(datatype, &of_receive);

    if (way == 3 || way == 7) {
        if (is_announced) {
            CHECK(gravel_prepare_announced_receive(arrived + origin, 1, of_receive, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receive) ==
                  MPI_SUCCESS);
            CHECK(gravel_prepare_announced_send(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS);
        } else {
            CHECK(gravel_prepare_receive(arrived + origin, 1, of_receive, previous, 0, comm, &receive) == MPI_SUCCESS);
            CHECK(gravel_prepare_send(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS);
        }
        MPI_Type_free(&of_receive);
        MPI_Type_free(&datatype);
        both[0] = receive, both[1] = send;
        for (k = 0; k < 2; k++) {
            CHECK(gravel_startall(2, both) == MPI_SUCCESS);
            CHECK(gravel_wait(&both[0], arrived, &status) == MPI_SUCCESS);
            CHECK(gravel_wait(&both[1], field, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
        CHECK(gravel_release(&both[0]) == MPI_SUCCESS);
        CHECK(gravel_release(&both[1]) == MPI_SUCCESS);
    } else {
        if (is_announced)
            CHECK(gravel_post_rcv_announced(arrived + origin, 1, of_receive, MPI_ANY_SOURCE, 0, comm, &receive) == MPI_SUCCESS);
        else if (way == 1)
            CHECK(gravel_post_rcv_segments(arrived + origin, 1, of_receive, previous, 0, comm, &receive) == MPI_SUCCESS);
        else
            CHECK(gravel_post_rcv_buffer_rdma(arrived + origin, 1, of_receive, previous, 0, comm, &receive) == MPI_SUCCESS);
        MPI_Type_free(&of_receive);
        switch (way) {
        case 0: CHECK(gravel_post_send(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS); break;
        case 1: CHECK(gravel_wait_rcv_buffer(field + origin, 1, datatype, next, 0, comm, &transfer) == MPI_SUCCESS); break;
        case 2: CHECK(gravel_post_send_copied(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS); break;
        case 4: CHECK(gravel_post_snd_buffer_rdma(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS); break;
        case 5: CHECK(gravel_post_snd_request(field + origin, 1, datatype, next, 0, comm, &transfer) == MPI_SUCCESS); break;
        case 6: CHECK(gravel_post_snd_buffer_copied(field + origin, 1, datatype, next, 0, comm, &send) == MPI_SUCCESS); break;
        }
        MPI_Type_free(&datatype);
        if (way == 1 || way == 5) {
            CHECK(gravel_tile(transfer, 100, 1) == 100);
            CHECK(gravel_post_os_put(transfer, field + origin, 0, 1) == MPI_SUCCESS);
            CHECK(gravel_send_fin(&transfer, &send) == MPI_SUCCESS);
        }
        if (way == 2 || way == 6)
            for (k = 0; k < CELLS; k++) field[k] = -2;
        if (way == 1) {
            CHECK(gravel_wait_range(receive, arrived, 0, 1) == MPI_SUCCESS);
            CHECK(memcmp(arrived, expected, sizeof arrived) == 0);
        }
        if (way == 0)
            while (!done) CHECK(gravel_test(&receive, arrived, &done, &status) == MPI_SUCCESS);
        else if (way == 4) {
            both[0] = GRAVEL_REQUEST_NULL, both[1] = receive;
            CHECK(gravel_waitany(2, both, &index, &status) == MPI_SUCCESS);
            CHECK(index == 1);
        } else
            CHECK(gravel_wait(&receive, arrived, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, field, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(memcmp(arrived, expected, sizeof arrived) == 0);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Get_count(&expected_status, MPI_DOUBLE, &expected_count);
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 0 && count == expected_count);
}

/* A shorter message ends in the middle of an element. */
static void check_shorter(void) {
    MPI_Datatype datatype;
    MPI_Status status;
    gravel_request receive, send;
    int k, lengths[3] = {11, 1500, 20001};
    for (k = 0; k < 3; k++) {
        int cell, count = lengths[k];
        for (cell = 0; cell < CELLS; cell++) field[cell] = rank + cell, arrived[cell] = expected[cell] = -1;
        MPI_Type_vector(CELLS / 8, 3, 7, MPI_DOUBLE, &datatype);
        MPI_Type_commit(&datatype);
        CHECK(gravel_post_rcv_buffer_rdma(arrived, 1, datatype, previous, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
        CHECK(gravel_post_send(field, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        CHECK(gravel_wait(&receive, arrived, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, field, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (cell = 0; cell < count; cell++) expected[cell / 3 * 7 + cell % 3] = previous + cell;
        CHECK(memcmp(arrived, expected, sizeof arrived) == 0);
        MPI_Type_free(&datatype);
    }
}

int main(int argc, char **argv) {
    int shape, way, k, rows[4] = {2, 40, 171, ROWS};
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &announced);
    MPI_Comm_set_errhandler(announced, MPI_ERRORS_RETURN);
    CHECK(gravel_attach(announced) == MPI_SUCCESS);
    for (k = 0; k < 4; k++)
        for (shape = 0; shape < SHAPES; shape++)
            for (way = 0; way < WAYS; way++) check_message(shape, rows[k], way);
    check_shorter();
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
