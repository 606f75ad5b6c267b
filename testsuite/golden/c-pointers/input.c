/* Buffers from malloc: by a function of the program, as members of a structure, as rows of a table. */
#include <mpi.h>
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
    double *sent = vector(n), *received = vector(n), *field = vector(n), *smoothed = vector(n);
    double sum = 0.0;
    int i, step;
    MPI_Request pending[2];

    for (i = 0; i < n; i++)
        field[i] = smoothed[i] = rank + 0.001 * i;
    for (step = 0; step < 5; step++) {
        for (i = 0; i < n; i++)
            sent[i] = 2.0 * field[i];
        MPI_Irecv(received, n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &pending[0]);
        MPI_Isend(sent, n, MPI_DOUBLE, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &pending[1]);
        MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
        smooth(smoothed, field, n);
        for (i = 0; i < n; i++)
            field[i] = smoothed[i] + 0.1 * received[i];
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
    double sum = 0.0;
    int i, step;

    for (step = 0; step < 5; step++) {
        for (i = 0; i < g->n; i++)
            g->out[i] = g->old[i] + rank;
        MPI_Irecv(g->in, g->n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 4, MPI_COMM_WORLD, &g->requests[0]);
        MPI_Isend(g->out, g->n, MPI_DOUBLE, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &g->requests[1]);
        MPI_Waitall(2, g->requests, MPI_STATUSES_IGNORE);
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
        MPI_Irecv(t[0], n, MPI_DOUBLE, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, &receiving);
        MPI_Isend(t[1], n, MPI_DOUBLE, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &sending);
        MPI_Wait(&receiving, MPI_STATUS_IGNORE);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        smooth(work[1], work[0], n);
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
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sums[0] = ring(rank, ranks, 1000);
    sums[1] = halo(make_grid(1000), rank, ranks);
    sums[2] = rows(rank, ranks, 1000);
    MPI_Reduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.10g %.10g %.10g\n", all[0], all[1], all[2]);
    MPI_Finalize();
    return 0;
}
