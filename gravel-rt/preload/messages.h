/* libgravel_mpi.so: messages, in all modes. */

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
