! A procedure gets arrays of two shapes: in the second one the message goes on in the second column.
! expect: without sink-wait
module ring
  use mpi
  implicit none
  integer, parameter :: n = 20000

contains

  subroutine exchange(u, sbuf, next, prev, checksum)
    double precision, intent(inout) :: u(:, :)
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

end module ring

program assumed_shape_of_two_extents
  use ring
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: wide(n, 3), narrow(n / 2, 6), sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  wide = -1.0d0
  narrow = -1.0d0
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call exchange(wide, sbuf, next, prev, checksum)
  call exchange(narrow, sbuf, next, prev, checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program assumed_shape_of_two_extents
