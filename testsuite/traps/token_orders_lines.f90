! A token goes from process to process; whoever holds it writes a line into a file. A receive whose
! wait sinks below the writing, or a send that is done above it, would mix up the lines.
! expect: handled
program token_orders_lines
  use mpi
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i
  integer :: status(mpi_status_size)
  integer :: token
  double precision :: work
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  token = 0
  work = 1.0d0
  if (rank > 0) then
    call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr) ! trapped
  else
    do i = 1, 4000000
      work = 1.0d0 + 1.0d0 / work
    end do
  end if
  call append_line(rank)
  token = token + 1
  if (rank < ranks - 1) then
    call mpi_send(token, 1, mpi_integer, rank + 1, 1, mpi_comm_world, ierr) ! trapped
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) call show_lines
  checksum = dble(token) + work

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine append_line(number)
    integer, intent(in) :: number
    integer :: unit

    open (newunit=unit, file='token_orders_lines.log', position='append', action='write')
    write (unit, '(a,i0)') 'the token is at ', number
    close (unit)
  end subroutine append_line

  ! Prints the file and removes it.
  subroutine show_lines
    character(len=80) :: line
    integer :: unit, problem

    open (newunit=unit, file='token_orders_lines.log', action='read')
    do
      read (unit, '(a)', iostat=problem) line
      if (problem /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (unit, status='delete')
  end subroutine show_lines

end program token_orders_lines
