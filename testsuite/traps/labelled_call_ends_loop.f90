! The send is the labelled statement that ends the loop. What is put behind it stands outside the
! loop: a wait there would complete the last message only.
! expect: kept shared-line
program labelled_call_ends_loop
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, step
  double precision :: sbuf(n), rbuf(n)
  integer :: request, left, right
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  ! From even processes to odd ones, which can wait for them.
  right = mpi_proc_null
  left = mpi_proc_null
  if (mod(rank, 2) == 0 .and. rank + 1 < ranks) right = rank + 1
  if (mod(rank, 2) == 1) left = rank - 1
  rbuf = 0.0d0

  do 100 step = 1, 4
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
  100 call mpi_send(sbuf, n, mpi_double_precision, right, 1, mpi_comm_world, ierr) ! trapped
  checksum = 0.0d0
  do step = 1, 4
    call mpi_irecv(rbuf, n, mpi_double_precision, left, 1, mpi_comm_world, request, ierr) ! trapped
    do i = 1, n
      checksum = checksum + dble(mod(i, 5))
    end do
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program labelled_call_ends_loop
