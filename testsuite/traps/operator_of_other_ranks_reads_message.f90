! An operator may be defined for numbers, too, where their ranks rule the intrinsic one out. This one reads what a
! receive brings.
! expect: without sink-wait
module matrices
  implicit none
  integer, parameter :: length = 20000
  double precision :: incoming(length)
  interface operator(*)
    module procedure times
  end interface
contains
  function times(a, x) result(b)
    double precision, intent(in) :: a(:, :), x(:)
    double precision :: b(size(a, 1))
    b = matmul(a, x) + incoming(length)
  end function times
end module matrices

program operator_of_other_ranks_reads_message
  use mpi
  use matrices
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: outgoing(length), a(2, 2), x(2), y(2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  a = 1.0d0
  x = 2.0d0
  incoming = 0.0d0
  do i = 1, length
    outgoing(i) = dble(rank + 1) * dble(mod(i, 9) + 1)
  end do

  call mpi_isend(outgoing, length, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(incoming, length, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  y = a * x
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = y(1) + y(2)
  do i = 1, length
    checksum = checksum + incoming(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program operator_of_other_ranks_reads_message
