! Who the partners are, and how much goes to them, is behind pointers of an object: what these point to is set by another name
! behind the computation, so that the calls convert where they stand and don't move.
! expect: without hoist-receive strip-mine-producer
module lists
  implicit none

  type links
    integer, pointer :: partners(:)
    integer, pointer :: length
  end type links

contains

  subroutine pass_around(around, field, ghosts, work, numbers, size_now, step)
    use mpi
    type(links), intent(in) :: around
    double precision, intent(inout) :: field(:), ghosts(:), work(:)
    integer, target, intent(inout) :: numbers(2), size_now
    integer, intent(in) :: step
    integer :: i, ierr, rank, ranks, requests(2)

    call mpi_comm_rank(mpi_comm_world, rank, ierr)
    call mpi_comm_size(mpi_comm_world, ranks, ierr)
    do i = 1, size(field)
      field(i) = sqrt(field(i)**2 + dble(step))
    end do
    numbers(1) = modulo(rank + step, ranks)
    numbers(2) = modulo(rank - step, ranks)
    size_now = size(field) - step
    call mpi_irecv(ghosts, around%length, mpi_double_precision, around%partners(2), & ! trapped
                   step + around%length, mpi_comm_world, requests(1), ierr)
    call mpi_isend(field, around%length, mpi_double_precision, around%partners(1), & ! trapped
                   step + around%length, mpi_comm_world, requests(2), ierr)
    do i = 1, size(work)
      work(i) = sqrt(work(i) + dble(step))
    end do
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
    do i = 1, around%length
      field(i) = field(i) + 0.25d0*ghosts(i)
    end do
  end subroutine pass_around

end module lists

program partners_behind_pointers
  use mpi
  use lists
  implicit none

  integer, parameter :: n = 20000
  integer, target :: numbers(2), size_now
  integer :: ierr, rank, ranks, i, step
  double precision :: field(n), ghosts(n), work(n), checksum
  double precision, allocatable :: checksums(:)
  type(links) :: around

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  allocate (checksums(ranks))
  around%partners => numbers
  around%length => size_now
  numbers = rank
  size_now = 1
  do i = 1, n
    field(i) = dble(mod(i, 11) + rank)
    ghosts(i) = -1.0d0
    work(i) = dble(i)
  end do
  do step = 1, 5
    call pass_around(around, field, ghosts, work, numbers, size_now, step)
  end do
  checksum = sum(field) + sum(ghosts) + sum(work)
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program partners_behind_pointers
