! A token goes from process to process in a procedure of its own; whoever has it calls another procedure, which writes a line.
! expect: without sink-wait
module exchanges
  use mpi
  implicit none

  integer, parameter :: n = 100000
  integer :: left, right, ierr

contains

  subroutine take_token(token, rank)
    integer, intent(inout) :: token
    integer, intent(in) :: rank

    if (rank > 0) then
      call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
    end if
  end subroutine take_token

  subroutine append_line(number)
    integer, intent(in) :: number
    integer :: unit

    open (newunit=unit, file='late_wait_orders_lines.log', position='append', action='write')
    write (unit, '(a,i0)') 'the token is at ', number
    close (unit)
  end subroutine append_line

  ! Prints the file and removes it.
  subroutine show_lines
    character(len=80) :: line
    integer :: unit, problem

    open (newunit=unit, file='late_wait_orders_lines.log', action='read')
    do
      read (unit, '(a)', iostat=problem) line
      if (problem /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (unit, status='delete')
  end subroutine show_lines


  ! The last rank is late.
  subroutine be_late(is_late)
    logical, intent(in) :: is_late
    double precision :: started

    started = mpi_wtime()
    do while (is_late .and. mpi_wtime() - started < 0.2d0)
    end do
  end subroutine be_late

end module exchanges

program late_wait_orders_lines
  use mpi
  use exchanges
  implicit none

  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, i
  integer :: token
  double precision :: work(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  token = 0
  call be_late(rank == 0)
  call take_token(token, rank)
  call append_line(rank)
  do i = 1, n
    work(i) = dble(mod(i, 7))
  end do
  token = token + 1
  if (rank < ranks - 1) call mpi_send(token, 1, mpi_integer, rank + 1, 1, mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) call show_lines
  checksum = dble(token) + sum(work)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program late_wait_orders_lines
