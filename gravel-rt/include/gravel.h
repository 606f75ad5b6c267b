/* Gravel's C interface: include after mpi.h, and link libgravel.
 *
 *    mpicc program.c -lm libgravel.a -lpthread -ldl -lm
 *
 * libgravel itself links no MPI. This header holds the few MPI calls that it needs as static functions, compiled with
 * the user's own MPI, so that one libgravel serves every MPI. Calls take their arguments in MPI's order. They return
 * MPI_SUCCESS or an MPI error class, after the text was written to standard error and the communicator's MPI error
 * handler was called (by default it aborts the program).
 *
 * A program calls gravel_init and gravel_finalize from one source file; the state that they need is in libgravel.
 *
 * Errors are MPI's classes; gravel_rt_error_text() has the text of the calling thread's last one, which names the call,
 * the peer and what to do:
 *
 *    MPI_ERR_COMM      gravel_init on an intercommunicator, gravel_attach on a communicator that has processes which
 *                      gravel_init's has not
 *    MPI_ERR_RANK      it has no such rank
 *    MPI_ERR_TAG       a negative tag, or a wildcard where the protocol has none
 *    MPI_ERR_COUNT     a negative count, more bytes than there are addresses, blocks of an exchange that differ
 *    MPI_ERR_TYPE      where the data of the datatype lies is not known (a constructor that this version does not know); or, for
 *                      all-to-all exchanges, its elements, one behind the other, are not contiguous memory
 *    MPI_ERR_BUFFER    a null buffer of a message that has bytes, or a put of another buffer than the transfer's; a buffered
 *                      send that does not fit into the attached buffer
 *    MPI_ERR_REQUEST   a handle that names nothing (any more); a start of what is active; puts outside of the message,
 *                      over another, or not all of it
 *    MPI_ERR_TRUNCATE  the message is longer than its receive, into which nothing was written. Both sides get the
 *                      error, with both ranks, the tag and both lengths, unless the send has completed: see below
 *    MPI_ERR_OTHER     before gravel_init, after gravel_finalize, before MPI_Init, after MPI_Finalize, from another
 *                      thread or a forked child; two protocols for one (peer, communicator, tag); a peer that has died
 *                      or given its message up; limits of the system
 *
 *    gravel_init, gravel_attach                 COMM, OTHER: on all ranks if on one
 *    gravel_finalize                            OTHER: also where a rank has died before it
 *    posts and opens (what takes a datatype)    COMM, RANK, TAG, COUNT, TYPE, BUFFER, OTHER: the handle is null then
 *    gravel_post_os_put, gravel_send_fin        REQUEST, BUFFER, OTHER: a FIN that fails gives the message up
 *    gravel_start, gravel_startall              REQUEST, COMM, OTHER: the request stays inactive
 *    gravel_release, gravel_request_get_status  REQUEST, TRUNCATE, OTHER
 *    gravel_wait, _waitany, _waitsome, _waitall REQUEST, TRUNCATE, COUNT, OTHER: a request that failed is null then, a
 *                                               persistent one inactive; of several: see below
 *    gravel_test, _testany, _testsome, _testall likewise
 *    gravel_wait_range, gravel_cancel           REQUEST, TRUNCATE, OTHER: the request stays, and is to be waited for
 *    gravel_wait_snd_request                    COMM, RANK, TAG, OTHER
 *
 * A call on a communicator that is not attached is MPI's: a post is MPI_Isend, MPI_Issend or MPI_Irecv, a wait for an
 * announcement MPI_Probe, a prepare MPI_Send_init, MPI_Ssend_init or MPI_Recv_init. A transfer has one tile, its puts do
 * nothing, and gravel_send_fin sends the message. A send from a copy has nothing to wait for. Requests are MPI's own then, and
 * so are errors. An exchange (gravel_post_alltoall and its kin) is
 * MPI_Alltoall, called when both of a rank's halves are there. Every call that takes requests takes
 * those of Gravel, of MPI, and null ones, also in one array. A call that completes several and has statuses returns
 * MPI_ERR_IN_STATUS where one has failed, and each status says in its MPI_ERROR how it went; without statuses it returns MPI's
 * error, or else the first one. Where Gravel does not run, requests of MPI are MPI's all the same. Requests of Gravel are for these calls only, never for MPI's.
 *
 * A send may complete before its receive is known: up to 8 KiB, over tcp up to 64 KiB, where the handshake has not come, and,
 * if it is waited for then, up to max(64 KiB, GRAVEL_EAGER_LIMIT). As with an eager send of MPI, only the receive of such a
 * message fails where it is too long; the sender's process is told, and writes the same to standard error. A synchronous
 * send completes only when its receive is known.
 *
 * Under GRAVEL_CHECK a call that breaks a rule fails with MPI_ERR_BUFFER or MPI_ERR_REQUEST, too. Where MPI is not
 * there, before MPI_Init and after MPI_Finalize, no call asks MPI about anything, and none reaches an error handler. */
#ifndef GRAVEL_H
#define GRAVEL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* C89 has no `inline`, but compilers know it by another name. */
#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L) && !defined(inline)
#define inline __inline__
#define GRAVEL_RT_DEFINES_INLINE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A request of Gravel is a value of MPI's own type that no request of MPI has: an integer from 0x3C000000 to 0x3FFFFFFF, or,
 * where requests are addresses, twice that and one. Every call that takes requests takes MPI's, too, and null ones: for
 * MPI's it is MPI's call. An array may hold all of them. */
typedef MPI_Request gravel_request;
#define GRAVEL_REQUEST_NULL MPI_REQUEST_NULL
/* A message that is being put segment by segment; all calls on a null transfer do nothing. */
typedef int gravel_transfer;
#define GRAVEL_TRANSFER_NULL ((gravel_transfer)0)

/* ---- libgravel (gravel-rt/src/abi) */

struct gravel_rt_mpi_constants {
    int proc_null;
    int any_source;
    int any_tag;
};

struct gravel_rt_callbacks {
    uint64_t size;
    int (*all_gather)(const void *mine, void *all, int bytes);
    void (*progress)(void);
    int (*begin_barrier)(void);
    int (*test_barrier)(int *done);
    int communicator;
    int rank;
    int ranks;
    struct gravel_rt_mpi_constants constants;
    int request_null; /* Fortran handle of MPI_REQUEST_NULL */
};

struct gravel_rt_group {
    int communicator;
    int rank;
    int size;
    const int *members; /* for each rank, its rank in gravel_init's communicator; negative if it has none */
};

struct gravel_rt_datatype_facts {
    int combiner; /* one of gravel_rt_combiner */
    int integers;
    int addresses;
    int datatypes;
    int64_t size;
    int64_t extent;
    int64_t true_lower_bound;
    int64_t true_extent;
};

struct gravel_rt_datatype_callbacks {
    int (*describe)(int datatype, struct gravel_rt_datatype_facts *facts);
    int (*contents)(int datatype, const struct gravel_rt_datatype_facts *facts, int *integers, int64_t *addresses,
                    int *datatypes);
    int (*release)(int datatype);
    int (*name)(int datatype, char *name, int capacity);
    int (*watch)(int datatype, int64_t key);
};

struct gravel_rt_datatype_description {
    uint64_t bytes;
    int64_t layout; /* 0 if elements are contiguous */
    int permanent; /* whether the handle means this datatype for as long as the process lives */
};

struct gravel_rt_message {
    void *address;
    int64_t count;
    uint64_t datatype_bytes;
    uint64_t element_bytes;
    int64_t layout; /* of its datatype */
};

/* One half of an all-to-all exchange that is MPI's: see gravel-rt/src/abi/exchanges_of_mpi.rs. */
struct gravel_rt_half {
    void *address;
    const void *counts;
    const void *places;
    int integer_bytes;
    int ranks;
    int datatype;
};

struct gravel_rt_envelope {
    int rank;
    int tag;
    int communicator;
};

struct gravel_rt_completion {
    int kind; /* 0: nothing or a send; 1: with MPI_PROC_NULL; 2: a receive; 3: a cancelled receive */
    int source;
    int tag;
    int64_t bytes;
};

enum gravel_rt_code {
    GRAVEL_RT_SUCCESS = 0,
    GRAVEL_RT_STATE = 1,
    GRAVEL_RT_COMMUNICATOR = 2,
    GRAVEL_RT_RANK = 3,
    GRAVEL_RT_TAG = 4,
    GRAVEL_RT_COUNT = 5,
    GRAVEL_RT_DATATYPE = 6,
    GRAVEL_RT_BUFFER = 7,
    GRAVEL_RT_REQUEST = 8,
    GRAVEL_RT_TRUNCATED = 9,
    GRAVEL_RT_PEER = 10,
    GRAVEL_RT_OTHER = 11,
    GRAVEL_RT_LEFT_TO_MPI = 12,
    GRAVEL_RT_TOLD_ALREADY = 13
};

enum gravel_rt_finding { GRAVEL_RT_INTERCOMMUNICATOR = 1, GRAVEL_RT_WITHOUT_MPI = 2, GRAVEL_RT_REQUESTS_MEET = 3 };

enum gravel_rt_combiner {
    GRAVEL_RT_COMBINER_NAMED = 1,
    GRAVEL_RT_COMBINER_DUP = 2,
    GRAVEL_RT_COMBINER_CONTIGUOUS = 3,
    GRAVEL_RT_COMBINER_VECTOR = 4,
    GRAVEL_RT_COMBINER_HVECTOR = 5,
    GRAVEL_RT_COMBINER_INDEXED = 6,
    GRAVEL_RT_COMBINER_HINDEXED = 7,
    GRAVEL_RT_COMBINER_INDEXED_BLOCK = 8,
    GRAVEL_RT_COMBINER_HINDEXED_BLOCK = 9,
    GRAVEL_RT_COMBINER_STRUCT = 10,
    GRAVEL_RT_COMBINER_SUBARRAY = 11,
    GRAVEL_RT_COMBINER_DARRAY = 12,
    GRAVEL_RT_COMBINER_RESIZED = 13,
    GRAVEL_RT_COMBINER_F90 = 14,
    GRAVEL_RT_COMBINER_OTHER = 15
};

int gravel_rt_init(const struct gravel_rt_callbacks *callbacks);
int gravel_rt_finalize(void);
int gravel_rt_post_rcv_buffer_rdma(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                   int *request);
int gravel_rt_wait_rcv_buffer(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                              int *transfer);
int gravel_rt_post_send(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                        int *request);
int gravel_rt_post_send_copied(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                               int *request);
int gravel_rt_post_alltoall(const struct gravel_rt_message *block, int communicator, int *request);
int gravel_rt_post_alltoall_segments(const struct gravel_rt_message *block, int communicator, int *request);
int gravel_rt_open_alltoall(const struct gravel_rt_message *block, int communicator, int *transfer);
int gravel_rt_send_alltoall(const struct gravel_rt_message *block, int communicator, int *request);
int gravel_rt_post_alltoallv(const struct gravel_rt_message *buffer, const void *counts, const void *places,
                             int integer_bytes, int communicator, int *request);
int gravel_rt_post_alltoallv_segments(const struct gravel_rt_message *buffer, const void *counts, const void *places,
                                      int integer_bytes, int communicator, int *request);
int gravel_rt_open_alltoallv(const struct gravel_rt_message *buffer, const void *counts, const void *places,
                             int integer_bytes, int communicator, int *transfer);
int gravel_rt_send_alltoallv(const struct gravel_rt_message *buffer, const void *counts, const void *places,
                             int integer_bytes, int communicator, int *request);
int64_t gravel_rt_tile(int transfer, int64_t iterations, int64_t multiple);
int gravel_rt_worth_overlapping(const char *place, int64_t length);
int gravel_rt_post_os_put(int transfer, const void *buffer, int64_t offset, int64_t count);
int gravel_rt_send_fin(int *transfer, int *request);
int gravel_rt_wait(int *request, struct gravel_rt_completion *completion);
int gravel_rt_post_rcv_segments(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                int *request);
int gravel_rt_post_snd_request(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                               int *transfer);
int gravel_rt_post_snd_buffer_rdma(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                   int *request);
int gravel_rt_post_snd_buffer_copied(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                     int *request);
int gravel_rt_wait_rcv_buffer_synchronous(const struct gravel_rt_message *message,
                                          const struct gravel_rt_envelope *envelope, int *transfer);
int gravel_rt_post_send_synchronous(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                    int *request);
int gravel_rt_post_snd_request_synchronous(const struct gravel_rt_message *message,
                                           const struct gravel_rt_envelope *envelope, int *transfer);
int gravel_rt_post_snd_buffer_synchronous(const struct gravel_rt_message *message,
                                          const struct gravel_rt_envelope *envelope, int *request);
int gravel_rt_post_rcv_announced(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                 int *request);
int gravel_rt_receive_announced(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                                int *is_posted, struct gravel_rt_completion *completion);
int gravel_rt_send_announced(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                             int *is_posted);
int gravel_rt_wait_snd_request(const struct gravel_rt_envelope *envelope, struct gravel_rt_completion *completion);
int gravel_rt_iprobe(const struct gravel_rt_envelope *envelope, int *found, struct gravel_rt_completion *completion);
int gravel_rt_mprobe(int waits, const struct gravel_rt_envelope *envelope, int *found, int *message,
                     struct gravel_rt_completion *completion);
int gravel_rt_imrecv(int *message, const struct gravel_rt_message *buffer, int *request);
int gravel_rt_post_bsend(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                         int *request);
int gravel_rt_attach_buffer(int64_t bytes, int64_t overhead);
int gravel_rt_test(int *request, int *done, struct gravel_rt_completion *completion);
int gravel_rt_request_get_status(int request, int *done, struct gravel_rt_completion *completion);
int gravel_rt_waitany(int64_t count, int *requests, int64_t *index, struct gravel_rt_completion *completion);
int gravel_rt_testany(int64_t count, int *requests, int64_t *index, int *done,
                      struct gravel_rt_completion *completion);
int gravel_rt_waitsome(int64_t count, int *requests, int64_t *ended);
int gravel_rt_testsome(int64_t count, int *requests, int64_t *ended);
int gravel_rt_testall(int64_t count, int *requests, int64_t *ended);
int gravel_rt_completed(int64_t position, int64_t *index, struct gravel_rt_completion *completion);
int gravel_rt_wait_range(int request, const void *buffer, int64_t offset, int64_t count);
int gravel_rt_cancel(int request);
int gravel_rt_prepare(int kind, const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope,
                      int *request);
int gravel_rt_start(int request);
int gravel_rt_release(int *request);
/* Calls on communicators that are not attached, which are MPI's: what a transfer remembers until it ends, and the copies
 * that MPI sends, with the Fortran handles of their requests. */
int gravel_rt_is_left_to_mpi(int communicator);
int gravel_rt_remember(const struct gravel_rt_message *message, const struct gravel_rt_envelope *envelope, int datatype,
                       int is_synchronous, int *transfer);
int gravel_rt_end_remembered(int *transfer, struct gravel_rt_message *message, struct gravel_rt_envelope *envelope,
                             int *datatype, int *is_synchronous);
void *gravel_rt_new_copy(int64_t bytes);
void gravel_rt_keep_copy(int request);
int gravel_rt_copy(int64_t position, int *request);
void gravel_rt_drop_copy(int64_t position);
int gravel_rt_hold_half(int kind, const struct gravel_rt_half *half, int communicator, int *value);
int gravel_rt_end_half(int *transfer, int *request, int *communicator);
int gravel_rt_next_exchange(int communicator, struct gravel_rt_half *send, struct gravel_rt_half *receive);
void gravel_rt_end_exchange(int communicator);
int gravel_rt_report(const char *call, int found);
/* The MPI side stands for MPI in a program that knows nothing of Gravel: calls whose arguments are wrong will be given to MPI,
 * which says what, and are not reported; of several requests the first that can be is completed; only its receiver hears of a
 * message that is too long. Before gravel_init. */
void gravel_rt_stand_for_mpi(void);
void gravel_rt_errors_return(void);
/* Whether there is a runtime, and MPI with it. */
int gravel_rt_is_running(void);
/* MPI_Finalize has been called. */
void gravel_rt_mpi_ends(void);
/* Lets others have the processor, for longer and longer the more often it was in vain. */
void gravel_rt_pause(int in_vain);
/* The communicators that gravel_init was given and made (Fortran handles), for all files that include this header. */
void gravel_rt_keep_communicators(int attached, int duplicate);
void gravel_rt_drop_communicators(void);
int gravel_rt_attached(int fallback);
/* That of the operation whose call has failed just now, or the first of them. */
int gravel_rt_failed_communicator(int fallback);
int gravel_rt_duplicate(int fallback);
/* Attribute keys, likewise; which is one of gravel_rt_attribute. */
void gravel_rt_keep_attribute_key(int which, int value);
int gravel_rt_attribute_key(int which, int fallback);
int gravel_rt_drop_attribute_key(int which, int fallback);
int64_t gravel_rt_propose(const struct gravel_rt_group *group);
int gravel_rt_attach(const struct gravel_rt_group *group, int64_t agreed, int64_t *key);
int64_t gravel_rt_communicator_key(int communicator);
void gravel_rt_detach(int64_t key);
int gravel_rt_use_datatypes(const struct gravel_rt_datatype_callbacks *callbacks);
int gravel_rt_datatype(int datatype, struct gravel_rt_datatype_description *description);
void gravel_rt_forget_datatype(int64_t key);
/* Text of the calling thread's last error; empty if there was none. */
const char *gravel_rt_error_text(void);

/* ---- arguments and errors */

/* Whether MPI can be called: not before MPI_Init nor after MPI_Finalize, where calls of Gravel are errors, too. */
static inline int gravel_rt_is_mpi_there(void) {
    int is_initialized = 0, is_finalized = 0;
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    return is_initialized && !is_finalized;
}

/* Ends every call: a failed one goes to the communicator's MPI error handler. */
static inline int gravel_rt_conclude(int code, MPI_Comm comm) {
    int error;
    switch (code) {
    case GRAVEL_RT_SUCCESS: return MPI_SUCCESS;
    case GRAVEL_RT_COMMUNICATOR: error = MPI_ERR_COMM; break;
    case GRAVEL_RT_RANK: error = MPI_ERR_RANK; break;
    case GRAVEL_RT_TAG: error = MPI_ERR_TAG; break;
    case GRAVEL_RT_COUNT: error = MPI_ERR_COUNT; break;
    case GRAVEL_RT_DATATYPE: error = MPI_ERR_TYPE; break;
    case GRAVEL_RT_BUFFER: error = MPI_ERR_BUFFER; break;
    case GRAVEL_RT_REQUEST: error = MPI_ERR_REQUEST; break;
    case GRAVEL_RT_TRUNCATED: error = MPI_ERR_TRUNCATE; break;
    default: error = MPI_ERR_OTHER; break;
    }
    if (gravel_rt_is_mpi_there()) MPI_Comm_call_errhandler(comm, error);
    return error;
}

/* The communicator that gravel_init was given, and its duplicate; the world before that. */
static inline MPI_Comm gravel_rt_attached_comm(void) {
    return MPI_Comm_f2c((MPI_Fint)gravel_rt_attached((int)MPI_Comm_c2f(MPI_COMM_WORLD)));
}

static inline MPI_Comm gravel_rt_duplicate_comm(void) {
    return MPI_Comm_f2c((MPI_Fint)gravel_rt_duplicate((int)MPI_Comm_c2f(MPI_COMM_WORLD)));
}

/* Ends a call that names no communicator: a failed one goes to the error handler of its operation's. */
static inline int gravel_rt_conclude_operation(int code) {
    int world;
    if (code == GRAVEL_RT_SUCCESS) return MPI_SUCCESS;
    if (!gravel_rt_is_mpi_there()) return gravel_rt_conclude(code, MPI_COMM_WORLD);
    world = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    return gravel_rt_conclude(code, MPI_Comm_f2c((MPI_Fint)gravel_rt_failed_communicator(world)));
}

/* Without a runtime nothing is known about datatypes and communicators: MPI, which may not be there, is not asked, and the
 * call is refused next, by its own name. */

/* The length of an element, and where its data lies. The last predefined datatype is remembered: it never changes, and nearly
 * all messages are made of them. */
static inline int gravel_rt_find_datatype(MPI_Datatype datatype, const MPI_Comm *comm, uint64_t *bytes,
                                          int64_t *layout) {
    static MPI_Datatype last = MPI_DATATYPE_NULL;
    static uint64_t last_bytes = 0;
    struct gravel_rt_datatype_description description;
    int code;
    *layout = 0;
    if (datatype == last && datatype != MPI_DATATYPE_NULL) {
        *bytes = last_bytes;
        return GRAVEL_RT_SUCCESS;
    }
    if (!gravel_rt_is_running()) {
        *bytes = 0;
        return GRAVEL_RT_SUCCESS;
    }
    /* MPI knows the datatypes of its own messages. Without a communicator the message is Gravel's. */
    if (comm != NULL && gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(*comm))) return GRAVEL_RT_LEFT_TO_MPI;
    code = gravel_rt_datatype((int)MPI_Type_c2f(datatype), &description);
    if (code != GRAVEL_RT_SUCCESS) return code;
    *bytes = description.bytes;
    *layout = description.layout;
    if (description.permanent && description.layout == 0) {
        last = datatype;
        last_bytes = description.bytes;
    }
    return GRAVEL_RT_SUCCESS;
}

static inline int gravel_rt_describe_for(const MPI_Comm *comm, const void *buffer, int64_t count, MPI_Datatype datatype,
                                         struct gravel_rt_message *message) {
    int code = gravel_rt_find_datatype(datatype, comm, &message->datatype_bytes, &message->layout);
    message->address = (void *)buffer;
    message->count = count;
    /* A C program counts in elements of the datatype. */
    message->element_bytes = message->datatype_bytes;
    return code;
}

static inline int gravel_rt_describe_message(const void *buffer, int64_t count, MPI_Datatype datatype, MPI_Comm comm,
                                             struct gravel_rt_message *message) {
    return gravel_rt_describe_for(&comm, buffer, count, datatype, message);
}

static inline int gravel_rt_communicator_handle(MPI_Comm comm) {
    return gravel_rt_is_running() ? (int)MPI_Comm_c2f(comm) : 0;
}

static inline struct gravel_rt_envelope gravel_rt_describe_envelope(int rank, int tag, MPI_Comm comm) {
    struct gravel_rt_envelope envelope;
    envelope.rank = rank;
    envelope.tag = tag;
    envelope.communicator = gravel_rt_communicator_handle(comm);
    return envelope;
}

/* Compilers that know how much MPI writes take MPI_STATUSES_IGNORE for memory once these functions are inlined. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* ---- requests: Gravel's and MPI's in the same variables */

enum gravel_rt_held { GRAVEL_RT_HOLDS_OWN = 1, GRAVEL_RT_HOLDS_MPIS = 2 };

static inline int gravel_rt_is_own_value(int value) {
    return ((unsigned)value & 0xfc000000u) == 0x3c000000u;
}

/* Whether a request is Gravel's. */
static inline int gravel_rt_is_own(MPI_Request request) {
    if (sizeof(MPI_Request) == sizeof(int)) return gravel_rt_is_own_value((int)(intptr_t)request);
    return (int)((uintptr_t)request & 1u);
}

/* As libgravel has it; all but Gravel's own are alike to it. */
static inline int gravel_rt_value_of(MPI_Request request) {
    if (sizeof(MPI_Request) == sizeof(int)) return (int)(intptr_t)request;
    return gravel_rt_is_own(request) ? (int)((uintptr_t)request >> 1) : 0;
}

static inline MPI_Request gravel_rt_request_of(int value) {
    if (!gravel_rt_is_own_value(value)) return MPI_REQUEST_NULL;
    if (sizeof(MPI_Request) == sizeof(int)) return (MPI_Request)(intptr_t)value;
    return (MPI_Request)(((intptr_t)value << 1) | 1);
}

static inline int gravel_rt_can_ask_mpi(void) {
    return gravel_rt_is_running() || gravel_rt_is_mpi_there();
}

/* Whether MPI is to be asked about a request: also where Gravel does not run. Where MPI is not there, every call is refused. */
static inline int gravel_rt_is_mpis(MPI_Request request) {
    return !gravel_rt_is_own(request) && gravel_rt_can_ask_mpi();
}

/* Whose requests there are in an array. MPI answers for null ones. */
static inline int gravel_rt_holds(int count, const MPI_Request *requests) {
    int k, holds = 0;
    for (k = 0; k < count; k++) {
        if (gravel_rt_is_own(requests[k]))
            holds |= GRAVEL_RT_HOLDS_OWN;
        else if (requests[k] != MPI_REQUEST_NULL)
            holds |= GRAVEL_RT_HOLDS_MPIS;
    }
    if (holds != GRAVEL_RT_HOLDS_OWN && !gravel_rt_can_ask_mpi()) return GRAVEL_RT_HOLDS_OWN;
    return holds == 0 ? GRAVEL_RT_HOLDS_MPIS : holds;
}

/* The requests of a call as libgravel has them, and as MPI has them: to each those of the other are null. */
typedef struct {
    int *own;
    MPI_Request *mpis;
    MPI_Status *statuses;
    int *indices;
    int few[16];
} gravel_rt_lent;

/* False if there is no memory. */
static inline int gravel_rt_lend(int count, MPI_Request *requests, int holds, int wants_statuses,
                                 gravel_rt_lent *lent) {
    int k, succeeds = 1;
    size_t length = count > 0 ? (size_t)count : 1;
    lent->own = lent->few;
    lent->mpis = NULL;
    lent->statuses = NULL;
    lent->indices = NULL;
    if (sizeof(MPI_Request) == sizeof(int))
        lent->own = (int *)requests;
    else if (length > sizeof lent->few / sizeof lent->few[0])
        lent->own = (int *)malloc(length * sizeof *lent->own);
    if (holds == (GRAVEL_RT_HOLDS_OWN | GRAVEL_RT_HOLDS_MPIS)) {
        lent->mpis = (MPI_Request *)malloc(length * sizeof *lent->mpis);
        lent->indices = (int *)malloc(length * sizeof *lent->indices);
        if (wants_statuses) lent->statuses = (MPI_Status *)malloc(length * sizeof *lent->statuses);
        succeeds = lent->mpis != NULL && lent->indices != NULL && (!wants_statuses || lent->statuses != NULL);
    }
    if (lent->own == NULL) return 0;
    for (k = 0; k < count; k++) {
        if (sizeof(MPI_Request) != sizeof(int)) lent->own[k] = gravel_rt_value_of(requests[k]);
        if (lent->mpis != NULL) lent->mpis[k] = gravel_rt_is_own(requests[k]) ? MPI_REQUEST_NULL : requests[k];
    }
    return succeeds;
}

static inline void gravel_rt_free_lent(gravel_rt_lent *lent) {
    if (sizeof(MPI_Request) != sizeof(int) && lent->own != lent->few) free(lent->own);
    free(lent->mpis);
    free(lent->statuses);
    free(lent->indices);
}

/* Gives both back to the program. */
static inline void gravel_rt_return(int count, MPI_Request *requests, gravel_rt_lent *lent) {
    int k;
    for (k = 0; k < count && (lent->mpis != NULL || sizeof(MPI_Request) != sizeof(int)); k++) {
        if (sizeof(MPI_Request) != sizeof(int) && lent->own != NULL && gravel_rt_is_own(requests[k]))
            requests[k] = gravel_rt_request_of(lent->own[k]);
        else if (lent->mpis != NULL && !gravel_rt_is_own(requests[k]) && requests[k] != MPI_REQUEST_NULL)
            requests[k] = lent->mpis[k];
    }
    gravel_rt_free_lent(lent);
}

/* ---- callbacks: what libgravel needs of MPI */

/* Waits for a collective call of MPI. Where ranks outnumber processors, a blocking call would keep the processor from those
 * that it waits for, and take a time slice of each of them. */
static inline int gravel_rt_complete(MPI_Request *request) {
    int done = 0, in_vain, error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    for (in_vain = 0; error == MPI_SUCCESS && !done; in_vain += in_vain < INT16_MAX) {
        gravel_rt_pause(in_vain);
        error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return error;
}

static inline int gravel_rt_all_gather(const void *mine, void *all, int bytes) {
    MPI_Request request;
    int error = MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, gravel_rt_duplicate_comm(), &request);
    return error == MPI_SUCCESS ? gravel_rt_complete(&request) : error;
}

/* A probe that finds nothing makes MPI look at all its connections. Nobody sends on the duplicate; a probe of
 * MPI_COMM_SELF would be answered by MPICH without looking further. */
static inline void gravel_rt_mpi_progress(void) {
    int found;
    MPI_Comm duplicate = gravel_rt_duplicate_comm();
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, duplicate, &found, MPI_STATUS_IGNORE);
}

static inline MPI_Request *gravel_rt_barrier_request(void) {
    static MPI_Request request = MPI_REQUEST_NULL;
    return &request;
}

static inline int gravel_rt_begin_barrier(void) {
    return MPI_Ibarrier(gravel_rt_duplicate_comm(), gravel_rt_barrier_request());
}

static inline int gravel_rt_test_barrier(int *done) {
    return MPI_Test(gravel_rt_barrier_request(), done, MPI_STATUS_IGNORE);
}

/* ---- attributes: how libgravel hears that a communicator or datatype is freed, before MPI uses its handle again */

enum gravel_rt_attribute {
    GRAVEL_RT_COMMUNICATOR_ATTRIBUTE = 0,
    GRAVEL_RT_DATATYPE_ATTRIBUTE = 1,
    GRAVEL_RT_MPI_ATTRIBUTE = 4 /* 2 and 3 are Fortran's */
};

static inline int gravel_rt_communicator_freed(MPI_Comm comm, int attribute_key, void *value, void *extra) {
    (void)comm, (void)attribute_key, (void)extra;
    gravel_rt_detach((int64_t)(intptr_t)value);
    return MPI_SUCCESS;
}

static inline int gravel_rt_datatype_freed(MPI_Datatype datatype, int attribute_key, void *value, void *extra) {
    (void)datatype, (void)attribute_key, (void)extra;
    gravel_rt_forget_datatype((int64_t)(intptr_t)value);
    return MPI_SUCCESS;
}

static inline int gravel_rt_watch_communicator(MPI_Comm comm, int64_t key) {
    int error = MPI_SUCCESS, attribute_key = gravel_rt_attribute_key(GRAVEL_RT_COMMUNICATOR_ATTRIBUTE, MPI_KEYVAL_INVALID);
    if (attribute_key == MPI_KEYVAL_INVALID) {
        /* Not copied: a duplicate of an attached communicator is not attached. */
        error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gravel_rt_communicator_freed, &attribute_key, NULL);
        if (error == MPI_SUCCESS) gravel_rt_keep_attribute_key(GRAVEL_RT_COMMUNICATOR_ATTRIBUTE, attribute_key);
    }
    if (error == MPI_SUCCESS) error = MPI_Comm_set_attr(comm, attribute_key, (void *)(intptr_t)key);
    return error;
}

static inline int gravel_rt_watch_datatype(int datatype, int64_t key) {
    int error = MPI_SUCCESS, attribute_key = gravel_rt_attribute_key(GRAVEL_RT_DATATYPE_ATTRIBUTE, MPI_KEYVAL_INVALID);
    if (attribute_key == MPI_KEYVAL_INVALID) {
        error = MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, gravel_rt_datatype_freed, &attribute_key, NULL);
        if (error == MPI_SUCCESS) gravel_rt_keep_attribute_key(GRAVEL_RT_DATATYPE_ATTRIBUTE, attribute_key);
    }
    if (error == MPI_SUCCESS)
        error = MPI_Type_set_attr(MPI_Type_f2c((MPI_Fint)datatype), attribute_key, (void *)(intptr_t)key);
    return error;
}

static inline int gravel_rt_end(void);

static inline int gravel_rt_mpi_freed(MPI_Comm comm, int attribute_key, void *value, void *extra) {
    (void)comm, (void)attribute_key, (void)value, (void)extra;
    if (gravel_rt_is_running()) gravel_rt_end();
    gravel_rt_mpi_ends();
    return MPI_SUCCESS;
}

/* MPI_Finalize first of all deletes the attributes of MPI_COMM_SELF (MPI 4.0, section 11.2.4), while MPI can still be called: if
 * the program has not called gravel_finalize, that is done there. Calls of Gravel are refused from then on. */
static inline int gravel_rt_watch_mpi(void) {
    int attribute_key, error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gravel_rt_mpi_freed, &attribute_key, NULL);
    if (error != MPI_SUCCESS) return error;
    gravel_rt_keep_attribute_key(GRAVEL_RT_MPI_ATTRIBUTE, attribute_key);
    return MPI_Comm_set_attr(MPI_COMM_SELF, attribute_key, NULL);
}

/* Attributes that are still there keep what they need of their key. */
static inline void gravel_rt_free_attribute_keys(void) {
    int which, attribute_key;
    for (which = 0; which <= GRAVEL_RT_MPI_ATTRIBUTE; which++) {
        attribute_key = gravel_rt_drop_attribute_key(which, MPI_KEYVAL_INVALID);
        if (attribute_key == MPI_KEYVAL_INVALID) continue;
        if (which % 2 == GRAVEL_RT_COMMUNICATOR_ATTRIBUTE)
            MPI_Comm_free_keyval(&attribute_key);
        else
            MPI_Type_free_keyval(&attribute_key);
    }
}

/* ---- datatypes: what libgravel asks about them */

static inline int gravel_rt_combiner_of(int combiner) {
    switch (combiner) {
    case MPI_COMBINER_NAMED: return GRAVEL_RT_COMBINER_NAMED;
    case MPI_COMBINER_DUP: return GRAVEL_RT_COMBINER_DUP;
    case MPI_COMBINER_CONTIGUOUS: return GRAVEL_RT_COMBINER_CONTIGUOUS;
    case MPI_COMBINER_VECTOR: return GRAVEL_RT_COMBINER_VECTOR;
    case MPI_COMBINER_HVECTOR: return GRAVEL_RT_COMBINER_HVECTOR;
    case MPI_COMBINER_INDEXED: return GRAVEL_RT_COMBINER_INDEXED;
    case MPI_COMBINER_HINDEXED: return GRAVEL_RT_COMBINER_HINDEXED;
    case MPI_COMBINER_INDEXED_BLOCK: return GRAVEL_RT_COMBINER_INDEXED_BLOCK;
    case MPI_COMBINER_HINDEXED_BLOCK: return GRAVEL_RT_COMBINER_HINDEXED_BLOCK;
    case MPI_COMBINER_STRUCT: return GRAVEL_RT_COMBINER_STRUCT;
    case MPI_COMBINER_SUBARRAY: return GRAVEL_RT_COMBINER_SUBARRAY;
    case MPI_COMBINER_DARRAY: return GRAVEL_RT_COMBINER_DARRAY;
    case MPI_COMBINER_RESIZED: return GRAVEL_RT_COMBINER_RESIZED;
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER: return GRAVEL_RT_COMBINER_F90;
    default: return GRAVEL_RT_COMBINER_OTHER;
    }
}

static inline int gravel_rt_describe_datatype(int handle, struct gravel_rt_datatype_facts *facts) {
    MPI_Datatype datatype = MPI_Type_f2c((MPI_Fint)handle);
    MPI_Count size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
    int combiner;
    int error = MPI_Type_get_envelope(datatype, &facts->integers, &facts->addresses, &facts->datatypes, &combiner);
    if (error == MPI_SUCCESS) error = MPI_Type_size_x(datatype, &size);
    if (error == MPI_SUCCESS) error = MPI_Type_get_extent_x(datatype, &lower_bound, &extent);
    if (error == MPI_SUCCESS) error = MPI_Type_get_true_extent_x(datatype, &true_lower_bound, &true_extent);
    if (error != MPI_SUCCESS) return error;
    facts->combiner = gravel_rt_combiner_of(combiner);
    facts->size = (int64_t)size;
    facts->extent = (int64_t)extent;
    facts->true_lower_bound = (int64_t)true_lower_bound;
    facts->true_extent = (int64_t)true_extent;
    return MPI_SUCCESS;
}

static inline int gravel_rt_datatype_contents(int handle, const struct gravel_rt_datatype_facts *facts, int *integers,
                                              int64_t *addresses, int *datatypes) {
    int k, order, error = MPI_ERR_NO_MEM;
    /* One more than needed: what malloc(0) returns is up to it. */
    MPI_Aint *own_addresses = (MPI_Aint *)malloc(((size_t)facts->addresses + 1) * sizeof *own_addresses);
    MPI_Datatype *own_datatypes = (MPI_Datatype *)malloc(((size_t)facts->datatypes + 1) * sizeof *own_datatypes);
    if (own_addresses != NULL && own_datatypes != NULL)
        error = MPI_Type_get_contents(MPI_Type_f2c((MPI_Fint)handle), facts->integers, facts->addresses,
                                      facts->datatypes, integers, own_addresses, own_datatypes);
    if (error == MPI_SUCCESS) {
        for (k = 0; k < facts->addresses; k++) addresses[k] = (int64_t)own_addresses[k];
        for (k = 0; k < facts->datatypes; k++) datatypes[k] = (int)MPI_Type_c2f(own_datatypes[k]);
        /* Constants, which each MPI numbers as it likes: the last integer, and the distribution of each dimension. */
        if ((facts->combiner == GRAVEL_RT_COMBINER_SUBARRAY || facts->combiner == GRAVEL_RT_COMBINER_DARRAY) &&
            facts->integers > 0) {
            order = integers[facts->integers - 1];
            integers[facts->integers - 1] = order == MPI_ORDER_C ? 0 : order == MPI_ORDER_FORTRAN ? 1 : -1;
        }
        if (facts->combiner == GRAVEL_RT_COMBINER_DARRAY && facts->integers > 2) {
            for (k = 3 + integers[2]; k < 3 + 2 * integers[2] && k < facts->integers; k++) {
                integers[k] = integers[k] == MPI_DISTRIBUTE_CYCLIC ? 1 : integers[k] == MPI_DISTRIBUTE_NONE ? 2 : 0;
            }
        }
    }
    free(own_addresses);
    free(own_datatypes);
    return error;
}

static inline int gravel_rt_release_datatype(int handle) {
    MPI_Datatype datatype = MPI_Type_f2c((MPI_Fint)handle);
    return MPI_Type_free(&datatype);
}

static inline int gravel_rt_name_datatype(int handle, char *name, int capacity) {
    char own_name[MPI_MAX_OBJECT_NAME];
    int length, error = MPI_Type_get_name(MPI_Type_f2c((MPI_Fint)handle), own_name, &length);
    if (error != MPI_SUCCESS) return error;
    if (length > capacity - 1) length = capacity - 1;
    memcpy(name, own_name, (size_t)length);
    name[length] = '\0';
    return MPI_SUCCESS;
}

static inline int gravel_rt_offer_datatypes(void) {
    struct gravel_rt_datatype_callbacks callbacks;
    callbacks.describe = gravel_rt_describe_datatype;
    callbacks.contents = gravel_rt_datatype_contents;
    callbacks.release = gravel_rt_release_datatype;
    callbacks.name = gravel_rt_name_datatype;
    callbacks.watch = gravel_rt_watch_datatype;
    return gravel_rt_use_datatypes(&callbacks);
}

/* ---- init, attach, finalize */

/* Whether a handle of this MPI could be taken for a request of Gravel. A few requests are looked at, of each kind that there is
 * without a message, and the null handles. */
static inline int gravel_rt_requests_meet(void) {
    MPI_Request requests[4];
    char byte = 0;
    int k, meet, error;
    meet = gravel_rt_is_own(MPI_REQUEST_NULL) || gravel_rt_is_own_value((int)MPI_Request_c2f(MPI_REQUEST_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Comm_c2f(MPI_COMM_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Group_c2f(MPI_GROUP_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Type_c2f(MPI_DATATYPE_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Op_c2f(MPI_OP_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Errhandler_c2f(MPI_ERRHANDLER_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Info_c2f(MPI_INFO_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Message_c2f(MPI_MESSAGE_NULL)) ||
           gravel_rt_is_own_value((int)MPI_Win_c2f(MPI_WIN_NULL));
    for (k = 0; k < 4; k++) requests[k] = MPI_REQUEST_NULL;
    error = MPI_Recv_init(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[0]);
    if (error == MPI_SUCCESS) error = MPI_Send_init(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[1]);
    if (error == MPI_SUCCESS) error = MPI_Irecv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[2]);
    if (error == MPI_SUCCESS) MPI_Isend(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[3]);
    for (k = 0; k < 4; k++) {
        if (requests[k] == MPI_REQUEST_NULL) continue;
        if (gravel_rt_is_own(requests[k]) || gravel_rt_is_own_value((int)MPI_Request_c2f(requests[k])))
            meet = 1;
        else if (k < 2)
            MPI_Request_free(&requests[k]);
        else
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    }
    return meet;
}

/* All: begins, right after MPI_Init. Ranks exchange their cards, open shared memory, probe whether they may read one
 * another's memory (CMA), and connect the rest by RDMA or TCP. All ranks succeed or all fail. Collective, over comm. */
static inline int gravel_init(MPI_Comm comm) {
    struct gravel_rt_callbacks callbacks;
    MPI_Comm duplicate;
    MPI_Request duplicating;
    int is_inter, code, error;
    if (!gravel_rt_is_mpi_there())
        return gravel_rt_conclude(gravel_rt_report("gravel_init", GRAVEL_RT_WITHOUT_MPI), comm);
    if (gravel_rt_requests_meet())
        return gravel_rt_conclude(gravel_rt_report("gravel_init", GRAVEL_RT_REQUESTS_MEET), comm);
    error = MPI_Comm_test_inter(comm, &is_inter);
    if (error == MPI_SUCCESS && is_inter)
        return gravel_rt_conclude(gravel_rt_report("gravel_init", GRAVEL_RT_INTERCOMMUNICATOR), comm);
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(comm, &callbacks.rank);
    if (error == MPI_SUCCESS) error = MPI_Comm_size(comm, &callbacks.ranks);
    if (error == MPI_SUCCESS) error = MPI_Comm_idup(comm, &duplicate, &duplicating);
    if (error == MPI_SUCCESS) error = gravel_rt_complete(&duplicating);
    /* A failed MPI call has been to the error handler already. */
    if (error != MPI_SUCCESS) return error;
    callbacks.size = sizeof callbacks;
    callbacks.all_gather = gravel_rt_all_gather;
    callbacks.progress = gravel_rt_mpi_progress;
    callbacks.begin_barrier = gravel_rt_begin_barrier;
    callbacks.test_barrier = gravel_rt_test_barrier;
    callbacks.communicator = (int)MPI_Comm_c2f(comm);
    callbacks.constants.proc_null = MPI_PROC_NULL;
    callbacks.constants.any_source = MPI_ANY_SOURCE;
    callbacks.constants.any_tag = MPI_ANY_TAG;
    callbacks.request_null = (int)MPI_Request_c2f(MPI_REQUEST_NULL);
    gravel_rt_keep_communicators(callbacks.communicator, (int)MPI_Comm_c2f(duplicate));
    code = gravel_rt_init(&callbacks);
    if (code != GRAVEL_RT_SUCCESS) {
        gravel_rt_drop_communicators();
        MPI_Comm_free(&duplicate);
        return gravel_rt_conclude(code, comm);
    }
    error = gravel_rt_watch_communicator(comm, gravel_rt_communicator_key(callbacks.communicator));
    if (error == MPI_SUCCESS) error = gravel_rt_watch_mpi();
    if (error != MPI_SUCCESS) return error;
    return gravel_rt_conclude(gravel_rt_offer_datatypes(), comm);
}

/* All: right after gravel_init: the program may go on after errors, as it has set MPI_ERRORS_RETURN or will. Then
 * only the receiver hears of a message that is too long, as with MPI. Never blocks. */
static inline void gravel_errors_return(void) { gravel_rt_errors_return(); }

/* For each rank of comm, its rank in gravel_init's communicator, or -1. To be freed by the caller; NULL if that can't be
 * found out. */
static inline int *gravel_rt_members_of(MPI_Comm comm, int size) {
    MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int k, error = MPI_ERR_NO_MEM;
    int *members = (int *)malloc((size_t)size * sizeof *members);
    int *ranks = (int *)malloc((size_t)size * sizeof *ranks);
    if (members != NULL && ranks != NULL) {
        for (k = 0; k < size; k++) ranks[k] = k;
        error = MPI_Comm_group(comm, &group);
        if (error == MPI_SUCCESS) error = MPI_Comm_group(gravel_rt_duplicate_comm(), &all);
        if (error == MPI_SUCCESS) error = MPI_Group_translate_ranks(group, size, ranks, all, members);
        if (group != MPI_GROUP_NULL) MPI_Group_free(&group);
        if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
    }
    free(ranks);
    if (error != MPI_SUCCESS) {
        free(members);
        return NULL;
    }
    for (k = 0; k < size; k++)
        if (members[k] == MPI_UNDEFINED) members[k] = -1;
    return members;
}

/* All: agrees on a number for comm, after it was made and before the first message on it: all its processes must
 * have called gravel_init with one communicator. Does nothing for MPI_COMM_NULL, for an intercommunicator, whose
 * messages stay with MPI, and for a communicator that is attached already. MPI_Comm_free ends it; what was posted
 * before completes as usual. Collective, over comm. */
static inline int gravel_attach(MPI_Comm comm) {
    struct gravel_rt_group group;
    int *members, member;
    int64_t proposal, agreed, key;
    MPI_Request agreeing;
    int is_inter, code, error;
    if (comm == MPI_COMM_NULL) return MPI_SUCCESS;
    if (!gravel_rt_is_mpi_there())
        return gravel_rt_conclude(gravel_rt_report("gravel_attach", GRAVEL_RT_WITHOUT_MPI), comm);
    error = MPI_Comm_test_inter(comm, &is_inter);
    /* Its messages are MPI's. */
    if (error == MPI_SUCCESS && is_inter) return MPI_SUCCESS;
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(comm, &group.rank);
    if (error == MPI_SUCCESS) error = MPI_Comm_size(comm, &group.size);
    if (error != MPI_SUCCESS) return error;
    group.communicator = (int)MPI_Comm_c2f(comm);
    if (gravel_rt_communicator_key(group.communicator) != 0) return MPI_SUCCESS;
    members = gravel_rt_members_of(comm, group.size);
    group.members = members;
    /* Some of its processes run without this Gravel, and may not come here: its messages are MPI's, on all ranks that do. */
    for (member = 0; member < group.size; member++) {
        if (members[member] < 0) {
            free(members);
            return MPI_SUCCESS;
        }
    }
    proposal = gravel_rt_propose(&group);
    error = MPI_Iallreduce(&proposal, &agreed, 1, MPI_INT64_T, MPI_MAX, comm, &agreeing);
    if (error == MPI_SUCCESS) error = gravel_rt_complete(&agreeing);
    if (error != MPI_SUCCESS) {
        free(members);
        return error;
    }
    code = gravel_rt_attach(&group, agreed, &key);
    free(members);
    if (code != GRAVEL_RT_SUCCESS) return gravel_rt_conclude(code, comm);
    error = gravel_rt_watch_communicator(comm, key);
    if (error != MPI_SUCCESS) gravel_rt_detach(key);
    return error;
}

/* Forgets the copies whose sends by MPI are over; waits for all of them, if that is wanted. */
static inline void gravel_rt_see_to_copies(int waits) {
    int64_t position = 0;
    int handle;
    while (gravel_rt_is_running() && gravel_rt_copy(position, &handle)) {
        MPI_Request request = MPI_Request_f2c((MPI_Fint)handle);
        int done = 1, error = waits ? gravel_rt_complete(&request) : MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done || error != MPI_SUCCESS)
            gravel_rt_drop_copy(position);
        else
            position++;
    }
}

/* Ends the runtime, while MPI can be called. */
static inline int gravel_rt_end(void) {
    MPI_Comm attached, duplicate;
    int code;
    attached = gravel_rt_attached_comm();
    duplicate = gravel_rt_duplicate_comm();
    gravel_rt_see_to_copies(1);
    code = gravel_rt_finalize();
    if (code != GRAVEL_RT_SUCCESS) return gravel_rt_conclude(code, attached);
    gravel_rt_free_attribute_keys();
    gravel_rt_drop_communicators();
    return MPI_Comm_free(&duplicate);
}

/* All: ends, right before MPI_Finalize, which does it where the program has not: what is under way leaves, requests that
 * were lost are reported, adopted static pages become private again. A rank that has died before is missed. Collective. */
static inline int gravel_finalize(void) {
    if (!gravel_rt_is_mpi_there())
        return gravel_rt_conclude(gravel_rt_report("gravel_finalize", GRAVEL_RT_WITHOUT_MPI), MPI_COMM_WORLD);
    return gravel_rt_end();
}

/* ---- messages
 *
 * Of any committed datatype but those above (MPI_ERR_TYPE), which may be freed as soon as the call has returned. A message of
 * a datatype with gaps is packed when it is posted, or ended by gravel_send_fin, and unpacked in the wait or test that
 * completes its receive; its parts come all at once, and what lies in the gaps is left alone. With MPI_BOTTOM for the buffer, the
 * datatype must hold addresses. */

/* What is called of MPI where the communicator is not attached. */
enum gravel_rt_mpi_call {
    GRAVEL_RT_MPI_ISEND = 1,
    GRAVEL_RT_MPI_ISSEND = 2,
    GRAVEL_RT_MPI_ISEND_COPY = 3,
    GRAVEL_RT_MPI_IRECV = 4,
    GRAVEL_RT_MPI_SEND_INIT = 5,
    GRAVEL_RT_MPI_SSEND_INIT = 6,
    GRAVEL_RT_MPI_RECV_INIT = 7,
    GRAVEL_RT_MPI_IBSEND = 8,
    GRAVEL_RT_MPI_BSEND_INIT = 9
};

/* Sends a copy, which is kept until that is over: the program has nothing to wait for. */
static inline int gravel_rt_mpi_isend_copy(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                           MPI_Comm comm, MPI_Request *request) {
    MPI_Request sending = MPI_REQUEST_NULL;
    void *copy;
    int bytes = 0, position = 0, error = MPI_Pack_size(count, datatype, comm, &bytes);
    if (error != MPI_SUCCESS) return error;
    gravel_rt_see_to_copies(0);
    copy = gravel_rt_new_copy(bytes);
    if (copy == NULL) return gravel_rt_conclude(GRAVEL_RT_OTHER, comm);
    error = MPI_Pack(buffer, count, datatype, copy, bytes, &position, comm);
    if (error == MPI_SUCCESS) error = MPI_Isend(copy, position, MPI_PACKED, dest, tag, comm, &sending);
    gravel_rt_keep_copy((int)MPI_Request_c2f(sending));
    if (error == MPI_SUCCESS) *request = gravel_rt_request_of(0x3c000000);
    return error;
}

static inline int gravel_rt_call_mpi(enum gravel_rt_mpi_call call, void *buffer, int count, MPI_Datatype datatype,
                                     int rank, int tag, MPI_Comm comm, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    switch (call) {
    case GRAVEL_RT_MPI_ISEND: return MPI_Isend(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_ISSEND: return MPI_Issend(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_ISEND_COPY: return gravel_rt_mpi_isend_copy(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_IRECV: return MPI_Irecv(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_SEND_INIT: return MPI_Send_init(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_SSEND_INIT: return MPI_Ssend_init(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_IBSEND: return MPI_Ibsend(buffer, count, datatype, rank, tag, comm, request);
    case GRAVEL_RT_MPI_BSEND_INIT: return MPI_Bsend_init(buffer, count, datatype, rank, tag, comm, request);
    default: return MPI_Recv_init(buffer, count, datatype, rank, tag, comm, request);
    }
}

/* A call of libgravel that posts a message or a receive, or opens a transfer. */
typedef int (*gravel_rt_post)(const struct gravel_rt_message *, const struct gravel_rt_envelope *, int *);

static inline int gravel_rt_begin(gravel_rt_post post, enum gravel_rt_mpi_call otherwise, void *buffer, int count,
                                  MPI_Datatype datatype, int rank, int tag, MPI_Comm comm, MPI_Request *request) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(rank, tag, comm);
    int code = gravel_rt_describe_message(buffer, count, datatype, comm, &message), value = 0;
    if (code == GRAVEL_RT_SUCCESS) code = post(&message, &envelope, &value);
    if (code == GRAVEL_RT_LEFT_TO_MPI)
        return gravel_rt_call_mpi(otherwise, buffer, count, datatype, rank, tag, comm, request);
    *request = gravel_rt_request_of(value);
    return gravel_rt_conclude(code, comm);
}

static inline int gravel_rt_open(gravel_rt_post open, int is_synchronous, const void *buffer, int count,
                                 MPI_Datatype datatype, int rank, int tag, MPI_Comm comm, gravel_transfer *transfer) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(rank, tag, comm);
    int code = gravel_rt_describe_message(buffer, count, datatype, comm, &message);
    *transfer = GRAVEL_TRANSFER_NULL;
    if (code == GRAVEL_RT_SUCCESS) code = open(&message, &envelope, transfer);
    if (code == GRAVEL_RT_LEFT_TO_MPI) {
        /* The program may free its own before the message is ended. */
        MPI_Datatype kept;
        int error = MPI_Type_dup(datatype, &kept);
        if (error != MPI_SUCCESS) return error;
        code = gravel_rt_remember(&message, &envelope, (int)MPI_Type_c2f(kept), is_synchronous, transfer);
        if (code != GRAVEL_RT_SUCCESS) MPI_Type_free(&kept);
    }
    return gravel_rt_conclude(code, comm);
}

/* Consumer: registers the buffer and sends the handshake. Above 8 KiB the pages that lie wholly in the buffer are
 * adopted, those of the heap if it comes back. Never blocks. */
static inline int gravel_post_rcv_buffer_rdma(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                                              MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_rcv_buffer_rdma, GRAVEL_RT_MPI_IRECV, buffer, count, datatype, source, tag,
                           comm, request);
}

/* Producer: opens the transfer of the next message to (dest, tag, comm). Does not block. */
static inline int gravel_wait_rcv_buffer(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                         MPI_Comm comm, gravel_transfer *transfer) {
    return gravel_rt_open(gravel_rt_wait_rcv_buffer, 0, buffer, count, datatype, dest, tag, comm, transfer);
}

/* Both: iterations per tile of a loop of that many iterations that fills the message of a transfer: at least 1, and
 * a multiple of the last argument unless it is all of them: 64 where the loop is the innermost one, which compilers
 * vectorise, else 1. One tile below 128 KiB, and where elements and datatype differ in size or the datatype has
 * gaps. Does not block. */
static inline int64_t gravel_tile(gravel_transfer transfer, int64_t iterations, int64_t multiple) {
    int64_t tile = gravel_rt_tile(transfer, iterations, multiple);
    /* A message that has no say, because nothing is gained by tiles, takes all iterations as one. */
    if (tile > 0) return tile;
    return iterations > 0 ? iterations : 1;
}

/* Consumer: as gravel_tile, of a loop that reads the message of gravel_post_rcv_segments. All iterations are one tile
 * where the message has come, where its parts do not come apart, as by shared memory, and where MPI carries it. Does
 * not block. */
static inline int64_t gravel_tile_of_request(gravel_request request, int64_t iterations, int64_t multiple) {
    return gravel_tile(gravel_rt_is_own(request) ? gravel_rt_value_of(request) : 0, iterations, multiple);
}

/* Both: whether the program, which has begun an exchange, should do what needs nothing of it before it ends it. The place is any
 * text that tells this one from others. Both ways are tried at each place, and timed from one time there to the next; the
 * faster one is kept, and compared again from time to time. Each rank decides for itself. Does not block. */
static inline int gravel_worth_overlapping(const char *place) {
    return gravel_rt_worth_overlapping(place, (int64_t)strlen(place));
}

/* Producer: puts elements offset .. offset + count - 1 of the message; buffer is its first element again. Before the
 * handshake has come it is queued by reference. Does not block. */
static inline int gravel_post_os_put(gravel_transfer transfer, const void *buffer, int64_t offset, int64_t count) {
    return gravel_rt_conclude_operation(gravel_rt_post_os_put(transfer, buffer, offset, count));
}

/* Sends the message of a transfer that MPI carries. */
static inline int gravel_rt_send_remembered(gravel_transfer *transfer, gravel_request *request) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope;
    int datatype, is_synchronous, error;
    int code = gravel_rt_end_remembered(transfer, &message, &envelope, &datatype, &is_synchronous);
    MPI_Datatype kept;
    *request = MPI_REQUEST_NULL;
    if (code != GRAVEL_RT_SUCCESS) return gravel_rt_conclude_operation(code);
    kept = MPI_Type_f2c((MPI_Fint)datatype);
    error = gravel_rt_call_mpi(is_synchronous ? GRAVEL_RT_MPI_ISSEND : GRAVEL_RT_MPI_ISEND, message.address,
                               (int)message.count, kept, envelope.rank, envelope.tag,
                               MPI_Comm_f2c((MPI_Fint)envelope.communicator), request);
    MPI_Type_free(&kept);
    return error;
}

/* Makes MPI's calls for the exchanges of a communicator of which both halves are here. */
static inline int gravel_rt_exchange_by_mpi(MPI_Comm comm) {
    struct gravel_rt_half send, receive;
    int handle = (int)MPI_Comm_c2f(comm), error = MPI_SUCCESS;
    while (gravel_rt_next_exchange(handle, &send, &receive)) {
        MPI_Datatype sent = MPI_Type_f2c((MPI_Fint)send.datatype), received = MPI_Type_f2c((MPI_Fint)receive.datatype);
        const int *send_counts = (const int *)send.counts, *counts = (const int *)receive.counts;
        int own_error;
        if (send.places == NULL)
            own_error = MPI_Alltoall(send.address, *send_counts, sent, receive.address, *counts, received, comm);
        else
            own_error = MPI_Alltoallv(send.address, send_counts, (const int *)send.places, sent, receive.address, counts,
                                      (const int *)receive.places, received, comm);
        gravel_rt_end_exchange(handle);
        MPI_Type_free(&sent);
        MPI_Type_free(&received);
        if (error == MPI_SUCCESS) error = own_error;
    }
    return error;
}

/* Producer: ends the message. transfer becomes null, request is what to wait for. Whether its wait hears that the
 * message is too long: as with gravel_post_send. Does not block. */
static inline int gravel_send_fin(gravel_transfer *transfer, gravel_request *request) {
    int value = 0, communicator, code = gravel_rt_send_fin(transfer, &value);
    if (code == GRAVEL_RT_LEFT_TO_MPI) {
        if (!gravel_rt_end_half(transfer, &value, &communicator)) return gravel_rt_send_remembered(transfer, request);
        *request = gravel_rt_request_of(value);
        return gravel_rt_exchange_by_mpi(MPI_Comm_f2c((MPI_Fint)communicator));
    }
    *request = gravel_rt_request_of(value);
    return gravel_rt_conclude_operation(code);
}

/* Producer: a whole message at once. Of a message that is longer than its receive the wait hears unless the send has
 * completed before (see MPI_ERR_TRUNCATE at the head of gravel.h). Does not block. */
static inline int gravel_post_send(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                   MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_send, GRAVEL_RT_MPI_ISEND, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Whether a call that completes an operation has told what it was: also of a message that was too long. */
static inline int gravel_rt_tells(int code) { return code == GRAVEL_RT_SUCCESS || code == GRAVEL_RT_TRUNCATED; }

/* What MPI would have put into the status, which may be MPI_STATUS_IGNORE. MPI_ERROR is not touched. */
static inline void gravel_rt_fill_status(const struct gravel_rt_completion *completion, MPI_Status *status) {
    if (status == MPI_STATUS_IGNORE) return;
    /* In bytes: MPI_Get_count with any datatype then gives its number of elements. */
    MPI_Status_set_elements_x(status, MPI_BYTE, completion->kind == 2 ? (MPI_Count)completion->bytes : 0);
    MPI_Status_set_cancelled(status, completion->kind == 3);
    status->MPI_SOURCE = completion->kind == 2   ? completion->source
                         : completion->kind == 1 ? MPI_PROC_NULL
                                                 : MPI_ANY_SOURCE;
    status->MPI_TAG = completion->kind == 2 ? completion->tag : MPI_ANY_TAG;
}

/* Both: waits for a request, which becomes null, or inactive if it is persistent. status may be MPI_STATUS_IGNORE.
 * Blocks, but for a send of up to max(64 KiB, GRAVEL_EAGER_LIMIT) that is not synchronous. */
static inline int gravel_wait_request(gravel_request *request, MPI_Status *status) {
    struct gravel_rt_completion completion;
    int value, code;
    if (gravel_rt_is_mpis(*request)) return MPI_Wait(request, status);
    value = gravel_rt_value_of(*request);
    code = gravel_rt_wait(&value, &completion);
    *request = gravel_rt_request_of(value);
    if (gravel_rt_tells(code)) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude_operation(code);
}

/* Both: as gravel_wait_request. buffer only names the memory. Blocks, as gravel_wait_request. */
static inline int gravel_wait(gravel_request *request, const void *buffer, MPI_Status *status) {
    (void)buffer;
    return gravel_wait_request(request, status);
}

/* As MPI's calls that complete several requests do it: an error in a status, but only where such a call fails. */
static inline void gravel_rt_say_in_status(int error, MPI_Status *status) {
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
}

/* Puts MPI's statuses among Gravel's: statuses[places[k]] gets from[k]. own_error and mpis_error are those of both; what is
 * returned is the error of the call. */
static inline int gravel_rt_merge_statuses(int own_error, int mpis_error, int number, const int *places,
                                           const MPI_Status *from, MPI_Status *statuses) {
    int k, class_of_error = MPI_SUCCESS;
    if (mpis_error != MPI_SUCCESS) MPI_Error_class(mpis_error, &class_of_error);
    for (k = 0; k < number; k++) {
        MPI_Status *status = &statuses[places[k]];
        int before = own_error == MPI_SUCCESS ? status->MPI_ERROR : MPI_SUCCESS;
        *status = from[k];
        if (class_of_error != MPI_ERR_IN_STATUS) status->MPI_ERROR = before;
    }
    return mpis_error != MPI_SUCCESS ? mpis_error : own_error;
}

/* Both: waits for all requests, which become null. statuses may be MPI_STATUSES_IGNORE. Every request is waited for,
 * also where others fail; then MPI_ERR_IN_STATUS is returned, and each status says in its MPI_ERROR how it went.
 * Without statuses it is MPI's error, or the first one. Blocks, as gravel_wait_request. */
static inline int gravel_waitall(int count, gravel_request *requests, MPI_Status *statuses) {
    int k, j, holds = gravel_rt_holds(count, requests), error = MPI_SUCCESS, mpis_error, number = 0;
    int is_mixed = holds == (GRAVEL_RT_HOLDS_OWN | GRAVEL_RT_HOLDS_MPIS), stores = statuses != MPI_STATUSES_IGNORE;
    gravel_rt_lent lent;
    if (holds == GRAVEL_RT_HOLDS_MPIS) return MPI_Waitall(count, requests, statuses);
    lent.mpis = NULL, lent.statuses = NULL, lent.indices = NULL;
    if (is_mixed && !gravel_rt_lend(count, requests, holds, stores, &lent)) {
        gravel_rt_return(count, requests, &lent);
        return gravel_rt_conclude_operation(GRAVEL_RT_OTHER);
    }
    for (k = 0; k < count; k++) {
        int own_error;
        /* Null ones among both are MPI's. */
        if (is_mixed && !gravel_rt_is_own(requests[k])) {
            lent.mpis[number] = requests[k];
            lent.indices[number++] = k;
            continue;
        }
        own_error = gravel_wait_request(&requests[k], stores ? &statuses[k] : MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS && own_error != MPI_SUCCESS) {
            error = own_error;
            for (j = 0; j < count && stores; j++) gravel_rt_say_in_status(MPI_SUCCESS, &statuses[j]);
        }
        if (error != MPI_SUCCESS && stores) gravel_rt_say_in_status(own_error, &statuses[k]);
    }
    if (error != MPI_SUCCESS && stores) error = MPI_ERR_IN_STATUS;
    if (!is_mixed) return error;
    mpis_error = MPI_Waitall(number, lent.mpis, stores ? lent.statuses : MPI_STATUSES_IGNORE);
    for (k = 0; k < number; k++) requests[lent.indices[k]] = lent.mpis[k];
    if (stores && mpis_error != MPI_SUCCESS && error == MPI_SUCCESS) {
        for (k = 0; k < count; k++) gravel_rt_say_in_status(MPI_SUCCESS, &statuses[k]);
    }
    if (stores)
        error = gravel_rt_merge_statuses(error, mpis_error, number, lent.indices, lent.statuses, statuses);
    else if (mpis_error != MPI_SUCCESS)
        error = mpis_error;
    gravel_rt_free_lent(&lent);
    return error;
}

/* Both: as MPI_F_sync_reg: only names a buffer to the compiler. One of C knows that a call, such as a wait, may use
 * any memory whose address has left the function, so nothing is left to do there. Never blocks. */
static inline void gravel_f_sync_reg(const void *buffer) {
    (void)buffer;
}

/* ---- the producer-initiated protocols
 *
 * The producer announces its message and the consumer matches it, which makes wildcards possible. All messages of one
 * (peer, communicator, tag) use either these calls, or gravel_post_rcv_buffer_rdma with gravel_wait_rcv_buffer and
 * gravel_post_send; a mixture is an error. */

/* Producer: announces a message and opens its transfer; then gravel_post_os_put and gravel_send_fin. Whether its
 * wait hears that the message is too long: as with gravel_post_send. Does not block. */
static inline int gravel_post_snd_request(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                          MPI_Comm comm, gravel_transfer *transfer) {
    return gravel_rt_open(gravel_rt_post_snd_request, 0, buffer, count, datatype, dest, tag, comm, transfer);
}

/* Producer: announces a whole message, which the consumer may read from the buffer. Whether its wait hears that the
 * message is too long: as with gravel_post_send. Does not block. */
static inline int gravel_post_snd_buffer_rdma(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                              MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_snd_buffer_rdma, GRAVEL_RT_MPI_ISEND, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: as gravel_post_send, from a copy: the message may be written, or received into, when the call returns.
 * The wait for a longer message than a send may complete with ends when its copy is not needed any more. Where MPI
 * sends the copy, it is kept until MPI has done so: every such post, and gravel_finalize, looks which are not needed
 * any more, so there are as many as receivers are behind, as of eager messages. Does not block. */
static inline int gravel_post_send_copied(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                          MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_send_copied, GRAVEL_RT_MPI_ISEND_COPY, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: as gravel_post_snd_buffer_rdma, from a copy, as gravel_post_send_copied. Does not block. */
static inline int gravel_post_snd_buffer_copied(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                                MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_snd_buffer_copied, GRAVEL_RT_MPI_ISEND_COPY, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Consumer: posts a receive of an announced message; source may be MPI_ANY_SOURCE, tag MPI_ANY_TAG. Does not block. */
static inline int gravel_post_rcv_announced(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                                            MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_rcv_announced, GRAVEL_RT_MPI_IRECV, buffer, count, datatype, source, tag, comm, request);
}

/* Consumer: waits until a message is announced that a receive of this source and tag would take, and says which. It
 * stays: the next gravel_post_rcv_announced with that very source and tag takes it. Blocks. */
static inline int gravel_wait_snd_request(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(source, tag, comm);
    struct gravel_rt_completion completion;
    int code = gravel_rt_wait_snd_request(&envelope, &completion);
    if (code == GRAVEL_RT_LEFT_TO_MPI) return MPI_Probe(source, tag, comm, status);
    if (code == GRAVEL_RT_SUCCESS) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude(code, comm);
}

/* ---- probes: as in MPI (4.0, section 3.8), of announced messages */

/* Consumer: as MPI_Probe. Blocks. */
static inline int gravel_probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    return gravel_wait_snd_request(source, tag, comm, status);
}

/* Consumer: as MPI_Iprobe: sets flag to whether a message has been announced that a receive of this source and tag
 * would take, and says which. Does not block. */
static inline int gravel_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(source, tag, comm);
    struct gravel_rt_completion completion;
    int code = gravel_rt_iprobe(&envelope, flag, &completion);
    if (code == GRAVEL_RT_LEFT_TO_MPI) return MPI_Iprobe(source, tag, comm, flag, status);
    if (code == GRAVEL_RT_SUCCESS && *flag) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude(code, comm);
}

/* A message that a probe has matched is a value of MPI's own type, as a request is. That of MPI_PROC_NULL is MPI's. */
typedef MPI_Message gravel_message;

static inline int gravel_rt_is_own_message(MPI_Message message) {
    if (sizeof(MPI_Message) == sizeof(int)) return gravel_rt_is_own_value((int)(intptr_t)message);
    return (int)((uintptr_t)message & 1u);
}

static inline int gravel_rt_value_of_message(MPI_Message message) {
    if (sizeof(MPI_Message) == sizeof(int)) return (int)(intptr_t)message;
    return gravel_rt_is_own_message(message) ? (int)((uintptr_t)message >> 1) : 0;
}

static inline MPI_Message gravel_rt_message_of(int value) {
    if (!gravel_rt_is_own_value(value)) return MPI_MESSAGE_NO_PROC;
    if (sizeof(MPI_Message) == sizeof(int)) return (MPI_Message)(intptr_t)value;
    return (MPI_Message)(((intptr_t)value << 1) | 1);
}

/* Consumer: as MPI_Mprobe: waits until a message is announced that a receive of this source and tag would take, says
 * which, and takes it: only gravel_mrecv and gravel_imrecv receive it. Blocks. */
static inline int gravel_mprobe(int source, int tag, MPI_Comm comm, gravel_message *message, MPI_Status *status) {
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(source, tag, comm);
    struct gravel_rt_completion completion;
    int found, value, code = gravel_rt_mprobe(1, &envelope, &found, &value, &completion);
    if (code == GRAVEL_RT_LEFT_TO_MPI) return MPI_Mprobe(source, tag, comm, message, status);
    *message = code == GRAVEL_RT_SUCCESS ? gravel_rt_message_of(value) : MPI_MESSAGE_NULL;
    if (code == GRAVEL_RT_SUCCESS) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude(code, comm);
}

/* Consumer: as MPI_Improbe: as gravel_mprobe, and sets flag to 0 where there is no such message now. Does not block. */
static inline int gravel_improbe(int source, int tag, MPI_Comm comm, int *flag, gravel_message *message,
                                 MPI_Status *status) {
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(source, tag, comm);
    struct gravel_rt_completion completion;
    int value, code = gravel_rt_mprobe(0, &envelope, flag, &value, &completion);
    if (code == GRAVEL_RT_LEFT_TO_MPI) return MPI_Improbe(source, tag, comm, flag, message, status);
    *message = code == GRAVEL_RT_SUCCESS && *flag ? gravel_rt_message_of(value) : MPI_MESSAGE_NULL;
    if (code == GRAVEL_RT_SUCCESS && *flag) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude(code, comm);
}

/* Consumer: as MPI_Imrecv: receives a message that a probe has matched, which becomes MPI_MESSAGE_NULL. Does not
 * block. */
static inline int gravel_imrecv(void *buffer, int count, MPI_Datatype datatype, gravel_message *message,
                                gravel_request *request) {
    struct gravel_rt_message description;
    int code, own, value = 0;
    if (!gravel_rt_is_own_message(*message)) return MPI_Imrecv(buffer, count, datatype, message, request);
    own = gravel_rt_value_of_message(*message);
    code = gravel_rt_describe_for(NULL, buffer, count, datatype, &description);
    if (code == GRAVEL_RT_SUCCESS) code = gravel_rt_imrecv(&own, &description, &value);
    if (code == GRAVEL_RT_SUCCESS) *message = MPI_MESSAGE_NULL;
    *request = gravel_rt_request_of(value);
    return gravel_rt_conclude_operation(code);
}

/* Consumer: as MPI_Mrecv: as gravel_imrecv, and waits. Blocks. */
static inline int gravel_mrecv(void *buffer, int count, MPI_Datatype datatype, gravel_message *message,
                               MPI_Status *status) {
    gravel_request request;
    int error;
    if (!gravel_rt_is_own_message(*message)) return MPI_Mrecv(buffer, count, datatype, message, status);
    error = gravel_imrecv(buffer, count, datatype, message, &request);
    return error == MPI_SUCCESS ? gravel_wait_request(&request, status) : error;
}

/* Consumer: as MPI_Message_c2f. Never blocks. */
static inline MPI_Fint gravel_message_c2f(gravel_message message) {
    return gravel_rt_is_own_message(message) ? (MPI_Fint)gravel_rt_value_of_message(message) : MPI_Message_c2f(message);
}

/* Consumer: as MPI_Message_f2c. Never blocks. */
static inline gravel_message gravel_message_f2c(MPI_Fint message) {
    return gravel_rt_is_own_value((int)message) ? gravel_rt_message_of((int)message) : MPI_Message_f2c(message);
}

/* ---- buffered sends
 *
 * As in MPI (4.0, section 3.6), of announced messages: what is sent is copied at once, and nobody waits for it. Copies are
 * Gravel's; but a message that does not fit into the attached buffer is refused, as by MPI (MPI_ERR_BUFFER). */

/* Producer: as MPI_Buffer_attach, which it calls. Does not block. */
static inline int gravel_buffer_attach(void *buffer, int size) {
    int error = MPI_Buffer_attach(buffer, size);
    if (error == MPI_SUCCESS && gravel_rt_is_running()) gravel_rt_attach_buffer(size, MPI_BSEND_OVERHEAD);
    return error;
}

/* Producer: as MPI_Buffer_detach, which it calls. The messages of Gravel that are under way need the buffer no more.
 * Blocks, as MPI_Buffer_detach. */
static inline int gravel_buffer_detach(void *buffer, int *size) {
    int error = MPI_Buffer_detach(buffer, size);
    if (error == MPI_SUCCESS && gravel_rt_is_running()) gravel_rt_attach_buffer(-1, 0);
    return error;
}

/* Producer: right behind MPI_Buffer_attach(buffer, size): what gravel_buffer_attach does besides it. Never blocks. */
static inline int gravel_buffer_attached(int size) {
    if (gravel_rt_is_running()) gravel_rt_attach_buffer(size, MPI_BSEND_OVERHEAD);
    return MPI_SUCCESS;
}

/* Producer: right behind MPI_Buffer_detach: what gravel_buffer_detach does besides it. Never blocks. */
static inline int gravel_buffer_detached(void) {
    if (gravel_rt_is_running()) gravel_rt_attach_buffer(-1, 0);
    return MPI_SUCCESS;
}

/* Producer: as MPI_Ibsend: sends a copy that nobody waits for, if it fits into the attached buffer. Its request is
 * over. Does not block. */
static inline int gravel_post_bsend(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                    MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_bsend, GRAVEL_RT_MPI_IBSEND, (void *)buffer, count, datatype, dest, tag, comm,
                           request);
}

/* Producer: as MPI_Send. Blocks, as gravel_wait_request. */
static inline int gravel_send(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    gravel_request request;
    int error = gravel_post_send(buffer, count, datatype, dest, tag, comm, &request);
    return error != MPI_SUCCESS ? error : gravel_wait_request(&request, MPI_STATUS_IGNORE);
}

/* Consumer: as MPI_Recv. Blocks. */
static inline int gravel_recv(void *buffer, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                              MPI_Status *status) {
    gravel_request request;
    int error = gravel_post_rcv_buffer_rdma(buffer, count, datatype, source, tag, comm, &request);
    return error != MPI_SUCCESS ? error : gravel_wait_request(&request, status);
}

/* Both: as MPI_Sendrecv. The receive is posted first. Blocks. */
static inline int gravel_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                                  MPI_Comm comm, MPI_Status *status) {
    gravel_request sending, receiving;
    int error, other;
    error = gravel_post_rcv_buffer_rdma(recvbuf, recvcount, recvtype, source, recvtag, comm, &receiving);
    if (error != MPI_SUCCESS) return error;
    error = gravel_post_send(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sending);
    /* A wait for the send first would copy a message whose receive is about to be known. */
    other = gravel_wait_request(&receiving, status);
    if (error == MPI_SUCCESS) error = gravel_wait_request(&sending, MPI_STATUS_IGNORE);
    return error != MPI_SUCCESS ? error : other;
}

/* Both: as MPI_Sendrecv_replace, of announced messages: the message is copied, and received over. Blocks. */
static inline int gravel_sendrecv_replace(void *buffer, int count, MPI_Datatype datatype, int dest, int sendtag,
                                          int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    gravel_request sending, receiving;
    int error, other;
    if (comm != MPI_COMM_NULL && gravel_rt_is_left_to_mpi((int)MPI_Comm_c2f(comm)))
        return MPI_Sendrecv_replace(buffer, count, datatype, dest, sendtag, source, recvtag, comm, status);
    error = gravel_post_snd_buffer_copied(buffer, count, datatype, dest, sendtag, comm, &sending);
    if (error != MPI_SUCCESS) return error;
    error = gravel_post_rcv_announced(buffer, count, datatype, source, recvtag, comm, &receiving);
    if (error == MPI_SUCCESS) error = gravel_wait_request(&receiving, status);
    other = gravel_wait_request(&sending, MPI_STATUS_IGNORE);
    return error != MPI_SUCCESS ? error : other;
}

/* ---- more waits */

/* Consumer: as gravel_post_rcv_buffer_rdma, for a message that gravel_wait_range will wait for in parts: it asks to
 * be told of every segment. Never blocks. */
static inline int gravel_post_rcv_segments(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                                           MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_rcv_segments, GRAVEL_RT_MPI_IRECV, buffer, count, datatype, source, tag, comm, request);
}

/* Consumer: waits until elements offset .. offset + count - 1 of a receive are in its buffer, or its message has
 * ended. The request stays, and must be waited for. A message of up to 8 KiB may come as a whole, when its producer
 * ends it. Blocks. */
static inline int gravel_wait_range(gravel_request request, const void *buffer, int64_t offset, int64_t count) {
    int done = 0, in_vain, error = MPI_SUCCESS;
    if (!gravel_rt_is_mpis(request))
        return gravel_rt_conclude_operation(gravel_rt_wait_range(gravel_rt_value_of(request), buffer, offset, count));
    /* MPI tells of whole messages only. */
    for (in_vain = 0; error == MPI_SUCCESS && !done; in_vain += in_vain < INT16_MAX) {
        if (in_vain > 0) gravel_rt_pause(in_vain);
        error = MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    }
    return error;
}

/* Both: sets flag to 1, and completes the request as gravel_wait_request, if that is possible now; else to 0. A send
 * that would not block a wait is always complete. Does not block. */
static inline int gravel_test_request(gravel_request *request, int *flag, MPI_Status *status) {
    struct gravel_rt_completion completion;
    int value, code;
    if (gravel_rt_is_mpis(*request)) return MPI_Test(request, flag, status);
    value = gravel_rt_value_of(*request);
    code = gravel_rt_test(&value, flag, &completion);
    *request = gravel_rt_request_of(value);
    if (gravel_rt_tells(code) && *flag) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude_operation(code);
}

/* Both: as gravel_test_request. buffer only names the memory. Does not block. */
static inline int gravel_test(gravel_request *request, const void *buffer, int *flag, MPI_Status *status) {
    (void)buffer;
    return gravel_test_request(request, flag, status);
}

/* Both: as MPI_Request_get_status: whether the request could be completed now. It stays as it is. Does not block. */
static inline int gravel_request_get_status(gravel_request request, int *flag, MPI_Status *status) {
    struct gravel_rt_completion completion;
    int code;
    if (gravel_rt_is_mpis(request)) return MPI_Request_get_status(request, flag, status);
    code = gravel_rt_request_get_status(gravel_rt_value_of(request), flag, &completion);
    if (code == GRAVEL_RT_SUCCESS && *flag) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude_operation(code);
}

/* Both: as MPI_Request_c2f. Never blocks. */
static inline MPI_Fint gravel_request_c2f(gravel_request request) {
    return gravel_rt_is_own(request) ? (MPI_Fint)gravel_rt_value_of(request) : MPI_Request_c2f(request);
}

/* Both: as MPI_Request_f2c. Never blocks. */
static inline gravel_request gravel_request_f2c(MPI_Fint request) {
    return gravel_rt_is_own_value((int)request) ? gravel_rt_request_of((int)request) : MPI_Request_f2c(request);
}

/* Gravel's part of a wait or test for any request: found is set where one was completed, or has failed. */
static inline int gravel_rt_any_own(int waits, int count, gravel_rt_lent *lent, int *index, int *found,
                                    int *any_active, MPI_Status *status) {
    struct gravel_rt_completion completion;
    int64_t position = -1;
    int done = 1;
    int code = waits ? gravel_rt_waitany(count, lent->own, &position, &completion)
                     : gravel_rt_testany(count, lent->own, &position, &done, &completion);
    *found = position >= 0 || code != GRAVEL_RT_SUCCESS;
    *any_active = *found || !done;
    *index = position < 0 ? MPI_UNDEFINED : (int)position;
    if (gravel_rt_tells(code) && (done || *found)) gravel_rt_fill_status(&completion, status);
    return gravel_rt_conclude_operation(code);
}

/* Where there are requests of both: looks at Gravel's and at MPI's in turn, so that both get on, until one is complete, none is
 * active, or, without waiting, once. */
static inline int gravel_rt_any_of_both(int waits, int count, gravel_rt_lent *lent, int *index, int *flag,
                                        MPI_Status *status) {
    int in_vain, found = 0, own_active = 1, error = MPI_SUCCESS;
    *flag = 0;
    for (in_vain = 0; error == MPI_SUCCESS && !*flag; in_vain += in_vain < INT16_MAX) {
        if (in_vain > 0) gravel_rt_pause(in_vain);
        error = gravel_rt_any_own(0, count, lent, index, &found, &own_active, status);
        if (found) {
            *flag = 1;
            break;
        }
        error = MPI_Testany(count, lent->mpis, index, flag, status);
        /* None of MPI's is active: that is the answer only where none of Gravel's is. */
        if (error == MPI_SUCCESS && *flag && *index == MPI_UNDEFINED && own_active) *flag = 0;
        if (!waits) break;
    }
    return error;
}

static inline int gravel_rt_any(int waits, int count, gravel_request *requests, int *index, int *flag,
                                MPI_Status *status) {
    gravel_rt_lent lent;
    int error, found, any_active, holds = gravel_rt_holds(count, requests);
    *flag = 1;
    if (holds == GRAVEL_RT_HOLDS_MPIS)
        return waits ? MPI_Waitany(count, requests, index, status) : MPI_Testany(count, requests, index, flag, status);
    *index = MPI_UNDEFINED;
    if (!gravel_rt_lend(count, requests, holds, 0, &lent)) {
        error = gravel_rt_conclude_operation(GRAVEL_RT_OTHER);
    } else if (holds == (GRAVEL_RT_HOLDS_OWN | GRAVEL_RT_HOLDS_MPIS)) {
        error = gravel_rt_any_of_both(waits, count, &lent, index, flag, status);
    } else {
        error = gravel_rt_any_own(waits, count, &lent, index, &found, &any_active, status);
        *flag = found || !any_active;
    }
    gravel_rt_return(count, requests, &lent);
    return error;
}

/* Both: waits for one of several requests, in turn, which becomes null; index is its position from 0, or
 * MPI_UNDEFINED if none is active. After an error index says whose it is, if it is one request's. Blocks, as
 * gravel_wait_request. */
static inline int gravel_waitany(int count, gravel_request *requests, int *index, MPI_Status *status) {
    int flag;
    return gravel_rt_any(1, count, requests, index, &flag, status);
}

/* Both: sets flag to 1, and completes one of several requests as gravel_waitany, if that is possible now, or none is
 * active; else to 0, and index to MPI_UNDEFINED. Does not block. */
static inline int gravel_testany(int count, gravel_request *requests, int *index, int *flag, MPI_Status *status) {
    return gravel_rt_any(0, count, requests, index, flag, status);
}

/* Tells of each of the requests that a call has completed, in their order; without indices, of those of a test for all, where
 * those that wait for dead ranks may be the only ones that have ended. */
static inline int gravel_rt_tell_of_completed(int64_t ended, int count, int *indices, MPI_Status *statuses) {
    int64_t k, j;
    int error = MPI_SUCCESS, stores = statuses != MPI_STATUSES_IGNORE;
    for (k = 0; k < ended; k++) {
        struct gravel_rt_completion completion;
        int64_t position = -1;
        int code = gravel_rt_completed(k, &position, &completion), own_error;
        MPI_Status *status = MPI_STATUS_IGNORE;
        if (indices != NULL) indices[k] = (int)position;
        if (stores) status = &statuses[indices != NULL ? k : position];
        if (gravel_rt_tells(code)) gravel_rt_fill_status(&completion, status);
        own_error = gravel_rt_conclude_operation(code);
        if (error == MPI_SUCCESS && own_error != MPI_SUCCESS) {
            error = own_error;
            for (j = 0; j < count && stores && indices == NULL; j++)
                gravel_rt_say_in_status(MPI_ERR_PENDING, &statuses[j]);
            for (j = 0; j < k && stores; j++) {
                gravel_rt_completed(j, &position, &completion);
                gravel_rt_say_in_status(MPI_SUCCESS, &statuses[indices != NULL ? j : position]);
            }
        }
        if (error != MPI_SUCCESS) gravel_rt_say_in_status(own_error, status);
    }
    return error != MPI_SUCCESS && stores ? MPI_ERR_IN_STATUS : error;
}

/* Looks once at both Gravel's and MPI's requests. Completed ones are told of behind one another: ended is their number, or
 * negative if none is active. */
static inline int gravel_rt_some_of_both(int count, gravel_rt_lent *lent, int64_t *ended, int *indices,
                                         MPI_Status *statuses) {
    int64_t own_ended = -1;
    int k, mpis_ended = 0, error = MPI_SUCCESS, mpis_error, code = gravel_rt_testsome(count, lent->own, &own_ended);
    *ended = 0;
    if (code != GRAVEL_RT_SUCCESS) return gravel_rt_conclude_operation(code);
    if (own_ended > 0) error = gravel_rt_tell_of_completed(own_ended, count, indices, statuses);
    mpis_error = MPI_Testsome(count, lent->mpis, &mpis_ended, lent->indices,
                              statuses == MPI_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : lent->statuses);
    if (mpis_ended == MPI_UNDEFINED) {
        *ended = own_ended;
        return error;
    }
    *ended = own_ended > 0 ? own_ended : 0;
    for (k = 0; k < *ended && mpis_error != MPI_SUCCESS && error == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE; k++)
        gravel_rt_say_in_status(MPI_SUCCESS, &statuses[k]);
    for (k = 0; k < mpis_ended; k++) {
        indices[*ended + k] = lent->indices[k];
        lent->indices[k] = (int)*ended + k;
    }
    if (statuses != MPI_STATUSES_IGNORE)
        error = gravel_rt_merge_statuses(error, mpis_error, mpis_ended, lent->indices, lent->statuses, statuses);
    else if (mpis_error != MPI_SUCCESS)
        error = mpis_error;
    *ended += mpis_ended > 0 ? mpis_ended : 0;
    return error;
}

static inline int gravel_rt_some(int waits, int count, gravel_request *requests, int *outcount, int *indices,
                                 MPI_Status *statuses) {
    gravel_rt_lent lent;
    int64_t ended = -1;
    int code, in_vain, error = MPI_SUCCESS, holds = gravel_rt_holds(count, requests);
    if (holds == GRAVEL_RT_HOLDS_MPIS)
        return waits ? MPI_Waitsome(count, requests, outcount, indices, statuses)
                     : MPI_Testsome(count, requests, outcount, indices, statuses);
    if (!gravel_rt_lend(count, requests, holds, statuses != MPI_STATUSES_IGNORE, &lent)) {
        error = gravel_rt_conclude_operation(GRAVEL_RT_OTHER);
    } else if (holds == (GRAVEL_RT_HOLDS_OWN | GRAVEL_RT_HOLDS_MPIS)) {
        error = gravel_rt_some_of_both(count, &lent, &ended, indices, statuses);
        for (in_vain = 1; waits && ended == 0 && error == MPI_SUCCESS; in_vain += in_vain < INT16_MAX) {
            gravel_rt_pause(in_vain);
            error = gravel_rt_some_of_both(count, &lent, &ended, indices, statuses);
        }
    } else {
        code = waits ? gravel_rt_waitsome(count, lent.own, &ended) : gravel_rt_testsome(count, lent.own, &ended);
        error = code == GRAVEL_RT_SUCCESS ? gravel_rt_tell_of_completed(ended, count, indices, statuses)
                                          : gravel_rt_conclude_operation(code);
    }
    *outcount = ended < 0 ? MPI_UNDEFINED : (int)ended;
    gravel_rt_return(count, requests, &lent);
    return error;
}

/* Both: waits until at least one of several requests is complete, and completes all that are: outcount is their
 * number, or MPI_UNDEFINED if none is active, and indices are their positions from 0. The first error is returned;
 * all that have ended are told of. Blocks, as gravel_wait_request. */
static inline int gravel_waitsome(int incount, gravel_request *requests, int *outcount, int *indices,
                                  MPI_Status *statuses) {
    return gravel_rt_some(1, incount, requests, outcount, indices, statuses);
}

/* Both: as gravel_waitsome, without waiting: outcount may be 0. Does not block. */
static inline int gravel_testsome(int incount, gravel_request *requests, int *outcount, int *indices,
                                  MPI_Status *statuses) {
    return gravel_rt_some(0, incount, requests, outcount, indices, statuses);
}

/* Both: sets flag to 1, and completes all requests as gravel_waitall, if that is possible now; else to 0, and
 * completes none. Where some wait for dead ranks, those alone end, by their errors. Does not block. */
static inline int gravel_testall(int count, gravel_request *requests, int *flag, MPI_Status *statuses) {
    gravel_rt_lent lent;
    int64_t ended = -1;
    int k, code, error = MPI_SUCCESS, holds = gravel_rt_holds(count, requests);
    if (holds == GRAVEL_RT_HOLDS_MPIS) return MPI_Testall(count, requests, flag, statuses);
    *flag = 1;
    if (holds == (GRAVEL_RT_HOLDS_OWN | GRAVEL_RT_HOLDS_MPIS)) {
        /* Each tells without completing it, and both get on. */
        for (k = 0; k < count; k++) {
            int is_complete = 1;
            error = gravel_request_get_status(requests[k], &is_complete, MPI_STATUS_IGNORE);
            /* What has failed is over: its wait says so again. */
            if (error == MPI_SUCCESS && !is_complete) *flag = 0;
        }
        return *flag ? gravel_waitall(count, requests, statuses) : MPI_SUCCESS;
    }
    if (!gravel_rt_lend(count, requests, holds, 0, &lent)) {
        error = gravel_rt_conclude_operation(GRAVEL_RT_OTHER);
    } else {
        code = gravel_rt_testall(count, lent.own, &ended);
        *flag = code != GRAVEL_RT_SUCCESS || ended >= 0;
        error = code == GRAVEL_RT_SUCCESS ? gravel_rt_tell_of_completed(ended, count, NULL, statuses)
                                          : gravel_rt_conclude_operation(code);
    }
    gravel_rt_return(count, requests, &lent);
    return error;
}

/* Both: cancels a receive that no message has met. It must still be waited for; MPI_Test_cancelled of the status
 * then says whether it was. A cancelled send succeeds, and is never taken back (MPI 4.0, section 3.8.4); a wait for
 * it returns, and its release gives the buffer back, whether or not the message is ever received. A synchronous send
 * goes on. Does not block. */
static inline int gravel_cancel(gravel_request request) {
    if (gravel_rt_is_mpis(request)) return MPI_Cancel(&request);
    return gravel_rt_conclude_operation(gravel_rt_cancel(gravel_rt_value_of(request)));
}

/* ---- synchronous sends
 *
 * As in MPI (4.0, sections 3.4 and 3.7.1): a synchronous send is over only when a receive was posted that has met its message,
 * however short that is, so a wait for it may block. Its receive is any that a standard send could have, and both kinds may
 * be mixed. */

/* Producer: as gravel_post_send, for a synchronous send: the wait blocks until a receive was posted that has met it.
 * Does not block. */
static inline int gravel_post_send_synchronous(const void *buffer, int count, MPI_Datatype datatype, int dest,
                                               int tag, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_send_synchronous, GRAVEL_RT_MPI_ISSEND, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: as gravel_wait_rcv_buffer, for a synchronous send. Does not block. */
static inline int gravel_wait_rcv_buffer_synchronous(const void *buffer, int count, MPI_Datatype datatype, int dest,
                                                     int tag, MPI_Comm comm, gravel_transfer *transfer) {
    return gravel_rt_open(gravel_rt_wait_rcv_buffer_synchronous, 1, buffer, count, datatype, dest, tag, comm, transfer);
}

/* Producer: as gravel_post_snd_request, for a synchronous send. Does not block. */
static inline int gravel_post_snd_request_synchronous(const void *buffer, int count, MPI_Datatype datatype, int dest,
                                                      int tag, MPI_Comm comm, gravel_transfer *transfer) {
    return gravel_rt_open(gravel_rt_post_snd_request_synchronous, 1, buffer, count, datatype, dest, tag, comm, transfer);
}

/* Producer: as gravel_post_snd_buffer_rdma, for a synchronous send: the wait blocks. Does not block. */
static inline int gravel_post_snd_buffer_synchronous(const void *buffer, int count, MPI_Datatype datatype, int dest,
                                                     int tag, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_begin(gravel_rt_post_snd_buffer_synchronous, GRAVEL_RT_MPI_ISSEND, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* ---- persistent operations
 *
 * As in MPI (4.0, section 3.9): what is described once, and begun by each start. A persistent request is inactive when it
 * is made and when a wait has completed it: a wait for an inactive one ends at once, with an empty status. The buffer is in
 * use from the start to the end of the wait, and the communicator must not have been freed when it is started. */

static inline int gravel_rt_prepare_message(int kind, void *buffer, int count, MPI_Datatype datatype, int rank,
                                            int tag, MPI_Comm comm, gravel_request *request) {
    struct gravel_rt_message message;
    struct gravel_rt_envelope envelope = gravel_rt_describe_envelope(rank, tag, comm);
    int code = gravel_rt_describe_message(buffer, count, datatype, comm, &message), value = 0;
    if (code == GRAVEL_RT_SUCCESS) code = gravel_rt_prepare(kind, &message, &envelope, &value);
    if (code == GRAVEL_RT_LEFT_TO_MPI) {
        enum gravel_rt_mpi_call call = kind == 0 || kind == 2   ? GRAVEL_RT_MPI_RECV_INIT
                                       : kind == 6              ? GRAVEL_RT_MPI_BSEND_INIT
                                       : kind == 4 || kind == 5 ? GRAVEL_RT_MPI_SSEND_INIT
                                                                : GRAVEL_RT_MPI_SEND_INIT;
        return gravel_rt_call_mpi(call, buffer, count, datatype, rank, tag, comm, request);
    }
    *request = gravel_rt_request_of(value);
    return gravel_rt_conclude(code, comm);
}

/* Consumer: each start is a gravel_post_rcv_buffer_rdma. Never blocks. */
static inline int gravel_prepare_receive(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                                         MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(0, buffer, count, datatype, source, tag, comm, request);
}

/* Producer: each start is a gravel_post_send. Never blocks. */
static inline int gravel_prepare_send(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                      MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(1, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Consumer: each start is a gravel_post_rcv_announced. Never blocks. */
static inline int gravel_prepare_announced_receive(void *buffer, int count, MPI_Datatype datatype, int source, int tag,
                                                   MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(2, buffer, count, datatype, source, tag, comm, request);
}

/* Producer: each start is a gravel_post_snd_buffer_rdma. Never blocks. */
static inline int gravel_prepare_announced_send(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                                MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(3, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: each start is a gravel_post_send_synchronous. Never blocks. */
static inline int gravel_prepare_send_synchronous(const void *buffer, int count, MPI_Datatype datatype, int dest,
                                                  int tag, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(4, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: each start is a gravel_post_snd_buffer_synchronous. Never blocks. */
static inline int gravel_prepare_announced_send_synchronous(const void *buffer, int count, MPI_Datatype datatype,
                                                            int dest, int tag, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(5, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Producer: each start is a gravel_post_bsend. Never blocks. */
static inline int gravel_prepare_bsend(const void *buffer, int count, MPI_Datatype datatype, int dest, int tag,
                                       MPI_Comm comm, gravel_request *request) {
    return gravel_rt_prepare_message(6, (void *)buffer, count, datatype, dest, tag, comm, request);
}

/* Both: begins what a persistent request stands for, as the post of its kind would. buffer only names the memory.
 * Does not block. */
static inline int gravel_start(gravel_request request, const void *buffer) {
    (void)buffer;
    if (gravel_rt_is_mpis(request)) return MPI_Start(&request);
    return gravel_rt_conclude_operation(gravel_rt_start(gravel_rt_value_of(request)));
}

/* Both: a gravel_start for each of the requests. The first error is returned, but every request is started. Does not
 * block. */
static inline int gravel_startall(int count, const gravel_request *requests) {
    int k, error = MPI_SUCCESS;
    for (k = 0; k < count; k++) {
        int own_error = gravel_start(requests[k], NULL);
        if (error == MPI_SUCCESS) error = own_error;
    }
    return error;
}

/* Both: the request is not needed any more, and becomes null. What it stands for goes on until it is over, a send in
 * gravel_finalize at the latest. As with MPI_Request_free, that is legal for a receive under way, whose end the
 * program has to learn in another way. Does not block, but for a send that was cancelled, until nobody reads its
 * memory. */
static inline int gravel_release(gravel_request *request) {
    int value, code;
    if (gravel_rt_is_mpis(*request)) return MPI_Request_free(request);
    value = gravel_rt_value_of(*request);
    code = gravel_rt_release(&value);
    *request = MPI_REQUEST_NULL;
    return gravel_rt_conclude_operation(code);
}

/* ---- all-to-all exchanges
 *
 * MPI_Alltoall in two halves: what a rank receives and what it sends, each with a request of its own. Count elements of the
 * datatype are one block; the blocks of all ranks of comm lie one behind the other in the buffer. Both halves of all ranks
 * take part in the order in which they are posted and opened on comm. Such exchanges never meet MPI_Alltoall: all calls that
 * could be ends of one exchange are made with these. MPI_IN_PLACE is not possible.
 *
 * On a communicator that is not attached an exchange is MPI_Alltoall, called when the second of a rank's halves is posted, sent
 * or ended; that call blocks as MPI's does, and both requests are over then. */

enum gravel_rt_half_kind { GRAVEL_RT_RECEIVES = 0, GRAVEL_RT_SENDS = 1, GRAVEL_RT_OPENS = 2 };

/* Where the communicator is not attached: keeps a half until the other one is there. */
static inline int gravel_rt_hold(enum gravel_rt_half_kind kind, const void *buffer, const int *counts, const int *places,
                                 MPI_Datatype datatype, MPI_Comm comm, int *value) {
    struct gravel_rt_half half;
    MPI_Datatype kept;
    int code, is_inter = 0, error = MPI_Comm_test_inter(comm, &is_inter);
    if (error == MPI_SUCCESS) error = is_inter ? MPI_Comm_remote_size(comm, &half.ranks) : MPI_Comm_size(comm, &half.ranks);
    /* The program may free its own. */
    if (error == MPI_SUCCESS) error = MPI_Type_dup(datatype, &kept);
    if (error != MPI_SUCCESS) return error;
    half.address = (void *)buffer;
    half.counts = counts;
    half.places = places;
    half.integer_bytes = (int)sizeof(int);
    half.datatype = (int)MPI_Type_c2f(kept);
    code = gravel_rt_hold_half((int)kind, &half, (int)MPI_Comm_c2f(comm), value);
    if (code != GRAVEL_RT_SUCCESS) MPI_Type_free(&kept);
    if (code != GRAVEL_RT_SUCCESS || kind == GRAVEL_RT_OPENS) return gravel_rt_conclude(code, comm);
    return gravel_rt_exchange_by_mpi(comm);
}

typedef int (*gravel_rt_start_alltoall)(const struct gravel_rt_message *, int, int *);

static inline int gravel_rt_begin_alltoall(gravel_rt_start_alltoall start, enum gravel_rt_half_kind kind,
                                           const void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                           int *value) {
    struct gravel_rt_message block;
    int code = gravel_rt_describe_message(buffer, count, datatype, comm, &block);
    *value = 0;
    if (code == GRAVEL_RT_SUCCESS) code = start(&block, gravel_rt_communicator_handle(comm), value);
    if (code == GRAVEL_RT_LEFT_TO_MPI) return gravel_rt_hold(kind, buffer, &count, NULL, datatype, comm, value);
    return gravel_rt_conclude(code, comm);
}

/* As gravel_rt_begin_alltoall, for what gives a request. */
static inline int gravel_rt_post_blocks(gravel_rt_start_alltoall start, enum gravel_rt_half_kind kind,
                                        const void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                        gravel_request *request) {
    int value, error = gravel_rt_begin_alltoall(start, kind, buffer, count, datatype, comm, &value);
    *request = gravel_rt_request_of(value);
    return error;
}

/* Consumer: posts the receives of all blocks as one request. Never blocks. */
static inline int gravel_post_alltoall(void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                       gravel_request *request) {
    return gravel_rt_post_blocks(gravel_rt_post_alltoall, GRAVEL_RT_RECEIVES, buffer, count, datatype, comm, request);
}

/* Consumer: as gravel_post_alltoall, for gravel_wait_range. Never blocks. */
static inline int gravel_post_alltoall_segments(void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                                gravel_request *request) {
    return gravel_rt_post_blocks(gravel_rt_post_alltoall_segments, GRAVEL_RT_RECEIVES, buffer, count, datatype, comm, request);
}

/* Producer: opens the transfer of all blocks; then gravel_post_os_put and gravel_send_fin. Puts are cut where blocks
 * begin. They may leave elements out, which gravel_send_fin sends, and may reach beyond the last block: nothing of
 * that is sent. Does not block. */
static inline int gravel_open_alltoall(const void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                       gravel_transfer *transfer) {
    return gravel_rt_begin_alltoall(gravel_rt_open_alltoall, GRAVEL_RT_OPENS, buffer, count, datatype, comm, transfer);
}

/* Producer: sends all blocks at once. Does not block. */
static inline int gravel_send_alltoall(const void *buffer, int count, MPI_Datatype datatype, MPI_Comm comm,
                                       gravel_request *request) {
    return gravel_rt_post_blocks(gravel_rt_send_alltoall, GRAVEL_RT_SENDS, buffer, count, datatype, comm, request);
}

/* MPI_Alltoallv in two halves, likewise: counts and displacements have an element for each rank of comm, in elements of the
 * datatype from the beginning of the buffer. They are read during the call. */

typedef int (*gravel_rt_start_alltoallv)(const struct gravel_rt_message *, const void *, const void *, int, int, int *);

static inline int gravel_rt_begin_alltoallv(gravel_rt_start_alltoallv start, enum gravel_rt_half_kind kind,
                                            const void *buffer, const int counts[], const int displacements[],
                                            MPI_Datatype datatype, MPI_Comm comm, int *value) {
    struct gravel_rt_message message;
    /* How many elements it has is in the counts. */
    int code = gravel_rt_describe_message(buffer, 0, datatype, comm, &message);
    *value = 0;
    if (code == GRAVEL_RT_SUCCESS) {
        code = start(&message, counts, displacements, (int)sizeof(int), gravel_rt_communicator_handle(comm), value);
    }
    if (code == GRAVEL_RT_LEFT_TO_MPI) return gravel_rt_hold(kind, buffer, counts, displacements, datatype, comm, value);
    return gravel_rt_conclude(code, comm);
}

/* As gravel_rt_begin_alltoallv, for what gives a request. */
static inline int gravel_rt_post_each_block(gravel_rt_start_alltoallv start, enum gravel_rt_half_kind kind,
                                            const void *buffer, const int counts[], const int displacements[],
                                            MPI_Datatype datatype, MPI_Comm comm, gravel_request *request) {
    int value, error = gravel_rt_begin_alltoallv(start, kind, buffer, counts, displacements, datatype, comm, &value);
    *request = gravel_rt_request_of(value);
    return error;
}

/* Consumer: posts the receives of all blocks as one request. Never blocks. */
static inline int gravel_post_alltoallv(void *buffer, const int counts[], const int displacements[],
                                        MPI_Datatype datatype, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_post_each_block(gravel_rt_post_alltoallv, GRAVEL_RT_RECEIVES, buffer, counts, displacements, datatype, comm, request);
}

/* Consumer: as gravel_post_alltoallv, for gravel_wait_range. Never blocks. */
static inline int gravel_post_alltoallv_segments(void *buffer, const int counts[], const int displacements[],
                                                 MPI_Datatype datatype, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_post_each_block(gravel_rt_post_alltoallv_segments, GRAVEL_RT_RECEIVES, buffer, counts, displacements, datatype, comm,
                                     request);
}

/* Producer: opens the transfer of all blocks, as gravel_open_alltoall. What belongs to no block is not sent; blocks
 * may overlap. Does not block. */
static inline int gravel_open_alltoallv(const void *buffer, const int counts[], const int displacements[],
                                        MPI_Datatype datatype, MPI_Comm comm, gravel_transfer *transfer) {
    return gravel_rt_begin_alltoallv(gravel_rt_open_alltoallv, GRAVEL_RT_OPENS, buffer, counts, displacements, datatype, comm, transfer);
}

/* Producer: sends all blocks at once. Does not block. */
static inline int gravel_send_alltoallv(const void *buffer, const int counts[], const int displacements[],
                                        MPI_Datatype datatype, MPI_Comm comm, gravel_request *request) {
    return gravel_rt_post_each_block(gravel_rt_send_alltoallv, GRAVEL_RT_SENDS, buffer, counts, displacements, datatype, comm, request);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#ifdef GRAVEL_RT_DEFINES_INLINE
#undef inline
#undef GRAVEL_RT_DEFINES_INLINE
#endif

#ifdef __cplusplus
}
#endif

#endif
