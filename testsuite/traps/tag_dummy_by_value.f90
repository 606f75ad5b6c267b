! The tag is a dummy argument with a value of its own: it begins with the caller's and is changed on one
! side only. Who takes the assigned constant for its only value puts the send into a class of its own.
! expect: handled
program tag_dummy_by_value
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, prev, 3, mpi_comm_world, request, ierr) ! trapped
  call hand_on(sbuf, n, next, 3, rank < 0)
  call mpi_wait(request, status, ierr) ! trapped
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 5))
  end do
  call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 5, mpi_comm_world, request, ierr)
  call hand_on(sbuf, n, next, 3, rank >= 0)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  ! Sends with the tag, or with another one.
  subroutine hand_on(buffer, length, to, tag, is_other)
    double precision, intent(in) :: buffer(n)
    integer, intent(in) :: length, to
    integer, value :: tag
    logical, intent(in) :: is_other
    integer :: ierr

    if (is_other) tag = 5
    call mpi_send(buffer, length, mpi_double_precision, to, tag, mpi_comm_world, ierr) ! trapped
  end subroutine hand_on

end program tag_dummy_by_value
