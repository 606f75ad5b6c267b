! Each start of a persistent synchronous send is over only when its receive was posted, also where that is in no branch of
! its own.
! expect: without sink-wait
program synchronous_prepared
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, first, second, third, i, k, unit, problem
  type(mpi_status) :: status
  double precision :: sbuf(n), rbuf(n), work(n), own(2), total(2)
  type(mpi_request) :: request

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
    call mpi_ssend_init(sbuf, 7, mpi_double_precision, second, 1, mpi_comm_world, request, ierr)
    call mpi_start(request, ierr)
    do i = 1, n
      work(i) = work(i) + 1.0d0
    end do
    call mpi_wait(request, status, ierr) ! trapped
    open (newunit=unit, file='synchronous_prepared.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) 'sent'
    close (unit, iostat=problem)
    do k = 1, 1500
      do i = 1, n
        work(i) = work(i) * 0.5d0 + dble(k)
      end do
    end do
    call mpi_request_free(request, ierr)
  else if (rank == 1) then
    do k = 1, 1500
      do i = 1, n
        work(i) = work(i) * 0.5d0 + dble(k)
      end do
    end do
    open (newunit=unit, file='synchronous_prepared.log', position='append', action='write', iostat=problem)
    write (unit, '(a)', iostat=problem) 'about to receive'
    close (unit, iostat=problem)
    call mpi_recv(rbuf, 7, mpi_double_precision, first, 1, mpi_comm_world, status, ierr)
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

    open (newunit=file, file='synchronous_prepared.log', action='read')
    do
      read (file, '(a)', iostat=status_of_read) line
      if (status_of_read /= 0) exit
      write (*, '(a)') trim(line)
    end do
    close (file, status='delete')
  end subroutine show_lines

end program synchronous_prepared
