! The rank is asked for late: until then it is 0 on every process, and each of them writes.
! ranks: 2 4
! expect: handled
program effects_before_rank_is_known
  use mpi
  implicit none
  integer :: ierr, me, ranks, token, own, i
  integer :: rank = 0
  integer :: status(mpi_status_size)
  character(len=40) :: line
  double precision :: x

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  own = me
  token = 0
  x = 1.0d0
  if (me == 0) then
    do i = 1, 20000000
      x = x + 1.0d0 / dble(i) / x
    end do
    if (x < 0.0d0) own = 1
    if (rank == 0) then
      open (unit=20, file='effects_before_rank_is_known.log', status='replace')
      write (20, '(a)') 'the first process'
      close (20)
    end if
    call mpi_send(own, 1, mpi_integer, 1, 1, mpi_comm_world, ierr)
  else if (me < ranks - 1) then
    call mpi_recv(token, 1, mpi_integer, me - 1, 1, mpi_comm_world, status, ierr) ! trapped
    call mpi_send(own, 1, mpi_integer, me + 1, 1, mpi_comm_world, ierr)
  else
    call mpi_recv(token, 1, mpi_integer, me - 1, 1, mpi_comm_world, status, ierr) ! trapped
    if (rank == 0) then
      open (unit=20, file='effects_before_rank_is_known.log', position='append')
      write (20, '(a,i0)') 'the last process, told by ', token
      close (20)
    end if
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  if (rank == 0) then
    open (unit=20, file='effects_before_rank_is_known.log', status='old')
    do
      read (20, '(a)', iostat=i) line
      if (i /= 0) exit
      print '(a)', line
    end do
    close (20, status='delete')
  end if
  call mpi_finalize(ierr)
end program effects_before_rank_is_known
