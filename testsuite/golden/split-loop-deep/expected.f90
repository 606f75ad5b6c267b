! Stencils that reach two columns far need two ghost columns, and one that is wider on one side more of them there: all
! but as many of the first and of the last columns are computed while these travel. There are fields of so few columns, too,
! that none is left.
program split_loop_deep
  use mpi
  use gravel
  implicit none

  integer, parameter :: nx = 120, longest = 40
  integer, parameter :: lengths(9) = [1, 2, 3, 4, 5, 6, 7, 12, 40]
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  ! Two columns on either side.
  subroutine fourth_order(ny)
    use gravel
    integer, intent(in) :: ny
    integer :: i, j, error, requests(4)
    double precision :: u(nx, -1:longest+2), v(nx, longest), west(nx, 2), east(nx, 2)
    integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_part2

    do j = 1, ny
      do i = 1, nx
        u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
      end do
    end do
    ! gravel: one handshake, a put per tile, was line 54: call mpi_isend(east, 2*nx, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(east, 2*nx, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
    ! gravel: one handshake, a put per tile, was line 55: call mpi_isend(west, 2*nx, mpi_double_precision, ...
    call gravel_wait_rcv_buffer(west, 2*nx, mpi_double_precision, prev, 2, mpi_comm_world, gravel_t2)
    gravel_step1 = gravel_tile([gravel_t1, gravel_t2], 2, 1)
    do gravel_lo1 = 1, 2, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, 2 - gravel_lo1)
       do j = gravel_lo1, gravel_hi1
         do i = 1, nx
           west(i, j) = u(i, min(j, ny))
           east(i, j) = u(i, max(ny - 2 + j, 1))
         end do
       end do
       call gravel_post_os_put(gravel_t1, east, (gravel_lo1 - 1)*120, (gravel_hi1 - gravel_lo1 + 1)*120)
       call gravel_post_os_put(gravel_t2, west, (gravel_lo1 - 1)*120, (gravel_hi1 - gravel_lo1 + 1)*120)
    end do
    ! gravel: posted here, was line 52: call mpi_irecv(u(1, -1), 2*nx, mpi_double_precision, prev, 1, mpi_c...
    call gravel_post_rcv_buffer_rdma(u(1, -1), 2*nx, mpi_double_precision, prev, 1, mpi_comm_world, &
         requests(1), error)
    ! gravel: posted here, was line 53: call mpi_irecv(u(1, ny+1), 2*nx, mpi_double_precision, next, 2, mpi...
    call gravel_post_rcv_buffer_rdma(u(1, ny+1), 2*nx, mpi_double_precision, next, 2, mpi_comm_world, &
         requests(2), error)
    ! gravel: sent tile by tile above, was line 54: call mpi_isend(east, 2*nx, mpi_double_precision, next, ...
    call gravel_send_fin(gravel_t1, requests(3), error)
    ! gravel: sent tile by tile above, was line 55: call mpi_isend(west, 2*nx, mpi_double_precision, prev, ...
    call gravel_send_fin(gravel_t2, requests(4), error)
    ! gravel: moved away from here, was line 56: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo2 = 3
    gravel_hi2 = ny - 2
    do gravel_part2 = 1, 3
       if (gravel_part2 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 56: call mpi_waitall(4, ...
          call gravel_wait(requests(1), u)
          call gravel_wait(requests(2), u)
          gravel_lo2 = 1
          gravel_hi2 = min(2, ny)
       else if (gravel_part2 == 3) then
          gravel_lo2 = max(3, ny - 1)
          gravel_hi2 = ny
       end if
       do j = gravel_lo2, gravel_hi2
         do i = 1, nx
           v(i, j) = (16.0d0 * (u(i, j-1) + u(i, j+1)) - u(i, j-2) - u(i, j+2) - 30.0d0 * u(i, j)) / 12.0d0
         end do
       end do
    end do
    do j = 1, ny
      do i = 1, nx
        checksum = checksum + v(i, j) * dble(mod(i + 2*j, 13))
      end do
    end do
    ! gravel: the wait moved here, was line 56: call mpi_waitall(4, requests, mpi_statuses_ignore, error)
    call gravel_wait(requests(3), east)
    call gravel_wait(requests(4), west)
  end subroutine fourth_order

  ! Three columns in front, and one behind. Counted from 0, and what stands behind the loop sees how far.
  subroutine lopsided(ny)
    use gravel
    integer, intent(in) :: ny
    integer :: i, j, error, requests(2)
    double precision :: u(nx, -3:longest), v(nx, 0:longest), edges(nx, 4)
    integer(gravel_request_kind) :: gravel_s1, gravel_s2
    integer :: gravel_lo1, gravel_hi1, gravel_part1

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
    ! gravel: posted here, was line 85: call mpi_irecv(u(1, -3), 3*nx, mpi_double_precision, prev, 3, mpi_c...
    call gravel_post_rcv_buffer_rdma(u(1, -3), 3*nx, mpi_double_precision, prev, 3, mpi_comm_world, &
         requests(1), error)
    ! gravel: posted here, was line 86: call mpi_irecv(u(1, ny), nx, mpi_double_precision, next, 4, mpi_com...
    call gravel_post_rcv_buffer_rdma(u(1, ny), nx, mpi_double_precision, next, 4, mpi_comm_world, requests(2), &
         error)
    ! gravel: sent without waiting, was line 87: call mpi_send(edges, 3*nx, mpi_double_precision, next, 3, ...
    call gravel_post_send(edges, 3*nx, mpi_double_precision, next, 3, mpi_comm_world, gravel_s1, error)
    ! gravel: sent without waiting, was line 88: call mpi_send(edges(1, 4), nx, mpi_double_precision, prev,...
    call gravel_post_send(edges(1, 4), nx, mpi_double_precision, prev, 4, mpi_comm_world, gravel_s2, error)
    ! gravel: moved away from here, was line 89: call mpi_wait(requests(1), mpi_status_ignore, error)
    error = 0
    ! gravel: moved away from here, was line 90: call mpi_wait(requests(2), mpi_status_ignore, error)
    error = 0
    ! gravel: the iterations inside, then the wait, then the first and the last iterations
    gravel_lo1 = 3
    gravel_hi1 = (ny - 1) - 1
    do gravel_part1 = 1, 3
       if (gravel_part1 == 2) then
          ! gravel: waits here, before the first and the last iterations, was line 89: call mpi_wait(reques...
          call gravel_wait(requests(1), u)
          ! gravel: waits here, before the first and the last iteration, was line 90: call mpi_wait(request...
          call gravel_wait(requests(2), u)
          gravel_lo1 = 0
          gravel_hi1 = min(2, ny - 1)
       else if (gravel_part1 == 3) then
          gravel_lo1 = max(3, ny - 1)
          gravel_hi1 = ny - 1
       end if
       do j = gravel_lo1, gravel_hi1
         do i = 1, nx
           v(i, j) = u(i, j-3) - 6.0d0 * u(i, j-2) + 18.0d0 * u(i, j-1) - 10.0d0 * u(i, j) - 3.0d0 * u(i, j+1)
         end do
       end do
    end do
    j = max(0, (ny - 1) + 1)
    checksum = checksum + dble(j)
    do j = 0, ny - 1
      do i = 1, nx
        checksum = checksum + v(i, j) * dble(mod(i + 3*j, 11))
      end do
    end do
    ! gravel: the wait moved here, was line 87: call mpi_send(edges, 3*nx, mpi_double_precision, next, 3, m...
    call gravel_wait(gravel_s1, edges)
    ! gravel: the wait moved here, was line 88: call mpi_send(edges(1, 4), nx, mpi_double_precision, prev, ...
    call gravel_wait(gravel_s2, edges)
  end subroutine lopsided

end program split_loop_deep
