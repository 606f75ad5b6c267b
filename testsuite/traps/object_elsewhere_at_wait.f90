! The buffers are components of objects that a subscript chose when the receives were posted. When they are waited for the subscript is
! beyond the last object: the waits must not follow it.
! expect: handled
program object_elsewhere_at_wait
  implicit none
  include 'mpif.h'

  type side
    double precision, allocatable :: values(:)
  end type side
  integer, parameter :: n = 5000, max_ranks = 16
  type(side), allocatable :: sides(:)
  integer :: requests(4), request, ierr, rank, ranks, next, prev, i, k, step
  double precision :: sent(n), work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  allocate (sides(4))
  do k = 1, 4
    allocate (sides(k)%values(n))
  end do
  work = 1.0d0
  checksum = 0.0d0
  do step = 1, 3
    do k = 1, 4
      call mpi_irecv(sides(k)%values(1), n, mpi_double_precision, prev, 1, mpi_comm_world, requests(k), ierr)
    end do
    sent = dble(rank + step)
    do i = 1, 4
      call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    end do
    k = 100000000
    do i = 1, 4
      request = requests(i)
      call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    end do
    do i = 1, n
      work(i) = sqrt(work(i) + dble(i))
    end do
    do k = 1, 4
      do i = 1, n
        checksum = checksum + sides(k)%values(i)*dble(mod(i, 7)) + work(i)
      end do
    end do
    do k = 1, 4
      call mpi_irecv(sides(k)%values(1), n, mpi_double_precision, prev, 1, mpi_comm_world, requests(k), ierr)
    end do
    do i = 1, 4
      call mpi_send(sent, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    end do
    k = -100000000
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program object_elsewhere_at_wait
