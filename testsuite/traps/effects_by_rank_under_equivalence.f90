! The rank shares its memory with an array that another procedure writes.
! ranks: 2 4
! expect: handled
module m
  use mpi
  implicit none
  integer :: grid_rank, grid_ranks(2)
  equivalence (grid_rank, grid_ranks(1))
contains
  subroutine say(first, text)
    logical, intent(in) :: first
    character(len=*), intent(in) :: text
    integer :: ierr
    if (first) call mpi_comm_rank(mpi_comm_world, grid_rank, ierr)
    if (grid_rank == 0) then
      open (unit=20, file='effects_by_rank_under_equivalence.log', position='append')
      write (20, '(a)') text
      close (20)
    end if
  end subroutine say
  subroutine forget()
    call clear(grid_ranks, 2)
  end subroutine forget
  subroutine clear(a, n)
    integer :: n, a(n)
    a = 0
  end subroutine clear
end module m
program effects_by_rank_under_equivalence
  use m
  implicit none
  integer :: ierr, me, ranks, token, own, i
  integer :: status(mpi_status_size)
  character(len=40) :: line
  double precision :: x

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  own = me
  token = 0
  x = 1.0d0
  call say(.true., 'begin')
  call mpi_barrier(mpi_comm_world, ierr)
  call forget()
  if (me == 0) then
    do i = 1, 20000000
      x = x + 1.0d0 / dble(i) / x
    end do
    if (x < 0.0d0) own = 1
    call say(.false., 'the first process')
    call mpi_send(own, 1, mpi_integer, 1, 1, mpi_comm_world, ierr)
  else if (me < ranks - 1) then
    call mpi_recv(token, 1, mpi_integer, me - 1, 1, mpi_comm_world, status, ierr) ! trapped
    call mpi_send(own, 1, mpi_integer, me + 1, 1, mpi_comm_world, ierr)
  else
    call mpi_recv(token, 1, mpi_integer, me - 1, 1, mpi_comm_world, status, ierr) ! trapped
    call say(.false., 'the last process')
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  if (me == 0) then
    open (unit=20, file='effects_by_rank_under_equivalence.log', status='old')
    do i = 1, 3
      read (20, '(a)') line
      print '(i0, 1x, a)', i, line
    end do
    close (20, status='delete')
  end if
  call mpi_finalize(ierr)
end program effects_by_rank_under_equivalence
