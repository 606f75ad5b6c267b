! Rows and columns of a grid of processes, with the types of mpi_f08.
program cartesian_mpi_f08
  use mpi_f08
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  double precision :: sbuf(n), rbuf(n)
  type(mpi_comm) :: grid, row, column
  integer :: dims(2), step, next, prev
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  dims = 0
  call mpi_dims_create(ranks, 2, dims)
  call mpi_cart_create(mpi_comm_world, 2, dims, [.true., .true.], .false., grid)
  call mpi_cart_sub(grid, [.true., .false.], column)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(column)
  call mpi_cart_sub(grid, [.false., .true.], row)
  ! gravel: the runtime is attached to the new communicator
  call gravel_attach(row)
  do step = 1, 2
    call shift(row, 1)
    call shift(column, 2)
  end do
  call mpi_comm_free(row)
  call mpi_comm_free(column)
  call mpi_comm_free(grid)

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

  subroutine shift(comm, tag)
    use gravel
    type(mpi_comm), intent(in) :: comm
    integer, intent(in) :: tag
    type(mpi_request) :: request
    integer :: to, from, i
    integer(gravel_request_kind) :: gravel_s1
    integer(gravel_transfer_kind) :: gravel_t1
    integer :: gravel_lo1, gravel_hi1, gravel_step1

    call mpi_cart_shift(comm, 0, 1, from, to)
    ! gravel: posted here, was line 52: call mpi_irecv(rbuf, n, mpi_double_precision, from, tag, comm, requ...
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, from, tag, comm, request)
    ! gravel: one handshake, a put per tile, was line 56: call mpi_send(sbuf, n, mpi_double_precision, to, ...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, to, tag, comm, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = dble(rank + tag) * dble(mod(i, 9))
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 56: call mpi_send(sbuf, n, mpi_double_precision, to, tag, c...
    call gravel_send_fin(gravel_t1, gravel_s1)
    ! gravel: waits here, was line 57: call mpi_wait(request, mpi_status_ignore)
    call gravel_wait(request, rbuf)
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
    ! gravel: the wait moved here, was line 56: call mpi_send(sbuf, n, mpi_double_precision, to, tag, comm)
    call gravel_wait(gravel_s1, sbuf)
  end subroutine shift

end program cartesian_mpi_f08
