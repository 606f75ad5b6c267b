! The module mpi_f08 and keywords in another order; the error code may be left out. The buffer is read by the loop that
! waits for it in parts.
! expect: handled
program replaced_mpi_f08
  use mpi_f08
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: rank, ranks, next, prev, i, step
  double precision :: ring(n), work(n)
  type(mpi_status) :: status
  integer :: number
  double precision :: checksum, checksums(max_ranks)

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    ring(i) = dble(rank + 1) + dble(mod(i, 37)) * 0.25d0
    work(i) = dble(mod(i, 11))
  end do
  do step = 1, 4
    call mpi_sendrecv_replace(buf=ring, count=n, datatype=mpi_double_precision, source=prev, recvtag=2, & ! trapped
                              comm=mpi_comm_world, dest=next, sendtag=2, status=mpi_status_ignore)
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(mod(i + step, 13))
    end do
    do i = 1, n
      work(i) = work(i) + ring(i)
    end do
    call mpi_sendrecv_replace(work, n - step, mpi_double_precision, prev, 3, next, 3, mpi_comm_world, status) ! trapped
    do i = 1, n
      ring(i) = ring(i) * 0.5d0 + dble(step)
    end do
    call mpi_get_count(status, mpi_double_precision, number)
    checksum = checksum + dble(number) + dble(status%mpi_source) + work(n) + work(1)
  end do
  do i = 1, n
    checksum = checksum + (ring(i) + work(i)) * dble(mod(i, 7) + 1)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize()
end program replaced_mpi_f08
