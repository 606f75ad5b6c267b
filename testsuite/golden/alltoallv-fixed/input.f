c     Lengths and places of blocks in one array, of which elements are
c     handed over; the blocks that are sent overlap, and those that come
c     lie in the opposite order, with gaps.
      program ragged
      implicit none
      include 'mpif.h'
      integer maxp, n
      parameter (maxp = 4, n = 9000)
      integer ierr, me, np, i, p, step
      integer list(4*maxp)
      double precision out(2*n), in(2*n*maxp), f(2*n)
      double precision s, all(maxp)

      call mpi_init(ierr)
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
         do i = 1, 2*n
            out(i) = f(i) + dble(step)
         enddo
         call mpi_alltoallv(out(1), list(1), list(maxp + 1),
     >      mpi_double_precision, in(1), list(2*maxp + 1),
     >      list(3*maxp + 1), mpi_double_precision, mpi_comm_world,
     >      ierr)
         do i = 1, 2*n
            f(i) = f(i)*0.25d0
         enddo
         do i = 1, n
            f(i) = f(i) + in(i) + in(n + i)
         enddo
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
      call mpi_finalize(ierr)
      end
