c-----------------------------------------------------------------------
c     EP: pairs of Gaussian deviates by the polar method, counted in
c     square annuli.  Processes talk to each other only at the end.
c-----------------------------------------------------------------------
      program ep
      implicit none
      include 'mpif.h'
      integer me, np, ierr, m, i
      integer*8 first, last, pairs
      double precision part(12), tot(12), t, expect, seedend
      double precision jumped, pi
      parameter (pi = 3.14159265358979324d0)
      external jumped
      character*8 class
      logical ok

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, np, ierr)
      class = 'tiny'
      if (iargc() .ge. 1) call getarg(1, class)
      m = 0
      if (class .eq. 'tiny') m = 14
      if (class .eq. 'small') m = 20
      if (class .eq. 'medium') m = 24
      if (class .eq. 'large') m = 29
      if (m .eq. 0) then
         write(0,*) 'EP: no class ', class
         call mpi_abort(mpi_comm_world, 2, ierr)
      endif
      pairs = 2_8**m
      if (me .eq. 0) write(*,1000) class, m
 1000 format('EP class ', a8, ' 2**', i2, ' pairs')

      call mpi_barrier(mpi_comm_world, ierr)
      t = -mpi_wtime()
      first = pairs*me/np
      last = pairs*(me + 1)/np
      call gauss(first, last, part, seedend)

c     Whoever comes next begins with the number after my last.
      ok = seedend .eq. jumped(2*last)
      part(12) = 0.0d0
      if (.not. ok) part(12) = 1.0d0
      call mpi_allreduce(part, tot, 12, mpi_double_precision, mpi_sum,
     >   mpi_comm_world, ierr)
      t = t + mpi_wtime()

      do i = 1, 9
         if (me .eq. 0) write(*,1100) i - 1, tot(i)
 1100    format('  annulus ', i2, f16.0)
      enddo
      expect = dble(pairs)*pi/4.0d0
      tot(9) = tot(1) + tot(2) + tot(3) + tot(4) + tot(5) + tot(6)
     >       + tot(7) + tot(8) + tot(9)
      ok = tot(12) .eq. 0.0d0
     >   .and. abs(tot(9) - expect) .lt. 5.0d0*sqrt(dble(pairs))
     >   .and. abs(tot(10)) .lt. 6.0d0*sqrt(tot(9))
     >   .and. abs(tot(11)) .lt. 6.0d0*sqrt(tot(9))
      if (me .eq. 0) then
         write(*,1200) tot(9), tot(10), tot(11)
 1200    format('  pairs ', f16.0, ' sums ', 2es21.12)
         write(0,1300) t
 1300    format('Time in seconds = ', f12.4)
         if (ok) then
            write(*,'(a)') 'Verification successful'
         else
            write(*,'(a)') 'Verification failed'
         endif
      endif
      call mpi_finalize(ierr)
      if (.not. ok) stop 1
      end

c-----------------------------------------------------------------------
c     Pairs first+1 to last: counts in part(1..9), sums in part(10..11).
c-----------------------------------------------------------------------
      subroutine gauss(first, last, part, seed)
      implicit none
      integer*8 first, last, i
      double precision part(12), seed, x, y, s, f, jumped, random
      external jumped, random
      integer l
      do l = 1, 12
         part(l) = 0.0d0
      enddo
      seed = jumped(2*first)
      do i = first + 1, last
         x = 2.0d0*random(seed) - 1.0d0
         y = 2.0d0*random(seed) - 1.0d0
         s = x*x + y*y
         if (s .le. 1.0d0) then
            f = sqrt(-2.0d0*log(s)/s)
            x = x*f
            y = y*f
            l = min(int(max(abs(x), abs(y))), 8) + 1
            part(l) = part(l) + 1.0d0
            part(10) = part(10) + x
            part(11) = part(11) + y
         endif
      enddo
      end
