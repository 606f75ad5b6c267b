! A synchronous send returns only when its receive has been posted: the order of two effects in a
! file rests on it.
! expect: without hoist-receive sink-wait
program synchronous_send
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, i
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = 1
  if (ranks == 1) next = mpi_proc_null

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
  end do

  if (rank == 0) then
    call mpi_ssend(sbuf, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    call append_line('sent')
  else if (rank == 1) then
    call append_line('about to receive')
    call mpi_recv(rbuf, n, mpi_double_precision, 0, 1, mpi_comm_world, status, ierr) ! trapped
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  checksum = dble(rank)
  if (rank == 1) then
    do i = 1, n
      checksum = checksum + rbuf(i) * dble(mod(i, 7))
    end do
  end if
  if (rank == 0) call show_lines

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine append_line(line)
    character(len=*), intent(in) :: line
    integer :: unit

    open (newunit=unit, file='synchronous_send.log', position='append', action='write')
    write (unit, '(a)') line
    close (unit)
  end subroutine append_line

  ! Prints the file and removes it.
  subroutine show_lines
    character(len=80) :: line
    integer :: unit, problem

    open (newunit=unit, file='synchronous_send.log', action='read')
    do
      read (unit, '(a)', iostat=problem) line
      if (problem /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (unit, status='delete')
  end subroutine show_lines

end program synchronous_send
