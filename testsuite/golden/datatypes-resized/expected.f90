! Two columns side by side are two of a datatype that has the extent of one element. A procedure of a module makes it, over the
! module's variables and some of its own, another one sends, and what comes from anywhere is waited for behind the interior.
module types
  use mpi
  use gravel, only: gravel_request_kind
  implicit none
  integer :: nx, ny, column, face
  ! gravel: requests that procedures hand to each other
  integer(gravel_request_kind), public :: gravel_w1_send_face
contains
  subroutine make_types
    integer :: ierr
    integer(mpi_address_kind) :: stride, lb, extent
    stride = int(nx + 2, mpi_address_kind) * 8
    call mpi_type_create_hvector(ny, 1, stride, mpi_double_precision, column, ierr)
    lb = 0
    extent = 8
    call mpi_type_create_resized(column, lb, extent, face, ierr)
    call mpi_type_commit(face, ierr)
  end subroutine
  subroutine send_face(u, to)
    use gravel
    double precision, intent(in) :: u(0:nx+1, 0:ny+1)
    integer, intent(in) :: to
    integer :: ierr
    ! gravel: sent without waiting, was line 22: call mpi_send(u(nx - 1, 1), 2, face, to, 7, mpi_comm_world...
    call gravel_post_snd_buffer_rdma(u(nx - 1, 1), 2, face, to, 7, mpi_comm_world, gravel_w1_send_face, ierr)
  end subroutine
end module
program wrapped
  use mpi
  use types
  use gravel
  use types, only: gravel_w1_send_face
  implicit none
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, j, step, request
  double precision, allocatable :: u(:, :)
  double precision :: checksum, checksums(max_ranks)
  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  nx = 50
  ny = 300
  call mpi_bcast(nx, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(ny, 1, mpi_integer, 0, mpi_comm_world, ierr)
  allocate (u(0:nx+1, 0:ny+1))
  call make_types
  do j = 0, ny + 1
    do i = 0, nx + 1
      u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31)) * 0.125d0
    end do
  end do
  checksum = 0.0d0
  do step = 1, 3
    ! gravel: posted here, was line 51: call mpi_irecv(u(0, 1), 2, face, mpi_any_source, 7, mpi_comm_world,...
    call gravel_post_rcv_announced(u(0, 1), 2, face, mpi_any_source, 7, mpi_comm_world, request, ierr)
    call send_face(u, next)
    ! gravel: moved away from here, was line 53: call mpi_wait(request, mpi_status_ignore, ierr)
    ierr = 0
    do j = 1, ny
      do i = 2, nx
        checksum = checksum + u(i, j) * dble(mod(i + 2*j, 13))
      end do
    end do
    ! gravel: the wait moved here, was line 53: call mpi_wait(request, mpi_status_ignore, ierr)
    call gravel_wait(request, u)
    ! gravel: waits here for what line 52 has begun: call send_face(u, next)
    call gravel_wait(gravel_w1_send_face, u)
    do j = 1, ny
      checksum = checksum + u(0, j) - u(1, j) * 2.0d0
      u(nx, j) = u(nx, j) + 0.5d0
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  ! gravel: the runtime ends before MPI
  call gravel_finalize()
  call mpi_finalize(ierr)
end program
