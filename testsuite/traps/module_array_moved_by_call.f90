! A procedure moves the array that holds the message to another place in memory.
! expect: without sink-wait
module fields
  implicit none
  integer :: n
  double precision, allocatable :: u(:, :)

contains

  subroutine move(sum)
    double precision, intent(inout) :: sum
    double precision, allocatable :: other(:, :)
    integer :: i

    allocate (other(n, 3))
    other = u
    deallocate (u)
    call move_alloc(other, u)
    do i = 1, n
      sum = sum + dble(mod(i, 7))
    end do
  end subroutine move

end module fields

program module_array_moved_by_call
  use mpi
  use fields
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i
  double precision, allocatable :: sbuf(:)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  n = 10000
  allocate (u(n, 3), sbuf(n))
  u = -1.0d0
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_irecv(u(1, 2), n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  call move(checksum)
  checksum = checksum + u(5, 2)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program module_array_moved_by_call
