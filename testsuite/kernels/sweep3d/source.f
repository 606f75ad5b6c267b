c-----------------------------------------------------------------------
c     The source of an iteration: the external one and what is scattered.
c-----------------------------------------------------------------------
      subroutine source
      implicit none
      include 'swcom.h'
      integer i, j, k
      do k = 1, kt
         do j = 1, jt
            do i = 1, it
               src(i,j,k) = qext(i,j,k) + sigs*flux(i,j,k)
               flux(i,j,k) = 0.0d0
            enddo
         enddo
      enddo
      leak = 0.0d0
      end

c-----------------------------------------------------------------------
c     Parts of this process: source, collisions, leakage, and the first
c     moments of the flux about the middle of the box.
c-----------------------------------------------------------------------
      subroutine balance(bal)
      implicit none
      include 'swcom.h'
      double precision bal(6)
      integer i, j, k
      do i = 1, 6
         bal(i) = 0.0d0
      enddo
      do k = 1, kt
         do j = 1, jt
            do i = 1, it
               bal(1) = bal(1) + src(i,j,k)
               bal(2) = bal(2) + sigt*flux(i,j,k)
               bal(4) = bal(4) + flux(i,j,k)
     >            *((dble(istart + i) - 0.5d0)/dble(itg) - 0.5d0)
               bal(5) = bal(5) + flux(i,j,k)
     >            *((dble(jstart + j) - 0.5d0)/dble(jtg) - 0.5d0)
               bal(6) = bal(6) + flux(i,j,k)
     >            *((dble(k) - 0.5d0)/dble(kt) - 0.5d0)
            enddo
         enddo
      enddo
      bal(3) = leak
      end
