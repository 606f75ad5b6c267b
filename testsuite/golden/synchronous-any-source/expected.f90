! Results that come from whoever is ready, each by a synchronous send: the messages are announced, short ones too.
program collect
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, sender, i
  integer :: status(mpi_status_size)
  double precision :: results(n), taken(n), sums(n), last
  integer(gravel_request_kind) :: gravel_r1, gravel_s1
  integer(gravel_transfer_kind) :: gravel_t1
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do i = 1, n
    sums(i) = 0.0d0
  end do
  last = 0.0d0
  if (rank > 0) then
    ! gravel: one handshake, a put per tile, was line 22: call mpi_ssend(results, n, mpi_double_precision, ...
    call gravel_post_snd_request_synchronous(results, n, mpi_double_precision, 0, 1, mpi_comm_world, &
         gravel_t1)
    gravel_step1 = gravel_tile(gravel_t1, n)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       do i = gravel_lo1, gravel_hi1
         results(i) = dble(rank) * dble(mod(i, 17)) * 0.5d0
       end do
       call gravel_post_os_put(gravel_t1, results, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
    end do
    ! gravel: sent tile by tile above, was line 22: call mpi_ssend(results, n, mpi_double_precision, 0, 1, ...
    call gravel_send_fin(gravel_t1, gravel_s1, ierr)
    call gravel_wait(gravel_s1, results)
    call mpi_ssend(results(3), 1, mpi_double_precision, 0, 2, mpi_comm_world, ierr)
  else
    do sender = 1, ranks - 1
      ! gravel: posted early, was line 29: call mpi_recv(taken, n, mpi_double_precision, mpi_any_source, 1,...
      call gravel_post_rcv_announced(taken, n, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, &
           gravel_r1)
      do i = 1, n
        sums(i) = sums(i) * 1.0d0
      end do
      ! gravel: waits here, was line 29: call mpi_recv(taken, n, mpi_double_precision, mpi_any_source, 1, m...
      call gravel_wait(gravel_r1, taken, status, ierr)
      do i = 1, n
        sums(i) = sums(i) + taken(i)
      end do
    end do
    do sender = 1, ranks - 1
      call mpi_recv(taken, 1, mpi_double_precision, mpi_any_source, 2, mpi_comm_world, status, ierr)
      last = last + taken(1)
    end do
    write (*, '(a,2es24.16)') 'sums ', sum(sums), last
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program collect
