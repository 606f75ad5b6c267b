! Blocks of different lengths: a loop fills those of all processes, another one reads what comes.
program alltoallv_loop
  use mpi
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, p, step, nsent, nreceived
  integer :: sent(max_ranks), received(max_ranks), sent_at(max_ranks), received_at(max_ranks)
  double precision :: sbuf(2*n*max_ranks), rbuf(2*n*max_ranks), field(2*n*max_ranks)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)

  nsent = 0
  nreceived = 0
  do p = 1, ranks
    sent(p) = n + 1000*rank - 100*p
    received(p) = n + 1000*(p - 1) - 100*(rank + 1)
    sent_at(p) = nsent
    received_at(p) = nreceived
    nsent = nsent + sent(p)
    nreceived = nreceived + received(p)
  end do
  do i = 1, 2*n*max_ranks
    field(i) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0
    sbuf(i) = 0.0d0
    rbuf(i) = 0.0d0
  end do

  do step = 1, 3
    do i = 1, nsent
      sbuf(i) = field(i) * 0.5d0 + dble(step)
    end do
    call mpi_alltoallv(sbuf, sent, sent_at, mpi_double_precision, rbuf, received, received_at, mpi_double_precision, &
                       mpi_comm_world, ierr)
    do i = 1, nsent
      field(i) = field(i) * 0.125d0
    end do
    do i = 1, nreceived
      field(i) = field(i) + rbuf(i)
    end do
  end do
  checksum = 0.0d0
  do i = 1, size(field)
    checksum = checksum + field(i) * dble(mod(i, 9))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program alltoallv_loop
