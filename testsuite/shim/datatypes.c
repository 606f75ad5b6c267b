/* Which datatypes are carried, and that a freed one is forgotten. Runs on 2 ranks. */
#include "check.h"

static int rank;

/* Carried: an element of it arrives as it was sent, and a receive of bytes takes as many as MPI says. */
static void check_carried(MPI_Datatype datatype) {
    unsigned char out[4096], in[4096];
    gravel_request receive, send;
    MPI_Status status;
    int k, size, count, peer = 1 - rank;
    MPI_Type_size(datatype, &size);
    CHECK(3 * size <= (int)sizeof out);
    for (k = 0; k < (int)sizeof out; k++) out[k] = (unsigned char)(k * 7 + rank);
    memset(in, 0xaa, sizeof in);
    CHECK(gravel_post_rcv_buffer_rdma(in, 3, datatype, peer, 0, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_post_send(out, 3, datatype, peer, 0, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 3 * size);
    for (k = 0; k < (int)sizeof in; k++) CHECK(in[k] == (k < 3 * size ? (unsigned char)(k * 7 + peer) : 0xaa));
}

/* Carried, although elements have gaps or another order: what arrives is what MPI delivers, also where one side knows the data
 * as bytes that lie one behind the other; and nothing else is written. */
static void check_scattered(MPI_Datatype datatype) {
    enum { BYTES = 8192, ORIGIN = 4096 };
    static unsigned char out[BYTES], in[BYTES], expected[BYTES];
    gravel_request receive, send;
    MPI_Status status, expected_status;
    int k, way, size, count, expected_count, peer = 1 - rank;
    MPI_Type_size(datatype, &size);
    for (way = 0; way < 4; way++) {
        int out_count = way & 1 ? 3 * size : 3, in_count = way & 2 ? 3 * size : 3;
        MPI_Datatype out_type = way & 1 ? MPI_PACKED : datatype, in_type = way & 2 ? MPI_PACKED : datatype;
        for (k = 0; k < BYTES; k++) out[k] = (unsigned char)(k * 7 + rank + way + k / 256);
        memset(in, 0xaa, BYTES);
        memset(expected, 0xaa, BYTES);
        MPI_Sendrecv(out + ORIGIN, out_count, out_type, peer, 0, expected + ORIGIN, in_count, in_type, peer, 0,
                     MPI_COMM_WORLD, &expected_status);
        CHECK(gravel_post_rcv_buffer_rdma(in + ORIGIN, in_count, in_type, peer, 0, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
        CHECK(gravel_post_send(out + ORIGIN, out_count, out_type, peer, 0, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        CHECK(gravel_wait(&receive, in, &status) == MPI_SUCCESS);
        CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Get_count(&status, MPI_BYTE, &count);
        MPI_Get_count(&expected_status, MPI_BYTE, &expected_count);
        CHECK(count == expected_count && count == 3 * size);
        CHECK(memcmp(in, expected, BYTES) == 0);
    }
}

static void check_refused(MPI_Datatype datatype, const char *name) {
    static const char element[4096];
    gravel_request request;
    CHECK(refused(gravel_post_send(element, 1, datatype, 1 - rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE, name));
    CHECK(request == GRAVEL_REQUEST_NULL);
}

static void check_predefined(void) {
    MPI_Datatype carried[] = {
        MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED,
        MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE,
        MPI_C_BOOL, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T,
        MPI_UINT64_T, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_AINT, MPI_OFFSET,
        MPI_COUNT, MPI_BYTE, MPI_PACKED, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_LOGICAL, MPI_COMPLEX,
        MPI_DOUBLE_COMPLEX, MPI_CHARACTER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_REAL4, MPI_REAL8,
        /* Pairs of equals have no gap. */
        MPI_2INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_FLOAT_INT};
    size_t k;
    for (k = 0; k < sizeof carried / sizeof *carried; k++)
        if (carried[k] != MPI_DATATYPE_NULL) check_carried(carried[k]);
    /* Padded behind. */
    check_scattered(MPI_DOUBLE_INT);
    check_scattered(MPI_LONG_INT);
    check_scattered(MPI_LONG_DOUBLE_INT);
    /* The gap is inside. */
    check_scattered(MPI_SHORT_INT);
}

enum layout { CONTIGUOUS, SCATTERED, REFUSED };

static void check_once(MPI_Datatype datatype, enum layout layout, const char *name) {
    int k;
    MPI_Type_commit(&datatype);
    for (k = 0; k < 2; k++) { /* the second time from what was remembered */
        switch (layout) {
        case CONTIGUOUS: check_carried(datatype); /* fall through */
        case SCATTERED: check_scattered(datatype); break;
        case REFUSED: check_refused(datatype, name);
        }
    }
    MPI_Type_free(&datatype);
}

static void check_derived(void) {
    struct record {
        double position[2];
        int cell, species;
    };
    struct padded {
        double position;
        int cell;
    };
    int lengths[2] = {2, 2}, equal[2] = {1, 1}, displacements[2] = {0, 2}, swapped[2] = {2, 0};
    int sizes[2] = {3, 4}, whole[2] = {3, 4}, part[2] = {3, 2}, starts[2] = {0, 0};
    int box[3] = {4, 3, 5}, inner_box[3] = {2, 3, 2}, inner_starts[3] = {1, 0, 3};
    int spread = MPI_DISTRIBUTE_BLOCK, of_default = MPI_DISTRIBUTE_DFLT_DARG, processes = 1, eight = 8, k;
    MPI_Aint byte_displacements[2] = {0, 2 * sizeof(double)}, pair[2] = {0, sizeof(double)};
    MPI_Datatype fields[2] = {MPI_DOUBLE, MPI_INT}, row, inner, datatype;

    MPI_Type_contiguous(5, MPI_DOUBLE, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_contiguous(0, MPI_DOUBLE, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_vector(3, 4, 4, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_vector(1, 4, 9, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_vector(3, 1, 4, MPI_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_hvector(3, 2, 8, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_hvector(3, 2, 12, MPI_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_indexed(2, lengths, displacements, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_indexed(2, lengths, swapped, MPI_INT, &datatype); /* no gap, but another order */
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_hindexed(2, lengths, byte_displacements, MPI_DOUBLE, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_indexed_block(2, 2, displacements, MPI_SHORT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_indexed_block(2, 1, displacements, MPI_SHORT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_hindexed_block(2, 2, byte_displacements, MPI_DOUBLE, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_struct(2, lengths, byte_displacements, fields, &datatype);
    check_once(datatype, sizeof(struct record) == 24 ? CONTIGUOUS : SCATTERED, NULL);
    MPI_Type_create_struct(2, equal, pair, fields, &datatype); /* padded behind by its alignment */
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_struct(2, equal, pair, fields, &inner);
    MPI_Type_create_resized(inner, 0, 12, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_resized(inner, 0, sizeof(struct padded), &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_free(&inner);
    MPI_Type_create_subarray(2, sizes, whole, starts, MPI_ORDER_C, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_FORTRAN, MPI_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_subarray(3, box, inner_box, inner_starts, MPI_ORDER_C, MPI_DOUBLE, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_subarray(3, box, inner_box, inner_starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_vector(3, 2, -4, MPI_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_resized(MPI_DOUBLE, -8, 24, &datatype);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 40, &inner);
    MPI_Type_vector(3, 2, 5, inner, &datatype);
    MPI_Type_free(&inner);
    check_once(datatype, SCATTERED, NULL);
    MPI_Type_create_darray(1, 0, 1, &eight, &spread, &of_default, &processes, MPI_ORDER_C, MPI_INT, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    /* Deeper than anybody nests. */
    MPI_Type_dup(MPI_INT, &datatype);
    for (k = 0; k < 200; k++) {
        inner = datatype;
        MPI_Type_dup(inner, &datatype);
        MPI_Type_free(&inner);
    }
    MPI_Type_set_name(datatype, "of the tower");
    check_once(datatype, REFUSED, "datatype of the tower, made by MPI_Type_dup:");
    MPI_Type_dup(MPI_DOUBLE, &datatype);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &datatype);
    check_carried(datatype); /* not to be freed */

    /* Nested, with the inner types freed before the first use. */
    MPI_Type_contiguous(4, MPI_DOUBLE, &row);
    MPI_Type_vector(2, 3, 3, row, &inner);
    MPI_Type_free(&row);
    MPI_Type_dup(inner, &datatype);
    MPI_Type_free(&inner);
    check_once(datatype, CONTIGUOUS, NULL);
    MPI_Type_contiguous(4, MPI_DOUBLE_INT, &datatype);
    check_once(datatype, SCATTERED, NULL);
}

/* Parts of distributed arrays: what each of four processes has, in blocks and in turn, of both orders. */
static void check_distributed(void) {
    static const int lengths[3] = {5, 7, 3}, grid[3] = {2, 2, 1};
    static const int kinds[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    static const int blocks[4] = {MPI_DISTRIBUTE_DFLT_DARG, 4, 2, 1};
    static const int orders[2] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
    int member, order, first, second, block, dimensions, distributions[3], lengths_of_blocks[3];
    MPI_Datatype datatype;
    for (member = 0; member < 4; member++)
        for (order = 0; order < 2; order++)
            for (dimensions = 2; dimensions < 4; dimensions++)
                for (first = 0; first < 2; first++)
                    for (second = 0; second < 2; second++)
                        for (block = 0; block < 4; block++) {
                            distributions[0] = kinds[first], distributions[1] = kinds[second], distributions[2] = kinds[2];
                            /* Blocks that are not dealt out in turn have to hold everything. */
                            lengths_of_blocks[0] = first == 0 && block > 1 ? blocks[0] : blocks[block];
                            lengths_of_blocks[1] = second == 0 && block > 1 ? blocks[0] : blocks[block];
                            lengths_of_blocks[2] = blocks[0];
                            MPI_Type_create_darray(4, member, dimensions, lengths, distributions, lengths_of_blocks, grid,
                                                   orders[order], MPI_INT, &datatype);
                            check_once(datatype, SCATTERED, NULL);
                        }
}

/* Handles come back from MPI for other datatypes, of other lengths and layouts, also for duplicates. */
static void check_reused_handles(void) {
    MPI_Datatype datatype, duplicate;
    MPI_Fint last = 0;
    int k, reused = 0;
    for (k = 0; k < 60; k++) {
        if (k % 3 == 2)
            MPI_Type_vector(2, 1, 2, MPI_INT, &datatype);
        else
            MPI_Type_contiguous(k + 1, MPI_INT, &datatype);
        MPI_Type_commit(&datatype);
        reused += k > 0 && MPI_Type_c2f(datatype) == last;
        last = MPI_Type_c2f(datatype);
        if (k % 3 == 2) {
            check_scattered(datatype);
        } else {
            check_carried(datatype);
            MPI_Type_dup(datatype, &duplicate);
            check_carried(duplicate);
            MPI_Type_free(&duplicate);
            check_carried(datatype); /* not forgotten with its duplicate */
        }
        MPI_Type_free(&datatype);
    }
    CHECK(reused > 0); /* or nothing was tested */
}

/* Segments are counted in elements of the datatype. */
static void check_segments(void) {
    MPI_Datatype triple;
    double in[300], out[300];
    gravel_request receive, send;
    gravel_transfer transfer;
    int k, peer = 1 - rank;
    MPI_Type_contiguous(3, MPI_DOUBLE, &triple);
    MPI_Type_commit(&triple);
    for (k = 0; k < 300; k++) out[k] = rank * 1000 + k;
    CHECK(gravel_post_rcv_buffer_rdma(in, 300, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_wait_rcv_buffer(out, 100, triple, peer, 1, MPI_COMM_WORLD, &transfer) == MPI_SUCCESS);
    MPI_Type_free(&triple); /* the transfer needs it no longer */
    CHECK(gravel_post_os_put(transfer, out, 60, 40) == MPI_SUCCESS);
    CHECK(gravel_post_os_put(transfer, out, 0, 60) == MPI_SUCCESS);
    CHECK(gravel_send_fin(&transfer, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, in, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < 300; k++) CHECK(in[k] == peer * 1000 + k);
}

int main(int argc, char **argv) {
    MPI_Datatype kept;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    check_predefined();
    check_derived();
    check_distributed();
    check_reused_handles();
    check_segments();
    MPI_Type_contiguous(2, MPI_INT, &kept);
    MPI_Type_commit(&kept);
    check_carried(kept);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    MPI_Type_free(&kept); /* after the end of what had remembered it */
    return finish();
}
