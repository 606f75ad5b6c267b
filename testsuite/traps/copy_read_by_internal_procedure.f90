! An internal procedure looks at the copy, which the call does not show.
! expect: without drop-pack
program copy_read_by_internal_procedure
  use mpi
  implicit none

  integer, parameter :: n = 6000, m = 6
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step
  integer :: status(mpi_status_size)
  double precision :: field(n, m), other(n, m), edge(n)
  double precision :: buffer(n)
  integer :: received
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do j = 1, m
    do i = 1, n
      field(i, j) = dble(rank + 1) + dble(mod(i, 37)) * 0.25d0 + dble(j)
    end do
  end do
  do step = 1, 4
    call mpi_irecv(edge, n, mpi_double_precision, prev, 1, mpi_comm_world, received, ierr)
    do i = 1, n
      buffer(i) = field(i, m)
    end do
    call mpi_send(buffer, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    do j = 1, m
      do i = 1, n
        other(i, j) = field(i, j) * 0.125d0 + dble(step)
      end do
    end do
    call mpi_wait(received, status, ierr)
    do i = 1, n
      field(i, m) = field(i, m) * 0.75d0
    end do
    call add
    do i = 1, n
      field(i, 1) = field(i, 1) * 0.5d0 + edge(i)
    end do
    do j = 2, m
      do i = 1, n
        field(i, j) = field(i, j) * 0.5d0 + field(i, j - 1) * 0.25d0
      end do
    end do
  end do
  do j = 1, m
    do i = 1, n
      checksum = checksum + (field(i, j) + other(i, j)) * dble(mod(i + 3*j, 11))
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

  subroutine add
    checksum = checksum + buffer(3) + buffer(n)
  end subroutine add
end program copy_read_by_internal_procedure
