c     Class tiny: points in each direction, V-cycles.
      integer n, nit
      parameter (n = 16, nit = 16)
      character*6 class
      parameter (class = 'tiny')
