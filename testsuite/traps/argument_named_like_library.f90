! A procedure that is handed down has the name of one of BLAS. It is the program's own, and changes what is being sent.
! expect: without sink-wait
module fields
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: rank, ranks, next, prev
  double precision :: sbuf(n), rbuf(n)

contains

  subroutine exchange(dscal)
    external :: dscal
    integer :: request, sending, ierr
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, sending, ierr)
    call mpi_wait(sending, status, ierr) ! trapped
    call dscal(n)
    call mpi_wait(request, status, ierr)
  end subroutine exchange
end module fields

subroutine change(k)
  use fields
  implicit none
  integer, intent(in) :: k
  integer :: i

  do i = 1, k
    sbuf(i) = -2.0d0 * sbuf(i)
  end do
end subroutine change

program argument_named_like_library
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, i
  double precision :: checksum, checksums(max_ranks)
  external :: change

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call exchange(change)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + sbuf(i) * dble(mod(i, 5))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program argument_named_like_library
