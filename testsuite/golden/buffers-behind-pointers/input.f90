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
    include 'mpif.h'
    integer, intent(in) :: n, right, step
    integer :: code
    small%head = 4
    small%content(small%head:) = step + right
    call mpi_isend(small%content(small%head), n - 3, mpi_integer, right, 1, mpi_comm_world, small%content(2), code)
  end subroutine send_from_store

  subroutine empty_store
    include 'mpif.h'
    integer :: status(mpi_status_size), code
    logical :: is_sent
    is_sent = .false.
    do while (.not. is_sent)
      call mpi_test(small%content(2), is_sent, status, code)
    end do
  end subroutine empty_store
end module stores

program buffers_behind_pointers
  use stores
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000, max_ranks = 16
  integer, pointer :: lens(:)
  double precision, pointer :: plane(:, :)
  double precision, target :: planes(n, 2)
  double precision :: plain(n), work(n), checksum, checksums(max_ranks)
  integer :: status(mpi_status_size), code, rank, ranks, left, right, i, step, request, other

  call mpi_init(code)
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
    call mpi_recv(lens(4), n - 3, mpi_integer, left, 1, mpi_comm_world, status, code)
    call empty_store
    checksum = checksum + sum(stock(2)%content(4:))

    ! From an allocatable component of an object of many, behind a pointer in the end.
    stock(1)%field = dble(step + rank)
    call mpi_irecv(plane(1, 2), n, mpi_double_precision, left, 1, mpi_comm_world, request, code)
    call mpi_isend(stock(1)%field(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, other, code)
    call mpi_wait(request, status, code)
    call mpi_wait(other, status, code)
    checksum = checksum + sum(planes(:, 2))

    stock(2)%inside = dble(mod(step, 2) + rank)
    stock(1)%content(1) = 1
    call mpi_irecv(stock(1)%inside, 400, mpi_double_precision, left, 1, mpi_comm_world, request, code)
    call mpi_send(stock(2)%inside(stock(1)%content(1)), 400, mpi_double_precision, right, 1, mpi_comm_world, code)
    call mpi_wait(request, status, code)
    checksum = checksum + sum(stock(1)%inside)
    call mpi_sendrecv(stock(2)%inside(101), 100, mpi_double_precision, right, 1, &
                      stock(1)%field(1, 1), 100, mpi_double_precision, left, 1, mpi_comm_world, status, code)
    checksum = checksum + sum(stock(1)%field(1:100, 1))

    ! What moves.
    call mpi_isend(planes(1, 2), n, mpi_double_precision, right, 1, mpi_comm_world, other, code)
    do i = 1, n
      work(i) = sqrt(dble(i + step))
    end do
    call mpi_recv(plain, n, mpi_double_precision, left, 1, mpi_comm_world, status, code)
    call mpi_wait(other, status, code)
    do i = 1, n
      checksum = checksum + plain(i)*work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, code)
  if (rank == 0) then
    do i = 1, ranks
      print '(a, i0, a, es24.16)', 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(code)
end program buffers_behind_pointers
