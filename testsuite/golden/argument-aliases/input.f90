! One array by two names: what is received into an array of the module is read as an argument before (kept in its place); two
! pieces of one array, of which one is received into while the other is read, are apart (posted early).
module buffers
  use mpi
  implicit none

  integer, parameter :: n = 6000
  double precision :: outgoing(n), incoming(n)
  integer :: rank, ranks, ierr

contains

  subroutine transpose_field(source, result)
    double precision, intent(in) :: source(n)
    double precision, intent(out) :: result(n)
    integer :: i, status(mpi_status_size)

    do i = 1, n
      outgoing(i) = 0.5d0 * source(i) + 1.0d0
    end do
    call mpi_sendrecv(outgoing, n, mpi_double_precision, modulo(rank + 1, ranks), 1, &
                      incoming, n, mpi_double_precision, modulo(rank - 1, ranks), 1, mpi_comm_world, status, ierr)
    do i = 1, n
      result(i) = incoming(i) + 1.0d0
    end do
  end subroutine transpose_field

  subroutine exchange(from, into, length)
    integer, intent(in) :: length
    double precision, intent(in) :: from(*)
    double precision, intent(inout) :: into(*)
    integer :: i, status(mpi_status_size)

    do i = 1, length
      outgoing(i) = 0.25d0 * from(i)
    end do
    call mpi_sendrecv(outgoing, length, mpi_double_precision, modulo(rank - 1, ranks), 2, &
                      into, length, mpi_double_precision, modulo(rank + 1, ranks), 2, mpi_comm_world, status, ierr)
  end subroutine exchange

end module buffers

program argument_aliases
  use buffers
  implicit none

  double precision :: field(n), work(2*n), checksum, total
  integer :: i, step

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    field(i) = dble(mod(i + 3*rank, 11))
    work(i) = dble(mod(i, 7))
  end do
  do step = 1, 5
    incoming = field * 0.125d0
    call transpose_field(incoming, field)
    call exchange(work(1), work(n + 1), n)
    do i = 1, n
      work(i) = 0.5d0 * work(i) + work(n + i) + field(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + work(i) * dble(mod(i, 5))
  end do
  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'total ', total
  call mpi_finalize(ierr)
end program argument_aliases
