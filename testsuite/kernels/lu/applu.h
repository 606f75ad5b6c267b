c-----------------------------------------------------------------------
c     Sizes: chosen by -DCLASS=1 (tiny) to 4 (large).
c-----------------------------------------------------------------------
#ifndef CLASS
#define CLASS 1
#endif
#if CLASS == 1
      integer isiz, itmax
      parameter (isiz = 12, itmax = 30)
      character*6 class
      parameter (class = 'tiny')
#elif CLASS == 2
      integer isiz, itmax
      parameter (isiz = 33, itmax = 40)
      character*6 class
      parameter (class = 'small')
#elif CLASS == 3
      integer isiz, itmax
      parameter (isiz = 64, itmax = 30)
      character*6 class
      parameter (class = 'medium')
#else
      integer isiz, itmax
      parameter (isiz = 128, itmax = 200)
      character*6 class
      parameter (class = 'large')
#endif
c-----------------------------------------------------------------------
c     Grid: nx0 * ny0 * nz points in all, nx * ny * nz of this process,
c     which follow ipt and jpt others.
c-----------------------------------------------------------------------
      integer nx0, ny0, nx, ny, nz, ipt, jpt
      integer ist, iend, jst, jend
      common /cgcon/ nx0, ny0, nx, ny, nz, ipt, jpt,
     >               ist, iend, jst, jend

      double precision u(5,-1:isiz+2,-1:isiz+2,isiz)
      double precision rsd(5,-1:isiz+2,-1:isiz+2,isiz)
      double precision frct(5,-1:isiz+2,-1:isiz+2,isiz)
      common /cvar/ u, rsd, frct

      double precision sigma, omega, eps, cpl(5,5)
      common /ccoef/ sigma, omega, eps, cpl

      double precision a(5,5,isiz,isiz), b(5,5,isiz,isiz),
     >                 c(5,5,isiz,isiz), d(5,5,isiz,isiz)
      common /cjac/ a, b, c, d

      double precision errnm(5), rsdnm(5)
      common /cnorm/ errnm, rsdnm

      integer id, num, xdim, ydim, row, col
      integer north, south, east, west
      common /dim/ id, num, xdim, ydim, row, col
      common /neigh/ south, east, north, west

      integer from_s, from_n, from_e, from_w
      parameter (from_s = 1, from_n = 2, from_e = 3, from_w = 4)

      double precision buf(5,2*isiz*isiz), buf1(5,2*isiz*isiz)
      common /comm/ buf, buf1
