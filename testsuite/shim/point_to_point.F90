! Probes, matched probes, buffered sends, cancellations and looks at requests, by Gravel's calls and, on a communicator that Gravel
! is not attached to, by MPI's behind them. Built with mpif.h, the module mpi (WITH_MPI) or the module mpi_f08 (WITH_F08).
! Runs on 2 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define STATUS_VARIABLE type(MPI_Status) :: status
#define SOURCE_OF status%MPI_SOURCE
#define TAG_OF status%MPI_TAG
#else
#define COMMUNICATOR integer
#define REQUEST integer
#define MESSAGE integer
#define STATUS_VARIABLE integer :: status(MPI_STATUS_SIZE)
#define SOURCE_OF status(MPI_SOURCE)
#define TAG_OF status(MPI_TAG)
#endif
program point_to_point
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
   integer, parameter :: long = 100000, short = 100
   integer, asynchronous, save :: in(long), out(long), room(3*long)
   integer :: rank, peer, ierror, k
   COMMUNICATOR :: left

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call MPI_Comm_dup(MPI_COMM_WORLD, left, ierror)
   call gravel_init(MPI_COMM_WORLD)
   do k = 1, 2
      call check_probes(MPI_COMM_WORLD, merge(short, long, k == 1))
      call check_probes(left, merge(short, long, k == 1))
      call check_matched(MPI_COMM_WORLD, merge(short, long, k == 1))
      call check_matched(left, merge(short, long, k == 1))
   end do
   call check_buffered(MPI_COMM_WORLD)
   call check_buffered(left)
   call check_cancelled(MPI_COMM_WORLD)
   call check_cancelled(left)
   call gravel_finalize()
   if (rank == 0) print '(a)', 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(len=*), intent(in) :: what
      if (holds) return
      print '(a, i0, 2a)', 'rank ', rank, ': does not hold: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine

   subroutine check_status(status, tag, expected, what)
      STATUS_VARIABLE
      integer, intent(in) :: tag, expected
      character(len=*), intent(in) :: what
      integer :: count
      call MPI_Get_count(status, MPI_INTEGER, count, ierror)
      call check(SOURCE_OF == peer .and. TAG_OF == tag .and. count == expected, what)
      call MPI_Get_elements(status, MPI_INTEGER, count, ierror)
      call check(count == expected, what)
   end subroutine

   ! A message of so many elements goes to the peer, and one comes from there.
   subroutine check_probes(comm, length)
      COMMUNICATOR, intent(in) :: comm
      integer, intent(in) :: length
      REQUEST :: sent, received
      STATUS_VARIABLE
      integer :: count
      logical :: flag
      flag = .true.
      call gravel_iprobe(MPI_ANY_SOURCE, 77, comm, flag, status, ierror)
      call check(ierror == MPI_SUCCESS .and. .not. flag, 'nothing has this tag')
      call gravel_iprobe(MPI_ANY_SOURCE, 77, comm, flag)
      call check(.not. flag, 'nothing has this tag, without a status')
      out = rank + 5
      call gravel_post_snd_buffer_rdma(out, length, MPI_INTEGER, peer, 3, comm, sent, ierror)
      ! Twice: a probe leaves the message where it is.
      call gravel_probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status, ierror)
      call check_status(status, 3, length, 'probe')
      call gravel_probe(MPI_ANY_SOURCE, 3, comm, ierror)
      flag = .false.
      do while (.not. flag)
         call gravel_iprobe(peer, 3, comm, flag, status)
      end do
      call check_status(status, 3, length, 'iprobe')
      call gravel_iprobe(peer, 3, comm, flag, MPI_STATUS_IGNORE, ierror)
      call check(flag, 'iprobe again')
      call MPI_Get_count(status, MPI_INTEGER, count, ierror)
      in = -1
      call gravel_post_rcv_announced(in, count, MPI_INTEGER, SOURCE_OF, TAG_OF, comm, received, ierror)
      call gravel_wait(received, in, status, ierror)
      call check_status(status, 3, length, 'received')
      call check(all(in(:length) == peer + 5) .and. all(in(length + 1:) == -1), 'what has come')
      call gravel_wait(sent, out)
      call gravel_probe(MPI_PROC_NULL, 3, comm, status)
      call check(SOURCE_OF == MPI_PROC_NULL .and. TAG_OF == MPI_ANY_TAG, 'probe of nobody')
      call MPI_Barrier(comm, ierror)
   end subroutine

   subroutine check_matched(comm, length)
      COMMUNICATOR, intent(in) :: comm
      integer, intent(in) :: length
      REQUEST :: sent(2), received
      MESSAGE :: first, second, nobody
      STATUS_VARIABLE
      logical :: flag
      call gravel_improbe(MPI_ANY_SOURCE, 77, comm, flag, first, status, ierror)
      call check(.not. flag, 'nothing to take has this tag')
      out(1:10) = rank + 8
      out(11:) = rank + 9
      call gravel_post_snd_buffer_rdma(out, 10, MPI_INTEGER, peer, 4, comm, sent(1))
      call gravel_post_snd_buffer_rdma(out(11:), length - 10, MPI_INTEGER, peer, 4, comm, sent(2))
      call gravel_mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, first, status, ierror)
      call check_status(status, 4, 10, 'mprobe')
      flag = .false.
      do while (.not. flag)
         call gravel_improbe(peer, 4, comm, flag, second, status, ierror)
      end do
      call check_status(status, 4, length - 10, 'improbe')
      in = -1
      call gravel_imrecv(in(11:), length - 10, MPI_INTEGER, second, received, ierror)
      call check(second == MPI_MESSAGE_NULL, 'null after imrecv')
      call gravel_wait(received, in, status, ierror)
      call check_status(status, 4, length - 10, 'imrecv')
      call gravel_mrecv(in, 10, MPI_INTEGER, first, status, ierror)
      call check(first == MPI_MESSAGE_NULL, 'null after mrecv')
      call check_status(status, 4, 10, 'mrecv')
      call check(all(in(:10) == peer + 8) .and. all(in(11:length) == peer + 9), 'what was matched')
      call gravel_mprobe(MPI_PROC_NULL, 4, comm, nobody)
      call check(nobody == MPI_MESSAGE_NO_PROC, 'a message of nobody')
      call gravel_mrecv(in, 1, MPI_INTEGER, nobody, status)
      call check(nobody == MPI_MESSAGE_NULL .and. SOURCE_OF == MPI_PROC_NULL, 'received from nobody')
      call gravel_waitall(2, sent, MPI_STATUSES_IGNORE)
      call MPI_Barrier(comm, ierror)
   end subroutine

   subroutine check_buffered(comm)
      COMMUNICATOR, intent(in) :: comm
      REQUEST :: sent, received
      integer :: round
      ! To nobody without any room.
      call gravel_post_bsend(out, long, MPI_INTEGER, MPI_PROC_NULL, 5, comm, sent, ierror)
      call check(ierror == MPI_SUCCESS, 'to nobody')
      call gravel_wait_request(sent)
      call MPI_Buffer_attach(room, 4*size(room), ierror)
      call gravel_buffer_attached(4*size(room))
      out = rank + 20
      call gravel_post_bsend(out, long, MPI_INTEGER, peer, 5, comm, sent, ierror)
      call check(ierror == MPI_SUCCESS, 'it fits')
      ! Nobody receives it before the other one has come here, too.
      call gravel_wait_request(sent)
      out = -1
      call MPI_Barrier(comm, ierror)
      call gravel_post_rcv_announced(in, long, MPI_INTEGER, peer, 5, comm, received)
      call gravel_wait(received, in)
      call check(all(in == peer + 20), 'a copy was sent')
      call gravel_prepare_bsend(out, short, MPI_INTEGER, peer, 6, comm, sent, ierror)
      do round = 1, 3
         out(:short) = rank + 30*round
         call gravel_start(sent, out)
         call gravel_wait(sent, out)
         out(:short) = -1
         call gravel_post_rcv_announced(in, short, MPI_INTEGER, peer, 6, comm, received)
         call gravel_wait(received, in)
         call check(all(in(:short) == peer + 30*round), 'a copy was started')
      end do
      call gravel_release(sent)
      call MPI_Barrier(comm, ierror)
      ! Open MPI 4.1 itself delivers nothing more after a buffered send that does not fit.
      if (comm == MPI_COMM_WORLD) then
         call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
         do round = 1, 40
            call gravel_post_bsend(out, long, MPI_INTEGER, peer, 7, comm, sent, ierror)
            if (ierror /= MPI_SUCCESS) exit
         end do
         call check(ierror == MPI_ERR_BUFFER, 'what does not fit is refused')
         call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL, ierror)
         ! Nothing is received, and no room becomes free, before both are here.
         call MPI_Barrier(comm, ierror)
         do k = 1, round - 1
            call gravel_post_rcv_announced(in, long, MPI_INTEGER, peer, 7, comm, received)
            call gravel_wait(received, in)
         end do
         k = 2
      end if
      call MPI_Barrier(comm, ierror)
#ifdef WITH_F08
      call detach()
#else
      call MPI_Buffer_detach(room, round, ierror)
#endif
      call gravel_buffer_detached()
   end subroutine

#ifdef WITH_F08
   subroutine detach()
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr) :: address
      integer :: bytes
      call MPI_Buffer_detach(address, bytes, ierror)
      call check(bytes == 4*size(room), 'what was detached')
   end subroutine
#endif

   subroutine check_cancelled(comm)
      COMMUNICATOR, intent(in) :: comm
      REQUEST :: sent, received
      STATUS_VARIABLE
      logical :: flag
      in = -1
      call gravel_post_rcv_announced(in, long, MPI_INTEGER, MPI_ANY_SOURCE, 8, comm, received)
      call gravel_request_get_status(received, flag, status, ierror)
      call check(.not. flag, 'it is not over')
      call gravel_cancel(received, ierror)
      call gravel_wait(received, in, status, ierror)
      call MPI_Test_cancelled(status, flag, ierror)
      call check(flag .and. all(in == -1), 'it was cancelled')
      call check(received == MPI_REQUEST_NULL, 'null after a cancellation')
      call MPI_Barrier(comm, ierror)
      ! The next one takes the message.
      out = rank + 40
      call gravel_post_snd_buffer_rdma(out, long, MPI_INTEGER, peer, 8, comm, sent)
      call gravel_post_rcv_announced(in, long, MPI_INTEGER, MPI_ANY_SOURCE, 8, comm, received)
      flag = .false.
      do while (.not. flag)
         call gravel_request_get_status(received, flag, status, ierror)
      end do
      call check_status(status, 8, long, 'a look')
      call check(received /= MPI_REQUEST_NULL, 'a look leaves the request')
      call gravel_wait(received, in, status)
      call MPI_Test_cancelled(status, flag, ierror)
      call check(.not. flag .and. all(in == peer + 40), 'it has come')
      call gravel_wait(sent, out)
      call MPI_Barrier(comm, ierror)
   end subroutine
end program
