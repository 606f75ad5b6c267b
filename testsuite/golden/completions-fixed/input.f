C     Some messages are taken as they come, by waits and by tests for some
C     of them, and of others whether all, or any, have come is asked for.
      program compl
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

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      chksum = 0.0d0
      length = 0
      do 10 i = 1, n
        field(i) = dble(rank + 1) - dble(mod(i, 12)) * 0.5d0
   10 continue

      do 20 i = 1, n
        out(i) = field(i) * 0.5d0
   20 continue
      do 30 i = 1, n
        out2(i) = field(i) + 3.0d0
   30 continue
      call mpi_irecv(in, n, mpi_double_precision, prev, 1,
     &  mpi_comm_world, reqs(1), ierr)
      call mpi_irecv(in2, n, mpi_double_precision, next, 2,
     &  mpi_comm_world, reqs(2), ierr)
      call mpi_isend(out, n, mpi_double_precision, next, 1,
     &  mpi_comm_world, reqs(3), ierr)
      call mpi_isend(out2, 10, mpi_double_precision, prev, 2,
     &  mpi_comm_world, reqs(4), ierr)
      left = 4
      taken = 0
   40 if (left .gt. 0) then
        if (mod(left, 2) .eq. 0) then
          call mpi_waitsome(4, reqs, number, done, stats, ierr)
        else
          call mpi_testsome(4, reqs, number, done, stats, ierr)
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
      call mpi_testsome(4, reqs, number, done, stats, ierr)
      if (number .ne. mpi_undefined) chksum = -1.0d6
      do 60 i = 1, n
        chksum = chksum + in(i) * dble(mod(i, 7))
   60 continue
      chksum = chksum + in2(1) + in2(10) + dble(taken + length)

      do 70 i = 1, n
        out(i) = field(i) * 0.25d0 + dble(taken)
   70 continue
      call mpi_irecv(in, n, mpi_double_precision, prev, 3,
     &  mpi_comm_world, others(1), ierr)
      call mpi_isend(out, n, mpi_double_precision, next, 3,
     &  mpi_comm_world, others(2), ierr)
      which = 0
   80 if (which .ne. 1) then
        call mpi_testany(2, others, which, flag, otstat, ierr)
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
        call mpi_testall(2, others, flag, mpi_statuses_ignore, ierr)
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
      call mpi_finalize(ierr)
      end
