! A ring of processes: every process fills a message, passes it to the next one and works on the
! message that the previous one has passed to it.
!
!   mpirun -n 2 ./ring [BYTES [ITERATIONS]]
!
! Standard output: one checksum per process, in the order of their ranks.
! Standard error: seconds per iteration, of the slowest process.
program ring
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  implicit none

  integer, parameter :: bytes_per_element = 8
  integer, parameter :: max_elements = 4194304 / bytes_per_element
  integer, parameter :: max_ranks = 1024
  integer, parameter :: tag = 7
  integer, parameter :: warm_up = 10

  double precision, save :: sbuf(max_elements), rbuf(max_elements), field(max_elements)
  double precision, save :: checksums(max_ranks)
  double precision :: weight, checksum, started, seconds, slowest
  integer :: n, iterations, iteration, i
  integer :: rank, ranks, next, prev, request, ierr
  integer :: status(mpi_status_size)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  if (ranks > max_ranks) call give_up('more processes than this program has room for')

  n = argument(1, 524288) / bytes_per_element
  iterations = argument(2, 50)
  if (n < 1 .or. n > max_elements) call give_up('BYTES must lie between 8 and 4194304')
  if (iterations < 1) call give_up('ITERATIONS must be at least 1')

  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  do i = 1, n
    field(i) = dble(rank + 1) + dble(mod(i - 1, 128)) / 128.0d0
    rbuf(i) = 1.0d0
  end do

  started = 0.0d0
  do iteration = 1 - warm_up, iterations
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, tag, mpi_comm_world, request, ierr)

    ! The message: the field, weighted with a factor that is another one in each iteration.
    weight = 1.0d0 / dble(iteration + warm_up + 1)
    do i = 1, n
      sbuf(i) = field(i) * (1.0d0 - weight) + weight
    end do
    call mpi_send(sbuf, n, mpi_double_precision, next, tag, mpi_comm_world, ierr)

    call mpi_wait(request, status, ierr)

    ! What has come from the previous process becomes part of what goes to the next one.
    do i = 1, n
      field(i) = 0.75d0 * field(i) + 0.25d0 * rbuf(i)
    end do

    if (iteration == 0) then
      call mpi_barrier(mpi_comm_world, ierr)
      started = mpi_wtime()
    end if
  end do
  seconds = (mpi_wtime() - started) / dble(iterations)

  checksum = 0.0d0
  do i = 1, n
    checksum = checksum + field(i) * dble(1 + mod(i, 17))
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, &
                  0, mpi_comm_world, ierr)
  call mpi_reduce(seconds, slowest, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
    write (error_unit, '(a,es14.6)') 'seconds per iteration ', slowest
  end if

  call mpi_finalize(ierr)

contains

  ! The whole number that is the command line's argument at `position`, or `default` without one.
  integer function argument(position, default)
    integer, intent(in) :: position, default
    character(len=32) :: text
    integer :: problem

    argument = default
    call get_command_argument(position, text)
    if (len_trim(text) == 0) return
    read (text, *, iostat=problem) argument
    if (problem /= 0) call give_up('not a whole number: ' // trim(text))
  end function argument

  ! Ends all processes with a message.
  subroutine give_up(message)
    character(len=*), intent(in) :: message
    integer :: ignored

    write (error_unit, '(2a)') 'ring: ', message
    call mpi_abort(mpi_comm_world, 2, ignored)
  end subroutine give_up

end program ring
