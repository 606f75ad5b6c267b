! Heat in a cube that is kept cold at its faces: an explicit seven-point stencil on blocks with halos.
!
!   mpirun -n 4 stencil3d [tiny|small|medium|large]
program stencil3d
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use grid
  use halo
  use heat
  implicit none

  real(dp), allocatable :: a(:,:,:), b(:,:,:)
  real(dp) :: local(2), norm, error, seconds
  character(len=16) :: class_name
  integer :: istep

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, nprocs)
  call read_class(class_name)
  call divide_grid()
  if (rank == 0) print '(3a,i0,a,i0,a)', 'stencil3d class ', trim(class_name), ': ', n_global, '^3 points, ', nsteps, ' steps'

  allocate (a(0:nx+1, 0:ny+1, 0:nz+1), b(0:nx+1, 0:ny+1, 0:nz+1))
  call setup_halo()
  call initialise(a)
  b = 0.0_dp

  call mpi_barrier(cart)
  seconds = -mpi_wtime()
  do istep = 1, nsteps, 2
    call step(a, b)
    call step(b, a)
    if (mod(istep + 1, 10) == 0) then
      local(1) = sum(a(1:nx, 1:ny, 1:nz)**2)
      call mpi_allreduce(local(1), norm, 1, mpi_double_precision, mpi_sum, cart)
      if (rank == 0) print '(a,i6,a,es22.14)', 'step', istep + 1, '  norm', sqrt(norm * h**3)
    end if
  end do
  seconds = seconds + mpi_wtime()

  local(2) = largest_error(a, nsteps)
  call mpi_allreduce(local(2), error, 1, mpi_double_precision, mpi_max, cart)
  if (rank == 0) then
    write (error_unit, '(a,f12.4)') 'Time in seconds = ', seconds
    if (error < 1.0e-12_dp) then
      print '(a)', 'Verification successful'
    else
      print '(a,es12.4)', 'Verification failed: error', error
    end if
  end if
  call free_halo()
  call mpi_finalize()
  if (.not. error < 1.0e-12_dp) stop 1
end program stencil3d
