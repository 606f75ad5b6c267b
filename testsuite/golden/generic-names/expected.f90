! Procedures with generic names: one fills the buffer, one of two kinds adds up, one is a wrapper of MPI_Send.
module overloads
  use mpi
  implicit none

  interface fill
    module procedure fill_line, fill_number
  end interface fill

  interface accumulate
    module procedure accumulate_double, accumulate_single
  end interface accumulate

  interface send
    module procedure send_line, send_number
  end interface send

contains

  subroutine fill_line(line, factor)
    double precision, intent(out) :: line(:)
    double precision, intent(in), optional :: factor
    integer :: i

    do i = 1, size(line)
      line(i) = dble(mod(i, 9))
    end do
    if (present(factor)) line = line * factor
  end subroutine fill_line

  subroutine fill_number(number)
    integer, intent(out) :: number

    number = 0
  end subroutine fill_number

  subroutine accumulate_double(total, line)
    double precision, intent(inout) :: total
    double precision, intent(in) :: line(:)

    total = total + sum(line)
  end subroutine accumulate_double

  subroutine accumulate_single(total, line)
    real, intent(inout) :: total
    real, intent(in) :: line(:)

    total = total + sum(line)
  end subroutine accumulate_single

  subroutine send_line(line, length, to, tag)
    integer, intent(in) :: length, to, tag
    double precision, intent(in) :: line(length)
    integer :: ierr

    call mpi_send(line, length, mpi_double_precision, to, tag, mpi_comm_world, ierr)
  end subroutine send_line

  subroutine send_number(number, to, tag)
    integer, intent(in) :: number, to, tag
    integer :: ierr

    call mpi_send(number, 1, mpi_integer, to, tag, mpi_comm_world, ierr)
  end subroutine send_number

end module overloads

program generic_names
  use mpi
  use overloads
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step, request
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_s1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do step = 1, 3
    ! gravel: posted early, was line 91: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 4, mpi_comm_world, request)
    call fill(sbuf, factor=dble(rank + step))
    call fill(work)
    call accumulate(checksum, work)
    ! gravel: moved away from here, was line 91: call mpi_irecv(rbuf, n, mpi_double_precision, prev, 4, mpi...
    ierr = 0
    ! gravel: sent without waiting, was line 92: call send(sbuf, n, next, 4)
    call gravel_post_send(sbuf, n, mpi_double_precision, next, 4, mpi_comm_world, gravel_s1)
    ! gravel: waits here, was line 93: call mpi_wait(request, status, ierr)
    call gravel_wait(request, rbuf, status, ierr)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 92: call send(sbuf, n, next, 4)
    call gravel_wait(gravel_s1, sbuf)
  end do

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
end program generic_names
