c-----------------------------------------------------------------------
c     MG: V-cycles of a multigrid method for Poisson's equation on a
c     periodic cube, divided into blocks among 2**k processes.
c-----------------------------------------------------------------------
      program mg
      implicit none
      include 'mpif.h'
      include 'globals.h'

      double precision u(nr), v(nv), r(nr), a(0:3), c(0:3)
      common /grids/ u, v, r
      double precision rnm2, rnmu, err, t
      integer it, ierr

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, nprocs, ierr)
      root = 0
      call setup

      a(0) = -8.0d0/3.0d0
      a(1) =  0.0d0
      a(2) =  1.0d0/6.0d0
      a(3) =  1.0d0/12.0d0
      c(0) = -3.0d0/8.0d0
      c(1) =  1.0d0/32.0d0
      c(2) = -1.0d0/64.0d0
      c(3) =  0.0d0

      if (me .eq. root) write(*,1000) class, n, n, n, nit
 1000 format('MG class ', a6, ': ', i4, ' x ', i4, ' x ', i4,
     >       ' points, ', i3, ' cycles')

c     The right-hand side belongs to a solution that is known.
      call exact(r(ir(lt)), m1(lt), m2(lt), m3(lt))
      call comm3(r(ir(lt)), m1(lt), m2(lt), m3(lt))
      call zero3(v, m1(lt), m2(lt), m3(lt))
      call zero3(u(ir(lt)), m1(lt), m2(lt), m3(lt))
      call resid(r(ir(lt)), v, u(ir(lt)), m1(lt), m2(lt), m3(lt), a)
      call negate(v, u(ir(lt)), m1(lt), m2(lt), m3(lt))
      call zero3(u(ir(lt)), m1(lt), m2(lt), m3(lt))

      call mpi_barrier(mpi_comm_world, ierr)
      t = -mpi_wtime()
      call resid(u(ir(lt)), v, r(ir(lt)), m1(lt), m2(lt), m3(lt), a)
      do it = 1, nit
         call mg3p(u, v, r, a, c)
         call resid(u(ir(lt)), v, r(ir(lt)), m1(lt), m2(lt), m3(lt), a)
         if (it .eq. 1 .or. mod(it,4) .eq. 0 .or. it .eq. nit) then
            call norm2u3(r(ir(lt)), m1(lt), m2(lt), m3(lt), rnm2, rnmu)
            if (me .eq. root) write(*,1100) it, rnm2, rnmu
 1100       format('  cycle ', i3, '  residual ', es21.13, es21.13)
         endif
      enddo
      t = t + mpi_wtime()

      call exact(r(ir(lt)), m1(lt), m2(lt), m3(lt))
      call differ(u(ir(lt)), r(ir(lt)), m1(lt), m2(lt), m3(lt), err)
      if (me .eq. root) then
         write(0,1200) t
 1200    format('Time in seconds = ', f12.4)
         if (err .lt. 1.0d-7) then
            write(*,'(a)') 'Verification successful'
         else
            write(*,'(a,es12.4)') 'Verification failed: error', err
         endif
      endif
      call mpi_finalize(ierr)
      if (.not. err .lt. 1.0d-7) stop 1
      end

c-----------------------------------------------------------------------
c     One V-cycle.
c-----------------------------------------------------------------------
      subroutine mg3p(u, v, r, a, c)
      implicit none
      include 'globals.h'
      double precision u(nr), v(nv), r(nr), a(0:3), c(0:3)
      integer k, j, ncoarse
      parameter (ncoarse = 12)

      do k = lt, 2, -1
         call rprj3(r(ir(k)), m1(k), m2(k), m3(k),
     >              r(ir(k-1)), m1(k-1), m2(k-1), m3(k-1))
      enddo

c     The coarsest grid is small; smoothing it some times solves it.
      call zero3(u(ir(1)), m1(1), m2(1), m3(1))
      call psinv(r(ir(1)), u(ir(1)), m1(1), m2(1), m3(1), c)
      do j = 2, ncoarse
         call smooth(r(ir(1)), u(ir(1)), m1(1), m2(1), m3(1), a, c)
      enddo

      do k = 2, lt - 1
         call zero3(u(ir(k)), m1(k), m2(k), m3(k))
         call interp(u(ir(k-1)), m1(k-1), m2(k-1), m3(k-1),
     >               u(ir(k)), m1(k), m2(k), m3(k))
         call resid(u(ir(k)), r(ir(k)), r(ir(k)),
     >              m1(k), m2(k), m3(k), a)
         call psinv(r(ir(k)), u(ir(k)), m1(k), m2(k), m3(k), c)
      enddo

      if (lt .gt. 1) then
         call interp(u(ir(lt-1)), m1(lt-1), m2(lt-1), m3(lt-1),
     >               u(ir(lt)), m1(lt), m2(lt), m3(lt))
         call resid(u(ir(lt)), v, r(ir(lt)), m1(lt), m2(lt), m3(lt), a)
      endif
      call psinv(r(ir(lt)), u(ir(lt)), m1(lt), m2(lt), m3(lt), c)
      end
