! Rank 0 waits for what rank 1 does not send, because it has called gravel_finalize: under GRAVEL_CHECK that is an error of the
! wait, and standard error says where each of them is. Built with mpif.h, the module mpi (WITH_MPI) or the module mpi_f08
! (WITH_F08). Runs on 2 ranks.
program never_sent
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
   real(8), asynchronous, save :: halo(100)
   integer :: rank, ierror

   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_SUCCESS, "gravel_init")
   if (rank == 0) call await_message()
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)

contains

   subroutine await_message()
      integer(gravel_request_kind) :: request
      call gravel_post_rcv_buffer_rdma(halo, 100, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_SUCCESS, "gravel_post_rcv_buffer_rdma")
      call gravel_wait(request, halo, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_ERR_OTHER, "a wait for what never comes")
   end subroutine

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print '(2a)', "does not hold: ", what
      stop 1
   end subroutine
end program
