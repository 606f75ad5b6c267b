! Comments of C: on lines of their own, behind statements, and begun and ended in comments of Fortran.
/* This one is on
   two lines. */
program comments_of_c
  use mpi /* the old module
             of MPI */
  use gravel
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i, step
  double precision :: sbuf(n), rbuf(n), field(n), sums(2) /* the last
  declaration */
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  field = rank
  do step = 1, 4
    ! gravel: posted early, was line 25: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_wo...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, request)
    ! gravel: one handshake, a put per tile, was line 28: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * step + i
       end do ! see in/*.nml
    sbuf = 0d0
    ! and */out.nml
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 25: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi...
    ierr = 0 /* from
    the left */
                 ! gravel: sent tile by tile above, was line 28: call mpi_send(sbuf, n, mpi_double_precisio...
    /* to
    the right */ call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! it doesn't begin here: /*
    ! gravel: moved away from here, was line 30: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0 ! /*
    rbuf = 0d0 */ rbuf = 0d0 /*
    rbuf = 0d0 */
    ! gravel: waits here for what each tile reads, was line 30: call mpi_wait(request, mpi_status_ignore, i...
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) * 0.5d0 + rbuf(i) /* half of it */
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf)
    ! gravel: the wait moved here, was line 28: call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_c...
    call gravel_wait(gravel_s1, sbuf)
  end do
  sums = [sum(field), field(3)]
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (rank == 0) print '(2(1x, f20.6))', sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program comments_of_c
