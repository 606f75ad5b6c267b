c-----------------------------------------------------------------------
c     All octants.  i2, j2 and k2 say in which direction they go.
c-----------------------------------------------------------------------
      subroutine sweep
      implicit none
      include 'swcom.h'
      integer iq, i2, j2, k2, mo, kk, i, j, k, m, n, k0, info
      integer ewrcv, ewsnd, nsrcv, nssnd, nib, njb

      nib = jt*mk*mmi
      njb = it*mk*mmi
      do iq = 1, 8
         i2 = 1
         j2 = 1
         k2 = 1
         if (mod(iq-1, 2) .eq. 1) k2 = -1
         if (mod((iq-1)/2, 2) .eq. 1) j2 = -1
         if ((iq-1)/4 .eq. 1) i2 = -1
         ewrcv = west
         ewsnd = east
         if (i2 .lt. 0) then
            ewrcv = east
            ewsnd = west
         endif
         nsrcv = south
         nssnd = north
         if (j2 .lt. 0) then
            nsrcv = north
            nssnd = south
         endif

         do mo = 1, mm/mmi
            do m = 1, mmi
               do j = 1, jt
                  do i = 1, it
                     phikb(i,j,m) = 0.0d0
                  enddo
               enddo
            enddo
            do kk = 1, kt/mk
               k0 = (kk-1)*mk + 1
               if (k2 .lt. 0) k0 = kt - (kk-1)*mk
c              inflow from the neighbours, or none
               if (ewrcv .ne. -1) then
                  call rcvreal(ewrcv, phiib, nib, ewtag, info)
               else
                  do n = 1, nib
                     phiib(n) = 0.0d0
                  enddo
               endif
               if (nsrcv .ne. -1) then
                  call rcvreal(nsrcv, phijb, njb, nstag, info)
               else
                  do n = 1, njb
                     phijb(n) = 0.0d0
                  enddo
               endif

               call block(i2, j2, k2, k0, (mo-1)*mmi, phiib, phijb)

c              outflow to the neighbours, or into the vacuum
               if (ewsnd .ne. -1) then
                  call sndreal(ewsnd, phiib, nib, ewtag, info)
               else
                  do m = 1, mmi
                     do n = (m-1)*jt*mk + 1, m*jt*mk
                        leak = leak
     >                     + w((mo-1)*mmi+m)*mu((mo-1)*mmi+m)*phiib(n)
                     enddo
                  enddo
               endif
               if (nssnd .ne. -1) then
                  call sndreal(nssnd, phijb, njb, nstag, info)
               else
                  do m = 1, mmi
                     do n = (m-1)*it*mk + 1, m*it*mk
                        leak = leak
     >                     + w((mo-1)*mmi+m)*eta((mo-1)*mmi+m)*phijb(n)
                     enddo
                  enddo
               endif
            enddo
            do m = 1, mmi
               do j = 1, jt
                  do i = 1, it
                     k = (mo-1)*mmi + m
                     leak = leak + w(k)*tsi(k)*phikb(i,j,m)
                  enddo
               enddo
            enddo
         enddo
      enddo
      end

c-----------------------------------------------------------------------
c     mk planes from k0 on and mmi angles after m0, by diamond
c     differences.
c-----------------------------------------------------------------------
      subroutine block(i2, j2, k2, k0, m0, phii, phij)
      implicit none
      include 'swcom.h'
      integer i2, j2, k2, k0, m0
      double precision phii(jt,mk,mmi), phij(it,mk,mmi)
      integer m, lk, i, j, k, ii, jj, i1, j1
      double precision ci, cj, ck, dl, phi

      i1 = 1
      if (i2 .lt. 0) i1 = it
      j1 = 1
      if (j2 .lt. 0) j1 = jt
      do m = 1, mmi
         ci = 2.0d0*mu(m0+m)
         cj = 2.0d0*eta(m0+m)
         ck = 2.0d0*tsi(m0+m)
         dl = 1.0d0/(sigt + ci + cj + ck)
         do lk = 1, mk
            k = k0 + k2*(lk-1)
            do jj = 1, jt
               j = j1 + j2*(jj-1)
               do ii = 1, it
                  i = i1 + i2*(ii-1)
                  phi = (src(i,j,k) + ci*phii(j,lk,m) + cj*phij(i,lk,m)
     >               + ck*phikb(i,j,m))*dl
                  phii(j,lk,m) = 2.0d0*phi - phii(j,lk,m)
                  phij(i,lk,m) = 2.0d0*phi - phij(i,lk,m)
                  phikb(i,j,m) = 2.0d0*phi - phikb(i,j,m)
                  flux(i,j,k) = flux(i,j,k) + w(m0+m)*phi
               enddo
            enddo
         enddo
      enddo
      end
