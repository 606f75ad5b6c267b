      subroutine setsize(class)
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      character*(*) class
      integer ierr
      cgitmax = 40
      if (class .eq. 'tiny') then
         na = 512
         niter = 3
      else if (class .eq. 'small') then
         na = 8192
         niter = 6
      else if (class .eq. 'medium') then
         na = 65536
         niter = 12
      else if (class .eq. 'large') then
         na = 262144
         niter = 60
      else
         write(0,*) 'CG: no class ', class
         call mpi_abort(mpi_comm_world, 2, ierr)
      endif
      end

c-----------------------------------------------------------------------
c     The grid of processes, square or twice as wide as high, and who
c     exchanges with whom.
c-----------------------------------------------------------------------
      subroutine setproc
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      integer i, half, ierr

      nprows = 1
      npcols = 1
 10   if (nprows*npcols .lt. nprocs) then
         if (npcols .eq. nprows) then
            npcols = 2*npcols
         else
            nprows = 2*nprows
         endif
         goto 10
      endif
      if (nprows*npcols .ne. nprocs) then
         if (me .eq. 0) write(0,*) 'CG runs on 2**k processes'
         call mpi_abort(mpi_comm_world, 2, ierr)
      endif
      prow = me/npcols
      pcol = mod(me, npcols)
      firstr = prow*(na/nprows) + 1
      lastr = firstr + na/nprows - 1
      firstc = pcol*(na/npcols) + 1
      lastc = firstc + na/npcols - 1

c     Partners in the row, nearest last.
      l2npcols = 0
      i = npcols/2
 20   if (i .gt. 0) then
         half = i
         l2npcols = l2npcols + 1
         if (mod(pcol/half, 2) .eq. 0) then
            rowp(l2npcols) = me + half
         else
            rowp(l2npcols) = me - half
         endif
         i = i/2
         goto 20
      endif

c     The transpose partner: it has as rows what is needed as columns.
      exlen = na/npcols
      if (npcols .eq. nprows) then
         exchp = pcol*npcols + prow
         exstart = 1
      else
         exchp = (pcol/2)*npcols + 2*prow + mod(pcol, 2)
         exstart = mod(pcol, 2)*exlen + 1
      endif
      end
