! Posts that fail without an argument for their error, where errors are returned: what ends the operation returns the error, once.
! Built with the module mpi (WITH_MPI) or the module mpi_f08 (WITH_F08). Runs on 2 ranks.
program failed_posts
#if defined(WITH_F08)
   use mpi_f08
#else
   use mpi
#endif
   use gravel
   implicit none
   integer, parameter :: n = 100000
   real(8), asynchronous, save :: in(n), out(n)
   integer :: rank, other, ranks, ierror

   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_SUCCESS, "gravel_init")
   call gravel_errors_return()
   other = 1 - rank
   out = real(rank, 8)
   call check_requests()
   call check_several()
   call check_transfers()
   call check_too_long()
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)

contains

   subroutine check_requests()
      integer(gravel_request_kind) :: request
      logical :: flag
      call gravel_post_rcv_buffer_rdma(in, n, MPI_DOUBLE_PRECISION, ranks, 1, MPI_COMM_WORLD, request)
      call check(request /= gravel_request_null, "a receive that could not be posted")
      call gravel_wait_range(request, in, 0, n)
      call gravel_wait(request, in, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_ERR_RANK .and. request == gravel_request_null, "its wait")
      call gravel_wait(request, in, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_SUCCESS, "the next one")
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, other, -3, MPI_COMM_WORLD, request)
      call gravel_test(request, out, flag, MPI_STATUS_IGNORE, ierror)
      call check(flag .and. ierror == MPI_ERR_TAG, "its test")
      ! With an argument for the error nothing is left to be ended.
      call gravel_post_send(out, -1, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_COUNT .and. request == gravel_request_null, "a send with an error argument")
   end subroutine

   subroutine check_several()
      integer(gravel_request_kind) :: requests(3)
      integer :: place
      call gravel_post_rcv_buffer_rdma(in, n, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, requests(1))
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, requests(2))
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, ranks + 7, 4, MPI_COMM_WORLD, requests(3))
      call gravel_waitall(3, requests, ierror)
      call gravel_f_sync_reg(in)
      call gravel_f_sync_reg(out)
      call check(ierror == MPI_ERR_RANK .and. all(requests == gravel_request_null), "gravel_waitall")
      call check(all(in == real(other, 8)), "what has come beside it")
      requests = gravel_request_null
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, ranks, 4, MPI_COMM_WORLD, requests(2))
      call gravel_waitany(3, requests, place, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_ERR_RANK .and. place == 2 .and. requests(2) == gravel_request_null, "gravel_waitany")
   end subroutine

   subroutine check_transfers()
      integer(gravel_transfer_kind) :: transfer
      integer(gravel_request_kind) :: request
      call gravel_wait_rcv_buffer(out, n, MPI_DOUBLE_PRECISION, ranks, 5, MPI_COMM_WORLD, transfer)
      call check(transfer /= gravel_transfer_null, "a transfer that could not be opened")
      call check(gravel_tile(transfer, n) >= 1, "its tile")
      call gravel_post_os_put(transfer, out, 0, n / 2, ierror)
      call check(ierror == MPI_SUCCESS, "a put into it")
      call gravel_send_fin(transfer, request, ierror)
      call check(ierror == MPI_ERR_RANK .and. transfer == gravel_transfer_null, "its end")
      call check(request == gravel_request_null, "its request")
   end subroutine

   ! Only the receiver hears of it.
   subroutine check_too_long()
      integer(gravel_request_kind) :: receive, send
      call gravel_post_rcv_buffer_rdma(in, n / 2, MPI_DOUBLE_PRECISION, other, 6, MPI_COMM_WORLD, receive, ierror)
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, other, 6, MPI_COMM_WORLD, send, ierror)
      call gravel_wait(send, out, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_SUCCESS, "the send of a message that is too long")
      call gravel_wait(receive, in, MPI_STATUS_IGNORE, ierror)
      call check(ierror == MPI_ERR_TRUNCATE, "its receive")
   end subroutine

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print '(2a)', "does not hold: ", what
      stop 1
   end subroutine
end program
