! A ready send that stays with MPI is right only because a message has told that its receive is posted: the wait for that message
! must not pass it.
! expect: without sink-wait
! ranks: 2 4
program ready_send_behind_token
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, i, k, step, request, pair
  double precision :: token(n), told(n), work(n), checksum, total
  integer :: sbuf(2 * n), rbuf(2 * n)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  ! A structure, which stays with MPI.
  call mpi_type_create_struct(1, [1], [0_mpi_address_kind], [mpi_2integer], pair, ierr)
  call mpi_type_commit(pair, ierr)
  checksum = 0.0d0
  work = 1.0d0

  do step = 1, 3
    if (rank == 0) then
      do i = 1, 2 * n
        sbuf(i) = i + step
      end do
      call mpi_recv(token, n, mpi_double_precision, 1, 1, mpi_comm_world, mpi_status_ignore, ierr) ! trapped
      call mpi_rsend(sbuf, n, pair, 1, 2, mpi_comm_world, ierr)
      do i = 1, n
        checksum = checksum + token(i)
      end do
    else if (rank == 1) then
      do k = 1, 100
        do i = 1, n
          work(i) = work(i) * 0.5d0 + dble(k)
        end do
      end do
      call mpi_irecv(rbuf, n, pair, 0, 2, mpi_comm_world, request, ierr)
      do i = 1, n
        told(i) = work(i) + dble(i)
      end do
      call mpi_send(told, n, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
      call mpi_wait(request, mpi_status_ignore, ierr)
      do i = 1, 2 * n
        checksum = checksum + dble(rbuf(i))
      end do
    end if
  end do

  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'received ', total
  call mpi_type_free(pair, ierr)
  call mpi_finalize(ierr)
end program ready_send_behind_token
