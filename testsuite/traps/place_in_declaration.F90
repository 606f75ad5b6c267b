! A buffer that is no longer needed goes from the middle of a declaration, whose later lines count: an array has as many
! elements as the number of its line says.
! expect: handled
program place_in_declaration
  use mpi
  implicit none

  integer, parameter :: n = 4000, m = 24
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: Field(0:n + 1, m), smooth(n, m), &
    border(n), &
    lines(__LINE__), &
    ghost(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 1, m
    do i = 0, n + 1
      Field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)
    end do
  end do

  do step = 1, 4
    call mpi_irecv(ghost, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
    ! what the right neighbour needs
    do k = 1, n
      border(k) = Field(k, m)
    end do
    call mpi_send(border, n, mpi_double_precision, next, 5, mpi_comm_world, ierr) ! trapped
    do j = 1, m
      do i = 1, n
        smooth(i, j) = 0.25d0 * (Field(i - 1, j) + Field(i + 1, j)) + 0.5d0 * Field(i, j)
      end do
    end do
    call mpi_wait(request, status, ierr)
    do i = 1, n
      smooth(i, 1) = smooth(i, 1) + 0.125d0 * ghost(i)
    end do
    do j = 1, m
      do i = 1, n
        Field(i, j) = smooth(i, j)
      end do
    end do
  end do

  checksum = 0.0d0
  do j = 1, m
    do i = 1, n
      checksum = checksum + Field(i, j) * dble(mod(i + 3*j, 11))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  if (rank == 0) write (*, *) size(lines), __LINE__
  call mpi_finalize(ierr)
end program place_in_declaration
