! The loop that fills the message goes back to elements of it that a pointer leads to.
! flags: -fcray-pointer
! expect: without strip-mine-producer
module state
  implicit none
  integer, parameter :: n = 20000
  double precision :: outgoing(n), field(n), work(n)
  integer :: rank, ranks, next, prev, ierr
end module state

program cray_pointer_in_loop
  use mpi
  use state
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: i, step, request
  double precision :: shared(n), other(n), checksum, checksums(max_ranks), single
  pointer (place, single)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  field = dble(rank + 1)
  shared = 0.0d0
  other = 1.0d0
  do step = 1, 4
    do i = 1, n
      outgoing(i) = field(i) * 0.5d0 + dble(mod(i, 7))
      place = loc(outgoing(n + 1 - i))
      if (2 * i > n + 1) single = single + dble(mod(i, 3))
    end do
    call mpi_sendrecv(outgoing, n, mpi_double_precision, next, 1, shared, n, mpi_double_precision, prev, 1, & ! trapped
                      mpi_comm_world, mpi_status_ignore, ierr)
    do i = 1, n
      field(i) = field(i) * 0.5d0 + shared(i) + other(i)
    end do
  end do

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 11))
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program cray_pointer_in_loop
