! A loop that calls a subroutine for each column of the message is cut into tiles.
program rows_by_calls
  use mpi
  use gravel
  implicit none

  integer, parameter :: rows = 128, columns = 256
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: outgoing(rows, columns), incoming(rows, columns)
  integer :: j, step
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    ! gravel: posted here, was line 22: call mpi_irecv(incoming, rows * columns, mpi_double_precision, prev...
    call gravel_post_rcv_buffer_rdma(incoming, rows * columns, mpi_double_precision, prev, 1, mpi_comm_world, &
         request, ierr)
    ! gravel: one handshake, a put per tile, was line 26: call mpi_send(outgoing, rows * columns, mpi_doubl...
    call gravel_wait_rcv_buffer(outgoing, rows * columns, mpi_double_precision, next, 1, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, columns)
    do gravel_lo1 = 1, columns, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, columns - gravel_lo1)
       do j = gravel_lo1, gravel_hi1
         call column(outgoing(1, j), rows, j, step)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, (gravel_lo1 - 1)*128, (gravel_hi1 - gravel_lo1 + 1)*128)
    end do
    ! gravel: sent tile by tile above, was line 26: call mpi_send(outgoing, rows * columns, mpi_double_prec...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 27: call mpi_wait(request, status, ierr)
    call gravel_wait(request, incoming, status, ierr)
    do j = 1, columns
      do i = 1, rows
        checksum = checksum + incoming(i, j) * dble(mod(i + j, 7))
      end do
    end do
    ! gravel: the wait moved here, was line 26: call mpi_send(outgoing, rows * columns, mpi_double_precisio...
    call gravel_wait(gravel_s1, outgoing)
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
end program rows_by_calls

subroutine column(values, length, number, step)
  implicit none
  integer, intent(in) :: length, number, step
  double precision, intent(inout) :: values(length)
  integer :: i

  do i = 1, length
    values(i) = dble(mod(i * number, 17)) + dble(step)
  end do
end subroutine column
