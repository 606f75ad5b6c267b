      subroutine readin
      implicit none
      include 'mpif.h'
      include 'swcom.h'
      integer buf(6), info, ios
      if (me .eq. 0) then
         open(unit=7, file='input', status='old', iostat=ios)
         if (ios .eq. 0) read(7, *, iostat=ios) buf
         if (ios .ne. 0) then
            write(0,*) 'SWEEP3D: the file input is missing or wrong'
            call mpi_abort(mpi_comm_world, 2, info)
         endif
         close(7)
      endif
      call mpi_bcast(buf, 6, mpi_integer, 0, mpi_comm_world, info)
      itg = buf(1)
      jtg = buf(2)
      kt = buf(3)
      mk = buf(4)
      mmi = buf(5)
      niter = buf(6)
      if (itg .gt. itm .or. jtg .gt. jtm .or. kt .gt. ktm .or.
     >    mod(kt, mk) .ne. 0 .or. mod(mm, mmi) .ne. 0) then
         if (me .eq. 0) write(0,*) 'SWEEP3D: sizes that do not fit'
         call mpi_abort(mpi_comm_world, 2, info)
      endif
      end

c-----------------------------------------------------------------------
c     npei columns from west to east, npej rows from south to north.
c-----------------------------------------------------------------------
      subroutine decompose
      implicit none
      include 'swcom.h'
      integer i
      npei = 1
      do i = 1, npe
         if (i*i .le. npe .and. mod(npe, i) .eq. 0) npei = i
      enddo
      npej = npe/npei
      mypei = mod(me, npei)
      mypej = me/npei
      west = -1
      east = -1
      south = -1
      north = -1
      if (mypei .gt. 0) west = me - 1
      if (mypei .lt. npei - 1) east = me + 1
      if (mypej .gt. 0) south = me - npei
      if (mypej .lt. npej - 1) north = me + npei
      it = itg/npei
      istart = mypei*it + min(mypei, mod(itg, npei))
      if (mypei .lt. mod(itg, npei)) it = it + 1
      jt = jtg/npej
      jstart = mypej*jt + min(mypej, mod(jtg, npej))
      if (mypej .lt. mod(jtg, npej)) jt = jt + 1
      end

c-----------------------------------------------------------------------
c     Angles of an octant (their weights add up to one eighth), cross
c     sections, and a source in the middle of the box.
c-----------------------------------------------------------------------
      subroutine initial
      implicit none
      include 'swcom.h'
      integer i, j, k, m, ig, jg
      double precision x, y, z, cosine(3,mm)
      data cosine /0.91d0, 0.27d0, 0.31d0,  0.68d0, 0.27d0, 0.68d0,
     >             0.68d0, 0.68d0, 0.27d0,  0.27d0, 0.27d0, 0.92d0,
     >             0.27d0, 0.68d0, 0.68d0,  0.27d0, 0.92d0, 0.28d0/
      do m = 1, mm
         mu(m) = cosine(1,m)
         eta(m) = cosine(2,m)
         tsi(m) = cosine(3,m)
         w(m) = 0.125d0/dble(mm)
      enddo
      sigt = 0.5d0
      sigs = 0.3d0
      do k = 1, kt
         z = (dble(k) - 0.5d0)/dble(kt) - 0.5d0
         do j = 1, jt
            jg = jstart + j
            y = (dble(jg) - 0.5d0)/dble(jtg) - 0.5d0
            do i = 1, it
               ig = istart + i
               x = (dble(ig) - 0.5d0)/dble(itg) - 0.5d0
               flux(i,j,k) = 0.0d0
               qext(i,j,k) = 0.0d0
               if (max(abs(x), abs(y), abs(z)) .lt. 0.3d0)
     >            qext(i,j,k) = 1.0d0 + x*x*y*y + z*z
            enddo
         enddo
      enddo
      end
