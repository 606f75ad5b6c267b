! Whether the message is sent is decided below the work, in the variable of the condition.
! expect: without hoist-send
program early_send_under_changed_condition
  use mpi
  implicit none

  integer, parameter :: n = 3000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, step
  integer :: request
  double precision :: a(n), b(n), work(n)
  logical :: is_sender, is_receiver
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)

  checksum = 0
  b = 0
  do step = 1, 4
    is_sender = .true.
    is_receiver = mod(step, 2) == 1
    if (is_receiver) then
      call mpi_irecv(b, n, mpi_double_precision, prev, 1, mpi_comm_world, request, ierr)
    end if
    a = rank + step
    do i = 1, n
      work(i) = sqrt(dble(i * step))
    end do
    if (work(4) > 0) is_sender = mod(step, 2) == 1
    if (is_sender) then
      call mpi_send(a, n, mpi_double_precision, next, 1, mpi_comm_world, ierr) ! trapped
    end if
    if (is_receiver) then
      call mpi_wait(request, mpi_status_ignore, ierr)
    end if
    do i = 1, n
      checksum = checksum + b(i) * i + work(i)
    end do
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)
end program early_send_under_changed_condition
