! One request variable serves one operation after the other: each post has its own wait, the receive and the sends alike. A
! pipeline: each process gets a line from the one before, works on its lines, and sends its last one on.
      program reused
      use gravel
      implicit none
      include 'mpif.h'
      integer maxrnk, n, lines
      parameter (maxrnk = 16, n = 30000, lines = 3)
      integer rank, ranks, next, prev, req, ierr, i, j, step
      integer status(mpi_status_size)
      double precision line(n), last(n), first(n), sums(n)
      double precision check, checks(maxrnk)
      integer(gravel_request_kind) :: gravel_s2, gravel_req_2,
     &    gravel_req_3
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = rank + 1
      if (next .eq. ranks) next = mpi_proc_null
      prev = rank - 1
      if (prev .lt. 0) prev = mpi_proc_null
      do 10 i = 1, n
        line(i) = 1
        sums(i) = 0
   10 continue
      do 50 step = 1, 3
        ! gravel: posted early, was line 44: call mpi_irecv(first, n,...
        call gravel_post_rcv_segments(first, n, mpi_double_precision,
     &      mod(rank + 1, ranks), 8, mpi_comm_world, gravel_req_3)
        if (prev .ne. mpi_proc_null) then
          ! gravel: posted here, was line 26: call mpi_irecv(line, n,...
          call gravel_post_rcv_buffer_rdma(line, n,
     &        mpi_double_precision, prev, 7, mpi_comm_world, req, ierr)
          ! gravel: waits here, was line 28: call mpi_wait(req, statu...
          call gravel_wait(req, line, status, ierr)
        end if
        do 30 j = 1, lines
          do 20 i = 1, n
            sums(i) = sums(i) + line(i)*j
   20     continue
   30   continue
        ! gravel: null where the branch below is not taken
        gravel_req_2 = gravel_request_null
        if (next .ne. mpi_proc_null) then
          ! gravel: one handshake, a put per tile, was line 39: call ...
          call gravel_wait_rcv_buffer(last, n, mpi_double_precision,
     &        next, 7, mpi_comm_world, gravel_t1)
          gravel_step1 = gravel_tile(gravel_t1, n)
          do gravel_lo1 = 1, n, gravel_step1
             gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &           n - gravel_lo1)
             do 40 i = gravel_lo1, gravel_hi1
               last(i) = 0.5*line(i) + rank + step
   40        continue
             call gravel_post_os_put(gravel_t1, last, gravel_lo1 - 1,
     &           gravel_hi1 - gravel_lo1 + 1)
          end do
          ! gravel: sent tile by tile above, was line 39: call mpi_is...
          call gravel_send_fin(gravel_t1, gravel_req_2, ierr)
          ! gravel: moved away from here, was line 41: call mpi_wait(...
          ierr = 0
        end if
! And back, around the ring.
        ! gravel: moved away from here, was line 44: call mpi_irecv(f...
        ierr = 0
        ! gravel: sent without waiting, was line 47: call back(line, ...
        call gravel_post_send(line, n, mpi_double_precision,
     &      mod(rank + ranks - 1, ranks), 8, mpi_comm_world, gravel_s2)
        ! gravel: moved away from here, was line 48: call mpi_wait(re...
        ierr = 0
        ! gravel: waits here for what each tile reads, was line 48: c...
        gravel_step2 = gravel_tile(gravel_req_3, n)
        if (gravel_step2 >= n) call gravel_wait(gravel_req_3, first,
     &      status)
        do gravel_lo2 = 1, n, gravel_step2
           gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1,
     &         n - gravel_lo2)
           if (gravel_step2 < n) call gravel_wait_range(gravel_req_3,
     &         first, 0, gravel_hi2)
           do 45 i = gravel_lo2, gravel_hi2
             sums(i) = sums(i) + first(i)
   45      continue
        end do
        if (gravel_step2 < n) call gravel_wait(gravel_req_3, first,
     &      status)
        ! gravel: the wait moved here, was line 41: call mpi_wait(req...
        call gravel_wait(gravel_req_2, last, status)
        ! gravel: the wait moved here, was line 47: call back(line, n...
        call gravel_wait(gravel_s2, line)
   50 continue

      check = 0
      do 60 i = 1, n
        check = check + sums(i)*mod(i, 7)
   60 continue
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 70 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checks(i)
   70   continue
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      subroutine back(line, n, to)
      implicit none
      include 'mpif.h'
      integer n, to, ierr
      double precision line(n)

      call mpi_send(line, n, mpi_double_precision, to, 8,
     &              mpi_comm_world, ierr)
      end
