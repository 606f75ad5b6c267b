! Exchanges messages, and ends by MPI_Abort: what was traced until then is there. Built with mpif.h, the module mpi (WITH_MPI) or
! the module mpi_f08 (WITH_F08). Runs on 2 ranks.
program aborts
#if defined(WITH_F08)
   use mpi_f08
#elif defined(WITH_MPI)
   use mpi
#endif
   use gravel
   implicit none
#if !defined(WITH_F08) && !defined(WITH_MPI)
   include 'mpif.h'
#endif
   integer, parameter :: n = 30000, rounds = 20
   integer(4), asynchronous, save :: incoming(n), outgoing(n)
   integer(gravel_request_kind) :: receive, send
   integer :: rank, peer, ierror, k

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call gravel_init(MPI_COMM_WORLD, ierror)
   outgoing = rank
   do k = 1, rounds
      call gravel_post_rcv_buffer_rdma(incoming, n, MPI_INTEGER, peer, k, MPI_COMM_WORLD, receive, ierror)
      call gravel_post_send(outgoing, n, MPI_INTEGER, peer, k, MPI_COMM_WORLD, send, ierror)
      call gravel_wait(receive, incoming, MPI_STATUS_IGNORE, ierror)
      call gravel_wait(send, outgoing, MPI_STATUS_IGNORE, ierror)
   end do
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   if (rank == 1) call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
   ! Ended from outside.
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
end program
