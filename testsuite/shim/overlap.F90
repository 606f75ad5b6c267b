! Whether an exchange is worth overlapping, from Fortran. Built with the module mpi (WITH_MPI) and with mpi_f08 (WITH_F08). Runs on
! 2 ranks.
program overlap
#if defined(WITH_F08)
   use mpi_f08
#define REQUEST type(MPI_Request)
#else
   use mpi
#define REQUEST integer
#endif
   use gravel
   implicit none
   integer, parameter :: length = 5000, rounds = 30
   integer, asynchronous :: outgoing(length), incoming(length)
   integer :: rank, ranks, other, round, k, yes, total, ierror
   REQUEST :: receive, send
   logical :: apart
   character(len=20) :: setting

   call get_environment_variable('GRAVEL_OVERLAP', setting)
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call check(.not. gravel_worth_overlapping('before gravel_init'), 'nothing before gravel_init')
   call gravel_init(MPI_COMM_WORLD, ierror)
   other = mod(rank + 1, ranks)
   yes = 0
   do round = 1, rounds
      outgoing = [(100*round + rank + k, k = 1, length)]
      call gravel_post_rcv_buffer_rdma(incoming, length, MPI_INTEGER, other, 1, MPI_COMM_WORLD, receive)
      call gravel_post_send(outgoing, length, MPI_INTEGER, other, 1, MPI_COMM_WORLD, send)
      apart = gravel_worth_overlapping('overlap.F90:33')
      call check(setting /= '' .or. round > 3 .or. .not. apart, 'whole rounds are tried first')
      total = 0
      if (apart) then
         yes = yes + 1
         total = sum(outgoing)
      end if
      call gravel_wait(receive, incoming)
      call gravel_wait(send, outgoing)
      if (.not. apart) total = sum(outgoing)
      call check(total - sum(incoming) == length*(rank - other), 'what came')
   end do
   call check(setting /= 'always' .or. yes == rounds, 'always')
   call check(setting /= 'never' .or. yes == 0, 'never')
   call gravel_finalize(ierror)
   if (rank == 0) print '(a)', 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      integer :: ignored
      if (holds) return
      print '(a,i0,2a)', 'rank ', rank, ', does not hold: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
   end subroutine
end program
