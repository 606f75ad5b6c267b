c-----------------------------------------------------------------------
c     Blocks of five by five.
c-----------------------------------------------------------------------
c     bvec = bvec - ablock * avec
      subroutine matvec_sub(ablock, avec, bvec)
      implicit none
      double precision ablock(5,5), avec(5), bvec(5)
      integer i, j
      do j = 1, 5
         do i = 1, 5
            bvec(i) = bvec(i) - ablock(i,j)*avec(j)
         enddo
      enddo
      end

c     cblock = cblock - ablock * bblock
      subroutine matmul_sub(ablock, bblock, cblock)
      implicit none
      double precision ablock(5,5), bblock(5,5), cblock(5,5)
      integer i, j, k
      do j = 1, 5
         do k = 1, 5
            do i = 1, 5
               cblock(i,j) = cblock(i,j) - ablock(i,k)*bblock(k,j)
            enddo
         enddo
      enddo
      end

c     c = lhs**-1 c, r = lhs**-1 r; lhs is lost.
      subroutine binvcrhs(lhs, c, r)
      implicit none
      double precision lhs(5,5), c(5,5), r(5), pivot, f
      integer i, j, p
      do p = 1, 5
         pivot = 1.0d0/lhs(p,p)
         do j = p + 1, 5
            lhs(p,j) = lhs(p,j)*pivot
         enddo
         do j = 1, 5
            c(p,j) = c(p,j)*pivot
         enddo
         r(p) = r(p)*pivot
         do i = 1, 5
            if (i .ne. p) then
               f = lhs(i,p)
               do j = p + 1, 5
                  lhs(i,j) = lhs(i,j) - f*lhs(p,j)
               enddo
               do j = 1, 5
                  c(i,j) = c(i,j) - f*c(p,j)
               enddo
               r(i) = r(i) - f*r(p)
            endif
         enddo
      enddo
      end
