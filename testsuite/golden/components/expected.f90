! Communicators, tags and ranks are components of objects that are handed down, as an object-oriented code keeps them.
module grids
  use mpi
  implicit none

  type :: topology
    integer :: comm = mpi_comm_null
    integer :: next, prev
  end type topology

  type :: grid
    type(topology) :: line
    integer :: comms(2)
    integer :: tag = 4
    integer :: number
  end type grid

contains

  subroutine set_up(this)
    use gravel
    type(grid), intent(inout) :: this
    integer :: rank, ranks, ierr

    call mpi_comm_dup(mpi_comm_world, this%line%comm, ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(this%line%comm)
    call mpi_comm_split(this%line%comm, 0, 0, this%comms(2), ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(this%comms(2))
    call mpi_comm_split(this%line%comm, 0, 0, this%comms(1), ierr)
    ! gravel: the runtime is attached to the new communicator
    call gravel_attach(this%comms(1))
    call mpi_comm_rank(this%line%comm, rank, ierr)
    call mpi_comm_size(this%line%comm, ranks, ierr)
    this%line%next = mod(rank + 1, ranks)
    this%line%prev = mod(rank - 1 + ranks, ranks)
    this%number = rank
  end subroutine set_up

  subroutine shift(this, n, checksum)
    use gravel
    type(grid), intent(in) :: this
    integer, intent(in) :: n
    double precision, intent(inout) :: checksum
    double precision :: sbuf(n), rbuf(n)
    integer :: ierr, request, i
    integer :: status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    ! gravel: posted here, was line 42: call mpi_irecv(rbuf, n, mpi_double_precision, this%line%prev, this%...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, this%line%prev, this%tag, this%line%comm, &
         request, ierr)
    ! gravel: one handshake, a put per tile, was line 46: call mpi_send(sbuf, n, mpi_double_precision, this...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, this%line%next, this%tag, this%line%comm, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = dble(this%number + 1) * dble(mod(i, 9))
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 46: call mpi_send(sbuf, n, mpi_double_precision, this%line%...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    ! gravel: waits here, was line 47: call mpi_wait(request, status, ierr)
    call gravel_wait(request, rbuf, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 46: call mpi_send(sbuf, n, mpi_double_precision, this%line%next...
    call gravel_wait(gravel_s1, sbuf)
  end subroutine shift

end module grids

program components
  use mpi
  use grids
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  type(grid) :: ours, copy
  integer :: ierr, rank, i, request
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  checksum = 0.0d0
  call set_up(ours)
  copy = ours
  do i = 1, 3
    call shift(copy, n, checksum)
  end do

  ! Another communicator, whose tags have nothing to do with those of the first, and any source on it.
  ! gravel: posted here, was line 78: call mpi_irecv(rbuf, n, mpi_double_precision, mpi_any_source, 4, copy...
  call gravel_post_rcv_announced(rbuf, n, mpi_double_precision, mpi_any_source, 4, copy%comms(2), request, &
       ierr)
  sbuf = dble(rank)
  ! gravel: sent without waiting, was line 80: call mpi_send(sbuf, n, mpi_double_precision, copy%line%next,...
  call gravel_post_snd_buffer_rdma(sbuf, n, mpi_double_precision, copy%line%next, 4, ours%comms(2), gravel_s1, &
       ierr)
  ! gravel: waits here, was line 81: call mpi_wait(request, status, ierr)
  call gravel_wait(request, rbuf, status, ierr)
  ! gravel: the wait moved here, was line 80: call mpi_send(sbuf, n, mpi_double_precision, copy%line%next, ...
  call gravel_wait(gravel_s1, sbuf)
  checksum = checksum + sum(rbuf)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    write (*, '(a,es24.16)') 'checksum of rank 0', checksums(1)
  end if
  call mpi_comm_free(ours%comms(1), ierr)
  call mpi_comm_free(ours%comms(2), ierr)
  call mpi_comm_free(ours%line%comm, ierr)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program components
