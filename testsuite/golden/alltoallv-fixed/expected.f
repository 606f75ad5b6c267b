c     Lengths and places of blocks in one array, of which elements are
c     handed over; the blocks that are sent overlap, and those that come
c     lie in the opposite order, with gaps.
      program ragged
      use gravel
      implicit none
      include 'mpif.h'
      integer maxp, n
      parameter (maxp = 4, n = 9000)
      integer ierr, me, np, i, p, step
      integer list(4*maxp)
      double precision out(2*n), in(2*n*maxp), f(2*n)
      double precision s, all(maxp)
      integer(gravel_request_kind) :: gravel_r1, gravel_s1
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, np, ierr)
      do p = 1, np
         list(p) = n + 10*me
         list(maxp + p) = 100*p
         list(2*maxp + p) = n + 10*(p - 1)
         list(3*maxp + p) = (np - p)*(n + 500) + 7
      enddo
      do i = 1, 2*n
         f(i) = dble(me + 1) + dble(mod(i, 37))*0.5d0
         out(i) = 0.0d0
      enddo
      do i = 1, 2*n*maxp
         in(i) = 0.0d0
      enddo

      do step = 1, 3
         ! gravel: posted early, was line 35: call mpi_alltoallv(out(...
         call gravel_post_alltoallv_segments(in(1), list(2*maxp + 1:),
     &       list(3*maxp + 1:), mpi_double_precision, mpi_comm_world,
     &       gravel_r1)
         ! gravel: one handshake, a put per tile, was line 35: call m...
         call gravel_open_alltoallv(out(1), list(1:), list(maxp + 1:),
     &       mpi_double_precision, mpi_comm_world, gravel_t1)
         gravel_step1 = gravel_tile(gravel_t1, 2*n)
         do gravel_lo1 = 1, 2*n, gravel_step1
            gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &          (2*n) - gravel_lo1)
            do i = gravel_lo1, gravel_hi1
               out(i) = f(i) + dble(step)
            enddo
            call gravel_post_os_put(gravel_t1, out(1), gravel_lo1 - 1,
     &          gravel_hi1 - gravel_lo1 + 1)
         end do
         ! gravel: sent tile by tile above, was line 35: call mpi_all...
         call gravel_send_fin(gravel_t1, gravel_s1, ierr)
         do i = 1, 2*n
            f(i) = f(i)*0.25d0
         enddo
         ! gravel: waits here for what each tile reads, was line 35: ...
         gravel_step2 = gravel_tile(gravel_r1, n)
         if (gravel_step2 >= n) call gravel_wait(gravel_r1, in)
         do gravel_lo2 = 1, n, gravel_step2
            gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1,
     &          n - gravel_lo2)
            if (gravel_step2 < n) call gravel_wait_range(gravel_r1, in,
     &          0_gravel_offset_kind, int(gravel_hi2,
     &          gravel_offset_kind) + 9000)
            do i = gravel_lo2, gravel_hi2
               f(i) = f(i) + in(i) + in(n + i)
            enddo
         end do
         if (gravel_step2 < n) call gravel_wait(gravel_r1, in)
         ! gravel: the wait moved here, was line 35: call mpi_alltoal...
         call gravel_wait(gravel_s1, out)
      enddo
      s = 0.0d0
      do i = 1, 2*n
         s = s + f(i)*dble(mod(i, 11))
      enddo
      call mpi_gather(s, 1, mpi_double_precision, all, 1,
     >   mpi_double_precision, 0, mpi_comm_world, ierr)
      if (me .eq. 0) then
         do p = 1, np
            write (*, '(a,i2,a,es24.16)') 'rank ', p - 1, ' sum ',
     >         all(p)
         enddo
      endif
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
