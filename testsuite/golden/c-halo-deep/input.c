/* Halos of two rows and of three points: the iterations inside run before the wait, those that the stencil reaches behind it. */
/* Some fields are so small that none is left inside. */
/* ranks: 1 2 3 */
#include <mpi.h>
#include <stdio.h>

enum { NX = 96, MOST = 700 };

static int rank, up, down;
static double sum;
static double u[(MOST + 4) * NX], v[MOST * NX], line[MOST + 6], next[MOST + 6];

/* Row 2 is the first of its own: rows 0 and 1 come from above, ny + 2 and ny + 3 from below. */
static void rows(int ny)
{
    double edges[4 * NX];
    MPI_Request requests[4];
    for (int k = 2 * NX; k < (ny + 2) * NX; k++) u[k] = rank + 0.01 * (k % 1001);
    for (int i = 0; i < 2 * NX; i++) {
        edges[i] = u[2 * NX + i % (ny * NX)];
        edges[2 * NX + i] = u[ny * NX + 2 * NX - 1 - i % (ny * NX)];
    }
    MPI_Irecv(&u[0], 2 * NX, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&u[(ny + 2) * NX], 2 * NX, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&edges[0], 2 * NX, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&edges[2 * NX], 2 * NX, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int j = 2; j < ny + 2; j++)
        for (int i = 0; i < NX; i++)
            v[(j - 2) * NX + i] = 16 * (u[(j - 1) * NX + i] + u[(j + 1) * NX + i]) - u[(j - 2) * NX + i] - u[(j + 2) * NX + i];
    for (int k = 0; k < ny * NX; k++) sum += v[k] * (k % 11);
}

/* Three points in front, and one behind; the bound is the last value, and the counter is looked at. */
static void points(int n)
{
    double edges[4];
    int i;
    MPI_Request ends[2];
    for (i = 3; i < n + 3; i++) line[i] = rank - 0.25 * (i % 77);
    for (i = 0; i < 3; i++) edges[i] = line[3 + (n + i) % n];
    edges[3] = line[3];
    MPI_Irecv(&line[0], 3, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, &ends[0]);
    MPI_Irecv(&line[n + 3], 1, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, &ends[1]);
    MPI_Send(&edges[3], 1, MPI_DOUBLE, up, 4, MPI_COMM_WORLD);
    MPI_Send(&edges[0], 3, MPI_DOUBLE, down, 3, MPI_COMM_WORLD);
    MPI_Waitall(2, ends, MPI_STATUSES_IGNORE);
    for (i = 3; i <= n + 2; ++i) {
        next[i] = line[i - 3] + 0.5 * (line[i - 1] + line[i + 1]);
    }
    sum += i;
    for (i = 3; i < n + 3; i++) sum += next[i] * (i % 7);
}

/* Points behind only, as far as two. */
static void behind(int first, int last)
{
    double edges[2];
    MPI_Request end;
    for (int i = first; i < last; i++) line[i] = rank + 0.5 * (i % 53);
    edges[0] = line[first];
    edges[1] = line[last - 1];
    MPI_Irecv(&line[last], 2, MPI_DOUBLE, down, 5, MPI_COMM_WORLD, &end);
    MPI_Send(edges, 2, MPI_DOUBLE, up, 5, MPI_COMM_WORLD);
    MPI_Wait(&end, MPI_STATUS_IGNORE);
    for (int i = first; i < last; i++) next[i] = 0.5 * (line[i + 1] + line[i + 2]);
    for (int i = first; i < last; i++) sum += next[i] * (i % 5);
}

int main(int argc, char **argv)
{
    static const int few[] = {1, 2, 3, 4, 5, 6, 30};
    static const int many[] = {1, 2, 3, 4, 63, 64, 65, 66, 67, 127, 128, 129, 130, 131, 192, 193, 194, 195, 600};
    double sums[16];
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    up = (rank + ranks - 1) % ranks;
    down = (rank + 1) % ranks;
    for (int k = 0; k < (int)(sizeof few / sizeof *few); k++) rows(few[k]);
    for (int k = 0; k < (int)(sizeof many / sizeof *many); k++) {
        points(many[k]);
        behind(k, k + many[k]);
    }
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int p = 0; p < ranks; p++) printf("%d %.12e\n", p, sums[p]);
    MPI_Finalize();
    return 0;
}
