! On the first rank the column left of the first one is named in a message to nobody, as programs do at the edge of a domain: it
! does not tell where the columns of the field begin, so the received one may be the first. The receive must not be posted above
! the send of that column.
! expect: without hoist-receive
program named_by_nobody
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, left, right, i, step, column
  integer :: status(mpi_status_size)
  double precision :: field(n, 1:4), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = rank - 1
  if (left < 0) left = mpi_proc_null
  right = rank + 1
  if (right == ranks) right = mpi_proc_null
  column = min(rank, 2)

  checksum = 0.0d0
  field = dble(rank + 1)
  do step = 1, 3
    call exchange(field, column, left, right)
    do i = 1, n
      checksum = checksum + field(i, 1) * dble(mod(i, 7)) + field(i, 3) * dble(mod(i, 5))
      field(i, 2) = 0.5d0 * field(i, 2) + dble(step)
    end do
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

  subroutine exchange(a, own, to_left, from_right)
    double precision, intent(inout) :: a(n, 1:4)
    integer, intent(in) :: own, to_left, from_right
    integer :: k

    do k = 1, n
      work(k) = sqrt(dble(k + own))
    end do
    ! Everybody sends the first column as it is before the exchange, to everybody's right.
    call mpi_sendrecv(a(1, 1), n, mpi_double_precision, from_right, 1, &
                      work, n, mpi_double_precision, to_left, 1, mpi_comm_world, status, ierr)
    call mpi_sendrecv(a(1, own), n, mpi_double_precision, to_left, 2, & ! trapped
                      a(1, own + 1), n, mpi_double_precision, from_right, 2, mpi_comm_world, status, ierr)
    do k = 1, n
      a(k, 4) = 0.5d0 * a(k, 4) + work(k)
    end do
    checksum = checksum + a(7, 4)
  end subroutine exchange
end program named_by_nobody
