! The step of a distributed transform between two local ones: the block of each process is packed out of a plane of its
! own, and unpacked likewise. Extents are variables.
program alltoall_transpose
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: nx = 40, ny = 60, local = nx*ny*10
  integer :: ierr, rank, ranks, i, j, k, p, columns, planes, block, step
  double precision :: field(local*max_ranks), sbuf(local*max_ranks), rbuf(local*max_ranks), factor(nx)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  columns = nx*ny
  planes = 10
  block = columns*planes
  do i = 1, nx
    factor(i) = 1.0d0 / dble(i + 1)
  end do
  do i = 1, local*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 37)) * 0.5d0
  end do
  do step = 1, 2
    ! Local work along the first dimension, and the pack.
    do p = 0, ranks - 1
      do k = 1, planes
        do j = 1, columns
          sbuf(p*planes*columns + (k - 1)*columns + j) = &
            field((k - 1)*columns*ranks + p*columns + j) * factor(mod(j, nx) + 1)
        end do
      end do
    end do
    call mpi_alltoall(sbuf, block, mpi_double_precision, rbuf, block, mpi_double_precision, mpi_comm_world, ierr)
    do p = 0, ranks - 1
      do k = 1, planes
        do j = 1, columns
          field(p*planes*columns + (k - 1)*columns + j) = rbuf(p*planes*columns + (k - 1)*columns + j) * 0.5d0 + 1.0d0
        end do
      end do
    end do
  end do
  checksum = 0.0d0
  do i = 1, size(field)
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoall_transpose
