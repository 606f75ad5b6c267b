! What tests store besides the message is looked at: the status where one is complete, an empty one and no index where no
! request is active, and none of these where nothing has come.
! expect: handled
program status_of_testany
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  double precision :: sbuf(n), rbuf(n, 2), work(n)
  integer :: requests(2), sends(2), which, told, status(mpi_status_size), length
  logical :: flag
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0

  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    work(i) = dble(i)
  end do
  call mpi_irecv(rbuf(1, 1), n, mpi_double_precision, prev, 7, mpi_comm_world, requests(1), ierr) ! trapped
  call mpi_irecv(rbuf(1, 2), n, mpi_double_precision, prev, 8, mpi_comm_world, requests(2), ierr) ! trapped
  call mpi_testany(2, requests, which, flag, status, ierr) ! trapped
  if (flag .or. which > 0) checksum = checksum - 1.0d6
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_isend(sbuf, n - 3, mpi_double_precision, next, 7, mpi_comm_world, sends(1), ierr) ! trapped
  call mpi_isend(sbuf, 17, mpi_double_precision, next, 8, mpi_comm_world, sends(2), ierr) ! trapped
  told = 0
  do while (told < 2)
    call mpi_testany(2, requests, which, flag, status, ierr) ! trapped
    if (flag) then
      told = told + 1
      call mpi_get_count(status, mpi_double_precision, length, ierr)
      checksum = checksum + dble(length * which) + dble(status(mpi_tag)) * 1.0d4
      if (status(mpi_source) /= prev) checksum = checksum - 1.0d5
    end if
    do i = 1, n
      work(i) = work(i) * 0.5d0
    end do
  end do
  call mpi_testany(2, requests, which, flag, status, ierr) ! trapped
  if (.not. flag .or. which > 0) checksum = checksum - 1.0d7
  call mpi_get_count(status, mpi_double_precision, length, ierr)
  checksum = checksum + dble(length)
  call mpi_waitall(2, sends, mpi_statuses_ignore, ierr)
  do i = 1, 17
    checksum = checksum + rbuf(i, 2)
  end do
  do i = 1, n - 3
    checksum = checksum + rbuf(i, 1) * dble(mod(i, 7))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program status_of_testany
