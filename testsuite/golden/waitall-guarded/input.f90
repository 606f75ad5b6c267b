! A chain without wrap-around: where there is no neighbour nothing is posted, and the request stays
! null.
program waitall_guarded
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  integer :: requests(4), left, right
  double precision :: to_left(n), to_right(n), from_left(n), from_right(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  left = rank - 1
  right = rank + 1
  if (left < 0) left = mpi_proc_null
  if (right >= ranks) right = mpi_proc_null
  from_left = 0.0d0
  from_right = 0.0d0

  do step = 1, 3
    requests = mpi_request_null
    do i = 1, n
      to_left(i) = field(i) * 0.5d0
    end do
    do i = 1, n
      to_right(i) = field(i) * 0.25d0 + dble(step)
    end do
    if (left /= mpi_proc_null) call mpi_irecv(from_left, n, mpi_double_precision, left, 1, mpi_comm_world, &
                                              requests(1), ierr)
    if (right /= mpi_proc_null) call mpi_irecv(from_right, n, mpi_double_precision, right, 2, mpi_comm_world, &
                                               requests(2), ierr)
    if (left /= mpi_proc_null) then
      call mpi_isend(to_left, n, mpi_double_precision, left, 2, mpi_comm_world, requests(3), ierr)
    end if
    if (right /= mpi_proc_null) then
      call mpi_isend(to_right, n, mpi_double_precision, right, 1, mpi_comm_world, requests(4), ierr)
    end if
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + from_left(i)
    end do
    do i = 1, n
      field(i) = field(i) + from_right(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program waitall_guarded
