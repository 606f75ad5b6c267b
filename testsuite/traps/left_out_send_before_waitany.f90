! A procedure may leave a send out, whose request then stays null: a wait for any of several passes over it. A message to
! nobody, which it could become, would be told of.
! expect: handled
program left_out_send_before_waitany
  use mpi
  implicit none

  integer, parameter :: n = 20000
  integer, parameter :: max_ranks = 16
  integer :: ierr, rank, ranks, next, prev, i, k, which, told
  integer :: requests(2)
  double precision :: sbuf(n), rbuf(n), inner(n)
  double precision :: checksum, checksums(max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0d0
  do i = 1, n
    sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
    inner(i) = sbuf(i)
    rbuf(i) = 0.0d0
  end do

  told = 0
  do k = 0, 3
    requests = mpi_request_null
    call begin_send(sbuf, mod(k, 2) * (n - k), next, requests(1))
    call begin_receive(rbuf, mod(k, 2) * n, prev, requests(2))
    do i = 1, n
      inner(i) = inner(i) * 0.5d0 + 1.0d0
    end do
    do
      call mpi_waitany(2, requests, which, mpi_status_ignore, ierr) ! trapped
      if (which < 1) exit
      told = told + 1
    end do
  end do
  checksum = dble(told) * 1.0d6
  do i = 1, n - 3
    checksum = checksum + rbuf(i) * dble(mod(i, 7)) + inner(i)
  end do

  call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (rank == 0) then
    do i = 1, ranks
      write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
    end do
  end if
  call mpi_finalize(ierr)

contains

  subroutine begin_send(buffer, count, to, request)
    integer, intent(in) :: count, to
    double precision, intent(in) :: buffer(*)
    integer, intent(inout) :: request
    integer :: code

    if (count > 0) then
      call mpi_isend(buffer, count, mpi_double_precision, to, 1, mpi_comm_world, request, code)
    end if
  end subroutine begin_send

  subroutine begin_receive(buffer, count, from, request)
    integer, intent(in) :: count, from
    double precision, intent(inout) :: buffer(*)
    integer, intent(inout) :: request
    integer :: code

    if (count > 0) then
      call mpi_irecv(buffer, count, mpi_double_precision, from, 1, mpi_comm_world, request, code)
    end if
  end subroutine begin_receive
end program left_out_send_before_waitany
