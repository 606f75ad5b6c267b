! The buffer is what a pointer led to when the message was sent. When it is waited for the pointer leads elsewhere, in the end nowhere:
! the wait names no memory, and must stay above what fills the buffer anew.
! expect: without sink-wait
program pointer_elsewhere_at_wait
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000, max_ranks = 16
  double precision, target :: first(n), second(n)
  double precision, pointer :: lens(:)
  integer :: request, incoming, ierr, rank, ranks, next, prev, i, step
  double precision :: received(n), work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  work = 1.0d0
  checksum = 0.0d0
  do step = 1, 3
    first = dble(rank + step)
    second = 0.0d0
    call mpi_irecv(received, n, mpi_double_precision, prev, 1, mpi_comm_world, incoming, ierr)
    lens => first
    call mpi_isend(lens(1), n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
    lens => second
    if (step == 3) nullify (lens)
    do i = 1, n
      work(i) = sqrt(work(i) + dble(i))
    end do
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      first(i) = -1.0d0
    end do
    call mpi_wait(incoming, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + received(i)*dble(mod(i, 7)) + second(i) + work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program pointer_elsewhere_at_wait
