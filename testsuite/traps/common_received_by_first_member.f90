! A message is a COMMON block, and named by its first member: what is computed of the others is part of it.
! expect: handled
program common_received_by_first_member
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sent_header, sent(n), received_header, received(n)
  common /to_next/ sent_header, sent
  common /from_previous/ received_header, received
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  received_header = 0.0d0
  sent_header = rank
  do i = 1, n
    received(i) = 2.0d0
  end do
  call mpi_irecv(received_header, n + 1, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sent_header, n + 1, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
  do i = 1, n
    sent(i) = 0.0d0
  end do
  call mpi_wait(request, status, ierr)
  checksum = received_header + sum(sent)
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_received_by_first_member
