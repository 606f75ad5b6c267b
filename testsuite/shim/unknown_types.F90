! Messages whose datatypes only the runtime knows, in loops that go by the elements of their arrays: as long as these are, longer,
! shorter, with gaps, freed while messages are under way. Tile by tile, on communicators that are attached and on one that is
! not; what arrives is compared with what MPI delivers. Runs on 2 ranks.
program unknown_types
   use mpi
   use gravel
   implicit none
   integer, parameter :: wp = kind(1d0), longest = 60000
   double precision, asynchronous, save, dimension(2*longest) :: sent, arrived, expected
   integer :: rank, peer, ierror, which, way, length, cut, announced, left

   rank = 0
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call gravel_init(MPI_COMM_WORLD)
   call MPI_Comm_dup(MPI_COMM_WORLD, announced, ierror)
   call gravel_attach(announced)
   call MPI_Comm_dup(MPI_COMM_WORLD, left, ierror)
   do which = 1, 9
      do way = 1, 4
         do length = 50, longest, longest - 50
            do cut = 1, 3, 2
               call check_message()
            end do
         end do
      end do
   end do
   call gravel_finalize()
   if (rank == 0) print '(a)', 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(len=*), intent(in) :: what
      if (holds) return
      print *, 'rank', rank, 'type', which, 'way', way, 'length', length, 'cut', cut, 'wrong: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine

   ! A message of the first elements of an array, and whether its elements are the array's, one behind the other.
   subroutine make(datatype, count, is_owned, in_step)
      integer, intent(out) :: datatype, count
      logical, intent(out) :: is_owned, in_step
      integer :: inner
      integer(MPI_ADDRESS_KIND) :: extent, places(2)
      count = length
      is_owned = which > 4
      in_step = which == 1 .or. which == 9
      select case (which)
      case (1, 2)
         ! As by: if (wp == 8) type = MPI_DOUBLE_PRECISION else type = MPI_REAL
         if (wp == 8 .and. which == 1) then
            datatype = MPI_DOUBLE_PRECISION
         else
            datatype = MPI_REAL
         end if
      case (3)
         datatype = MPI_BYTE
         count = 8*length
      case (4)
         datatype = MPI_DOUBLE_COMPLEX
         count = length/2
      case (5)
         call MPI_Type_vector(length/2, 1, 3, MPI_DOUBLE_PRECISION, datatype, ierror)
         count = 1
      case (6)
         places = [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND]
         call MPI_Type_create_struct(2, [1, 1], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], datatype, ierror)
         count = length/2
      case (7)
         extent = 16
         call MPI_Type_create_resized(MPI_DOUBLE_PRECISION, 0_MPI_ADDRESS_KIND, extent, datatype, ierror)
      case (8)
         call MPI_Type_contiguous(length, MPI_DOUBLE_PRECISION, datatype, ierror)
         count = 1
      case default
         extent = 8
         call MPI_Type_contiguous(2, MPI_REAL, inner, ierror)
         call MPI_Type_create_resized(inner, 0_MPI_ADDRESS_KIND, extent, datatype, ierror)
         call MPI_Type_free(inner, ierror)
      end select
      if (is_owned) call MPI_Type_commit(datatype, ierror)
   end subroutine

   subroutine check_message()
      integer :: datatype, count, first, part, step, comm, k
      integer :: receive, send, both(2), statuses(MPI_STATUS_SIZE, 2)
      integer(gravel_transfer_kind) :: transfer
      logical :: is_owned, in_step
      call make(datatype, count, is_owned, in_step)
      comm = MPI_COMM_WORLD
      if (way == 3) comm = announced
      if (way == 4) comm = left
      sent = [(rank*1d6 + k + 0.5d0, k=1, size(sent))]
      arrived = -1
      expected = -1
      call MPI_Sendrecv(sent, count, datatype, peer, 0, expected, count, datatype, peer, 0, MPI_COMM_WORLD, &
         MPI_STATUS_IGNORE, ierror)
      sent = -2
      if (way == 3) then
         call gravel_post_rcv_announced(arrived, count, datatype, MPI_ANY_SOURCE, 5, comm, receive)
         call gravel_post_snd_request(sent, count, datatype, peer, 5, comm, transfer)
      else
         call gravel_post_rcv_segments(arrived, count, datatype, peer, 5, comm, receive)
         if (way == 2) then
            call gravel_wait_rcv_buffer_synchronous(sent, count, datatype, peer, 5, comm, transfer)
         else
            call gravel_wait_rcv_buffer(sent, count, datatype, peer, 5, comm, transfer)
         end if
      end if
      ! Nobody needs it any more.
      if (is_owned) call MPI_Type_free(datatype, ierror)
      step = int(gravel_tile(transfer, length, 1))
      if (.not. in_step) call check(step == length, 'a loop that must not be cut for it is')
      ! Another message of the loop wants it to be cut.
      if (cut > 1) step = max(length/cut, 1)
      do first = 1, length, step
         part = min(step, length - first + 1)
         do k = first, first + part - 1
            sent(k) = rank*1d6 + k + 0.5d0
         end do
         if (first + part > length) sent(length + 1:) = [(rank*1d6 + k + 0.5d0, k=length + 1, size(sent))]
         call gravel_post_os_put(transfer, sent, first - 1, part, ierror)
         call check(ierror == MPI_SUCCESS, 'a put')
      end do
      call gravel_send_fin(transfer, send)
      step = int(gravel_tile(receive, length, 1))
      if (.not. in_step) call check(step == length, 'a loop that must not be cut for it is')
      if (cut > 1) step = max(length/cut, 1)
      do first = 1, length, step
         part = min(step, length - first + 1)
         call gravel_wait_range(receive, arrived, first - 1, part, ierror)
         call check(ierror == MPI_SUCCESS, 'a wait for a part')
         call check(all(arrived(first:first + part - 1) == expected(first:first + part - 1)), 'a part')
      end do
      both = [receive, send]
      call gravel_waitall(2, both, statuses, ierror)
      call check(ierror == MPI_SUCCESS, 'a message')
      call check(all(arrived == expected), 'what arrives')
   end subroutine
end program
