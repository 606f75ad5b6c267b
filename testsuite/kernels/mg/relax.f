c-----------------------------------------------------------------------
c     r = v - A u, with the 27-point operator A.  v may be r.
c-----------------------------------------------------------------------
      subroutine resid(u, v, r, n1, n2, n3, a)
      implicit none
      include 'globals.h'
      integer n1, n2, n3, i1, i2, i3
      double precision u(n1,n2,n3), v(n1,n2,n3), r(n1,n2,n3), a(0:3)
      double precision u1(n+2), u2(n+2)

      do i3 = 2, n3 - 1
         do i2 = 2, n2 - 1
            do i1 = 1, n1
               u1(i1) = u(i1,i2-1,i3) + u(i1,i2+1,i3)
     >                + u(i1,i2,i3-1) + u(i1,i2,i3+1)
               u2(i1) = u(i1,i2-1,i3-1) + u(i1,i2+1,i3-1)
     >                + u(i1,i2-1,i3+1) + u(i1,i2+1,i3+1)
            enddo
            do i1 = 2, n1 - 1
               r(i1,i2,i3) = v(i1,i2,i3) - a(0)*u(i1,i2,i3)
     >            - a(1)*(u(i1-1,i2,i3) + u(i1+1,i2,i3) + u1(i1))
     >            - a(2)*(u2(i1) + u1(i1-1) + u1(i1+1))
     >            - a(3)*(u2(i1-1) + u2(i1+1))
            enddo
         enddo
      enddo
      call comm3(r, n1, n2, n3)
      end

c-----------------------------------------------------------------------
c     u = u + C r, with the smoother C.
c-----------------------------------------------------------------------
      subroutine psinv(r, u, n1, n2, n3, c)
      implicit none
      include 'globals.h'
      integer n1, n2, n3, i1, i2, i3
      double precision u(n1,n2,n3), r(n1,n2,n3), c(0:3)
      double precision r1(n+2), r2(n+2)

      do i3 = 2, n3 - 1
         do i2 = 2, n2 - 1
            do i1 = 1, n1
               r1(i1) = r(i1,i2-1,i3) + r(i1,i2+1,i3)
     >                + r(i1,i2,i3-1) + r(i1,i2,i3+1)
               r2(i1) = r(i1,i2-1,i3-1) + r(i1,i2+1,i3-1)
     >                + r(i1,i2-1,i3+1) + r(i1,i2+1,i3+1)
            enddo
            do i1 = 2, n1 - 1
               u(i1,i2,i3) = u(i1,i2,i3) + c(0)*r(i1,i2,i3)
     >            + c(1)*(r(i1-1,i2,i3) + r(i1+1,i2,i3) + r1(i1))
     >            + c(2)*(r2(i1) + r1(i1-1) + r1(i1+1))
     >            + c(3)*(r2(i1-1) + r2(i1+1))
            enddo
         enddo
      enddo
      call comm3(u, n1, n2, n3)
      end

c-----------------------------------------------------------------------
c     One more smoothing of the coarsest level; its right-hand side s is
c     kept.
c-----------------------------------------------------------------------
      subroutine smooth(s, u, n1, n2, n3, a, c)
      implicit none
      include 'globals.h'
      integer n1, n2, n3
      double precision s(n1,n2,n3), u(n1,n2,n3), a(0:3), c(0:3)
      double precision t(nm2)
      common /bottom/ t

      if (n1*n2*n3 .gt. nm2) return
      call resid(u, s, t, n1, n2, n3, a)
      call psinv(t, u, n1, n2, n3, c)
      end

c-----------------------------------------------------------------------
c     Residual of the next coarser level: weighted sum of 27 points.
c-----------------------------------------------------------------------
      subroutine rprj3(r, k1, k2, k3, s, j1, j2, j3)
      implicit none
      include 'globals.h'
      integer k1, k2, k3, j1, j2, j3
      double precision r(k1,k2,k3), s(j1,j2,j3)
      double precision x1(n+2), y1(n+2), x2, y2
      integer i1, i2, i3, l1, l2, l3

      do l3 = 2, j3 - 1
         i3 = 2*l3 - 1
         do l2 = 2, j2 - 1
            i2 = 2*l2 - 1
            do l1 = 2, j1
               i1 = 2*l1 - 1
               x1(i1-1) = r(i1-1,i2-1,i3) + r(i1-1,i2+1,i3)
     >                  + r(i1-1,i2,i3-1) + r(i1-1,i2,i3+1)
               y1(i1-1) = r(i1-1,i2-1,i3-1) + r(i1-1,i2-1,i3+1)
     >                  + r(i1-1,i2+1,i3-1) + r(i1-1,i2+1,i3+1)
            enddo
            do l1 = 2, j1 - 1
               i1 = 2*l1 - 1
               y2 = r(i1,i2-1,i3-1) + r(i1,i2-1,i3+1)
     >            + r(i1,i2+1,i3-1) + r(i1,i2+1,i3+1)
               x2 = r(i1,i2-1,i3) + r(i1,i2+1,i3)
     >            + r(i1,i2,i3-1) + r(i1,i2,i3+1)
               s(l1,l2,l3) = 0.5d0*r(i1,i2,i3)
     >            + 0.25d0*(r(i1-1,i2,i3) + r(i1+1,i2,i3) + x2)
     >            + 0.125d0*(x1(i1-1) + x1(i1+1) + y2)
     >            + 0.0625d0*(y1(i1-1) + y1(i1+1))
            enddo
         enddo
      enddo
      call comm3(s, j1, j2, j3)
      end

c-----------------------------------------------------------------------
c     u = u + what the coarser level z has, linear in between.  The ghost
c     points of z make those of u right, too.
c-----------------------------------------------------------------------
      subroutine interp(z, j1, j2, j3, u, k1, k2, k3)
      implicit none
      include 'globals.h'
      integer j1, j2, j3, k1, k2, k3
      double precision z(j1,j2,j3), u(k1,k2,k3)
      double precision z1(n+2), z2(n+2), z3(n+2)
      integer i1, i2, i3

      do i3 = 1, j3 - 1
         do i2 = 1, j2 - 1
            do i1 = 1, j1
               z1(i1) = z(i1,i2+1,i3) + z(i1,i2,i3)
               z2(i1) = z(i1,i2,i3+1) + z(i1,i2,i3)
               z3(i1) = z(i1,i2+1,i3+1) + z(i1,i2,i3+1) + z1(i1)
            enddo
            do i1 = 1, j1 - 1
               u(2*i1-1,2*i2-1,2*i3-1) = u(2*i1-1,2*i2-1,2*i3-1)
     >            + z(i1,i2,i3)
               u(2*i1,2*i2-1,2*i3-1) = u(2*i1,2*i2-1,2*i3-1)
     >            + 0.5d0*(z(i1+1,i2,i3) + z(i1,i2,i3))
            enddo
            do i1 = 1, j1 - 1
               u(2*i1-1,2*i2,2*i3-1) = u(2*i1-1,2*i2,2*i3-1)
     >            + 0.5d0*z1(i1)
               u(2*i1,2*i2,2*i3-1) = u(2*i1,2*i2,2*i3-1)
     >            + 0.25d0*(z1(i1) + z1(i1+1))
            enddo
            do i1 = 1, j1 - 1
               u(2*i1-1,2*i2-1,2*i3) = u(2*i1-1,2*i2-1,2*i3)
     >            + 0.5d0*z2(i1)
               u(2*i1,2*i2-1,2*i3) = u(2*i1,2*i2-1,2*i3)
     >            + 0.25d0*(z2(i1) + z2(i1+1))
            enddo
            do i1 = 1, j1 - 1
               u(2*i1-1,2*i2,2*i3) = u(2*i1-1,2*i2,2*i3)
     >            + 0.25d0*z3(i1)
               u(2*i1,2*i2,2*i3) = u(2*i1,2*i2,2*i3)
     >            + 0.125d0*(z3(i1) + z3(i1+1))
            enddo
         enddo
      enddo
      end
