! Comments that end in a backslash: the preprocessor joins the next line to them. Nothing is inserted between the two.
program joined_lines
  use mpi !  /\  /\
          ! /  \/
  use gravel
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i, step
  double precision :: sbuf(n), rbuf(n), field(n), sums(2) ! kept in C:\fields\

  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2
  call mpi_init(ierr) ! \
  never = reached
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  field = rank
  do step = 1, 4
    !      o
    !     / \
    !    o   o
    ! gravel: posted early, was line 28: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_wo...
    call gravel_post_rcv_segments(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, request)
    ! gravel: one handshake, a put per tile, was line 31: call mpi_send(sbuf, n, mpi_double_precision, next...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1 ! \ \  
      sbuf(i) = 0
         sbuf(i) = field(i) * step + i
       end do   ! \\
    sbuf(3) = 4d0
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! read from D:\in\
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 8, mpi_comm_world, request, ierr)
    ! gravel: moved away from here, was line 28: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi...
    ierr = 0 ! from \
    !\
    !
    ! gravel: sent tile by tile above, was line 31: call mpi_send(sbuf, n, mpi_double_precision, next, 7, m...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr) ! to \

    ! gravel: moved away from here, was line 33: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0 ! \
    rbuf = 0d0
    ! gravel: waits here for what each tile reads, was line 33: call mpi_wait(request, mpi_status_ignore, i...
    gravel_step2 = gravel_tile(request, n)
    if (gravel_step2 >= n) call gravel_wait(request, rbuf)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(request, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) * 0.5d0 + rbuf(i)
       end do ! \
    field(2) = 11d0
    end do
    if (gravel_step2 < n) call gravel_wait(request, rbuf)
    ! gravel: the wait moved here, was line 31: call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_c...
    call gravel_wait(gravel_s1, sbuf)
    field(1) = field(1) + &
      step ! \
      ! \
  end do
  end do
  sums = [sum(field), field(3)]
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (rank == 0) print '(2(1x, f20.6))', sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program joined_lines
