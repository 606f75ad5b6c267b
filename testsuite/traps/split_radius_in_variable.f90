! How far the stencil reaches is in a variable, which is 1 in some calls and larger in others.
! expect: without split-loop
! ranks: 2 3
program split_radius_in_variable
  use mpi
  implicit none

  integer, parameter :: nx = 120, ny = 30
  double precision :: u(nx, -19:ny), v(nx, ny), edges(nx, 20)
  integer :: i, j, request
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do j = -19, ny
    do i = 1, nx
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7 + 140, 31)) * 0.125d0
    end do
  end do
  v = 0.0d0
  do k = 1, 20
    edges = u(:, 1:20) + dble(k)
    if (rank == 1) call delay
    call exchange_and_sweep(k)
    checksum = checksum + sum(v)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do k = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', k - 1, ' checksum ', checksums(k)
    end do
  end if
  call mpi_finalize(ierr)

contains

  ! What comes from here comes late.
  subroutine delay
    integer :: times
    double precision :: x
    x = 1
    do times = 1, 300000
      x = sqrt(x + times)
    end do
    if (x < 0) print *, x
  end subroutine delay

  subroutine exchange_and_sweep(radius)
    integer, intent(in) :: radius

    call mpi_irecv(u(1, -19), 20*nx, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(edges, 20*nx, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do j = 1, ny
      do i = 1, nx
        v(i, j) = u(i, j-radius) + 0.5d0 * u(i, j)
      end do
    end do
  end subroutine exchange_and_sweep
end program split_radius_in_variable
