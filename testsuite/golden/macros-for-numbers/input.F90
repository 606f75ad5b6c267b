! Macros of the preprocessor stand for numbers. Their names stay in the text.
! ranks: 2 3 4
#define LENGTH 20000
#define TAG_OF_HALO 7
#define BACK (-1)
#define WEIGHT 0.25d0
module steps
  implicit none
  double precision, save :: field(LENGTH)
contains
  subroutine relax(values, steps)
    double precision, intent(inout) :: values(LENGTH)
    integer, intent(in) :: steps
    integer :: i, step
    do step = 1, steps
      do i = 1, LENGTH
        values(i) = WEIGHT * values(i) + sqrt(dble(i))
      end do
    end do
  end subroutine relax
end module steps

program macros_for_numbers
  use mpi
  use steps, only: field, relax
  implicit none
  integer :: ierr, rank, processes, i, step, requests(2)
  double precision :: sent(LENGTH), received(LENGTH), sums(2)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  field = rank
  do step = 1, 3
    do i = 1, LENGTH
      sent(i) = field(i) + dble(mod(i, 9)) * BACK
    end do
    call mpi_irecv(received, LENGTH, mpi_double_precision, mod(rank + processes + BACK, processes), TAG_OF_HALO, &
         mpi_comm_world, requests(1), ierr)
    call mpi_isend(sent, LENGTH, mpi_double_precision, mod(rank + 1, processes), TAG_OF_HALO, mpi_comm_world, &
         requests(2), ierr)
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call relax(field, 2)
    sums = [sum(received) * (rank + 1), sum(field)]
    call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(i0, 2(1x, f16.3))', step, sums
  end do
  call mpi_finalize(ierr)
end program macros_for_numbers
