! In vectors of complex numbers GCC fuses multiplications with additions even where it is told not to, and one by one it does not. A
! sweep that is cut inside of its vectors has other last bits then, on processors that fuse (-O3 -march=native), and this one is too
! short for an inside of whole vectors.
! expect: without split-loop
! flags: -ffp-contract=off
program split_of_few_vectors
  use mpi
  implicit none

  integer, parameter :: n = 100
  integer :: i, step
  integer :: requests(4)
  complex(kind(1d0)) :: u(0:n+1), v(0:n+1)
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev
  double precision :: results(4), all_results(4, max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  results = 0
  do step = 1, 40
    do i = 0, n + 1
      u(i) = cmplx(mod(7919 * (i + step) + 104729 * rank, 10007), mod(6131 * (i + 3 * step), 10037), kind(1d0)) / 10007
    end do
    call mpi_irecv(u(0), 1, mpi_double_complex, prev, 1, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(u(n + 1), 1, mpi_double_complex, next, 2, mpi_comm_world, requests(2), ierr)
    call mpi_isend(u(n), 1, mpi_double_complex, next, 1, mpi_comm_world, requests(3), ierr)
    call mpi_isend(u(1), 1, mpi_double_complex, prev, 2, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)  ! trapped
    do i = 1, n
      v(i) = u(i) * u(i - 1) + u(i + 1) * (0.3d0, 0.7d0)
    end do
    results = results + [dble(v(1)), dble(v(n)), aimag(v(1)), aimag(v(n))] * dble(step)
  end do
  call mpi_gather(results, 4, mpi_double_precision, all_results, 4, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,4es24.16)') 'rank ', i - 1, all_results(:, i)
    end do
  end if
  call mpi_finalize(ierr)
end program split_of_few_vectors
