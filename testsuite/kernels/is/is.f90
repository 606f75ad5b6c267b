! IS: integer keys, ranked by buckets.
!
!   mpirun -n 4 is [tiny|small|medium|large]
program is
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  use mpi
  use keys
  use ranking
  implicit none

  character(len=8) :: class_name
  integer :: rank, nprocs, ierr, iteration, i
  integer(int64) :: local(3), total(3), before(3)
  double precision :: seconds
  logical :: known, verified

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, nprocs, ierr)
  class_name = 'tiny'
  if (command_argument_count() > 0) call get_command_argument(1, class_name)
  call set_class(class_name, known)
  if (.not. known) then
    if (rank == 0) write (error_unit, *) 'IS: no class ', class_name
    call mpi_abort(mpi_comm_world, 2, ierr)
  end if
  call create_keys(rank, nprocs)
  if (rank == 0) print '(3a,i0,a,i0)', 'IS class ', trim(class_name), ': ', total_keys, ' keys below ', max_key

  call mpi_barrier(mpi_comm_world, ierr)
  seconds = -mpi_wtime()
  verified = .true.
  do iteration = 1, iterations
    if (rank == 0) key_array(iteration) = iteration
    if (rank == nprocs - 1) key_array(my_keys - iteration) = max_key - iteration
    call key_sums(key_array(1:my_keys), before)
    call rank_all(rank, nprocs)
    ! No key may be lost, or come twice.
    call key_sums(received(1:received_keys), total)
    verified = verified .and. all(before == total)
    ! The rank of one key, known to the process that has it.
    local = 0
    i = max_key / 2 + iteration
    if (i >= lbound(keys_of, 1) .and. i <= ubound(keys_of, 1) .and. received_keys > 0) local(1) = keys_below + keys_of(i)
    call mpi_allreduce(local, total, 1, mpi_integer8, mpi_max, mpi_comm_world, ierr)
    if (rank == 0) print '(a,i4,a,i12,a,i12)', '  iteration ', iteration, '  key ', i, '  rank ', total(1)
  end do
  seconds = seconds + mpi_wtime()

  call full_verify(rank, nprocs, known)
  verified = verified .and. known
  if (rank == 0) then
    write (error_unit, '(a,f12.4)') 'Time in seconds = ', seconds
    if (verified) then
      print '(a)', 'Verification successful'
    else
      print '(a)', 'Verification failed'
    end if
  end if
  call mpi_finalize(ierr)
  if (.not. verified) stop 1

contains

  ! How many, their sum, and a sum that tells permutations of values from other values.
  subroutine key_sums(some, sums)
    integer, intent(in) :: some(:)
    integer(int64), intent(out) :: sums(3)
    integer(int64) :: mine(3)
    integer :: k

    mine = 0
    do k = 1, size(some)
      mine(1) = mine(1) + 1
      mine(2) = mine(2) + some(k)
      mine(3) = mine(3) + mod(int(some(k), int64) * some(k), 1000003_int64)
    end do
    call mpi_allreduce(mine, sums, 3, mpi_integer8, mpi_sum, mpi_comm_world, ierr)
  end subroutine key_sums

end program is
