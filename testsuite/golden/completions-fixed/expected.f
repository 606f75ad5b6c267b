C     Some messages are taken as they come, by waits and by tests for some
C     of them, and of others whether all, or any, have come is asked for.
      program compl
      use gravel
      implicit none
      include 'mpif.h'
      integer n, mxrank
      parameter (n = 15000, mxrank = 16)
      integer ierr, rank, ranks, next, prev, i, k, left, number
      integer which, taken, length
      integer reqs(4), done(4), stats(mpi_status_size, 4)
      integer others(2), otstat(mpi_status_size)
      logical flag
      double precision field(n), out(n), out2(n), in(n), in2(n)
      double precision chksum, all(mxrank)
      integer(gravel_transfer_kind) :: gravel_t1, gravel_t3
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      chksum = 0.0d0
      length = 0
      ! gravel: posted early, was line 33: call mpi_irecv(in, n, mpi_...
      call gravel_post_rcv_buffer_rdma(in, n, mpi_double_precision,
     &    prev, 1, mpi_comm_world, reqs(1))
      ! gravel: posted early, was line 35: call mpi_irecv(in2, n, mpi...
      call gravel_post_rcv_buffer_rdma(in2, n, mpi_double_precision,
     &    next, 2, mpi_comm_world, reqs(2))
      do 10 i = 1, n
        field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
   10 continue

      ! gravel: one handshake, a put per tile, was line 37: call mpi_...
      call gravel_wait_rcv_buffer(out, n, mpi_double_precision, next, 1,
     &     mpi_comm_world, gravel_t1)
      i = 1
      gravel_step1 = gravel_tile(gravel_t1, n)
      do gravel_lo1 = 1, n, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
         do 20 i = gravel_lo1, gravel_hi1
           out(i) = field(i) * 0.5d0
   20    continue
         call gravel_post_os_put(gravel_t1, out, gravel_lo1 - 1,
     &       gravel_hi1 - gravel_lo1 + 1)
      end do
      do 30 i = 1, n
        out2(i) = field(i) + 3.0d0
   30 continue
      ! gravel: moved away from here, was line 33: call mpi_irecv(in,...
      ierr = 0
      ! gravel: moved away from here, was line 35: call mpi_irecv(in2...
      ierr = 0
      ! gravel: sent tile by tile above, was line 37: call mpi_isend(...
      call gravel_send_fin(gravel_t1, reqs(3), ierr)
      ! gravel: sent without waiting, was line 39: call mpi_isend(out...
      call gravel_post_send(out2, 10, mpi_double_precision, prev, 2,
     &    mpi_comm_world, reqs(4), ierr)
      left = 4
      taken = 0
   40 if (left .gt. 0) then
        if (mod(left, 2) .eq. 0) then
          ! gravel: waits here, was line 45: call mpi_waitsome(4, req...
          call gravel_waitsome(4, reqs, number, done, stats, ierr)
          call gravel_f_sync_reg(in)
          call gravel_f_sync_reg(in2)
          call gravel_f_sync_reg(out)
          call gravel_f_sync_reg(out2)
        else
          ! gravel: tested here, was line 47: call mpi_testsome(4, re...
          call gravel_testsome(4, reqs, number, done, stats, ierr)
          call gravel_f_sync_reg(in)
          call gravel_f_sync_reg(in2)
          call gravel_f_sync_reg(out)
          call gravel_f_sync_reg(out2)
        endif
        left = left - number
        do 50 k = 1, number
          taken = taken + 10**done(k)
          if (done(k) .le. 2) then
            call mpi_get_count(stats(1, k), mpi_double_precision,
     &        i, ierr)
            length = length + i
          endif
   50   continue
        goto 40
      endif
      ! gravel: tested here, was line 60: call mpi_testsome(4, reqs, ...
      call gravel_testsome(4, reqs, number, done, stats, ierr)
      call gravel_f_sync_reg(in)
      call gravel_f_sync_reg(in2)
      call gravel_f_sync_reg(out)
      call gravel_f_sync_reg(out2)
      if (number .ne. mpi_undefined) chksum = -1.0d6
      do 60 i = 1, n
        chksum = chksum + in(i) * dble(mod(i, 7))
   60 continue
      chksum = chksum + in2(1) + in2(10) + dble(taken + length)

      ! gravel: posted early, was line 70: call mpi_irecv(in, n, mpi_...
      call gravel_post_rcv_buffer_rdma(in, n, mpi_double_precision,
     &    prev, 3, mpi_comm_world, others(1))
      ! gravel: one handshake, a put per tile, was line 72: call mpi_...
      call gravel_wait_rcv_buffer(out, n, mpi_double_precision, next, 3,
     &     mpi_comm_world, gravel_t3)
      i = 1
      gravel_step2 = gravel_tile(gravel_t3, n)
      do gravel_lo2 = 1, n, gravel_step2
         gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
         do 70 i = gravel_lo2, gravel_hi2
           out(i) = field(i) * 0.25d0 + dble(taken)
   70    continue
         call gravel_post_os_put(gravel_t3, out, gravel_lo2 - 1,
     &       gravel_hi2 - gravel_lo2 + 1)
      end do
      ! gravel: moved away from here, was line 70: call mpi_irecv(in,...
      ierr = 0
      ! gravel: sent tile by tile above, was line 72: call mpi_isend(...
      call gravel_send_fin(gravel_t3, others(2), ierr)
      which = 0
   80 if (which .ne. 1) then
        ! gravel: tested here, was line 76: call mpi_testany(2, other...
        call gravel_testany(2, others, which, flag, otstat, ierr)
        call gravel_f_sync_reg(in)
        call gravel_f_sync_reg(out)
        if (flag .and. which .eq. 1) then
          if (otstat(mpi_source) .ne. prev) chksum = -1.0d6
        endif
        do 85 i = 1, n
          field(i) = field(i) + 0.0d0
   85   continue
        goto 80
      endif
      do 90 i = 1, n
        chksum = chksum - in(i) * dble(mod(i, 5))
   90 continue
      flag = .false.
  100 if (.not. flag) then
        ! gravel: tested here, was line 90: call mpi_testall(2, other...
        call gravel_testall(2, others, flag, ierr)
        call gravel_f_sync_reg(in)
        call gravel_f_sync_reg(out)
        goto 100
      endif

      call mpi_gather(chksum, 1, mpi_double_precision, all, 1,
     &  mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 110 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1,
     &      ' checksum ', all(i)
  110   continue
      endif
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
