! Stencils that reach two columns far need two ghost columns, and one that is wider on one side more of them there: all
! but as many of the first and of the last columns are computed while these travel. There are fields of so few columns, too,
! that none is left.
program split_loop_deep
  use mpi
  implicit none

  integer, parameter :: nx = 120, longest = 40
  integer, parameter :: lengths(9) = [1, 2, 3, 4, 5, 6, 7, 12, 40]
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do k = 1, size(lengths)
    call fourth_order(lengths(k))
    call lopsided(lengths(k))
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

  ! Two columns on either side.
  subroutine fourth_order(ny)
    integer, intent(in) :: ny
    integer :: i, j, error, requests(4)
    double precision :: u(nx, -1:longest+2), v(nx, longest), west(nx, 2), east(nx, 2)

    do j = 1, ny
      do i = 1, nx
        u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
      end do
    end do
    do j = 1, 2
      do i = 1, nx
        west(i, j) = u(i, min(j, ny))
        east(i, j) = u(i, max(ny - 2 + j, 1))
      end do
    end do
    call mpi_irecv(u(1, -1), 2*nx, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(1, ny+1), 2*nx, mpi_double_precision, next, 2, mpi_comm_world, requests(2), error)
    call mpi_isend(east, 2*nx, mpi_double_precision, next, 1, mpi_comm_world, requests(3), error)
    call mpi_isend(west, 2*nx, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), error)
    call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    do j = 1, ny
      do i = 1, nx
        v(i, j) = (16.0d0 * (u(i, j-1) + u(i, j+1)) - u(i, j-2) - u(i, j+2) - 30.0d0 * u(i, j)) / 12.0d0
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        checksum = checksum + v(i, j) * dble(mod(i + 2*j, 13))
      end do
    end do
  end subroutine fourth_order

  ! Three columns in front, and one behind. Counted from 0, and what stands behind the loop sees how far.
  subroutine lopsided(ny)
    integer, intent(in) :: ny
    integer :: i, j, error, requests(2)
    double precision :: u(nx, -3:longest), v(nx, 0:longest), edges(nx, 4)

    do j = 0, ny - 1
      do i = 1, nx
        u(i, j) = dble(rank + 2) + dble(mod(i * 5 + j * 11, 29)) * 0.25d0
      end do
    end do
    do j = 1, 4
      do i = 1, nx
        edges(i, j) = u(i, mod(ny - 1 + j, ny)) + dble(j)
      end do
    end do
    call mpi_irecv(u(1, -3), 3*nx, mpi_double_precision, prev, 3, mpi_comm_world, requests(1), error)
    call mpi_irecv(u(1, ny), nx, mpi_double_precision, next, 4, mpi_comm_world, requests(2), error)
    call mpi_send(edges, 3*nx, mpi_double_precision, next, 3, mpi_comm_world, error)
    call mpi_send(edges(1, 4), nx, mpi_double_precision, prev, 4, mpi_comm_world, error)
    call mpi_wait(requests(1), mpi_status_ignore, error)
    call mpi_wait(requests(2), mpi_status_ignore, error)
    do j = 0, ny - 1
      do i = 1, nx
        v(i, j) = u(i, j-3) - 6.0d0 * u(i, j-2) + 18.0d0 * u(i, j-1) - 10.0d0 * u(i, j) - 3.0d0 * u(i, j+1)
      end do
    end do
    checksum = checksum + dble(j)
    do j = 0, ny - 1
      do i = 1, nx
        checksum = checksum + v(i, j) * dble(mod(i + 3*j, 11))
      end do
    end do
  end subroutine lopsided

end program split_loop_deep
