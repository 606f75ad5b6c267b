! The message has three planes, of which the nest that packs before the send fills the first and the third; the second is
! still what an earlier loop has made of it.
! expect: without strip-mine-producer
program planes_third_missing
  use mpi
  implicit none

  integer, parameter :: ny = 120, nz = 140
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, k, step, first_plane, third_plane
  integer :: status(mpi_status_size)
  double precision :: sbuf(3*ny*nz), rbuf(3*ny*nz)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, 3*ny*nz, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    do i = ny*nz + 1, 2*ny*nz
      sbuf(i) = dble(step)*dble(mod(i, 11))
    end do
    do k = 1, nz
      do j = 1, ny
        first_plane = (k - 1)*ny + j
        third_plane = first_plane + 2*ny*nz
        sbuf(first_plane) = dble(rank + step) + dble(j)*0.5d0 - dble(k)*0.25d0
        sbuf(third_plane) = dble(rank - step) - dble(j)*0.5d0 + dble(k)*0.125d0
      end do
    end do
    call mpi_send(sbuf, 3*ny*nz, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr)
    do i = 1, 3*ny*nz
      checksum = checksum + rbuf(i)*dble(mod(i, 7))
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
end program planes_third_missing
