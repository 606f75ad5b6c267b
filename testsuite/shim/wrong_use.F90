! Calls from Fortran that are wrong are errors with a code, and change nothing: before gravel_init and after gravel_finalize,
! also where MPI is not there, with handles that are over, invented, or another rank's, with buffers that are none. Built
! with mpif.h, the module mpi (WITH_MPI) or the module mpi_f08 (WITH_F08). Runs on 2 ranks.
program wrong_use
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
   integer, parameter :: n = 30000
   integer(4), asynchronous, save :: buffer(n), message(n)
   integer :: rank, peer, ierror, k

   call check_without_mpi()
   call check_without_runtime()
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   rank = 0
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call check_without_runtime()
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_SUCCESS, "gravel_init")
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_ERR_OTHER, "a second gravel_init")
   call check_arguments()
   call check_handles()
   call check_puts()
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize: nothing that was refused has left anything behind")
   call check_without_runtime()
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)
   call check_without_mpi()
   call check_without_runtime()

contains

   subroutine check_without_mpi()
      call gravel_init(MPI_COMM_WORLD, ierror)
      call check(ierror == MPI_ERR_OTHER, "gravel_init without MPI")
      call gravel_attach(MPI_COMM_WORLD, ierror)
      call check(ierror == MPI_ERR_OTHER, "gravel_attach without MPI")
   end subroutine

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print '(2a)', "does not hold: ", what
      stop 1
   end subroutine

   subroutine check_without_runtime()
      ! Requests of Gravel, that nothing has given out: MPI's are MPI's.
      integer(gravel_request_kind), parameter :: invented = 1025000001_gravel_request_kind
      integer(gravel_request_kind) :: request, requests(2)
      integer(gravel_transfer_kind) :: transfer
      integer :: index
      logical :: flag
#if defined(WITH_F08)
      type(MPI_Status) :: status
#else
      integer :: status(MPI_STATUS_SIZE)
#endif
      call gravel_post_rcv_buffer_rdma(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "a receive without gravel_init")
      call gravel_post_rcv_announced(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "another receive without gravel_init")
      call gravel_post_send(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "a send without gravel_init")
      call gravel_wait_rcv_buffer(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, transfer, ierror)
      call check(ierror == MPI_ERR_OTHER .and. transfer == gravel_transfer_null, "a transfer without gravel_init")
      request = invented
      call gravel_wait(request, buffer, ierror)
      call check(ierror == MPI_ERR_OTHER, "a wait without gravel_init")
      request = invented
      call gravel_test(request, buffer, flag, ierror)
      call check(ierror == MPI_ERR_OTHER .and. flag, "a test without gravel_init, in a loop that ends")
      call gravel_wait_range(invented, buffer, 0, 1, ierror)
      call check(ierror == MPI_ERR_OTHER, "a wait for a part without gravel_init")
      requests = [invented, invented + 1]
      call gravel_waitany(2, requests, index, ierror)
      call check(ierror == MPI_ERR_OTHER .and. index == MPI_UNDEFINED, "gravel_waitany without gravel_init")
      call gravel_cancel(invented, ierror)
      call check(ierror == MPI_ERR_OTHER, "a cancel without gravel_init")
      call gravel_post_rcv_segments(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "a receive in parts without gravel_init")
      call gravel_post_snd_request(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, transfer, ierror)
      call check(ierror == MPI_ERR_OTHER .and. transfer == gravel_transfer_null, "an announcement without gravel_init")
      call gravel_post_snd_buffer_rdma(buffer, n, MPI_INTEGER4, 0, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "an announced send without gravel_init")
      call gravel_wait_snd_request(0, 0, MPI_COMM_WORLD, status, ierror)
      call check(ierror == MPI_ERR_OTHER, "a wait for an announcement without gravel_init")
      call gravel_post_alltoall(buffer, 1, MPI_INTEGER4, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "an exchange without gravel_init")
      call gravel_post_alltoall_segments(buffer, 1, MPI_INTEGER4, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "an exchange in parts without gravel_init")
      call gravel_open_alltoall(buffer, 1, MPI_INTEGER4, MPI_COMM_WORLD, transfer, ierror)
      call check(ierror == MPI_ERR_OTHER .and. transfer == gravel_transfer_null, "an open exchange without gravel_init")
      call gravel_send_alltoall(buffer, 1, MPI_INTEGER4, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_OTHER .and. request == gravel_request_null, "an exchange's sends without gravel_init")
      requests = [invented, invented + 1]
      call gravel_waitall(2, requests, ierror)
      call check(ierror == MPI_ERR_OTHER, "gravel_waitall without gravel_init")
      call gravel_finalize(ierror)
      call check(ierror == MPI_ERR_OTHER, "gravel_finalize without gravel_init")
      transfer = 1
      call gravel_post_os_put(transfer, buffer, 0, 1, ierror)
      call check(ierror == MPI_ERR_OTHER, "a put without gravel_init")
      call gravel_send_fin(transfer, request, ierror)
      call check(ierror == MPI_ERR_OTHER, "a FIN without gravel_init")
   end subroutine

   subroutine check_arguments()
      integer(gravel_request_kind) :: request
      call gravel_post_send(message, n, MPI_INTEGER4, 2, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_RANK .and. request == gravel_request_null, "a rank that is none")
      call gravel_post_send(message, n, MPI_INTEGER4, peer, -7, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_TAG .and. request == gravel_request_null, "a tag that is none")
      call gravel_post_send(message, -1, MPI_INTEGER4, peer, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_COUNT .and. request == gravel_request_null, "a count that is none")
      call gravel_post_send(message(::2), 10, MPI_INTEGER4, peer, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_BUFFER .and. request == gravel_request_null, "a section with gaps")
      call gravel_post_rcv_buffer_rdma(buffer, n, MPI_INTEGER4, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_TAG .and. request == gravel_request_null, "any source without an announcement")
   end subroutine

   ! Handles of the ranks would be the same numbers, had they made the same calls: rank 1 has made one more.
   subroutine check_handles()
      integer(gravel_request_kind) :: receive, send, copy, theirs
      integer(gravel_transfer_kind) :: transfer
      ! Values of Gravel's that nothing has given out.
      integer(gravel_request_kind), parameter :: invented(3) = [1073741823, 1025689959, 1006707525]
      integer(gravel_transfer_kind), parameter :: no_transfers(3) = [-1, huge(1_4), 12345]
      integer(4), asynchronous :: in, out
      if (rank == 1) then
         call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER4, rank, 9, MPI_COMM_WORLD, receive)
         call gravel_post_send(out, 1, MPI_INTEGER4, rank, 9, MPI_COMM_WORLD, send)
         call gravel_wait(receive, in)
         call gravel_wait(send, out)
      end if
      buffer = -1
      message = [(int(rank + k, 4), k = 1, n)]
      call gravel_post_rcv_buffer_rdma(buffer, n, MPI_INTEGER4, peer, 1, MPI_COMM_WORLD, receive)
      call MPI_Sendrecv(receive, 1, MPI_INTEGER4, peer, 0, theirs, 1, MPI_INTEGER4, peer, 0, MPI_COMM_WORLD, &
         MPI_STATUS_IGNORE, ierror)
      call check(theirs /= receive, "handles of the ranks differ")
      call gravel_wait(theirs, buffer, ierror)
      call check(ierror == MPI_ERR_REQUEST, "another rank's request")
      do k = 1, 3
         copy = invented(k)
         call gravel_wait(copy, buffer, ierror)
         call check(ierror == MPI_ERR_REQUEST, "an invented request")
         transfer = no_transfers(k)
         call gravel_post_os_put(transfer, buffer, 0, 1, ierror)
         call check(ierror == MPI_ERR_REQUEST, "an invented transfer")
         call gravel_send_fin(transfer, send, ierror)
         call check(ierror == MPI_ERR_REQUEST, "the end of an invented transfer")
      end do
      ! A receive is no transfer.
      call gravel_post_os_put(receive, buffer, 0, 1, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a put into a receive")
      call gravel_wait_range(receive, buffer, n - 1, 2, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a part beyond the end")

      ! None of that has touched the receive. Its handle is null after its wait; a copy of it is refused.
      call gravel_post_send(message, n, MPI_INTEGER4, peer, 1, MPI_COMM_WORLD, send)
      copy = receive
      call gravel_wait(receive, buffer, ierror)
      call check(ierror == MPI_SUCCESS .and. all(buffer == [(int(peer + k, 4), k = 1, n)]), "the message")
      call gravel_wait(copy, buffer, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a request that was waited for twice")
      call gravel_wait(receive, buffer, ierror)
      call check(ierror == MPI_SUCCESS, "a null request is complete")
      call gravel_wait(send, message)
   end subroutine

   ! Puts outside of the message, of other memory, twice, and too few of them: the other side hears of the last one.
   subroutine check_puts()
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer, copy
      call gravel_post_rcv_buffer_rdma(buffer, n, MPI_INTEGER4, peer, 2, MPI_COMM_WORLD, receive)
      call gravel_wait_rcv_buffer(message, n, MPI_INTEGER4, peer, 2, MPI_COMM_WORLD, transfer)
      call gravel_post_os_put(transfer, message, n - 1, 2, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a put beyond the end")
      call gravel_post_os_put(transfer, message, -1, 2, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a put before the beginning")
      call gravel_post_os_put(transfer, message(2:), 0, 1, ierror)
      call check(ierror == MPI_ERR_BUFFER, "a put of another buffer")
      call gravel_post_os_put(transfer, message, 0, 100, ierror)
      call check(ierror == MPI_SUCCESS, "a put")
      call gravel_post_os_put(transfer, message, 99, 100, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a put over another one")
      copy = transfer
      call gravel_send_fin(transfer, send, ierror)
      call check(ierror == MPI_ERR_REQUEST .and. transfer == gravel_transfer_null, "the end of a part of a message")
      call gravel_send_fin(copy, send, ierror)
      call check(ierror == MPI_ERR_REQUEST, "a transfer that was ended twice")
      call gravel_wait(receive, buffer, ierror)
      call check(ierror == MPI_ERR_OTHER, "a message that its sender has not completed")
   end subroutine

end program wrong_use
