c-----------------------------------------------------------------------
c     Simple operations on one level, and the known solution.
c-----------------------------------------------------------------------
      subroutine zero3(z, n1, n2, n3)
      implicit none
      integer n1, n2, n3, i1, i2, i3
      double precision z(n1,n2,n3)
      do i3 = 1, n3
         do i2 = 1, n2
            do i1 = 1, n1
               z(i1,i2,i3) = 0.0d0
            enddo
         enddo
      enddo
      end

      subroutine negate(z, y, n1, n2, n3)
      implicit none
      integer n1, n2, n3, i1, i2, i3
      double precision z(n1,n2,n3), y(n1,n2,n3)
      do i3 = 1, n3
         do i2 = 1, n2
            do i1 = 1, n1
               z(i1,i2,i3) = -y(i1,i2,i3)
            enddo
         enddo
      enddo
      end

      subroutine exact(z, n1, n2, n3)
      implicit none
      include 'globals.h'
      integer n1, n2, n3, i1, i2, i3
      double precision z(n1,n2,n3), w, x, y, zz
      w = 2.0d0*3.14159265358979324d0/dble(n)
      do i3 = 1, n3
         zz = w*dble(pos(3)*(n3-2) + i3 - 1)
         do i2 = 1, n2
            y = w*dble(pos(2)*(n2-2) + i2 - 1)
            do i1 = 1, n1
               x = w*dble(pos(1)*(n1-2) + i1 - 1)
               z(i1,i2,i3) = sin(x)*cos(y) + 0.5d0*cos(2.0d0*y)*sin(zz)
     >            + 0.25d0*sin(3.0d0*x + zz)
            enddo
         enddo
      enddo
      end

c-----------------------------------------------------------------------
c     Root of the mean square, and largest absolute value.
c-----------------------------------------------------------------------
      subroutine norm2u3(r, n1, n2, n3, rnm2, rnmu)
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer n1, n2, n3, i1, i2, i3, ierr
      double precision r(n1,n2,n3), rnm2, rnmu, s, t
      s = 0.0d0
      t = 0.0d0
      do i3 = 2, n3 - 1
         do i2 = 2, n2 - 1
            do i1 = 2, n1 - 1
               s = s + r(i1,i2,i3)**2
               t = max(t, abs(r(i1,i2,i3)))
            enddo
         enddo
      enddo
      call mpi_allreduce(t, rnmu, 1, mpi_double_precision, mpi_max,
     >   mpi_comm_world, ierr)
      call mpi_allreduce(s, rnm2, 1, mpi_double_precision, mpi_sum,
     >   mpi_comm_world, ierr)
      rnm2 = sqrt(rnm2/(dble(n)*dble(n)*dble(n)))
      end

c-----------------------------------------------------------------------
c     Largest difference but for a constant: the mean is not determined.
c-----------------------------------------------------------------------
      subroutine differ(u, x, n1, n2, n3, err)
      implicit none
      include 'mpif.h'
      include 'globals.h'
      integer n1, n2, n3, i1, i2, i3, ierr
      double precision u(n1,n2,n3), x(n1,n2,n3), err, s, t, mean
      s = 0.0d0
      do i3 = 2, n3 - 1
         do i2 = 2, n2 - 1
            do i1 = 2, n1 - 1
               s = s + u(i1,i2,i3) - x(i1,i2,i3)
            enddo
         enddo
      enddo
      call mpi_allreduce(s, mean, 1, mpi_double_precision, mpi_sum,
     >   mpi_comm_world, ierr)
      mean = mean/(dble(n)*dble(n)*dble(n))
      t = 0.0d0
      do i3 = 2, n3 - 1
         do i2 = 2, n2 - 1
            do i1 = 2, n1 - 1
               t = max(t, abs(u(i1,i2,i3) - x(i1,i2,i3) - mean))
            enddo
         enddo
      enddo
      call mpi_allreduce(t, err, 1, mpi_double_precision, mpi_max,
     >   mpi_comm_world, ierr)
      end
