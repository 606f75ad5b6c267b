! The nest fills a part of an array whose columns are longer than the part: what it fills is not
! contiguous, although the number of elements is that of the message.
! expect: handled
program leading_dimension
  use mpi
  implicit none

  integer, parameter :: ny = 190, lead = 200, nz = 160
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(lead, nz), rbuf(ny*nz)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do k = 1, nz
    do j = 1, lead
      sbuf(j, k) = -dble(j)
    end do
  end do
  do step = 1, 3
    call mpi_irecv(rbuf, ny*nz, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do k = 1, nz
      do j = 1, ny
        sbuf(j, k) = dble(rank + step) + dble(j) * 0.5d0 - dble(k) * 0.25d0
      end do
    end do
    call mpi_send(sbuf, ny*nz, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, ny*nz
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
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
end program leading_dimension
