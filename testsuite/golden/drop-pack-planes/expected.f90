! Planes of an array go to both neighbours at once, copied by nests of loops and by an assignment, with sizes that are only
! known when the program runs. Each buffer is filled again in each step.
program drop_pack_planes
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks
  double precision :: checksum, checksums(max_ranks)
  integer :: i

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine exchange(nx, ny, nz)
    use gravel
    integer, intent(in) :: nx, ny, nz
    double precision :: field(nx, 30, 0:nz + 1), work(nx, 30, nz)
    double precision :: from_below(nx, 30), from_above(nx, 30)
    double precision, allocatable :: down(:, :), edge(:)
    integer :: requests(4)
    integer :: i, j, k, above, below, step
    integer(gravel_request_kind) :: gravel_r1, gravel_s3

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
      ! gravel: posted here, was line 46: call mpi_irecv(from_below, nx*30, mpi_double_precision, below, 1,...
      call gravel_post_rcv_buffer_rdma(from_below, nx*30, mpi_double_precision, below, 1, mpi_comm_world, &
           requests(1), ierr)
      ! gravel: posted here, was line 47: call mpi_irecv(from_above, nx*30, mpi_double_precision, above, 2,...
      call gravel_post_rcv_buffer_rdma(from_above, nx*30, mpi_double_precision, above, 2, mpi_comm_world, &
           requests(2), ierr)
      ! gravel: sent from where it lies, was line 50: up(i + nx*(j - 1)) = field(i, j, nz)
      ! gravel: sent without waiting, was line 53: call mpi_isend(up, nx*30, mpi_double_precision, above, 1...
      call gravel_post_send(field(:, 1:30, nz), nx*30, mpi_double_precision, above, 1, mpi_comm_world, &
           requests(3), ierr)
      ! gravel: sent from where it lies, was line 54: down(:, :) = field(:, :, 1)
      ! gravel: sent without waiting, was line 55: call mpi_isend(down, nx*30, mpi_double_precision, below,...
      call gravel_post_send(field(:, :, 1), nx*30, mpi_double_precision, below, 2, mpi_comm_world, &
           requests(4), ierr)
      do k = 2, nz - 1
        do j = 1, ny
          do i = 1, nx
            work(i, j, k) = field(i, j, k) + 0.125d0 * (field(i, j, k - 1) + field(i, j, k + 1))
          end do
        end do
      end do
      ! gravel: waits here, was line 63: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
      call gravel_wait(requests(1), from_below, ierr)
      call gravel_wait(requests(2), from_above, ierr)
      ! gravel: sent here, where it is complete, was line 72: call mpi_send(edge(1), nx, mpi_double_precisi...
      gravel_s3 = gravel_request_null
      if (rank < ranks - 1) call gravel_post_send(field(1:nx, 7, 3), nx, mpi_double_precision, rank + 1, 3, &
           mpi_comm_world, gravel_s3)
      do j = 1, ny
        do i = 1, nx
          work(i, j, 1) = field(i, j, 1) + 0.125d0 * from_below(i, j)
          work(i, j, nz) = field(i, j, nz) + 0.125d0 * from_above(i, j)
        end do
      end do
      ! gravel: posted early, was line 82: call mpi_recv(from_below, nx, mpi_double_precision, rank - 1, 3,...
      if (rank > 0) call gravel_post_rcv_buffer_rdma(from_below, nx, mpi_double_precision, rank - 1, 3, &
           mpi_comm_world, gravel_r1)
      if (rank < ranks - 1) then
        ! gravel: sent from where it lies, was line 71: edge(1:nx) = field(1:nx, 7, 3)
        ! gravel: moved away from here, was line 72: call mpi_send(edge(1), nx, mpi_double_precision, rank ...
        ierr = 0
      end if
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            work(i, j, k) = work(i, j, k) * 0.75d0
          end do
        end do
      end do
      if (rank > 0) then
        ! gravel: waits here, was line 82: call mpi_recv(from_below, nx, mpi_double_precision, rank - 1, 3,...
        call gravel_wait(gravel_r1, from_below, ierr)
        work(:, 9, 2) = work(:, 9, 2) + from_below(:, 1)
      end if
      ! gravel: the wait moved here, was line 63: call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
      call gravel_wait(requests(3), field)
      call gravel_wait(requests(4), field)
      ! gravel: the wait moved here, was line 72: call mpi_send(edge(1), nx, mpi_double_precision, rank + 1...
      call gravel_wait(gravel_s3, field)
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
