! The protocols of the paper (section 2.1) by its names, and every call that completes a request, from Fortran. Built three
! times: with mpif.h, with the module mpi (WITH_MPI) and with the module mpi_f08 (WITH_F08). Each rank sends to the next one
! and receives from the previous one. Runs on 3 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define STATUS type(MPI_Status)
#define STATUS_ARRAY(n) type(MPI_Status), dimension(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define EACH
#else
#define COMMUNICATOR integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUS_ARRAY(n) integer, dimension(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define EACH :,
#endif
program protocols
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
   integer, parameter :: longest = 125003, lengths(8) = [0, 1, 250, 2048, 2049, 16384, 16385, longest]
   ! Program data, which is adopted, but for its edges.
   integer(4), asynchronous, save :: in(longest), out(longest)
   integer :: rank, ranks, next, previous, ierror, k
   ! For messages that are announced: receives of any source and any tag are for all messages of their communicator.
   COMMUNICATOR :: announced

   rank = 0
   ranks = 0
   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call check(ranks == 3, "three ranks")
   next = mod(rank + 1, ranks)
   previous = mod(rank + ranks - 1, ranks)
   call gravel_init(MPI_COMM_WORLD)
   call MPI_Comm_dup(MPI_COMM_WORLD, announced, ierror)
   call MPI_Comm_set_errhandler(announced, MPI_ERRORS_RETURN, ierror)
   call gravel_attach(announced)
   do k = 1, size(lengths)
      call check_consumer_initiated(lengths(k), .false.)
      call check_consumer_initiated(lengths(k), .true.)
      call check_producer_initiated(lengths(k), .false., .false.)
      call check_producer_initiated(lengths(k), .false., .true.)
      call check_producer_initiated(lengths(k), .true., .false.)
      call check_producer_initiated(lengths(k), .true., .true.)
      call check_copied(lengths(k), .false.)
      call check_copied(lengths(k), .true.)
      call check_synchronous(lengths(k), .false.)
      call check_synchronous(lengths(k), .true.)
      call check_persistent(lengths(k), .false.)
      call check_persistent(lengths(k), .true.)
      call check_tests(lengths(k))
      if (lengths(k) <= longest/2) call check_some(lengths(k))
      if (lengths(k) > 0) call check_cancel(lengths(k))
      call check_partners(lengths(k))
   end do
   call check_ranges(5000)
   call check_ranges(longest)
   call check_any_source()
   call check_order(30)
   call check_order(20000)
   call check_too_long()
   call MPI_Comm_free(announced, ierror)
   call gravel_finalize()
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

   pure elemental integer(4) function value_of(source, place, seed)
      integer, intent(in) :: source, place, seed
      value_of = int(1000000*source + place + 7*seed, 4)
   end function

   subroutine fill(n, seed)
      integer, intent(in) :: n, seed
      integer :: i
      out(:n) = [(value_of(rank, i, seed), i = 1, n)]
      in = -1
   end subroutine

   ! The message of a rank is in the buffer, nothing behind it, and the status says so.
   subroutine check_arrived(source, tag, n, seed, status)
      integer, intent(in) :: source, tag, n, seed
      STATUS, intent(in) :: status
      integer :: i, count
      call gravel_f_sync_reg(in)
      call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
      call check(SOURCE_OF(status) == source .and. TAG_OF(status) == tag .and. count == n, "a status")
      call check(all(in(:n) == [(value_of(source, i, seed), i = 1, n)]), "a message")
      call check(all(in(n + 1:) == -1), "what is behind a message")
   end subroutine

   ! Puts a message in five segments, the middle one first, and ends it.
   subroutine put_segments(transfer, n, send)
      integer(gravel_transfer_kind), intent(inout) :: transfer
      integer, intent(in) :: n
      integer(gravel_request_kind), intent(out) :: send
      integer, parameter :: order(5) = [2, 4, 0, 3, 1]
      integer :: j, first, end
      do j = 1, 5
         first = n/5*order(j)
         end = merge(n, n/5*(order(j) + 1), order(j) == 4)
         call gravel_post_os_put(transfer, out, first, end - first)
      end do
      call gravel_send_fin(transfer, send)
      call check(transfer == gravel_transfer_null, "the transfer has become a request")
   end subroutine

   ! Consumer-initiated write, and the advanced write: one handshake, puts at any offsets, one FIN. With is_late, all is put
   ! before any receive is posted, which is longer then: the length is that of the message.
   subroutine check_consumer_initiated(n, is_late)
      integer, intent(in) :: n
      logical, intent(in) :: is_late
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer
      STATUS :: status
      call fill(n, 1)
      if (.not. is_late) call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 1, MPI_COMM_WORLD, receive)
      call gravel_wait_rcv_buffer(out, n, MPI_INTEGER4, next, 1, MPI_COMM_WORLD, transfer)
      call put_segments(transfer, n, send)
      if (is_late) then
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         call gravel_post_rcv_buffer_rdma(in, longest, MPI_INTEGER4, previous, 1, MPI_COMM_WORLD, receive)
      end if
      call gravel_wait(receive, in, status)
      call check_arrived(previous, 1, n, 1, status)
      call gravel_wait(send, out)
      call check(receive == gravel_request_null .and. send == gravel_request_null, "requests are null after their wait")
   end subroutine

   ! The consumer reads each part of a message while the next one is not yet put.
   subroutine check_ranges(n)
      integer, intent(in) :: n
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer
      STATUS :: status
      integer :: part, first, end, i
      call fill(n, 2)
      call gravel_post_rcv_segments(in, n, MPI_INTEGER4, previous, 2, MPI_COMM_WORLD, receive)
      call gravel_wait_rcv_buffer(out, n, MPI_INTEGER4, next, 2, MPI_COMM_WORLD, transfer)
      do part = 0, 3
         first = n/4*part
         end = merge(n, n/4*(part + 1), part == 3)
         call gravel_post_os_put(transfer, out, first, end - first)
         call gravel_wait_range(receive, in, first, end - first, ierror)
         call check(ierror == MPI_SUCCESS, "gravel_wait_range")
         call check(all(in(first + 1:end) == [(value_of(previous, i, 2), i = first + 1, end)]), "a part of a message")
      end do
      call gravel_send_fin(transfer, send)
      call gravel_wait(receive, in, status)
      call check_arrived(previous, 2, n, 2, status)
      call gravel_wait(send, out)
   end subroutine

   subroutine announce(is_read, n, dest, tag, send)
      logical, intent(in) :: is_read
      integer, intent(in) :: n, dest, tag
      integer(gravel_request_kind), intent(out) :: send
      integer(gravel_transfer_kind) :: transfer
      if (is_read) then
         call gravel_post_snd_buffer_rdma(out, n, MPI_INTEGER4, dest, tag, announced, send)
      else
         call gravel_post_snd_request(out, n, MPI_INTEGER4, dest, tag, announced, transfer)
         call put_segments(transfer, n, send)
      end if
   end subroutine

   ! Producer-initiated write and read: the receive is posted before or after the announcement, which may be waited for, with
   ! wildcards or without.
   subroutine check_producer_initiated(n, is_read, is_late)
      integer, intent(in) :: n
      logical, intent(in) :: is_read, is_late
      integer(gravel_request_kind) :: receive, send
      integer :: tag, count
      STATUS :: status
      tag = merge(10, 11, is_read)
      call fill(n, 3)
      if (.not. is_late) then
         call gravel_post_rcv_announced(in, longest, MPI_INTEGER4, MPI_ANY_SOURCE, MPI_ANY_TAG, announced, receive)
      end if
      call announce(is_read, n, next, tag, send)
      if (is_late) then
         call gravel_wait_snd_request(MPI_ANY_SOURCE, MPI_ANY_TAG, announced, status)
         call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
         call check(SOURCE_OF(status) == previous .and. TAG_OF(status) == tag .and. count == n, "an announcement")
         call gravel_post_rcv_announced(in, count, MPI_INTEGER4, previous, tag, announced, receive)
      end if
      call gravel_wait(receive, in, status)
      call check_arrived(previous, tag, n, 3, status)
      call gravel_wait(send, out)
      ! A receive of any tag is for whoever comes first: nobody shall be a step ahead.
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
   end subroutine

   ! Messages of all others are there: each source is named truly, keeps its order, and waits for no more than its turn.
   subroutine check_any_source()
      integer, parameter :: messages = 50
      integer(4), asynchronous :: message(2)
      integer(gravel_request_kind) :: request
      STATUS :: status
      integer :: i, source, number(2)
      if (rank > 0) then
         do i = 1, messages
            message = int([rank, i], 4)
            call gravel_post_snd_buffer_rdma(message, 2, MPI_INTEGER4, 0, 3, announced, request)
            call gravel_wait(request, message)
         end do
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         return
      end if
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      do source = 1, 2
         call gravel_wait_snd_request(source, 3, announced, status)
         call check(SOURCE_OF(status) == source, "an announcement of a source")
      end do
      number = 0
      do i = 1, 2*messages
         call gravel_post_rcv_announced(message, 2, MPI_INTEGER4, MPI_ANY_SOURCE, 3, announced, request)
         call gravel_wait(request, message, status)
         source = SOURCE_OF(status)
         call check(source == 1 .or. source == 2, "the true source")
         number(source) = number(source) + 1
         call check(message(1) == source .and. message(2) == number(source), "messages of a source in their order")
         if (i == messages) call check(all(number >= messages/4), "sources take turns")
      end do
   end subroutine

   ! Several messages of each of two tags are under way; the tags are received in the other order. Then the waits for some of
   ! many, and for all.
   subroutine check_order(n)
      integer, intent(in) :: n
      integer, parameter :: messages = 6
      integer(gravel_request_kind) :: receives(messages), sends(messages)
      STATUS_ARRAY(messages) :: statuses
      STATUS :: status
      logical :: done(messages)
      integer :: i, j, tag, slot, index, count
      slot = longest/messages
      call fill(longest, 4)
      ! Message i is i elements shorter and begins i elements later.
      do i = 1, messages
         call gravel_post_send(out(1 + i), n - i, MPI_INTEGER4, next, 4 + mod(i, 2), MPI_COMM_WORLD, sends(i))
      end do
      do tag = 5, 4, -1
         do i = 6 - tag, messages, 2
            call gravel_post_rcv_buffer_rdma(in(1 + (i - 1)*slot), slot, MPI_INTEGER4, previous, 4 + mod(i, 2), &
               MPI_COMM_WORLD, receives(i))
         end do
      end do
      done = .false.
      do i = 1, messages/2
         call gravel_waitany(messages, receives, index, status)
         call check(index >= 1 .and. index <= messages, "the index of gravel_waitany")
         call check(.not. done(index) .and. receives(index) == gravel_request_null, "each is completed once")
         done(index) = .true.
         call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
         call check(count == n - index .and. TAG_OF(status) == 4 + mod(index, 2), "the status of gravel_waitany")
      end do
      call gravel_waitall(messages, receives, statuses)
      call gravel_f_sync_reg(in)
      do i = 1, messages
         if (.not. done(i)) then
            call MPI_Get_count(statuses(EACH i), MPI_INTEGER4, count, ierror)
            call check(count == n - i, "a status of gravel_waitall")
         end if
         call check(all(in((i - 1)*slot + 1:(i - 1)*slot + n - i) == &
            [(value_of(previous, i + j, 4), j = 1, n - i)]), "one of many messages")
      end do
      call check(all(receives == gravel_request_null), "all are null")
      call gravel_waitany(messages, receives, index)
      call check(index == MPI_UNDEFINED, "nothing is left for gravel_waitany")
      ! There is no room for statuses in it.
      status = MPI_STATUSES_IGNORE(EACH 1)
      tag = TAG_OF(status)
      call gravel_waitall(messages, sends, MPI_STATUSES_IGNORE)
      status = MPI_STATUSES_IGNORE(EACH 1)
      call check(TAG_OF(status) == tag, "MPI_STATUSES_IGNORE is left alone")
      call check(all(sends == gravel_request_null), "all sends are over")
   end subroutine

   ! What is sent is what the buffer held at the call, although the message that comes takes its place.
   subroutine check_copied(n, is_announced)
      integer, intent(in) :: n
      logical, intent(in) :: is_announced
      integer(gravel_request_kind) :: receive, send
      STATUS :: status
      call fill(n, 8)
      in(:n) = out(:n)
      if (is_announced) then
         call gravel_post_snd_buffer_copied(in, n, MPI_INTEGER4, next, 8, announced, send)
         call gravel_post_rcv_announced(in, n, MPI_INTEGER4, previous, 8, announced, receive)
      else
         call gravel_post_send_copied(in, n, MPI_INTEGER4, next, 8, MPI_COMM_WORLD, send, ierror)
         call check(ierror == MPI_SUCCESS, "gravel_post_send_copied")
         call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 8, MPI_COMM_WORLD, receive)
      end if
      call gravel_wait(receive, in, status)
      call check_arrived(previous, 8, n, 8, status)
      call gravel_wait(send, in)
      call check(send == gravel_request_null, "the copy has been sent")
   end subroutine

   ! A synchronous send is over only when its receive was posted, whichever way it begins.
   subroutine check_synchronous(n, is_announced)
      integer, intent(in) :: n
      logical, intent(in) :: is_announced
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer
      STATUS :: status
      logical :: flag
      integer :: way, k
      do way = 1, 3
         call fill(n, 12 + way)
         if (way == 1 .and. is_announced) then
            call gravel_post_snd_buffer_synchronous(out, n, MPI_INTEGER4, next, 10, announced, send)
         else if (way == 1) then
            call gravel_post_send_synchronous(out, n, MPI_INTEGER4, next, 10, MPI_COMM_WORLD, send, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_post_send_synchronous")
         else if (way == 2) then
            if (is_announced) then
               call gravel_post_snd_request_synchronous(out, n, MPI_INTEGER4, next, 10, announced, transfer)
            else
               call gravel_wait_rcv_buffer_synchronous(out, n, MPI_INTEGER4, next, 10, MPI_COMM_WORLD, transfer)
            end if
            call gravel_post_os_put(transfer, out, 0, n/2)
            call gravel_post_os_put(transfer, out, n/2, n - n/2)
            call gravel_send_fin(transfer, send)
         else
            if (is_announced) then
               call gravel_prepare_announced_send_synchronous(out, n, MPI_INTEGER4, next, 10, announced, send)
            else
               call gravel_prepare_send_synchronous(out, n, MPI_INTEGER4, next, 10, MPI_COMM_WORLD, send)
            end if
            call gravel_start(send, out)
         end if
         do k = 1, 20
            call gravel_test(send, out, flag)
            call check(.not. flag, "a synchronous send that nobody receives")
         end do
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         if (is_announced) then
            call gravel_post_rcv_announced(in, n, MPI_INTEGER4, MPI_ANY_SOURCE, 10, announced, receive)
         else
            call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 10, MPI_COMM_WORLD, receive)
         end if
         call gravel_wait(send, out)
         call gravel_wait(receive, in, status)
         call check_arrived(previous, 10, n, 12 + way, status)
         if (way == 3) call gravel_release(send)
         ! Nobody takes the next one for this one: a receive from any source is posted when all have theirs.
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
      end do
   end subroutine

   ! What is described once is begun by every start, with what the buffer holds then.
   subroutine check_persistent(n, is_announced)
      integer, intent(in) :: n
      logical, intent(in) :: is_announced
      integer(gravel_request_kind) :: both(2), persistent(2)
      STATUS :: status
      integer :: step, count
      if (is_announced) then
         call gravel_prepare_announced_receive(in, n, MPI_INTEGER4, previous, 9, announced, both(1))
         call gravel_prepare_announced_send(out, n, MPI_INTEGER4, next, 9, announced, both(2))
      else
         call gravel_prepare_receive(in, n, MPI_INTEGER4, previous, 9, MPI_COMM_WORLD, both(1), ierror)
         call check(ierror == MPI_SUCCESS, "gravel_prepare_receive")
         call gravel_prepare_send(out, n, MPI_INTEGER4, next, 9, MPI_COMM_WORLD, both(2))
      end if
      persistent = both
      do step = 1, 3
         call fill(n, 9 + step)
         if (step == 2) then
            call gravel_start(both(2), out)
            call gravel_start(both(1), in, ierror)
            call check(ierror == MPI_SUCCESS, "gravel_start")
         else
            call gravel_f_sync_reg(in)
            call gravel_f_sync_reg(out)
            call gravel_startall(2, both)
         end if
         call gravel_wait(both(1), in, status)
         call check_arrived(previous, 9, n, 9 + step, status)
         call gravel_waitall(2, both)
         call check(all(both == persistent), "persistent requests stay")
         ! It is inactive, and a wait for it says nothing.
         call gravel_wait(both(1), in, status)
         call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
         call check(count == 0 .and. TAG_OF(status) == MPI_ANY_TAG, "the status of an inactive request")
      end do
      call gravel_release(both(1))
      call gravel_release(both(2), ierror)
      call check(ierror == MPI_SUCCESS .and. all(both == gravel_request_null), "gravel_release")
   end subroutine

   ! Tests complete what can be completed and leave the rest.
   subroutine check_tests(n)
      integer, intent(in) :: n
      integer(gravel_request_kind) :: receive, send
      STATUS :: status
      logical :: flag
      call fill(n, 5)
      call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 6, MPI_COMM_WORLD, receive)
      call gravel_test(receive, in, flag, status)
      call check(.not. flag .and. receive /= gravel_request_null, "a test of a message that nobody has sent")
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      call gravel_post_send(out, n, MPI_INTEGER4, next, 6, MPI_COMM_WORLD, send)
      flag = .false.
      do while (.not. flag)
         call gravel_test(receive, in, flag, status)
      end do
      call check(receive == gravel_request_null, "a test has completed the request")
      call check_arrived(previous, 6, n, 5, status)
      flag = .false.
      do while (.not. flag)
         call gravel_test(send, out, flag)
      end do
      call gravel_test(send, out, flag, MPI_STATUS_IGNORE)
      call check(flag, "null requests are complete")
   end subroutine

   ! Waits and tests for some, and tests for any and for all: each request is told of once, short sends, too.
   subroutine check_some(n)
      integer, intent(in) :: n
      integer(gravel_request_kind) :: requests(6)
      STATUS_ARRAY(6) :: statuses
      STATUS :: status
      integer :: indices(6), number, index, count, k, way, slot
      logical :: flag, told(6)
      slot = longest/2
      do way = 1, 4
         call fill(longest, 15)
         requests = gravel_request_null
         do k = 1, 2
            call gravel_post_rcv_buffer_rdma(in(1 + (k - 1)*slot), slot, MPI_INTEGER4, previous, 29 + k, MPI_COMM_WORLD, &
               requests(1 + k))
         end do
         call gravel_testall(6, requests, flag, statuses, ierror)
         call check(.not. flag, "a test for all of what nobody has sent")
         call gravel_testany(6, requests, index, flag, status)
         call check(.not. flag .and. index == MPI_UNDEFINED, "a test for any of what nobody has sent")
         call gravel_testsome(6, requests, number, indices, statuses)
         call check(number == 0, "a test for some of what nobody has sent")
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         do k = 1, 2
            call gravel_post_send(out, n/k, MPI_INTEGER4, next, 29 + k, MPI_COMM_WORLD, requests(3 + k))
            call check(requests(3 + k) /= gravel_request_null, "a send stays active")
         end do
         told = .false.
         do while (count_of(told) < 4)
            select case (way)
            case (1)
               call gravel_waitsome(6, requests, number, indices, statuses)
               call check(number > 0, "a wait for some")
            case (2)
               call gravel_testsome(6, requests, number, indices, statuses, ierror)
            case (3)
               call gravel_testany(6, requests, index, flag, status)
               number = merge(1, 0, flag)
               indices(1) = index
               statuses(EACH 1) = status
            case (4)
               call gravel_testall(6, requests, flag, statuses)
               number = merge(4, 0, flag)
               indices(:4) = [2, 3, 4, 5]
               if (flag) then
                  call check(all(requests == gravel_request_null), "a test for all completes all")
                  statuses(EACH 1) = statuses(EACH 2)
                  statuses(EACH 2) = statuses(EACH 3)
               end if
            end select
            do k = 1, number
               index = indices(k)
               call check(index >= 2 .and. index <= 5, "an index of some")
               call check(.not. told(index) .and. requests(index) == gravel_request_null, "each is told of once")
               told(index) = .true.
               if (index <= 3) then
                  status = statuses(EACH k)
                  call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
                  call check(count == n/(index - 1) .and. TAG_OF(status) == 28 + index, "a status of some")
               end if
            end do
         end do
         call gravel_f_sync_reg(in)
         call check(all(in(slot + 1:slot + n/2) == [(value_of(previous, k, 15), k = 1, n/2)]), "one of some messages")
         call gravel_waitsome(6, requests, number, indices)
         call check(number == MPI_UNDEFINED, "nothing is left for gravel_waitsome")
         call gravel_testsome(6, requests, number, indices, MPI_STATUSES_IGNORE)
         call check(number == MPI_UNDEFINED, "nothing is left for gravel_testsome")
         call gravel_testany(6, requests, index, flag, MPI_STATUS_IGNORE)
         call check(flag .and. index == MPI_UNDEFINED, "nothing is left for gravel_testany")
         call gravel_testall(6, requests, flag, MPI_STATUSES_IGNORE)
         call check(flag, "nothing is left for gravel_testall")
      end do
   end subroutine

   pure function count_of(told) result(number)
      logical, intent(in) :: told(:)
      integer :: number
      number = count(told)
   end function

   ! A receive that no message has met is withdrawn, and the next one gets the message; one that has its message is not.
   subroutine check_cancel(n)
      integer, intent(in) :: n
      integer(gravel_request_kind) :: first, second, send
      STATUS :: status
      logical :: cancelled
      call fill(n, 6)
      call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 7, MPI_COMM_WORLD, first)
      call gravel_cancel(first, ierror)
      call check(ierror == MPI_SUCCESS, "gravel_cancel")
      call gravel_wait(first, in, status)
      call MPI_Test_cancelled(status, cancelled, ierror)
      call check(cancelled, "a receive that was withdrawn")
      call MPI_Barrier(MPI_COMM_WORLD, ierror)
      call gravel_post_send(out, n, MPI_INTEGER4, next, 7, MPI_COMM_WORLD, send)
      call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, previous, 7, MPI_COMM_WORLD, second)
      call gravel_wait_range(second, in, 0, n)
      call gravel_cancel(second)
      call gravel_wait(second, in, status)
      call MPI_Test_cancelled(status, cancelled, ierror)
      call check(.not. cancelled, "a receive that has its message")
      call check_arrived(previous, 7, n, 6, status)
      call gravel_wait(send, out)
   end subroutine

   ! Longer than its receive: an error on both sides, where the sender has to wait, and no byte is written.
   subroutine check_too_long()
      integer(gravel_request_kind) :: receive, send
      integer :: way
      do way = 1, 2
         call fill(25000, 7)
         if (way == 1) then
            call gravel_post_rcv_buffer_rdma(in, 17000, MPI_INTEGER4, previous, 8, MPI_COMM_WORLD, receive)
            call gravel_post_send(out, 25000, MPI_INTEGER4, next, 8, MPI_COMM_WORLD, send)
         else
            call gravel_post_rcv_announced(in, 17000, MPI_INTEGER4, previous, 9, announced, receive)
            call gravel_post_snd_buffer_rdma(out, 25000, MPI_INTEGER4, next, 9, announced, send)
         end if
         call gravel_wait(receive, in, ierror)
         call check(ierror == MPI_ERR_TRUNCATE, "a message that is too long, at its receiver")
         call gravel_wait(send, out, ierror)
         call check(ierror == MPI_ERR_TRUNCATE, "a message that is too long, at its sender")
         call check(all(in == -1), "nothing was written")
      end do
   end subroutine

   ! Messages to oneself and to nobody, in all protocols.
   subroutine check_partners(n)
      integer, intent(in) :: n
      integer(gravel_request_kind) :: receive, send
      integer(gravel_transfer_kind) :: transfer
      STATUS :: status
      integer :: partner, way, count
      do way = 1, 2
         partner = merge(rank, MPI_PROC_NULL, way == 1)
         call fill(n, 8)
         call gravel_post_rcv_buffer_rdma(in, n, MPI_INTEGER4, partner, 20, MPI_COMM_WORLD, receive)
         call gravel_wait_rcv_buffer(out, n, MPI_INTEGER4, partner, 20, MPI_COMM_WORLD, transfer)
         call put_segments(transfer, n, send)
         call gravel_wait(receive, in, status)
         call gravel_wait(send, out)
         if (way == 1) call check_arrived(rank, 20, n, 8, status)
         call MPI_Get_count(status, MPI_INTEGER4, count, ierror)
         ! MPI 4.0, section 3.10
         if (way == 2) call check(SOURCE_OF(status) == MPI_PROC_NULL .and. TAG_OF(status) == MPI_ANY_TAG .and. &
            count == 0, "the status of MPI_PROC_NULL")
         call fill(n, 9)
         call gravel_post_rcv_announced(in, n, MPI_INTEGER4, partner, 21, announced, receive)
         call announce(way == 2, n, partner, 21, send)
         call gravel_wait(receive, in, status)
         call gravel_wait(send, out)
         if (way == 1) call check_arrived(rank, 21, n, 9, status)
         if (way == 2) call check(SOURCE_OF(status) == MPI_PROC_NULL .and. all(in == -1), "announced to nobody")
      end do
      call gravel_wait_snd_request(MPI_PROC_NULL, 0, announced, status)
      call check(SOURCE_OF(status) == MPI_PROC_NULL, "nobody announces nothing")
   end subroutine

end program protocols
