! FT: the heat equation with periodic boundaries, solved in the spectrum; the field of each step is transformed back.
!
!   mpirun -n 4 ft [tiny|small|medium|large]
program ft
  use mpi
  use ft_data
  use fft1d
  use fft3d
  use heat_modes
  implicit none

  character(len=8) :: class_name
  complex(dp) :: chk, expected
  double precision :: seconds
  real(dp) :: error
  integer :: iter
  logical :: verified

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  call choose_class(class_name)
  call allocate_fields()
  call roots_init()
  if (me == 0) write (*, '(3a,3(i0,a),i0,a)') 'FT class ', trim(class_name), ': ', nx, ' x ', ny, ' x ', nz, &
    ' points, ', niter, ' steps'

  call mpi_barrier(mpi_comm_world, ierr)
  seconds = -mpi_wtime()
  call decay_factors(twiddle)
  call initial_field(u1)
  call forward(u1, u2, uhat)
  verified = .true.
  do iter = 1, niter
    call evolve(uhat, u1, twiddle)
    call backward(u1, u3, u2)
    call checksum(u2, chk)
    expected = expected_checksum(iter)
    error = abs(chk - expected) / abs(expected)
    verified = verified .and. error < 1.0e-11_dp
    if (me == 0) write (*, '(a,i4,a,2es22.13)') '  step ', iter, '  checksum ', chk
  end do
  seconds = seconds + mpi_wtime()

  if (me == 0) then
    write (0, '(a,f12.4)') 'Time in seconds = ', seconds
    if (verified) then
      write (*, '(a)') 'Verification successful'
    else
      write (*, '(a)') 'Verification failed'
    end if
  end if
  call mpi_finalize(ierr)
  if (.not. verified) stop 1
end program ft
