! Requests of Gravel and of MPI in the same variables and arrays, null ones among them: every call that completes, starts or frees
! requests. Built with mpif.h, the module mpi (WITH_MPI) or the module mpi_f08 (WITH_F08); with OWN_KIND, the requests are
! variables of Gravel's own kind beside arguments of the others. Runs on 2 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define STATUS_ARRAY(n) type(MPI_Status) :: statuses(n)
#define STATUS_OF(k) statuses(k)
#define SOURCE_OF(k) statuses(k)%MPI_SOURCE
#define TAG_OF(k) statuses(k)%MPI_TAG
#define ERROR_OF(k) statuses(k)%MPI_ERROR
#else
#define COMMUNICATOR integer
#define STATUS_ARRAY(n) integer :: statuses(MPI_STATUS_SIZE, n)
#define STATUS_OF(k) statuses(:, k)
#define SOURCE_OF(k) statuses(MPI_SOURCE, k)
#define TAG_OF(k) statuses(MPI_TAG, k)
#define ERROR_OF(k) statuses(MPI_ERROR, k)
#endif
#if defined(WITH_F08) && !defined(OWN_KIND)
#define REQUEST type(MPI_Request)
#define VALUE_OF(handle) handle%MPI_VAL
#elif defined(OWN_KIND)
#define REQUEST integer(gravel_request_kind)
#define VALUE_OF(handle) handle
#else
#define REQUEST integer
#define VALUE_OF(handle) handle
#endif
program requests_of_both
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
   integer, parameter :: most = 6, long = 30000
   ! What an array of requests holds.
   integer, parameter :: all_gravel = 1, all_mpi = 2, both = 3, both_and_null = 4, all_null = 5
   integer(4), asynchronous, save :: in(long, most), out(long, most)
   integer :: rank, peer, ierror
   COMMUNICATOR :: left

   call MPI_Init(ierror)
   call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   rank = 0
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call check_without_gravel()
   call gravel_init(MPI_COMM_WORLD)
   call MPI_Comm_dup(MPI_COMM_WORLD, left, ierror)
   call check_completions(1)
   call check_completions(long)
   call check_short_sends()
   call check_copies()
   call check_left()
   call check_persistent()
   call check_freed()
   call check_intercommunicator()
   call check_exchanges()
   call check_errors()
   call MPI_Comm_free(left, ierror)
   call gravel_finalize(ierror)
   call check(ierror == MPI_SUCCESS, "gravel_finalize")
   call check_without_gravel()
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

   function is_null(request)
      REQUEST, intent(in) :: request
      logical :: is_null
      is_null = VALUE_OF(request) == gravel_request_null
   end function

   function is_gravels(request)
      REQUEST, intent(in) :: request
      logical :: is_gravels
      is_gravels = VALUE_OF(request) >= 1006632960 .and. VALUE_OF(request) <= 1073741823
   end function

   ! 0: null, 1: Gravel's, 2: MPI's
   pure function owner(mixture, k)
      integer, intent(in) :: mixture, k
      integer :: owner
      select case (mixture)
      case (all_gravel)
         owner = 1
      case (all_mpi)
         owner = 2
      case (both)
         owner = 1 + mod(k, 2)
      case (both_and_null)
         owner = mod(k, 3)
      case default
         owner = 0
      end select
   end function

   function comm_of(mixture, k) result(comm)
      integer, intent(in) :: mixture, k
      COMMUNICATOR :: comm
      comm = MPI_COMM_WORLD
      if (owner(mixture, k) == 2) comm = left
   end function

   subroutine post(mixture, n, requests, sends)
      integer, intent(in) :: mixture, n
      REQUEST, intent(out) :: requests(most), sends(most)
      integer :: k
      do k = 1, most
         VALUE_OF(requests(k)) = gravel_request_null
         VALUE_OF(sends(k)) = gravel_request_null
         in(:n, k) = -1
         if (owner(mixture, k) == 0) cycle
         call gravel_post_rcv_buffer_rdma(in(:, k), n, MPI_INTEGER4, peer, k, comm_of(mixture, k), requests(k), ierror)
         call check(ierror == MPI_SUCCESS, "a receive")
         call check(is_gravels(requests(k)) .eqv. owner(mixture, k) == 1, "whose request it is")
      end do
      do k = most, 1, -1
         out(:n, k) = int(100*rank + k, 4)
         if (owner(mixture, k) == 0) cycle
         call gravel_post_send(out(:, k), n, MPI_INTEGER4, peer, k, comm_of(mixture, k), sends(k))
      end do
   end subroutine

   subroutine check_message(n, k, source, tag)
      integer, intent(in) :: n, k, source, tag
      call gravel_f_sync_reg(in)
      call check(source == peer .and. tag == k, "a status")
      call check(all(in(:n, k) == 100*peer + k), "a message")
   end subroutine

   subroutine check_completions(n)
      integer, intent(in) :: n
      REQUEST :: requests(most), sends(most)
      STATUS_ARRAY(most)
      integer :: mixture, call_number, k, active, ended, index, number, indices(most)
      logical :: flag, seen(most)
      do mixture = all_gravel, all_null
         active = count([(owner(mixture, k) /= 0, k=1, most)])
         do call_number = 1, 9
            call post(mixture, n, requests, sends)
            ended = 0
            seen = .false.
            flag = .false.
            select case (call_number)
            case (1)
               do k = 1, most
                  call gravel_wait(requests(k), in(:, k), STATUS_OF(k), ierror)
                  if (owner(mixture, k) /= 0) call check_message(n, k, SOURCE_OF(k), TAG_OF(k))
                  if (owner(mixture, k) == 0) call check(SOURCE_OF(k) == MPI_ANY_SOURCE, "an empty status")
               end do
            case (2)
               do k = 1, most
                  flag = .false.
                  do while (.not. flag)
                     call gravel_request_get_status(requests(k), flag, STATUS_OF(k), ierror)
                     call check(is_null(requests(k)) .eqv. owner(mixture, k) == 0, "a request that was looked at")
                  end do
                  if (owner(mixture, k) /= 0) call check_message(n, k, SOURCE_OF(k), TAG_OF(k))
                  call gravel_test_request(requests(k), flag, STATUS_OF(k), ierror)
                  call check(flag, "what was over stays so")
                  if (owner(mixture, k) /= 0) call check_message(n, k, SOURCE_OF(k), TAG_OF(k))
               end do
            case (3)
               call gravel_waitall(most, requests, statuses, ierror)
               do k = 1, most
                  if (owner(mixture, k) /= 0) call check_message(n, k, SOURCE_OF(k), TAG_OF(k))
                  if (owner(mixture, k) == 0) call check(SOURCE_OF(k) == MPI_ANY_SOURCE, "an empty status")
               end do
            case (4)
               do while (.not. flag)
                  call gravel_testall(most, requests, flag, statuses, ierror)
                  ended = count([(is_null(requests(k)), k=1, most)])
                  call check(ended == merge(most, most - active, flag), "all or none")
               end do
               do k = 1, most
                  if (owner(mixture, k) /= 0) call check_message(n, k, SOURCE_OF(k), TAG_OF(k))
                  if (owner(mixture, k) == 0) call check(SOURCE_OF(k) == MPI_ANY_SOURCE, "an empty status")
               end do
            case (5, 6)
               do while (ended < active)
                  if (call_number == 5) then
                     call gravel_waitany(most, requests, index, STATUS_OF(1), ierror)
                  else
                     call gravel_testany(most, requests, index, flag, STATUS_OF(1), ierror)
                     if (.not. flag) cycle
                  end if
                  call check(index >= 1 .and. index <= most, "an index")
                  call check(.not. seen(index) .and. is_null(requests(index)), "it is told of once")
                  seen(index) = .true.
                  call check_message(n, index, SOURCE_OF(1), TAG_OF(1))
                  ended = ended + 1
               end do
               call gravel_waitany(most, requests, index, ierror)
               call check(index == MPI_UNDEFINED, "none is active")
               call gravel_testany(most, requests, index, flag, ierror)
               call check(index == MPI_UNDEFINED .and. flag, "none is active, by a test")
            case (7, 8)
               do while (ended < active)
                  if (call_number == 7) call gravel_waitsome(most, requests, number, indices, statuses, ierror)
                  if (call_number == 8) call gravel_testsome(most, requests, number, indices, statuses, ierror)
                  call check(number >= merge(1, 0, call_number == 7) .and. number <= active - ended, "how many")
                  do k = 1, number
                     call check(.not. seen(indices(k)) .and. is_null(requests(indices(k))), "each is told of once")
                     seen(indices(k)) = .true.
                     call check_message(n, indices(k), SOURCE_OF(k), TAG_OF(k))
                  end do
                  ended = ended + number
               end do
               call gravel_waitsome(most, requests, number, indices, ierror)
               call check(number == MPI_UNDEFINED, "none of some is active")
            case default
               call gravel_waitall(most, requests, ierror)
               do k = 1, most
                  if (owner(mixture, k) /= 0) call check_message(n, k, peer, k)
               end do
            end select
            call check(all([(is_null(requests(k)), k=1, most)]), "all are null")
#ifdef WITH_F08
            call gravel_waitall(most, sends, MPI_STATUSES_IGNORE, ierror)
#else
            call gravel_waitall(most, sends, ierror)
#endif
            call check(ierror == MPI_SUCCESS .and. all([(is_null(sends(k)), k=1, most)]), "sends")
         end do
      end do
   end subroutine

   ! A send that is over at once is active.
   subroutine check_short_sends()
      REQUEST :: requests(2), sends(2)
      integer(4), asynchronous :: values(2), got(2)
      integer :: index
      values = [3_4, 4_4]
      call gravel_post_rcv_buffer_rdma(got(1), 1, MPI_INTEGER4, rank, 40, MPI_COMM_WORLD, requests(1))
      call gravel_post_rcv_buffer_rdma(got(2), 1, MPI_INTEGER4, rank, 40, left, requests(2))
      call gravel_post_send(values(1), 1, MPI_INTEGER4, rank, 40, MPI_COMM_WORLD, sends(1))
      call gravel_post_send(values(2), 1, MPI_INTEGER4, rank, 40, left, sends(2))
      call gravel_waitall(2, requests)
      call gravel_waitany(2, sends, index)
      call check(index == 1 .or. index == 2, "the first send")
      call gravel_waitany(2, sends, index)
      call check(index == 1 .or. index == 2, "the second send")
      call gravel_waitany(2, sends, index)
      call check(index == MPI_UNDEFINED .and. all(got == values), "both sends")
   end subroutine

   ! Assignment copies a request; what is left over names nothing.
   subroutine check_copies()
      REQUEST :: a, b, send
      integer(4), asynchronous :: got, value
      value = 5
      call gravel_post_rcv_buffer_rdma(got, 1, MPI_INTEGER4, rank, 41, MPI_COMM_WORLD, a)
      call gravel_post_send(value, 1, MPI_INTEGER4, rank, 41, MPI_COMM_WORLD, send)
      b = a
      call gravel_wait(b, got, ierror)
      call check(ierror == MPI_SUCCESS .and. got == 5, "a copy is waited for")
      call gravel_wait_request(a, ierror)
      call check(ierror == MPI_ERR_REQUEST, "the original is stale")
      call gravel_wait_request(send)
      call check(is_null(send), "a send")
   end subroutine

   ! Every call that opens something, on a communicator that is not attached.
   subroutine check_left()
      REQUEST :: receive, send
      integer(gravel_transfer_kind) :: transfer
      STATUS_ARRAY(1)
      integer :: way, n
      do way = 1, 20
         n = merge(3, long, way <= 10)
         in(:n, 1) = -1
         out(:n, 1) = int(rank + way, 4)
         select case (mod(way, 10))
         case (1)
            call gravel_post_send(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
         case (2)
            call gravel_post_send_synchronous(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
         case (3)
            call gravel_post_snd_buffer_rdma(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
         case (4)
            call gravel_post_snd_buffer_synchronous(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
         case (5)
            call gravel_post_send_copied(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
            out(:n, 1) = -2
         case (6)
            call gravel_post_snd_buffer_copied(out(:, 1), n, MPI_INTEGER4, peer, 42, left, send)
            out(:n, 1) = -2
         case (7)
            call gravel_wait_rcv_buffer(out(:, 1), n, MPI_INTEGER4, peer, 42, left, transfer)
         case (8)
            call gravel_wait_rcv_buffer_synchronous(out(:, 1), n, MPI_INTEGER4, peer, 42, left, transfer)
         case (9)
            call gravel_post_snd_request(out(:, 1), n, MPI_INTEGER4, peer, 42, left, transfer)
         case default
            call gravel_post_snd_request_synchronous(out(:, 1), n, MPI_INTEGER4, peer, 42, left, transfer)
         end select
         if (mod(way, 10) >= 7 .or. mod(way, 10) == 0) then
            call check(gravel_tile(transfer, 1000) == 1000, "one tile")
            call gravel_post_os_put(transfer, out(:, 1), 0, n)
            call gravel_send_fin(transfer, send, ierror)
            call check(ierror == MPI_SUCCESS .and. transfer == gravel_transfer_null, "the end of a transfer")
         end if
         select case (mod(way, 3))
         case (0)
            call gravel_wait_snd_request(MPI_ANY_SOURCE, MPI_ANY_TAG, left, STATUS_OF(1), ierror)
            call check(SOURCE_OF(1) == peer .and. TAG_OF(1) == 42, "a message that is there")
            call gravel_post_rcv_announced(in(:, 1), n, MPI_INTEGER4, MPI_ANY_SOURCE, 42, left, receive)
         case (1)
            call gravel_post_rcv_buffer_rdma(in(:, 1), n, MPI_INTEGER4, peer, 42, left, receive)
         case default
            call gravel_post_rcv_segments(in(:, 1), n, MPI_INTEGER4, peer, 42, left, receive)
            call check(gravel_tile(receive, 500) == 500, "one tile of a receive")
            call gravel_wait_range(receive, in(:, 1), 0, n)
            call check(.not. is_null(receive) .and. all(in(:n, 1) == peer + way), "a part of a message")
         end select
         call gravel_wait(receive, in(:, 1), STATUS_OF(1), ierror)
         call check(SOURCE_OF(1) == peer .and. all(in(:n, 1) == peer + way), "a message that MPI carries")
         call gravel_wait(send, out(:, 1), ierror)
      end do
   end subroutine

   subroutine check_persistent()
      REQUEST :: requests(4)
      integer(4), asynchronous :: got(2), values(2)
      integer :: k, round, index
      call gravel_prepare_receive(got(1), 1, MPI_INTEGER4, peer, 43, MPI_COMM_WORLD, requests(1))
      call gravel_prepare_receive(got(2), 1, MPI_INTEGER4, peer, 43, left, requests(2))
      call gravel_prepare_send(values(1), 1, MPI_INTEGER4, peer, 43, MPI_COMM_WORLD, requests(3))
      call gravel_prepare_send_synchronous(values(2), 1, MPI_INTEGER4, peer, 43, left, requests(4))
      do round = 1, 3
         call gravel_waitany(4, requests, index)
         call check(index == MPI_UNDEFINED, "inactive requests")
         values = [int(10*round + rank, 4), int(20*round + rank, 4)]
         if (round == 1) then
            do k = 1, 4
               call gravel_start(requests(k), values)
            end do
         else
            call gravel_startall(4, requests)
         end if
         call gravel_waitall(4, requests)
         call gravel_f_sync_reg(got)
         call check(all(got == [10*round + peer, 20*round + peer]), "what was started")
         call check(.not. any([(is_null(requests(k)), k=1, 4)]), "persistent requests stay")
      end do
      do k = 1, 4
         call gravel_release(requests(k), ierror)
         call check(ierror == MPI_SUCCESS .and. is_null(requests(k)), "a persistent request is given back")
      end do
   end subroutine

   subroutine check_freed()
      REQUEST :: request
      integer :: k
      STATUS_ARRAY(1)
      logical :: cancelled
      do k = 1, 2
         out(:, 1) = int(rank, 4)
         call gravel_post_send(out(:, 1), long, MPI_INTEGER4, peer, 44, comm_of(k, 1), request)
         call gravel_release(request, ierror)
         call check(ierror == MPI_SUCCESS .and. is_null(request), "a send that is freed")
         call gravel_post_rcv_buffer_rdma(in(:, 1), long, MPI_INTEGER4, peer, 44, comm_of(k, 1), request)
         call gravel_wait(request, in(:, 1))
         call check(all(in(:, 1) == peer), "its message")
         call MPI_Barrier(MPI_COMM_WORLD, ierror)
         call gravel_post_rcv_buffer_rdma(in(:, 1), 1, MPI_INTEGER4, peer, 45, comm_of(k, 1), request)
         call gravel_cancel(request, ierror)
         call gravel_wait(request, in(:, 1), STATUS_OF(1), ierror)
         cancelled = .false.
         call MPI_Test_cancelled(STATUS_OF(1), cancelled, ierror)
         call check(cancelled, "a receive that is cancelled")
      end do
   end subroutine

   subroutine check_intercommunicator()
      COMMUNICATOR :: alone, inter
      REQUEST :: requests(2)
      call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, alone, ierror)
      call MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, peer, 8, inter, ierror)
      call gravel_attach(inter, ierror)
      call check(ierror == MPI_SUCCESS, "an intercommunicator is left alone")
      out(1, 1) = int(rank, 4)
      call gravel_post_rcv_buffer_rdma(in(:, 1), 1, MPI_INTEGER4, 0, 46, inter, requests(1))
      call gravel_post_send(out(:, 1), 1, MPI_INTEGER4, 0, 46, inter, requests(2))
      call gravel_waitall(2, requests)
      call gravel_f_sync_reg(in)
      call check(in(1, 1) == peer, "a message between groups")
      call MPI_Comm_free(inter, ierror)
      call MPI_Comm_free(alone, ierror)
   end subroutine

   ! On a communicator that is not attached they are MPI's.
   subroutine check_exchanges()
      REQUEST :: receive, send
      integer(gravel_transfer_kind) :: transfer
      integer :: way, k, counts(2), places(2)
      counts = 3
      places = [3, 0]
      do way = 1, 4
         do k = 1, 6
            out(k, 1) = int(100*way + 10*rank + k, 4)
         end do
         in(:6, 1) = -1
         if (way <= 2) then
            call gravel_post_alltoall(in(:, 1), 3, MPI_INTEGER4, left, receive)
         else
            call gravel_post_alltoallv(in(:, 1), counts, places, MPI_INTEGER4, left, receive)
         end if
         select case (way)
         case (1)
            call gravel_send_alltoall(out(:, 1), 3, MPI_INTEGER4, left, send)
         case (2)
            call gravel_open_alltoall(out(:, 1), 3, MPI_INTEGER4, left, transfer)
         case (3)
            call gravel_send_alltoallv(out(:, 1), counts, places, MPI_INTEGER4, left, send)
         case default
            call gravel_open_alltoallv(out(:, 1), counts, places, MPI_INTEGER4, left, transfer)
         end select
         if (mod(way, 2) == 0) then
            call check(gravel_tile(transfer, 60) == 60, "an exchange of MPI's in one tile")
            call gravel_post_os_put(transfer, out(:, 1), 0, 6, ierror)
            call check(ierror == MPI_SUCCESS, "a put of an exchange of MPI's")
            call gravel_send_fin(transfer, send)
         end if
         call gravel_wait(receive, in(:, 1))
         call gravel_wait(send, out(:, 1))
         call check(is_null(receive) .and. is_null(send), "an exchange of MPI's is over")
         do k = 1, 3
            if (way <= 2) then
               call check(in(k, 1) == 100*way + 3*rank + k, "a block of rank 0")
               call check(in(3 + k, 1) == 100*way + 10 + 3*rank + k, "a block of rank 1")
            else
               call check(in(3 + k, 1) == 100*way + 3*(1 - rank) + k, "a block of rank 0 at its place")
               call check(in(k, 1) == 100*way + 10 + 3*(1 - rank) + k, "a block of rank 1 at its place")
            end if
         end do
      end do
   end subroutine

   ! Where one of several requests has failed, MPI_ERR_IN_STATUS is returned if there are statuses, which then say of each how it
   ! went; else the error. All of Gravel's, and both.
   subroutine check_errors()
      REQUEST :: requests(3), sends(3)
      STATUS_ARRAY(3)
      integer :: mixture, call, k, place, length, seen, ended, indices(3), class_of_error
      logical :: flag, has_failed
      do mixture = 1, 2
         do call = 1, 6
            do k = 1, 3
               length = 4
               if (k == 2) length = 2
               ERROR_OF(k) = 12345
               call gravel_post_rcv_buffer_rdma(in(:, k), length, MPI_INTEGER4, peer, 60 + k, its_comm(mixture, k), requests(k))
            end do
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
            do k = 1, 3
               call gravel_post_send(out(:, k), 4, MPI_INTEGER4, peer, 60 + k, its_comm(mixture, k), sends(k))
            end do
            has_failed = .false.
            flag = .false.
            seen = 0
            do while (seen < 3)
               ended = 0
               ierror = MPI_SUCCESS
               select case (call)
               case (1)
                  call gravel_waitall(3, requests, statuses, ierror)
                  ended = 3
               case (2)
                  call gravel_testall(3, requests, flag, statuses, ierror)
                  if (flag) ended = 3
               case (3)
                  call gravel_waitsome(3, requests, ended, indices, statuses, ierror)
               case (4)
                  call gravel_testsome(3, requests, ended, indices, statuses, ierror)
               case (5)
                  call gravel_waitall(3, requests, ierror)
                  ended = 3
               case default
                  call gravel_waitsome(3, requests, ended, indices, ierror)
               end select
               call MPI_Error_class(ierror, class_of_error, k)
               do k = 1, ended
                  place = k
                  if (call == 3 .or. call == 4 .or. call == 6) place = indices(k)
                  if (place == 2) then
                     has_failed = .true.
                     call check(class_of_error == merge(MPI_ERR_IN_STATUS, MPI_ERR_TRUNCATE, call < 5), "the error of a call")
                  end if
                  if (class_of_error == MPI_ERR_IN_STATUS) then
                     call MPI_Error_class(ERROR_OF(k), length, ierror)
                     call check(length == merge(MPI_ERR_TRUNCATE, MPI_SUCCESS, place == 2), "an error in a status")
                  else if (mixture == 1 .and. call < 5) then
                     call check(ERROR_OF(k) == 12345, "an error in a status that is none")
                  end if
               end do
               do k = 1, 3
                  ERROR_OF(k) = 12345
               end do
               seen = seen + ended
            end do
            call check(has_failed .and. all([(is_null(requests(k)), k=1, 3)]), "all are over")
            call gravel_waitall(3, sends, ierror)
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
         end do
      end do
   end subroutine

   ! The third one is MPI's among both.
   function its_comm(mixture, k) result(comm)
      integer, intent(in) :: mixture, k
      COMMUNICATOR :: comm
      comm = MPI_COMM_WORLD
      if (mixture == 2 .and. k == 3) comm = left
   end function

   ! MPI's own requests where Gravel does not run: before gravel_init and behind gravel_finalize.
   subroutine check_without_gravel()
      REQUEST :: requests(2), sends(2)
      STATUS_ARRAY(2)
      integer :: k, round, index, ended, indices(2)
      logical :: flag
#if !defined(OWN_KIND)
      do round = 1, 6
         in(1, :2) = -1
         out(1, 1:2) = [int(rank + 5, 4), int(rank + 6, 4)]
         do k = 1, 2
            call MPI_Irecv(in(1, k), 1, MPI_INTEGER4, peer, k, MPI_COMM_WORLD, requests(k), ierror)
         end do
         do k = 1, 2
            call MPI_Isend(out(1, k), 1, MPI_INTEGER4, peer, k, MPI_COMM_WORLD, sends(k), ierror)
         end do
         flag = .false.
         select case (round)
         case (1)
            call gravel_waitall(2, requests, statuses, ierror)
         case (2)
            do k = 1, 2
               call gravel_wait(requests(k), in(1, k), STATUS_OF(k), ierror)
            end do
         case (3)
            do while (.not. flag)
               call gravel_testall(2, requests, flag, ierror)
            end do
         case (4)
            do k = 1, 2
               call gravel_waitany(2, requests, index, ierror)
               call check(index == 1 .or. index == 2, "one of MPI's")
            end do
         case (5)
            k = 0
            do while (k < 2)
               call gravel_waitsome(2, requests, ended, indices, statuses, ierror)
               k = k + ended
            end do
         case default
            do k = 1, 2
               do while (.not. flag)
                  call gravel_request_get_status(requests(k), flag, ierror)
               end do
               flag = .false.
               call gravel_wait_request(requests(k), ierror)
            end do
         end select
         call check(ierror == MPI_SUCCESS, "MPI's requests without Gravel")
         call gravel_f_sync_reg(in)
         call check(in(1, 1) == peer + 5 .and. in(1, 2) == peer + 6, "MPI's messages without Gravel")
         call check(all([(is_null(requests(k)), k=1, 2)]), "MPI's requests are over")
         call gravel_waitall(2, sends, ierror)
         call check(ierror == MPI_SUCCESS, "MPI's sends without Gravel")
      end do
#endif
   end subroutine

end program requests_of_both
