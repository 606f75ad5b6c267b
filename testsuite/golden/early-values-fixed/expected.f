C Ranks and tags that are set right before their calls, in fixed form: the form in which most of such programs are.
! ranks: 2 3 4
      program early
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer ierr, rank, ranks, source, dest, msgtype, i, step
      integer right, left, mycol, npcol
      integer status(mpi_status_size)
      real*8 a(n), b(n), c(n), s, sums(16)
      common /places/ mycol, npcol
      integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_r3,
     &    gravel_s1, gravel_s2, gravel_s3
      integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2, gravel_early3_msgtype,
     &    gravel_early2_right, gravel_early1_left
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      mycol = rank
      npcol = ranks
      s = 0.0d0
      do 10 i = 1, n
        c(i) = rank
   10 continue
      do 60 step = 1, 3
        ! gravel: what the call at line 36 needs, computed as further...
        gravel_early1_left = mycol - 1
        if (gravel_early1_left < 0) gravel_early1_left = npcol - 1
        if (mycol .eq. npcol - 1) then
           gravel_early2_right = 0
        else
           gravel_early2_right = mycol + 1
        end if
        ! gravel: posted early, was line 36: call mpi_sendrecv(a, n, ...
        call gravel_post_rcv_segments(b, n, mpi_real8,
     &      gravel_early1_left, 5, mpi_comm_world, gravel_r1)
        ! gravel: one handshake, a put per tile, was line 36: call mp...
        call gravel_wait_rcv_buffer(a, n, mpi_real8,
     &      gravel_early2_right, 5, mpi_comm_world, gravel_t1)
        i = 1
        gravel_step1 = gravel_tile(gravel_t1, n)
        do gravel_lo1 = 1, n, gravel_step1
           gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &         n - gravel_lo1)
           do 20 i = gravel_lo1, gravel_hi1
             a(i) = mod(i, 13) + c(i)
   20      continue
           call gravel_post_os_put(gravel_t1, a, gravel_lo1 - 1,
     &         gravel_hi1 - gravel_lo1 + 1)
        end do
C The neighbours.
        if (mycol .eq. npcol - 1) then
          right = 0
        else
          right = mycol +
C         the next one
     &      1
        endif
        left = mycol - 1
        if (left .lt. 0) left = npcol - 1; msgtype = 5
        ! gravel: sent tile by tile above, was line 36: call mpi_send...
        call gravel_send_fin(gravel_t1, gravel_s1, ierr)
        ! gravel: one handshake, a put per tile, was line 44: call mp...
        gravel_t2 = gravel_transfer_null
        if (mod(rank, 2) .eq. 0) call gravel_wait_rcv_buffer(c, n,
     &      mpi_real8, right, 7, mpi_comm_world, gravel_t2)
        ! gravel: waits here for what each tile reads, was line 36: c...
        i = 1
        gravel_step2 = gravel_tile([gravel_t2, gravel_r1], n)
        if (gravel_step2 >= n) call gravel_wait(gravel_r1, b, status)
        do gravel_lo2 = 1, n, gravel_step2
           gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1,
     &         n - gravel_lo2)
           if (gravel_step2 < n) call gravel_wait_range(gravel_r1, b, 0,
     &          gravel_hi2)
           do 30 i = gravel_lo2, gravel_hi2
             c(i) = 0.5d0*c(i) + 0.25d0*b(i)
   30      continue
           call gravel_post_os_put(gravel_t2, c, gravel_lo2 - 1,
     &         gravel_hi2 - gravel_lo2 + 1)
        end do
        if (gravel_step2 < n) call gravel_wait(gravel_r1, b, status)
        ! gravel: null where the branch below is not taken
        gravel_s2 = gravel_request_null
        ! gravel: null where the branch below is not taken
        gravel_s3 = gravel_request_null
        if (mod(rank, 2) .eq. 0) then
          dest = right
          msgtype = 7
          ! gravel: what the call at line 49 needs, computed as furth...
          gravel_early3_msgtype = 8
          if (mod(ranks, 2) .eq. 1 .and. rank .eq. 0)
     &        gravel_early3_msgtype = 7
          ! gravel: posted early, was line 49: call mpi_recv(b, n, mp...
          call gravel_post_rcv_buffer_rdma(b, n, mpi_real8, left,
     &        gravel_early3_msgtype, mpi_comm_world, gravel_r2)
          ! gravel: sent tile by tile above, was line 44: call mpi_se...
          call gravel_send_fin(gravel_t2, gravel_s2, ierr)
          source = left
          msgtype = 8
          if (mod(ranks, 2) .eq. 1 .and. rank .eq. 0) msgtype = 7
          ! gravel: waits here, was line 49: call mpi_recv(b, n, mpi_...
          call gravel_wait(gravel_r2, b, status, ierr)
        else
          source = left
          msgtype = 7
          ! gravel: posted here, was line 54: call mpi_recv(b, n, mpi...
          call gravel_post_rcv_buffer_rdma(b, n, mpi_real8, source,
     &        msgtype, mpi_comm_world, gravel_r3, ierr)
          dest = right
          msgtype = 8
          ! gravel: sent without waiting, was line 58: call mpi_send(...
          call gravel_post_send(c, n, mpi_real8, dest, msgtype,
     &        mpi_comm_world, gravel_s3, ierr)
          ! gravel: the wait moved here, was line 54: call mpi_recv(b...
          call gravel_wait(gravel_r3, b, status)
        end if
        do 50 i = 1, n
          s = s + b(i)
   50   continue
        ! gravel: the wait moved here, was line 36: call mpi_sendrecv...
        call gravel_wait(gravel_s1, a)
        ! gravel: the wait moved here, was line 44: call mpi_send(c, ...
        call gravel_wait(gravel_s2, c)
        ! gravel: the wait moved here, was line 58: call mpi_send(c, ...
        call gravel_wait(gravel_s3, c)
   60 continue
      call mpi_gather(s, 1, mpi_real8, sums, 1, mpi_real8, 0,
     &                mpi_comm_world, ierr)
      if (rank .eq. 0) write(*,*) (sums(i), i = 1, ranks)
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
