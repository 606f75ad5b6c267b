#line 1 "input.c"
/* Calls of MPI inside of expressions: in macros that check codes, conditions, initialisers, results and arguments. */
#include <mpi.h>
#include <gravel.h>
#line 3 "input.c"
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int code = (call);                                                                                             \
        if (code != MPI_SUCCESS)                                                                                       \
            fail(code, __LINE__);                                                                                      \
    } while (0)
#define SHOWN(call) check((call), #call)

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];

static void fail(int code, int line)
{
    fprintf(stderr, "line %d: %d\n", line, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fprintf(stderr, "%s: %d\n", what, code);
}

static int begin(MPI_Comm comm, int prev, int next, MPI_Request *rq)
{
    /* gravel: posted here, was line 32: MPI_Irecv(rbuf, N, MPI_DOUBLE, prev, 1, comm, &rq[0]); */
    int code = gravel_post_rcv_buffer_rdma(rbuf, N, MPI_DOUBLE, prev, 1, comm, &rq[0]);
    /* gravel: sent without waiting, was line 33: MPI_Isend(sbuf, N, MPI_DOUBLE, next, 1, comm, &rq[1]) */
    if (code == MPI_SUCCESS && (code = gravel_post_send(sbuf, N, MPI_DOUBLE, next, 1, comm, &rq[1])) == MPI_SUCCESS)
        return MPI_SUCCESS;
    return code;
}

static int end(MPI_Request *rq)
{
    /* gravel: waits here, was line 40: MPI_Waitall(2, rq, MPI_STATUSES_IGNORE); */
    return gravel_waitall(2, rq, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int gravel_code;
    int rank, ranks, next, prev, pair, i, step, codes = 0, flag = 0;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Comm own, world = MPI_COMM_WORLD;
    MPI_Request rq[2], one;
    MPI_Status status;

    /* gravel: the runtime starts after MPI */
#line 51 "input.c"
    if ((gravel_code = MPI_Init(&argc, &argv), gravel_init(MPI_COMM_WORLD), gravel_code) != MPI_SUCCESS)
        return 1;
    CHECK(MPI_Comm_rank(world, &rank));
    codes |= MPI_Comm_size(world, &ranks);
    /* gravel: the runtime is attached to the new communicator */
#line 55 "input.c"
    CHECK((gravel_code = MPI_Comm_dup(world, &own), gravel_attach(own), gravel_code));
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (step = 0; step < 3; step++) {
        for (i = 0; i < N; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9) + step;
        if (begin(own, prev, next, rq) || end(rq))
            fail(1, __LINE__);
        for (i = 0; i < N; i++)
            sum += 0.5 * rbuf[i];
        /* gravel: posted here, was line 65: MPI_Irecv(inner, N, MPI_DOUBLE, prev, 2, own, &one) */
#line 65 "input.c"
        CHECK(gravel_post_rcv_buffer_rdma(inner, N, MPI_DOUBLE, prev, 2, own, &one));
        /* gravel: sent here, was line 66: MPI_Send(sbuf, N, MPI_DOUBLE, next, 2, own) */
#line 66 "input.c"
        CHECK(gravel_send(sbuf, N, MPI_DOUBLE, next, 2, own));
        while (flag == 0 && gravel_test_request(&one, &flag, &status) == MPI_SUCCESS)
            continue;
        flag = 0;
        pair = rank % 2 != 0 || next == rank + 1;
        codes |= !pair           ? MPI_SUCCESS
                 : rank % 2 == 0 ? MPI_Send(rbuf, 100, MPI_DOUBLE, next, 3, own)
                                 : MPI_Recv(inner, 100, MPI_DOUBLE, prev, 3, own, MPI_STATUS_IGNORE);
    }
    SHOWN(MPI_Barrier(own));
    for (i = 0; i < N; i++)
        sum += inner[i];
    SHOWN(MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, world));
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f %d\n", sums[i], codes);
    /* gravel: the runtime ends before MPI */
    return MPI_Comm_free(&own) != MPI_SUCCESS || (gravel_finalize(), MPI_Finalize()) != MPI_SUCCESS;
}
