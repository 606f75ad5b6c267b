c-----------------------------------------------------------------------
c     BT: what all routines share.  ncells**2 processes; each has one
c     cell of every slab of the grid in all three directions.
c-----------------------------------------------------------------------
      module bt_data
      implicit none
      integer node, nprocs, ncells
      integer problem, niter
      double precision dt
      integer mcell
      integer, allocatable :: cell_coord(:,:), cell_low(:,:)
      integer, allocatable :: cell_size(:,:), slice(:,:)
      integer predecessor(3), successor(3)
      double precision coef(5,5)
      double precision, allocatable :: u(:,:,:,:,:), rhs(:,:,:,:,:)
      double precision, allocatable :: lhsc(:,:,:,:,:,:)
      double precision, allocatable :: in_buffer(:), out_buffer(:)
      double precision, allocatable :: in_line(:), out_line(:)

c     Tags of the faces by direction: to the east is from the west.
      integer east, west, north, south, bottom, top
      parameter (east = 2000, west = 3000, north = 4000)
      parameter (south = 5000, bottom = 6000, top = 7000)
      end module
