! What rank 0 receives first from any source is the message of the last rank: it lets the others send theirs only then.
! Theirs are filled by loops below the receive of its permission: no reason to announce them before it has come.
! expect: handled
! ranks: 2 3 4
program announced_before_awaited
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, i, k
  integer :: status(mpi_status_size)
  double precision :: permission(n), sbuf(n), rbuf(n), waited
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  checksum = 0.0d0
  permission = 3.0d0
  if (rank == 0) then
    do k = 1, ranks - 1
      call mpi_recv(rbuf, n, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, status, ierr)
      if (k == 1) then
        checksum = dble(status(mpi_source)) * sum(rbuf)
        do i = 1, ranks - 2
          call mpi_send(permission, n, mpi_double_precision, i, 2, mpi_comm_world, ierr)
        end do
      end if
    end do
  else if (rank == ranks - 1) then
    ! The others get as far as they can meanwhile.
    waited = mpi_wtime()
    do while (mpi_wtime() - waited < 0.3d0)
    end do
    do i = 1, n
      sbuf(i) = dble(mod(i, 7))
    end do
    call mpi_send(sbuf, n, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
  else
    call mpi_recv(permission, n, mpi_double_precision, 0, 2, mpi_comm_world, mpi_status_ignore, ierr)  ! trapped
    do i = 1, n
      sbuf(i) = dble(mod(i, 13))
    end do
    checksum = sum(permission)
    call mpi_send(sbuf, n, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
  end if

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program announced_before_awaited
