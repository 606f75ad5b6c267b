! Comments that end in a backslash: the preprocessor joins the next line to them. Nothing is inserted between the two.
program joined_lines
  use mpi !  /\  /\
          ! /  \/
  implicit none
  integer, parameter :: n = 20000
  integer :: ierr, rank, ranks, next, prev, request, i, step
  double precision :: sbuf(n), rbuf(n), field(n), sums(2) ! kept in C:\fields\

  call mpi_init(ierr) ! \
  never = reached
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  field = rank
  do step = 1, 4
    !      o
    !     / \
    !    o   o
    do i = 1, n ! \ \  
      sbuf(i) = 0
      sbuf(i) = field(i) * step + i
    end do   ! \\
    sbuf(3) = 4d0
    ! read from D:\in\
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 8, mpi_comm_world, request, ierr)
    call mpi_irecv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, request, ierr) ! from \
    !\
    !
    call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr) ! to \

    call mpi_wait(request, mpi_status_ignore, ierr) ! \
    rbuf = 0d0
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do ! \
    field(2) = 11d0
    field(1) = field(1) + &
      step ! \
      ! \
  end do
  end do
  sums = [sum(field), field(3)]
  call mpi_allreduce(mpi_in_place, sums, 2, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (rank == 0) print '(2(1x, f20.6))', sums
  call mpi_finalize(ierr)
end program joined_lines
