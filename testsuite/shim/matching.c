/* Which message meets which receive, whatever two ranks do: each posts receives with and without wildcards, cancels some, takes
 * messages by matched probes, and sends, all in a random order that depends on nothing but a seed. What came is compared with
 * MPI's rule (4.0, section 3.5). A program of MPI alone: the library in front of MPI carries its messages. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 24, TAGS = 3, MOST_SENDS = 45, MOST_RECEIVES = 400, LONGEST = 200000 };

static const int lengths[] = {8, 1000, 9000, 40000, 65536, 70000, LONGEST, LONGEST};

typedef struct {
    int tag, bytes, is_synchronous;
    char *data;
    MPI_Request request;
} Message;

typedef enum { POSTED, RECEIVED, CANCELLED } Fate;

typedef struct {
    int tag, is_matched;
    Fate fate;
    char *data;
    MPI_Request request;
    MPI_Status status;
} Receive;

static int rank, posted;
static Message messages[2][MOST_SENDS];
static Receive receives[MOST_RECEIVES];

static unsigned below(unsigned long long *random, unsigned limit) {
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (unsigned)((*random * 0x2545f4914f6cdd1dULL >> 33) % limit);
}

static void wrong(const char *what, int receive, int round) {
    fprintf(stderr, "rank %d, round %d, receive %d: %s\n", rank, round, receive, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What a rank sends in a round, which the other one knows. */
static int plan(int sender, int round) {
    unsigned long long random = 1 + 2 * (unsigned long long)(round * 2 + sender + 1000);
    int count, place;
    for (place = 0; place < 20; place++) below(&random, 2);
    count = 5 + (int)below(&random, MOST_SENDS - 5);
    for (place = 0; place < count; place++) {
        Message *message = &messages[sender][place];
        message->tag = (int)below(&random, TAGS);
        message->bytes = lengths[below(&random, 8)];
        message->is_synchronous = below(&random, 8) == 0;
    }
    return count;
}

static void send(Message *message, int place, int to, MPI_Comm comm) {
    message->data = malloc((size_t)message->bytes);
    memset(message->data, place + 1, (size_t)message->bytes);
    if (message->is_synchronous)
        MPI_Issend(message->data, message->bytes, MPI_BYTE, to, message->tag, comm, &message->request);
    else
        MPI_Isend(message->data, message->bytes, MPI_BYTE, to, message->tag, comm, &message->request);
}

static Receive *new_receive(int tag) {
    Receive *receive = &receives[posted++];
    receive->tag = tag;
    receive->is_matched = 0;
    receive->fate = POSTED;
    receive->data = calloc(1, LONGEST);
    return receive;
}

static void note_end(Receive *receive) {
    int is_cancelled;
    MPI_Test_cancelled(&receive->status, &is_cancelled);
    receive->fate = is_cancelled ? CANCELLED : RECEIVED;
}

static void look(void) {
    int place, is_over;
    for (place = 0; place < posted; place++) {
        Receive *receive = &receives[place];
        if (receive->fate != POSTED) continue;
        MPI_Test(&receive->request, &is_over, &receive->status);
        if (is_over) note_end(receive);
    }
}

static void do_something(unsigned long long *random, int wildcards, int other, MPI_Comm comm) {
    int source = below(random, (unsigned)wildcards) ? other : MPI_ANY_SOURCE;
    int tag = below(random, (unsigned)wildcards) ? (int)below(random, TAGS) : MPI_ANY_TAG;
    unsigned what = below(random, 14);
    if (what < 7 && posted < MOST_RECEIVES - MOST_SENDS) {
        Receive *receive = new_receive(tag);
        MPI_Irecv(receive->data, LONGEST, MPI_BYTE, source, tag, comm, &receive->request);
    } else if (what < 9 && posted > 0) {
        Receive *receive = &receives[below(random, (unsigned)posted)];
        if (receive->fate == POSTED && !receive->is_matched) MPI_Cancel(&receive->request);
    } else if (what < 10 && posted < MOST_RECEIVES - MOST_SENDS) {
        int is_there;
        MPI_Message message;
        MPI_Improbe(source, tag, comm, &is_there, &message, MPI_STATUS_IGNORE);
        if (is_there) {
            Receive *receive = new_receive(tag);
            receive->is_matched = 1;
            MPI_Imrecv(receive->data, LONGEST, MPI_BYTE, &message, &receive->request);
        }
    } else if (what < 13) {
        look();
    } else {
        clock_t until = clock() + (clock_t)below(random, CLOCKS_PER_SEC / 5000);
        while (clock() < until) {}
    }
}

/* Cancels what is open, and receives all that is left. */
static void end_receives(int expected, MPI_Comm comm) {
    int place, received = 0;
    for (place = 0; place < posted; place++)
        if (receives[place].fate == POSTED && !receives[place].is_matched) MPI_Cancel(&receives[place].request);
    for (place = 0; place < posted; place++) {
        Receive *receive = &receives[place];
        if (receive->fate == POSTED) {
            MPI_Wait(&receive->request, &receive->status);
            note_end(receive);
        }
        received += receive->fate == RECEIVED;
    }
    for (; received < expected; received++) {
        Receive *receive = new_receive(MPI_ANY_TAG);
        MPI_Recv(receive->data, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receive->status);
        receive->fate = RECEIVED;
    }
}

/* Each message in turn meets the first receive that takes it and was not cancelled: with one sender the times at which messages
 * come make no difference, and a receive that was cancelled has never been there. */
static void check_matching(int sender, int sent, int round) {
    static int met[MOST_RECEIVES];
    int place, number, bytes, byte;
    memset(met, 0, sizeof met);
    for (number = 0; number < sent; number++) {
        const Message *message = &messages[sender][number];
        for (place = 0; place < posted; place++) {
            const Receive *receive = &receives[place];
            if (receive->fate != RECEIVED || met[place]) continue;
            if (receive->tag == MPI_ANY_TAG || receive->tag == message->tag) break;
        }
        if (place == posted) wrong("a message is missing", place, round);
        met[place] = 1;
        MPI_Get_count(&receives[place].status, MPI_BYTE, &bytes);
        if (bytes != message->bytes) wrong("another length", place, round);
        if (receives[place].status.MPI_TAG != message->tag) wrong("another tag", place, round);
        if (receives[place].status.MPI_SOURCE != sender) wrong("another source", place, round);
        for (byte = 0; byte < bytes; byte++)
            if (receives[place].data[byte] != (char)(number + 1)) wrong("another message", place, round);
    }
}

static void run(int round, MPI_Comm comm) {
    int other = 1 - rank, sends = plan(rank, round), expected = plan(other, round), sent = 0, step, place;
    unsigned long long random = 1 + 2 * (unsigned long long)(round * 2 + rank + 5);
    int wildcards = round % 4 == 0 ? 3 : 12;
    posted = 0;
    for (place = 0; place < 20; place++) below(&random, 2);
    for (step = 0; sent < sends || step < 60; step++) {
        if (sent < sends && below(&random, 3) == 0) {
            send(&messages[rank][sent], sent, other, comm);
            sent++;
        } else {
            do_something(&random, wildcards, other, comm);
        }
    }
    end_receives(expected, comm);
    for (place = 0; place < sends; place++) MPI_Wait(&messages[rank][place].request, MPI_STATUS_IGNORE);
    check_matching(other, expected, round);
    for (place = 0; place < sends; place++) free(messages[rank][place].data);
    for (place = 0; place < posted; place++) free(receives[place].data);
}

int main(int argc, char **argv) {
    int round;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        /* What is known of a communicator goes with it. */
        if (round % 3 == 2) {
            run(round, MPI_COMM_WORLD);
            continue;
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        run(round, comm);
        MPI_Comm_free(&comm);
    }
    MPI_Finalize();
    if (rank == 0) printf("passed\n");
    return 0;
}
