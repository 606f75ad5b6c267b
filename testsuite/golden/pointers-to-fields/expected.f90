! Old and new values have two arrays, whose roles change in each step: pointers of a module lead to them, and are sent and received
! into. A third one is allocated, and given back in the end; the work between is that of another procedure.
module fields
  implicit none

  double precision, target :: first(12000), second(12000)
  double precision, pointer :: old(:), new(:) => null(), edge(:)

contains

  subroutine turn(step)
    integer, intent(in) :: step

    if (mod(step, 2) == 1) then
      old => first
      new => second
    else
      old => second
      new => first
    end if
  end subroutine turn

  subroutine relax(inner)
    double precision, intent(inout) :: inner(:)
    integer :: i

    do i = 1, size(inner)
      inner(i) = 0.5d0 * inner(i) + 0.25d0 * mod(i, 7)
    end do
  end subroutine relax

end module fields

program turns
  use mpi
  use fields
  use gravel
  implicit none

  double precision :: inner(12000), sums(2), all_sums(2)
  integer :: requests(2), ierr, rank, ranks, i, step

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  allocate (edge(12000))
  do i = 1, 12000
    first(i) = rank + 0.001d0 * mod(i, 101)
    second(i) = 0.0d0
    inner(i) = 0.0d0
  end do

  do step = 1, 5
    call turn(step)
    ! gravel: posted here, was line 54: call mpi_irecv(edge, 12000, mpi_double_precision, mod(rank + ranks ...
    call gravel_post_rcv_buffer_rdma(edge, 12000, mpi_double_precision, mod(rank + ranks - 1, ranks), step, &
         mpi_comm_world, requests(1), ierr)
    ! gravel: sent without waiting, was line 56: call mpi_isend(old, 12000, mpi_double_precision, mod(rank ...
    call gravel_post_send(old, 12000, mpi_double_precision, mod(rank + 1, ranks), step, mpi_comm_world, &
         requests(2), ierr)
    call relax(inner)
    ! gravel: waits here, was line 58: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(2, requests, ierr)
    do i = 1, 12000
      new(i) = 0.5d0 * old(i) + 0.5d0 * edge(i)
    end do
  end do

  sums = [sum(new), sum(inner)]
  deallocate (edge)
  call mpi_reduce(sums, all_sums, 2, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(2es24.16)') all_sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program turns
