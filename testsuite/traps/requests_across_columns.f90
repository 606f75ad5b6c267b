! The elements from one on are meant that lies inside a column, and they go on in the next one: no section of the array is these, but the
! memory from the element on.
! expect: handled
program requests_across_columns
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 20000, max_ranks = 16
  double precision :: received(n, 3), sent(n, 3), checksum, checksums(max_ranks)
  integer :: requests(2, 3), code, rank, ranks, i, side

  call mpi_init(code)
  call mpi_comm_rank(mpi_comm_world, rank, code)
  call mpi_comm_size(mpi_comm_world, ranks, code)
  do side = 1, 3
    do i = 1, n
      sent(i, side) = dble(mod(i, 9) + rank*side)
    end do
  end do
  do side = 1, 3
    call mpi_irecv(received(1, side), n, mpi_double_precision, modulo(rank - 1, ranks), side, mpi_comm_world, &
                   requests(1, side), code)
    call mpi_isend(sent(1, side), n, mpi_double_precision, modulo(rank + 1, ranks), side, mpi_comm_world, &
                   requests(2, side), code)
  end do
  call mpi_waitall(1, requests(1, 1), mpi_statuses_ignore, code)
  call mpi_waitall(5, requests(2, 1), mpi_statuses_ignore, code) ! trapped
  checksum = sum(received)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, code)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(code)
end program requests_across_columns
