! The token carries nothing: its buffer is never looked at, so that only the order of effects says
! when its receive has to be complete.
! expect: handled
program empty_token
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  integer :: status(mpi_status_size)
  integer :: token
  double precision :: work
  integer :: unit, problem
  character(len=80) :: line
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  token = 0
  work = 1.0d0
  if (rank == 0) then
    do i = 1, 4000000
      work = 1.0d0 + 1.0d0 / work
    end do
  end if
  if (rank > 0) call mpi_recv(token, 0, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr) ! trapped
  open (newunit=unit, file='empty_token.log', position='append', action='write')
  write (unit, '(a,i0)') 'the token is at ', rank
  close (unit)
  if (rank < ranks - 1) call mpi_send(token, 0, mpi_integer, rank + 1, 1, mpi_comm_world, ierr) ! trapped
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) then
    open (newunit=unit, file='empty_token.log', action='read')
    do
      read (unit, '(a)', iostat=problem) line
      if (problem /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (unit, status='delete')
  end if
  checksum = work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program empty_token
