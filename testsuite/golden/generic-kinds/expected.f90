! Wrappers for two kinds behind a generic name: the one that is certainly meant is seen through, and kinds in other words leave
! it open which one that is. The object that holds the communicator is made by a function with the name of its type.
module posting
  use mpi
  implicit none
  integer, parameter :: single = kind(1.0), double = kind(1.0d0)

  type :: part
    integer :: communicator, rank, ranks
  end type part

  interface part
    module procedure make_part
  end interface part

  interface post
    module procedure post_single, post_double
  end interface post

contains

  function make_part(communicator) result(this)
    integer, intent(in) :: communicator
    type(part) :: this
    integer :: ierr

    this%communicator = communicator
    call mpi_comm_rank(this%communicator, this%rank, ierr)
    call mpi_comm_size(this%communicator, this%ranks, ierr)
  end function make_part

  subroutine post_single(buffer, count, to, tag, request)
    integer, intent(in) :: count, to, tag
    real(single), intent(in) :: buffer(count)
    integer, intent(out) :: request
    integer :: ierr

    call mpi_isend(buffer, count, mpi_real, to, tag, mpi_comm_world, request, ierr)
  end subroutine post_single

  subroutine post_double(buffer, count, to, tag, request)
    integer, intent(in) :: count, to, tag
    real(double), intent(in) :: buffer(count)
    integer, intent(out) :: request
    integer :: ierr

    call mpi_isend(buffer, count, mpi_double_precision, to, tag, mpi_comm_world, request, ierr)
  end subroutine post_double

end module posting

program generic_kinds
  use mpi
  use posting
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  type(part) :: own
  integer :: ierr, next, prev, i, step, sent, received, sent_too, received_too
  real(double) :: sbuf(n), rbuf(n), work(n)
  real(kind(1.0d0)) :: other(n), others(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  own = part(mpi_comm_world)
  next = mod(own%rank + 1, own%ranks)
  prev = mod(own%rank - 1 + own%ranks, own%ranks)
  checksum = 0.0d0
  work = 0
  do step = 1, 3
    ! gravel: posted early, was line 76: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, received)
    ! gravel: one handshake, a put per tile, was line 77: call post(sbuf, n, next, 1, sent)
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = dble(own%rank + step) * dble(mod(i, 9))
         other(i) = 0.5d0 * sbuf(i)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: moved away from here, was line 76: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi...
    ierr = 0
    ! gravel: sent tile by tile above, was line 77: call post(sbuf, n, next, 1, sent)
    call gravel_send_fin(gravel_t1, sent)
    ! gravel: moved away from here, was line 78: call mpi_wait(received, mpi_status_ignore, ierr)
    ierr = 0
    ! gravel: moved away from here, was line 79: call mpi_wait(sent, mpi_status_ignore, ierr)
    ierr = 0
    do i = 1, n
      work(i) = work(i) + sqrt(dble(i + step))
    end do
    ! gravel: the wait moved here, was line 78: call mpi_wait(received, mpi_status_ignore, ierr)
    call gravel_wait(received, rbuf)
    checksum = checksum + sum(rbuf)

    call mpi_irecv(others, n, mpi_double_precision, prev, 2, own%communicator, received_too, ierr)
    call post(other, n, next, 2, sent_too)
    call mpi_wait(received_too, mpi_status_ignore, ierr)
    call mpi_wait(sent_too, mpi_status_ignore, ierr)
    ! gravel: the wait moved here, was line 79: call mpi_wait(sent, mpi_status_ignore, ierr)
    call gravel_wait(sent, sbuf)
    checksum = checksum + sum(others) + work(step)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (own%rank == 0) then
    do i = 1, own%ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program generic_kinds
