! MPI under names of the program's own: constants that are renamed, generic names over MPI's procedures, and generic names
! that extend intrinsic functions or are constructors.
module constants
  implicit none
  private
  public :: mpi_comm_world, mpi_double_precision, mpi_status_size
  include 'mpif.h'
end module constants

module messages
  use constants, only: mp_comm_world => mpi_comm_world, mp_real => mpi_double_precision, mp_status_size => mpi_status_size
  implicit none
  private
  public :: mp_comm_world, mp_real, mp_status_size, mp_start, mp_end, mp_rank, mp_size

  interface mp_start
    subroutine mpi_init(ierr)
      integer, intent(out) :: ierr
    end subroutine mpi_init
  end interface mp_start

  interface mp_end
    subroutine mpi_finalize(ierr)
      integer, intent(out) :: ierr
    end subroutine mpi_finalize
  end interface mp_end

  interface mp_rank
    subroutine mpi_comm_rank(comm, rank, ierr)
      integer, intent(in) :: comm
      integer, intent(out) :: rank, ierr
    end subroutine mpi_comm_rank
  end interface mp_rank

  interface mp_size
    subroutine mpi_comm_size(comm, size, ierr)
      integer, intent(in) :: comm
      integer, intent(out) :: size, ierr
    end subroutine mpi_comm_size
  end interface mp_size
end module messages

module lists
  implicit none

  type list
    integer :: length
  end type list

  interface len
    module procedure length_of_list
  end interface len

  interface list
    module procedure list_for
  end interface list

contains

  integer function length_of_list(it)
    type(list), intent(in) :: it

    length_of_list = it%length
  end function length_of_list

  type(list) function list_for(x)
    double precision, intent(in) :: x

    list_for%length = int(x)
  end function list_for
end module lists

program renamed_names
  use messages
  use lists
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mp_status_size)
  double precision :: sbuf(n), rbuf(n), a(n)
  double precision :: checksum, checksums(max_ranks)
  type(list) :: found

  call mp_start(ierr)
  call mp_rank(mp_comm_world, rank, ierr)
  call mp_size(mp_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    do i = 1, n
      sbuf(i) = a(i) * 0.25d0 + dble(step)
    end do
    call mpi_irecv(rbuf, n, mp_real, prev, 1, mp_comm_world, request, ierr)
    call mpi_send(sbuf, n, mp_real, next, 1, mp_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      a(i) = a(i) * 0.5d0 + rbuf(i)
    end do
  end do
  found = list(a(n))
  checksum = dble(len(found) + len('four'))
  do i = 1, n
    checksum = checksum + a(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mp_real, checksums, 1, mp_real, 0, mp_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mp_end(ierr)
end program renamed_names
