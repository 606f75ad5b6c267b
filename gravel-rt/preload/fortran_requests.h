/* libgravel_mpi.so: the calls of Fortran, where a request is the address of an object in C (Open MPI).
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
