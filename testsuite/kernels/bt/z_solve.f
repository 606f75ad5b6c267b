c-----------------------------------------------------------------------
c     Block-tridiagonal systems along z: forward elimination from cell to
c     cell through all processes, then substitution backwards.
c-----------------------------------------------------------------------
      subroutine z_solve
      use bt_data
      implicit none
      include 'mpif.h'
      integer c, stage, recv_id, send_id, ierr
      integer status(mpi_status_size)

      do stage = 1, ncells
         c = slice(3,stage)
         if (stage .gt. 1) then
            call z_receive_solve_info(recv_id, c)
            call mpi_wait(recv_id, status, ierr)
            call z_unpack_solve_info(c)
         endif
         call z_solve_cell(stage .eq. 1, stage .eq. ncells, c)
         if (stage .lt. ncells) then
            if (stage .gt. 1) call mpi_wait(send_id, status, ierr)
            call z_send_solve_info(send_id, c)
         endif
      enddo
      if (ncells .gt. 1) call mpi_wait(send_id, status, ierr)

      do stage = ncells, 1, -1
         c = slice(3,stage)
         if (stage .lt. ncells) then
            call z_receive_backsub_info(recv_id, c)
            call mpi_wait(recv_id, status, ierr)
            call z_unpack_backsub_info(c)
         endif
         call z_backsubstitute(stage .eq. ncells, c)
         if (stage .gt. 1) then
            if (stage .lt. ncells) call mpi_wait(send_id, status, ierr)
            call z_send_backsub_info(send_id, c)
         endif
      enddo
      if (ncells .gt. 1) call mpi_wait(send_id, status, ierr)
      end

      subroutine z_receive_solve_info(recv_id, c)
      use bt_data
      implicit none
      include 'mpif.h'
      integer recv_id, c, ierr
      call mpi_irecv(in_line, 30*cell_size(1,c)*cell_size(2,c),
     >   mpi_double_precision, predecessor(3), 300,
     >   mpi_comm_world, recv_id, ierr)
      end

      subroutine z_send_solve_info(send_id, c)
      use bt_data
      implicit none
      include 'mpif.h'
      integer send_id, c, i, j, k, m, l, p, ierr
      k = cell_size(3,c)
      p = 0
      do j = 1, cell_size(2,c)
         do i = 1, cell_size(1,c)
            do l = 1, 5
               do m = 1, 5
                  out_line(p+m) = lhsc(m,l,i,j,k,c)
               enddo
               p = p + 5
            enddo
            do m = 1, 5
               out_line(p+m) = rhs(m,i,j,k,c)
            enddo
            p = p + 5
         enddo
      enddo
      call mpi_isend(out_line, 30*cell_size(1,c)*cell_size(2,c),
     >   mpi_double_precision, successor(3), 300,
     >   mpi_comm_world, send_id, ierr)
      end

      subroutine z_unpack_solve_info(c)
      use bt_data
      implicit none
      integer c, i, j, k, m, l, p
      k = 0
      p = 0
      do j = 1, cell_size(2,c)
         do i = 1, cell_size(1,c)
            do l = 1, 5
               do m = 1, 5
                  lhsc(m,l,i,j,k,c) = in_line(p+m)
               enddo
               p = p + 5
            enddo
            do m = 1, 5
               rhs(m,i,j,k,c) = in_line(p+m)
            enddo
            p = p + 5
         enddo
      enddo
      end

      subroutine z_solve_cell(first, last, c)
      use bt_data
      implicit none
      logical first, last
      integer c, i, j, k, m, l
      double precision aa(5,5), bb(5,5)

      do k = 1, cell_size(3,c)
         do j = 1, cell_size(2,c)
            do i = 1, cell_size(1,c)
               do l = 1, 5
                  do m = 1, 5
                     aa(m,l) = -dt*coef(m,l)
                     bb(m,l) = 2.0d0*dt*coef(m,l)
                     lhsc(m,l,i,j,k,c) = -dt*coef(m,l)
                  enddo
                  bb(l,l) = bb(l,l) + 1.0d0
               enddo
               if (last .and. k .eq. cell_size(3,c)) then
                  do l = 1, 5
                     do m = 1, 5
                        lhsc(m,l,i,j,k,c) = 0.0d0
                     enddo
                  enddo
               endif
               if (.not. first .or. k .gt. 1) then
                  call matvec_sub(aa, rhs(1,i,j,k-1,c),
     >               rhs(1,i,j,k,c))
                  call matmul_sub(aa, lhsc(1,1,i,j,k-1,c), bb)
               endif
               call binvcrhs(bb, lhsc(1,1,i,j,k,c), rhs(1,i,j,k,c))
            enddo
         enddo
      enddo
      end

      subroutine z_receive_backsub_info(recv_id, c)
      use bt_data
      implicit none
      include 'mpif.h'
      integer recv_id, c, ierr
      call mpi_irecv(in_line, 5*cell_size(1,c)*cell_size(2,c),
     >   mpi_double_precision, successor(3), 301,
     >   mpi_comm_world, recv_id, ierr)
      end

      subroutine z_send_backsub_info(send_id, c)
      use bt_data
      implicit none
      include 'mpif.h'
      integer send_id, c, i, j, k, m, p, ierr
      k = 1
      p = 0
      do j = 1, cell_size(2,c)
         do i = 1, cell_size(1,c)
            do m = 1, 5
               out_line(p+m) = rhs(m,i,j,k,c)
            enddo
            p = p + 5
         enddo
      enddo
      call mpi_isend(out_line, 5*cell_size(1,c)*cell_size(2,c),
     >   mpi_double_precision, predecessor(3), 301,
     >   mpi_comm_world, send_id, ierr)
      end

      subroutine z_unpack_backsub_info(c)
      use bt_data
      implicit none
      integer c, i, j, k, m, p
      k = cell_size(3,c) + 1
      p = 0
      do j = 1, cell_size(2,c)
         do i = 1, cell_size(1,c)
            do m = 1, 5
               rhs(m,i,j,k,c) = in_line(p+m)
            enddo
            p = p + 5
         enddo
      enddo
      end

      subroutine z_backsubstitute(last, c)
      use bt_data
      implicit none
      logical last
      integer c, i, j, k
      do k = cell_size(3,c), 1, -1
         do j = 1, cell_size(2,c)
            do i = 1, cell_size(1,c)
               if (.not. last .or. k .lt. cell_size(3,c))
     >            call matvec_sub(lhsc(1,1,i,j,k,c),
     >               rhs(1,i,j,k+1,c), rhs(1,i,j,k,c))
            enddo
         enddo
      enddo
      end
