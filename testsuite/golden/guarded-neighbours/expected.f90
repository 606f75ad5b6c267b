! A chain without wrap-around: a neighbour of -1 is none, and every call is guarded by it.
program guarded_neighbours
  use mpi
  use gravel
  implicit none

  integer, parameter :: east_bound = 31, west_bound = 32
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  integer :: status(mpi_status_size)
  double precision :: to_east(n), to_west(n), from_east(n), from_west(n), field(n)
  integer :: east, west, east_request, west_request
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1, gravel_s2
  integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  east = rank + 1
  west = rank - 1
  if (rank == ranks - 1) east = -1
  do i = 1, n
    field(i) = dble(rank + 1) * dble(mod(i, 37))
  end do

  do step = 1, 3
    ! gravel: posted here, was line 27: call mpi_irecv(from_west, n, mpi_double_precision, west, east_bound...
    if (west /= -1) call gravel_post_rcv_buffer_rdma(from_west, n, mpi_double_precision, west, east_bound, &
         mpi_comm_world, west_request, ierr)
    ! gravel: posted here, was line 29: call mpi_irecv(from_east, n, mpi_double_precision, east, west_bound...
    if (east /= -1) call gravel_post_rcv_buffer_rdma(from_east, n, mpi_double_precision, east, west_bound, &
         mpi_comm_world, east_request, ierr)
    ! gravel: null where the branch below is not taken
    gravel_s1 = gravel_request_null
    if (east /= -1) then
      ! gravel: one handshake, a put per tile, was line 35: call mpi_send(to_east, n, mpi_double_precision,...
      call gravel_wait_rcv_buffer(to_east, n, mpi_double_precision, east, east_bound, mpi_comm_world, &
           gravel_t1)
      gravel_step1 = gravel_tile(gravel_t1, n)
      do gravel_lo1 = 1, n, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
         do i = gravel_lo1, gravel_hi1
           to_east(i) = field(i) + dble(step)
         end do
         call gravel_post_os_put(gravel_t1, to_east, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
      end do
      ! gravel: sent tile by tile above, was line 35: call mpi_send(to_east, n, mpi_double_precision, east,...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    end if
    ! gravel: null where the branch below is not taken
    gravel_s2 = gravel_request_null
    if (west /= -1) then
      ! gravel: one handshake, a put per tile, was line 41: call mpi_send(to_west, n, mpi_double_precision,...
      call gravel_wait_rcv_buffer(to_west, n, mpi_double_precision, west, west_bound, mpi_comm_world, &
           gravel_t2)
      gravel_step2 = gravel_tile(gravel_t2, n)
      do gravel_lo2 = 1, n, gravel_step2
         gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
         do i = gravel_lo2, gravel_hi2
           to_west(i) = field(i) - dble(step)
         end do
         call gravel_post_os_put(gravel_t2, to_west, gravel_lo2 - 1, gravel_hi2 - gravel_lo2 + 1)
      end do
      ! gravel: sent tile by tile above, was line 41: call mpi_send(to_west, n, mpi_double_precision, west,...
      call gravel_send_fin(gravel_t2, gravel_s2, ierr)
    end if
    if (west /= -1) then
      ! gravel: waits here, was line 44: call mpi_wait(west_request, status, ierr)
      call gravel_wait(west_request, from_west, status, ierr)
      do i = 1, n
        field(i) = field(i) + 0.25d0 * from_west(i)
      end do
    end if
    if (east /= -1) then
      ! gravel: waits here, was line 50: call mpi_wait(east_request, status, ierr)
      call gravel_wait(east_request, from_east, status, ierr)
      do i = 1, n
        field(i) = field(i) + 0.125d0 * from_east(i)
      end do
    end if
    ! gravel: the wait moved here, was line 35: call mpi_send(to_east, n, mpi_double_precision, east, east_...
    call gravel_wait(gravel_s1, to_east)
    ! gravel: the wait moved here, was line 41: call mpi_send(to_west, n, mpi_double_precision, west, west_...
    call gravel_wait(gravel_s2, to_west)
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 5))
  end do

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
end program guarded_neighbours
