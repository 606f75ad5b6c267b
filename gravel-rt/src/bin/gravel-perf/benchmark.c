/* Measures Gravel and the MPI that it was compiled with in one process, in turns, so that both see the same machine.
 *
 *    benchmark ROUNDS [MICROSECONDS OF COMPUTATION IN TESTS OF OVERLAP [heap|static|stack [ring]]]
 *
 * The third argument is where the arrays lie that are sent and received.
 * Ranks 2k and 2k+1 make a pair; all pairs work at the same time. With `ring`, all ranks work together instead, and may be
 * more than there are processors. Rank 0 prints one line per measurement:
 *
 *    TEST LIBRARY BYTES VALUE
 *
 * Compiled with BARE_VERBS, and together with bare_verbs.c, it measures plain loops over libibverbs, too.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "gravel.h"
#ifdef BARE_VERBS
#include "bare_verbs.h"
#endif

enum { ARRAY_BYTES = 32 << 20, LARGEST_WINDOW = 64, SEGMENTS = 8, TAG = 1, ACK_TAG = 2, GET_TAG = 4 };

/* A stream of so many bytes. */
#ifdef BARE_VERBS
enum { STREAM_BYTES = 4 << 20 };
#else
enum { STREAM_BYTES = ARRAY_BYTES };
#endif

/* Arrays of the program; each library has its own. */
static char *gravel_out, *gravel_in, *mpi_out, *mpi_in;
static char static_arrays[4][ARRAY_BYTES];
static int rank, peer, is_first;
static double spins_per_microsecond, overlap_work = 400;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void print(const char *test, const char *library, size_t bytes, double value) {
    if (rank == 0) printf("%s %s %zu %.9g\n", test, library, bytes, value);
}

/* ---- computation */

/* A chain of multiplications that no compiler can shorten, and that touches no memory. */
volatile double spin_result;

static void spin(long steps) {
    double value = 1.0;
    long k;
    for (k = 0; k < steps; k++) value = value * 1.0000001 + 1e-9;
    spin_result = value;
}

static void compute(double microseconds) {
    spin((long)(microseconds * spins_per_microsecond));
}

/* The fastest of several tries: the others were interrupted. */
static void calibrate(void) {
    double best = 1e30;
    int k;
    for (k = 0; k < 50; k++) {
        double start = now(), took;
        spin(100000);
        took = now() - start;
        if (took < best) best = took;
    }
    spins_per_microsecond = 100000 / best;
}

/* ---- one-way latency: half a ping-pong, in microseconds; the first one is not timed. A short message needs no
 * handshake: its sender turns to the next receive when it has left, as with MPI. A long one goes where the receive is
 * that was posted before. */

static const size_t LONGEST_SHORT = 8192;

static void send_and_post(size_t bytes, int sends, gravel_request *sending, gravel_request *receiving) {
    int count = (int)bytes;
    if (bytes > LONGEST_SHORT)
        gravel_post_rcv_buffer_rdma(gravel_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, receiving);
    if (sends) gravel_post_send(gravel_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, sending);
    if (bytes <= LONGEST_SHORT)
        gravel_post_rcv_buffer_rdma(gravel_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, receiving);
    if (sends) gravel_wait(sending, gravel_out, MPI_STATUS_IGNORE);
}

static double gravel_latency(size_t bytes, int times) {
    gravel_request receiving, sending;
    double start = 0;
    int k;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = now();
        send_and_post(bytes, is_first || k >= 0, &sending, &receiving);
        gravel_wait(&receiving, gravel_in, MPI_STATUS_IGNORE);
    }
    if (!is_first) {
        gravel_post_send(gravel_out, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &sending);
        gravel_wait(&sending, gravel_out, MPI_STATUS_IGNORE);
    }
    return (now() - start) / times / 2;
}

static double mpi_latency(size_t bytes, int times) {
    int count = (int)bytes, k;
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = now();
        if (is_first) {
            MPI_Send(mpi_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
            MPI_Recv(mpi_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(mpi_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(mpi_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
    }
    return (now() - start) / times / 2;
}

/* ---- streams: windows of messages in one direction, each acknowledged; microseconds per message,
 * without the first window */

static int window_of(size_t bytes) {
    size_t fitting = STREAM_BYTES / bytes;
    return fitting < LARGEST_WINDOW ? (int)fitting : LARGEST_WINDOW;
}

static double gravel_stream(size_t bytes, int window, int times) {
    gravel_request requests[LARGEST_WINDOW], acknowledging;
    static char acknowledgement[8];
    int count = (int)bytes, k, m;
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = now();
        if (is_first) {
            gravel_post_rcv_buffer_rdma(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, &acknowledging);
            for (m = 0; m < window; m++)
                gravel_post_send(gravel_out + m * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[m]);
            gravel_waitall(window, requests, MPI_STATUSES_IGNORE);
        } else {
            for (m = 0; m < window; m++)
                gravel_post_rcv_buffer_rdma(gravel_in + m * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD,
                                            &requests[m]);
            gravel_waitall(window, requests, MPI_STATUSES_IGNORE);
            gravel_post_send(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, &acknowledging);
        }
        gravel_wait(&acknowledging, acknowledgement, MPI_STATUS_IGNORE);
    }
    return (now() - start) / times / window;
}

#ifdef BARE_VERBS
/* The same bytes as one message that is put in parts, as a loop that is cut into tiles does it: one handshake, a put per
 * part, one FIN. */
static double gravel_put_stream(size_t bytes, int window, int times) {
    gravel_request request, acknowledging;
    gravel_transfer transfer;
    static char acknowledgement[8];
    int count = (int)bytes * window, k, m;
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = now();
        if (is_first) {
            gravel_post_rcv_buffer_rdma(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, &acknowledging);
            gravel_wait_rcv_buffer(gravel_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &transfer);
            for (m = 0; m < window; m++)
                gravel_post_os_put(transfer, gravel_out, (int64_t)(m * bytes), (int64_t)bytes);
            gravel_send_fin(&transfer, &request);
        } else {
            gravel_post_rcv_buffer_rdma(gravel_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
        }
        gravel_wait(&request, is_first ? gravel_out : gravel_in, MPI_STATUS_IGNORE);
        if (!is_first)
            gravel_post_send(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, &acknowledging);
        gravel_wait(&acknowledging, acknowledgement, MPI_STATUS_IGNORE);
    }
    return (now() - start) / times / window;
}
#endif

static double mpi_stream(size_t bytes, int window, int times) {
    MPI_Request requests[LARGEST_WINDOW];
    char acknowledgement[8] = {0};
    int count = (int)bytes, k, m;
    double start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = -1; k < times; k++) {
        if (k == 0) start = now();
        if (is_first) {
            for (m = 0; m < window; m++)
                MPI_Isend(mpi_out + m * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[m]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            MPI_Recv(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (m = 0; m < window; m++)
                MPI_Irecv(mpi_in + m * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[m]);
            MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
            MPI_Send(acknowledgement, 8, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD);
        }
    }
    return (now() - start) / times / window;
}

#ifndef BARE_VERBS
/* The yardstick of a stream: plain copies between two shared mappings. Only the first of a pair copies. */
static double copy_stream(size_t bytes, int window, int times) {
    static char *from, *to;
    double start, took;
    int k, m;
    if (!from) {
        from = mmap(NULL, ARRAY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        to = mmap(NULL, ARRAY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (from == MAP_FAILED || to == MAP_FAILED) {
            fprintf(stderr, "benchmark: no memory for the copies\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        memset(from, 1, ARRAY_BYTES);
        memset(to, 2, ARRAY_BYTES);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (k = 0; is_first && k < times; k++)
        for (m = 0; m < window; m++) memcpy(to + m * bytes, from + m * bytes, bytes);
    took = (now() - start) / times / window;
    MPI_Barrier(MPI_COMM_WORLD);
    return took;
}
#endif

/* ---- segments: a message is computed in eight parts, each of which leaves when it is ready, while the receiver computes
 * for as long; microseconds from the beginning until the receiver has said that it has everything */

/* What it takes to fill a segment of this length: the fastest of several times. */
static double filling_time(char *segment, size_t bytes) {
    double best = 1e30;
    int k;
    for (k = 0; k < 20; k++) {
        double start = now(), took;
        memset(segment, k, bytes);
        took = now() - start;
        if (took < best) best = took;
    }
    return best;
}

/* Fills a segment, and computes for the rest of the time. */
static void work_on_segment(char *segment, size_t bytes, double rest) {
    memset(segment, (int)bytes, bytes);
    if (rest > 0) compute(rest);
}

static void acknowledge(void) {
    if (is_first)
        MPI_Recv(NULL, 0, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, peer, ACK_TAG, MPI_COMM_WORLD);
}

/* The same without any message. */
static double segments_alone(char *out, size_t bytes, double rest) {
    double start;
    int k;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (k = 0; k < SEGMENTS; k++) work_on_segment(out + k * bytes, bytes, rest);
    return now() - start;
}

static double gravel_segments(size_t bytes, double microseconds, double rest) {
    gravel_request request;
    gravel_transfer transfer;
    int count = (int)(bytes * SEGMENTS), k;
    double start;
    if (!is_first)
        gravel_post_rcv_buffer_rdma(gravel_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    if (is_first) {
        gravel_wait_rcv_buffer(gravel_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &transfer);
        for (k = 0; k < SEGMENTS; k++) {
            work_on_segment(gravel_out + k * bytes, bytes, rest);
            gravel_post_os_put(transfer, gravel_out, (int64_t)(k * bytes), (int64_t)bytes);
        }
        gravel_send_fin(&transfer, &request);
    } else {
        compute(SEGMENTS * microseconds);
    }
    gravel_wait(&request, is_first ? gravel_out : gravel_in, MPI_STATUS_IGNORE);
    acknowledge();
    return now() - start;
}

static double mpi_segments(size_t bytes, double microseconds, double rest) {
    MPI_Request requests[SEGMENTS];
    int count = (int)bytes, k;
    double start;
    for (k = 0; !is_first && k < SEGMENTS; k++)
        MPI_Irecv(mpi_in + k * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[k]);
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    if (is_first) {
        for (k = 0; k < SEGMENTS; k++) {
            work_on_segment(mpi_out + k * bytes, bytes, rest);
            MPI_Isend(mpi_out + k * bytes, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[k]);
        }
    } else {
        compute(SEGMENTS * microseconds);
    }
    MPI_Waitall(SEGMENTS, requests, MPI_STATUSES_IGNORE);
    acknowledge();
    return now() - start;
}

/* ---- overlap: one side starts, computes for W and waits, while the other only communicates; the share of W in the time
 * that the first needs, in percent */

/* A sender that does not compute begins so many microseconds later, so that the receiver has left the barrier, in which it
 * would let the message progress, and computes already. */
static const double HEAD_START = 150;

static double gravel_overlap(size_t bytes, int computes, double microseconds) {
    gravel_request request;
    int count = (int)bytes;
    double start, computed = 0;
    if (!is_first)
        gravel_post_rcv_buffer_rdma(gravel_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first && !computes) compute(HEAD_START);
    start = now();
    if (is_first) gravel_post_send(gravel_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    if (computes) {
        computed = now();
        compute(microseconds);
        computed = now() - computed;
    }
    gravel_wait(&request, is_first ? gravel_out : gravel_in, MPI_STATUS_IGNORE);
    return 100 * computed / (now() - start);
}

static double mpi_overlap(size_t bytes, int computes, double microseconds) {
    MPI_Request request;
    int count = (int)bytes;
    double start, computed = 0;
    if (!is_first) MPI_Irecv(mpi_in, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first && !computes) compute(HEAD_START);
    start = now();
    if (is_first) MPI_Isend(mpi_out, count, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request);
    if (computes) {
        computed = now();
        compute(microseconds);
        computed = now() - computed;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 100 * computed / (now() - start);
}

#ifdef BARE_VERBS
/* What the device itself allows: a software device may send in the context of who posts. */
static double bare_overlap(size_t bytes, int computes, double microseconds) {
    double start, computed = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first && !computes) compute(HEAD_START);
    start = now();
    if (is_first) bare_verbs_begin_put(bytes);
    if (computes) {
        computed = now();
        compute(microseconds);
        computed = now() - computed;
    }
    if (is_first)
        bare_verbs_end_put();
    else
        bare_verbs_await_put();
    return 100 * computed / (now() - start);
}
#endif

/* Rank 0 of the receiver test is the sender: its partner's result goes to it. */
static double from_second(double value) {
    if (is_first)
        MPI_Recv(&value, 1, MPI_DOUBLE, peer, ACK_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&value, 1, MPI_DOUBLE, peer, ACK_TAG, MPI_COMM_WORLD);
    return value;
}

#ifdef BARE_VERBS
/* ---- gets: the second reads messages that the first has announced, once it knows of them; microseconds per message */

/* Announced messages up to this length are sent as other messages are. */
static const size_t LONGEST_SENT = 65536;

static double gravel_get(size_t bytes, int window, int times) {
    gravel_request requests[LARGEST_WINDOW];
    int count = (int)bytes, k, m;
    double took = 0;
    for (k = -1; k < times; k++) {
        double start;
        for (m = 0; is_first && m < window; m++)
            gravel_post_snd_buffer_rdma(gravel_out + m * bytes, count, MPI_BYTE, peer, GET_TAG, MPI_COMM_WORLD,
                                        &requests[m]);
        if (!is_first) gravel_wait_snd_request(peer, GET_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        start = now();
        for (m = 0; !is_first && m < window; m++)
            gravel_post_rcv_announced(gravel_in + m * bytes, count, MPI_BYTE, peer, GET_TAG, MPI_COMM_WORLD,
                                      &requests[m]);
        gravel_waitall(window, requests, MPI_STATUSES_IGNORE);
        if (k >= 0) took += now() - start;
    }
    return took / times / window;
}
#endif

/* ---- a ring of short messages among all ranks, in microseconds per message of each, and gravel_init */

enum { RING_TAG = 5, RING_TURNS = 25 };

static int ranks;

static double gravel_ring(void) {
    gravel_request receiving, sending;
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, k;
    double start;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (k = 0; k < RING_TURNS; k++) {
        gravel_post_rcv_buffer_rdma(gravel_in, 8, MPI_BYTE, left, RING_TAG, MPI_COMM_WORLD, &receiving);
        gravel_post_send(gravel_out, 8, MPI_BYTE, right, RING_TAG, MPI_COMM_WORLD, &sending);
        gravel_wait(&receiving, gravel_in, MPI_STATUS_IGNORE);
        gravel_wait(&sending, gravel_out, MPI_STATUS_IGNORE);
    }
    return (now() - start) / RING_TURNS;
}

static double mpi_ring(void) {
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, k;
    double start;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (k = 0; k < RING_TURNS; k++)
        MPI_Sendrecv(mpi_out, 8, MPI_BYTE, right, RING_TAG, mpi_in, 8, MPI_BYTE, left, RING_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return (now() - start) / RING_TURNS;
}

/* The yardstick: words of shared memory that are looked at again and again. A word to a cache line; null where the ranks do
 * not share a host. */
static volatile long *spinning_words;

static void share_spinning_words(void) {
    enum { LINE = 128 };
    MPI_Comm host;
    MPI_Win window;
    MPI_Aint bytes;
    void *first;
    int unit, neighbours;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &neighbours);
    if (neighbours == ranks) {
        /* Lives as long as the program. */
        MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)ranks * LINE : 0, 1, MPI_INFO_NULL, host, &first, &window);
        MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
        spinning_words = (volatile long *)first;
        spinning_words[rank * (LINE / (int)sizeof(long))] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static double spinning_ring(void) {
    static long count = 0;
    const int stride = 128 / (int)sizeof(long);
    volatile long *mine = spinning_words + rank * stride, *right = spinning_words + (rank + 1) % ranks * stride;
    double start;
    int k;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    for (k = 0; k < RING_TURNS; k++) {
        count++;
        *right = count;
        while (*mine < count) continue;
    }
    return (now() - start) / RING_TURNS;
}

/* Seconds, of the rank that takes the longest. */
static double init_time(void) {
    double took, longest = 0;
    gravel_finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    took = now();
    gravel_init(MPI_COMM_WORLD);
    took = (now() - took) * 1e-6;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return longest;
}

static void run_ring_round(int round) {
    int turn;
    for (turn = 0; turn < 3; turn++) {
        switch ((turn + round) % 3) {
        case 0: print("ring", "gravel", 8, gravel_ring()); break;
        case 1: print("ring", "mpi", 8, mpi_ring()); break;
        default: if (spinning_words != NULL) print("ring", "spinning", 8, spinning_ring());
        }
    }
    print("init", "gravel", (size_t)ranks, init_time());
}

/* ---- all of it */

/* Beside bare verbs everything is measured in many short turns: there one that is interrupted does not count. */
#ifdef BARE_VERBS
static int ping_pongs(size_t bytes) {
    return bytes <= 8192 ? 20 : bytes <= 65536 ? 10 : bytes < (1 << 20) ? 4 : 2;
}

static int turns(size_t bytes) {
    return bytes <= 65536 ? 10 : 4;
}
#else
static int ping_pongs(size_t bytes) {
    return bytes <= 4096 ? 400 : bytes <= 65536 ? 100 : bytes <= (1 << 20) ? 20 : 5;
}

static int turns(size_t bytes) {
    (void)bytes;
    return 1;
}
#endif

/* Who is measured in which turn: the order changes with every round. */
#ifdef BARE_VERBS
enum { GRAVEL, MPI, BARE, SUBJECTS };
#else
enum { GRAVEL, MPI, SUBJECTS };
#endif

static int subject_of(int turn, int round) {
    return (turn + turn / SUBJECTS + round) % SUBJECTS;
}

static void measure_latency(size_t bytes, int round) {
    int turn, times = ping_pongs(bytes);
    for (turn = 0; turn < SUBJECTS * turns(bytes); turn++) {
        switch (subject_of(turn, round)) {
        case GRAVEL: print("latency", "gravel", bytes, gravel_latency(bytes, times)); break;
        case MPI: print("latency", "mpi", bytes, mpi_latency(bytes, times)); break;
#ifdef BARE_VERBS
        case BARE: print("latency", "verbs", bytes, bare_verbs_put_latency(bytes, times)); break;
#endif
        }
    }
}

static void measure_rate(int round) {
    int turn, times = 40 / turns(8);
    for (turn = 0; turn < SUBJECTS * turns(8); turn++) {
        switch (subject_of(turn, round)) {
        case GRAVEL: print("rate", "gravel", 8, 1 / gravel_stream(8, LARGEST_WINDOW, times)); break;
        case MPI: print("rate", "mpi", 8, 1 / mpi_stream(8, LARGEST_WINDOW, times)); break;
#ifdef BARE_VERBS
        case BARE: print("rate", "verbs", 8, 1 / bare_verbs_put_stream(8, LARGEST_WINDOW, times)); break;
#endif
        }
    }
}

/* How many windows of a stream are timed. */
static int windows_of(size_t bytes, int window) {
    int windows = (int)(STREAM_BYTES / (bytes * (size_t)window));
    return windows > 1 ? windows : 1;
}

static void measure_bandwidth(size_t bytes, int round) {
    int turn, window = window_of(bytes), times = windows_of(bytes, window);
    double length = (double)bytes;
    for (turn = 0; turn < SUBJECTS * turns(bytes); turn++) {
        switch (subject_of(turn, round)) {
        case GRAVEL: print("bandwidth", "gravel", bytes, length / gravel_stream(bytes, window, times)); break;
        case MPI: print("bandwidth", "mpi", bytes, length / mpi_stream(bytes, window, times)); break;
#ifdef BARE_VERBS
        case BARE: print("bandwidth", "verbs", bytes, length / bare_verbs_put_stream(bytes, window, times)); break;
#endif
        }
    }
#ifndef BARE_VERBS
    print("bandwidth", "copy", bytes, length / copy_stream(bytes, window, times));
#endif
}

#ifdef BARE_VERBS
static void measure_puts(size_t bytes, int round) {
    int turn, window = window_of(bytes), times = windows_of(bytes, window);
    double length = (double)bytes;
    for (turn = 0; turn < 2 * turns(bytes); turn++) {
        if ((turn + round) % 2 == 0)
            print("put-bandwidth", "gravel", bytes, length / gravel_put_stream(bytes, window, times));
        else
            print("put-bandwidth", "verbs", bytes, length / bare_verbs_put_stream(bytes, window, times));
    }
}

/* MPI has no such call. Numbers come from the second, which reads. */
static void measure_gets(size_t bytes, int round) {
    int turn, window = window_of(bytes), times = windows_of(bytes, window), singly = ping_pongs(bytes);
    double length = (double)bytes;
    for (turn = 0; turn < 2 * turns(bytes); turn++) {
        if ((turn + round) % 2 == 0) {
            print("get-latency", "gravel", bytes, from_second(gravel_get(bytes, 1, singly)));
            print("get-bandwidth", "gravel", bytes, from_second(length / gravel_get(bytes, window, times)));
        } else {
            print("get-latency", "verbs", bytes, from_second(bare_verbs_get_latency(bytes, singly)));
            print("get-bandwidth", "verbs", bytes, from_second(length / bare_verbs_get_stream(bytes, window, times)));
        }
    }
}
#endif

static void measure_segments(size_t bytes, int round) {
    const double microseconds = 50;
    double rest = microseconds - filling_time(mpi_out, bytes);
    int turn;
    for (turn = 0; turn < 2; turn++) {
        /* Against the computation in the same turn; once before it counts, for an application does the same again and
         * again. */
        if ((turn + round) % 2 == 0) {
            double alone = segments_alone(gravel_out, bytes, rest);
            gravel_segments(bytes, microseconds, rest);
            print("segments", "gravel", bytes, gravel_segments(bytes, microseconds, rest) - alone);
        } else {
            double alone = segments_alone(mpi_out, bytes, rest);
            mpi_segments(bytes, microseconds, rest);
            print("segments", "mpi", bytes, mpi_segments(bytes, microseconds, rest) - alone);
        }
    }
}

static void measure_overlap(size_t bytes, int round) {
    const double microseconds = overlap_work;
    int turn;
    for (turn = 0; turn < SUBJECTS; turn++) {
        switch (subject_of(turn, round)) {
        case GRAVEL:
            print("send-overlap", "gravel", bytes, gravel_overlap(bytes, is_first, microseconds));
            print("receive-overlap", "gravel", bytes, from_second(gravel_overlap(bytes, !is_first, microseconds)));
            break;
        case MPI:
            print("send-overlap", "mpi", bytes, mpi_overlap(bytes, is_first, microseconds));
            print("receive-overlap", "mpi", bytes, from_second(mpi_overlap(bytes, !is_first, microseconds)));
            break;
#ifdef BARE_VERBS
        case BARE:
            print("send-overlap", "verbs", bytes, bare_overlap(bytes, is_first, microseconds));
            print("receive-overlap", "verbs", bytes, from_second(bare_overlap(bytes, !is_first, microseconds)));
            break;
#endif
        }
    }
}

static void run_round(int round) {
    static const size_t lengths[] = {8,     64,     512,    1024,   4096,    8192,
                                     16384, 65536, 131072, 262144, 1 << 20, 4 << 20};
    static const size_t streamed[] = {4096, 16384, 65536, 262144, 1 << 20, 4 << 20};
    static const size_t segment_lengths[] = {8192, 65536, 524288};
    static const size_t overlapped[] = {65536, 262144, 1 << 20};
    size_t k;
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) measure_latency(lengths[k], round);
    measure_rate(round);
    for (k = 0; k < sizeof streamed / sizeof *streamed; k++) measure_bandwidth(streamed[k], round);
#ifdef BARE_VERBS
    for (k = 0; k < sizeof streamed / sizeof *streamed; k++) measure_puts(streamed[k], round);
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (lengths[k] > LONGEST_SENT) measure_gets(lengths[k], round);
#endif
    for (k = 0; k < sizeof segment_lengths / sizeof *segment_lengths; k++) measure_segments(segment_lengths[k], round);
    for (k = 0; k < sizeof overlapped / sizeof *overlapped; k++) measure_overlap(overlapped[k], round);
}

/* The arrays lie in four pieces of memory, which begin like those of ALLOCATABLE arrays, not at a page. */
static void take_arrays(char *pieces[4]) {
    if (!pieces[0] || !pieces[1] || !pieces[2] || !pieces[3]) {
        fprintf(stderr, "benchmark: no memory for %d bytes\n", 4 * ARRAY_BYTES);
        exit(2);
    }
    gravel_out = pieces[0], gravel_in = pieces[1], mpi_out = pieces[2], mpi_in = pieces[3];
}

/* A program with a larger stack, from its start. */
static void enlarge_stack(char **argv) {
    struct rlimit limit;
    rlim_t wanted = (rlim_t)8 * ARRAY_BYTES;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_STACK, &limit) == 0) execv("/proc/self/exe", argv);
    fprintf(stderr, "benchmark: the stack can't be made large enough (ulimit -s)\n");
    exit(2);
}

static int measure(int argc, char **argv) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int rounds = argc > 1 ? atoi(argv[1]) : 20, length, round, is_ring = argc > 4 && strcmp(argv[4], "ring") == 0;
    if (argc > 2) overlap_work = atof(argv[2]);
    MPI_Init(&argc, &argv);
    gravel_init(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks % 2 != 0) {
        if (rank == 0) fprintf(stderr, "benchmark: an even number of ranks is needed, not %d\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    is_first = rank % 2 == 0;
    peer = is_first ? rank + 1 : rank - 1;
    MPI_Get_library_version(version, &length);
    if (rank == 0) printf("library %.*s\n", (int)strcspn(version, "\n,"), version);
    if (!is_ring) {
        memset(gravel_out, 1, ARRAY_BYTES);
        memset(gravel_in, 2, ARRAY_BYTES);
        memset(mpi_out, 1, ARRAY_BYTES);
        memset(mpi_in, 2, ARRAY_BYTES);
    }
    if (is_ring)
        share_spinning_words();
    else
        calibrate();
#ifdef BARE_VERBS
    bare_verbs_connect(peer, is_first, ARRAY_BYTES);
#endif
    /* The first round sets up connections, adopts and maps memory: it is not a measurement. */
    for (round = -1; round < rounds; round++) {
        if (round == 0 && rank == 0) printf("start\n");
        if (is_ring)
            run_ring_round(round + 1);
        else
            run_round(round + 1);
        if (rank == 0) fflush(stdout);
    }
#ifdef BARE_VERBS
    bare_verbs_disconnect();
#endif
    gravel_finalize();
    MPI_Finalize();
    return 0;
}

/* Of a length that no compiler knows, or every run would have so large a frame. */
static int on_stack(int argc, char **argv, size_t bytes) {
    char arrays[4][bytes];
    char *pieces[4];
    int k;
    for (k = 0; k < 4; k++) pieces[k] = arrays[k];
    take_arrays(pieces);
    return measure(argc, argv);
}

int main(int argc, char **argv) {
    const char *memory = argc > 3 ? argv[3] : "heap";
    char *pieces[4];
    int k;
    if (strcmp(memory, "stack") == 0) {
        enlarge_stack(argv);
        return on_stack(argc, argv, argc > 3 ? ARRAY_BYTES : 0);
    }
    for (k = 0; k < 4; k++) pieces[k] = strcmp(memory, "static") == 0 ? static_arrays[k] : malloc(ARRAY_BYTES);
    take_arrays(pieces);
    return measure(argc, argv);
}
