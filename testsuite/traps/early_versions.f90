! Ranks and tags that are computed from several versions of the same variables, in branches of branches, between the loops and
! their calls: who computes them further up must not take one version for the other.
! expect: handled
program early_versions
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, i, step, v, w, k, next, prev, tag, status(mpi_status_size), list(0:3), req
  logical :: up, wrap
  double precision :: a(n), b(n), c(n), s
  double precision :: gathered(5, 16)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  s = 0; c = rank; v = 0; w = 3; tag = 0; next = 0; prev = 0
  list = [4, 3, 2, 1]
  do step = 1, 4
    do i = 1, n
      a(i) = c(i) + i*step
    end do
    ! several versions of one variable
    v = w + 1; w = 5
    v = v + w
    k = mod(step, 4); tag = list(k)
    tag = (tag + v)*2 - (v - 1)
    w = 7
    up = step == 2
    next = rank + 1
    IF (next >= ranks .and. .not. (rank < 0)) Then
      next = 0
      v = 8
    End If
    prev = rank - 1; if (prev < 0) prev = ranks + &
        prev
    call mpi_irecv(b, n, mpi_double_precision, prev, tag + w, mpi_comm_world, req, ierr) ! trapped
    call mpi_send(a, n, mpi_double_precision, next, tag + w, mpi_comm_world, ierr) ! trapped
    call mpi_wait(req, status, ierr)
    s = s + sum(b)/n + status(mpi_tag) + v
    ! nested
    do i = 1, n
      a(i) = 0.5d0*b(i)
    end do
    if (step > 1) then
      if (mod(step, 2) == 0) then
        if (rank == 0) then; prev = ranks - 1; else; prev = rank - 1; end if
        next = mod(rank + 1, ranks)
      else
        prev = mod(rank + 1, ranks); next = rank - 1
        if (next < 0) next = ranks - 1
      end if
      wrap = next < rank
      call mpi_sendrecv(a, n, mpi_double_precision, next, 3, b, n, mpi_double_precision, prev, 3, & ! trapped
                        mpi_comm_world, status, ierr)
      s = s + b(step)
      if (wrap) s = s + 1
    end if
    c = c + b
  end do
  call mpi_gather([s, sum(c), dble(v + w), dble(tag), dble(next - prev)], 5, mpi_double_precision, gathered, 5, &
                  mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) print '(5es24.16)', gathered(:, 1:ranks)
  call mpi_finalize(ierr)
end program
