program channel
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use strips
  implicit none

  type(strip) :: own
  integer :: ierr, step, columns, rows, steps
  real(dp) :: began, ended, error
  character(len=16) :: class_name

  call mpi_init(ierr)
  class_name = 'tiny'
  if (command_argument_count() >= 1) call get_command_argument(1, class_name)
  select case (trim(class_name))
  case ('small')
    columns = 4000; rows = 200; steps = 200
  case ('medium')
    columns = 20000; rows = 200; steps = 200
  case ('large')
    columns = 40000; rows = 400; steps = 400
  case default
    columns = 3000; rows = 20; steps = 20
  end select
  call make(own, columns, rows)
  began = mpi_wtime()
  do step = 1, steps
    call advance(own)
  end do
  ended = mpi_wtime()
  error = deviation(own, steps)
  if (own%rank == 0) then
    write (error_unit, '(a,f12.4)') 'Time in seconds = ', ended - began
    print '(a,i0,a,i0)', 'rows ', rows * own%ranks, ', steps ', steps
    if (error < 1.0e-12_dp) then
      print '(a)', 'Verification successful'
    else
      print '(a,es12.4)', 'Verification failed: error', error
    end if
  end if
  call mpi_finalize(ierr)
  if (.not. error < 1.0e-12_dp) stop 1
end program channel
