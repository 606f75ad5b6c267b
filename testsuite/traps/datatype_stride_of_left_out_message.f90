! The stride of a datatype is the count of a message that a procedure leaves out where it is not positive; here it is negative,
! and the elements lie in front of the one that is named as the buffer, in another member of the COMMON block.
! expect: in-place
module puts
  use mpi
  implicit none
contains
  subroutine put(a, n, to)
    double precision, intent(in) :: a(*)
    integer, intent(in) :: n, to
    integer :: ierr
    if (n > 0) call mpi_send(a, n, mpi_double_precision, to, 7, mpi_comm_world, ierr)
  end subroutine put
end module puts

program datatype_stride_of_left_out_message
  use mpi
  use puts
  implicit none

  integer, parameter :: m = 60000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, request, i, stride, part
  double precision :: a(m), b(m), w(m), s(m)
  double precision :: checksum, checksums(max_ranks)
  common /block/ b, a

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  a = dble(rank + 1)
  b = 7.0d0
  w = 1.0d0
  do i = 1, m
    s(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  stride = -2 - ranks + ranks / 2 * 2
  call put(s, stride, rank)
  call mpi_type_vector(20000, 1, stride, mpi_double_precision, part, ierr)
  call mpi_type_commit(part, ierr)
  call mpi_irecv(a(2), 1, part, prev, 1, mpi_comm_world, request, ierr) ! trapped
  call mpi_send(s(m), 1, part, next, 1, mpi_comm_world, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
  checksum = b(m - 22)
  w = w * 2.0d0
  checksum = checksum + sum(a) + sum(b) + sum(w)
  call mpi_type_free(part, ierr)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a, i0, a, es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_stride_of_left_out_message
