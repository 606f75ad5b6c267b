! A token tells that the process before has written its line. The wait for the token may move down, the answer to it not up.
! ranks: 2 3
! expect: handled
program early_send_behind_token
  use mpi
  implicit none

  integer, parameter :: n = 3000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: token(1), answer(1), request
  double precision :: a(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0
  do step = 1, 2
    answer = rank
    if (rank > 0) call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, mpi_status_ignore, ierr)
    if (rank == 0) then
      work = 1
      do i = 1, 300
        work = sqrt(work + i)
      end do
    end if
    if (rank == 0) print '(a,i0)', 'line of rank ', rank
    if (rank == 0) flush (6)
    a = rank + step
    do i = 1, n
      a(i) = sqrt(a(i) + i)
    end do
    if (rank < ranks - 1) call mpi_send(answer, 1, mpi_integer, rank + 1, 1, mpi_comm_world, ierr) ! trapped
    checksum = checksum + sum(a)
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program early_send_behind_token
