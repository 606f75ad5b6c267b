! The outermost columns of a field are exchanged: what is sent and what is received are parts of one
! array, and apart.
program sendrecv_ghost_cells
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step
  integer, parameter :: width = 20000, height = 5
  double precision :: field(width, 0:height + 1), update(width, height)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1, gravel_s2
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 0, height + 1
    do i = 1, width
      field(i, j) = dble(rank + 1) + dble(mod(i + j, 41)) * 0.25d0
    end do
  end do
  do step = 1, 3
    ! gravel: posted early, was line 27: call mpi_sendrecv(field(1, 1), width, mpi_double_precision, prev, ...
    call gravel_post_rcv_segments(field(1, height + 1), width, mpi_double_precision, next, 2, mpi_comm_world, &
         gravel_r2)
    ! gravel: receives and sends here, was line 25: call mpi_sendrecv(field(1, height), width, mpi_double_p...
    call gravel_post_rcv_segments(field(1, 0), width, mpi_double_precision, prev, 1, mpi_comm_world, &
         gravel_r1)
    call gravel_post_send(field(1, height), width, mpi_double_precision, next, 1, mpi_comm_world, gravel_s1, &
         ierr)
    ! gravel: sent without waiting, was line 27: call mpi_sendrecv(field(1, 1), width, mpi_double_precision...
    call gravel_post_send(field(1, 1), width, mpi_double_precision, prev, 2, mpi_comm_world, gravel_s2, ierr)
    do j = 2, height - 1
      do i = 1, width
        update(i, j) = 0.5d0 * field(i, j) + 0.25d0 * (field(i, j - 1) + field(i, j + 1))
      end do
    end do
    ! gravel: waits here for what each tile reads, was line 25: call mpi_sendrecv(field(1, height), width, ...
    ! gravel: waits here for what each tile reads, was line 27: call mpi_sendrecv(field(1, 1), width, mpi_d...
    gravel_step1 = gravel_tile([gravel_r1, gravel_r2], width)
    if (gravel_step1 >= width) call gravel_wait(gravel_r1, field)
    if (gravel_step1 >= width) call gravel_wait(gravel_r2, field)
    do gravel_lo1 = 1, width, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, width - gravel_lo1)
       if (gravel_step1 < width) call gravel_wait_range(gravel_r1, field, 0, gravel_hi1)
       if (gravel_step1 < width) call gravel_wait_range(gravel_r2, field, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         update(i, 1) = 0.5d0 * field(i, 1) + 0.25d0 * (field(i, 0) + field(i, 2))
         update(i, height) = 0.5d0 * field(i, height) + 0.25d0 * (field(i, height - 1) + field(i, height + 1))
       end do
    end do
    if (gravel_step1 < width) call gravel_wait(gravel_r1, field)
    if (gravel_step1 < width) call gravel_wait(gravel_r2, field)
    ! gravel: the wait moved here, was line 25: call mpi_sendrecv(field(1, height), width, mpi_double_preci...
    call gravel_wait(gravel_s1, field)
    ! gravel: the wait moved here, was line 27: call mpi_sendrecv(field(1, 1), width, mpi_double_precision,...
    call gravel_wait(gravel_s2, field)
    do j = 1, height
      do i = 1, width
        field(i, j) = update(i, j)
      end do
    end do
  end do
  checksum = 0.0d0
  do j = 1, height
    do i = 1, width
      checksum = checksum + field(i, j) * dble(mod(i + 2 * j, 9))
    end do
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
end program sendrecv_ghost_cells
