! A halo exchange of non-blocking synchronous sends in the interface of the module mpi_f08. Of the operations that are waited for
! together the waits for the receives go below the work, and so do those for the sends: nothing is in between that others see.
program halo
  use mpi_f08
  implicit none

  integer, parameter :: n = 2000, columns = 40
  integer :: rank, ranks, left, right, step, i, j
  type(mpi_request) :: requests(4)
  double precision :: field(n, 0:columns + 1), next(n, columns), edges(n, 2), checksum, total

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  left = rank - 1
  if (left < 0) left = mpi_proc_null
  right = rank + 1
  if (right == ranks) right = mpi_proc_null
  do j = 0, columns + 1
    do i = 1, n
      field(i, j) = dble(rank + 1) + dble(mod(i * j, 13)) * 0.5d0
    end do
  end do
  do step = 1, 4
    do i = 1, n
      edges(i, 1) = field(i, 1)
    end do
    do i = 1, n
      edges(i, 2) = field(i, columns)
    end do
    call mpi_irecv(field(1, 0), n, mpi_double_precision, left, 1, mpi_comm_world, requests(1))
    call mpi_irecv(field(1, columns + 1), n, mpi_double_precision, right, 2, mpi_comm_world, requests(2))
    call mpi_issend(edges(1, 1), n, mpi_double_precision, left, 2, mpi_comm_world, requests(3))
    call mpi_issend(edges(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, requests(4))
    call mpi_waitall(4, requests, mpi_statuses_ignore)
    do j = 2, columns - 1
      do i = 1, n
        next(i, j) = field(i, j) * 0.5d0 + (field(i, j - 1) + field(i, j + 1)) * 0.25d0
      end do
    end do
    do i = 1, n
      next(i, 1) = field(i, 1) * 0.5d0 + (field(i, 0) + field(i, 2)) * 0.25d0
      next(i, columns) = field(i, columns) * 0.5d0 + (field(i, columns - 1) + field(i, columns + 1)) * 0.25d0
    end do
    do j = 1, columns
      do i = 1, n
        field(i, j) = next(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, columns
    do i = 1, n
      checksum = checksum + field(i, j) * dble(mod(i + j, 5))
    end do
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world)
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', total
  call mpi_finalize()
end program halo
