c-----------------------------------------------------------------------
c     CG: sizes and shared data.  The arrays are large enough for class
c     large on one process.
c-----------------------------------------------------------------------
      integer namax, nshift, nzmax
      parameter (namax = 262144, nshift = 7)
      parameter (nzmax = namax*(2*nshift + 1))

      integer na, niter, cgitmax
      common /size/ na, niter, cgitmax

      integer me, nprocs, nprows, npcols, l2npcols, prow, pcol
      integer firstr, lastr, firstc, lastc
      integer exchp, exlen, exstart, rowp(20)
      common /part/ me, nprocs, nprows, npcols, l2npcols, prow, pcol,
     >   firstr, lastr, firstc, lastc, exchp, exlen, exstart, rowp

      integer rowstr(namax+1), colidx(nzmax)
      double precision a(nzmax)
      common /matr/ a, rowstr, colidx

      double precision x(namax), z(namax), p(namax), q(namax),
     >   r(namax), w(namax)
      common /vect/ x, z, p, q, r, w
