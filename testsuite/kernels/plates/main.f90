! Heat in plates of several shapes, one after the other, with the largest change watched in every other step.
!
!   mpirun -n 2 plates [tiny|small|medium|large]
program plates
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use plate
  use edges
  use diffusion
  implicit none

  type(plate_shape) :: shapes(3)
  real(dp), allocatable :: a(:,:), b(:,:)
  real(dp) :: change, largest_change, error, worst_error, height, greatest_height, expected, seconds
  character(len=16) :: class_name
  logical :: is_known, is_right
  integer :: k, istep, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, nprocs, ierr)
  class_name = 'tiny'
  if (command_argument_count() >= 1) call get_command_argument(1, class_name)
  call choose(trim(class_name), shapes, is_known)
  if (.not. is_known) then
    if (rank == 0) print '(3a)', 'plates: unknown class ', trim(class_name), ' (tiny, small, medium, large)'
    call mpi_abort(mpi_comm_world, 2, ierr)
  end if

  is_right = .true.
  seconds = 0.0_dp
  do k = 1, size(shapes)
    call divide(shapes(k))
    call make_room()
    allocate (a(0:nx+1, 0:ny+1), b(0:nx+1, 0:ny+1))
    call warm_up(shapes(k), a)
    b = 0.0_dp

    call mpi_barrier(cart, ierr)
    seconds = seconds - mpi_wtime()
    do istep = 2, shapes(k)%steps, 2
      call exchange_edges(a)
      call relax(a, b, change)
      call exchange_edges(b)
      call relax(b, a, change)
      call mpi_allreduce(change, largest_change, 1, mpi_double_precision, mpi_max, cart, ierr)
      if (.not. largest_change < 1.0e3_dp) exit
    end do
    seconds = seconds + mpi_wtime()

    error = largest_error(shapes(k), a)
    call mpi_allreduce(error, worst_error, 1, mpi_double_precision, mpi_max, cart, ierr)
    height = largest_value(shapes(k))
    call mpi_allreduce(height, greatest_height, 1, mpi_double_precision, mpi_max, cart, ierr)
    expected = (1.0_dp - decay(shapes(k))) * decay(shapes(k)) ** (shapes(k)%steps - 1) * greatest_height
    if (rank == 0) print '(a,i0,a,i0,a,i0,a,es22.14)', 'plate ', shapes(k)%columns, ' x ', shapes(k)%rows, ', ', &
      shapes(k)%steps, ' steps: change', largest_change
    is_right = is_right .and. worst_error < 1.0e-12_dp .and. abs(largest_change - expected) < 1.0e-13_dp
    deallocate (a, b)
  end do

  if (rank == 0) then
    write (error_unit, '(a,f12.4)') 'Time in seconds = ', seconds
    if (is_right) then
      print '(a)', 'Verification successful'
    else
      print '(a,2es12.4)', 'Verification failed: error', worst_error, largest_change - expected
    end if
  end if
  call mpi_finalize(ierr)
  if (.not. is_right) stop 1
end program plates
