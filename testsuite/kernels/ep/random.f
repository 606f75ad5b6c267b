c-----------------------------------------------------------------------
c     The generator x -> 16807 x mod (2**31 - 1) (Park and Miller), in
c     double precision, and its state after n steps from the beginning.
c-----------------------------------------------------------------------
      double precision function random(seed)
      implicit none
      double precision seed, p
      parameter (p = 2147483647.0d0)
      seed = mod(16807.0d0*seed, p)
      random = seed/p
      end

      double precision function jumped(n)
      implicit none
      integer*8 n, k, power, state, p
      parameter (p = 2147483647_8)
      k = n
      power = 16807_8
      state = 271828183_8
 10   if (k .gt. 0) then
         if (mod(k, 2_8) .eq. 1_8) state = mod(state*power, p)
         power = mod(power*power, p)
         k = k/2
         goto 10
      endif
      jumped = dble(state)
      end
