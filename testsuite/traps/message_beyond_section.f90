! The message is longer than the section that is its buffer: no legal program, but compilers pass the address, and the next
! column is received as well. That a message ends with its section may only be believed where its length does not say otherwise.
! Of an element nothing like that holds at all.
! expect: without sink-wait
program message_beyond_section
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: request
  integer :: status(mpi_status_size)
  double precision :: sbuf(2 * n), field(n, 6)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  field = 0.5d0
  do step = 1, 3
    do i = 1, 2 * n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_irecv(field(:, 1), 2 * n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, 2 * n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    do i = 1, n
      checksum = checksum + field(i, 2) * dble(mod(i, 7))
    end do
    call receive_columns(field)
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

  subroutine receive_columns(columns)
    double precision, intent(inout) :: columns(:, :)
    integer :: wait_for, k

    call mpi_irecv(columns(1, 3), 2 * n, mpi_double_precision, prev, 2, mpi_comm_world, wait_for, ierr)
    call mpi_send(sbuf, 2 * n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call mpi_wait(wait_for, status, ierr) ! trapped
    do k = 1, n
      checksum = checksum + columns(k, 4) * dble(mod(k, 5))
    end do
    ! The beginning of something longer, named as a range.
    call mpi_irecv(columns(1:1, 5), 2 * n, mpi_double_precision, prev, 3, mpi_comm_world, wait_for, ierr)
    call mpi_send(sbuf, 2 * n, mpi_double_precision, next, 3, mpi_comm_world, ierr)
    call mpi_wait(wait_for, status, ierr) ! trapped
    do k = 1, n
      checksum = checksum + columns(k, 6) * dble(mod(k, 3))
    end do
  end subroutine receive_columns
end program message_beyond_section
