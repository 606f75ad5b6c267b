! Three messages between the same two processes are in flight at once; their tags tell them apart.
program several_tags
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i
  integer :: status(mpi_status_size)
  double precision :: density(n), energy(n), momentum(n)
  double precision :: density_in(n), energy_in(n), momentum_in(n)
  integer :: density_request, energy_request, momentum_request
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  call mpi_irecv(density_in, n, mpi_double_precision, prev, 101, mpi_comm_world, &
                 density_request, ierr)
  call mpi_irecv(energy_in, n, mpi_double_precision, prev, 102, mpi_comm_world, &
                 energy_request, ierr)
  call mpi_irecv(momentum_in, n, mpi_double_precision, prev, 103, mpi_comm_world, &
                 momentum_request, ierr)
  do i = 1, n
    momentum(i) = dble(rank) - dble(mod(i, 3))
  end do
  call mpi_send(momentum, n, mpi_double_precision, next, 103, mpi_comm_world, ierr)
  do i = 1, n
    density(i) = dble(rank + 1) * 0.5d0 + dble(mod(i, 5))
  end do
  call mpi_send(density, n, mpi_double_precision, next, 101, mpi_comm_world, ierr)
  do i = 1, n
    energy(i) = density(i) * density(i) + momentum(i)
  end do
  call mpi_send(energy, n, mpi_double_precision, next, 102, mpi_comm_world, ierr)

  call mpi_wait(density_request, status, ierr)
  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + density_in(i) * dble(mod(i, 7))
  end do
  call mpi_wait(energy_request, status, ierr)
  call mpi_wait(momentum_request, status, ierr)
  do i = 1, n
    checksum = checksum + energy_in(i) - momentum_in(i) * dble(mod(i, 4))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program several_tags
