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

#include "mpi_calls.h"
#include "lifetime.h"
#include "messages.h"
#include "probes.h"
#include "requests.h"
#if HANDLES_ARE_CONVERTED
#include "fortran_requests.h"
#endif
