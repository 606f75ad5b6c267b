/* libgravel_mpi.so: probes, matched messages, and room for buffered sends. */

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
