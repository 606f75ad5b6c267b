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
  use mpi
  implicit none
  integer, parameter :: n = 3000
  REAL_TYPE, save :: sbuf(n), rbuf(n), field(n, 2)
  integer, save :: mask(n)
  integer :: rank, ranks, next, prev, i, step, ierr, world, request
  integer :: status(mpi_status_size)
  double precision :: total, greatest

  call mpi_init(ierr)
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
    do i = 1, n
      STORE(sbuf, FIELD(i) * step)
    end do
    call MPI_SEND_IT(sbuf, n, MESSAGE_TYPE, next, 7, world, request, ierr)
    CHECK(ierr)
    call mpi_recv(rbuf, n, MESSAGE_TYPE, prev, 7, world, status, ierr)
    call mpi_wait(request, status, ierr)
    CHECK(ierr)
    do i = 1, n
      if (SEA) then
        FIELD(i) = FIELD(i) + sqrt(dble(i))
      end if
    end do
    do i = 1, n
      if (SEA) total = total + rbuf(i)
    end do
  end do
  total = total * (rank + 1)
  call mpi_reduce(total, greatest, 1, mpi_double_precision, mpi_max, 0, world, ierr)
  if (rank == 0) print '(a, f16.3)', 'BARRIER SEA ', greatest
  call mpi_finalize(ierr)

contains

  subroutine failed(code, text)
    integer, intent(in) :: code
    character(*), intent(in) :: text
    print *, text, ' is ', code
    call mpi_abort(mpi_comm_world, 1, ierr)
  end subroutine failed
end program macros
