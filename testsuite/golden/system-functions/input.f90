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
  implicit none
  include 'omp_lib.h'

  integer, parameter :: n = 4096
  integer :: getpid
  integer :: ierr, rank, ranks, next, previous, i, step, request
  integer(omp_lock_kind) :: unused
  character :: label*(n)
  double precision :: left(n), edge(n), field(n)
  logical :: is_loud

  call mpi_init(ierr)
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
    call mpi_irecv(left, n, mpi_double_precision, previous, 5, mpi_comm_world, request, ierr)
    do i = 1, n
      edge(i) = field(i) * 0.25d0 + dble(step)
    end do
    call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + left(i)
    end do
  end do

  if (is_loud .or. rank == 0) write (*, '(a,es24.16)') label(1:4), sum(field)
  call mpi_finalize(ierr)
end program system_functions
