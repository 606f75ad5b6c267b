! What is packed is named by its first element and a number, and reaches what a message brings further behind: its wait must not
! pass that.
! expect: without sink-wait
program packed_from_element_on
  use mpi
  implicit none

  integer, parameter :: n = 20000, half = n / 2
  integer, parameter :: bytes = 8 * n + 64
  integer :: ierr, rank, ranks, next, prev, i, step, request, place
  double precision :: field(n), sbuf(n), kept(n), work(n), checksum, total
  character :: packed(bytes)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  field = 1.0d0
  kept = 1.0d0
  work = 1.0d0

  do step = 1, 3
    do i = 1, half
      sbuf(i) = dble(i * step + rank)
    end do
    call mpi_irecv(field(half + 1), half, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, half, mpi_double_precision, next, 1, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr) ! trapped
    place = 0
    call mpi_pack(field(1), n, mpi_double_precision, packed(1), bytes, place, mpi_comm_world, ierr)
    do i = 1, n
      work(i) = work(i) * 0.5d0 + dble(i)
    end do
    place = 0
    call mpi_unpack(packed(1), bytes, place, kept(1), n, mpi_double_precision, mpi_comm_world, ierr)
    do i = 1, n
      checksum = checksum + kept(i) + work(i) + field(i)
    end do
  end do

  call mpi_reduce(checksum, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) write (*, '(a,es24.16)') 'packed ', total
  call mpi_finalize(ierr)
end program packed_from_element_on
