! Functions of the system are called without a declaration but a type, by an interface to C, and with a file of the compiler
! that declares names: none of them leads out of the program.
module terminal
  implicit none
  private
  public :: is_terminal

  interface
    function descriptor_is_terminal(descriptor) bind(c, name='isatty')
      use iso_c_binding, only: c_int
      integer(c_int), value :: descriptor
      integer(c_int) :: descriptor_is_terminal
    end function descriptor_is_terminal
  end interface

contains

  logical function is_terminal()
    use iso_c_binding, only: c_int
    is_terminal = descriptor_is_terminal(1_c_int) == 1
  end function is_terminal

end module terminal

program system_functions
  use mpi
  use terminal, only: is_terminal
  use gravel
  implicit none
  include 'omp_lib.h'

  integer, parameter :: n = 4096
  integer :: getpid
  integer :: ierr, rank, ranks, next, previous, i, step, request
  integer(omp_lock_kind) :: unused
  character :: label*(n)
  double precision :: left(n), edge(n), field(n)
  logical :: is_loud
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  unused = 0
  label = 'edge'
  is_loud = getpid() < 0 .and. is_terminal() .and. unused > 0
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 31)) * 0.5d0
  end do

  do step = 1, 3
    ! gravel: posted here, was line 52: call mpi_irecv(left, n, mpi_double_precision, previous, 5, mpi_comm...
    call gravel_post_rcv_segments(left, n, mpi_double_precision, previous, 5, mpi_comm_world, request, ierr)
    ! gravel: one handshake, a put per tile, was line 56: call mpi_send(edge, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(edge, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         edge(i) = field(i) * 0.25d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, edge, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 56: call mpi_send(edge, n, mpi_double_precision, next, 5, m...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 57: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 57: call mpi_wait(request, mpi_status_ignore, i...
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, left)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, left, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) * 0.5d0 + left(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, left)
    ! gravel: the wait moved here, was line 56: call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_c...
    call gravel_wait(gravel_s1, edge)
  end do

  if (is_loud .or. rank == 0) write (*, '(a,es24.16)') label(1:4), sum(field)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program system_functions
