! Columns are exchanged as sections. How long they are is said by other words than the bounds of the array, or these are not
! known at all: a message ends with its section.
module fields
  implicit none

  type field
    integer :: rows, columns
    double precision, allocatable :: data(:, :)
  end type field
end module fields

program columns_as_sections
  use mpi
  use fields
  use gravel
  implicit none

  integer, parameter :: max_ranks = 16
  integer, parameter :: length = 20000
  integer :: ierr, rank, ranks, left, right, i, j, step
  double precision :: wave(0:length + 1, 0:6)
  type(field) :: old, new
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_w1_swap, gravel_w2_swap, gravel_w3_swap, gravel_w1_exchange, &
       gravel_w2_exchange
  common /gravel_1w_swap/ gravel_w1_swap
  common /gravel_2w_swap/ gravel_w2_swap
  common /gravel_3w_swap/ gravel_w3_swap
  common /gravel_1w_exchange/ gravel_w1_exchange
  common /gravel_2w_exchange/ gravel_w2_exchange

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank - 1 + ranks, ranks)

  call create(old)
  call create(new)
  do j = 0, 6
    do i = 0, length + 1
      wave(i, j) = dble(rank + 1) + dble(mod(i + j, 41)) * 0.25d0
      old%data(i, j) = wave(i, j) * 0.5d0
    end do
  end do
  do step = 1, 3
    call swap(wave, 1, length, 1, 5)
    call exchange(old)
    ! gravel: waits here for what line 39 has begun: call swap(wave, 1, length, 1, 5)
    call gravel_wait(gravel_w1_swap, wave)
    call gravel_wait(gravel_w2_swap, wave)
    do j = 1, 5
      do i = 1, length
        new%data(i, j) = 0.5d0 * old%data(i, j) + 0.125d0 * (wave(i, j - 1) + wave(i, j + 1) + &
                                                              old%data(i, j - 1) + old%data(i, j + 1))
      end do
    end do
    ! gravel: waits here for what line 39 has begun: call swap(wave, 1, length, 1, 5)
    call gravel_wait(gravel_w3_swap, wave)
    ! gravel: waits here for what line 40 has begun: call exchange(old)
    call gravel_wait(gravel_w1_exchange, old%data)
    call gravel_wait(gravel_w2_exchange, old%data)
    call change_places(old, new)
  end do
  checksum = 0.0d0
  do j = 1, 5
    do i = 1, length
      checksum = checksum + (wave(i, j) + old%data(i, j)) * dble(mod(i + 2 * j, 9))
    end do
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

contains

  subroutine create(it)
    type(field), intent(inout) :: it

    it%rows = length
    it%columns = 5
    allocate (it%data(0:it%rows + 1, 0:it%columns + 1))
    it%data = 0.0d0
  end subroutine create

  ! Whoever looks at the declarations does not find the bounds of the components any more.
  subroutine change_places(one, other)
    type(field), intent(inout) :: one, other
    double precision, allocatable :: between(:, :)

    call move_alloc(one%data, between)
    call move_alloc(other%data, one%data)
    call move_alloc(between, other%data)
  end subroutine change_places

  subroutine swap(psi, i1, i2, j1, j2)
    use gravel
    integer, intent(in) :: i1, i2, j1, j2
    double precision, intent(inout) :: psi(i1 - 1:i2 + 1, j1 - 1:j2 + 1)
    integer :: n, k
    double precision :: inside
    integer(gravel_request_kind) :: gravel_s1, gravel_w1_swap, gravel_w2_swap, gravel_w3_swap
    common /gravel_1w_swap/ gravel_w1_swap
    common /gravel_2w_swap/ gravel_w2_swap
    common /gravel_3w_swap/ gravel_w3_swap

    n = i2 - i1 + 3
    ! What is received and what the loops use are different columns.
    inside = 0.0d0
    ! gravel: posted early, was line 98: call mpi_sendrecv(psi(:, j2), n, mpi_double_precision, right, 1, p...
    call gravel_post_rcv_buffer_rdma(psi(:, j1 - 1), n, mpi_double_precision, left, 1, mpi_comm_world, &
         gravel_w1_swap)
    do k = i1, i2
      inside = inside + psi(k, j1)
    end do
    ! gravel: sent without waiting, was line 98: call mpi_sendrecv(psi(:, j2), n, mpi_double_precision, rig...
    call gravel_post_send(psi(:, j2), n, mpi_double_precision, right, 1, mpi_comm_world, gravel_s1, ierr)
    call gravel_wait(gravel_s1, psi)
    do k = i1, i2
      psi(k, j1) = 0.5d0 * psi(k, j1) + 0.25d0 * psi(k, j1 + 1)
    end do
    psi(i1, j1 + 1) = inside / dble(n)
    ! gravel: receives and sends here, was line 104: call mpi_sendrecv(psi(:, j1), n, mpi_double_precision,...
    call gravel_post_rcv_buffer_rdma(psi(:, j2 + 1), n, mpi_double_precision, right, 2, mpi_comm_world, &
         gravel_w2_swap)
    call gravel_post_send(psi(:, j1), n, mpi_double_precision, left, 2, mpi_comm_world, gravel_w3_swap, ierr)
  end subroutine swap

  subroutine exchange(it)
    use gravel
    type(field), intent(inout) :: it
    integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_w1_exchange, gravel_w2_exchange
    common /gravel_1w_exchange/ gravel_w1_exchange
    common /gravel_2w_exchange/ gravel_w2_exchange

    ! gravel: receives and sends here, was line 111: call mpi_sendrecv(it%data(:, it%columns), it%rows + 2,...
    call gravel_post_rcv_buffer_rdma(it%data(:, 0), it%rows + 2, mpi_double_precision, left, 3, &
         mpi_comm_world, gravel_r1)
    call gravel_post_send(it%data(:, it%columns), it%rows + 2, mpi_double_precision, right, 3, mpi_comm_world, &
         gravel_w1_exchange)
    call gravel_wait(gravel_r1, it%data, ierr)
    ! gravel: receives and sends here, was line 114: call mpi_sendrecv(it%data(:, 1), it%rows + 2, mpi_doub...
    call gravel_post_rcv_buffer_rdma(it%data(:, it%columns + 1), it%rows + 2, mpi_double_precision, right, 4, &
         mpi_comm_world, gravel_r2)
    call gravel_post_send(it%data(:, 1), it%rows + 2, mpi_double_precision, left, 4, mpi_comm_world, &
         gravel_w2_exchange)
    call gravel_wait(gravel_r2, it%data, ierr)
  end subroutine exchange
end program columns_as_sections
