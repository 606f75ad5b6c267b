! Macros in the place of MPI's names, of types, of conditions and of whole statements: what they stand for is read, and their
! names stay wherever nothing changes.
! ranks: 1 2 4
#undef SINGLE
#ifdef SINGLE
#define REAL_TYPE real
#define MESSAGE_TYPE mpi_real
#else
#define REAL_TYPE double precision
#define MESSAGE_TYPE mpi_double_precision
#endif
#define MPI_SEND_IT mpi_isend
#define FIELD(I) field(I, 1)
#define CHECK(CODE) if (CODE /= mpi_success) call failed(CODE, 'CODE')
#define SEA mask(i) .ne. 0 .and. (i .gt. 1 .or. rank .ge. 0)
#define BARRIER call mpi_barrier(world, ierr)
#define TRACE(TEXT)
#define STORE(ARRAY, \
              VALUE) ARRAY(i) = VALUE
program macros
  use gravel
  use mpi
  implicit none
  integer, parameter :: n = 3000
  REAL_TYPE, save :: sbuf(n), rbuf(n), field(n, 2)
  integer, save :: mask(n)
  integer :: rank, ranks, next, prev, i, step, ierr, world, request
  integer :: status(mpi_status_size)
  double precision :: total, greatest
  integer(gravel_request_kind) :: gravel_r1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  CHECK(ierr)
  world = mpi_comm_world
  call mpi_comm_rank(world, rank, ierr)
  call mpi_comm_size(world, ranks, ierr); CHECK(ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    mask(i) = mod(i, 3)
    FIELD(i) = i + rank
  end do
  total = 0
  BARRIER
  do step = 1, 4
    TRACE('packing')
    ! gravel: posted early, was line 50: call mpi_recv(rbuf, n, MESSAGE_TYPE, prev, 7, world, status, ierr)
    call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision, prev, 7, world, gravel_r1)
    ! gravel: one handshake, a put per tile, was line 48: call MPI_SEND_IT(sbuf, n, MESSAGE_TYPE, next, 7, ...
    call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 7, world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         STORE(sbuf, FIELD(i) * step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 48: call MPI_SEND_IT(sbuf, n, MESSAGE_TYPE, next, 7, world,...
    call gravel_send_fin(gravel_t1, request, ierr)
    CHECK(ierr)
    ! gravel: moved away from here, was line 50: call mpi_recv(rbuf, n, MESSAGE_TYPE, prev, 7, world, statu...
    ierr = 0
    ! gravel: moved away from here, was line 51: call mpi_wait(request, status, ierr)
    ierr = 0
    CHECK(ierr)
    do i = 1, n
      if (SEA) then
        FIELD(i) = FIELD(i) + sqrt(dble(i))
      end if
    end do
    ! gravel: the wait moved here, was line 50: call mpi_recv(rbuf, n, MESSAGE_TYPE, prev, 7, world, status...
    call gravel_wait(gravel_r1, rbuf, status)
    do i = 1, n
      if (SEA) total = total + rbuf(i)
    end do
    ! gravel: the wait moved here, was line 51: call mpi_wait(request, status, ierr)
    call gravel_wait(request, sbuf, status)
  end do
  total = total * (rank + 1)
  call mpi_reduce(total, greatest, 1, mpi_double_precision, mpi_max, 0, world, ierr)
  if (rank == 0) print '(a, f16.3)', 'BARRIER SEA ', greatest
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)

contains

  subroutine failed(code, text)
    integer, intent(in) :: code
    character(*), intent(in) :: text
    print *, text, ' is ', code
    call mpi_abort(mpi_comm_world, 1, ierr)
  end subroutine failed
end program macros
