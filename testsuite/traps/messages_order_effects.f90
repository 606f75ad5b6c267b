! A process in the middle receives one message and sends another one that does not depend on it: so the last process writes its
! line into the file behind that of the first one.
! expect: without sink-wait
! ranks: 3 4
program messages_order_effects
  use mpi
  implicit none
  integer :: ierr, rank, ranks, token, own, i, clock
  integer :: status(mpi_status_size)
  character(len=40) :: name, line
  double precision :: x

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  call system_clock(clock)
  call mpi_bcast(clock, 1, mpi_integer, 0, mpi_comm_world, ierr)
  write (name, '(a,i0)') 'messages_order_effects_', clock
  own = rank
  token = 0
  x = 1.0d0
  if (rank == 0) then
    do i = 1, 20000000
      x = x + 1.0d0 / dble(i) / x
    end do
    if (x < 0.0d0) own = 1
    open (unit=20, file=name, status='replace')
    write (20, '(a)') 'the first process'
    close (20)
    call mpi_send(own, 1, mpi_integer, 1, 1, mpi_comm_world, ierr)
  else if (rank < ranks - 1) then
    call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr) ! trapped
    call mpi_send(own, 1, mpi_integer, rank + 1, 1, mpi_comm_world, ierr)
  else
    call mpi_recv(token, 1, mpi_integer, rank - 1, 1, mpi_comm_world, status, ierr)
    open (unit=20, file=name, position='append')
    write (20, '(a,i0)') 'the last process, told by ', token
    close (20)
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 0) then
    open (unit=20, file=name, status='old')
    do
      read (20, '(a)', iostat=i) line
      if (i /= 0) exit
      print '(a)', line
    end do
    close (20, status='delete')
  end if
  call mpi_finalize(ierr)
end program messages_order_effects
