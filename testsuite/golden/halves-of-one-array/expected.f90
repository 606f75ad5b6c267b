! What a called subroutine touches of an array decides what may pass the call: the other half is received meanwhile.
program halves_of_one_array
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: half = n / 2
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), field(n)
  integer :: step
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  field = dble(rank + 1)
  do step = 1, 3
    ! gravel: posted early, was line 27: call mpi_recv(field(half + 1), half, mpi_double_precision, prev, 1...
    call gravel_post_rcv_buffer_rdma(field(half + 1), half, mpi_double_precision, prev, 1, mpi_comm_world, &
         gravel_r1)
    call smooth(field(1), half)
    call fill(sbuf, n, half, step)
    ! gravel: sent without waiting, was line 26: call mpi_isend(sbuf(half + 1), half, mpi_double_precision,...
    call gravel_post_send(sbuf(half + 1), half, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
    ! gravel: moved away from here, was line 27: call mpi_recv(field(half + 1), half, mpi_double_precision,...
    ierr = 0
    ! gravel: moved away from here, was line 28: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    call smooth(field, half)
    ! gravel: the wait moved here, was line 27: call mpi_recv(field(half + 1), half, mpi_double_precision, ...
    call gravel_wait(gravel_r1, field, status)
    do i = 1, n
      checksum = checksum + field(i) * dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 28: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, sbuf)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program halves_of_one_array

! Works on the first elements only.
subroutine smooth(values, length)
  implicit none
  integer, intent(in) :: length
  double precision, intent(inout) :: values(*)
  integer :: i

  do i = 2, length
    values(i) = 0.5d0 * (values(i) + values(i - 1))
  end do
end subroutine smooth

! Writes the elements behind the first ones.
subroutine fill(values, length, first, step)
  implicit none
  integer, intent(in) :: length, first, step
  double precision, intent(inout) :: values(length)
  integer :: i

  do i = first + 1, length
    values(i) = dble(step) * dble(mod(i, 11))
  end do
end subroutine fill
