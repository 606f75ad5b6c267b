c-----------------------------------------------------------------------
c     BT: five coupled diffusion equations by an approximately factored
c     implicit scheme: block-tridiagonal systems along x, y and z, on a
c     multi-partition of the grid among q**2 processes.
c     Reads inputbt.data: points in each direction, steps, time step.
c-----------------------------------------------------------------------
      program bt
      use bt_data
      implicit none
      include 'mpif.h'
      integer ierr, istep
      double precision t, err, norm
      logical ok

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, node, ierr)
      call mpi_comm_size(mpi_comm_world, nprocs, ierr)
      call read_input
      call make_set
      call allocate_fields
      call initialize
      if (node .eq. 0) write(*,1000) problem, niter
 1000 format('BT: ', i4, '**3 points, ', i4, ' steps')

      call mpi_barrier(mpi_comm_world, ierr)
      t = -mpi_wtime()
      do istep = 1, niter
         call copy_faces
         call compute_rhs
         call x_solve
         call y_solve
         call z_solve
         call add
         if (mod(istep, 5) .eq. 0) then
            call rhs_norm(norm)
            if (node .eq. 0) write(*,1100) istep, norm
 1100       format('  step ', i4, '  change ', es22.14)
         endif
      enddo
      t = t + mpi_wtime()

      call error_norm(err)
      ok = err .lt. 1.0d-11
      if (node .eq. 0) then
         write(0,1200) t
 1200    format('Time in seconds = ', f12.4)
         if (ok) then
            write(*,'(a)') 'Verification successful'
         else
            write(*,'(a,es12.4)') 'Verification failed: error', err
         endif
      endif
      call mpi_finalize(ierr)
      if (.not. ok) stop 1
      end

c-----------------------------------------------------------------------
      subroutine add
      use bt_data
      implicit none
      integer c, i, j, k, m
      do c = 1, ncells
         do k = 1, cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = u(m,i,j,k,c) + rhs(m,i,j,k,c)
                  enddo
               enddo
            enddo
         enddo
      enddo
      end
