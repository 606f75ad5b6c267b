! Of two operations that are waited for together one is a synchronous send: where the wait is taken apart, its own stays
! above the line in the file.
! expect: handled
program synchronous_among_waitall
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, first, second, third, i, k, unit, problem
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n), own(2), total(2)
  integer :: requests(2)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  ! What has no partner goes to nobody.
  first = 0
  second = merge(1, mpi_proc_null, ranks > 1)
  third = merge(2, mpi_proc_null, ranks > 2)
  rbuf = 0.0d0
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    work(i) = dble(i)
  end do

  if (rank == 0) then
    call mpi_issend(sbuf, n, mpi_double_precision, second, 1, mpi_comm_world, requests(1), ierr)
    call mpi_isend(work, n, mpi_double_precision, second, 2, mpi_comm_world, requests(2), ierr)
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    open (newunit=unit, file='synchronous_among_waitall.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) 'sent'
    close (unit, iostat=problem)
    do k = 1, 1500
      do i = 1, n
        rbuf(i) = rbuf(i) * 0.5d0 + dble(k)
      end do
    end do
  else if (rank == 1) then
    do k = 1, 1500
      do i = 1, n
        sbuf(i) = sbuf(i) * 0.5d0 + dble(k)
      end do
    end do
    call mpi_recv(work, n, mpi_double_precision, first, 2, mpi_comm_world, status, ierr)
    open (newunit=unit, file='synchronous_among_waitall.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) 'about to receive'
    close (unit, iostat=problem)
    call mpi_recv(rbuf, n, mpi_double_precision, first, 1, mpi_comm_world, status, ierr)
  end if

  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) call show_lines
  call mpi_barrier(mpi_comm_world, ierr)
  own = [sum(rbuf), sum(work)]
  call mpi_reduce(own, total, 2, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,2es24.16)') 'received ', total
  call mpi_finalize(ierr)

contains

  ! Prints the file and removes it.
  subroutine show_lines
    character(len=80) :: line
    integer :: file, status_of_read

    open (newunit=file, file='synchronous_among_waitall.log', action='read')
    do
      read (file, '(a)', iostat=status_of_read) line
      if (status_of_read /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (file, status='delete')
  end subroutine show_lines

end program synchronous_among_waitall
