! A subroutine exchanges messages with all the neighbours that it is given; the array of requests is
! as long as it needs to be.
program request_array_in_subroutine
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  double precision :: field(n), gathered(n, 2)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
  end do
  do step = 1, 3
    call exchange(field, n, [prev, next], [1, 2], [2, 1], 2, gathered)
    do i = 1, n
      field(i) = field(i) * 0.125d0 + gathered(i, 1) + gathered(i, 2)
    end do
  end do
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program request_array_in_subroutine

! Sends `field` to each of the neighbours and gathers what comes from them.
subroutine exchange(field, length, neighbours, tags_in, tags_out, number, gathered)
  use mpi
  use gravel
  implicit none
  integer, intent(in) :: length, number, neighbours(number), tags_in(number), tags_out(number)
  double precision, intent(in) :: field(length)
  double precision, intent(inout) :: gathered(length, number)
  double precision :: outgoing(length)
  integer :: requests(0:2*number - 1)
  integer :: i, k, ierr

  do k = 1, number
    ! gravel: posted here, was line 55: call mpi_irecv(gathered(1, k), length, mpi_double_precision, neighb...
    call gravel_post_rcv_buffer_rdma(gathered(1, k), length, mpi_double_precision, neighbours(k), tags_in(k), &
         mpi_comm_world, requests(k - 1), ierr)
  end do
  do i = 1, length
    outgoing(i) = 0.5d0 * field(i)
  end do
  do k = 1, number
    ! gravel: sent without waiting, was line 62: call mpi_isend(outgoing, length, mpi_double_precision, nei...
    call gravel_post_send(outgoing, length, mpi_double_precision, neighbours(k), tags_out(k), mpi_comm_world, &
         requests(number + k - 1), ierr)
  end do
  ! gravel: waits here, was line 65: call mpi_waitall(2 * number, requests, mpi_statuses_ignore, ierr)
  call gravel_waitall(2 * number, requests, ierr)
  call gravel_f_sync_reg(gathered)
  call gravel_f_sync_reg(outgoing)
end subroutine exchange
