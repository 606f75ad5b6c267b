! The second procedure that is handed over reads what is received; its argument has another name than the interface gives it, by
! which it is called.
! expect: without sink-wait
module workers
  use mpi
  implicit none
  integer, parameter :: n = 20000
  double precision :: sbuf(n), rbuf(n), scratch(n)

contains

  subroutine scale_scratch(total)
    double precision, intent(inout) :: total
    integer :: i

    do i = 1, n
      scratch(i) = scratch(i) * 0.5d0 + 3.0d0
    end do
    total = total + scratch(n/2)
  end subroutine scale_scratch

  subroutine read_message(checksum)
    double precision, intent(inout) :: checksum

    checksum = checksum + rbuf(3) + rbuf(n)
  end subroutine read_message

  subroutine exchange(work, next, prev, total)
    interface
      subroutine work(total)
        double precision, intent(inout) :: total
      end subroutine work
    end interface
    integer, intent(in) :: next, prev
    double precision, intent(inout) :: total
    integer :: request, ierr
    integer :: status(mpi_status_size)

    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, status, ierr) ! trapped
    call work(total=total)
  end subroutine exchange

end module workers

program handed_over_called_by_keyword
  use mpi
  use workers
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    rbuf(i) = 0.0d0
    scratch(i) = dble(mod(i, 13))
  end do
  call exchange(scale_scratch, next, prev, checksum)
  rbuf = 0.0d0
  call exchange(read_message, next, prev, checksum)
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + scratch(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program handed_over_called_by_keyword
