! A message is unpacked from an element on, over one that is being sent from further behind: its wait must not pass that.
! expect: without sink-wait
program unpacked_from_element_on
  use mpi
  implicit none

  integer, parameter :: n = 40000, half = n / 2
  integer, parameter :: bytes = 8 * n + 64
  integer :: ierr, rank, ranks, next, prev, i, k, step, request, place
  double precision :: field(n), rbuf(half), work(n), checksum, total
  character :: packed(bytes)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  work = -1.0d0
  place = 0
  call mpi_pack(work, n, mpi_double_precision, packed, bytes, place, mpi_comm_world, ierr)

  do step = 1, 3
    do i = 1, n
      field(i) = dble(i * step + rank)
    end do
    call mpi_irecv(rbuf, half, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(field(half + 1), half, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    place = 0
    call mpi_unpack(packed(1), bytes, place, field(1), n, mpi_double_precision, mpi_comm_world, ierr)
    do k = 1, 20
      do i = 1, n
        work(i) = work(i) * 0.5d0 + dble(k)
      end do
    end do
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, half
      checksum = checksum + rbuf(i) + work(i) + field(i)
    end do
  end do

  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'unpacked ', total
  call mpi_finalize(ierr)
end program unpacked_from_element_on
