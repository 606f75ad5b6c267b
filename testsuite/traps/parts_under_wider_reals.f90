! The compiler's flag makes the elements of the loop as long again as those of the datatype: no part of the message is that which an
! iteration reads, so that all of it is waited for before the first one, and may be read then.
! expect: handled
! flags: -fdefault-real-8
! environment: GRAVEL_CHECK=1
program parts_under_wider_reals
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i, step
  real :: sbuf(n), rbuf(n), kept(n)
  double precision :: checksum(1)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  rbuf = -1.0
  kept = 0.0
  do step = 1, 2
    call mpi_irecv(rbuf, n, mpi_real, prev, 3, mpi_comm_world, request, ierr)
    do i = 1, n
      sbuf(i) = real(step) * real(mod(i, 9))
    end do
    call mpi_send(sbuf, n, mpi_real, next, 3, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      kept(i) = kept(i) + rbuf(i)
    end do
  end do

  ! Whatever the length of a real, all ranks have the same.
  checksum(1) = sum(dble(kept))
  if (rank == 0) write (*, '(a,es24.16)') 'kept ', checksum(1)
  call mpi_finalize(ierr)
end program parts_under_wider_reals
