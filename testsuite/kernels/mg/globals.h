c-----------------------------------------------------------------------
c     Sizes and what all routines share.  One static array holds a grid
c     on all its levels: level k begins at element ir(k).
c-----------------------------------------------------------------------
      include 'mgsize.h'
      integer maxlev, nv, nr, nm2
      parameter (maxlev = 10)
      parameter (nm2 = (n+2)*(n+2))
      parameter (nv = (n+2)*(n+2)*(n+2))
      parameter (nr = nv + nv/4)

      integer me, nprocs, root
      common /procs/ me, nprocs, root

      integer nbr(3,-1:1), pdim(3), pos(3)
      common /neighb/ nbr, pdim, pos

      integer lt, ir(maxlev), m1(maxlev), m2(maxlev), m3(maxlev)
      common /levels/ lt, ir, m1, m2, m3

      double precision buff(nm2,4)
      common /buffer/ buff
      integer msg_id(3,-1:1), msg_type(3,-1:1)
      common /messag/ msg_id, msg_type
