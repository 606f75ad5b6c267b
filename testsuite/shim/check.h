/* What the programs of this folder share: a check that ends the run, and the calls under test in short form.
 *
 * MPI's error handler is MPI_ERRORS_RETURN in all of them, so that refusals can be looked at. */
#ifndef CHECK_H
#define CHECK_H

#include "gravel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

static inline void check(int holds, const char *condition, const char *file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: does not hold: %s\nthe last error of Gravel was: %s\n", file, line, condition,
            gravel_rt_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline int class_of(int error) {
    int class_of_error;
    MPI_Error_class(error, &class_of_error);
    return class_of_error;
}

/* The call has failed with an error of this class and a text with these words. */
static inline int refused(int error, int expected_class, const char *words) {
    return class_of(error) == expected_class && strstr(gravel_rt_error_text(), words) != NULL;
}

/* Sends one integer to a rank and takes one from another, on one communicator and tag; the source that the status names
 * must be the one that was asked for. */
static inline int exchange(int value, int to, int from, int tag, MPI_Comm comm) {
    int received = -1, count;
    gravel_request receive, send;
    MPI_Status status;
    CHECK(gravel_post_rcv_buffer_rdma(&received, 1, MPI_INT, from, tag, comm, &receive) == MPI_SUCCESS);
    CHECK(gravel_post_send(&value, 1, MPI_INT, to, tag, comm, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, &received, &status) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, &value, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == tag && count == 1);
    return received;
}

/* The communicator is not attached: its messages, here one to this rank itself, are MPI's. */
static inline void check_left_to_mpi(MPI_Comm comm) {
    int rank, value = 7, received = 0;
    gravel_request requests[2];
    MPI_Comm_rank(comm, &rank);
    CHECK(gravel_post_rcv_buffer_rdma(&received, 1, MPI_INT, rank, 30, comm, &requests[0]) == MPI_SUCCESS);
    CHECK(gravel_post_send(&value, 1, MPI_INT, rank, 30, comm, &requests[1]) == MPI_SUCCESS);
    CHECK(!gravel_rt_is_own(requests[0]) && !gravel_rt_is_own(requests[1]));
    CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS && received == 7);
}

/* Passes the world ranks of a communicator's processes round it, and compares what comes with what MPI says. */
static inline void check_ring(MPI_Comm comm, int tag) {
    int rank, size, world_rank, expected, received, left;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    left = (rank + size - 1) % size;
    MPI_Sendrecv(&world_rank, 1, MPI_INT, (rank + 1) % size, tag, &expected, 1, MPI_INT, left, tag, comm,
                 MPI_STATUS_IGNORE);
    received = exchange(world_rank, (rank + 1) % size, left, tag, comm);
    CHECK(received == expected);
}

static inline void start(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* Rank 0 says that all went well. */
static inline int finish(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) puts("passed");
    MPI_Finalize();
    return 0;
}

#endif
