! What callers call the memory that they wait for: a protected variable of a module by its own name, by that of an import, and
! where no import names it; an argument that is only read.
! ranks: 1 2 3
module store
  use gravel, only: gravel_request_kind
  implicit none
  integer, parameter :: n = 2000
  double precision, protected, save :: ghost(n) = 0
  double precision :: own(n)
  integer :: left, right
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_w1_fetch
  integer(gravel_request_kind), public :: gravel_w2_fetch
contains
  subroutine fetch(source)
    use mpi
    use gravel
    double precision, intent(in) :: source(n)
    integer :: ierr
    ! gravel: receives and sends here, was line 15: call mpi_sendrecv(source, n, mpi_double_precision, righ...
    call gravel_post_rcv_buffer_rdma(ghost, n, mpi_double_precision, left, 1, mpi_comm_world, gravel_w1_fetch)
    call gravel_post_send(source, n, mpi_double_precision, right, 1, mpi_comm_world, gravel_w2_fetch, ierr)
  end subroutine fetch
end module store
module steps
  use store, only: m => n, halo => ghost, fetch
  implicit none
contains
  subroutine step(field, work)
    use gravel
    use store, only: gravel_w1_fetch, gravel_w2_fetch
    double precision, intent(in) :: field(m)
    double precision, intent(inout) :: work(m)
    integer :: i
    call fetch(field)
    do i = 1, m
      work(i) = work(i) + mod(i, 5)
    end do
    ! gravel: waits here for what line 27 has begun: call fetch(field)
    call gravel_wait(gravel_w1_fetch, halo)
    do i = 1, m
      work(i) = work(i) + halo(i)
    end do
    ! gravel: waits here for what line 27 has begun: call fetch(field)
    call gravel_wait(gravel_w2_fetch, field)
  end subroutine step
  subroutine other(field, work)
    use gravel
    use store, only: ghost, gravel_w1_fetch, gravel_w2_fetch
    double precision, intent(in) :: field(m)
    double precision, intent(inout) :: work(m)
    integer :: i
    call fetch(field)
    do i = 1, m
      work(i) = work(i) * 0.5d0
    end do
    ! gravel: waits here for what line 39 has begun: call fetch(field)
    call gravel_wait(gravel_w1_fetch, ghost)
    call gravel_wait(gravel_w2_fetch, field)
  end subroutine other
end module steps
program named
  use mpi
  use store
  use steps
  use gravel
  implicit none
  double precision :: work(n), sums(2)
  integer :: ierr, rank, ranks, i
  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  do i = 1, n
    own(i) = i + rank
    work(i) = 0
  end do
  do i = 1, 4
    call step(own, work)
    call other(own, work)
    own = own + ghost
  end do
  sums = [sum(work), sum(own)] * (rank + 1)
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(2es24.16)') sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program named
