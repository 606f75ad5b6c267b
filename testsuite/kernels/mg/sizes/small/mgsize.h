c     Class small: points in each direction, V-cycles.
      integer n, nit
      parameter (n = 64, nit = 14)
      character*6 class
      parameter (class = 'small')
