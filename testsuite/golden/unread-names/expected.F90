! Two variables of the module are declared where a flag decides it: nothing is known of them, and of the others everything.
module shared
  implicit none

  integer, parameter :: n = 100000
  double precision :: received(n), field(n)
#ifdef COUNTED
  integer, save :: steps = 0
  double precision, target :: between(n)
#endif

end module shared

program unread_names
  use gravel
  use mpi
  use shared
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, request
  double precision :: outgoing(n), checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  ! gravel: posted early, was line 34: call mpi_irecv(received, n, mpi_double_precision, modulo(rank - 1, r...
  call gravel_post_rcv_buffer_rdma(received, n, mpi_double_precision, modulo(rank - 1, ranks), 1, &
       mpi_comm_world, request)
  ! gravel: one handshake, a put per tile, was line 35: call mpi_send(outgoing, n, mpi_double_precision, mo...
  call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, mpi_comm_world, &
       gravel_t1)
  gravel_step1 = gravel_tile(gravel_t1, n)
  do gravel_lo1 = 1, n, gravel_step1
     gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
     do i = gravel_lo1, gravel_hi1
       outgoing(i) = dble(mod(i, 9) + rank)
     end do
     call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
  end do
  checksum = 0.0d0
  do i = 1, n
    field(i) = outgoing(i)*0.5d0
    checksum = checksum + sqrt(field(i))
  end do
  ! gravel: moved away from here, was line 34: call mpi_irecv(received, n, mpi_double_precision, modulo(ran...
  ierr = 0
  ! gravel: sent tile by tile above, was line 35: call mpi_send(outgoing, n, mpi_double_precision, modulo(r...
  call gravel_send_fin(gravel_t1, gravel_s1, ierr)
  ! gravel: waits here, was line 36: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, received, ierr)
  do i = 1, n
    checksum = checksum + received(i)
  end do
  ! gravel: the wait moved here, was line 35: call mpi_send(outgoing, n, mpi_double_precision, modulo(rank ...
  call gravel_wait(gravel_s1, outgoing)

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
end program unread_names
