! Hints to compilers keep nothing of what is known of the variables that the procedure with them uses.
! expect: handled
module line
  use mpi
  implicit none
  integer :: neighbours
contains
  subroutine smooth(values, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: values(n)
    integer :: i

    !DIR$ IVDEP
    !GCC$ unroll 4
    do i = 1, n
      values(i) = 0.5d0 * values(i) + dble(mod(i, 5))
    end do
  end subroutine smooth

  subroutine exchange(outgoing, incoming, n, next, prev)
    integer, intent(in) :: n, next, prev
    double precision, intent(in) :: outgoing(n)
    double precision, intent(out) :: incoming(n)
    integer :: ierr, request

    call mpi_irecv(incoming, n, mpi_double_precision, prev, 1, neighbours, request, ierr) ! trapped
    call mpi_send(outgoing, n, mpi_double_precision, next, 1, neighbours, ierr) ! trapped
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  end subroutine exchange
end module line

program hint_to_a_compiler
  use mpi
  use line
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_dup(mpi_comm_world, neighbours, ierr)
  call mpi_comm_rank(neighbours, rank, ierr)
  call mpi_comm_size(neighbours, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  do step = 1, 3
    call smooth(sbuf, n)
    call exchange(sbuf, rbuf, n, next, prev)
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
end program hint_to_a_compiler
