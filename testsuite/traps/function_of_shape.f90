! How much is received is found by a function that hands an allocatable array on to another one, which asks for
! its size: none of them reads an element. The array is allocated anew below the work.
! expect: handled
module sizes
  implicit none
  integer, allocatable :: list(:)

contains

  integer function length_of(values)
    integer, intent(in) :: values(:)

    length_of = size(values)
  end function length_of

  integer function list_length()
    list_length = length_of(list)
  end function list_length

end module sizes

program function_of_shape
  use mpi
  use sizes
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  allocate (list(100))
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
  end do
  do i = 1, n
    work(i) = sqrt(dble(i + rank))
  end do
  deallocate (list)
  allocate (list(n))
  call mpi_irecv(rbuf, list_length(), mpi_double_precision, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, status, ierr)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + work(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program function_of_shape
