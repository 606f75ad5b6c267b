! Fixed form without modules: the requests are in COMMON blocks of their own. What is received is a member of a COMMON block, or
! an argument; one procedure ends by a RETURN in a branch, a caller does not know MPI.
! ranks: 1 2 3 4
      program wave
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer rank, ranks, left, right, step, i, ierr
      common /grid/ rank, ranks, left, right
      double precision inflow(n)
      common /data/ inflow
      double precision field(n), work(n), check, all
      integer(gravel_request_kind) :: gravel_w1_pass, gravel_w2_pass
      common /gravel_1w_pass/ gravel_w1_pass
      common /gravel_2w_pass/ gravel_w2_pass
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      left = mod(rank - 1 + ranks, ranks)
      right = mod(rank + 1, ranks)
      do 10 i = 1, n
        field(i) = mod(i, 11) + rank
        work(i) = 0d0
        inflow(i) = 0d0
   10 continue
      do 40 step = 1, 5
        call pass(field, n)
        do 20 i = 1, n
          work(i) = work(i) + mod(i, step)
   20   continue
        ! gravel: waits here for what line 25 has begun: call pass(fi...
        call gravel_wait(gravel_w1_pass, inflow)
        call gravel_wait(gravel_w2_pass, field)
        do 30 i = 1, n
          field(i) = field(i) + inflow(i) * 0.5d0
   30   continue
        call advance(field, work, n, step)
   40 continue
      check = 0d0
      do 50 i = 1, n
        check = check + field(i) + work(i)
   50 continue
      call mpi_allreduce(check * (rank + 1), all, 1,
     &  mpi_double_precision, mpi_max, mpi_comm_world, ierr)
      if (rank .eq. 0) print '(es24.16)', all
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

! Sends what it is given and receives into the COMMON block.
      subroutine pass(outflow, length)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer length
      double precision outflow(length)
      integer rank, ranks, left, right, ierr
      common /grid/ rank, ranks, left, right
      double precision inflow(n)
      common /data/ inflow
      integer reqs(2)
      integer(gravel_request_kind) :: gravel_w1_pass, gravel_w2_pass
      common /gravel_1w_pass/ gravel_w1_pass
      common /gravel_2w_pass/ gravel_w2_pass
      ! gravel: posted here, was line 57: call mpi_irecv(inflow, n, m...
      call gravel_post_rcv_buffer_rdma(inflow, n, mpi_double_precision,
     &    left, 1, mpi_comm_world, reqs(1), ierr)
      ! gravel: sent without waiting, was line 59: call mpi_isend(out...
      call gravel_post_send(outflow, length, mpi_double_precision,
     &    right, 1, mpi_comm_world, reqs(2), ierr)
      ! gravel: moved away from here, was line 61: call mpi_waitall(2...
      ierr = 0
      gravel_w1_pass = reqs(1)
      gravel_w2_pass = reqs(2)
      end

! Knows nothing of MPI.
      subroutine advance(field, work, length, step)
      use gravel
      implicit none
      integer length, step, i
      double precision field(length), work(length), ghost(2)
      integer(gravel_request_kind) :: gravel_w1_neighbours,
     &    gravel_w2_neighbours
      common /gravel_1w_neighbours/ gravel_w1_neighbours
      common /gravel_2w_neighbours/ gravel_w2_neighbours
      ! gravel: null where the branch below is not taken
      gravel_w1_neighbours = gravel_request_null
      gravel_w2_neighbours = gravel_request_null
      if (mod(step, 2) .eq. 0) call neighbours(field, length, ghost)
      do 10 i = 1, length
        work(i) = work(i) * 0.75d0
   10 continue
      ! gravel: waits here for what line 69 has begun: call neighbour...
      call gravel_wait(gravel_w1_neighbours, ghost)
      call gravel_wait(gravel_w2_neighbours, field)
      if (mod(step, 2) .eq. 0) then
        field(1) = field(1) + ghost(1)
        field(length) = field(length) - ghost(2)
      end if
      end

      subroutine neighbours(field, length, ghost)
      use gravel
      implicit none
      include 'mpif.h'
      integer length
      double precision field(length), ghost(2)
      integer rank, ranks, left, right, ierr
      common /grid/ rank, ranks, left, right
      integer(gravel_request_kind) :: gravel_w1_neighbours,
     &    gravel_w2_neighbours
      common /gravel_1w_neighbours/ gravel_w1_neighbours
      common /gravel_2w_neighbours/ gravel_w2_neighbours
      ! gravel: null where the operation is not begun
      gravel_w1_neighbours = gravel_request_null
      gravel_w2_neighbours = gravel_request_null
      ghost(1) = 0d0
      ghost(2) = 0d0
      if (ranks .eq. 1) then
        return
      end if
      ! gravel: receives and sends here, was line 91: call mpi_sendre...
      call gravel_post_rcv_buffer_rdma(ghost(2), 1,
     &    mpi_double_precision, right, 2, mpi_comm_world,
     &    gravel_w1_neighbours)
      call gravel_post_send(field(1), 1, mpi_double_precision, left, 2,
     &    mpi_comm_world, gravel_w2_neighbours, ierr)
      end
