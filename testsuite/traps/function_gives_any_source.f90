! The source is the value of a function, which is MPI_ANY_SOURCE by way of a constant.
! expect: handled
module sources
  use mpi
  implicit none
  integer, parameter :: whoever = mpi_any_source

contains

  integer function source_of(step)
    integer, intent(in) :: step

    source_of = whoever
    if (step < 0) source_of = step
  end function source_of

end module sources

program function_gives_any_source
  use mpi
  use sources
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  integer :: step
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    do i = 1, n
      work(i) = sqrt(dble(i + rank + step))
    end do
    do i = 1, n
      sbuf(i) = dble(rank + step) * dble(mod(i, 9))
    end do
    call mpi_irecv(rbuf, n, mpi_double_precision, source_of(step), step, mpi_comm_world, request, ierr) ! trapped
    call mpi_send(sbuf, n, mpi_double_precision, next, step, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7)) * dble(step) + work(i)
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
end program function_gives_any_source
