! SP: diffusion and dissipation of five quantities by an approximately factored implicit scheme: scalar pentadiagonal
! systems along x, y and z on a multi-partition of the grid among q**2 processes.
!
!   mpirun -n 4 sp [tiny|small|medium|large]
program sp
  use mpi
  use sp_data
  use faces
  use steps
  use x_lines
  use y_lines
  use z_lines
  implicit none

  integer :: ierr, istep
  real(dp) :: error, change
  double precision :: seconds

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, nprocs, ierr)
  call choose_class()
  call multi_partition()
  call faces_init()
  call initialise()

  call mpi_barrier(mpi_comm_world, ierr)
  seconds = -mpi_wtime()
  do istep = 1, niter
    call copy_faces()
    call compute_rhs()
    call x_solve()
    call y_solve()
    call z_solve()
    call add_change()
    if (mod(istep, 5) == 0) then
      change = change_norm()
      if (me == 0) write (*, '(a,i5,a,es22.14)') '  step', istep, '  change', change
    end if
  end do
  seconds = seconds + mpi_wtime()

  error = error_norm()
  if (me == 0) then
    write (0, '(a,f12.4)') 'Time in seconds = ', seconds
    if (error < 1.0e-11_dp) then
      write (*, '(a)') 'Verification successful'
    else
      write (*, '(a,es12.4)') 'Verification failed: error', error
    end if
  end if
  call mpi_finalize(ierr)
  if (.not. error < 1.0e-11_dp) stop 1
end program sp
