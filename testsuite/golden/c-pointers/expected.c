/* Buffers from malloc: by a function of the program, as members of a structure, as rows of a table. */
#include <mpi.h>
#include <gravel.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    MPI_Request requests[2];
    int n;
    double *out, *in, *old, *new;
} Grid;

static void *fresh(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "there is no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static double *vector(int n)
{
    return fresh((size_t)n * sizeof(double));
}

static double **table(int rows, int columns)
{
    double **t = fresh((size_t)rows * sizeof *t);
    int i;
    t[0] = vector(rows * columns);
    for (i = 1; i < rows; i++)
        t[i] = t[i - 1] + columns;
    return t;
}

static Grid *make_grid(int n)
{
    Grid *g = fresh(sizeof *g);
    int i;
    g->n = n;
    g->out = vector(n);
    g->in = vector(n);
    g->old = vector(n);
    g->new = vector(n);
    for (i = 0; i < n; i++)
        g->old[i] = g->new[i] = g->in[i] = 0.001 * i;
    return g;
}

static void smooth(double *to, const double *from, int n)
{
    int i;
    for (i = 1; i < n - 1; i++)
        to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
}

/* The receive is posted before the message is filled, which is sent piece by piece; it is waited for behind the smoothing. */
static double ring(int rank, int ranks, int n)
{
    gravel_transfer gravel_t1;
    int gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2;
    int64_t gravel_step1, gravel_step2;
    double *sent = vector(n), *received = vector(n), *field = vector(n), *smoothed = vector(n);
    double sum = 0.0;
    int i, step;
    MPI_Request pending[2];

    for (i = 0; i < n; i++)
        field[i] = smoothed[i] = rank + 0.001 * i;
    for (step = 0; step < 5; step++) {
        /* gravel: posted early, was line 71: MPI_Irecv(received, n, MPI_DOUBLE, (rank + ranks - 1) % ra... */
        gravel_post_rcv_segments(received, n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                                 &pending[0]);
        /* gravel: one handshake, a put per tile, was line 72: MPI_Isend(sent, n, MPI_DOUBLE, (rank + 1)... */
        gravel_wait_rcv_buffer(sent, n, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &gravel_t1);
        gravel_step1 = gravel_tile(gravel_t1, n, 64);
        for (gravel_lo1 = 0; gravel_lo1 < n; gravel_lo1 = gravel_hi1) {
            gravel_hi1 = gravel_step1 < n - gravel_lo1 ? gravel_lo1 + (int)gravel_step1 : n;
            for (i = gravel_lo1; i < gravel_hi1; i++)
                sent[i] = 2.0 * field[i];
            gravel_post_os_put(gravel_t1, sent, gravel_lo1, gravel_hi1 - gravel_lo1);
        }
        /* gravel: moved away from here, was line 71: MPI_Irecv(received, n, MPI_DOUBLE, (rank + ranks -... */
        /* gravel: sent tile by tile above, was line 72: MPI_Isend(sent, n, MPI_DOUBLE, (rank + 1) % ran... */
        gravel_send_fin(&gravel_t1, &pending[1]);
        /* gravel: moved away from here, was line 73: MPI_Waitall(2, pending, MPI_STATUSES_IGNORE); */
        smooth(smoothed, field, n);
        /* gravel: waits here for what each tile reads, was line 73: MPI_Waitall(2, pending, MPI_STATUSE... */
        gravel_step2 = gravel_tile_of_request(pending[0], n, 64);
        if (gravel_step2 >= n) gravel_wait(&pending[0], received, MPI_STATUS_IGNORE);
        for (gravel_lo2 = 0; gravel_lo2 < n; gravel_lo2 = gravel_hi2) {
            gravel_hi2 = gravel_step2 < n - gravel_lo2 ? gravel_lo2 + (int)gravel_step2 : n;
            if (gravel_step2 < n) gravel_wait_range(pending[0], received, 0, gravel_hi2);
            for (i = gravel_lo2; i < gravel_hi2; i++)
                field[i] = smoothed[i] + 0.1 * received[i];
        }
        if (gravel_step2 < n) gravel_wait(&pending[0], received, MPI_STATUS_IGNORE);
        /* gravel: the wait moved here, was line 73: MPI_Waitall(2, pending, MPI_STATUSES_IGNORE); */
        gravel_wait(&pending[1], sent, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < n; i++)
        sum += field[i];
    free(sent);
    free(received);
    free(field);
    free(smoothed);
    return sum;
}

/* Members of one structure, requests among them. */
static double halo(Grid *g, int rank, int ranks)
{
    gravel_request gravel_r1;
    double sum = 0.0;
    int i, step;

    for (step = 0; step < 5; step++) {
        /* gravel: posted early, was line 96: MPI_Irecv(g->in, g->n, MPI_DOUBLE, (rank + ranks - 1) % ra... */
        gravel_post_rcv_buffer_rdma(g->in, g->n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 4, MPI_COMM_WORLD,
                                    &gravel_r1);
        for (i = 0; i < g->n; i++)
            g->out[i] = g->old[i] + rank;
        /* gravel: posted above, was line 96: MPI_Irecv(g->in, g->n, MPI_DOUBLE, (rank + ranks - 1) % ra... */
        g->requests[0] = gravel_r1;
        /* gravel: sent without waiting, was line 97: MPI_Isend(g->out, g->n, MPI_DOUBLE, (rank + 1) % r... */
        gravel_post_send(g->out, g->n, MPI_DOUBLE, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &g->requests[1]);
        /* gravel: waits here, was line 98: MPI_Waitall(2, g->requests, MPI_STATUSES_IGNORE); */
        gravel_waitall(2, g->requests, MPI_STATUSES_IGNORE);
        smooth(g->new, g->old, g->n);
        for (i = 0; i < g->n; i++)
            g->old[i] = g->new[i] + 0.1 * g->in[i];
    }
    for (i = 0; i < g->n; i++)
        sum += g->old[i];
    return sum;
}

/* The rows of one table are one piece of memory: what is done to a row behind the wait may be done to the message. */
static double rows(int rank, int ranks, int n)
{
    double **t = table(3, n), **work = table(2, n);
    double sum = 0.0;
    int i, step;
    MPI_Request receiving, sending;

    for (i = 0; i < n; i++)
        t[0][i] = t[1][i] = t[2][i] = work[0][i] = work[1][i] = rank - 0.001 * i;
    for (step = 0; step < 5; step++) {
        /* gravel: posted here, was line 119: MPI_Irecv(t[0], n, MPI_DOUBLE, (rank + ranks - 1) % ranks,... */
        gravel_post_rcv_buffer_rdma(t[0], n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD,
                                    &receiving);
        /* gravel: sent without waiting, was line 120: MPI_Isend(t[1], n, MPI_DOUBLE, (rank + 1) % ranks... */
        gravel_post_send(t[1], n, MPI_DOUBLE, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &sending);
        /* gravel: waits here, was line 121: MPI_Wait(&receiving, MPI_STATUS_IGNORE); */
        gravel_wait_request(&receiving, MPI_STATUS_IGNORE);
        /* gravel: moved away from here, was line 122: MPI_Wait(&sending, MPI_STATUS_IGNORE); */
        smooth(work[1], work[0], n);
        /* gravel: the wait moved here, was line 122: MPI_Wait(&sending, MPI_STATUS_IGNORE); */
        gravel_wait_request(&sending, MPI_STATUS_IGNORE);
        for (i = 0; i < n; i++)
            t[1][i] = work[1][i] + 0.1 * t[0][i] + t[2][i];
        for (i = 0; i < n; i++)
            work[0][i] = 0.5 * t[1][i];
    }
    for (i = 0; i < n; i++)
        sum += t[1][i];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double sums[3], all[3];

    MPI_Init(&argc, &argv);
    /* gravel: the runtime starts after MPI */
    gravel_init(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sums[0] = ring(rank, ranks, 1000);
    sums[1] = halo(make_grid(1000), rank, ranks);
    sums[2] = rows(rank, ranks, 1000);
    MPI_Reduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.10g %.10g %.10g\n", all[0], all[1], all[2]);
    /* gravel: the runtime ends before MPI */
    gravel_finalize();
    MPI_Finalize();
    return 0;
}
