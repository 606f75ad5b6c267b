! A process looks for a message again and again, which is sent only once a barrier is over that it has begun itself and that MPI
! carries: to look has to let MPI get on.
! ranks: 2 4
! expect: handled
program iprobe_lets_mpi_progress
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, length, barrier, looks, next, prev
  integer :: status(mpi_status_size)
  logical :: arrived
  double precision :: sent(n), taken(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call mpi_ibarrier(mpi_comm_world, barrier, ierr)
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  if (rank == 0) call mpi_wait(barrier, mpi_status_ignore, ierr)
  if (rank == 0) then
    call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  end if
  arrived = .false.
  looks = 0
  do while (.not. arrived)
    call mpi_iprobe(mpi_any_source, 1, mpi_comm_world, arrived, status, ierr) ! trapped
    looks = looks + 1
  end do
  call mpi_get_count(status, mpi_double_precision, length, ierr)
  call mpi_recv(taken, length, mpi_double_precision, status(mpi_source), 1, mpi_comm_world, status, ierr) ! trapped
  if (rank /= 0) then
    call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(barrier, mpi_status_ignore, ierr)
  end if
  checksum = dble(length)
  if (looks < 1 .or. status(mpi_source) /= prev) checksum = -1.0d9
  do i = 1, length
    checksum = checksum + taken(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program iprobe_lets_mpi_progress
