! Statement functions read what is received and what is sent, although no argument of their references names it.
! expect: handled
program statement_function_reads_message
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, j, step
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), field(n), weight
  double precision :: checksum, checksums(max_ranks)
  double precision :: received, mixed
  received(j) = weight * rbuf(j)
  mixed(j) = received(j) + 0.5d0 * sbuf(n + 1 - j)
  double precision :: scale

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  weight = 0.25d0
  scale = 1.0d0
  checksum = 0.0d0
  do i = 1, n
    rbuf(i) = dble(mod(i, 7))
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  do step = 1, 3
    do i = 1, n
      field(i) = received(i) * scale
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, status, ierr) ! trapped
    weight = 0.5d0 * weight
    do i = 1, n
      field(i) = field(i) + mixed(i)
    end do
    do i = 1, n
      sbuf(i) = field(i)
    end do
    do i = 1, n
      checksum = checksum + field(i) * dble(mod(i, 7))
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
end program statement_function_reads_message
