! The unit of every statement for a file is asked for by a function that sends something: the statement has an effect of its
! own.
! ranks: 2 4
! expect: handled
program effects_behind_asked_unit
  use mpi
  implicit none
  integer :: ierr, rank, ranks, token, own, i
  integer :: status(mpi_status_size)
  character(len=40) :: line
  double precision :: x

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  own = rank
  token = 0
  x = 1.0d0
  if (rank == 0) then
    do i = 1, 20000000
      x = x + 1.0d0 / dble(i) / x
    end do
    if (x < 0.0d0) own = 1
    open (unit=log_unit(20), file='effects_behind_asked_unit.log', status='replace')
    write (log_unit(20), '(a)') 'the first process'
    close (log_unit(20))
    call mpi_send(own, 1, mpi_integer, 1, 1, mpi_comm_world, ierr)
  else if (rank < ranks - 1) then
    call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr) ! trapped
    call mpi_send(own, 1, mpi_integer, rank + 1, 1, mpi_comm_world, ierr)
  else
    call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr) ! trapped
    open (unit=log_unit(20), file='effects_behind_asked_unit.log', position='append')
    write (log_unit(20), '(a,i0)') 'the last process, told by ', token
    close (log_unit(20))
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) then
    open (unit=20, file='effects_behind_asked_unit.log', status='old')
    do
      read (20, '(a)', iostat=i) line
      if (i /= 0) exit
      print '(a)', line
    end do
    close (20, status='delete')
  end if
  call mpi_finalize(ierr)
contains
  integer function log_unit(number)
    integer, intent(in) :: number
    integer :: one, code
    call mpi_allreduce(number, one, 1, mpi_integer, mpi_sum, mpi_comm_self, code)
    log_unit = one
  end function log_unit
end program effects_behind_asked_unit
