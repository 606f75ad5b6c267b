! One array by two names: what is received into an array of the module is read as an argument before (kept in its place); two
! pieces of one array, of which one is received into while the other is read, are apart (posted early).
module buffers
  use mpi
  implicit none

  integer, parameter :: n = 6000
  double precision :: outgoing(n), incoming(n)
  integer :: rank, ranks, ierr

contains

  subroutine transpose_field(source, result)
    use gravel
    double precision, intent(in) :: source(n)
    double precision, intent(out) :: result(n)
    integer :: i, status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_r1, gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

    ! gravel: one handshake, a put per tile, was line 21: call mpi_sendrecv(outgoing, n, mpi_double_precisi...
    call gravel_wait_rcv_buffer(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = 0.5d0 * source(i) + 1.0d0
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: receives and sends here, was line 21: call mpi_sendrecv(outgoing, n, mpi_double_precision, mo...
    call gravel_post_rcv_segments(incoming, n, mpi_double_precision, modulo(rank - 1, ranks), 1, &
         mpi_comm_world, gravel_r1)
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here for what each tile reads, was line 21: call mpi_sendrecv(outgoing, n, mpi_double_p...
    gravel_step2 = gravel_tile(gravel_r1, n)
    if (gravel_step2 >= n) call gravel_wait(gravel_r1, incoming, status)
    do gravel_lo2 = 1, n, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
       if (gravel_step2 < n) call gravel_wait_range(gravel_r1, incoming, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         result(i) = incoming(i) + 1.0d0
       end do
    end do
    if (gravel_step2 < n) call gravel_wait(gravel_r1, incoming, status)
    ! gravel: the wait moved here, was line 21: call mpi_sendrecv(outgoing, n, mpi_double_precision, modulo...
    call gravel_wait(gravel_s1, outgoing)
  end subroutine transpose_field

  subroutine exchange(from, into, length)
    use gravel
    integer, intent(in) :: length
    double precision, intent(in) :: from(*)
    double precision, intent(inout) :: into(*)
    integer :: i, status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_r1, gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: posted early, was line 37: call mpi_sendrecv(outgoing, length, mpi_double_precision, modulo(r...
    call gravel_post_rcv_buffer_rdma(into, length, mpi_double_precision, modulo(rank + 1, ranks), 2, &
         mpi_comm_world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 37: call mpi_sendrecv(outgoing, length, mpi_double_pr...
    call gravel_wait_rcv_buffer(outgoing, length, mpi_double_precision, modulo(rank - 1, ranks), 2, &
         mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, length)
    do gravel_lo1 = 1, length, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, length - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         outgoing(i) = 0.25d0 * from(i)
       end do
       call gravel_post_os_put(gravel_t1, outgoing, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 37: call mpi_sendrecv(outgoing, length, mpi_double_precisio...
    call gravel_send_fin(gravel_t1, gravel_s1)
    call gravel_wait(gravel_r1, into, status, ierr)
    call gravel_wait(gravel_s1, outgoing)
  end subroutine exchange

end module buffers

program argument_aliases
  use buffers
  use gravel
  implicit none

  double precision :: field(n), work(2*n), checksum, total
  integer :: i, step

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    field(i) = dble(mod(i + 3*rank, 11))
    work(i) = dble(mod(i, 7))
  end do
  do step = 1, 5
    incoming = field * 0.125d0
    call transpose_field(incoming, field)
    call exchange(work(1), work(n + 1), n)
    do i = 1, n
      work(i) = 0.5d0 * work(i) + work(n + i) + field(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + work(i) * dble(mod(i, 5))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'total ', total
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program argument_aliases
