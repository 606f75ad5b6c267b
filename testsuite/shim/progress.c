/* Who waits in Gravel lets MPI progress, and who waits in MPI lets Gravel progress: otherwise each of these programs, which
 * are correct, would hang. Runs on 2 ranks. */
#include "check.h"

enum { BYTES = 1 << 20, SHORT = 8 };

static char by_mpi[BYTES], by_gravel[BYTES];

/* The calls that wait for a message. */
enum wait { IN_WAIT, IN_TEST, IN_WAITANY, IN_WAITALL, IN_WAIT_RANGE, IN_WAIT_SND_REQUEST };

static void receive_by_gravel(enum wait how, int bytes, MPI_Comm announced) {
    gravel_request requests[2] = {GRAVEL_REQUEST_NULL, GRAVEL_REQUEST_NULL};
    int flag, index;
    if (how == IN_WAIT_SND_REQUEST) {
        CHECK(gravel_wait_snd_request(1, 1, announced, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_post_rcv_announced(by_gravel, bytes, MPI_CHAR, 1, 1, announced, &requests[1]) == MPI_SUCCESS);
    } else if (how == IN_WAIT_RANGE) {
        CHECK(gravel_post_rcv_segments(by_gravel, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
        CHECK(gravel_wait_range(requests[1], by_gravel, bytes / 2, 1) == MPI_SUCCESS);
    } else {
        CHECK(gravel_post_rcv_buffer_rdma(by_gravel, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    }
    switch (how) {
    case IN_TEST:
        do CHECK(gravel_test(&requests[1], by_gravel, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        while (!flag);
        break;
    case IN_WAITANY:
        CHECK(gravel_waitany(2, requests, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == 1);
        break;
    case IN_WAITALL: CHECK(gravel_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS); break;
    default: CHECK(gravel_wait(&requests[1], by_gravel, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

static void send_by_gravel(enum wait how, int bytes, MPI_Comm announced, gravel_request *request) {
    if (how == IN_WAIT_SND_REQUEST)
        CHECK(gravel_post_snd_buffer_rdma(by_gravel, bytes, MPI_CHAR, 0, 1, announced, request) == MPI_SUCCESS);
    else
        CHECK(gravel_post_send(by_gravel, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, request) == MPI_SUCCESS);
}

/* Rank 0 sends by MPI, and then receives by Gravel; rank 1 sends that when it has received the other. A message of 1 MB
 * does not leave without its sender's MPI, which rank 0 calls in no other way. */
static void check_mpi(int rank, enum wait how, int bytes, MPI_Comm announced) {
    MPI_Request by_mpi_request;
    gravel_request request;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        memset(by_mpi, how + 1, BYTES);
        MPI_Isend(by_mpi, BYTES, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &by_mpi_request);
        receive_by_gravel(how, bytes, announced);
        CHECK(by_gravel[0] == 7 + (int)how && by_gravel[bytes - 1] == 7 + (int)how);
        MPI_Wait(&by_mpi_request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(by_mpi, BYTES, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(by_mpi[0] == (int)how + 1 && by_mpi[BYTES - 1] == (int)how + 1);
        memset(by_gravel, 7 + (int)how, BYTES);
        send_by_gravel(how, bytes, announced, &request);
        CHECK(gravel_wait(&request, by_gravel, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

/* Rank 1 sends by Gravel and then waits in MPI for what rank 0 sends when it has received that. A message of 1 MB is
 * longer than what leaves without its receiver; whether it has been posted before or not, MPI calls nothing of Gravel. */
static void check_gravel(int rank, enum wait how, int is_early, MPI_Comm announced) {
    gravel_request request = GRAVEL_REQUEST_NULL;
    if (rank == 0) {
        if (!is_early) MPI_Barrier(MPI_COMM_WORLD);
        memset(by_gravel, 0, BYTES);
        if (is_early && how != IN_WAIT_SND_REQUEST)
            CHECK(gravel_post_rcv_buffer_rdma(by_gravel, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        if (is_early) MPI_Barrier(MPI_COMM_WORLD);
        if (request == GRAVEL_REQUEST_NULL)
            receive_by_gravel(how, BYTES, announced);
        else
            CHECK(gravel_wait(&request, by_gravel, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(by_gravel[0] == 3 && by_gravel[BYTES - 1] == 3);
        MPI_Send(by_mpi, SHORT, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    } else {
        memset(by_gravel, 3, BYTES);
        if (is_early) MPI_Barrier(MPI_COMM_WORLD);
        send_by_gravel(how, BYTES, announced, &request);
        if (!is_early) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(by_mpi, SHORT, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(gravel_wait(&request, by_gravel, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
}

int main(int argc, char **argv) {
    static const int lengths[] = {SHORT, BYTES};
    MPI_Comm announced;
    int rank, how, k;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &announced);
    CHECK(gravel_attach(announced) == MPI_SUCCESS);
    for (how = IN_WAIT; how <= IN_WAIT_SND_REQUEST; how++) {
        for (k = 0; k < 2; k++) {
            check_mpi(rank, (enum wait)how, lengths[k], announced);
            check_gravel(rank, (enum wait)how, k, announced);
        }
    }
    MPI_Comm_free(&announced);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    return finish();
}
