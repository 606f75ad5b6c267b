! SELECT RANK gives the array another name, and hands that on to a procedure that reads what a receive brings.
! expect: without sink-wait
module adding
  implicit none
  double precision :: total = 0.0d0
contains
  subroutine add_all(array)
    double precision, target, intent(in) :: array(..)

    select rank (values => array)
    rank (1)
      call add(values)
    end select
  end subroutine add_all

  subroutine add(values)
    double precision, intent(in) :: values(:)

    total = total + values(size(values))
  end subroutine add
end module adding

program any_rank_under_another_name
  use mpi
  use adding
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: checksum, checksums(max_ranks)
  double precision :: sbuf(n), rbuf(n)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  rbuf = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9) + 1)
  end do

  call mpi_isend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, request, ierr)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
  call add_all(rbuf)
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = total
  do i = 1, n
    checksum = checksum + rbuf(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program any_rank_under_another_name
