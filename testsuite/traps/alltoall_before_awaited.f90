! The first ranks exchange messages with one another only once the last rank but one has let rank 0 do so, and only then
! does rank 1 send something that a receive from any source of the last rank but one could take. What the loop below the
! receive of the permission fills for rank 1 is all that rank 1 waits for.
! expect: handled
! ranks: 4
program alltoall_before_awaited
  use mpi
  implicit none

  integer, parameter :: n = 5000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, pair, colour, i
  integer :: status(mpi_status_size)
  double precision :: permission(n), sbuf(2 * n), rbuf(2 * n), found(n), note(n), waited
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  colour = min(rank / 2, 1)
  call mpi_comm_split(mpi_comm_world, colour, rank, pair, ierr)

  checksum = 0.0d0
  permission = 3.0d0
  note = dble(rank)
  if (rank == 2) then
    call mpi_recv(found, n, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, status, ierr)
    checksum = sum(found)
    call mpi_send(permission, n, mpi_double_precision, 0, 2, mpi_comm_world, ierr)
    call mpi_recv(found, n, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, status, ierr)
    checksum = checksum + 10.0d0 * sum(found)
  else if (rank == 3) then
    ! The others get as far as they can meanwhile.
    waited = mpi_wtime()
    do while (mpi_wtime() - waited < 0.3d0)
    end do
    call mpi_send(note, n, mpi_double_precision, 2, 1, mpi_comm_world, ierr)
  else
    if (rank == 0) then
      call mpi_recv(permission, n, mpi_double_precision, 2, 2, mpi_comm_world, mpi_status_ignore, ierr)  ! trapped
      do i = 1, 2 * n
        sbuf(i) = dble(mod(i, 13))
      end do
      checksum = sum(permission)
      call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, pair, ierr)  ! trapped
      checksum = checksum + sum(rbuf)
    else
      sbuf = 1.0d0
      call mpi_alltoall(sbuf, n, mpi_double_precision, rbuf, n, mpi_double_precision, pair, ierr)  ! trapped
      checksum = sum(rbuf)
      call mpi_send(note, n, mpi_double_precision, 2, 1, mpi_comm_world, ierr)
    end if
  end if

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoall_before_awaited
