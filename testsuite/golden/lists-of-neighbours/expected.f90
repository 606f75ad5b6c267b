! Each process has a list of neighbours, and for each an object with arrays that it allocates: which cells they share, and the
! values of these. Pointers lead to the arrays, as in codes from before components could be allocatable.
module grid
  implicit none

  type :: neighbour
    integer :: rank
    integer :: count = 0
    integer, pointer :: cells(:)
    double precision, pointer :: values(:, :) => null()
  end type neighbour

  type(neighbour), allocatable :: emission(:), reception(:)

contains

  subroutine share(list, ranks, rank, cells)
    type(neighbour), intent(inout) :: list(:)
    integer, intent(in) :: ranks, rank, cells
    integer :: i, k

    do i = 1, size(list)
      list(i)%rank = mod(rank + ranks + merge(1, -1, mod(i, 2) == 1), ranks)
      list(i)%count = cells / 2
      allocate (list(i)%cells(list(i)%count))
      allocate (list(i)%values(list(i)%count, 1))
      do k = 1, list(i)%count
        list(i)%cells(k) = 2 * k - mod(i, 2)
      end do
    end do
  end subroutine share

end module grid

program cells
  use mpi
  use grid
  use gravel
  implicit none

  integer, parameter :: most = 12000, neighbours = 2
  double precision :: field(most), inner(most), sums(2), all_sums(2)
  integer :: requests(2 * neighbours), ierr, rank, ranks, i, k, step, pending

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  allocate (emission(neighbours), reception(neighbours))
  call share(emission, ranks, rank, most)
  call share(reception, ranks, rank, most)
  do i = 1, most
    field(i) = dble(rank + 1) + 0.001d0 * mod(i, 101)
    inner(i) = 0.0d0
  end do

  do step = 1, 5
    pending = 0
    do i = 1, neighbours
      if (reception(i)%count > 0) then
        pending = pending + 1
        ! gravel: posted here, was line 60: call mpi_irecv(reception(i)%values, reception(i)%count, mpi_dou...
        call gravel_post_rcv_buffer_rdma(reception(i)%values, reception(i)%count, mpi_double_precision, &
             reception(i)%rank, step, mpi_comm_world, requests(pending), ierr)
      end if
    end do
    do i = 1, neighbours
      do k = 1, emission(i)%count
        emission(i)%values(k, 1) = field(emission(i)%cells(k))
      end do
      pending = pending + 1
      ! gravel: sent without waiting, was line 69: call mpi_isend(emission(i)%values, emission(i)%count, mp...
      call gravel_post_send(emission(i)%values, emission(i)%count, mpi_double_precision, emission(i)%rank, &
           step, mpi_comm_world, requests(pending), ierr)
    end do
    do i = 1, most
      inner(i) = 0.5d0 * inner(i) + 0.25d0 * field(i)
    end do
    ! gravel: waits here, was line 75: call mpi_waitall(pending, requests, mpi_statuses_ignore, ierr)
    call gravel_waitall(pending, requests, ierr)
    do i = 1, neighbours
      do k = 1, reception(i)%count
        field(reception(i)%cells(k)) = 0.75d0 * field(reception(i)%cells(k)) + 0.125d0 * reception(i)%values(k, 1)
      end do
    end do
  end do

  sums = [sum(field), sum(inner)]
  call mpi_reduce(sums, all_sums, 2, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(2es24.16)') all_sums
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program cells
