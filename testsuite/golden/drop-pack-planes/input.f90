! Planes of an array go to both neighbours at once, copied by nests of loops and by an assignment, with sizes that are only
! known when the program runs. Each buffer is filled again in each step.
program drop_pack_planes
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: checksum, checksums(max_ranks)
  integer :: i

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call exchange(200, 30, 12)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine exchange(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    double precision :: field(nx, 30, 0:nz + 1), work(nx, 30, nz)
    double precision :: up(nx*30), from_below(nx, 30), from_above(nx, 30)
    double precision, allocatable :: down(:, :), edge(:)
    integer :: requests(4)
    integer :: i, j, k, above, below, step

    above = mod(rank + 1, ranks)
    below = mod(rank - 1 + ranks, ranks)
    allocate (down(nx, 30), edge(nx))
    do k = 0, nz + 1
      do j = 1, ny
        do i = 1, nx
          field(i, j, k) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j - k)
        end do
      end do
    end do
    do step = 1, 4
      call mpi_irecv(from_below, nx*30, mpi_double_precision, below, 1, mpi_comm_world, requests(1), ierr)
      call mpi_irecv(from_above, nx*30, mpi_double_precision, above, 2, mpi_comm_world, requests(2), ierr)
      do j = 1, 30
        do i = 1, nx
          up(i + nx*(j - 1)) = field(i, j, nz)
        end do
      end do
      call mpi_isend(up, nx*30, mpi_double_precision, above, 1, mpi_comm_world, requests(3), ierr)
      down(:, :) = field(:, :, 1)
      call mpi_isend(down, nx*30, mpi_double_precision, below, 2, mpi_comm_world, requests(4), ierr)
      do k = 2, nz - 1
        do j = 1, ny
          do i = 1, nx
            work(i, j, k) = field(i, j, k) + 0.125d0 * (field(i, j, k - 1) + field(i, j, k + 1))
          end do
        end do
      end do
      call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
      do j = 1, ny
        do i = 1, nx
          work(i, j, 1) = field(i, j, 1) + 0.125d0 * from_below(i, j)
          work(i, j, nz) = field(i, j, nz) + 0.125d0 * from_above(i, j)
        end do
      end do
      if (rank < ranks - 1) then
        edge(1:nx) = field(1:nx, 7, 3)
        call mpi_send(edge(1), nx, mpi_double_precision, rank + 1, 3, mpi_comm_world, ierr)
      end if
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            work(i, j, k) = work(i, j, k) * 0.75d0
          end do
        end do
      end do
      if (rank > 0) then
        call mpi_recv(from_below, nx, mpi_double_precision, rank - 1, 3, mpi_comm_world, mpi_status_ignore, ierr)
        work(:, 9, 2) = work(:, 9, 2) + from_below(:, 1)
      end if
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            field(i, j, k) = work(i, j, k)
          end do
        end do
      end do
    end do
    checksum = 0.0d0
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          checksum = checksum + field(i, j, k) * dble(mod(i + 3*j + k, 11))
        end do
      end do
    end do
    deallocate (down, edge)
  end subroutine exchange
end program drop_pack_planes
