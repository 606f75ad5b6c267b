! The program tells the numbers of its lines and the name of its file: they are those of its own text, whatever was written
! above them.
! expect: handled
program line_numbers_printed
  use mpi
  implicit none

  integer, parameter :: n = 20000, max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request
  double precision :: sent(n), received(n), checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  if (rank == 0) write (*, *) 'begun at line', __LINE__

  call mpi_irecv(received, n, mpi_double_precision, prev, 7, mpi_comm_world, request, ierr)
  do i = 1, n
    sent(i) = dble(rank + 1) * dble(mod(i, 9))
  end do
  call mpi_send(sent, n, mpi_double_precision, next, 7, mpi_comm_world, ierr) ! trapped
  if (rank == 0) call remark(__FILE__, __LINE__, 'sent')
  call mpi_wait(request, mpi_status_ignore, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + received(i) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
    call remark(__FILE__, __LINE__, 'ended')
  end if
  call mpi_finalize(ierr)

contains

  subroutine remark(file, line, text)
    character(*), intent(in) :: file, text
    integer, intent(in) :: line

    write (*, *) text, ' at line ', line, ' of ', file(index(file, '/', back=.true.) + 1:)
  end subroutine remark
end program line_numbers_printed
