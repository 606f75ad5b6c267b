! Requests of MPI_Request in objects that other objects hold, in arrays of them: messages are begun in the object of each
! direction, and waited for by whoever has the array, by tests, one by one, and all at once.
module directions
  use mpi_f08
  implicit none

  type :: direction
    type(mpi_request) :: request = mpi_request_null, acknowledged
    integer :: partner
    real :: outgoing(300), incoming(300)
  end type direction

contains

  subroutine begin(way, values, tag)
    use gravel
    type(direction), intent(inout) :: way
    real, intent(in) :: values(:)
    integer, intent(in) :: tag

    ! gravel: posted here, was line 20: call mpi_irecv(way%incoming, 300, mpi_real, way%partner, tag, mpi_c...
    call gravel_post_rcv_buffer_rdma(way%incoming, 300, mpi_real, way%partner, tag, mpi_comm_world, &
         way%request)
    way%outgoing = values
    ! gravel: sent without waiting, was line 22: call mpi_isend(way%outgoing, 300, mpi_real, way%partner, t...
    call gravel_post_send(way%outgoing, 300, mpi_real, way%partner, tag, mpi_comm_world, way%acknowledged)
  end subroutine begin
end module directions

module fields
  use directions, only: way => direction
  implicit none

  type :: field
    real :: values(300)
    type(way) :: ways(2)
    type(way) :: across
  end type field
end module fields

program main
  use mpi_f08
  use fields
  use directions, only: begin
  use gravel
  implicit none

  type(field), allocatable :: all(:)
  real :: total, totals
  integer :: rank, ranks, i, k, w
  logical :: done

  call mpi_init()
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  allocate (all(3))
  do k = 1, 3
    all(k)%ways(1)%partner = merge(rank - 1, mpi_proc_null, rank > 0)
    all(k)%ways(2)%partner = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
    all(k)%across%partner = ranks - 1 - rank
    all(k)%ways(1)%incoming = 0
    all(k)%ways(2)%incoming = 0
    all(k)%ways(1)%acknowledged = mpi_request_null
    all(k)%across%acknowledged = mpi_request_null
    do i = 1, 300
      all(k)%values(i) = mod(i * k + rank, 11)
    end do
  end do
  do k = 1, 3
    do w = 1, 2
      call begin(all(k)%ways(w), all(k)%values, k)
    end do
    call begin(all(k)%across, all(k)%values, 10 + k)
  end do
  total = 0
  do i = 1, 20000
    total = total + mod(i, 3)
  end do
  do k = 1, 3
    do w = 1, 2
      ! gravel: waits here, was line 76: call mpi_wait(all(k)%ways(w)%request, mpi_status_ignore)
      call gravel_wait(all(k)%ways(w)%request, all(k)%ways(w)%incoming)
      total = total + sum(all(k)%ways(w)%incoming) * w
    end do
    done = .false.
    do while (.not. done)
      ! gravel: tested here, was line 81: call mpi_test(all(k)%across%request, done, mpi_status_ignore)
      call gravel_test(all(k)%across%request, all(k)%across%incoming, done)
    end do
    total = total + sum(all(k)%across%incoming)
  end do
  do k = 1, 3
    do w = 1, 2
      ! gravel: waits here, was line 87: call mpi_wait(all(k)%ways(w)%acknowledged, mpi_status_ignore)
      call gravel_wait(all(k)%ways(w)%acknowledged, all(k)%ways(w)%outgoing)
    end do
    ! gravel: waits here, was line 89: call mpi_wait(all(k)%across%acknowledged, mpi_status_ignore)
    call gravel_wait(all(k)%across%acknowledged, all(k)%across%outgoing)
    all(k)%across%acknowledged = mpi_request_null
  end do
  call mpi_reduce(total, totals, 1, mpi_real, mpi_sum, 0, mpi_comm_world)
  if (rank == 0) write (*, '(a,f14.1)') 'sum ', totals
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize()
end program main
