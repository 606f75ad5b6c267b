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
  use gravel
  implicit none

  integer, parameter :: n = 40000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, step
  integer :: status(mp_status_size)
  double precision :: sbuf(n), rbuf(n), a(n)
  double precision :: checksum, checksums(max_ranks)
  type(list) :: found
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mp_start(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init()
  call mp_rank(mp_comm_world, rank, ierr)
  call mp_size(mp_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i, 29)) * 0.5d0
  end do
  do step = 1, 3
    ! gravel: posted early, was line 98: call mpi_irecv(rbuf, n, mp_real, prev, 1, mp_comm_world, request, ...
    call gravel_post_rcv_segments(rbuf, n, mp_real, prev, 1, mp_comm_world, request)
    ! gravel: one handshake, a put per tile, was line 99: call mpi_send(sbuf, n, mp_real, next, 1, mp_comm_...
    call gravel_wait_rcv_buffer(sbuf, n, mp_real, next, 1, mp_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = a(i) * 0.25d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 98: call mpi_irecv(rbuf, n, mp_real, prev, 1, mp_comm_world, r...
    ierr = 0
    ! gravel: sent tile by tile above, was line 99: call mpi_send(sbuf, n, mp_real, next, 1, mp_comm_world,...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: moved away from here, was line 100: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 100: call mpi_wait(request, status, ierr)
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         a(i) = a(i) * 0.5d0 + rbuf(i)
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf, status)
    ! gravel: the wait moved here, was line 99: call mpi_send(sbuf, n, mp_real, next, 1, mp_comm_world, ierr)
    call gravel_wait(gravel_s1, sbuf)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mp_end(ierr)
end program renamed_names
