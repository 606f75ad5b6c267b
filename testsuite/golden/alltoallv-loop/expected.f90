! Blocks of different lengths: a loop fills those of all processes, another one reads what comes.
program alltoallv_loop
  use mpi
  use gravel
  implicit none

  integer, parameter :: max_ranks = 4
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, p, step, nsent, nreceived
  integer :: sent(max_ranks), received(max_ranks), sent_at(max_ranks), received_at(max_ranks)
  double precision :: sbuf(2*n*max_ranks), rbuf(2*n*max_ranks), field(2*n*max_ranks)
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
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
    ! gravel: posted early, was line 37: call mpi_alltoallv(sbuf, sent, sent_at, mpi_double_precision, rbuf...
    call gravel_post_alltoallv_segments(rbuf, received, received_at, mpi_double_precision, mpi_comm_world, &
         gravel_r1)
    ! gravel: one handshake, a put per tile, was line 37: call mpi_alltoallv(sbuf, sent, sent_at, mpi_doubl...
    call gravel_open_alltoallv(sbuf, sent, sent_at, mpi_double_precision, mpi_comm_world, gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, nsent)
    do gravel_lo1 = 1, nsent, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, nsent - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         sbuf(i) = field(i) * 0.5d0 + dble(step)
       end do
       call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 37: call mpi_alltoallv(sbuf, sent, sent_at, mpi_double_prec...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    do i = 1, nsent
      field(i) = field(i) * 0.125d0
    end do
    ! gravel: waits here for what each tile reads, was line 37: call mpi_alltoallv(sbuf, sent, sent_at, mpi...
    gravel_step2 = gravel_tile(gravel_r1, nreceived)
    if (gravel_step2 >= nreceived) call gravel_wait(gravel_r1, rbuf)
    do gravel_lo2 = 1, nreceived, gravel_step2
       gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, nreceived - gravel_lo2)
       if (gravel_step2 < nreceived) call gravel_wait_range(gravel_r1, rbuf, 0, gravel_hi2)
       do i = gravel_lo2, gravel_hi2
         field(i) = field(i) + rbuf(i)
       end do
    end do
    if (gravel_step2 < nreceived) call gravel_wait(gravel_r1, rbuf)
    ! gravel: the wait moved here, was line 37: call mpi_alltoallv(sbuf, sent, sent_at, mpi_double_precisio...
    call gravel_wait(gravel_s1, sbuf)
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
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program alltoallv_loop
