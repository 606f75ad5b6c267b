! Messages whose buffers are elements behind pointers, or of components that subscripts and allocated memory lead to: the runtime gets
! their addresses where the calls stand. What moves is only the message of an array of its own.
module stores
  implicit none
  type store
    integer :: head
    integer, pointer :: content(:)
    double precision, allocatable :: field(:, :)
    double precision :: inside(400)
  end type store
  type(store), target :: small, stock(2)
contains
  subroutine keep(n)
    integer, intent(in) :: n
    integer :: i
    allocate (small%content(n))
    do i = 1, 2
      allocate (stock(i)%content(n), stock(i)%field(n, 2))
    end do
  end subroutine keep

  ! The requests lie among what is sent, as in a buffer that is administered by hand.
  subroutine send_from_store(n, right, step)
    use gravel
    include 'mpif.h'
    integer, intent(in) :: n, right, step
    integer :: code
    small%head = 4
    small%content(small%head:) = step + right
    ! gravel: sent without waiting, was line 29: call mpi_isend(small%content(small%head), n - 3, mpi_integ...
    call gravel_post_send(small%content(small%head), n - 3, mpi_integer, right, 1, mpi_comm_world, &
         small%content(2), code)
  end subroutine send_from_store

  subroutine empty_store
    use gravel
    include 'mpif.h'
    integer :: status(mpi_status_size), code
    logical :: is_sent
    is_sent = .false.
    do while (.not. is_sent)
      ! gravel: tested here, was line 38: call mpi_test(small%content(2), is_sent, status, code)
      call gravel_test_request(small%content(2), is_sent, status, code)
    end do
  end subroutine empty_store
end module stores

program buffers_behind_pointers
  use stores
  use gravel
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000, max_ranks = 16
  integer, pointer :: lens(:)
  double precision, pointer :: plane(:, :)
  double precision, target :: planes(n, 2)
  double precision :: plain(n), work(n), checksum, checksums(max_ranks)
  integer :: status(mpi_status_size), code, rank, ranks, left, right, i, step, request, other
  integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_r3, gravel_s2, gravel_s3, gravel_request_2, &
       gravel_other_2

  call mpi_init(code)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  checksum = 0.0d0
  call keep(n)
  plane => planes
  do step = 1, 3
    ! From a component that is a pointer into one that is a pointer in an array of objects.
    call send_from_store(n, right, step)
    lens => stock(2)%content
    ! gravel: posted here, was line 66: call mpi_recv(lens(4), n - 3, mpi_integer, left, 1, mpi_comm_world,...
    call gravel_post_rcv_buffer_rdma(lens(4), n - 3, mpi_integer, left, 1, mpi_comm_world, gravel_r1)
    call gravel_wait_request(gravel_r1, status, code)
    call empty_store
    checksum = checksum + sum(stock(2)%content(4:))

    ! From an allocatable component of an object of many, behind a pointer in the end.
    stock(1)%field = dble(step + rank)
    ! gravel: posted here, was line 72: call mpi_irecv(plane(1, 2), n, mpi_double_precision, left, 1, mpi_c...
    call gravel_post_rcv_buffer_rdma(plane(1, 2), n, mpi_double_precision, left, 1, mpi_comm_world, request, &
         code)
    ! gravel: sent without waiting, was line 73: call mpi_isend(stock(1)%field(1, 2), n, mpi_double_precisi...
    call gravel_post_send(stock(1)%field(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, other, &
         code)
    ! gravel: waits here, was line 74: call mpi_wait(request, status, code)
    call gravel_wait_request(request, status, code)
    ! gravel: waits here, was line 75: call mpi_wait(other, status, code)
    call gravel_wait_request(other, status, code)
    checksum = checksum + sum(planes(:, 2))

    stock(2)%inside = dble(mod(step, 2) + rank)
    stock(1)%content(1) = 1
    ! gravel: posted here, was line 80: call mpi_irecv(stock(1)%inside, 400, mpi_double_precision, left, 1,...
    call gravel_post_rcv_buffer_rdma(stock(1)%inside, 400, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_request_2, code)
    ! gravel: sent without waiting, was line 81: call mpi_send(stock(2)%inside(stock(1)%content(1)), 400, m...
    call gravel_post_send(stock(2)%inside(stock(1)%content(1)), 400, mpi_double_precision, right, 1, &
         mpi_comm_world, gravel_s2, code)
    call gravel_wait(gravel_s2, stock(2)%inside(stock(1)%content(1)))
    ! gravel: waits here, was line 82: call mpi_wait(request, status, code)
    call gravel_wait_request(gravel_request_2, status, code)
    checksum = checksum + sum(stock(1)%inside)
    ! gravel: receives and sends here, was line 84: call mpi_sendrecv(stock(2)%inside(101), 100, mpi_double...
    call gravel_post_rcv_buffer_rdma(stock(1)%field(1, 1), 100, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_r2)
    call gravel_post_send(stock(2)%inside(101), 100, mpi_double_precision, right, 1, mpi_comm_world, &
         gravel_s3)
    call gravel_wait(gravel_r2, stock(1)%field(1, 1), status, code)
    call gravel_wait(gravel_s3, stock(2)%inside(101))
    checksum = checksum + sum(stock(1)%field(1:100, 1))

    ! What moves.
    ! gravel: sent without waiting, was line 89: call mpi_isend(planes(1, 2), n, mpi_double_precision, righ...
    call gravel_post_send(planes(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, gravel_other_2, &
         code)
    ! gravel: posted early, was line 93: call mpi_recv(plain, n, mpi_double_precision, left, 1, mpi_comm_wo...
    call gravel_post_rcv_buffer_rdma(plain, n, mpi_double_precision, left, 1, mpi_comm_world, gravel_r3)
    do i = 1, n
      work(i) = sqrt(dble(i + step))
    end do
    ! gravel: waits here, was line 93: call mpi_recv(plain, n, mpi_double_precision, left, 1, mpi_comm_worl...
    call gravel_wait(gravel_r3, plain, status, code)
    ! gravel: moved away from here, was line 94: call mpi_wait(other, status, code)
    code = 0
    do i = 1, n
      checksum = checksum + plain(i)*work(i)
    end do
    ! gravel: the wait moved here, was line 94: call mpi_wait(other, status, code)
    call gravel_wait(gravel_other_2, planes, status)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, code)
  if (rank == 0) then
    do i = 1, ranks
      print '(a, i0, a, es24.16)', 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(code)
end program buffers_behind_pointers
