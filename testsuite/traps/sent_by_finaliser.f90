! No statement calls the procedure that sends first: it runs where an object ends.
! ranks: 2 4
! expect: handled
module sent_by_finaliser_letters
  use mpi
  implicit none

  integer, parameter :: n = 20000
  double precision :: sent(n), received(n, 2)

  type :: letter
    integer :: to = -1
  contains
    final :: post
  end type letter

contains

  subroutine post(self)
    type(letter), intent(inout) :: self
    integer :: ierr

    if (self%to >= 0) then
      call mpi_bsend(sent, n, mpi_double_precision, self%to, 4, mpi_comm_world, ierr) ! trapped
      self%to = -1
    end if
  end subroutine post

  subroutine write_letter(to)
    integer, intent(in) :: to
    type(letter) :: paper

    paper%to = to
  end subroutine write_letter

end module sent_by_finaliser_letters

program sent_by_finaliser
  use mpi
  use sent_by_finaliser_letters, only: sent, received, n, write_letter
  implicit none
  integer :: ierr, rank, requests(2), i, length
  character, allocatable :: attached(:)
  double precision :: total

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  length = 8 * n + mpi_bsend_overhead
  allocate (attached(length))
  call mpi_buffer_attach(attached, length, ierr)
  do i = 1, n
    sent(i) = dble(mod(i, 13) + rank)
  end do
  total = 0
  if (rank == 0) then
    call write_letter(1)
    call mpi_send(sent, n, mpi_double_precision, 1, 4, mpi_comm_world, ierr) ! trapped
  else if (rank == 1) then
    call mpi_irecv(received(1, 1), n, mpi_double_precision, 0, 4, mpi_comm_world, requests(1), ierr) ! trapped
    call mpi_irecv(received(1, 2), n, mpi_double_precision, 0, 4, mpi_comm_world, requests(2), ierr) ! trapped
    do i = 1, n
      total = total + sqrt(dble(i + rank))
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr) ! trapped
    print *, total, sum(received)
  end if
  call mpi_buffer_detach(attached, length, ierr)
  call mpi_finalize(ierr)
end program sent_by_finaliser
