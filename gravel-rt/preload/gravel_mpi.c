/* libgravel_mpi.so: carries the messages of an MPI program as it is. It is loaded before MPI's own library (LD_PRELOAD, or
 * `gravel-run --preload`), exports MPI's calls for point-to-point messages, requests and communicators, and leaves all
 * others to MPI.
 *
 *    mpicc -shared -fPIC -O2 -I<folder of gravel.h> gravel_mpi.c libgravel.a -Wl,--exclude-libs,ALL -lpthread -ldl -lm
 *
 * Nothing is known of what the program will match: all messages are announced, as those of programs with wildcards. Each
 * communicator is attached when it is made, by a call that is collective; what is not attached is MPI's whole:
 * intercommunicators, those of MPI_Comm_idup (nobody knows when all ranks have it), and those with processes that were
 * started later. Arguments that are wrong are given to MPI, which says so in its own words.
 *
 * Both names of a call are exported, MPI_X and PMPI_X: the libraries of MPI for Fortran call one or the other. So programs in
 * Fortran come here with what they call converted by MPI itself, constants such as MPI_BOTTOM and MPI_STATUS_IGNORE, and
 * handles, included. MPI's own PMPI_X are looked up behind this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- MPI's own calls */

#if MPI_VERSION >= 4
#define CALLS_OF_MPI_4(call)                                                                                           \
    call(Send_c) call(Bsend_c) call(Ssend_c) call(Rsend_c) call(Recv_c) call(Isend_c) call(Ibsend_c) call(Issend_c)    \
    call(Irsend_c) call(Irecv_c) call(Sendrecv_c) call(Sendrecv_replace_c) call(Isendrecv_c)                           \
    call(Isendrecv_replace_c) call(Isendrecv) call(Isendrecv_replace) call(Mrecv_c) call(Imrecv_c)                     \
    call(Send_init_c) call(Bsend_init_c) call(Ssend_init_c) call(Rsend_init_c) call(Recv_init_c)                       \
    call(Buffer_attach_c) call(Buffer_detach_c)
#else
#define CALLS_OF_MPI_4(call)
#endif

/* Where handles are integers, nothing converts them. */
#ifndef MPI_Request_c2f
#define HANDLES_ARE_CONVERTED 1
#define CALLS_OF_HANDLES(call) call(Request_c2f) call(Request_f2c) call(Message_c2f) call(Message_f2c)
#else
#define CALLS_OF_HANDLES(call)
#endif

#define CALLS(call)                                                                                                    \
    call(Init) call(Init_thread) call(Finalize) call(Comm_call_errhandler)                                             \
    call(Send) call(Bsend) call(Ssend) call(Rsend) call(Recv) call(Isend) call(Ibsend) call(Issend) call(Irsend)       \
    call(Irecv) call(Sendrecv) call(Sendrecv_replace) call(Probe) call(Iprobe) call(Mprobe) call(Improbe) call(Mrecv)  \
    call(Imrecv) call(Send_init) call(Bsend_init) call(Ssend_init) call(Rsend_init) call(Recv_init)                    \
    call(Buffer_attach) call(Buffer_detach) call(Start) call(Startall) call(Wait) call(Waitall) call(Waitany)          \
    call(Waitsome) call(Test) call(Testall) call(Testany) call(Testsome) call(Request_free) call(Cancel)               \
    call(Request_get_status)                                                                                           \
    call(Comm_dup) call(Comm_dup_with_info) call(Comm_create) call(Comm_create_group) call(Comm_split)                 \
    call(Comm_split_type) call(Cart_create) call(Cart_sub) call(Graph_create) call(Dist_graph_create)                  \
    call(Dist_graph_create_adjacent) call(Intercomm_merge)                                                             \
    CALLS_OF_MPI_4(call) CALLS_OF_HANDLES(call)

#define POINTER(name) __typeof__(&PMPI_##name) name;
static struct { CALLS(POINTER) } mpi;

/* What gravel.h and this file call are MPI's own. */
#define MPI_Send (*mpi.Send)
#define MPI_Isend (*mpi.Isend)
#define MPI_Issend (*mpi.Issend)
#define MPI_Ibsend (*mpi.Ibsend)
#define MPI_Irecv (*mpi.Irecv)
#define MPI_Send_init (*mpi.Send_init)
#define MPI_Bsend_init (*mpi.Bsend_init)
#define MPI_Ssend_init (*mpi.Ssend_init)
#define MPI_Recv_init (*mpi.Recv_init)
#define MPI_Probe (*mpi.Probe)
#define MPI_Iprobe (*mpi.Iprobe)
#define MPI_Mprobe (*mpi.Mprobe)
#define MPI_Improbe (*mpi.Improbe)
#define MPI_Mrecv (*mpi.Mrecv)
#define MPI_Imrecv (*mpi.Imrecv)
#define MPI_Buffer_attach (*mpi.Buffer_attach)
#define MPI_Buffer_detach (*mpi.Buffer_detach)
#define MPI_Start (*mpi.Start)
#define MPI_Startall (*mpi.Startall)
#define MPI_Wait (*mpi.Wait)
#define MPI_Waitall (*mpi.Waitall)
#define MPI_Waitany (*mpi.Waitany)
#define MPI_Waitsome (*mpi.Waitsome)
#define MPI_Test (*mpi.Test)
#define MPI_Testall (*mpi.Testall)
#define MPI_Testany (*mpi.Testany)
#define MPI_Testsome (*mpi.Testsome)
#define MPI_Request_free (*mpi.Request_free)
#define MPI_Cancel (*mpi.Cancel)
#define MPI_Request_get_status (*mpi.Request_get_status)
#if HANDLES_ARE_CONVERTED
#define MPI_Request_c2f (*mpi.Request_c2f)
#define MPI_Request_f2c (*mpi.Request_f2c)
#define MPI_Message_c2f (*mpi.Message_c2f)
#define MPI_Message_f2c (*mpi.Message_f2c)
#endif
#define MPI_Comm_call_errhandler call_error_handler

/* Whether Gravel carries messages: from MPI_Init to MPI_Finalize, unless it has stepped aside. */
static int carries = 0;
/* Whether a failure is no error of the program: what could not be attached is MPI's. */
static int is_tried = 0;
static int largest_tag = 32767;
/* The handle of MPI_COMM_WORLD in Fortran: MPI need not be asked for it again. */
static int world_handle = 0;

static int call_error_handler(MPI_Comm comm, int error) {
    return is_tried ? MPI_SUCCESS : mpi.Comm_call_errhandler(comm, error);
}

#include "gravel.h"

/* Defines a call of MPI by both its names. */
#define EXPORT(name, parameters)                                                                                       \
    int PMPI_##name parameters;                                                                                        \
    extern __typeof__(PMPI_##name) exported_##name __asm__("MPI_" #name)                                               \
        __attribute__((alias("PMPI_" #name), visibility("default")));                                                  \
    __attribute__((visibility("default"))) int PMPI_##name parameters

static void *look_up(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "gravel: libgravel_mpi.so finds no %s behind it: it is for another MPI\n", name);
        abort();
    }
    return found;
}

#define LOOK_UP(name) mpi.name = (__typeof__(mpi.name))look_up("PMPI_" #name);

static void find_mpi(void) {
    if (mpi.Init == NULL) { CALLS(LOOK_UP) }
}

__attribute__((constructor)) static void be_loaded(void) { find_mpi(); }

/* ---- init, finalize, communicators */

/* Says why nothing is carried; one rank does. */
static void step_aside(int rank, const char *why) {
    const char *log = getenv("GRAVEL_LOG");
    if (rank == 0 && (log == NULL || (strcmp(log, "error") != 0 && strcmp(log, "off") != 0)))
        fprintf(stderr, "gravel: MPI carries all messages of this program: %s\n", why);
}

/* Whether the library behind is the MPI that this one was compiled with. */
static int is_own_mpi(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", expected[64];
    int length = 0;
    if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return 0;
#if defined(OMPI_MAJOR_VERSION)
    snprintf(expected, sizeof expected, "Open MPI v%d.", OMPI_MAJOR_VERSION);
    return strncmp(text, expected, strlen(expected)) == 0;
#elif defined(MPICH_NUMVERSION)
    (void)expected;
    return strstr(text, "Open MPI") == NULL;
#else
    (void)expected;
    return 1;
#endif
}

static int attach(int error, const MPI_Comm *made) {
    if (carries && error == MPI_SUCCESS && *made != MPI_COMM_NULL) {
        is_tried = 1;
        gravel_attach(*made);
        is_tried = 0;
    }
    return error;
}

static void begin(int threads) {
    int mine[2], all[2], rank = 0, *bound = NULL, has_bound = 0;
    MPI_Comm self = MPI_COMM_SELF;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine[0] = threads <= MPI_THREAD_FUNNELED;
    mine[1] = is_own_mpi();
    /* All ranks alike. */
    if (PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS) return;
    if (!all[1]) {
        step_aside(rank, "libgravel_mpi.so was made for another MPI than the program's");
        return;
    }
    if (!all[0]) {
        step_aside(rank, "it has asked for more than MPI_THREAD_FUNNELED");
        return;
    }
    world_handle = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    is_tried = 1;
    gravel_rt_stand_for_mpi();
    carries = gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS;
    is_tried = 0;
    if (!carries) {
        step_aside(rank, "gravel_init has failed");
        return;
    }
    attach(MPI_SUCCESS, &self);
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &has_bound);
    if (has_bound) largest_tag = *bound;
}

EXPORT(Init, (int *argc, char ***argv)) {
    int error;
    find_mpi();
    error = mpi.Init(argc, argv);
    if (error == MPI_SUCCESS) begin(MPI_THREAD_SINGLE);
    return error;
}

EXPORT(Init_thread, (int *argc, char ***argv, int required, int *provided)) {
    int error;
    find_mpi();
    error = mpi.Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) begin(required);
    return error;
}

EXPORT(Finalize, (void)) {
    if (carries) {
        carries = 0;
        gravel_finalize();
    }
    return mpi.Finalize();
}

EXPORT(Comm_dup, (MPI_Comm comm, MPI_Comm *made)) { return attach(mpi.Comm_dup(comm, made), made); }

EXPORT(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made)) {
    return attach(mpi.Comm_dup_with_info(comm, info, made), made);
}

EXPORT(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made)) {
    return attach(mpi.Comm_create(comm, group, made), made);
}

EXPORT(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)) {
    return attach(mpi.Comm_create_group(comm, group, tag, made), made);
}

EXPORT(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made)) {
    return attach(mpi.Comm_split(comm, color, key, made), made);
}

EXPORT(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)) {
    return attach(mpi.Comm_split_type(comm, type, key, info, made), made);
}

EXPORT(Cart_create, (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder, MPI_Comm *made)) {
    return attach(mpi.Cart_create(comm, dimensions, sizes, periods, reorder, made), made);
}

EXPORT(Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *made)) {
    return attach(mpi.Cart_sub(comm, remains, made), made);
}

EXPORT(Graph_create, (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made)) {
    return attach(mpi.Graph_create(comm, nodes, index, edges, reorder, made), made);
}

EXPORT(Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                           const int weights[], MPI_Info info, int reorder, MPI_Comm *made)) {
    return attach(mpi.Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, made), made);
}

EXPORT(Dist_graph_create_adjacent,
       (MPI_Comm comm, int indegree, const int sources[], const int source_weights[], int outdegree,
        const int destinations[], const int destination_weights[], MPI_Info info, int reorder, MPI_Comm *made)) {
    return attach(mpi.Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree, destinations,
                                                 destination_weights, info, reorder, made),
                  made);
}

EXPORT(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made)) {
    return attach(mpi.Intercomm_merge(comm, high, made), made);
}

/* ---- messages */

/* Whether MPI is to say what is wrong with the arguments, or carries the message. */
static int is_for_mpi(int code) {
    return code == GRAVEL_RT_LEFT_TO_MPI || (code >= GRAVEL_RT_COMMUNICATOR && code <= GRAVEL_RT_COUNT) ||
           code == GRAVEL_RT_BUFFER;
}

/* A message for which there is no room. */
enum { RESOURCES = -1 };

static int conclude(int code, MPI_Comm comm) {
    return gravel_rt_conclude(code == RESOURCES ? GRAVEL_RT_BUFFER : code, comm);
}

/* What gravel_rt_describe_message and gravel_rt_describe_envelope say; or that the call is MPI's. Gravel runs. */
static inline int describe(const void *buffer, int64_t count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                           struct gravel_rt_message *message, struct gravel_rt_envelope *envelope) {
    if (datatype == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL || tag > largest_tag) return GRAVEL_RT_LEFT_TO_MPI;
    envelope->rank = rank;
    envelope->tag = tag;
    envelope->communicator = comm == MPI_COMM_WORLD ? world_handle : (int)MPI_Comm_c2f(comm);
    return gravel_rt_describe_message(buffer, count, datatype, comm, message);
}

/* Posts a message of Gravel; the code of gravel_rt_conclude. */
static inline int post(gravel_rt_post call, const void *buffer, int64_t count, MPI_Datatype datatype, int rank, int tag,
                       MPI_Comm comm, int *value) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope;
    int code = describe(buffer, count, datatype, rank, tag, comm, &message, &envelope);
    *value = 0;
    if (code == GRAVEL_RT_SUCCESS) code = call(&message, &envelope, value);
    /* What does not fit into the attached buffer is not tried: after that Open MPI 4.1 delivers nothing more. */
    return code == GRAVEL_RT_BUFFER && buffer != NULL ? RESOURCES : code;
}

/* Waits for what was just posted. */
static int finish(int value, MPI_Status *status) {
    struct gravel_rt_completion completion;
    int code;
    if (value == 0x3c000000) return MPI_SUCCESS;
    code = gravel_rt_wait(&value, &completion);
    if (gravel_rt_tells(code)) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude_operation(code);
}

static int prepare(int kind, const void *buffer, int64_t count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                   int *value) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope;
    int code = describe(buffer, count, datatype, rank, tag, comm, &message, &envelope);
    *value = 0;
    return code == GRAVEL_RT_SUCCESS ? gravel_rt_prepare(kind, &message, &envelope, value) : code;
}

/* Receives a message of Gravel. Whether it was posted, and so is not MPI's; error is the call's result then. */
static inline int receive(void *buffer, int64_t count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                          MPI_Status *status, int *code, int *error) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope;
    struct gravel_rt_completion completion;
    int is_posted = 0;
    *code = describe(buffer, count, datatype, rank, tag, comm, &message, &envelope);
    if (*code == GRAVEL_RT_SUCCESS) *code = gravel_rt_receive_announced(&message, &envelope, &is_posted, &completion);
    if (!is_posted) return 0;
    if (gravel_rt_tells(*code)) gravel_rt_fill_status(&completion, status);
    *error = gravel_rt_conclude_operation(*code);
    return 1;
}

/* Sends a message of Gravel, as MPI_Send. Whether it was posted; error is the call's result then. */
static inline int send(const void *buffer, int64_t count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                       int *code, int *error) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope;
    int is_posted = 0;
    *code = describe(buffer, count, datatype, rank, tag, comm, &message, &envelope);
    if (*code == GRAVEL_RT_SUCCESS) *code = gravel_rt_send_announced(&message, &envelope, &is_posted);
    if (!is_posted) return 0;
    *error = gravel_rt_conclude_operation(*code);
    return 1;
}

#define SEND_AND_WAIT(name, number)                                                                                    \
    EXPORT(name, (const void *buffer, number count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)) {        \
        int error, code = GRAVEL_RT_LEFT_TO_MPI;                                                                       \
        if (carries && send(buffer, count, datatype, rank, tag, comm, &code, &error)) return error;                    \
        return is_for_mpi(code) ? mpi.name(buffer, count, datatype, rank, tag, comm) : conclude(code, comm);           \
    }

/* A call that sends and returns when the message may be written again. */
#define SEND(name, number, call)                                                                                       \
    EXPORT(name, (const void *buffer, number count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)) {        \
        int value, code = GRAVEL_RT_LEFT_TO_MPI;                                                                       \
        if (carries) code = post(call, buffer, count, datatype, rank, tag, comm, &value);                              \
        if (is_for_mpi(code)) return mpi.name(buffer, count, datatype, rank, tag, comm);                               \
        return code == GRAVEL_RT_SUCCESS ? finish(value, MPI_STATUS_IGNORE) : conclude(code, comm);          \
    }

/* A call that gives a request. */
#define POST(name, constness, number, call)                                                                            \
    EXPORT(name, (constness void *buffer, number count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,       \
                  MPI_Request *request)) {                                                                             \
        int value = 0, code = GRAVEL_RT_LEFT_TO_MPI;                                                                   \
        if (carries) code = post(call, buffer, count, datatype, rank, tag, comm, &value);                              \
        if (is_for_mpi(code)) return mpi.name(buffer, count, datatype, rank, tag, comm, request);                      \
        *request = gravel_rt_request_of(value);                                                                        \
        return conclude(code, comm);                                                                         \
    }

#define RECEIVE(name, number)                                                                                          \
    EXPORT(name, (void *buffer, number count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,                 \
                  MPI_Status *status)) {                                                                               \
        int error, code = GRAVEL_RT_LEFT_TO_MPI;                                                                       \
        if (carries && receive(buffer, count, datatype, rank, tag, comm, status, &code, &error)) return error;         \
        return is_for_mpi(code) ? mpi.name(buffer, count, datatype, rank, tag, comm, status) : conclude(code, comm);   \
    }

#define PREPARE(name, constness, number, kind)                                                                         \
    EXPORT(name, (constness void *buffer, number count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,       \
                  MPI_Request *request)) {                                                                             \
        int value = 0, code = GRAVEL_RT_LEFT_TO_MPI;                                                                   \
        if (carries) code = prepare(kind, buffer, count, datatype, rank, tag, comm, &value);                           \
        if (is_for_mpi(code)) return mpi.name(buffer, count, datatype, rank, tag, comm, request);                      \
        *request = gravel_rt_request_of(value);                                                                        \
        return conclude(code, comm);                                                                         \
    }

/* A receive and a send at once: whichever of both MPI is to look at, it looks at both. */
#define EXCHANGE(name, number)                                                                                         \
    EXPORT(name, (const void *sent, number sends, MPI_Datatype send_type, int to, int send_tag, void *received,        \
                  number receives, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,                \
                  MPI_Status *status)) {                                                                               \
        int sending, receiving, error, other, code = GRAVEL_RT_LEFT_TO_MPI;                                            \
        if (carries)                                                                                                   \
            code = post(gravel_rt_post_rcv_announced, received, receives, receive_type, from, receive_tag, comm,       \
                        &receiving);                                                                                   \
        if (is_for_mpi(code))                                                                                          \
            return mpi.name(sent, sends, send_type, to, send_tag, received, receives, receive_type, from, receive_tag, \
                            comm, status);                                                                             \
        if (code != GRAVEL_RT_SUCCESS) return conclude(code, comm);                                          \
        code = post(gravel_rt_post_snd_buffer_rdma, sent, sends, send_type, to, send_tag, comm, &sending);             \
        if (code != GRAVEL_RT_SUCCESS) {                                                                               \
            withdraw(receiving);                                                                                       \
            if (is_for_mpi(code))                                                                                      \
                return mpi.name(sent, sends, send_type, to, send_tag, received, receives, receive_type, from,          \
                                receive_tag, comm, status);                                                            \
            return conclude(code, comm);                                                                     \
        }                                                                                                              \
        error = finish(receiving, status);                                                                             \
        other = finish(sending, MPI_STATUS_IGNORE);                                                                    \
        return error != MPI_SUCCESS ? error : other;                                                                   \
    }

/* Takes a receive back whose call has failed. */
static void withdraw(int value) {
    struct gravel_rt_completion completion;
    gravel_rt_cancel(value);
    gravel_rt_wait(&value, &completion);
}

#define REPLACE(name, number)                                                                                          \
    EXPORT(name, (void *buffer, number count, MPI_Datatype datatype, int to, int send_tag, int from, int receive_tag,  \
                  MPI_Comm comm, MPI_Status *status)) {                                                                \
        int sending, receiving, error, other, code = GRAVEL_RT_LEFT_TO_MPI;                                            \
        if (carries) code = post(gravel_rt_post_snd_buffer_copied, buffer, count, datatype, to, send_tag, comm, &sending); \
        if (is_for_mpi(code))                                                                                          \
            return mpi.name(buffer, count, datatype, to, send_tag, from, receive_tag, comm, status);                   \
        if (code != GRAVEL_RT_SUCCESS) return conclude(code, comm);                                          \
        code = post(gravel_rt_post_rcv_announced, buffer, count, datatype, from, receive_tag, comm, &receiving);       \
        if (code == GRAVEL_RT_LEFT_TO_MPI) code = GRAVEL_RT_TAG;                                                       \
        error = code == GRAVEL_RT_SUCCESS ? finish(receiving, status) : conclude(code, comm);                \
        other = finish(sending, MPI_STATUS_IGNORE);                                                                    \
        return error != MPI_SUCCESS ? error : other;                                                                   \
    }

SEND_AND_WAIT(Send, int)
SEND_AND_WAIT(Rsend, int)
SEND(Ssend, int, gravel_rt_post_snd_buffer_synchronous)
SEND(Bsend, int, gravel_rt_post_bsend)
RECEIVE(Recv, int)
POST(Isend, const, int, gravel_rt_post_snd_buffer_rdma)
POST(Irsend, const, int, gravel_rt_post_snd_buffer_rdma)
POST(Issend, const, int, gravel_rt_post_snd_buffer_synchronous)
POST(Ibsend, const, int, gravel_rt_post_bsend)
POST(Irecv, , int, gravel_rt_post_rcv_announced)
PREPARE(Recv_init, , int, 2)
PREPARE(Send_init, const, int, 3)
PREPARE(Rsend_init, const, int, 3)
PREPARE(Ssend_init, const, int, 5)
PREPARE(Bsend_init, const, int, 6)
EXCHANGE(Sendrecv, int)
REPLACE(Sendrecv_replace, int)

#if MPI_VERSION >= 4

SEND_AND_WAIT(Send_c, MPI_Count)
SEND_AND_WAIT(Rsend_c, MPI_Count)
SEND(Ssend_c, MPI_Count, gravel_rt_post_snd_buffer_synchronous)
SEND(Bsend_c, MPI_Count, gravel_rt_post_bsend)
RECEIVE(Recv_c, MPI_Count)
POST(Isend_c, const, MPI_Count, gravel_rt_post_snd_buffer_rdma)
POST(Irsend_c, const, MPI_Count, gravel_rt_post_snd_buffer_rdma)
POST(Issend_c, const, MPI_Count, gravel_rt_post_snd_buffer_synchronous)
POST(Ibsend_c, const, MPI_Count, gravel_rt_post_bsend)
POST(Irecv_c, , MPI_Count, gravel_rt_post_rcv_announced)
PREPARE(Recv_init_c, , MPI_Count, 2)
PREPARE(Send_init_c, const, MPI_Count, 3)
PREPARE(Rsend_init_c, const, MPI_Count, 3)
PREPARE(Ssend_init_c, const, MPI_Count, 5)
PREPARE(Bsend_init_c, const, MPI_Count, 6)
EXCHANGE(Sendrecv_c, MPI_Count)
REPLACE(Sendrecv_replace_c, MPI_Count)

/* One request for a send and a receive: the send leaves from a copy, and nobody waits for it; the request is the receive's. */
static int exchange_later(const void *sent, int64_t sends, MPI_Datatype send_type, int to, int send_tag, void *received,
                          int64_t receives, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                          int *receiving) {
    int sending, code = post(gravel_rt_post_snd_buffer_copied, sent, sends, send_type, to, send_tag, comm, &sending);
    if (code != GRAVEL_RT_SUCCESS) return code;
    code = post(gravel_rt_post_rcv_announced, received, receives, receive_type, from, receive_tag, comm, receiving);
    gravel_rt_release(&sending);
    /* The message has left: it is too late for MPI to look at the rest. */
    return code == GRAVEL_RT_LEFT_TO_MPI ? GRAVEL_RT_TAG : code;
}

#define EXCHANGE_LATER(name, number)                                                                                   \
    EXPORT(name, (const void *sent, number sends, MPI_Datatype send_type, int to, int send_tag, void *received,        \
                  number receives, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,                \
                  MPI_Request *request)) {                                                                             \
        int value = 0, code;                                                                                           \
        if (!carries || comm == MPI_COMM_NULL || gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(comm)))                    \
            return mpi.name(sent, sends, send_type, to, send_tag, received, receives, receive_type, from, receive_tag, \
                            comm, request);                                                                            \
        code = exchange_later(sent, sends, send_type, to, send_tag, received, receives, receive_type, from,            \
                              receive_tag, comm, &value);                                                              \
        *request = gravel_rt_request_of(value);                                                                        \
        return conclude(code == GRAVEL_RT_LEFT_TO_MPI ? GRAVEL_RT_TAG : code, comm);                         \
    }

#define REPLACE_LATER(name, number)                                                                                    \
    EXPORT(name, (void *buffer, number count, MPI_Datatype datatype, int to, int send_tag, int from, int receive_tag,  \
                  MPI_Comm comm, MPI_Request *request)) {                                                              \
        int value = 0, code;                                                                                           \
        if (!carries || comm == MPI_COMM_NULL || gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(comm)))                    \
            return mpi.name(buffer, count, datatype, to, send_tag, from, receive_tag, comm, request);                  \
        code = exchange_later(buffer, count, datatype, to, send_tag, buffer, count, datatype, from, receive_tag, comm, \
                              &value);                                                                                 \
        *request = gravel_rt_request_of(value);                                                                        \
        return conclude(code == GRAVEL_RT_LEFT_TO_MPI ? GRAVEL_RT_TAG : code, comm);                         \
    }

EXCHANGE_LATER(Isendrecv, int)
EXCHANGE_LATER(Isendrecv_c, MPI_Count)
REPLACE_LATER(Isendrecv_replace, int)
REPLACE_LATER(Isendrecv_replace_c, MPI_Count)

#endif

/* ---- probes */

EXPORT(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status)) {
    struct gravel_rt_envelope envelope;
    struct gravel_rt_completion completion;
    int code = GRAVEL_RT_LEFT_TO_MPI;
    if (carries && comm != MPI_COMM_NULL && tag <= largest_tag) {
        envelope = gravel_rt_describe_envelope(source, tag, comm);
        code = gravel_rt_wait_snd_request(&envelope, &completion);
    }
    if (is_for_mpi(code)) return mpi.Probe(source, tag, comm, status);
    if (code == GRAVEL_RT_SUCCESS) gravel_rt_fill_status(&completion, status);
    return conclude(code, comm);
}

EXPORT(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)) {
    struct gravel_rt_envelope envelope;
    struct gravel_rt_completion completion;
    int code = GRAVEL_RT_LEFT_TO_MPI;
    if (carries && comm != MPI_COMM_NULL && tag <= largest_tag) {
        envelope = gravel_rt_describe_envelope(source, tag, comm);
        code = gravel_rt_iprobe(&envelope, flag, &completion);
    }
    if (is_for_mpi(code)) return mpi.Iprobe(source, tag, comm, flag, status);
    if (code == GRAVEL_RT_SUCCESS && *flag) gravel_rt_fill_status(&completion, status);
    return conclude(code, comm);
}

static int probe_matched(int waits, int source, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                         MPI_Status *status) {
    struct gravel_rt_envelope envelope;
    struct gravel_rt_completion completion;
    int value, code;
    if (!carries || comm == MPI_COMM_NULL || tag > largest_tag) return GRAVEL_RT_LEFT_TO_MPI;
    envelope = gravel_rt_describe_envelope(source, tag, comm);
    code = gravel_rt_mprobe(waits, &envelope, found, &value, &completion);
    if (code == GRAVEL_RT_SUCCESS && *found) {
        *message = gravel_rt_message_of(value);
        gravel_rt_fill_status(&completion, status);
    }
    return code;
}

EXPORT(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)) {
    int found, code = probe_matched(1, source, tag, comm, &found, message, status);
    if (is_for_mpi(code)) return mpi.Mprobe(source, tag, comm, message, status);
    return conclude(code, comm);
}

EXPORT(Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)) {
    int code = probe_matched(0, source, tag, comm, flag, message, status);
    if (is_for_mpi(code)) return mpi.Improbe(source, tag, comm, flag, message, status);
    return conclude(code, comm);
}

static int receive_matched(void *buffer, int64_t count, MPI_Datatype datatype, MPI_Message *message, int *value) {
    struct gravel_rt_message description;
    int code, own = gravel_rt_value_of_message(*message);
    *value = 0;
    code = gravel_rt_describe_for(NULL, buffer, count, datatype, &description);
    if (code == GRAVEL_RT_SUCCESS) code = gravel_rt_imrecv(&own, &description, value);
    if (code == GRAVEL_RT_SUCCESS) *message = MPI_MESSAGE_NULL;
    return code;
}

#define RECEIVE_MATCHED(name, later, number)                                                                           \
    EXPORT(name, (void *buffer, number count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)) {      \
        int value, code;                                                                                               \
        if (!carries || !gravel_rt_is_own_message(*message)) return mpi.name(buffer, count, datatype, message, status); \
        code = receive_matched(buffer, count, datatype, message, &value);                                              \
        return code == GRAVEL_RT_SUCCESS ? finish(value, status) : gravel_rt_conclude_operation(code);                 \
    }                                                                                                                  \
    EXPORT(later, (void *buffer, number count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)) {   \
        int value, code;                                                                                               \
        if (!carries || !gravel_rt_is_own_message(*message))                                                           \
            return mpi.later(buffer, count, datatype, message, request);                                               \
        code = receive_matched(buffer, count, datatype, message, &value);                                              \
        *request = gravel_rt_request_of(value);                                                                        \
        return gravel_rt_conclude_operation(code);                                                                     \
    }

RECEIVE_MATCHED(Mrecv, Imrecv, int)
#if MPI_VERSION >= 4
RECEIVE_MATCHED(Mrecv_c, Imrecv_c, MPI_Count)
#endif

EXPORT(Buffer_attach, (void *buffer, int size)) {
    return carries ? gravel_buffer_attach(buffer, size) : mpi.Buffer_attach(buffer, size);
}

EXPORT(Buffer_detach, (void *buffer, int *size)) {
    return carries ? gravel_buffer_detach(buffer, size) : mpi.Buffer_detach(buffer, size);
}

#if MPI_VERSION >= 4

EXPORT(Buffer_attach_c, (void *buffer, MPI_Count size)) {
    int error = mpi.Buffer_attach_c(buffer, size);
    if (carries && error == MPI_SUCCESS) gravel_rt_attach_buffer(size, MPI_BSEND_OVERHEAD);
    return error;
}

EXPORT(Buffer_detach_c, (void *buffer, MPI_Count *size)) {
    int error = mpi.Buffer_detach_c(buffer, size);
    if (carries && error == MPI_SUCCESS) gravel_rt_attach_buffer(-1, 0);
    return error;
}

#endif

/* ---- requests: gravel.h tells Gravel's from MPI's */

EXPORT(Wait, (MPI_Request *request, MPI_Status *status)) {
    return carries ? gravel_wait_request(request, status) : mpi.Wait(request, status);
}

EXPORT(Test, (MPI_Request *request, int *flag, MPI_Status *status)) {
    return carries ? gravel_test_request(request, flag, status) : mpi.Test(request, flag, status);
}

EXPORT(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status)) {
    return carries ? gravel_request_get_status(request, flag, status) : mpi.Request_get_status(request, flag, status);
}

EXPORT(Waitall, (int count, MPI_Request requests[], MPI_Status *statuses)) {
    return carries ? gravel_waitall(count, requests, statuses) : mpi.Waitall(count, requests, statuses);
}

EXPORT(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses)) {
    return carries ? gravel_testall(count, requests, flag, statuses) : mpi.Testall(count, requests, flag, statuses);
}

EXPORT(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status)) {
    return carries ? gravel_waitany(count, requests, index, status) : mpi.Waitany(count, requests, index, status);
}

EXPORT(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)) {
    return carries ? gravel_testany(count, requests, index, flag, status)
                   : mpi.Testany(count, requests, index, flag, status);
}

EXPORT(Waitsome, (int count, MPI_Request requests[], int *ended, int indices[], MPI_Status *statuses)) {
    return carries ? gravel_waitsome(count, requests, ended, indices, statuses)
                   : mpi.Waitsome(count, requests, ended, indices, statuses);
}

EXPORT(Testsome, (int count, MPI_Request requests[], int *ended, int indices[], MPI_Status *statuses)) {
    return carries ? gravel_testsome(count, requests, ended, indices, statuses)
                   : mpi.Testsome(count, requests, ended, indices, statuses);
}

EXPORT(Request_free, (MPI_Request *request)) { return carries ? gravel_release(request) : mpi.Request_free(request); }

EXPORT(Cancel, (MPI_Request *request)) { return carries ? gravel_cancel(*request) : mpi.Cancel(request); }

EXPORT(Start, (MPI_Request *request)) {
    return carries && gravel_rt_is_own(*request) ? gravel_start(*request, NULL) : mpi.Start(request);
}

EXPORT(Startall, (int count, MPI_Request requests[])) {
    int k;
    for (k = 0; carries && k < count; k++)
        if (gravel_rt_is_own(requests[k])) break;
    if (!carries || k >= count) return mpi.Startall(count, requests);
    for (k = 0; k < count; k++) {
        int error = PMPI_Start(&requests[k]);
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}

#if HANDLES_ARE_CONVERTED

/* ---- Fortran, where a request is the address of an object in C (Open MPI)
 *
 * MPI's library for Fortran converts what it is given, calls the above, and converts the results. But after the calls that
 * complete requests it does not convert: it looks into the object. Of Gravel's persistent requests, which stay, there is
 * none. So these calls are here, too. */

#define CONVERT(name, c_type, to_fortran, to_c)                                                                        \
    extern __typeof__(PMPI_##name##_c2f) exported_##name##_c2f __asm__("MPI_" #name "_c2f")                            \
        __attribute__((alias("PMPI_" #name "_c2f"), visibility("default")));                                           \
    __attribute__((visibility("default"))) MPI_Fint PMPI_##name##_c2f(c_type handle) { return to_fortran(handle); }    \
    extern __typeof__(PMPI_##name##_f2c) exported_##name##_f2c __asm__("MPI_" #name "_f2c")                            \
        __attribute__((alias("PMPI_" #name "_f2c"), visibility("default")));                                           \
    __attribute__((visibility("default"))) c_type PMPI_##name##_f2c(MPI_Fint handle) { return to_c(handle); }

CONVERT(Request, MPI_Request, gravel_request_c2f, gravel_request_f2c)
CONVERT(Message, MPI_Message, gravel_message_c2f, gravel_message_f2c)

/* Defines a call by all the names that compilers and the module mpi_f08 have for it. */
#define ALIAS(number, symbol, name)                                                                                    \
    extern __typeof__(fortran_##name) fortran_##name##_##number __asm__(symbol)                                        \
        __attribute__((alias("fortran_" #name), visibility("default")));
#define NAMES(name, capitals)                                                                                          \
    ALIAS(1, "mpi_" #name "_", name)                                                                                   \
    ALIAS(2, "mpi_" #name "__", name)                                                                                  \
    ALIAS(3, "mpi_" #name, name)                                                                                       \
    ALIAS(4, "MPI_" #capitals, name)                                                                                   \
    ALIAS(5, "pmpi_" #name "_", name)                                                                                  \
    ALIAS(6, "pmpi_" #name "__", name)                                                                                 \
    ALIAS(7, "pmpi_" #name, name)                                                                                      \
    ALIAS(8, "PMPI_" #capitals, name)                                                                                  \
    ALIAS(9, "ompi_" #name "_f", name)

static int is_ignored(const MPI_Fint *status) {
    static const void *ignored[3];
    if (ignored[0] == NULL) {
        ignored[1] = dlsym(RTLD_DEFAULT, "mpi_fortran_status_ignore_");
        ignored[2] = dlsym(RTLD_DEFAULT, "mpi_fortran_statuses_ignore_");
        ignored[0] = MPI_F_STATUS_IGNORE;
    }
    return status == ignored[0] || status == ignored[1] || status == ignored[2] || status == MPI_F_STATUSES_IGNORE;
}

enum { INTEGERS_OF_STATUS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

/* What a call has to convert: handles and statuses. */
typedef struct {
    MPI_Request *requests;
    MPI_Status *statuses;
    int *indices;
} converted;

static int convert(int count, const MPI_Fint *requests, const MPI_Fint *statuses, converted *own) {
    int k;
    size_t length = count > 0 ? (size_t)count : 1;
    own->requests = (MPI_Request *)malloc(length * sizeof *own->requests);
    own->indices = (int *)malloc(length * sizeof *own->indices);
    /* What MPI does not write stays as it is. */
    own->statuses = is_ignored(statuses) ? MPI_STATUSES_IGNORE : (MPI_Status *)malloc(length * sizeof(MPI_Status));
    if (own->requests == NULL || own->indices == NULL || (own->statuses == NULL && !is_ignored(statuses))) abort();
    for (k = 0; k < count; k++) own->requests[k] = PMPI_Request_f2c(requests[k]);
    if (own->statuses != MPI_STATUSES_IGNORE && count > 0) memcpy(own->statuses, statuses, (size_t)count * sizeof(MPI_Status));
    return MPI_SUCCESS;
}

/* Gives back the handles of all requests, and so many statuses. */
static void convert_back(int count, MPI_Fint *requests, int ended, MPI_Fint *statuses, converted *own) {
    int k;
    for (k = 0; k < count; k++) requests[k] = PMPI_Request_c2f(own->requests[k]);
    if (own->statuses != MPI_STATUSES_IGNORE) {
        for (k = 0; k < ended; k++) PMPI_Status_c2f(&own->statuses[k], statuses + (size_t)k * INTEGERS_OF_STATUS);
        free(own->statuses);
    }
    free(own->requests);
    free(own->indices);
}

static void answer(int error, MPI_Fint *ierror) {
    if (ierror != NULL) *ierror = error;
}

void fortran_wait(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) {
    MPI_Request own = PMPI_Request_f2c(*request);
    MPI_Status told;
    int ignores = is_ignored(status), error;
    if (!ignores) memcpy(&told, status, sizeof told);
    error = PMPI_Wait(&own, ignores ? MPI_STATUS_IGNORE : &told);
    *request = PMPI_Request_c2f(own);
    if (!ignores) PMPI_Status_c2f(&told, status);
    answer(error, ierror);
}
NAMES(wait, WAIT)

void fortran_test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror) {
    MPI_Request own = PMPI_Request_f2c(*request);
    MPI_Status told;
    int ignores = is_ignored(status), error, done = 0;
    if (!ignores) memcpy(&told, status, sizeof told);
    error = PMPI_Test(&own, &done, ignores ? MPI_STATUS_IGNORE : &told);
    *flag = done;
    *request = PMPI_Request_c2f(own);
    if (!ignores && done) PMPI_Status_c2f(&told, status);
    answer(error, ierror);
}
NAMES(test, TEST)

void fortran_waitall(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
    converted own;
    int error;
    convert(*count, requests, statuses, &own);
    error = PMPI_Waitall(*count, own.requests, own.statuses);
    convert_back(*count, requests, *count, statuses, &own);
    answer(error, ierror);
}
NAMES(waitall, WAITALL)

void fortran_testall(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *ierror) {
    converted own;
    int error, done = 0;
    convert(*count, requests, statuses, &own);
    error = PMPI_Testall(*count, own.requests, &done, own.statuses);
    *flag = done;
    convert_back(*count, requests, done ? *count : 0, statuses, &own);
    answer(error, ierror);
}
NAMES(testall, TESTALL)

/* Indices count from 1. */
static MPI_Fint index_of(int index) { return index == MPI_UNDEFINED ? MPI_UNDEFINED : index + 1; }

void fortran_waitany(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *ierror) {
    converted own;
    MPI_Status told;
    int error, found = MPI_UNDEFINED, ignores = is_ignored(status);
    convert(*count, requests, (MPI_Fint *)MPI_F_STATUSES_IGNORE, &own);
    if (!ignores) memcpy(&told, status, sizeof told);
    error = PMPI_Waitany(*count, own.requests, &found, ignores ? MPI_STATUS_IGNORE : &told);
    *index = index_of(found);
    if (!ignores) PMPI_Status_c2f(&told, status);
    convert_back(*count, requests, 0, NULL, &own);
    answer(error, ierror);
}
NAMES(waitany, WAITANY)

void fortran_testany(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
                     MPI_Fint *ierror) {
    converted own;
    MPI_Status told;
    int error, done = 0, found = MPI_UNDEFINED, ignores = is_ignored(status);
    convert(*count, requests, (MPI_Fint *)MPI_F_STATUSES_IGNORE, &own);
    if (!ignores) memcpy(&told, status, sizeof told);
    error = PMPI_Testany(*count, own.requests, &found, &done, ignores ? MPI_STATUS_IGNORE : &told);
    *index = index_of(found);
    *flag = done;
    if (!ignores && done) PMPI_Status_c2f(&told, status);
    convert_back(*count, requests, 0, NULL, &own);
    answer(error, ierror);
}
NAMES(testany, TESTANY)

static void some(int waits, int count, MPI_Fint *requests, MPI_Fint *ended, MPI_Fint *indices, MPI_Fint *statuses,
                 MPI_Fint *ierror) {
    converted own;
    int error, k, told = 0;
    convert(count, requests, statuses, &own);
    error = waits ? PMPI_Waitsome(count, own.requests, &told, own.indices, own.statuses)
                  : PMPI_Testsome(count, own.requests, &told, own.indices, own.statuses);
    *ended = told;
    if (told == MPI_UNDEFINED) told = 0;
    for (k = 0; k < told; k++) indices[k] = index_of(own.indices[k]);
    convert_back(count, requests, told, statuses, &own);
    answer(error, ierror);
}

void fortran_waitsome(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ended, MPI_Fint *indices, MPI_Fint *statuses,
                      MPI_Fint *ierror) {
    some(1, *count, requests, ended, indices, statuses, ierror);
}
NAMES(waitsome, WAITSOME)

void fortran_testsome(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ended, MPI_Fint *indices, MPI_Fint *statuses,
                      MPI_Fint *ierror) {
    some(0, *count, requests, ended, indices, statuses, ierror);
}
NAMES(testsome, TESTSOME)

#endif
