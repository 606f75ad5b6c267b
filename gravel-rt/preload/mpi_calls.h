/* libgravel_mpi.so: the calls of MPI that it stands for: MPI's own behind it, which gravel.h uses, too, and how they are exported. */

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
