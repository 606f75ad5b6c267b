! A procedure posts a receive in one run and waits for it in the next, in which its argument has another value.
! expect: without sink-wait
module halves
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer, save :: request = mpi_request_null

contains

  subroutine half(u, k, prev, is_first, checksum)
    double precision, intent(inout) :: u(n, 3)
    integer, intent(in) :: k, prev
    logical, intent(in) :: is_first
    double precision, intent(inout) :: checksum
    integer :: i, ierr

    if (is_first) then
      call mpi_irecv(u(1, k), n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    else
      call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
      do i = 1, 1000
        checksum = checksum + u(i, k - 1) * dble(mod(i, 7))
      end do
      checksum = checksum + u(5, 1)
    end if
  end subroutine half

end module halves

program request_of_an_earlier_run
  use halves
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: u(n, 3), sbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  u = -1.0d0
  checksum = 0.0d0

  do i = 1, size(sbuf)
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call half(u, 1, prev, .true., checksum)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call half(u, 2, prev, .false., checksum)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_of_an_earlier_run
