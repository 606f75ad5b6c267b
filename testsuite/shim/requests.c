/* Requests of Gravel and of MPI in the same variables and arrays, null ones among them: every call that completes, starts or
 * frees requests. Runs on 2 ranks. */
#include "check.h"

enum { MOST = 6, LONG = 30000 };

static int rank, peer;
static MPI_Comm left; /* never attached: its messages are MPI's */
static int in[MOST][LONG], out[MOST][LONG];

/* What an array of requests holds. */
enum mixture { ALL_GRAVEL, ALL_MPI, BOTH, BOTH_AND_NULL, ALL_NULL, MIXTURES };

static MPI_Comm comm_of(enum mixture mixture, int k) {
    switch (mixture) {
    case ALL_GRAVEL: return MPI_COMM_WORLD;
    case ALL_MPI: return left;
    case BOTH: return k % 2 ? left : MPI_COMM_WORLD;
    case BOTH_AND_NULL: return k % 3 == 0 ? MPI_COMM_NULL : k % 3 == 1 ? left : MPI_COMM_WORLD;
    default: return MPI_COMM_NULL;
    }
}

/* Posts the receives of a round. */
static int post(enum mixture mixture, int length, gravel_request *requests) {
    int k, active = 0;
    for (k = 0; k < MOST; k++) {
        MPI_Comm comm = comm_of(mixture, k);
        requests[k] = GRAVEL_REQUEST_NULL;
        in[k][0] = in[k][length - 1] = -1;
        if (comm == MPI_COMM_NULL) continue;
        CHECK(gravel_post_rcv_buffer_rdma(in[k], length, MPI_INT, peer, k, comm, &requests[k]) == MPI_SUCCESS);
        CHECK(gravel_rt_is_own(requests[k]) == (comm == MPI_COMM_WORLD));
        active++;
    }
    return active;
}

/* Sends what the other rank receives, the last first. */
static void send(enum mixture mixture, int length, gravel_request *sends) {
    int k;
    for (k = MOST - 1; k >= 0; k--) {
        MPI_Comm comm = comm_of(mixture, k);
        sends[k] = GRAVEL_REQUEST_NULL;
        out[k][0] = out[k][length - 1] = 100 * rank + k;
        if (comm != MPI_COMM_NULL)
            CHECK(gravel_post_send(out[k], length, MPI_INT, peer, k, comm, &sends[k]) == MPI_SUCCESS);
    }
}

static void check_message(int k, int length, MPI_Status *status) {
    int count;
    CHECK(in[k][0] == 100 * peer + k && in[k][length - 1] == 100 * peer + k);
    if (status == MPI_STATUS_IGNORE) return;
    MPI_Get_count(status, MPI_INT, &count);
    CHECK(status->MPI_SOURCE == peer && status->MPI_TAG == k && count == length);
}

static void check_empty(MPI_Status *status) {
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0);
}

enum call { WAIT, TEST, WAITALL, TESTALL, WAITANY, TESTANY, WAITSOME, TESTSOME, CALLS };

/* Completes all receives by calls of one kind. */
static void complete(enum call call, int active, int length, gravel_request *requests) {
    MPI_Status statuses[MOST];
    int k, index, flag = 0, outcount, ended = 0, indices[MOST], seen[MOST] = {0};
    memset(statuses, 0, sizeof statuses);
    switch (call) {
    case WAIT:
        for (k = 0; k < MOST; k++) {
            int is_null = requests[k] == GRAVEL_REQUEST_NULL;
            CHECK(gravel_wait(&requests[k], in[k], &statuses[k]) == MPI_SUCCESS);
            if (is_null)
                check_empty(&statuses[k]);
            else
                check_message(k, length, &statuses[k]);
        }
        break;
    case TEST:
        for (k = 0; k < MOST; k++) {
            int is_null = requests[k] == GRAVEL_REQUEST_NULL;
            for (flag = 0; !flag;) {
                CHECK(gravel_request_get_status(requests[k], &flag, &statuses[k]) == MPI_SUCCESS);
                CHECK((requests[k] == GRAVEL_REQUEST_NULL) == is_null);
            }
            if (!is_null) check_message(k, length, &statuses[k]);
            CHECK(gravel_test_request(&requests[k], &flag, &statuses[k]) == MPI_SUCCESS && flag);
            if (!is_null) check_message(k, length, &statuses[k]);
        }
        break;
    case WAITALL:
    case TESTALL:
        if (call == WAITALL) CHECK(gravel_waitall(MOST, requests, statuses) == MPI_SUCCESS);
        while (call == TESTALL && !flag) {
            CHECK(gravel_testall(MOST, requests, &flag, statuses) == MPI_SUCCESS);
            for (ended = k = 0; k < MOST; k++) ended += requests[k] == GRAVEL_REQUEST_NULL;
            CHECK(flag ? ended == MOST : ended == MOST - active); /* all or none */
        }
        for (k = 0; k < MOST; k++) {
            if (in[k][0] == -1)
                check_empty(&statuses[k]);
            else
                check_message(k, length, &statuses[k]);
        }
        break;
    case WAITANY:
    case TESTANY:
        while (ended < active) {
            if (call == WAITANY)
                CHECK(gravel_waitany(MOST, requests, &index, &statuses[0]) == MPI_SUCCESS);
            else
                CHECK(gravel_testany(MOST, requests, &index, &flag, &statuses[0]) == MPI_SUCCESS);
            if (call == TESTANY && !flag) {
                CHECK(index == MPI_UNDEFINED);
                continue;
            }
            CHECK(index >= 0 && index < MOST && !seen[index] && requests[index] == GRAVEL_REQUEST_NULL);
            seen[index] = 1;
            check_message(index, length, &statuses[0]);
            ended++;
        }
        CHECK(gravel_waitany(MOST, requests, &index, &statuses[0]) == MPI_SUCCESS && index == MPI_UNDEFINED);
        check_empty(&statuses[0]);
        CHECK(gravel_testany(MOST, requests, &index, &flag, &statuses[0]) == MPI_SUCCESS);
        CHECK(flag && index == MPI_UNDEFINED);
        break;
    default:
        while (ended < active) {
            if (call == WAITSOME) {
                CHECK(gravel_waitsome(MOST, requests, &outcount, indices, statuses) == MPI_SUCCESS);
                CHECK(outcount >= 1);
            } else {
                CHECK(gravel_testsome(MOST, requests, &outcount, indices, statuses) == MPI_SUCCESS);
            }
            CHECK(outcount != MPI_UNDEFINED && outcount <= active - ended);
            for (k = 0; k < outcount; k++) {
                CHECK(!seen[indices[k]] && requests[indices[k]] == GRAVEL_REQUEST_NULL);
                seen[indices[k]] = 1;
                check_message(indices[k], length, &statuses[k]);
            }
            ended += outcount;
        }
        CHECK(gravel_waitsome(MOST, requests, &outcount, indices, statuses) == MPI_SUCCESS && outcount == MPI_UNDEFINED);
        CHECK(gravel_testsome(MOST, requests, &outcount, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(outcount == MPI_UNDEFINED);
    }
    for (k = 0; k < MOST; k++) {
        CHECK(requests[k] == GRAVEL_REQUEST_NULL);
        if (in[k][0] != -1) check_message(k, length, MPI_STATUS_IGNORE);
    }
}

static void check_completions(int length) {
    gravel_request receives[MOST], sends[MOST];
    int mixture, call, active;
    for (mixture = 0; mixture < MIXTURES; mixture++) {
        for (call = 0; call < CALLS; call++) {
            active = post((enum mixture)mixture, length, receives);
            send((enum mixture)mixture, length, sends);
            complete((enum call)call, active, length, receives);
            CHECK(gravel_waitall(MOST, sends, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        }
    }
}

/* A send that is over at once is active: all are told of, as MPI's are. */
static void check_short_sends(void) {
    gravel_request sends[4], receives[4];
    int values[4] = {1, 2, 3, 4}, got[4], k, index, outcount, indices[4], flag;
    for (k = 0; k < 4; k++) {
        MPI_Comm comm = k == 3 ? left : MPI_COMM_WORLD;
        CHECK(gravel_post_rcv_buffer_rdma(&got[k], 1, MPI_INT, rank, 40, comm, &receives[k]) == MPI_SUCCESS);
        CHECK(gravel_post_send(&values[k], 1, MPI_INT, rank, 40, comm, &sends[k]) == MPI_SUCCESS);
        CHECK(sends[k] != GRAVEL_REQUEST_NULL);
    }
    CHECK(gravel_waitall(4, receives, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_request_get_status(sends[0], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag);
    CHECK(sends[0] != GRAVEL_REQUEST_NULL);
    CHECK(gravel_waitany(4, sends, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index >= 0 && index < 4);
    for (k = 1; k < 4; k += outcount) {
        CHECK(gravel_waitsome(4, sends, &outcount, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(outcount >= 1 && outcount <= 4 - k);
    }
    CHECK(gravel_waitany(4, sends, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == MPI_UNDEFINED);
}

/* A copy of a request is the request; once it was waited for, the original is stale, and never another operation. */
static void check_copies(void) {
    gravel_request a, b, other, send;
    int k, value = 3, got = 0, got_too = 0;
    CHECK(gravel_post_rcv_buffer_rdma(&got, 1, MPI_INT, rank, 41, MPI_COMM_WORLD, &a) == MPI_SUCCESS);
    CHECK(gravel_post_send(&value, 1, MPI_INT, rank, 41, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    b = gravel_request_f2c(gravel_request_c2f(a));
    CHECK(a == b);
    CHECK(gravel_wait(&b, &got, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == 3 && b == GRAVEL_REQUEST_NULL);
    CHECK(gravel_wait(&send, &value, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < 300; k++) {
        b = a;
        CHECK(gravel_post_rcv_buffer_rdma(&got_too, 1, MPI_INT, rank, 41, MPI_COMM_WORLD, &other) == MPI_SUCCESS);
        CHECK(other != a);
        if (k % 100 == 0) CHECK(refused(gravel_wait(&b, &got, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "gravel_wait"));
        CHECK(gravel_post_send(&k, 1, MPI_INT, rank, 41, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
        CHECK(gravel_wait(&other, &got_too, MPI_STATUS_IGNORE) == MPI_SUCCESS && got_too == k);
        CHECK(gravel_wait(&send, &k, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    /* MPI's, by the same calls. */
    CHECK(gravel_post_rcv_buffer_rdma(&got, 1, MPI_INT, rank, 41, left, &a) == MPI_SUCCESS);
    CHECK(gravel_request_f2c(gravel_request_c2f(a)) == a);
    CHECK(gravel_request_f2c(gravel_request_c2f(GRAVEL_REQUEST_NULL)) == GRAVEL_REQUEST_NULL);
    CHECK(gravel_post_send(&value, 1, MPI_INT, rank, 41, left, &send) == MPI_SUCCESS);
    CHECK(gravel_wait_request(&a, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_wait_request(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* More requests than 16 bits could number. */
static void check_many(void) {
    /* The rules take their time. */
    int many = getenv("GRAVEL_CHECK") == NULL ? 70000 : 1000, k;
    size_t length = (size_t)many;
    gravel_request *receives = malloc(length * sizeof *receives), *sends = malloc(length * sizeof *sends);
    int *got = malloc(length * sizeof *got), *values = malloc(length * sizeof *values);
    CHECK(receives != NULL && sends != NULL && got != NULL && values != NULL);
    for (k = 0; k < many; k++) {
        got[k] = -1;
        CHECK(gravel_post_rcv_buffer_rdma(&got[k], 1, MPI_INT, rank, 42, MPI_COMM_WORLD, &receives[k]) == MPI_SUCCESS);
    }
    for (k = 0; k < many; k++) {
        values[k] = k;
        CHECK(gravel_post_send(&values[k], 1, MPI_INT, rank, 42, MPI_COMM_WORLD, &sends[k]) == MPI_SUCCESS);
    }
    CHECK(gravel_waitall(many, receives, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_waitall(many, sends, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < many; k++) CHECK(got[k] == k && receives[k] == GRAVEL_REQUEST_NULL);
    free(receives);
    free(sends);
    free(got);
    free(values);
}

/* Persistent ones of both: inactive ones count as null, and stay. */
static void check_persistent(void) {
    gravel_request requests[4];
    MPI_Status statuses[4];
    MPI_Comm comms[2];
    int values[2], got[2], round, k, index, flag, outcount, indices[4];
    comms[0] = MPI_COMM_WORLD, comms[1] = left;
    for (k = 0; k < 2; k++) {
        CHECK(gravel_prepare_receive(&got[k], 1, MPI_INT, peer, 43, comms[k], &requests[k]) == MPI_SUCCESS);
        CHECK((k == 0 ? gravel_prepare_send(&values[k], 1, MPI_INT, peer, 43, comms[k], &requests[2 + k])
                      : gravel_prepare_send_synchronous(&values[k], 1, MPI_INT, peer, 43, comms[k], &requests[2 + k])) ==
              MPI_SUCCESS);
    }
    for (round = 0; round < 6; round++) {
        CHECK(gravel_waitany(4, requests, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index == MPI_UNDEFINED);
        CHECK(gravel_testsome(4, requests, &outcount, indices, statuses) == MPI_SUCCESS && outcount == MPI_UNDEFINED);
        CHECK(gravel_testall(4, requests, &flag, statuses) == MPI_SUCCESS && flag);
        check_empty(&statuses[0]);
        for (k = 0; k < 2; k++) values[k] = 10 * round + k + rank;
        CHECK(gravel_startall(4, requests) == MPI_SUCCESS);
        if (round % 3 == 0) CHECK(gravel_waitall(4, requests, statuses) == MPI_SUCCESS);
        for (flag = 0; round % 3 == 1 && !flag;) CHECK(gravel_testall(4, requests, &flag, statuses) == MPI_SUCCESS);
        for (k = 0; round % 3 == 2 && k < 4; k++) {
            CHECK(gravel_waitany(4, requests, &index, &statuses[1]) == MPI_SUCCESS);
            CHECK(index >= 0 && requests[index] != GRAVEL_REQUEST_NULL);
            if (index < 2) CHECK(statuses[1].MPI_SOURCE == peer);
        }
        for (k = 0; k < 2; k++) CHECK(got[k] == 10 * round + k + peer);
        for (k = 0; k < 4; k++) CHECK(requests[k] != GRAVEL_REQUEST_NULL);
    }
    for (k = 0; k < 4; k++) {
        CHECK(gravel_release(&requests[k]) == MPI_SUCCESS);
        CHECK(requests[k] == GRAVEL_REQUEST_NULL);
    }
}

/* What is freed while it is under way ends by itself. */
static void check_freed(void) {
    gravel_request request;
    MPI_Comm comms[2];
    int k, length, got = -1;
    comms[0] = MPI_COMM_WORLD, comms[1] = left;
    for (k = 0; k < 2; k++) {
        for (length = 1; length <= LONG; length += LONG - 1) {
            out[0][0] = out[0][length - 1] = 7 + rank;
            CHECK(gravel_post_send(out[0], length, MPI_INT, peer, 44, comms[k], &request) == MPI_SUCCESS);
            CHECK(gravel_release(&request) == MPI_SUCCESS && request == GRAVEL_REQUEST_NULL);
            CHECK(gravel_post_rcv_buffer_rdma(in[0], length, MPI_INT, peer, 44, comms[k], &request) == MPI_SUCCESS);
            CHECK(gravel_wait(&request, in[0], MPI_STATUS_IGNORE) == MPI_SUCCESS && in[0][length - 1] == 7 + peer);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    for (k = 0; k < 2; k++) {
        /* Another message tells that this one has come; a wait sees to it. */
        got = -1;
        CHECK(gravel_post_rcv_buffer_rdma(&got, 1, MPI_INT, peer, 45, comms[k], &request) == MPI_SUCCESS);
        CHECK(gravel_release(&request) == MPI_SUCCESS);
        CHECK(gravel_post_send(&rank, 1, MPI_INT, peer, 45, comms[k], &request) == MPI_SUCCESS);
        CHECK(gravel_wait(&request, &rank, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(exchange(rank, peer, peer, 46, comms[k]) == peer);
        CHECK(exchange(rank, peer, peer, 46, comms[k]) == peer);
        CHECK(*(volatile int *)&got == peer);
    }
}

static void check_cancelled(void) {
    gravel_request requests[2];
    MPI_Status status;
    MPI_Comm comms[2];
    int k, cancelled, got;
    comms[0] = MPI_COMM_WORLD, comms[1] = left;
    for (k = 0; k < 2; k++) {
        CHECK(gravel_post_rcv_buffer_rdma(&got, 1, MPI_INT, peer, 47, comms[k], &requests[k]) == MPI_SUCCESS);
        CHECK(gravel_cancel(requests[k]) == MPI_SUCCESS);
        CHECK(gravel_wait(&requests[k], &got, &status) == MPI_SUCCESS);
        MPI_Test_cancelled(&status, &cancelled);
        CHECK(cancelled);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* A message that is longer than its receive, among others of MPI's and Gravel's: all are waited for. */
static void check_errors(void) {
    gravel_request requests[3], sends[3];
    MPI_Status statuses[3];
    MPI_Comm comms[3];
    int k, error;
    comms[0] = MPI_COMM_WORLD, comms[1] = left, comms[2] = left;
    for (k = 0; k < 3; k++) {
        int length = k == 1 ? 2 : 4;
        CHECK(gravel_post_rcv_buffer_rdma(in[k], length, MPI_INT, peer, 48 + k, comms[k], &requests[k]) == MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = 0; k < 3; k++) {
        out[k][0] = k;
        CHECK(gravel_post_send(out[k], 4, MPI_INT, peer, 48 + k, comms[k], &sends[k]) == MPI_SUCCESS);
    }
    error = gravel_waitall(3, requests, statuses);
    CHECK(class_of(error) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
    CHECK(in[0][0] == 0 && requests[0] == GRAVEL_REQUEST_NULL);
    /* An MPI may stop at the first error: the other request is as it was. */
    CHECK(statuses[2].MPI_ERROR == MPI_SUCCESS || class_of(statuses[2].MPI_ERROR) == MPI_ERR_PENDING);
    if (statuses[2].MPI_ERROR != MPI_SUCCESS) CHECK(gravel_wait(&requests[2], in[2], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(in[2][0] == 2 && requests[2] == GRAVEL_REQUEST_NULL);
    gravel_waitall(3, sends, MPI_STATUSES_IGNORE);
}

/* Where one of several requests has failed, MPI_ERR_IN_STATUS is returned if there are statuses, which then say of each how it
 * went; else the error. All of Gravel's, and both. */
static void check_errors_in_statuses(void) {
    enum { COUNT = 4 };
    gravel_request requests[COUNT], sends[COUNT];
    MPI_Status statuses[COUNT];
    int call, mixed, stores, k, flag, outcount, indices[COUNT], error, failed, seen;
    for (call = 0; call < 24; call++) {
        mixed = call / 4 % 3, stores = call / 12;
        for (k = 0; k < COUNT; k++) {
            statuses[k].MPI_ERROR = 12345;
            /* The second one is too short: Gravel's, or, in the last mixture, MPI's. */
            requests[k] = sends[k] = GRAVEL_REQUEST_NULL;
            if (k == 2) continue;
            CHECK(gravel_post_rcv_buffer_rdma(in[k], k == 1 ? 2 : 4, MPI_INT, peer, 60 + k,
                                              mixed && k == (mixed == 1 ? 3 : 1) ? left : MPI_COMM_WORLD, &requests[k]) == MPI_SUCCESS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (k = 0; k < COUNT; k++) {
            if (k == 2) continue;
            CHECK(gravel_post_send(out[k], 4, MPI_INT, peer, 60 + k, mixed && k == (mixed == 1 ? 3 : 1) ? left : MPI_COMM_WORLD,
                                   &sends[k]) == MPI_SUCCESS);
        }
        error = MPI_SUCCESS, failed = 0;
        if (call % 4 == 0) {
            error = gravel_waitall(COUNT, requests, stores ? statuses : MPI_STATUSES_IGNORE);
        } else if (call % 4 == 1) {
            for (flag = 0; !flag;)
                error = gravel_testall(COUNT, requests, &flag, stores ? statuses : MPI_STATUSES_IGNORE);
        } else {
            for (seen = 0; seen < 3;) {
                MPI_Status *given = stores ? statuses : MPI_STATUSES_IGNORE;
                for (k = 0; k < COUNT; k++) statuses[k].MPI_ERROR = 12345;
                error = call % 4 == 2 ? gravel_waitsome(COUNT, requests, &outcount, indices, given)
                                      : gravel_testsome(COUNT, requests, &outcount, indices, given);
                for (k = 0; k < outcount; k++) {
                    failed |= indices[k] == 1;
                    /* Of its own, without statuses, an MPI may say either. */
                    if (indices[k] == 1)
                        CHECK(class_of(error) == (stores ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE) ||
                              (mixed == 2 && !stores && class_of(error) == MPI_ERR_IN_STATUS));
                    if (!stores) continue;
                    if (class_of(error) == MPI_ERR_IN_STATUS)
                        CHECK(class_of(statuses[k].MPI_ERROR) == (indices[k] == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
                    else
                        /* Where MPI's is the last one, an MPI may write it. */
                        CHECK(error == MPI_SUCCESS && (mixed || statuses[k].MPI_ERROR == 12345));
                }
                seen += outcount;
            }
            CHECK(failed);
        }
        if (call % 4 < 2) {
            CHECK(class_of(error) == (stores ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE) ||
                  (mixed == 2 && !stores && class_of(error) == MPI_ERR_IN_STATUS));
            for (k = 0; k < COUNT && stores; k++)
                CHECK(class_of(statuses[k].MPI_ERROR) == (k == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
        }
        for (k = 0; k < COUNT; k++) CHECK(requests[k] == GRAVEL_REQUEST_NULL);
        /* A short send has left before; the other side's error is its own. */
        gravel_waitall(COUNT, sends, MPI_STATUSES_IGNORE);
        for (k = 0; k < COUNT; k++) statuses[k].MPI_ERROR = 12345;
        CHECK(gravel_waitall(COUNT, requests, statuses) == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* MPI's own requests where Gravel does not run: before gravel_init and behind gravel_finalize. */
static void check_without_gravel(void) {
    MPI_Request requests[4];
    MPI_Status statuses[2];
    int values[2] = {5 + rank, 6 + rank}, got[2], round, k, index, flag, outcount, indices[2];
    for (round = 0; round < 7; round++) {
        for (k = 0; k < 2; k++) MPI_Irecv(&got[k], 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[k]);
        for (k = 0; k < 2; k++) MPI_Isend(&values[k], 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[2 + k]);
        flag = 0;
        switch (round) {
        case 0: CHECK(gravel_waitall(2, requests, statuses) == MPI_SUCCESS); break;
        case 1:
            for (k = 0; k < 2; k++) CHECK(gravel_wait(&requests[k], &got[k], &statuses[k]) == MPI_SUCCESS);
            break;
        case 2:
            while (!flag) CHECK(gravel_testall(2, requests, &flag, statuses) == MPI_SUCCESS);
            break;
        case 3:
            for (k = 0; k < 2; k++) CHECK(gravel_waitany(2, requests, &index, &statuses[0]) == MPI_SUCCESS && index < 2);
            break;
        case 4:
            for (k = 0; k < 2; k += outcount)
                CHECK(gravel_waitsome(2, requests, &outcount, indices, statuses) == MPI_SUCCESS && outcount > 0);
            break;
        case 5:
            for (k = 0; k < 2; k++) {
                CHECK(gravel_wait_range(requests[k], &got[k], 0, 1) == MPI_SUCCESS);
                for (flag = 0; !flag;) CHECK(gravel_request_get_status(requests[k], &flag, &statuses[k]) == MPI_SUCCESS);
                for (flag = 0; !flag;) CHECK(gravel_test_request(&requests[k], &flag, &statuses[k]) == MPI_SUCCESS);
            }
            break;
        default:
            CHECK(gravel_wait_request(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(gravel_wait_request(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
            CHECK(gravel_release(&requests[2]) == MPI_SUCCESS);
        }
        for (k = 0; k < 2; k++) CHECK(got[k] == 5 + k + peer && requests[k] == MPI_REQUEST_NULL);
        CHECK(gravel_waitall(2, &requests[2], MPI_STATUSES_IGNORE) == MPI_SUCCESS);
        CHECK(gravel_waitany(2, requests, &index, &statuses[0]) == MPI_SUCCESS && index == MPI_UNDEFINED);
    }
    CHECK(gravel_wait(&requests[0], NULL, &statuses[0]) == MPI_SUCCESS);
    check_empty(&statuses[0]);
}

int main(int argc, char **argv) {
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    check_without_gravel();
    CHECK(gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    check_completions(1);
    check_completions(LONG);
    check_short_sends();
    check_copies();
    check_many();
    check_persistent();
    check_freed();
    check_cancelled();
    check_errors();
    check_errors_in_statuses();
    MPI_Comm_free(&left);
    CHECK(gravel_finalize() == MPI_SUCCESS);
    check_without_gravel();
    return finish();
}
