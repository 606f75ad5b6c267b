c-----------------------------------------------------------------------
c     Process grid, neighbours, sizes of all levels, tags.
c-----------------------------------------------------------------------
      subroutine setup
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer axis, p, k, low, ierr, rankof
      external rankof

      pdim(1) = 1
      pdim(2) = 1
      pdim(3) = 1
      p = nprocs
      axis = 3
 10   if (p .gt. 1) then
         if (mod(p,2) .ne. 0) goto 90
         pdim(axis) = pdim(axis)*2
         p = p/2
         axis = axis - 1
         if (axis .eq. 0) axis = 3
         goto 10
      endif
      pos(1) = mod(me, pdim(1))
      pos(2) = mod(me/pdim(1), pdim(2))
      pos(3) = me/(pdim(1)*pdim(2))

      do axis = 1, 3
         nbr(axis,-1) = rankof(axis, -1)
         nbr(axis, 1) = rankof(axis, +1)
         msg_type(axis,-1) = 100 + 10*axis
         msg_type(axis, 1) = 101 + 10*axis
      enddo

c     The coarsest level has at least two points in each direction on
c     each process.
      low = min(n/pdim(1), n/pdim(2), n/pdim(3))
      lt = 0
 20   if (low .ge. 2) then
         lt = lt + 1
         low = low/2
         goto 20
      endif
      if (lt .lt. 1) goto 90
      do k = lt, 1, -1
         m1(k) = n/pdim(1)/2**(lt-k) + 2
         m2(k) = n/pdim(2)/2**(lt-k) + 2
         m3(k) = n/pdim(3)/2**(lt-k) + 2
      enddo
      ir(lt) = 1
      do k = lt - 1, 1, -1
         ir(k) = ir(k+1) + m1(k+1)*m2(k+1)*m3(k+1)
      enddo
      return

 90   if (me .eq. 0) write(0,*) 'MG runs on 2**k processes, not on ',
     >   nprocs
      call mpi_abort(mpi_comm_world, 2, ierr)
      end

      integer function rankof(axis, dir)
      implicit none
      include 'globals.h'
      integer axis, dir, q(3), i
      do i = 1, 3
         q(i) = pos(i)
      enddo
      q(axis) = mod(q(axis) + dir + pdim(axis), pdim(axis))
      rankof = q(1) + pdim(1)*(q(2) + pdim(2)*q(3))
      end
