/* The half in C of a program in two languages (mixed.f90). */
#include "check.h"

static MPI_Comm of_c;

void attach_in_c(void) {
    MPI_Comm_dup(MPI_COMM_WORLD, &of_c);
    CHECK(gravel_attach(of_c) == MPI_SUCCESS);
}

/* Of a communicator that was attached by the other language. */
void use_in_c(int communicator) {
    check_ring(MPI_Comm_f2c((MPI_Fint)communicator), 3);
}

void free_in_c(int communicator) {
    MPI_Comm comm = MPI_Comm_f2c((MPI_Fint)communicator);
    MPI_Comm_free(&comm);
}

int communicator_of_c(void) {
    return (int)MPI_Comm_c2f(of_c);
}

/* A datatype of C's, used here first. */
void use_datatype_in_c(int length) {
    int rank, k;
    int in[8] = {0}, out[8];
    gravel_request receive, send;
    MPI_Datatype datatype;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (k = 0; k < 8; k++) out[k] = rank;
    MPI_Type_contiguous(length, MPI_INT, &datatype);
    CHECK(gravel_post_rcv_buffer_rdma(in, 1, datatype, 1 - rank, 1, MPI_COMM_WORLD, &receive) == MPI_SUCCESS);
    CHECK(gravel_post_send(out, 1, datatype, 1 - rank, 1, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
    CHECK(gravel_wait(&receive, in, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(gravel_wait(&send, out, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (k = 0; k < 8; k++) CHECK(in[k] == (k < length ? 1 - rank : 0));
    MPI_Type_free(&datatype);
}
