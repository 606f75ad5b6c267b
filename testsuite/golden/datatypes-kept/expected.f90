! Datatypes that stay with MPI: of what they are made, where their elements could lie, or how they are sent is not what the
! runtime carries.
program datatypes_kept
  use mpi
  use gravel
  implicit none

  integer, parameter :: n = 40
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, request, stride
  integer :: structure, backwards, reversed, everyone, replaced, plain, handed
  integer :: lengths(2), types(2)
  integer(mpi_address_kind) :: places(2)
  character(len=20) :: text
  double precision :: u(n, n), v(n, n), w(n, n), all(2*n*max_ranks), others(2*n*max_ranks), scalar
  double precision :: checksum, checksums(max_ranks)
  integer(gravel_request_kind) :: gravel_r1, gravel_s1, gravel_s2

  call mpi_init(ierr)
  ! gravel: the runtime starts after MPI
  call gravel_init(mpi_comm_world)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    u(:, i) = dble(rank + 1) + dble(mod(i * 3, 31)) * 0.125d0
  end do
  v = 0.0d0
  all = dble(rank)
  scalar = dble(rank)

  lengths = 3
  places = [distance(u(1, 1), u(1, 1)), distance(u(1, 1), u(3, 2))]
  types = mpi_double_precision
  call mpi_type_create_struct(2, lengths, places, types, structure, ierr)
  call mpi_type_commit(structure, ierr)
  call exchange_with(structure, 1)

  ! gravel: posted here, was line 36: call mpi_irecv(v(2, 1), n, mpi_double_precision, prev, 2, mpi_comm_wo...
  call gravel_post_rcv_buffer_rdma(v(2, 1), n, mpi_double_precision, prev, 2, mpi_comm_world, request, ierr)
  ! gravel: sent without waiting, was line 37: call mpi_send(u(1, 1), n, mpi_double_precision, next, 2, mpi...
  call gravel_post_send(u(1, 1), n, mpi_double_precision, next, 2, mpi_comm_world, gravel_s1, ierr)
  w = u * 2.0d0
  ! gravel: waits here, was line 39: call mpi_wait(request, mpi_status_ignore, ierr)
  call gravel_wait(request, v, ierr)

  stride = -1
  call mpi_bcast(stride, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_type_vector(3, 1, stride, mpi_double_precision, backwards, ierr)
  call mpi_type_commit(backwards, ierr)
  call mpi_sendrecv(u(9, 1), 1, backwards, next, 4, w(9, 1), 1, backwards, prev, 4, mpi_comm_world, mpi_status_ignore, ierr)

  call mpi_type_create_indexed_block(2, 2, [-4, 0], mpi_double_precision, reversed, ierr)
  call mpi_type_commit(reversed, ierr)
  call mpi_sendrecv(u(9, 1), 1, reversed, next, 5, w(9, 1), 1, reversed, prev, 5, mpi_comm_world, mpi_status_ignore, ierr)

  call mpi_type_contiguous(2, mpi_double_precision, everyone, ierr)
  call mpi_type_commit(everyone, ierr)
  call mpi_alltoall(all, 1, everyone, others, 1, everyone, mpi_comm_world, ierr)

  call mpi_type_vector(n, 1, n, mpi_double_precision, replaced, ierr)
  call mpi_type_commit(replaced, ierr)
  call mpi_sendrecv_replace(w(3, 1), 1, replaced, next, 6, prev, 6, mpi_comm_world, mpi_status_ignore, ierr)

  call mpi_type_contiguous(1, mpi_double_precision, plain, ierr)
  call mpi_type_commit(plain, ierr)
  ! gravel: receives and sends here, was line 61: call mpi_sendrecv(u(1, 1), 1, plain, next, 7, scalar, 1, ...
  call gravel_post_rcv_buffer_rdma(scalar, 1, plain, prev, 7, mpi_comm_world, gravel_r1)
  call gravel_post_send(u(1, 1), 1, plain, next, 7, mpi_comm_world, gravel_s2)
  call gravel_wait(gravel_r1, scalar, ierr)
  call mpi_sendrecv(u(1:n:2, 1), 1, plain, next, 8, v(1, 1), 1, plain, prev, 8, mpi_comm_world, mpi_status_ignore, ierr)
  ! gravel: the wait moved here, was line 37: call mpi_send(u(1, 1), n, mpi_double_precision, next, 2, mpi_...
  call gravel_wait(gravel_s1, u)
  ! gravel: the wait moved here, was line 61: call mpi_sendrecv(u(1, 1), 1, plain, next, 7, scalar, 1, plai...
  call gravel_wait(gravel_s2, u)

  call mpi_type_contiguous(n, mpi_double_precision, handed, ierr)
  call mpi_type_commit(handed, ierr)
  write (text, *) handed
  read (text, *) handed
  call mpi_sendrecv(u(1, 2), 1, handed, next, 9, v(1, 3), 1, handed, prev, 9, mpi_comm_world, mpi_status_ignore, ierr)

  checksum = sum(u) + sum(v) + sum(w) + sum(others(1:2*ranks)) + scalar
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
contains
  function distance(one, two)
    double precision, intent(in) :: one, two
    integer(mpi_address_kind) :: distance, origin
    call mpi_get_address(one, origin, ierr)
    call mpi_get_address(two, distance, ierr)
    distance = distance - origin
  end function distance

  subroutine exchange_with(datatype, tag)
    integer, intent(in) :: datatype, tag
    call mpi_sendrecv(u(1, 1), 1, datatype, next, tag, v(1, 2), 1, datatype, prev, tag, mpi_comm_world, &
                      mpi_status_ignore, ierr)
  end subroutine exchange_with
end program datatypes_kept
