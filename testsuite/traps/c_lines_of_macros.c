/* Macros tell their lines, and show calls as they are written. */
/* expect: handled */
/* ranks: 2 4 */
#include <mpi.h>
#include <stdio.h>

#define AT(call) (lines += __LINE__, (call))
#define SHOWN(call) (puts_once(#call), (call))
#define BOTH(one, other) ((one) == MPI_SUCCESS && (other) == MPI_SUCCESS)

enum { N = 20000, MAX_RANKS = 16 };

static double sbuf[N], rbuf[N], inner[N];
static int lines, shown;

static void puts_once(const char *text)
{
    for (; *text; text++)
        shown += *text;
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, i, step, codes = 5;
    double sum = 0.0, sums[MAX_RANKS];
    MPI_Request rq[2];
    MPI_Comm own;

    AT(MPI_Init(&argc,
                &argv));
    SHOWN(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    SHOWN(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    if (AT(MPI_Comm_dup(
            MPI_COMM_WORLD, &own)))
        return 1;
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    for (step = 0; step < 3; step++) {
        for (i = 0; i < N; i++)
            sbuf[i] = (rank + 1) * (double)(i % 9) + step;
        if (!BOTH(MPI_Irecv(rbuf, N, MPI_DOUBLE, /* from */ prev, step,
                            own, &rq[0]),
                  MPI_Isend(sbuf, N, MPI_DOUBLE, next, step, own, &rq[1]))) /* trapped */
            lines = 0;
        for (i = 0; i < N; i++)
            inner[i] += 0.25 * i;
        codes += AT(MPI_Wait(&rq[0],
                                   MPI_STATUS_IGNORE)); /* trapped */
        lines += __LINE__;
        for (i = 0; i < N; i++)
            sum += 0.5 * rbuf[i];
        SHOWN(MPI_Barrier(own));
        for (;;)
            if (AT(MPI_Wait(&rq[1], MPI_STATUS_IGNORE)) == MPI_SUCCESS || lines < 0) /* trapped */
                break;
        sum += (double)AT(MPI_Sendrecv(sbuf, 10, MPI_DOUBLE, next, 9,
                                       rbuf, 10,
                                       MPI_DOUBLE, prev, 9, own, MPI_STATUS_IGNORE));
    }
    for (i = 0; i < N; i++)
        sum += rbuf[i] + inner[i] + codes;
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, own);
    if (rank == 0)
        for (i = 0; i < ranks; i++)
            printf("%.6f %d %d\n", sums[i], lines, shown);
    return AT(MPI_Comm_free(&own)) || MPI_Finalize();
}
