! A member of a COMMON block is the buffer, the only one that the procedure declares, and the datatype reaches into the member
! that another procedure declares behind it, as MPI allows.
! expect: in-place
program datatype_beside_hidden_member
  use mpi
  implicit none

  integer, parameter :: nx = 60, ny = 400
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: column
  double precision :: a(ny), b(ny), w(2*ny)
  common a, b
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, ny
    a(i) = 0.0d0
    b(i) = 0.0d0
    w(i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
    w(ny + i) = dble(rank + 1) - dble(mod(i * 5, 29)) * 0.125d0
  end do
  call mpi_type_create_indexed_block(2, 9, [0, ny], mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call exchange(w, column, prev, next)
  checksum = 0.0d0
  do i = 1, ny
    checksum = checksum + b(i) * dble(mod(i, 13))
  end do
  do i = 1, ny
    checksum = checksum + a(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program datatype_beside_hidden_member

subroutine exchange(w, column, prev, next)
  use mpi
  implicit none
  integer, parameter :: ny = 400
  integer, intent(in) :: column, prev, next
  integer :: requests(2), ierr
  double precision :: a(ny), w(2*ny)
  common a

  call mpi_irecv(a, 1, column, prev, 1, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_isend(w, 1, column, next, 1, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
end subroutine exchange
