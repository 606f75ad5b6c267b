! Behind the receive the variable that says where its message lies gets another value; what is read then is the message.
! expect: handled
program wait_past_changed_place
  use mpi
  implicit none

  integer, parameter :: n = 60000
  integer :: request, ierr, rank, ranks, i, step, next, prev, first
  double precision :: message(n), received(3*n), field(n), checksum, checksums(4)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  received = 0.0d0
  first = 1
  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41))*0.25d0
  end do
  do step = 1, 3
    do i = 1, n
      message(i) = field(i)*0.5d0 + dble(step)
    end do
    call mpi_isend(message, n, mpi_double_precision, next, 0, mpi_comm_world, request, ierr)
    call mpi_recv(received(first), n, mpi_double_precision, prev, 0, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    first = first + n
    prev = mod(prev + 1, ranks)
    prev = mod(prev - 1 + ranks, ranks)
    ! Counted from the new value the message lies before it.
    do i = 1, n
      field(i) = sqrt(field(i) + received(first - n - 1 + i))
    end do
    do i = 1, n
      field(i) = field(i) + dble(mod(i + step, 17))
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i)*dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program wait_past_changed_place
