! A program that knows nothing of Gravel: requests in all completing calls, persistent ones, constants that are addresses, probes.
! Built with mpif.h, the module mpi (WITH_MPI) or the module mpi_f08 (WITH_F08), and run with and without libgravel_mpi.so
! before MPI. Runs on 2 ranks.
#ifdef WITH_F08
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define DATATYPE type(MPI_Datatype)
#define STATUS_ARRAY(n) type(MPI_Status) :: statuses(n)
#define STATUS_OF(k) statuses(k)
#define SOURCE_OF(k) statuses(k)%MPI_SOURCE
#define TAG_OF(k) statuses(k)%MPI_TAG
#else
#define COMMUNICATOR integer
#define REQUEST integer
#define MESSAGE integer
#define DATATYPE integer
#define STATUS_ARRAY(n) integer :: statuses(MPI_STATUS_SIZE, n)
#define STATUS_OF(k) statuses(:, k)
#define SOURCE_OF(k) statuses(MPI_SOURCE, k)
#define TAG_OF(k) statuses(MPI_TAG, k)
#endif
program preloaded
#if defined(WITH_F08)
   use mpi_f08
#elif defined(WITH_MPI)
   use mpi
#endif
   implicit none
#if !defined(WITH_F08) && !defined(WITH_MPI)
   include 'mpif.h'
#endif
   integer, parameter :: length = 30000, rounds = 4
   integer, asynchronous, save :: in(length, 2), out(length, 2)
   integer :: rank, peer, ierror, round, k, ended, done, indices(3), elements
   integer(MPI_ADDRESS_KIND) :: places(1)
   logical :: flag
   COMMUNICATOR :: comm
   REQUEST :: requests(3), one
   MESSAGE :: message
   DATATYPE :: absolute
   STATUS_ARRAY(3)

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   peer = 1 - rank
   call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)

   ! Persistent requests stay, whichever call completes them.
   call MPI_Recv_init(in(1, 1), length, MPI_INTEGER, MPI_ANY_SOURCE, 1, comm, requests(1), ierror)
   call MPI_Send_init(out(1, 1), length, MPI_INTEGER, peer, 1, comm, requests(2), ierror)
   requests(3) = MPI_REQUEST_NULL
   do round = 1, 7
      out(:, 1) = 1000*rank + round
      in = -1
      call MPI_Barrier(comm, ierror)
      call MPI_Startall(2, requests, ierror)
      select case (round)
      case (1)
         call MPI_Waitall(3, requests, statuses, ierror)
         call check(SOURCE_OF(1) == peer .and. TAG_OF(1) == 1, 'status of waitall')
         call MPI_Get_count(STATUS_OF(1), MPI_INTEGER, elements, ierror)
         call check(elements == length, 'count of waitall')
      case (2)
         call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
      case (3)
         call MPI_Wait(requests(1), STATUS_OF(2), ierror)
         call check(SOURCE_OF(2) == peer, 'status of wait')
         call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
      case (4)
         do k = 1, 2
            flag = .false.
            do while (.not. flag)
               call MPI_Test(requests(k), flag, STATUS_OF(k), ierror)
            end do
         end do
         call check(SOURCE_OF(1) == peer, 'status of test')
      case (5)
         flag = .false.
         do while (.not. flag)
            call MPI_Testall(3, requests, flag, statuses, ierror)
         end do
         call check(SOURCE_OF(1) == peer, 'status of testall')
      case (6)
         call MPI_Waitany(3, requests, k, STATUS_OF(3), ierror)
         ended = k
         call MPI_Waitany(3, requests, k, STATUS_OF(3), ierror)
         call check(abs(ended - k) == 1, 'indices of waitany')
         call MPI_Testany(3, requests, k, flag, STATUS_OF(3), ierror)
         ! MPICH 4.0 itself gives other indices here, and above in mpi_f08.
         call check(flag, 'nothing is active')
      case (7)
         ended = 0
         do while (ended < 2)
            call MPI_Waitsome(3, requests, done, indices, statuses, ierror)
            ended = ended + done
         end do
         ! Where nothing is active, MPICH 4.0's own Fortran interface fails.
      end select
      call check(all(in(:, 1) == 1000*peer + round), 'what has come')
      call check(requests(1) /= MPI_REQUEST_NULL .and. requests(2) /= MPI_REQUEST_NULL, 'persistent requests stay')
   end do
   call MPI_Request_free(requests(1), ierror)
   call MPI_Request_free(requests(2), ierror)
   call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'freed')

   ! Constants that are addresses.
   call MPI_Get_address(in(1, 2), places(1), ierror)
   call MPI_Type_create_hindexed(1, [length], places, MPI_INTEGER, absolute, ierror)
   call MPI_Type_commit(absolute, ierror)
   out(:, 2) = rank + 77
   call MPI_Irecv(MPI_BOTTOM, 1, absolute, peer, 2, comm, one, ierror)
   call MPI_Send(out(1, 2), length, MPI_INTEGER, peer, 2, comm, ierror)
   call MPI_Wait(one, MPI_STATUS_IGNORE, ierror)
   call check(one == MPI_REQUEST_NULL, 'null after the wait')
   call check(all(in(:, 2) == peer + 77), 'relative to MPI_BOTTOM')
   call MPI_Type_free(absolute, ierror)

   ! Probes, and a request of MPI's own in the same array.
   call MPI_Isend(out(1, 2), 10, MPI_INTEGER, peer, 3, comm, requests(1), ierror)
   call MPI_Isend(out(1, 2), 20, MPI_INTEGER, peer, 4, comm, requests(2), ierror)
   call MPI_Ibarrier(comm, requests(3), ierror)
   call MPI_Mprobe(MPI_ANY_SOURCE, 3, comm, message, STATUS_OF(1), ierror)
   call MPI_Get_count(STATUS_OF(1), MPI_INTEGER, elements, ierror)
   call check(elements == 10 .and. SOURCE_OF(1) == peer, 'matched probe')
   call MPI_Probe(peer, MPI_ANY_TAG, comm, STATUS_OF(1), ierror)
   call MPI_Get_count(STATUS_OF(1), MPI_INTEGER, elements, ierror)
   call check(elements == 20 .and. TAG_OF(1) == 4, 'probe')
   in = -1
   call MPI_Mrecv(in(1, 1), 10, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierror)
   call check(message == MPI_MESSAGE_NULL .and. all(in(:10, 1) == peer + 77), 'matched receive')
   call MPI_Recv(in(1, 2), 20, MPI_INTEGER, peer, 4, comm, MPI_STATUS_IGNORE, ierror)
   call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
   call check(all([requests(1) == MPI_REQUEST_NULL, requests(2) == MPI_REQUEST_NULL, requests(3) == MPI_REQUEST_NULL]), &
      'null after waitall')
   call MPI_Sendrecv_replace(rank, 1, MPI_INTEGER, peer, 5, peer, 5, comm, MPI_STATUS_IGNORE, ierror)
   call check(rank == peer, 'replaced')
   call MPI_Comm_free(comm, ierror)
   if (peer == 0) print '(a)', 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(len=*), intent(in) :: what
      if (holds) return
      print '(a, i0, a, i0, 2a)', 'rank ', rank, ', round ', round, ': does not hold: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
   end subroutine
end program
