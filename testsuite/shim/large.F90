! Messages of more than 2^31 and 2^32 bytes from Fortran: elements of a MiB with integers of 4 bytes, bytes with integers of 8.
! See large.c, with which the lengths are shared; with LARGE_MESSAGES set a message is carried, too. On 2 ranks, with the
! module mpi.
program large
   use, intrinsic :: iso_c_binding
   use mpi
   use gravel
   implicit none
   integer, parameter :: whole = 4100, aliased = 8, rest_of_4096 = whole - 4096
   integer(8), parameter :: mebibyte = 1048576_8, whole_bytes = whole*mebibyte
   integer(1), pointer, asynchronous :: buffer(:)
   integer :: rank, peer, ierror, element
   character(8) :: asked_for

   interface
      function mmap(address, bytes, protection, flags, file, offset) bind(c)
         import :: c_int, c_long, c_ptr, c_size_t
         type(c_ptr), value :: address
         integer(c_size_t), value :: bytes
         integer(c_int), value :: protection, flags, file
         integer(c_long), value :: offset
         type(c_ptr) :: mmap
      end function
      function memfd_create(name, flags) bind(c)
         import :: c_char, c_int
         character(kind=c_char), intent(in) :: name(*)
         integer(c_int), value :: flags
         integer(c_int) :: memfd_create
      end function
      function ftruncate(file, length) bind(c)
         import :: c_int, c_long
         integer(c_int), value :: file
         integer(c_long), value :: length
         integer(c_int) :: ftruncate
      end function
   end interface

   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   rank = 0
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call MPI_Type_contiguous(int(mebibyte), MPI_BYTE, element, ierror)
   call MPI_Type_commit(element, ierror)
   call gravel_init(MPI_COMM_WORLD, ierror)
   call check(ierror == MPI_SUCCESS, "gravel_init")
   call make_buffer()
   call check_comparisons()
   call check_integers_of_8_bytes()
   call get_environment_variable("LARGE_MESSAGES", asked_for)
   if (asked_for /= "") call check_messages()
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   call MPI_Type_free(element, ierror)
   if (rank == 0) print '(a)', "passed"
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print '(2a)', "does not hold: ", what
      stop 1
   end subroutine

   ! All but the last MiB may be the same memory, mapped over and over: the numbers are Linux's.
   subroutine make_buffer()
      integer(c_int), parameter :: read_write = 3, shared = 1, private = 2, fixed = 16, anonymous = 32, noreserve = 16384
      type(c_ptr) :: start, again
      integer(c_int) :: file
      integer :: k
      start = mmap(c_null_ptr, int(whole_bytes, c_size_t), read_write, private + anonymous + noreserve, -1_c_int, 0_c_long)
      file = memfd_create("large"//c_null_char, 0_c_int)
      call check(file >= 0 .and. ftruncate(file, int(aliased*mebibyte, c_long)) == 0, "memory to map")
      call c_f_pointer(start, buffer, [whole_bytes])
      do k = 0, whole - aliased - 1, aliased
         again = mmap(c_loc(buffer(k*mebibyte + 1)), int(aliased*mebibyte, c_size_t), read_write, shared + fixed, file, &
            0_c_long)
         call check(c_associated(again, c_loc(buffer(k*mebibyte + 1))), "a mapping")
      end do
   end subroutine

   ! A status knows the length, whatever it is asked for; MPI_Get_count cannot say how many bytes that are.
   subroutine check_status(status)
      integer, intent(in) :: status(MPI_STATUS_SIZE)
      integer :: count
      integer(MPI_COUNT_KIND) :: bytes
      call MPI_Get_elements_x(status, MPI_BYTE, bytes, ierror)
      call check(bytes == whole_bytes, "the bytes of a status")
      call MPI_Get_count(status, MPI_BYTE, count, ierror)
      call check(count == MPI_UNDEFINED, "a count that is none")
      call MPI_Get_count(status, element, count, ierror)
      call check(count == whole, "the elements of a status")
   end subroutine

   ! Of a message that is too long, both sides get an error. No byte moves.
   subroutine check_comparisons()
      integer(gravel_request_kind) :: request
      integer(8) :: ierror8
      integer :: status(MPI_STATUS_SIZE), tag
      do tag = 0, 2
         if (rank == 0) then
            select case (tag)
            case (0)
               call gravel_post_send(buffer, whole, element, peer, tag, MPI_COMM_WORLD, request, ierror)
            case (1)
               call gravel_post_send(buffer, whole_bytes, int(MPI_BYTE, 8), int(peer, 8), int(tag, 8), &
                  int(MPI_COMM_WORLD, 8), request, ierror8)
               ierror = int(ierror8)
            case (2)
               call gravel_post_snd_buffer_rdma(buffer, whole, element, peer, tag, MPI_COMM_WORLD, request, ierror)
            end select
            call check(ierror == MPI_SUCCESS, "a send")
         else if (tag < 2) then
            call gravel_post_rcv_buffer_rdma(buffer, rest_of_4096*mebibyte, int(MPI_BYTE, 8), int(peer, 8), int(tag, 8), &
               int(MPI_COMM_WORLD, 8), request, ierror8)
            call check(ierror8 == MPI_SUCCESS, "a receive")
         else
            call gravel_wait_snd_request(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, status, ierror)
            call check(ierror == MPI_SUCCESS .and. status(MPI_SOURCE) == 0, "an announcement")
            call check_status(status)
            call gravel_post_rcv_announced(buffer, rest_of_4096, element, peer, tag, MPI_COMM_WORLD, request, ierror)
            call check(ierror == MPI_SUCCESS, "an announced receive")
         end if
         call gravel_wait(request, buffer, ierror)
         call check(ierror == MPI_ERR_TRUNCATE, "a message that is too long")
      end do
   end subroutine

   ! Numbers that MPI's integers are too short for are no ranks and no tags, and never those that they would be cut to.
   subroutine check_integers_of_8_bytes()
      integer(8), parameter :: two_to_the_32 = 4294967296_8
      integer(gravel_request_kind) :: request
      integer(gravel_transfer_kind) :: transfer
      integer :: status(MPI_STATUS_SIZE)
      integer(8) :: byte, comm, ierror8, status8(MPI_STATUS_SIZE)
      byte = MPI_BYTE
      comm = MPI_COMM_WORLD
      call gravel_post_send(buffer, 8_8, byte, two_to_the_32 + peer, 0_8, comm, request, ierror8)
      call check(ierror8 == MPI_ERR_RANK .and. request == gravel_request_null, "a destination of 8 bytes")
      call gravel_post_rcv_buffer_rdma(buffer, 8_8, byte, two_to_the_32 + peer, 0_8, comm, request, ierror8)
      call check(ierror8 == MPI_ERR_RANK .and. request == gravel_request_null, "a source of 8 bytes")
      call gravel_wait_rcv_buffer(buffer, 8_8, byte, int(peer, 8), two_to_the_32, comm, transfer, ierror8)
      call check(ierror8 == MPI_ERR_TAG .and. transfer == gravel_transfer_null, "a tag of 8 bytes")
      call gravel_wait_snd_request(int(peer, 8), -huge(1_8) - 1, comm, status8, ierror8)
      call check(ierror8 == MPI_ERR_TAG, "a tag of 8 bytes that is negative")
      call gravel_post_send(buffer, huge(1_8), int(element, 8), int(peer, 8), 0_8, comm, request, ierror8)
      call check(ierror8 == MPI_ERR_COUNT .and. request == gravel_request_null, "more bytes than there are addresses")
      ! What MPI's constants mean is the same with integers of 8 bytes.
      call gravel_post_send(buffer, whole_bytes, byte, int(MPI_PROC_NULL, 8), 0_8, comm, request, ierror8)
      call check(ierror8 == MPI_SUCCESS, "a send to nobody")
      call gravel_wait(request, buffer, status, ierror)
      call check(ierror == MPI_SUCCESS .and. status(MPI_SOURCE) == MPI_PROC_NULL, "its wait")
   end subroutine

   ! In elements, and in bytes that are put behind 2^32 first.
   subroutine check_messages()
      integer(gravel_request_kind) :: request
      integer(gravel_transfer_kind) :: transfer
      integer :: status(MPI_STATUS_SIZE)
      integer(8), parameter :: cut = 4294967296_8 + 5
      buffer(1:aliased*mebibyte) = int(1 + rank, 1)
      buffer(whole_bytes) = int(3 + rank, 1)
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      if (rank == 0) then
         call gravel_wait_rcv_buffer(buffer, whole_bytes, int(MPI_BYTE, 8), 1_8, 4_8, int(MPI_COMM_WORLD, 8), transfer)
         call gravel_post_os_put(transfer, buffer, cut, whole_bytes - cut, ierror)
         call check(ierror == MPI_SUCCESS, "a put behind 2^32 bytes")
         call gravel_post_os_put(transfer, buffer, 0_8, cut, ierror)
         call check(ierror == MPI_SUCCESS, "a put of more than 2^32 bytes")
         call gravel_send_fin(transfer, request, ierror)
      else
         call gravel_post_rcv_segments(buffer, whole_bytes, int(MPI_BYTE, 8), 0_8, 4_8, int(MPI_COMM_WORLD, 8), request)
         call gravel_wait_range(request, buffer, whole_bytes - 1, 1_8, ierror)
         call check(ierror == MPI_SUCCESS .and. buffer(whole_bytes) == 3, "the end of a message")
      end if
      call gravel_wait(request, buffer, status, ierror)
      call check(ierror == MPI_SUCCESS, "a wait")
      if (rank == 1) call check_status(status)
      call check(all(buffer(1:aliased*mebibyte) == 1) .and. buffer(whole_bytes) == 3, "the message")
   end subroutine

end program large
