c-----------------------------------------------------------------------
c     CG: the smallest eigenvalue of a sparse symmetric matrix by inverse
c     iteration; each system is solved by conjugate gradients.  The
c     matrix lies on a grid of nprows x npcols = 2**k processes.
c-----------------------------------------------------------------------
      program cg
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      integer it, j, ierr
      double precision rnorm, zeta, part(2), tot(2), err, t
      double precision known
      external known
      character*8 class
      logical ok

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, me, ierr)
      call mpi_comm_size(mpi_comm_world, nprocs, ierr)
      class = 'tiny'
      if (iargc() .ge. 1) call getarg(1, class)
      call setsize(class)
      call setproc
      call makea
      if (me .eq. 0) write(*,1000) class, na, niter
 1000 format('CG class ', a8, i8, ' rows, ', i3, ' iterations')

      call mpi_barrier(mpi_comm_world, ierr)
      t = -mpi_wtime()

c     A system whose solution is known.
      call knownrhs
      call conjgrad(rnorm)
      err = 0.0d0
      do j = 1, lastc - firstc + 1
         err = max(err, abs(z(j) - known(firstc + j - 1)))
      enddo
      call mpi_allreduce(err, tot, 1, mpi_double_precision, mpi_max,
     >   mpi_comm_world, ierr)
      err = tot(1)
      ok = err .lt. 1.0d-9 .and. rnorm .lt. 1.0d-9*sqrt(dble(na))
      if (me .eq. 0) write(*,1100) rnorm, err
 1100 format('  known solution: residual ', es21.13, ' error ', es21.13)

      do j = 1, lastc - firstc + 1
         x(j) = 1.0d0
      enddo
      do it = 1, niter
         call conjgrad(rnorm)
         part(1) = 0.0d0
         part(2) = 0.0d0
         do j = 1, lastc - firstc + 1
            part(1) = part(1) + x(j)*z(j)
            part(2) = part(2) + z(j)*z(j)
         enddo
         call rowsum2(part)
         zeta = 1.0d0/part(1)
         if (me .eq. 0) write(*,1200) it, rnorm, zeta
 1200    format('  iteration ', i4, es21.13, es21.13)
         if (.not. rnorm .lt. 1.0d-8) ok = .false.
         do j = 1, lastc - firstc + 1
            x(j) = z(j)/sqrt(part(2))
         enddo
      enddo
      t = t + mpi_wtime()

      if (me .eq. 0) then
         write(0,1300) t
 1300    format('Time in seconds = ', f12.4)
         if (ok) then
            write(*,'(a)') 'Verification successful'
         else
            write(*,'(a)') 'Verification failed'
         endif
      endif
      call mpi_finalize(ierr)
      if (.not. ok) stop 1
      end
