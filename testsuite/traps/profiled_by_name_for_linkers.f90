! The program counts its waits: it has a procedure with the name that MPI_Wait has for linkers in the module mpi_f08 (MPI 3.1,
! 17.1.5), which is called by no statement. A wait of the runtime would not be counted.
! expect: kept
program profiled_by_name_for_linkers
  use mpi_f08
  implicit none
  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: calls, rank, ranks, next, prev, i, step
  common /counts/ calls
  double precision :: sbuf(n), rbuf(n), checksum, checksums(max_ranks)
  type(mpi_request) :: request

  calls = 0
  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do step = 1, 3
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request) ! trapped
    do i = 1, n
      sbuf(i) = dble(rank + step) + dble(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world) ! trapped
    call mpi_wait(request, mpi_status_ignore)
    do i = 1, n
      checksum = checksum + rbuf(i)
    end do
  end do
  checksum = checksum + 1.0d6 * calls
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world)
  if (rank == 0) write (*, '(a, 16es24.16)') 'checksums ', checksums(1:ranks)
  call mpi_finalize()
end program profiled_by_name_for_linkers

subroutine mpi_wait_f08(request, status, ierror)
  use mpi_f08, only: mpi_request, mpi_status, pmpi_wait
  implicit none
  type(mpi_request), intent(inout) :: request
  type(mpi_status) :: status
  integer, optional, intent(out) :: ierror
  integer :: calls, code
  common /counts/ calls

  calls = calls + 1
  call pmpi_wait(request, status, code)
  if (present(ierror)) ierror = code
end subroutine mpi_wait_f08
