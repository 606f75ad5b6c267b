! The column at the border is copied into a buffer, which is sent: it can be sent from where it lies. The buffer, and the
! variable that only its copy counts with, go.
program drop_pack_column
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 4000, m = 24
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, step
  integer :: status(mpi_status_size)
  double precision :: Field(0:n + 1, m), smooth(n, m), ghost(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do j = 1, m
    do i = 0, n + 1
      Field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)
    end do
  end do

  do step = 1, 4
    ! gravel: posted here, was line 27: call mpi_irecv(ghost, n, mpi_double_precision, prev, 5, mpi_comm_wo...
    call gravel_post_rcv_segments(ghost, n, mpi_double_precision, prev, 5, mpi_comm_world, request, ierr)
    ! what the right neighbour needs
    ! gravel: sent from where it lies, was line 30: border(k) = Field(k, m)
    ! gravel: sent without waiting, was line 32: call mpi_send(border, n, mpi_double_precision, next, 5, mp...
    call gravel_post_send(Field(1:n, m), n, mpi_double_precision, next, 5, mpi_comm_world, gravel_s1, ierr)
    do j = 1, m
      do i = 1, n
        smooth(i, j) = 0.25d0 * (Field(i - 1, j) + Field(i + 1, j)) + 0.5d0 * Field(i, j)
      end do
    end do
    ! gravel: moved away from here, was line 38: call mpi_wait(request, status, ierr)
    ierr = 0
    ! gravel: waits here for what each tile reads, was line 38: call mpi_wait(request, status, ierr)
    gravel_step1 = gravel_tile(request, n)
    if (gravel_step1 >= n) call gravel_wait(request, ghost, status)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(request, ghost, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         smooth(i, 1) = smooth(i, 1) + 0.125d0 * ghost(i)
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(request, ghost, status)
    ! gravel: the wait moved here, was line 32: call mpi_send(border, n, mpi_double_precision, next, 5, mpi...
    call gravel_wait(gravel_s1, Field)
    do j = 1, m
      do i = 1, n
        Field(i, j) = smooth(i, j)
      end do
    end do
  end do

  checksum = 0.0d0
  do j = 1, m
    do i = 1, n
      checksum = checksum + Field(i, j) * dble(mod(i + 3*j, 11))
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
end program drop_pack_column
