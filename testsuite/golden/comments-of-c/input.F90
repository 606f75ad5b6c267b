! Comments of C: on lines of their own, behind statements, and begun and ended in comments of Fortran.
/* This one is on
   two lines. */
program comments_of_c
  use mpi /* the old module
             of MPI */
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i, step
  double precision :: sbuf(n), rbuf(n), field(n), sums(2) /* the last
  declaration */

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  field = rank
  do step = 1, 4
    do i = 1, n
      sbuf(i) = field(i) * step + i
    end do ! see in/*.nml
    sbuf = 0d0
    ! and */out.nml
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, request, ierr) /* from
    the left */
    /* to
    the right */ call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr)
    ! it doesn't begin here: /*
    call mpi_wait(request, mpi_status_ignore, ierr) ! /*
    rbuf = 0d0 */ rbuf = 0d0 /*
    rbuf = 0d0 */
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i) /* half of it */
    end do
  end do
  sums = [sum(field), field(3)]
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (rank == 0) print '(2(1x, f20.6))', sums
  call mpi_finalize(ierr)
end program comments_of_c
