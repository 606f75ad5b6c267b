! The program's own handler of errors prints and ends the program, as MPI's does: codes tell of no error.
module failures
  use mpi
  implicit none
  integer :: rank = -1, step = 0

contains

  subroutine tell(comm, code)
    integer :: comm, code, ierr, length
    character(mpi_max_error_string) :: text

    call mpi_error_string(code, text, length, ierr)
    write (*, '(a,i0,a,i0,2a)') 'rank ', rank, ', step ', step, ': ', text(:length)
    if (code == mpi_err_truncate) then
      call mpi_abort(comm, 2, ierr)
    else
      call end_all(comm)
    end if
  end subroutine tell

  subroutine end_all(comm)
    integer, intent(in) :: comm
    integer :: ierr

    call mpi_abort(comm, 1, ierr)
  end subroutine end_all

end module failures

program errors_own_ending
  use failures
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, ranks, next, prev, handler, i
  double precision :: edge(n), halo(n), inner(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_create_errhandler(tell, handler, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  call mpi_errhandler_free(handler, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = rank + 1
  prev = rank - 1
  if (rank == ranks - 1) next = mpi_proc_null
  if (rank == 0) prev = mpi_proc_null

  ! gravel: one handshake, a put per tile, was line 57: call mpi_sendrecv(edge, n, mpi_double_precision, ne...
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
  step = 1
  ! gravel: receives and sends here, was line 57: call mpi_sendrecv(edge, n, mpi_double_precision, next, 5,...
  call gravel_post_rcv_buffer_rdma(halo, n, mpi_double_precision, prev, 5, mpi_comm_world, gravel_r1)
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  if (ierr /= mpi_success) stop 1
  do i = 1, n
    inner(i) = sqrt(dble(i)) * edge(i)
  end do
  ! gravel: the wait moved here, was line 57: call mpi_sendrecv(edge, n, mpi_double_precision, next, 5, hal...
  call gravel_wait(gravel_r1, halo)
  call gravel_wait(gravel_s1, edge)
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
end program errors_own_ending
