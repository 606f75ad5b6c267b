/* The Fortran calls of point-to-point communication, doing nothing: linked into a program they leave
   its computation alone, which is what perfect overlap would cost (the "ideal case" of the Gravel
   paper, section 3). The names are the program's, before those of the MPI library, as MPI's profiling
   interface provides for. Results of such a program mean nothing; its receive buffers must start with
   values that are as fast to compute with as those received (zeros may decay into denormal numbers). */

#define UNUSED __attribute__((unused))

typedef int fortran_integer;

static const fortran_integer success = 0;

void mpi_send_(const void *buffer UNUSED, const fortran_integer *count UNUSED,
               const fortran_integer *datatype UNUSED, const fortran_integer *destination UNUSED,
               const fortran_integer *tag UNUSED, const fortran_integer *communicator UNUSED,
               fortran_integer *error)
{
    *error = success;
}

void mpi_irecv_(void *buffer UNUSED, const fortran_integer *count UNUSED,
                const fortran_integer *datatype UNUSED, const fortran_integer *source UNUSED,
                const fortran_integer *tag UNUSED, const fortran_integer *communicator UNUSED,
                fortran_integer *request, fortran_integer *error)
{
    *request = 0;
    *error = success;
}

void mpi_wait_(fortran_integer *request UNUSED, fortran_integer *status UNUSED, fortran_integer *error)
{
    *error = success;
}
