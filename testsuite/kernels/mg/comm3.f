c-----------------------------------------------------------------------
c     Ghost points of a level, axis by axis, with wrap-around: a receive
c     is made ready, faces are given, and those that came are taken.
c-----------------------------------------------------------------------
      subroutine comm3(u, n1, n2, n3)
      implicit none
      include 'globals.h'
      integer n1, n2, n3, axis
      double precision u(n1,n2,n3)

      do axis = 1, 3
         if (pdim(axis) .ne. 1) then
            call ready(axis, -1)
            call ready(axis, +1)
            call give3(axis, +1, u, n1, n2, n3)
            call give3(axis, -1, u, n1, n2, n3)
            call take3(axis, -1, u, n1, n2, n3)
            call take3(axis, +1, u, n1, n2, n3)
         else
            call wrap3(axis, u, n1, n2, n3)
         endif
      enddo
      end

c-----------------------------------------------------------------------
      subroutine ready(axis, dir)
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer axis, dir, buffid, ierr

      buffid = 3 + dir
      call mpi_irecv(buff(1,buffid), nm2, mpi_double_precision,
     >   nbr(axis,dir), msg_type(axis,-dir), mpi_comm_world,
     >   msg_id(axis,dir), ierr)
      end

c-----------------------------------------------------------------------
      subroutine give3(axis, dir, u, n1, n2, n3)
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer axis, dir, n1, n2, n3
      double precision u(n1,n2,n3)
      integer i1, i2, i3, buffid, length, ierr

      buffid = 2 + dir
      length = 0
      if (axis .eq. 1) then
         i1 = 2
         if (dir .eq. 1) i1 = n1 - 1
         do i3 = 2, n3 - 1
            do i2 = 2, n2 - 1
               length = length + 1
               buff(length,buffid) = u(i1,i2,i3)
            enddo
         enddo
      else if (axis .eq. 2) then
         i2 = 2
         if (dir .eq. 1) i2 = n2 - 1
         do i3 = 2, n3 - 1
            do i1 = 1, n1
               length = length + 1
               buff(length,buffid) = u(i1,i2,i3)
            enddo
         enddo
      else
         i3 = 2
         if (dir .eq. 1) i3 = n3 - 1
         do i2 = 1, n2
            do i1 = 1, n1
               length = length + 1
               buff(length,buffid) = u(i1,i2,i3)
            enddo
         enddo
      endif
      call mpi_send(buff(1,buffid), length, mpi_double_precision,
     >   nbr(axis,dir), msg_type(axis,dir), mpi_comm_world, ierr)
      end

c-----------------------------------------------------------------------
      subroutine take3(axis, dir, u, n1, n2, n3)
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer axis, dir, n1, n2, n3
      double precision u(n1,n2,n3)
      integer i1, i2, i3, buffid, indx, ierr
      integer status(mpi_status_size)

      call mpi_wait(msg_id(axis,dir), status, ierr)
      buffid = 3 + dir
      indx = 0
      if (axis .eq. 1) then
         i1 = 1
         if (dir .eq. 1) i1 = n1
         do i3 = 2, n3 - 1
            do i2 = 2, n2 - 1
               indx = indx + 1
               u(i1,i2,i3) = buff(indx,buffid)
            enddo
         enddo
      else if (axis .eq. 2) then
         i2 = 1
         if (dir .eq. 1) i2 = n2
         do i3 = 2, n3 - 1
            do i1 = 1, n1
               indx = indx + 1
               u(i1,i2,i3) = buff(indx,buffid)
            enddo
         enddo
      else
         i3 = 1
         if (dir .eq. 1) i3 = n3
         do i2 = 1, n2
            do i1 = 1, n1
               indx = indx + 1
               u(i1,i2,i3) = buff(indx,buffid)
            enddo
         enddo
      endif
      end

c-----------------------------------------------------------------------
c     The same where one process holds the whole axis.
c-----------------------------------------------------------------------
      subroutine wrap3(axis, u, n1, n2, n3)
      implicit none
      integer axis, n1, n2, n3
      double precision u(n1,n2,n3)
      integer i1, i2, i3

      if (axis .eq. 1) then
         do i3 = 2, n3 - 1
            do i2 = 2, n2 - 1
               u(1,i2,i3) = u(n1-1,i2,i3)
               u(n1,i2,i3) = u(2,i2,i3)
            enddo
         enddo
      else if (axis .eq. 2) then
         do i3 = 2, n3 - 1
            do i1 = 1, n1
               u(i1,1,i3) = u(i1,n2-1,i3)
               u(i1,n2,i3) = u(i1,2,i3)
            enddo
         enddo
      else
         do i2 = 1, n2
            do i1 = 1, n1
               u(i1,i2,1) = u(i1,i2,n3-1)
               u(i1,i2,n3) = u(i1,i2,2)
            enddo
         enddo
      endif
      end
