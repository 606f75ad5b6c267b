! A dense system of linear equations, solved by LU decomposition with partial pivoting.
!
!   mpirun -n 4 linpack [tiny|small|medium|large]
program linpack
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use matrix
  use panel
  use substitution
  implicit none

  character(len=8) :: class_name
  real(dp), allocatable :: buffer(:)
  integer, allocatable :: pivots(:)
  real(dp) :: seconds, error, largest, pivot_sum
  integer :: block, k0, rows, i, k

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, me)
  call mpi_comm_size(mpi_comm_world, np)
  class_name = 'tiny'
  if (command_argument_count() > 0) call get_command_argument(1, class_name)
  select case (class_name)
  case ('tiny')
    n = 96;   nb = 8
  case ('small')
    n = 640;  nb = 32
  case ('medium')
    n = 2048; nb = 64
  case ('large')
    n = 6144; nb = 96
  case default
    if (me == 0) write (error_unit, *) 'linpack: no class ', class_name
    call mpi_abort(mpi_comm_world, 2)
  end select
  call generate()
  allocate (buffer(n*nb), pivots(nb))
  if (me == 0) print '(3a,i0,a,i0)', 'linpack class ', trim(class_name), ': order ', n, ', panels of ', nb

  call mpi_barrier(mpi_comm_world)
  seconds = -mpi_wtime()
  pivot_sum = 0
  do block = 1, blocks
    k0 = (block - 1) * nb
    rows = n - k0
    if (owner(block) == me) then
      call factor(a(1, local_start(block)), k0, pivots)
      do k = 1, nb
        do i = 1, rows
          buffer(i + (k-1)*rows) = a(k0 + i, local_start(block) + k - 1)
        end do
      end do
    end if
    call broadcast_panel(buffer, rows, pivots, owner(block))
    call update(buffer, rows, k0, pivots, local_behind(block), local_columns)
    call pivot_right_side(k0, pivots)
    call forward_step(buffer, rows, k0)
    pivot_sum = pivot_sum + sum(real(pivots, dp)) / block
  end do
  call back_substitute()
  seconds = seconds + mpi_wtime()

  ! Each process knows the unknowns of its columns.
  error = 0
  do i = 1, local_columns
    error = max(error, abs(b(global_column(i)) - solution(global_column(i))))
  end do
  call mpi_allreduce(error, largest, 1, mpi_double_precision, mpi_max, mpi_comm_world)
  if (me == 0) then
    print '(a,es22.14,a,es22.14)', '  pivots ', pivot_sum, '  first unknown ', b(1)
    write (error_unit, '(a,f12.4)') 'Time in seconds = ', seconds
    if (largest < 1.0e-6_dp) then
      print '(a)', 'Verification successful'
    else
      print '(a,es12.4)', 'Verification failed: error', largest
    end if
  end if
  call mpi_finalize()
  if (.not. largest < 1.0e-6_dp) stop 1
end program linpack
