! One program in two languages: each attaches communicators and uses datatypes, the other uses and frees them. MPI gives
! the handles out again and again, so that one which was not forgotten would be mistaken. Runs on 2 ranks.
program mixed
   use, intrinsic :: iso_c_binding, only: c_int
   use mpi
   use gravel
   implicit none
   interface
      subroutine attach_in_c() bind(c)
      end subroutine
      subroutine use_in_c(communicator) bind(c)
         import :: c_int
         integer(c_int), value :: communicator
      end subroutine
      subroutine free_in_c(communicator) bind(c)
         import :: c_int
         integer(c_int), value :: communicator
      end subroutine
      function communicator_of_c() bind(c) result(communicator)
         import :: c_int
         integer(c_int) :: communicator
      end function
      subroutine use_datatype_in_c(length) bind(c)
         import :: c_int
         integer(c_int), value :: length
      end subroutine
   end interface
   integer :: rank, round, comm, datatype, ierror
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call gravel_init(MPI_COMM_WORLD)
   do round = 1, 6
      ! Attached in Fortran, used and freed in C.
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
      call check_not_attached(comm)
      call gravel_attach(comm)
      call use_in_c(int(comm, c_int))
      call free_in_c(int(comm, c_int))
      ! Attached in C, used and freed in Fortran.
      call attach_in_c()
      comm = communicator_of_c()
      call send_round(comm)
      call MPI_Comm_free(comm, ierror)
      ! One after the other, of other lengths.
      call use_datatype_in_c(int(round, c_int))
      call MPI_Type_contiguous(2*round, MPI_INTEGER, datatype, ierror)
      call use_datatype(datatype, 2*round)
      call MPI_Type_free(datatype, ierror)
   end do
   call gravel_finalize()
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print '(a,i0,2a)', "rank ", rank, ", does not hold: ", what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine

   ! Its messages are MPI's.
   subroutine check_not_attached(comm)
      integer, intent(in) :: comm
      integer, asynchronous :: in, out
      integer :: requests(2), ierror
      in = 0
      out = 7
      call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER, rank, 30, comm, requests(1), ierror)
      call gravel_post_send(out, 1, MPI_INTEGER, rank, 30, comm, requests(2), ierror)
      call check(all(ishft(requests, -26) /= 15), "a communicator that was not attached")
      call gravel_waitall(2, requests, ierror)
      call gravel_f_sync_reg(in)
      call check(ierror == MPI_SUCCESS .and. in == 7, "a message that MPI carries")
   end subroutine

   subroutine send_round(comm)
      integer, intent(in) :: comm
      integer, asynchronous :: in, out
      integer(gravel_request_kind) :: receive, send
      out = rank
      in = -1
      call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER, 1 - rank, 7, comm, receive)
      call gravel_post_send(out, 1, MPI_INTEGER, 1 - rank, 7, comm, send)
      call gravel_wait(receive, in)
      call gravel_wait(send, out)
      call check(in == 1 - rank, "a message on a communicator of C")
   end subroutine

   subroutine use_datatype(datatype, length)
      integer, intent(in) :: datatype, length
      integer, asynchronous :: in(16), out(16)
      integer(gravel_request_kind) :: receive, send
      out = rank
      in = -1
      call gravel_post_rcv_buffer_rdma(in, 1, datatype, 1 - rank, 7, MPI_COMM_WORLD, receive)
      call gravel_post_send(out, 1, datatype, 1 - rank, 7, MPI_COMM_WORLD, send)
      call gravel_wait(receive, in)
      call gravel_wait(send, out)
      call check(all(in(:length) == 1 - rank) .and. all(in(length + 1:) == -1), "a message of a datatype")
   end subroutine

end program mixed
