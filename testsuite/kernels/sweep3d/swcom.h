c-----------------------------------------------------------------------
c     SWEEP3D: sizes and shared data.
c-----------------------------------------------------------------------
      integer itm, jtm, ktm, mm
      parameter (itm = 128, jtm = 128, ktm = 128, mm = 6)

      integer itg, jtg, kt, mk, mmi, niter
      common /input/ itg, jtg, kt, mk, mmi, niter

      integer it, jt, istart, jstart, npe, me, npei, npej, mypei, mypej
      integer west, east, south, north
      common /decomp/ it, jt, istart, jstart, npe, me, npei, npej,
     >   mypei, mypej, west, east, south, north

      double precision flux(itm,jtm,ktm), src(itm,jtm,ktm)
      double precision qext(itm,jtm,ktm)
      common /fields/ flux, src, qext

      double precision phiib(jtm*ktm*mm), phijb(itm*ktm*mm)
      double precision phikb(itm,jtm,mm)
      common /bound/ phiib, phijb, phikb

      double precision w(mm), mu(mm), eta(mm), tsi(mm)
      double precision sigt, sigs, leak
      common /const/ w, mu, eta, tsi, sigt, sigs, leak

      integer ewtag, nstag
      parameter (ewtag = 1001, nstag = 1002)
