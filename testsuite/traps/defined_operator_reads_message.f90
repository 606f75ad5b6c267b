! An operator that the program defines reads what a receive brings.
! expect: without sink-wait
module levels
  implicit none
  integer, parameter :: length = 20000
  double precision :: incoming(length)
  type :: level
    double precision :: height
  end type level
  interface operator(+)
    module procedure above
  end interface
contains
  function above(one, other) result(both)
    type(level), intent(in) :: one, other
    type(level) :: both
    both%height = one%height + other%height + incoming(length)
  end function above
end module levels

program defined_operator_reads_message
  use mpi
  use levels
  implicit none
  type(level) :: sea, air
  double precision :: outgoing(length)

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request
  double precision :: rbuf(length)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  sea%height = 1.0d0
  incoming = 0.0d0
  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_isend(outgoing, length, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(incoming, length, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  air = sea + sea
  do i = 1, length
    rbuf(i) = dble(mod(i, 4))
  end do
  call mpi_wait(request, mpi_status_ignore, ierr)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 7)) + air%height + rbuf(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program defined_operator_reads_message
