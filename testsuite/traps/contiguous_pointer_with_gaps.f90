! A pointer that says it is CONTIGUOUS gets a dummy argument of which a caller hands over every other element. That is not
! allowed, compilers accept it without a word, and hand the gaps on to an array that assumes its shape: MPI gets a copy.
! expect: kept unsupported-buffer
module stages
  use mpi
  implicit none
contains
  subroutine exchange(out, inc)
    double precision, intent(in) :: out(:)
    double precision, intent(inout) :: inc(:)
    integer :: ierr, rank, ranks
    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    call mpi_sendrecv(out, 100, mpi_double_precision, mod(rank + 1, ranks), 1, inc, 100, mpi_double_precision, & ! trapped
      mod(rank + ranks - 1, ranks), 1, mpi_comm_world, mpi_status_ignore, ierr)
  end subroutine exchange

  subroutine through_pointer(field, inc)
    double precision, target, intent(in) :: field(:)
    double precision, intent(inout) :: inc(:)
    double precision, pointer, contiguous :: out(:)
    out => field
    call exchange(out, inc)
  end subroutine through_pointer
end module stages

program contiguous_pointer_with_gaps
  use stages
  implicit none
  double precision, target :: field(200)
  double precision :: inc(100)
  integer :: ierr, i, rank
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  do i = 1, 200
    field(i) = i + 1000 * rank
  end do
  inc = 0
  call through_pointer(field(1:200:2), inc)
  if (rank == 0) print '(3f9.1)', inc(1), inc(2), inc(100)
  call mpi_finalize(ierr)
end program contiguous_pointer_with_gaps
