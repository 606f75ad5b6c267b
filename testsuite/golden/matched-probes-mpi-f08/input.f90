! Probes that take the message out of the order, so that nobody else can receive it, and the receives of what they have taken.
program matched_probes
  use mpi_f08
  implicit none

  integer, parameter :: n = 10000
  integer :: i, k, length, rank, ranks, next, prev
  logical :: flag
  type(mpi_status) :: status
  type(mpi_message) :: first, second
  type(mpi_request) :: request, sending(2)
  double precision :: sent(n, 2), taken(n, 2), work(n), local, total

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  local = 0.0d0
  do k = 1, 2
    do i = 1, n
      sent(i, k) = dble(rank + k) * dble(mod(i, 9))
    end do
  end do
  call mpi_isend(sent(1, 1), n - 1, mpi_double_precision, next, 5, mpi_comm_world, sending(1))
  call mpi_isend(sent(1, 2), n - 2, mpi_double_precision, next, 5, mpi_comm_world, sending(2))
  do i = 1, n
    work(i) = dble(mod(i, 4))
  end do
  call mpi_mprobe(mpi_any_source, mpi_any_tag, mpi_comm_world, first, status)
  flag = .false.
  do while (.not. flag)
    call mpi_improbe(prev, 5, mpi_comm_world, flag, second, mpi_status_ignore)
  end do
  call mpi_get_count(status, mpi_double_precision, length)
  call mpi_imrecv(taken(:, 2), n, mpi_double_precision, second, request)
  call mpi_mrecv(taken(:, 1), length, mpi_double_precision, first, status)
  do i = 1, length
    local = local + taken(i, 1) * work(i)
  end do
  call mpi_waitall(2, sending, mpi_statuses_ignore)
  call mpi_wait(request, status)
  call mpi_get_count(status, mpi_double_precision, length)
  do i = 1, length
    local = local - taken(i, 2) * work(i)
  end do
  if (first /= mpi_message_null .or. second /= mpi_message_null) local = -1.0d9
  call mpi_reduce(local, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world)
  if (rank == 0) print '(es24.16)', total
  call mpi_finalize()
end program matched_probes
