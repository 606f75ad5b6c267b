! The variable of a module that an array of the module was allocated with gets another value in a procedure that is
! called later.
! expect: without sink-wait
module grid
  implicit none
  integer :: n
  double precision, allocatable :: u(:, :)

contains

  subroutine make()
    n = 10000
    allocate (u(n, 3))
    u = -1.0d0
  end subroutine make

  subroutine refine()
    n = 2 * n
  end subroutine refine

  subroutine exchange(sbuf, next, prev, checksum)
    use mpi
    double precision, intent(in) :: sbuf(n)
    integer, intent(in) :: next, prev
    double precision, intent(inout) :: checksum
    integer :: request, ierr, i

    call mpi_irecv(u(1, 1), n - 100, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n - 100, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, 1000
      checksum = checksum + u(i, 2) * dble(mod(i, 7))
    end do
    checksum = checksum + u(5, 1)
  end subroutine exchange

end module grid

program bound_of_module_changed_later
  use mpi
  use grid
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision, allocatable :: sbuf(:)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  call make()
  call refine()
  allocate (sbuf(n))
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call exchange(sbuf, next, prev, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program bound_of_module_changed_later
