! A procedure posts a receive in one run and waits for it in the next, which gets another array: what has come lies in the
! first one, which has a name of its own here.
! expect: without sink-wait
module halves
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: first(n)

contains

  subroutine half(u, prev, is_first, checksum)
    double precision, intent(inout) :: u(n)
    integer, intent(in) :: prev
    logical, intent(in) :: is_first
    double precision, intent(inout) :: checksum
    integer, save :: request = mpi_request_null
    double precision :: work(n)
    integer :: i, ierr

    if (is_first) then
      call mpi_irecv(u, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    else
      call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
      do i = 1, n
        work(i) = dble(i) * 0.5d0 + first(i)
      end do
      do i = 1, n
        checksum = checksum + work(i) * dble(mod(i, 7))
      end do
    end if
  end subroutine half

end module halves

program request_of_another_runs_buffer
  use mpi
  use halves
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), second(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  first = -1.0d0
  second = -2.0d0
  call half(first, prev, .true., checksum)
  call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
  call half(second, prev, .false., checksum)
  checksum = checksum + second(3)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_of_another_runs_buffer
