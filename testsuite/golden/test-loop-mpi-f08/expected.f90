! What needs no message is computed slice by slice until the messages have come; what is left of it then, afterwards.
program test_loop_mpi_f08
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 40000, slices = 50
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, previous, i, step, slice, length
  type(MPI_Request) :: receive, send
  type(MPI_Status) :: status
  logical :: has_come, has_left
  double precision :: outgoing(n), incoming(n), inner(n), checksum, checksums(max_ranks)

  call MPI_Init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    inner(i) = dble(rank + 1) * 0.5d0 + dble(mod(i, 7))
  end do

  checksum = 0.0d0
  do step = 1, 4
    ! gravel: posted early, was line 28: call MPI_Irecv(incoming, n, MPI_DOUBLE_PRECISION, previous, 5, MPI...
    call gravel_post_rcv_buffer_rdma(incoming, n, MPI_DOUBLE_PRECISION, previous, 5, MPI_COMM_WORLD, receive)
    do i = 1, n
      outgoing(i) = inner(i) * 0.25d0 + dble(step)
    end do
    ! gravel: moved away from here, was line 28: call MPI_Irecv(incoming, n, MPI_DOUBLE_PRECISION, previous, 5, MPI_COMM_WORLD, receive)
    ! gravel: sent without waiting, was line 29: call MPI_Isend(outgoing, n - step, MPI_DOUBLE_PRECISION, n...
    call gravel_post_send(outgoing, n - step, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, send)
    has_come = .false.
    has_left = .false.
    slice = 0
    do while (.not. has_come .or. slice < slices)
      if (slice < slices) then
        slice = slice + 1
        do i = slice, n, slices
          inner(i) = inner(i) * 0.5d0 + 1.0d0
        end do
      end if
      if (.not. has_come) then
        ! gravel: tested here, was line 41: call MPI_Test(receive, has_come, status)
        call gravel_test(receive, incoming, has_come, status)
        if (has_come) then
          call MPI_Get_count(status, MPI_DOUBLE_PRECISION, length)
          checksum = checksum + incoming(1) + incoming(length)
        end if
      end if
    end do
    do while (.not. has_left)
      ! gravel: tested here, was line 49: call MPI_Test(send, has_left, MPI_STATUS_IGNORE)
      call gravel_test(send, outgoing, has_left)
    end do
    do i = 1, length
      inner(i) = inner(i) - 0.125d0 * incoming(i)
    end do
  end do

  do i = 1, n
    checksum = checksum + inner(i) * dble(mod(i, 11))
  end do
  checksum = checksum + dble(length)
  call MPI_Gather(checksum, 1, MPI_DOUBLE_PRECISION, checksums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call MPI_Finalize()
end program test_loop_mpi_f08
