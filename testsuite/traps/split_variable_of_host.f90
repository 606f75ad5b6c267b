! A contained procedure looks at the variable of its host's loop behind it.
! expect: handled
subroutine relax()
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 90
  integer :: i, j, step
  integer :: requests(4)
  double precision :: u(0:nx+1, 0:ny+1), v(0:nx+1, 0:ny+1)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do step = 1, 4
    call mpi_irecv(u(1, 0), nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(u(1, ny + 1), nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr) ! trapped
    call mpi_isend(u(1, ny), nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(1, 1), nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
    call note()
    do j = 1, ny
      do i = 1, nx
        u(i, j) = v(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, ny
    do i = 1, nx
      checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
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

  subroutine note()
    v(1, 1) = v(1, 1) + dble(j)
  end subroutine note
end subroutine relax

program split_variable_of_host
  implicit none
  call relax()
end program split_variable_of_host
