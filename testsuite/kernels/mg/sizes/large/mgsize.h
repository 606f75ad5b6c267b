c     Class large: points in each direction, V-cycles.
      integer n, nit
      parameter (n = 256, nit = 60)
      character*6 class
      parameter (class = 'large')
