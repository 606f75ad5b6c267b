! Equations of state that are chosen at run time: an object has pointers to the procedures that evaluate them, one of which gets
! the object itself. The densities of the neighbour are exchanged beside them.
module materials
  implicit none
  private
  public :: material, ideal, stiffened, clamp

  type :: material
    real(8) :: gamma = 1.4d0
    real(8) :: stiffness = 0.0d0
    procedure(closure), pointer :: pressure => null()
    procedure(limiter), pointer, nopass :: limit => clamp
  end type material

  abstract interface
    real(8) function closure(this, density, energy)
      import :: material
      class(material), intent(in) :: this
      real(8), intent(in) :: density, energy
    end function closure

    subroutine limiter(values)
      real(8), intent(inout) :: values(:)
    end subroutine limiter
  end interface

contains

  real(8) function ideal(this, density, energy)
    class(material), intent(in) :: this
    real(8), intent(in) :: density, energy

    ideal = (this%gamma - 1.0d0) * density * energy
  end function ideal

  real(8) function stiffened(this, density, energy)
    class(material), intent(in) :: this
    real(8), intent(in) :: density, energy

    stiffened = (this%gamma - 1.0d0) * density * energy - this%gamma * this%stiffness
  end function stiffened

  subroutine clamp(values)
    real(8), intent(inout) :: values(:)
    integer :: i

    do i = 1, size(values)
      values(i) = max(values(i), 1.0d-3)
    end do
  end subroutine clamp

end module materials

program gas
  use mpi
  use materials
  use gravel
  implicit none

  integer, parameter :: n = 20000
  type(material) :: air, water
  real(8) :: density(n), arriving(n), energy(n), pressure(n)
  integer :: rank, ranks, next, previous, ierr, i, step, requests(2)
  real(8) :: sums(2), all_sums(2)
  integer :: gravel_lo1, gravel_hi1, gravel_step1

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  previous = mod(rank - 1 + ranks, ranks)

  air%pressure => ideal
  water = material(4.4d0, 0.6d0, stiffened, clamp)
  do i = 1, n
    density(i) = 1.0d0 + 0.001d0 * mod(i + 17 * rank, 101)
    energy(i) = 2.0d0 + 0.01d0 * mod(i, 7)
  end do

  do step = 1, 5
    ! gravel: posted here, was line 79: call mpi_irecv(arriving, n, mpi_double_precision, previous, step, m...
    call gravel_post_rcv_segments(arriving, n, mpi_double_precision, previous, step, mpi_comm_world, &
         requests(1), ierr)
    ! gravel: sent without waiting, was line 80: call mpi_isend(density, n, mpi_double_precision, next, ste...
    call gravel_post_send(density, n, mpi_double_precision, next, step, mpi_comm_world, requests(2), ierr)
    ! gravel: moved away from here, was line 81: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    ierr = 0
    call air%limit(energy)
    do i = 1, n
      pressure(i) = water%pressure(density(i), energy(i))
    end do
    ! gravel: the wait moved here, was line 81: call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    call gravel_wait(requests(2), density)
    ! gravel: waits here for what each tile reads, was line 81: call mpi_waitall(2, requests, mpi_statuses_...
    gravel_step1 = gravel_tile(requests(1), n)
    if (gravel_step1 >= n) call gravel_wait(requests(1), arriving)
    do gravel_lo1 = 1, n, gravel_step1
       gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
       if (gravel_step1 < n) call gravel_wait_range(requests(1), arriving, 0, gravel_hi1)
       do i = gravel_lo1, gravel_hi1
         energy(i) = 0.5d0 * (energy(i) + air%pressure(arriving(i), energy(i)) + 0.01d0 * pressure(i))
         density(i) = 0.5d0 * (density(i) + arriving(i))
       end do
    end do
    if (gravel_step1 < n) call gravel_wait(requests(1), arriving)
  end do

  sums = [sum(energy), sum(pressure)]
  call mpi_reduce(sums, all_sums, 2, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(2es24.16)') all_sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program gas
