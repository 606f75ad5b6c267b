! A procedure reads the message through a pointer to the allocatable array of the module.
! expect: without sink-wait
module fields
  implicit none
  integer :: n
  double precision, allocatable, target :: u(:, :)
  double precision, pointer :: second(:)

contains

  subroutine add_up(sum)
    double precision, intent(inout) :: sum
    integer :: i

    do i = 1, size(second)
      sum = sum + second(i) * dble(mod(i, 7))
    end do
  end subroutine add_up

end module fields

program module_array_read_by_pointer
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
  second => u(:, 2)
  call mpi_irecv(u(1, 2), n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  call add_up(checksum)
  checksum = checksum + u(5, 2)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program module_array_read_by_pointer
