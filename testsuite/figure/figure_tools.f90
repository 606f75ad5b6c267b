! What all programs of the figure share: their arguments and what they print.
!
!   PROGRAM BYTES ITERATIONS WORK [SEGMENTS [PROTOCOL]]
!
! Standard output: one checksum per process, in the order of their ranks.
! Standard error: seconds per iteration, of the slowest process.
module figure_tools
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi
  implicit none

  integer, parameter :: bytes_per_element = 8
  integer, parameter :: max_elements = 8388608 / bytes_per_element
  integer, parameter :: max_ranks = 1024
  integer, parameter :: max_segments = 256
  integer, parameter :: warm_up = 5
  double precision, parameter :: factor = 0.999d0

contains

  ! BYTES, ITERATIONS and WORK, as the number of elements, iterations, and steps of computation per element.
  subroutine read_arguments(n, iterations, work)
    integer, intent(out) :: n, iterations, work

    n = argument(1, 524288) / bytes_per_element
    iterations = argument(2, 50)
    work = argument(3, 1)
    if (n < 1 .or. n > max_elements) call give_up('BYTES must lie between 8 and 8388608')
    if (iterations < 1) call give_up('ITERATIONS must be at least 1')
    if (work < 0) call give_up('WORK must be at least 0')
  end subroutine read_arguments

  ! The elements of a segment of a message.
  subroutine segment_bounds(segment, segments, n, first, last)
    integer, intent(in) :: segment, segments, n
    integer, intent(out) :: first, last

    first = int(int(n, 8) * (segment - 1) / segments) + 1
    last = int(int(n, 8) * segment / segments)
  end subroutine segment_bounds

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

  ! The neighbours of `rank` in a grid that is as square as `ranks` allows; beyond its rim nobody.
  subroutine place_in_grid(rank, ranks, north, south, west, east)
    integer, intent(in) :: rank, ranks
    integer, intent(out) :: north, south, west, east
    integer :: rows, columns, candidate

    rows = 1
    do candidate = 1, ranks
      if (candidate * candidate > ranks) exit
      if (mod(ranks, candidate) == 0) rows = candidate
    end do
    columns = ranks / rows
    north = mpi_proc_null
    south = mpi_proc_null
    west = mpi_proc_null
    east = mpi_proc_null
    if (rank / columns > 0) north = rank - columns
    if (rank / columns < rows - 1) south = rank + columns
    if (mod(rank, columns) > 0) west = rank - 1
    if (mod(rank, columns) < columns - 1) east = rank + 1
  end subroutine place_in_grid

  ! Prints the checksums of all processes, and the time of the slowest one.
  subroutine report(field, n, seconds)
    double precision, intent(in) :: field(*), seconds
    integer, intent(in) :: n
    double precision :: checksum, checksums(max_ranks), slowest
    integer :: rank, ranks, ierr, i

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    if (ranks > max_ranks) call give_up('more processes than this program has room for')
    checksum = 0.0d0
    do i = 1, n
      checksum = checksum + field(i) * dble(1 + mod(i, 17))
    end do
    call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    call mpi_reduce(seconds, slowest, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierr)
    if (rank == 0) then
      do i = 1, ranks
        write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
      end do
      ! All is there before MPI ends, which takes some runs for ever.
      flush (output_unit)
      write (error_unit, '(a,es14.6)') 'seconds per iteration ', slowest
    end if
  end subroutine report

  ! Ends all processes with a message.
  subroutine give_up(message)
    character(len=*), intent(in) :: message
    integer :: ignored

    write (error_unit, '(2a)') 'figure: ', message
    call mpi_abort(mpi_comm_world, 2, ignored)
  end subroutine give_up

end module figure_tools
