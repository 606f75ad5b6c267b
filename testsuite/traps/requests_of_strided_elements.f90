! The requests that a wait for all is handed begin with an element of a pointer whose elements lie apart. Compilers pass its address:
! what follows in memory are others than those that follow in the pointer's array, and one of them is waited for only later.
! expect: without sink-wait
program requests_of_strided_elements
  implicit none
  include 'mpif.h'

  integer, parameter :: n = 20000, max_ranks = 16
  integer, target :: table(2, 2)
  integer, pointer :: row(:)
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: first(n), second(n), outgoing(n), answer(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  row => table(1, :)
  checksum = 0.0d0
  do step = 1, 3
    outgoing = dble(rank + step)
    call mpi_irecv(first, n, mpi_double_precision, prev, 1, mpi_comm_world, row(1), ierr)
    call mpi_irecv(second, n, mpi_double_precision, prev, 2, mpi_comm_world, row(2), ierr)
    call mpi_isend(outgoing, n, mpi_double_precision, next, 1, mpi_comm_world, table(2, 1), ierr)
    ! The receive of `first` and the send.
    call mpi_waitall(2, row(1), mpi_statuses_ignore, ierr) ! trapped
    do i = 1, n
      answer(i) = dble(rank + 2*step) + first(i)
    end do
    call mpi_send(answer, n, mpi_double_precision, next, 2, mpi_comm_world, ierr)
    call mpi_wait(row(2), mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + first(i)*dble(mod(i, 7)) + second(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program requests_of_strided_elements
