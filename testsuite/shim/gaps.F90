! Messages of datatypes with gaps, from Fortran. Built three times: with mpif.h, with the module mpi (WITH_MPI) and with the
! module mpi_f08 (WITH_F08). Each rank sends to the next one and receives from the previous one; what arrives is compared with
! what MPI delivers. Runs on 3 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define STATUS type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif
program gaps
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
   integer, parameter :: rows = 60, columns = 40, planes = 50
   ! Program data, which is adopted, but for its edges.
   double precision, asynchronous, save, dimension(rows, columns, planes) :: field, arrived, expected
   integer :: rank, ranks, next, previous, ierror, shape, way
   ! For messages that are announced: receives of any source and any tag are for all messages of their communicator.
   COMMUNICATOR :: announced

   rank = 0
   ranks = 0
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   next = mod(rank + 1, ranks)
   previous = mod(rank + ranks - 1, ranks)
   call gravel_init(MPI_COMM_WORLD)
   call MPI_Comm_dup(MPI_COMM_WORLD, announced, ierror)
   call gravel_attach(announced)
   do shape = 1, 8
      do way = 1, 6
         call check_message(shape, way)
      end do
   end do
   call check_bottom()
   call check_refusals()
   call gravel_finalize()
   if (rank == 0) print '(a)', 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(len=*), intent(in) :: what
      if (holds) return
      print *, 'rank', rank, 'shape', shape, 'way', way, 'wrong: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine

   ! A part of the field; all begin at its first element.
   subroutine make(which, datatype)
      integer, intent(in) :: which
      DATATYPE, intent(out) :: datatype
      DATATYPE :: inner, fields(3)
      integer :: k, lengths(columns), places(columns)
      integer(MPI_ADDRESS_KIND) :: displacements(3), extent
      extent = 8*rows
      select case (which)
      case (1)
         ! A row of the first plane.
         call MPI_Type_vector(columns, 1, rows, MPI_DOUBLE_PRECISION, datatype, ierror)
      case (2)
         ! A face of the box.
         call MPI_Type_vector(columns*planes, 1, rows, MPI_DOUBLE_PRECISION, datatype, ierror)
      case (3)
         call MPI_Type_create_subarray(3, [rows, columns, planes], [rows - 2, 1, planes - 2], [1, columns - 2, 1], &
            MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, datatype, ierror)
      case (4)
         call MPI_Type_create_subarray(3, [planes, columns, rows], [3, columns - 2, 5], [1, 1, 7], MPI_ORDER_C, &
            MPI_DOUBLE_PRECISION, datatype, ierror)
      case (5)
         lengths = [(1 + mod(k, 4), k=1, columns)]
         places = [(rows*(columns - k) + mod(k, 5), k=1, columns)]
         call MPI_Type_indexed(columns, lengths, places, MPI_DOUBLE_PRECISION, datatype, ierror)
      case (6)
         ! Elements of a derived type with a gap inside and one behind.
         displacements = [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND, 36_MPI_ADDRESS_KIND]
         fields = [MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_REAL]
         call MPI_Type_create_struct(3, [1, 2, 1], displacements, fields, inner, ierror)
         extent = 48
         call MPI_Type_create_resized(inner, 0_MPI_ADDRESS_KIND, extent, fields(1), ierror)
         call MPI_Type_contiguous(2000, fields(1), datatype, ierror)
         call MPI_Type_free(inner, ierror)
         call MPI_Type_free(fields(1), ierror)
      case (7)
         ! Rows that follow one another, by their extent.
         call MPI_Type_vector(columns, 1, rows, MPI_DOUBLE_PRECISION, inner, ierror)
         extent = 8
         call MPI_Type_create_resized(inner, 0_MPI_ADDRESS_KIND, extent, fields(1), ierror)
         call MPI_Type_contiguous(rows/2, fields(1), datatype, ierror)
         call MPI_Type_free(inner, ierror)
         call MPI_Type_free(fields(1), ierror)
      case default
         ! A whole plane in the middle: no gap, and another address.
         call MPI_Type_create_subarray(3, [rows, columns, planes], [rows, columns, 1], [0, 0, planes/2], MPI_ORDER_FORTRAN, &
            MPI_DOUBLE_PRECISION, datatype, ierror)
      end select
      call MPI_Type_commit(datatype, ierror)
   end subroutine

   subroutine check_message(shape, way)
      integer, intent(in) :: shape, way
      DATATYPE :: datatype
      STATUS :: status, expected_status
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer
      integer :: k, count, expected_count
      count = -1
      expected_count = 0
      field = reshape([(rank*1d6 + k, k=1, size(field))], [rows, columns, planes])
      arrived = -1
      expected = -1
      call make(shape, datatype)
      call MPI_Sendrecv(field, 1, datatype, next, 0, expected, 1, datatype, previous, 0, MPI_COMM_WORLD, expected_status, ierror)
      select case (way)
      case (1)
         call gravel_post_rcv_buffer_rdma(arrived, 1, datatype, previous, 1, MPI_COMM_WORLD, receive)
         call gravel_post_send(field, 1, datatype, next, 1, MPI_COMM_WORLD, send)
      case (2)
         call gravel_wait_rcv_buffer(field, 1, datatype, next, 1, MPI_COMM_WORLD, transfer)
         call gravel_post_rcv_segments(arrived, 1, datatype, previous, 1, MPI_COMM_WORLD, receive)
         call check(gravel_tile(transfer, 77) == 77, 'one tile')
         call gravel_post_os_put(transfer, field, 0, 1)
         call gravel_send_fin(transfer, send)
      case (3)
         call gravel_post_send_copied(field, 1, datatype, next, 1, MPI_COMM_WORLD, send)
         field = -2
         call gravel_post_rcv_buffer_rdma(arrived, 1, datatype, previous, 1, MPI_COMM_WORLD, receive)
      case (4)
         call gravel_post_rcv_announced(arrived, 1, datatype, MPI_ANY_SOURCE, MPI_ANY_TAG, announced, receive)
         call gravel_post_snd_buffer_rdma(field, 1, datatype, next, 1, announced, send)
      case (5)
         call gravel_post_snd_request(field, 1, datatype, next, 1, announced, transfer)
         call gravel_send_fin(transfer, send)
         call gravel_post_rcv_announced(arrived, 1, datatype, previous, 1, announced, receive)
      case default
         call gravel_prepare_receive(arrived, 1, datatype, previous, 1, MPI_COMM_WORLD, receive)
         call gravel_prepare_send(field, 1, datatype, next, 1, MPI_COMM_WORLD, send)
         call gravel_start(send, field)
         call gravel_start(receive, arrived)
      end select
      ! What is under way needs it no more.
      call MPI_Type_free(datatype, ierror)
      if (way == 2) then
         call gravel_wait_range(receive, arrived, 0, 1)
         call check(all(arrived == expected), 'a part that has come')
      end if
      call gravel_wait(receive, arrived, status, ierror)
      call check(ierror == MPI_SUCCESS, 'a message')
      call gravel_wait(send, field)
      if (way == 6) then
         call gravel_release(send)
         call gravel_release(receive)
      end if
      call check(all(arrived == expected), 'what arrives')
      call check(SOURCE_OF(status) == previous, 'its source')
      call MPI_Get_count(status, MPI_BYTE, count, ierror)
      call MPI_Get_count(expected_status, MPI_BYTE, expected_count, ierror)
      call check(count == expected_count, 'its length')
   end subroutine

   ! Of datatypes that hold addresses, relative to MPI_BOTTOM: both ways.
   subroutine check_bottom()
      DATATYPE :: datatype
      integer(MPI_ADDRESS_KIND) :: addresses(2)
      integer(gravel_request_kind) :: send, receive
      double precision, asynchronous :: got(2), given(2)
      STATUS :: status
      call MPI_Get_address(field(1, 1, 1), addresses(1), ierror)
      call MPI_Get_address(field(5, 1, 1), addresses(2), ierror)
      call MPI_Type_create_hindexed(2, [1, 1], addresses, MPI_DOUBLE_PRECISION, datatype, ierror)
      call MPI_Type_commit(datatype, ierror)
      field(1, 1, 1) = rank + 0.25d0
      field(5, 1, 1) = rank + 0.5d0
      got = 0
      call gravel_post_rcv_buffer_rdma(got, 2, MPI_DOUBLE_PRECISION, previous, 77, MPI_COMM_WORLD, receive, ierror)
      call gravel_post_send(MPI_BOTTOM, 1, datatype, next, 77, MPI_COMM_WORLD, send, ierror)
      call check(ierror == MPI_SUCCESS, 'MPI_BOTTOM in a send')
      call gravel_wait(receive, got, status, ierror)
      call gravel_wait(send, field)
      call check(all(got == [previous + 0.25d0, previous + 0.5d0]), 'what is sent from MPI_BOTTOM')
      given = [rank + 7d0, rank + 8d0]
      call gravel_post_rcv_buffer_rdma(MPI_BOTTOM, 1, datatype, previous, 78, MPI_COMM_WORLD, receive, ierror)
      call check(ierror == MPI_SUCCESS, 'MPI_BOTTOM in a receive')
      call gravel_post_send(given, 2, MPI_DOUBLE_PRECISION, next, 78, MPI_COMM_WORLD, send, ierror)
      call gravel_wait(receive, field, status, ierror)
      call gravel_wait(send, given)
      call check(field(1, 1, 1) == previous + 7 .and. field(5, 1, 1) == previous + 8, 'what is received at MPI_BOTTOM')
      call MPI_Type_free(datatype, ierror)
   end subroutine

   ! MPI_BOTTOM is no buffer by itself; nor is the layout of every datatype known.
   subroutine check_refusals()
      DATATYPE :: datatype, inner
      integer :: k
      integer(gravel_request_kind) :: request
      call MPI_Type_vector(2, 1, 4, MPI_DOUBLE_PRECISION, datatype, ierror)
      call MPI_Type_commit(datatype, ierror)
      call gravel_post_send(MPI_BOTTOM, 1, datatype, next, 1, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_BUFFER .and. request == gravel_request_null, 'MPI_BOTTOM without addresses')
      call MPI_Type_free(datatype, ierror)
      ! Deeper than anybody nests.
      call MPI_Type_dup(MPI_DOUBLE_PRECISION, datatype, ierror)
      do k = 1, 200
         inner = datatype
         call MPI_Type_dup(inner, datatype, ierror)
         call MPI_Type_free(inner, ierror)
      end do
      call MPI_Type_commit(datatype, ierror)
      call gravel_post_send(field, 1, datatype, next, 1, MPI_COMM_WORLD, request, ierror)
      call check(ierror == MPI_ERR_TYPE .and. request == gravel_request_null, 'a tower of datatypes')
      call MPI_Type_free(datatype, ierror)
   end subroutine
end program
