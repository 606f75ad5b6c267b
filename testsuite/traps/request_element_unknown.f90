! Which elements of the array the requests go to, and in which order they are waited for, is decided
! when the program runs.
! expect: handled
program request_element_unknown
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n, 4), rbuf(n, 2)
  integer :: requests(4), order(4), k
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  order = [3, 1, 4, 2]
  do k = 1, 4
    do i = 1, n
      sbuf(i, k) = dble(rank + k) * dble(mod(i, 9))
    end do
  end do
  do k = 1, 2
    call mpi_irecv(rbuf(1, k), n, mpi_double_precision, prev, k, mpi_comm_world, requests(order(k)), ierr) ! trapped
    call mpi_isend(sbuf(1, k), n, mpi_double_precision, next, k, mpi_comm_world, requests(order(k + 2)), ierr) ! trapped
  end do
  checksum = 0.0d0
  do k = 4, 1, -1
    call mpi_wait(requests(order(k)), mpi_status_ignore, ierr) ! trapped
    do i = 1, n
      if (k <= 2) checksum = checksum + rbuf(i, k) * dble(mod(i, 7))
      if (k > 2) sbuf(i, k - 2) = 0.0d0
    end do
  end do
  checksum = checksum + sbuf(1, 1)

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program request_element_unknown
