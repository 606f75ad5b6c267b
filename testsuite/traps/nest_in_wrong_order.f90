! The nest runs through the buffer across its columns: no part of the message is complete before the
! last iterations of the outer loop.
! expect: handled
program nest_in_wrong_order
  use mpi
  implicit none

  integer, parameter :: ny = 200, nz = 160
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(ny*nz), rbuf(ny*nz)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, ny*nz, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do j = 1, ny
      do k = 1, nz
        sbuf((k - 1)*ny + j) = dble(rank + step) + dble(j) * 0.5d0 - dble(k) * 0.25d0
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
end program nest_in_wrong_order
