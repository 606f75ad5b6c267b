c-----------------------------------------------------------------------
c     rhs = dt * coef * (second differences of u).
c-----------------------------------------------------------------------
      subroutine compute_rhs
      use bt_data
      implicit none
      integer c, i, j, k, m, l
      double precision lap(5), s
      do c = 1, ncells
         do k = 1, cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     lap(m) = u(m,i-1,j,k,c) + u(m,i+1,j,k,c)
     >                  + u(m,i,j-1,k,c) + u(m,i,j+1,k,c)
     >                  + u(m,i,j,k-1,c) + u(m,i,j,k+1,c)
     >                  - 6.0d0*u(m,i,j,k,c)
                  enddo
                  do m = 1, 5
                     s = 0.0d0
                     do l = 1, 5
                        s = s + coef(m,l)*lap(l)
                     enddo
                     rhs(m,i,j,k,c) = dt*s
                  enddo
               enddo
            enddo
         enddo
      enddo
      end

      subroutine rhs_norm(norm)
      use bt_data
      implicit none
      include 'mpif.h'
      integer c, i, j, k, m, ierr
      double precision norm, mine
      mine = 0.0d0
      do c = 1, ncells
         do k = 1, cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     mine = mine + rhs(m,i,j,k,c)**2
                  enddo
               enddo
            enddo
         enddo
      enddo
      call mpi_allreduce(mine, norm, 1, mpi_double_precision, mpi_sum,
     >   mpi_comm_world, ierr)
      norm = sqrt(norm/dble(problem)**3)
      end
