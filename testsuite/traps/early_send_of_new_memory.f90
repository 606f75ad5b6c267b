! The buffer is allocated anew below the work.
! expect: handled
program early_send_of_new_memory
  use mpi
  implicit none

  integer, parameter :: n = 3000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: request
  double precision :: b(n), work(n), checks(n)
  double precision, allocatable :: a(:)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0
  allocate (a(n))
  do step = 1, 3
    call mpi_irecv(b, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    a = rank + step
    do i = 1, n
      work(i) = sqrt(dble(i * step))
    end do
    deallocate (a)
    allocate (a(n))
    a = work
    do i = 1, n
      checks(i) = work(i) + i
    end do
    call mpi_send(a, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + b(i) * i + work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program early_send_of_new_memory
