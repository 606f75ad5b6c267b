! A procedure may begin at an ENTRY statement: what stands on one side of it stays there. Calls by either name, by a generic name
! and by keywords go to procedures that are known, so the message of the main program is waited for behind those that do not touch
! it.
module relaxation
  use mpi
  implicit none
  integer, parameter :: n = 4000
  double precision :: field(n), work(n), ahead(n)
  integer :: rank, ranks, next, prev, ierr
  interface add
    module procedure add_number, add_array
  end interface
contains
  ! Both exchange what they are handed: the one a part of it.
  subroutine exchange_half(out, in)
    use gravel
    double precision, intent(in) :: out(n)
    double precision, intent(inout) :: in(n)
    integer :: i, count, request, status(mpi_status_size)
    integer(gravel_request_kind) :: gravel_s1

    count = n / 2
    go to 10
    entry exchange(out, in)
    count = n
10  continue
    ! gravel: posted here, was line 25: call mpi_irecv(in, count, mpi_double_precision, prev, 1, mpi_comm_w...
    call gravel_post_rcv_buffer_rdma(in, count, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    ! gravel: sent without waiting, was line 26: call mpi_send(out, count, mpi_double_precision, next, 1, m...
    call gravel_post_send(out, count, mpi_double_precision, next, 1, mpi_comm_world, gravel_s1, ierr)
    ! gravel: moved away from here, was line 27: call mpi_wait(request, status, ierr)
    ierr = 0
    do i = 1, n
      work(i) = dble(mod(i, 5)) * 0.5d0
    end do
    ! gravel: the wait moved here, was line 26: call mpi_send(out, count, mpi_double_precision, next, 1, mp...
    call gravel_wait(gravel_s1, out)
    ! gravel: the wait moved here, was line 27: call mpi_wait(request, status, ierr)
    call gravel_wait(request, in, status)
    do i = 1, n
      field(i) = in(i) * 0.5d0 + work(i)
    end do
  end subroutine exchange_half

  subroutine add_number(a, number)
    double precision :: a(n), b(n), number
    integer :: i

    do i = 1, n
      a(i) = a(i) + number
    end do
    return
    entry add_array(a, b)
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
  end subroutine add_number

  ! The results share memory.
  integer function right_of(position)
    integer :: position, left_of

    right_of = mod(position + 1, ranks)
    return
    entry left_of(position)
    right_of = mod(position - 1 + ranks, ranks)
  end function right_of
end module relaxation

program entries
  use relaxation
  use gravel
  implicit none
  double precision :: received(n), sums(16)
  integer :: i, step, request, status(mpi_status_size)
  integer(gravel_request_kind) :: gravel_s1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = right_of(rank)
  prev = left_of(rank)
  field = dble(rank + 1)
  ahead = 1.0d0
  received = 0.0d0
  do step = 1, 2
    call exchange_half(ahead, received)
    call exchange(in=received, out=field)
    ! gravel: posted here, was line 78: call mpi_irecv(received, n, mpi_double_precision, prev, 2, mpi_comm...
    call gravel_post_rcv_segments(received, n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
    ! gravel: sent without waiting, was line 79: call mpi_send(field, n, mpi_double_precision, next, 2, mpi...
    call gravel_post_send(field, n, mpi_double_precision, next, 2, mpi_comm_world, gravel_s1, ierr)
    ! gravel: moved away from here, was line 80: call mpi_wait(request, status, ierr)
    ierr = 0
    call add(ahead, 0.5d0)
    call add(ahead, b=work)
    ! gravel: the wait moved here, was line 79: call mpi_send(field, n, mpi_double_precision, next, 2, mpi_...
    call gravel_wait(gravel_s1, field)
    ! gravel: waits here for what each tile reads, was line 80: call mpi_wait(request, status, ierr)
    gravel_step1 = gravel_tile(request, n)
    if (gravel_step1 >= n) call gravel_wait(request, received, status)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(request, received, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         field(i) = field(i) + received(i) * 0.125d0
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(request, received, status)
  end do
  call mpi_gather(sum(field + ahead), 1, mpi_double_precision, sums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,16es24.16)') 'sums', sums(1:ranks)
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program entries
