c     Class medium: points in each direction, V-cycles.
      integer n, nit
      parameter (n = 128, nit = 20)
      character*6 class
      parameter (class = 'medium')
