! One array holds the statuses of all messages, a column for each; every wait fills its own.
program status_columns
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, k, step, number, total
  integer :: requests(2), statuses(mpi_status_size, 2)
  double precision :: outgoing(n), incoming(n), field(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41))*0.25d0
  end do
  total = 0
  do step = 1, 3
    k = 1 + mod(step, 2)
    ! gravel: posted here, was line 25: call mpi_irecv(incoming, n, mpi_double_precision, prev, 1, mpi_comm...
    call gravel_post_rcv_buffer_rdma(incoming, n, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), &
         ierr)
    do i = 1, n
      outgoing(i) = field(i)*0.5d0
    end do
    ! gravel: sent without waiting, was line 29: call mpi_isend(outgoing, n - 10*rank, mpi_double_precision...
    call gravel_post_send(outgoing, n - 10*rank, mpi_double_precision, next, 1, mpi_comm_world, requests(2), &
         ierr)
    do i = 1, n
      field(i) = field(i) + 0.125d0*sqrt(field(i))
    end do
    ! gravel: waits here, was line 33: call mpi_wait(requests(1), statuses(:, k), ierr)
    call gravel_wait(requests(1), incoming, statuses(:, k), ierr)
    ! gravel: waits here, was line 34: call mpi_wait(requests(2), statuses(:, 3 - k), ierr)
    call gravel_wait(requests(2), outgoing, statuses(:, 3 - k), ierr)
    call mpi_get_count(statuses(:, k), mpi_double_precision, number, ierr)
    total = total + number + 10*statuses(mpi_tag, k) + statuses(mpi_source, k)
    do i = 1, number
      field(i) = field(i)*0.125d0 + incoming(i)
    end do
  end do
  checksum = dble(total)
  do i = 1, n
    checksum = checksum + field(i)*dble(mod(i, 9))
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
end program status_columns
