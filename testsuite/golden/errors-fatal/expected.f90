! The handlers that are set end the program, as the one that is there without them: codes tell of no error.
program errors_fatal
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, handler, i
  double precision :: edge(n), halo(n), inner(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  handler = mpi_errors_are_fatal
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  ! gravel: one handshake, a put per tile, was line 26: call mpi_send(edge, n, mpi_double_precision, next, ...
  call gravel_wait_rcv_buffer(edge, n, mpi_double_precision, next, 5, mpi_comm_world, gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       edge(i) = dble(rank + 1) / dble(i)
       halo(i) = 0.0d0
     end do
     call gravel_post_os_put(gravel_t1, edge, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  ! gravel: posted early, was line 28: call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_comm_world...
  call gravel_post_rcv_buffer_rdma(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_r1)
  ! gravel: sent tile by tile above, was line 26: call mpi_send(edge, n, mpi_double_precision, next, 5, mpi...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  call check(ierr, 'send')
  ! gravel: moved away from here, was line 28: call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_co...
  ierr = 0
  if (ierr /= mpi_success) stop 1
  do i = 1, n
    inner(i) = sqrt(dble(i)) * edge(i)
  end do
  ! gravel: the wait moved here, was line 26: call mpi_send(edge, n, mpi_double_precision, next, 5, mpi_com...
  call gravel_wait(gravel_s1, edge)
  ! gravel: the wait moved here, was line 28: call mpi_recv(halo, n, mpi_double_precision, prev, 5, mpi_com...
  call gravel_wait(gravel_r1, halo)
  checksum = sum(inner) + sum(halo)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine check(code, what)
    integer, intent(in) :: code
    character(*), intent(in) :: what

    if (code /= mpi_success) then
      write (*, '(2a)') what, ' has failed'
      stop 1
    end if
  end subroutine check

end program errors_fatal
