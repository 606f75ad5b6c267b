! The handle is freed and made again, differently, by another name between the loop that fills the message and its send.
! expect: without strip-mine-producer hoist-receive
program datatype_unknown_remade
  use mpi
  implicit none

  integer, parameter :: n = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: request, pair, other
  common /handles/ pair, other
  double precision :: a(n), b(n), c(n), d(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    a(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    b(i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  c = 0.0d0
  d = 0.0d0
  call mpi_type_contiguous(n / 2, mpi_double_precision, pair, ierr)
  call mpi_type_commit(pair, ierr)
  do i = 1, n
    b(i) = a(i) * 0.5d0
  end do
  call make_again(n / 2)
  call mpi_irecv(c, 1, pair, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(b, 1, pair, next, 1, mpi_comm_world, ierr) ! trapped
  do i = 1, n
    a(i) = a(i) * 0.75d0
  end do
  call mpi_type_free(pair, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = sum(a) + sum(b) + 3.0d0 * sum(c) + sum(d)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_unknown_remade

subroutine make_again(count)
  use mpi
  implicit none
  integer, intent(in) :: count
  integer :: handles(2), ierr
  common /handles/ handles
  call mpi_type_free(handles(1), ierr)
  call mpi_type_vector(count, 1, 2, mpi_double_precision, handles(1), ierr)
  call mpi_type_commit(handles(1), ierr)
end subroutine make_again
