c-----------------------------------------------------------------------
c     Row i has entries at columns i + s and i - s, with wrap-around, for
c     some fixed s.  Entry (i, i+s) is a pseudo-random number that i and
c     the number of s determine, so the matrix is symmetric and each
c     process makes its own block.
c-----------------------------------------------------------------------
      double precision function entry_of(i, k)
      implicit none
      integer i, k
      integer*8 h
      h = mod(int(i,8)*1103515245_8 + int(k,8)*12345677_8,
     >        2147483647_8)
      h = mod(h*48271_8 + 11_8*int(k,8), 2147483647_8)
      h = mod(h*16807_8 + 3_8, 2147483647_8)
      entry_of = dble(h)/2147483647.0d0 - 0.5d0
      end

      subroutine shifts(s)
      implicit none
      include 'cgcom.h'
      integer s(nshift), k
      integer*8 big
      s(1) = 1
      big = 7
      do k = 2, nshift
         big = mod(big*big + 29_8*k, int(na/2 - 1,8))
         s(k) = int(big) + 1
      enddo
      end

c     One row: columns and values, not sorted; the diagonal comes last.
      subroutine makerow(i, n, cols, vals)
      implicit none
      include 'cgcom.h'
      integer i, n, cols(*), s(nshift), k, j
      double precision vals(*), diag, entry_of
      external entry_of
      call shifts(s)
      n = 0
      diag = 0.8d0
      do k = 1, nshift
         j = mod(i - 1 + s(k), na) + 1
         n = n + 1
         cols(n) = j
         vals(n) = entry_of(i, k)
         diag = diag + abs(vals(n))
         j = mod(i - 1 - s(k) + na, na) + 1
         n = n + 1
         cols(n) = j
         vals(n) = entry_of(j, k)
         diag = diag + abs(vals(n))
      enddo
      n = n + 1
      cols(n) = i
      vals(n) = diag
      end

      subroutine makea
      implicit none
      include 'cgcom.h'
      integer i, k, n, nza, cols(2*nshift+1)
      double precision vals(2*nshift+1)
      nza = 0
      do i = firstr, lastr
         rowstr(i-firstr+1) = nza + 1
         call makerow(i, n, cols, vals)
         do k = 1, n
            if (cols(k) .ge. firstc .and. cols(k) .le. lastc) then
               nza = nza + 1
               a(nza) = vals(k)
               colidx(nza) = cols(k) - firstc + 1
            endif
         enddo
      enddo
      rowstr(lastr-firstr+2) = nza + 1
      end

      double precision function known(i)
      implicit none
      integer i
      known = 1.0d0 + dble(mod(i, 7))/7.0d0
      end

c     x = the matrix times the known solution; nobody is asked.
      subroutine knownrhs
      implicit none
      include 'cgcom.h'
      integer j, k, n, cols(2*nshift+1)
      double precision vals(2*nshift+1), known, s
      external known
      do j = firstc, lastc
         call makerow(j, n, cols, vals)
         s = 0.0d0
         do k = 1, n
            s = s + vals(k)*known(cols(k))
         enddo
         x(j-firstc+1) = s
      enddo
      end
