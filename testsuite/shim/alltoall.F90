! All-to-all exchanges from Fortran. Built three times: with mpif.h, with the module mpi (WITH_MPI) and with the module
! mpi_f08 (WITH_F08). Runs on 4 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#else
#define COMMUNICATOR integer
#endif
program alltoall
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
   integer :: rank, ranks, ierror
   COMMUNICATOR :: other

   rank = 0
   ranks = 0
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call gravel_init(MPI_COMM_WORLD, ierror)
   call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)
   call gravel_attach(other)
   call check_exchange(MPI_COMM_WORLD, 10)
   call check_exchange(other, 30000)
   call check_exchange(MPI_COMM_WORLD, 30000)
   call check_blocks(MPI_COMM_WORLD, 10)
   call check_blocks(other, 30000)
   call check_refusal()
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   call MPI_Comm_free(other, ierror)
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      integer :: ignored
      if (holds) return
      print '(a,i0,2a)', "rank ", rank, ", does not hold: ", what
      call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
   end subroutine

   ! What comes is what MPI_Alltoallv brings, in blocks of different lengths.
   subroutine check_blocks(comm, n)
      COMMUNICATOR, intent(in) :: comm
      integer, intent(in) :: n
      integer(4), asynchronous :: out((n + 100)*ranks), in((n + 100)*ranks)
      integer(4) :: expected((n + 100)*ranks)
      integer :: sent(ranks), received(ranks), sent_at(ranks), received_at(ranks)
      integer(gravel_request_kind) :: receives, sends
      integer(gravel_transfer_kind) :: transfer
      integer :: k, p, way, ierror
      do k = 1, size(out)
         out(k) = int(1000000*rank + mod(k, 9973), 4)
      end do
      do p = 1, ranks
         sent(p) = n + 10*rank + p
         received(p) = n + 10*(p - 1) + rank + 1
         sent_at(p) = 20*p
         received_at(p) = (ranks - p)*(n + 100)
      end do
      expected = -1
      call MPI_Alltoallv(out, sent, sent_at, MPI_INTEGER4, expected, received, received_at, MPI_INTEGER4, comm, ierror)
      do way = 1, 2
         in = -1
         if (way == 1) then
            call gravel_post_alltoallv(in, received, received_at, MPI_INTEGER4, comm, receives, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_post_alltoallv")
            call gravel_send_alltoallv(out, sent, sent_at, MPI_INTEGER4, comm, sends, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_send_alltoallv")
         else
            call gravel_post_alltoallv_segments(in, received, received_at, MPI_INTEGER4, comm, receives)
            call gravel_open_alltoallv(out, sent(1:), sent_at(1:), MPI_INTEGER4, comm, transfer)
            call gravel_post_os_put(transfer, out, 0_gravel_transfer_kind, int(n/2, gravel_transfer_kind))
            call gravel_send_fin(transfer, sends, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_send_fin")
            call gravel_wait_range(receives, in, 0, n)
            call check(all(in(1:n) == expected(1:n)), "the block of the last rank")
         end if
         call gravel_wait(receives, in, ierror)
         call check(ierror == MPI_SUCCESS .and. all(in == expected), "all blocks of different lengths")
         call gravel_wait(sends, out, ierror)
         call check(ierror == MPI_SUCCESS, "gravel_wait")
      end do
   end subroutine

   ! What comes is what MPI_Alltoall brings, sent at once and in tiles.
   subroutine check_exchange(comm, n)
      COMMUNICATOR, intent(in) :: comm
      integer, intent(in) :: n
      integer(4), asynchronous :: out(n, ranks), in(n, ranks)
      integer(4) :: expected(n, ranks)
      integer(gravel_request_kind) :: receives, sends
      integer(gravel_transfer_kind) :: transfer
      integer :: k, p, way, ierror
      do p = 1, ranks
         do k = 1, n
            out(k, p) = int(1000000*rank + 10000*p + mod(k, 9973), 4)
         end do
      end do
      call MPI_Alltoall(out, n, MPI_INTEGER4, expected, n, MPI_INTEGER4, comm, ierror)
      do way = 1, 2
         in = -1
         if (way == 1) then
            call gravel_post_alltoall(in, n, MPI_INTEGER4, comm, receives, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_post_alltoall")
            call gravel_send_alltoall(out, n, MPI_INTEGER4, comm, sends, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_send_alltoall")
         else
            call gravel_post_alltoall_segments(in, n, MPI_INTEGER4, comm, receives)
            call gravel_open_alltoall(out, n, MPI_INTEGER4, comm, transfer)
            call check(gravel_tile([transfer], ranks*n) >= 1, "gravel_tile")
            do p = ranks, 1, -1
               call gravel_post_os_put(transfer, out, int(p - 1, gravel_transfer_kind)*n, int(n, gravel_transfer_kind))
            end do
            call gravel_send_fin(transfer, sends, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_send_fin")
            call gravel_wait_range(receives, in, 0, n)
            call check(all(in(:, 1) == expected(:, 1)), "the block of rank 0")
         end if
         call gravel_wait(receives, in, ierror)
         call check(ierror == MPI_SUCCESS .and. all(in == expected), "all blocks")
         call gravel_wait(sends, out, ierror)
         call check(ierror == MPI_SUCCESS, "gravel_wait")
      end do
   end subroutine

   ! A section with gaps is no buffer.
   subroutine check_refusal()
      integer(4) :: values(2*ranks)
      integer(gravel_request_kind) :: request
      integer :: ierror
      values = 0
      call gravel_send_alltoall(values(::2), 1, MPI_INTEGER4, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_BUFFER .and. request == gravel_request_null, "a section with gaps")
   end subroutine

end program
