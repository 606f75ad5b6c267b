c-----------------------------------------------------------------------
c     SWEEP3D: discrete ordinates transport in a box with vacuum around
c     it.  The eight octants of directions are swept one after the other,
c     each as a pipeline over a two-dimensional grid of processes, in
c     blocks of planes and of angles.  Reads the file `input'.
c-----------------------------------------------------------------------
      program sweep3d
      implicit none
      include 'mpif.h'
      include 'swcom.h'
      integer its, info
      double precision t, bal(6), tot(6), worst
      logical ok

      call mpi_init(info)
      call mpi_comm_rank(mpi_comm_world, me, info)
      call mpi_comm_size(mpi_comm_world, npe, info)
      call readin
      call decompose
      call initial
      if (me .eq. 0) write(*,1000) itg, jtg, kt, mk, mmi, niter
 1000 format('SWEEP3D: ', i4, ' x ', i4, ' x ', i4, ' cells, blocks ',
     >   'of ', i3, ' planes and ', i2, ' angles, ', i4, ' iterations')

      call mpi_barrier(mpi_comm_world, info)
      t = -mpi_wtime()
      worst = 0.0d0
      do its = 1, niter
         call source
         call sweep
         call balance(bal)
         call mpi_allreduce(bal, tot, 6, mpi_double_precision, mpi_sum,
     >      mpi_comm_world, info)
c        What is born is absorbed, scattered or lost; and the box is
c        symmetric.
         worst = max(worst, abs(tot(1) - tot(2) - tot(3))/tot(1),
     >      abs(tot(4))/tot(2), abs(tot(5))/tot(2), abs(tot(6))/tot(2))
         if (me .eq. 0) write(*,1100) its, tot(2), tot(3)
 1100    format('  iteration ', i4, '  collisions ', es21.13,
     >      '  leakage ', es21.13)
      enddo
      t = t + mpi_wtime()

      ok = worst .lt. 1.0d-11
      if (me .eq. 0) then
         write(0,1200) t
 1200    format('Time in seconds = ', f12.4)
         if (ok) then
            write(*,'(a)') 'Verification successful'
         else
            write(*,'(a,es12.4)') 'Verification failed:', worst
         endif
      endif
      call mpi_finalize(info)
      if (.not. ok) stop 1
      end
