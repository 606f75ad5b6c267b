! A string is allocated with a length that has been received: the expression stands in the type of the ALLOCATE statement.
! ranks: 2 3
! expect: kept nothing-to-overlap
program length_of_allocated_string
  use mpi
  implicit none
  integer :: rank, ierr, i, r
  integer :: lengths(100)
  character(:), allocatable :: text
  real(8) :: w(2000)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  lengths = 1
  w = 1
  if (rank == 1) then
    do r = 1, 3000
      do i = 1, 2000
        w(i) = sqrt(w(i) + 1)
      end do
    end do
    lengths = 7
    call mpi_send(lengths, 100, mpi_integer, 0, 5, mpi_comm_world, ierr)
  else if (rank == 0) then
    call mpi_recv(lengths, 100, mpi_integer, 1, 5, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    allocate(character(len=lengths(3)) :: text)
    do r = 1, 20
      do i = 1, 2000
        w(i) = w(i) * 0.5d0 + 1
      end do
    end do
    print '(2i8,es24.16)', len(text), sum(lengths), sum(w)
  end if
  call mpi_finalize(ierr)
end program
