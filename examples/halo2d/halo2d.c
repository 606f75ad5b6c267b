/* Heat in a square plate of several layers: five-point stencil on a two-dimensional decomposition of the plate.
 *
 *   mpirun -n 4 ./halo2d [POINTS [STEPS]]
 *
 * Standard output: one checksum per process, in the order of the ranks.
 * Standard error: seconds per step, of the slowest process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_POINTS 512
#define LAYERS 8

enum { TO_WEST = 11, TO_EAST = 12, TO_SOUTH = 13, TO_NORTH = 14 };

/* The plate: this process's part of it begins behind the first points. */
static int nx, ny, ifirst, jfirst;
static int north, south, east, west;
static double u[LAYERS][MAX_POINTS + 2][MAX_POINTS + 2], v[LAYERS][MAX_POINTS + 2][MAX_POINTS + 2];

static double send_west[MAX_POINTS * LAYERS], send_east[MAX_POINTS * LAYERS];
static double send_south[MAX_POINTS * LAYERS], send_north[MAX_POINTS * LAYERS];
static double recv_west[MAX_POINTS * LAYERS], recv_east[MAX_POINTS * LAYERS];
static double recv_south[MAX_POINTS * LAYERS], recv_north[MAX_POINTS * LAYERS];

/* The whole number that is the command line's argument at `position`, or `otherwise` without one; 0 if it is none. */
static int argument(int argc, char **argv, int position, int otherwise)
{
    char *end;
    long value;

    if (position >= argc || argv[position][0] == '\0')
        return otherwise;
    value = strtol(argv[position], &end, 10);
    return *end == '\0' ? (int)value : 0;
}

/* Cuts the plate into columns * rows parts that are as square as the number of processes allows, and finds the
 * neighbours (-1: none). */
static void decompose(int rank, int ranks, int points)
{
    int columns, rows, column, row, candidate;

    rows = 1;
    for (candidate = 1; candidate <= ranks; candidate++) {
        if (candidate * candidate > ranks)
            break;
        if (ranks % candidate == 0)
            rows = candidate;
    }
    columns = ranks / rows;
    column = rank % columns;
    row = rank / columns;

    ifirst = column * points / columns + 1;
    nx = (column + 1) * points / columns - ifirst + 1;
    jfirst = row * points / rows + 1;
    ny = (row + 1) * points / rows - jfirst + 1;

    west = column > 0 ? rank - 1 : -1;
    east = column < columns - 1 ? rank + 1 : -1;
    south = row > 0 ? rank - columns : -1;
    north = row < rows - 1 ? rank + columns : -1;
}

/* A cold plate with warm spots; its rim stays cold for ever. */
static void initialise(void)
{
    int i, j, k;

    for (k = 0; k < LAYERS; k++) {
        for (j = 0; j <= ny + 1; j++) {
            for (i = 0; i <= nx + 1; i++) {
                u[k][j][i] = 0.0;
                v[k][j][i] = 0.0;
            }
        }
        for (j = 1; j <= ny; j++)
            for (i = 1; i <= nx; i++)
                if (((ifirst + i) * (jfirst + j) + k + 1) % 7 == 0)
                    u[k][j][i] = 1.0 + (double)(ifirst + i) / 64.0 - (double)(jfirst + j) / 128.0;
    }
}

/* Brings the outermost points of the neighbours into the halo. */
static void exchange(void)
{
    MPI_Request request_west, request_east, request_south, request_north;
    MPI_Status status;
    int i, j, k;

    if (west != -1)
        MPI_Irecv(recv_west, ny * LAYERS, MPI_DOUBLE, west, TO_EAST, MPI_COMM_WORLD, &request_west);
    if (east != -1)
        MPI_Irecv(recv_east, ny * LAYERS, MPI_DOUBLE, east, TO_WEST, MPI_COMM_WORLD, &request_east);
    if (south != -1)
        MPI_Irecv(recv_south, nx * LAYERS, MPI_DOUBLE, south, TO_NORTH, MPI_COMM_WORLD, &request_south);
    if (north != -1)
        MPI_Irecv(recv_north, nx * LAYERS, MPI_DOUBLE, north, TO_SOUTH, MPI_COMM_WORLD, &request_north);

    /* the western and the eastern columns */

    if (west != -1) {
        for (k = 0; k < LAYERS; k++)
            for (j = 0; j < ny; j++)
                send_west[k * ny + j] = u[k][j + 1][1];
        MPI_Send(send_west, ny * LAYERS, MPI_DOUBLE, west, TO_WEST, MPI_COMM_WORLD);
    }

    if (east != -1) {
        for (k = 0; k < LAYERS; k++)
            for (j = 0; j < ny; j++)
                send_east[k * ny + j] = u[k][j + 1][nx];
        MPI_Send(send_east, ny * LAYERS, MPI_DOUBLE, east, TO_EAST, MPI_COMM_WORLD);
    }

    /* the southern and the northern rows */

    if (south != -1) {
        for (k = 0; k < LAYERS; k++)
            for (i = 0; i < nx; i++)
                send_south[k * nx + i] = u[k][1][i + 1];
        MPI_Send(send_south, nx * LAYERS, MPI_DOUBLE, south, TO_SOUTH, MPI_COMM_WORLD);
    }

    if (north != -1) {
        for (k = 0; k < LAYERS; k++)
            for (i = 0; i < nx; i++)
                send_north[k * nx + i] = u[k][ny][i + 1];
        MPI_Send(send_north, nx * LAYERS, MPI_DOUBLE, north, TO_NORTH, MPI_COMM_WORLD);
    }

    /* what the neighbours have sent goes into the halo */

    if (west != -1) {
        MPI_Wait(&request_west, &status);
        for (k = 0; k < LAYERS; k++)
            for (j = 0; j < ny; j++)
                u[k][j + 1][0] = recv_west[k * ny + j];
    }

    if (east != -1) {
        MPI_Wait(&request_east, &status);
        for (k = 0; k < LAYERS; k++)
            for (j = 0; j < ny; j++)
                u[k][j + 1][nx + 1] = recv_east[k * ny + j];
    }

    if (south != -1) {
        MPI_Wait(&request_south, &status);
        for (k = 0; k < LAYERS; k++)
            for (i = 0; i < nx; i++)
                u[k][0][i + 1] = recv_south[k * nx + i];
    }

    if (north != -1) {
        MPI_Wait(&request_north, &status);
        for (k = 0; k < LAYERS; k++)
            for (i = 0; i < nx; i++)
                u[k][ny + 1][i + 1] = recv_north[k * nx + i];
    }
}

/* One step of the five-point stencil in every layer. */
static void sweep(void)
{
    const double rate = 0.2;
    int i, j, k;

    for (k = 0; k < LAYERS; k++)
        for (j = 1; j <= ny; j++)
            for (i = 1; i <= nx; i++)
                v[k][j][i] = u[k][j][i]
                             + rate * (u[k][j][i - 1] + u[k][j][i + 1] + u[k][j - 1][i] + u[k][j + 1][i]
                                       - 4.0 * u[k][j][i]);
    for (k = 0; k < LAYERS; k++)
        for (j = 1; j <= ny; j++)
            for (i = 1; i <= nx; i++)
                u[k][j][i] = v[k][j][i];
}

/* Checksums in the order of the ranks, and the time. */
static void report(int rank, int ranks, double seconds)
{
    double checksum, slowest;
    double *checksums;
    int i, j, k;

    checksum = 0.0;
    for (k = 0; k < LAYERS; k++)
        for (j = 1; j <= ny; j++)
            for (i = 1; i <= nx; i++)
                checksum = checksum + u[k][j][i] * (double)(1 + (ifirst + i + 3 * (jfirst + j)) % 13);

    checksums = malloc((size_t)ranks * sizeof *checksums);
    if (checksums == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Gather(&checksum, 1, MPI_DOUBLE, checksums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (i = 0; i < ranks; i++)
            printf("rank %d checksum %24.16E\n", i, checksums[i]);
        fprintf(stderr, "seconds per step %14.6E\n", slowest);
    }
    free(checksums);
}

int main(int argc, char **argv)
{
    enum { WARM_UP = 5 };
    int points, steps, step, rank, ranks;
    double started, seconds;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    points = argument(argc, argv, 1, 128);
    steps = argument(argc, argv, 2, 20);
    if (steps < 1 || points < 8 || points > MAX_POINTS) {
        fprintf(stderr, "halo2d: POINTS must lie between 8 and %d, STEPS must be at least 1\n", MAX_POINTS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    decompose(rank, ranks, points);
    initialise();

    started = 0.0;
    for (step = 1 - WARM_UP; step <= steps; step++) {
        if (step == 1) {
            MPI_Barrier(MPI_COMM_WORLD);
            started = MPI_Wtime();
        }
        exchange();
        sweep();
    }
    seconds = (MPI_Wtime() - started) / (double)steps;

    report(rank, ranks, seconds);
    MPI_Finalize();
    return 0;
}
