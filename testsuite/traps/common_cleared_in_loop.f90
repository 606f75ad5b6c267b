! A loop clears a COMMON block by the subscripts of its first member, which has fewer elements: the receive can't be posted
! before, nor its wait come after.
! expect: without split-loop
program common_cleared_in_loop
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, round
  double precision :: header(4), rbuf(n)
  common /exchange_area/ header, rbuf
  double precision :: sbuf(n), field(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0.0d0
  field = 1.0d0
  do round = 1, 3
    do i = 1, 4 + n
      header(i) = dble(round)
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    do i = 1, n
      sbuf(i) = dble(rank + round) * dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      field(i) = field(i) * 0.5d0 + dble(mod(i, 5))
    end do
    do i = 1, 4 + n
      header(i) = header(i) * 2.0d0 + 1.0d0
    end do
    checksum = checksum + sum(rbuf) + sum(field)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program common_cleared_in_loop
