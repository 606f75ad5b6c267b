/* A ring of processes: every process fills a message, passes it to the next one and works on the
 * message that the previous one has passed to it.
 *
 *   mpirun -n 2 ./ring [BYTES [ITERATIONS]]
 *
 * Standard output: one checksum per process, in the order of their ranks.
 * Standard error: seconds per iteration, of the slowest process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES_PER_ELEMENT = 8, MAX_ELEMENTS = 4194304 / BYTES_PER_ELEMENT, MAX_RANKS = 1024, TAG = 7, WARM_UP = 10 };

static double sbuf[MAX_ELEMENTS], rbuf[MAX_ELEMENTS], field[MAX_ELEMENTS];
static double checksums[MAX_RANKS];

/* Ends all processes with a message. */
static void give_up(const char *message)
{
    fprintf(stderr, "ring: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The whole number that is the command line's argument at `position`, or `otherwise` without one. */
static int argument(int argc, char **argv, int position, int otherwise)
{
    char *end;
    long value;

    if (position >= argc || argv[position][0] == '\0')
        return otherwise;
    value = strtol(argv[position], &end, 10);
    if (*end != '\0')
        give_up("not a whole number");
    return (int)value;
}

int main(int argc, char **argv)
{
    int rank, ranks, next, prev, n, iterations, iteration, i;
    double weight, checksum, started, seconds, slowest;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MAX_RANKS)
        give_up("more processes than this program has room for");

    n = argument(argc, argv, 1, 524288) / BYTES_PER_ELEMENT;
    iterations = argument(argc, argv, 2, 50);
    if (n < 1 || n > MAX_ELEMENTS)
        give_up("BYTES must lie between 8 and 4194304");
    if (iterations < 1)
        give_up("ITERATIONS must be at least 1");

    next = (rank + 1) % ranks;
    prev = (rank - 1 + ranks) % ranks;

    for (i = 0; i < n; i++) {
        field[i] = (double)(rank + 1) + (double)(i % 128) / 128.0;
        rbuf[i] = 1.0;
    }

    started = 0.0;
    for (iteration = 1 - WARM_UP; iteration <= iterations; iteration++) {
        MPI_Irecv(rbuf, n, MPI_DOUBLE, prev, TAG, MPI_COMM_WORLD, &request);

        /* The message: the field, weighted with a factor that is another one in each iteration. */
        weight = 1.0 / (double)(iteration + WARM_UP + 1);
        for (i = 0; i < n; i++)
            sbuf[i] = field[i] * (1.0 - weight) + weight;
        MPI_Send(sbuf, n, MPI_DOUBLE, next, TAG, MPI_COMM_WORLD);

        MPI_Wait(&request, &status);

        /* What has come from the previous process becomes part of what goes to the next one. */
        for (i = 0; i < n; i++)
            field[i] = 0.75 * field[i] + 0.25 * rbuf[i];

        if (iteration == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            started = MPI_Wtime();
        }
    }
    seconds = (MPI_Wtime() - started) / (double)iterations;

    checksum = 0.0;
    for (i = 0; i < n; i++)
        checksum = checksum + field[i] * (double)(1 + (i + 1) % 17);

    MPI_Gather(&checksum, 1, MPI_DOUBLE, checksums, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (i = 0; i < ranks; i++)
            printf("rank %d checksum %24.16E\n", i, checksums[i]);
        fprintf(stderr, "seconds per iteration %14.6E\n", slowest);
    }

    MPI_Finalize();
    return 0;
}
