! The receive of a synchronous send may be posted above the loop. The wait for another message, which stands above that,
! must not pass it then: process 0 may rely on it that process 1 has heard of process 2.
! expect: without sink-wait strip-mine-consumer split-loop
program synchronous_receive_passed_by_wait
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, first, second, third, i, k, unit, problem
  integer :: status(mpi_status_size)
  double precision :: sbuf(n), rbuf(n), work(n), own(2), total(2)
  double precision :: other(n)

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
    call mpi_ssend(sbuf, n, mpi_double_precision, second, 1, mpi_comm_world, ierr)
    if (ranks > 2) then
      open (newunit=unit, file='synchronous_receive_passed_by_wait.log', position='append', action='write', iostat=problem)
      write (unit, '(a)', iostat=problem) '0 has sent'
      close (unit, iostat=problem)
    end if
  else if (rank == 1) then
    call mpi_recv(other, n, mpi_double_precision, third, 2, mpi_comm_world, status, ierr) ! trapped
    do k = 1, 1500
      do i = 1, n
        work(i) = work(i) * 0.5d0 + dble(k)
      end do
    end do
    call mpi_recv(rbuf, n, mpi_double_precision, first, 1, mpi_comm_world, status, ierr)
    work(1) = work(1) + other(2)
  else if (rank == 2) then
    do k = 1, 4000
      do i = 1, n
        work(i) = work(i) * 0.5d0 + dble(k)
      end do
    end do
    open (newunit=unit, file='synchronous_receive_passed_by_wait.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) '2 is about to send'
    close (unit, iostat=problem)
    call mpi_send(sbuf, n, mpi_double_precision, second, 2, mpi_comm_world, ierr)
  end if
  if (ranks < 3 .and. rank == 0) then
    open (newunit=unit, file='synchronous_receive_passed_by_wait.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) 'nobody else'
    close (unit, iostat=problem)
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

    open (newunit=file, file='synchronous_receive_passed_by_wait.log', action='read')
    do
      read (file, '(a)', iostat=status_of_read) line
      if (status_of_read /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (file, status='delete')
  end subroutine show_lines

end program synchronous_receive_passed_by_wait
