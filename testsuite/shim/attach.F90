! gravel_attach and datatypes from Fortran. Built three times: with mpif.h, with the module mpi (WITH_MPI) and with the
! module mpi_f08 (WITH_F08). Runs on 4 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define STATUS_ARRAY type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#define STATUS_ARRAY integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif
program attach
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
   COMMUNICATOR :: kept

   rank = 0
   ranks = 0
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call check(ranks == 4, "four ranks")
   call gravel_attach(MPI_COMM_NULL, ierror)
   call check(ierror == MPI_SUCCESS, "MPI_COMM_NULL is no error")
   call gravel_attach(MPI_COMM_WORLD, ierror)
   call check(ierror /= MPI_SUCCESS, "attached before gravel_init")
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_SUCCESS, "gravel_init")
   call check_ring(MPI_COMM_WORLD)
   call check_makes()
   call check_tags()
   call check_reused_handles()
   call check_freed_in_flight(50)
   call check_freed_in_flight(50000)
   call check_datatypes()
   call check_intercommunicator()
   call MPI_Comm_dup(MPI_COMM_WORLD, kept, ierror)
   call gravel_attach(kept)
   call check_ring(kept)
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   call MPI_Comm_free(kept, ierror)
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

   ! Passes ranks round a communicator.
   subroutine check_ring(comm)
      COMMUNICATOR, intent(in) :: comm
      integer :: own, size, left, ierror
      integer(4), asynchronous :: in, out
      integer(gravel_request_kind) :: receive, send
      STATUS_ARRAY :: status
      own = 0
      size = 0
      call MPI_Comm_rank(comm, own, ierror)
      call MPI_Comm_size(comm, size, ierror)
      left = mod(own + size - 1, size)
      out = int(1000*size + own, 4)
      in = -1
      call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER4, left, 7, comm, receive, ierror)
      call check(ierror == MPI_SUCCESS, "gravel_post_rcv_buffer_rdma")
      call gravel_post_send(out, 1, MPI_INTEGER4, mod(own + 1, size), 7, comm, send, ierror)
      call check(ierror == MPI_SUCCESS, "gravel_post_send")
      call gravel_wait(receive, in, status, ierror)
      call check(ierror == MPI_SUCCESS .and. in == 1000*size + left, "the left neighbour's message")
      call check(SOURCE_OF(status) == left, "the source is a rank of the communicator")
      call gravel_wait(send, out, ierror)
   end subroutine

   ! Its messages are MPI's.
   subroutine check_not_attached(comm)
      COMMUNICATOR, intent(in) :: comm
      integer :: own, ierror
      integer(4), asynchronous :: in, out
      integer(gravel_request_kind) :: requests(2)
      own = 0
      call MPI_Comm_rank(comm, own, ierror)
      in = 0
      out = 7
      call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER4, own, 30, comm, requests(1), ierror)
      call gravel_post_send(out, 1, MPI_INTEGER4, own, 30, comm, requests(2), ierror)
      call check(ierror == MPI_SUCCESS .and. all(ishft(requests, -26) /= 15), "not attached")
      call gravel_waitall(2, requests, ierror)
      call gravel_f_sync_reg(in)
      call check(ierror == MPI_SUCCESS .and. in == 7, "a message that MPI carries")
   end subroutine

   subroutine check_makes()
      COMMUNICATOR :: duplicate, second, part, grid, row, created
      logical, dimension(2) :: periods, rows
      integer, dimension(2) :: dimensions
      dimensions = 2
      periods = .true.
      rows = [.false., .true.]
      call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, ierror)
      call check_not_attached(duplicate)
      call gravel_attach(duplicate, ierror)
      call check(ierror == MPI_SUCCESS, "a duplicate")
      call gravel_attach(duplicate)
#ifndef WITH_F08
      call gravel_attach(int(duplicate, 8))
#endif
      call check_ring(duplicate)
      call MPI_Comm_dup(duplicate, second, ierror)
      call check_not_attached(second)
      call MPI_Comm_free(second, ierror)
      call check_ring(duplicate)
      call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, part, ierror)
      call gravel_attach(part)
      call check_ring(part)
      call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 0, rank == 2), -rank, created, ierror)
      call gravel_attach(created)
      if (created /= MPI_COMM_NULL) then
         call check_ring(created)
         call MPI_Comm_free(created, ierror)
      end if
      call MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, .true., grid, ierror)
      call gravel_attach(grid)
      call check_ring(grid)
      call MPI_Cart_sub(grid, rows, row, ierror)
      call gravel_attach(row)
      call check_ring(row)
      call check_ring(duplicate)
      call MPI_Comm_free(row, ierror)
      call MPI_Comm_free(grid, ierror)
      call MPI_Comm_free(part, ierror)
      call MPI_Comm_free(duplicate, ierror)
   end subroutine

   ! The same tag on two communicators, sent in the other order than the receives are posted.
   subroutine check_tags()
      COMMUNICATOR :: other
      integer(4), asynchronous :: here, there, values(2)
      integer(gravel_request_kind) :: receives(2), sends(2)
      integer :: to, from
      to = mod(rank + 1, ranks)
      from = mod(rank + ranks - 1, ranks)
      values = int([100 + rank, 200 + rank], 4)
      call MPI_Comm_dup(MPI_COMM_WORLD, other, ierror)
      call gravel_attach(other)
      call gravel_post_rcv_buffer_rdma(here, 1, MPI_INTEGER4, from, 1, MPI_COMM_WORLD, receives(1))
      call gravel_post_rcv_buffer_rdma(there, 1, MPI_INTEGER4, from, 1, other, receives(2))
      call gravel_post_send(values(2), 1, MPI_INTEGER4, to, 1, other, sends(2))
      call gravel_post_send(values(1), 1, MPI_INTEGER4, to, 1, MPI_COMM_WORLD, sends(1))
      call gravel_waitall(2, receives)
      call gravel_waitall(2, sends)
      call gravel_f_sync_reg(here)
      call gravel_f_sync_reg(there)
      call gravel_f_sync_reg(values)
      call check(here == 100 + from .and. there == 200 + from, "tags of two communicators")
      call MPI_Comm_free(other, ierror)
   end subroutine

   subroutine check_reused_handles()
      COMMUNICATOR :: comm
      integer :: k
      do k = 1, 20
         call MPI_Comm_split(MPI_COMM_WORLD, rank/2, (-1)**k*rank, comm, ierror)
         call check_not_attached(comm)
         call gravel_attach(comm, ierror)
         call check(ierror == MPI_SUCCESS, "a handle that was used before")
         call check_ring(comm)
         call MPI_Comm_free(comm, ierror)
      end do
   end subroutine

   ! What was posted before MPI_Comm_free completes.
   subroutine check_freed_in_flight(n)
      integer, intent(in) :: n
      COMMUNICATOR :: comm
      double precision, asynchronous :: in(n), out(n)
      integer(gravel_request_kind) :: receive, send
      STATUS_ARRAY :: status
      integer :: own, peer
      own = 0
      in = 0
      out = rank
      call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, comm, ierror)
      call gravel_attach(comm)
      call MPI_Comm_rank(comm, own, ierror)
      peer = 1 - own
      call gravel_post_rcv_buffer_rdma(in, n, MPI_DOUBLE_PRECISION, peer, 3, comm, receive)
      call gravel_post_send(out, n, MPI_DOUBLE_PRECISION, peer, 3, comm, send)
      call MPI_Comm_free(comm, ierror)
      call check_ring(MPI_COMM_WORLD)
      call gravel_wait(receive, in, status, ierror)
      call check(ierror == MPI_SUCCESS .and. SOURCE_OF(status) == peer, "a freed communicator's message")
      call gravel_wait(send, out)
      call check(all(in == mod(rank + 2, 4)), "a freed communicator's data")
   end subroutine

   subroutine check_carried(datatype, bytes)
      DATATYPE, intent(in) :: datatype
      integer, intent(in) :: bytes
      integer(1), asynchronous :: in(1000), out(1000)
      integer(gravel_request_kind) :: receive, send
      STATUS_ARRAY :: status
      integer :: peer, count
      count = 0
      peer = mod(rank + 2, 4)
      in = -1_1
      out = int(rank, 1)
      call gravel_post_rcv_buffer_rdma(in, 2, datatype, peer, 4, MPI_COMM_WORLD, receive, ierror)
      call check(ierror == MPI_SUCCESS, "a datatype that is carried")
      call gravel_post_send(out, 2, datatype, peer, 4, MPI_COMM_WORLD, send, ierror)
      call gravel_wait(receive, in, status, ierror)
      call check(ierror == MPI_SUCCESS, "a message of a datatype")
      call gravel_wait(send, out)
      call MPI_Get_count(status, MPI_BYTE, count, ierror)
      call check(count == 2*bytes, "the length of a datatype")
      call check(all(in(:2*bytes) == peer) .and. all(in(2*bytes + 1:) == -1), "the bytes of a datatype")
   end subroutine

   ! A datatype with gaps: what arrives is what MPI delivers.
   subroutine check_scattered(datatype)
      DATATYPE, intent(in) :: datatype
      integer(1), asynchronous :: in(1000), out(1000), expected(1000)
      integer(gravel_request_kind) :: receive, send
      integer :: peer, k
      peer = mod(rank + 2, 4)
      in = -1_1
      expected = -1_1
      out = [(int(mod(k + rank, 100), 1), k=1, 1000)]
      call MPI_Sendrecv(out, 2, datatype, peer, 4, expected, 2, datatype, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call gravel_post_rcv_buffer_rdma(in, 2, datatype, peer, 4, MPI_COMM_WORLD, receive, ierror)
      call check(ierror == MPI_SUCCESS, "a datatype with gaps")
      call gravel_post_send(out, 2, datatype, peer, 4, MPI_COMM_WORLD, send, ierror)
      call gravel_wait(receive, in)
      call gravel_wait(send, out)
      call check(all(in == expected), "the bytes of a datatype with gaps")
   end subroutine

   subroutine check_datatypes()
      DATATYPE :: datatype, inner, fields(2)
      integer :: k, lengths(2)
      integer(MPI_ADDRESS_KIND) :: displacements(2)
      call check_carried(MPI_REAL8, 8)
      call check_carried(MPI_INTEGER4, 4)
      call check_carried(MPI_DOUBLE_COMPLEX, 16)
      call check_carried(MPI_CHARACTER, 1)
      call check_carried(MPI_BYTE, 1)
      call check_carried(MPI_PACKED, 1)
      call check_carried(MPI_2INTEGER, 8)
      call check_carried(MPI_2DOUBLE_PRECISION, 16)
      call check_scattered(MPI_DOUBLE_INT)
      call MPI_Type_create_darray(1, 0, 1, [8], [MPI_DISTRIBUTE_BLOCK], [MPI_DISTRIBUTE_DFLT_DARG], [1], MPI_ORDER_FORTRAN, &
         MPI_REAL8, datatype, ierror)
      call MPI_Type_commit(datatype, ierror)
      call check_carried(datatype, 64)
      call MPI_Type_free(datatype, ierror)
      call MPI_Type_create_f90_real(15, MPI_UNDEFINED, datatype, ierror)
      call check_carried(datatype, 8)
      do k = 1, 10
         call MPI_Type_contiguous(k, MPI_REAL8, datatype, ierror)
         call check_carried(datatype, 8*k)
         call check_carried(datatype, 8*k)
         call MPI_Type_free(datatype, ierror)
         call MPI_Type_vector(2, 1, 2, MPI_REAL8, datatype, ierror)
         call MPI_Type_commit(datatype, ierror)
         call check_scattered(datatype)
         call MPI_Type_free(datatype, ierror)
      end do
      lengths = [2, 2]
      displacements = [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND]
      fields(1) = MPI_REAL8
      fields(2) = MPI_INTEGER4
      call MPI_Type_create_struct(2, lengths, displacements, fields, inner, ierror)
      call MPI_Type_vector(2, 3, 3, inner, datatype, ierror)
      call MPI_Type_free(inner, ierror)
      call check_carried(datatype, 144)
      call MPI_Type_free(datatype, ierror)
      displacements(2) = 24
      call MPI_Type_create_struct(2, lengths, displacements, fields, datatype, ierror)
      call MPI_Type_commit(datatype, ierror)
      call check_scattered(datatype)
      call MPI_Type_free(datatype, ierror)
   end subroutine

   subroutine check_intercommunicator()
      COMMUNICATOR :: half, inter
      call MPI_Comm_split(MPI_COMM_WORLD, rank/2, rank, half, ierror)
      call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, merge(2, 0, rank < 2), 8, inter, ierror)
      call MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN, ierror)
      call gravel_attach(inter, ierror)
      call check(ierror == MPI_SUCCESS, "an intercommunicator is not attached")
      call check_on_intercommunicator(inter)
      call MPI_Comm_free(inter, ierror)
      call MPI_Comm_free(half, ierror)
   end subroutine

   ! Its ranks are those of the other half.
   subroutine check_on_intercommunicator(inter)
      COMMUNICATOR, intent(in) :: inter
      integer(4), asynchronous :: in, out
      integer(gravel_request_kind) :: receive, send
      out = int(rank, 4)
      in = -1
      call gravel_post_rcv_buffer_rdma(in, 1, MPI_INTEGER4, mod(rank, 2), 9, inter, receive, ierror)
      call gravel_post_send(out, 1, MPI_INTEGER4, mod(rank, 2), 9, inter, send, ierror)
      call gravel_wait(receive, in, ierror)
      call check(ierror == MPI_SUCCESS .and. in == mod(rank + 2, 4), "a message of the other half")
      call gravel_wait(send, out)
   end subroutine

end program attach
