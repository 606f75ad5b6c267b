C The exchange and the computation are external procedures, which have no module for what they hand each other.
! ranks: 1 2 3 4
      program heat
      use gravel
      implicit none
      include 'mpif.h'
      integer n, m
      parameter (n = 150, m = 80)
      integer ierr, rank, ranks, i, j, step
      integer left, right
      common /places/ left, right
      real*8 u(0:n+1,0:m+1), w(0:n+1,0:m+1), v(0:n+1,0:m+1)
      real*8 own(3), all(3,16)
      integer(gravel_request_kind) :: gravel_r1_exch, gravel_w1_exch,
     &    gravel_w2_exch, gravel_w3_exch, gravel_w4_exch,
     &    gravel_c1_relax, gravel_c2_relax
      common /gravel_1_exch/ gravel_r1_exch
      common /gravel_1w_exch/ gravel_w1_exch
      common /gravel_2w_exch/ gravel_w2_exch
      common /gravel_3w_exch/ gravel_w3_exch
      common /gravel_4w_exch/ gravel_w4_exch
      common /gravel_1c_relax/ gravel_c1_relax
      common /gravel_2c_relax/ gravel_c2_relax
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      left = rank - 1
      if (left .lt. 0) left = mpi_proc_null
      right = rank + 1
      if (right .eq. ranks) right = mpi_proc_null
      do 20 j = 0, m + 1
        do 10 i = 0, n + 1
          u(i,j) = mod(3*i + 7*j, 11) + rank
          w(i,j) = u(i,j)
          v(i,j) = mod(i + j, 5)
   10   continue
   20 continue
      do 60 step = 1, 5
        ! gravel: posted early for `exch`, was line 68 there: call mp...
        call gravel_post_rcv_buffer_rdma(u, n + 2, mpi_real8, left, 1,
     &      mpi_comm_world, gravel_r1_exch)
        call exch(u, n, m)
        ! gravel: posted early for `exch`, was line 68 there: call mp...
        call gravel_post_rcv_buffer_rdma(w, n + 2, mpi_real8, left, 1,
     &      mpi_comm_world, gravel_r1_exch)
        ! gravel: waited for in `relax`
        gravel_c1_relax = gravel_w2_exch
        gravel_c2_relax = gravel_w3_exch
        call relax(u, w, n, m)
        ! gravel: waits here for what line 28 has begun: call exch(u,...
        call gravel_wait(gravel_w1_exch, u)
        call gravel_wait(gravel_w4_exch, u)
C Nothing is under way for this one.
        ! gravel: nothing to wait for in `relax`
        gravel_c1_relax = gravel_request_null
        gravel_c2_relax = gravel_request_null
        call relax(v, u, n, m)
        call exch(w, n, m)
        ! gravel: waited for in `relax`
        gravel_c1_relax = gravel_w2_exch
        gravel_c2_relax = gravel_w3_exch
        call relax(w, v, n, m)
        do 50 j = 1, m
          do 40 i = 1, n
            u(i,j) = 0.5d0*w(i,j) + 0.25d0*u(i,j)
   40     continue
   50   continue
        ! gravel: waits here for what line 32 has begun: call exch(w,...
        call gravel_wait(gravel_w1_exch, w)
        call gravel_wait(gravel_w4_exch, w)
   60 continue
      own(1) = 0.0d0
      own(2) = 0.0d0
      own(3) = 0.0d0
      do 80 j = 0, m + 1
        do 70 i = 0, n + 1
          own(1) = own(1) + u(i,j)
          own(2) = own(2) + w(i,j)
          own(3) = own(3) + v(i,j)
   70   continue
   80 continue
      call mpi_gather(own, 3, mpi_real8, all, 3, mpi_real8, 0,
     &                mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 90 i = 1, ranks
          write(*,*) all(1,i), all(2,i), all(3,i)
   90   continue
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

C One column from either side, and one to either side.
      subroutine exch(u, n, m)
      use gravel
      implicit none
      include 'mpif.h'
      integer n, m, ierr
      real*8 u(0:n+1,0:m+1)
      integer left, right
      common /places/ left, right
      integer(gravel_request_kind) :: gravel_r1_exch, gravel_w1_exch,
     &    gravel_w2_exch, gravel_w3_exch, gravel_w4_exch
      common /gravel_1_exch/ gravel_r1_exch
      common /gravel_1w_exch/ gravel_w1_exch
      common /gravel_2w_exch/ gravel_w2_exch
      common /gravel_3w_exch/ gravel_w3_exch
      common /gravel_4w_exch/ gravel_w4_exch
      ! gravel: posted early, was line 71: call mpi_sendrecv(u(0,1), ...
      call gravel_post_rcv_buffer_rdma(u(0,m+1), n+2, mpi_real8, right,
     &    2, mpi_comm_world, gravel_w3_exch)
      ! gravel: sent without waiting, was line 68: call mpi_sendrecv(...
      call gravel_post_send(u(0,m), n+2, mpi_real8, right, 1,
     &    mpi_comm_world, gravel_w1_exch, ierr)
      gravel_w2_exch = gravel_r1_exch
      ! gravel: sent without waiting, was line 71: call mpi_sendrecv(...
      call gravel_post_send(u(0,1), n+2, mpi_real8, left, 2,
     &    mpi_comm_world, gravel_w4_exch, ierr)
      return
      end

      subroutine relax(u, w, n, m)
      use gravel
      implicit none
      integer n, m, i, j
      real*8 u(0:n+1,0:m+1), w(0:n+1,0:m+1)
      integer(gravel_request_kind) :: gravel_c1_relax, gravel_c2_relax
      integer :: gravel_lo1, gravel_hi1, gravel_part1
      common /gravel_1c_relax/ gravel_c1_relax
      common /gravel_2c_relax/ gravel_c2_relax
      ! gravel: the iterations inside, then the wait, then the first ...
      gravel_lo1 = 2
      gravel_hi1 = m - 1
      do gravel_part1 = 1, 3
         if (gravel_part1 == 2) then
            ! gravel: waits here, before the first and the last itera...
            call gravel_wait(gravel_c1_relax, u)
            call gravel_wait(gravel_c2_relax, u)
            gravel_lo1 = 1
            gravel_hi1 = min(1, m)
         else if (gravel_part1 == 3) then
            gravel_lo1 = max(2, m)
            gravel_hi1 = m
         end if
         do 20 j = gravel_lo1, gravel_hi1
           do 10 i = 1, n
             w(i,j) = 0.5d0*u(i,j) + 0.125d0*(u(i,j-1) + u(i,j+1)
     &              + u(i-1,j) + u(i+1,j))
   10      continue
   20    continue
      end do
      return
      end
