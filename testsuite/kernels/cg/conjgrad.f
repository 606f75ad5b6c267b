c-----------------------------------------------------------------------
c     z = the solution of A z = x; rnorm = |x - A z|.
c-----------------------------------------------------------------------
      subroutine conjgrad(rnorm)
      implicit none
      include 'cgcom.h'
      integer j, cgit, nc
      double precision rnorm, rho, rho0, d, alpha, beta

      nc = lastc - firstc + 1
      do j = 1, nc
         q(j) = 0.0d0
         z(j) = 0.0d0
         r(j) = x(j)
         p(j) = r(j)
      enddo
      rho = 0.0d0
      do j = 1, nc
         rho = rho + r(j)*r(j)
      enddo
      call rowsum1(rho)

      do cgit = 1, cgitmax
         call matvec(p)
         d = 0.0d0
         do j = 1, nc
            d = d + p(j)*q(j)
         enddo
         call rowsum1(d)
         alpha = rho/d
         rho0 = rho
         do j = 1, nc
            z(j) = z(j) + alpha*p(j)
            r(j) = r(j) - alpha*q(j)
         enddo
         rho = 0.0d0
         do j = 1, nc
            rho = rho + r(j)*r(j)
         enddo
         call rowsum1(rho)
         beta = rho/rho0
         do j = 1, nc
            p(j) = r(j) + beta*p(j)
         enddo
      enddo

      call matvec(z)
      d = 0.0d0
      do j = 1, nc
         d = d + (x(j) - q(j))**2
      enddo
      call rowsum1(d)
      rnorm = sqrt(d)
      end

c-----------------------------------------------------------------------
c     q = A v: the product of the block, its sum over the row of
c     processes, and the exchange with the transpose partner.
c-----------------------------------------------------------------------
      subroutine matvec(v)
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      double precision v(*), sum
      integer i, j, k, request, ierr, nrow
      integer status(mpi_status_size)

      nrow = lastr - firstr + 1
      do j = 1, nrow
         sum = 0.0d0
         do k = rowstr(j), rowstr(j+1) - 1
            sum = sum + a(k)*v(colidx(k))
         enddo
         w(j) = sum
      enddo

      do i = l2npcols, 1, -1
         call mpi_irecv(q, nrow, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, request, ierr)
         call mpi_send(w, nrow, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, ierr)
         call mpi_wait(request, status, ierr)
         do j = 1, nrow
            w(j) = w(j) + q(j)
         enddo
      enddo

      if (l2npcols .ne. 0) then
         call mpi_irecv(q, exlen, mpi_double_precision, exchp, 1,
     >      mpi_comm_world, request, ierr)
         call mpi_send(w(exstart), exlen, mpi_double_precision, exchp,
     >      1, mpi_comm_world, ierr)
         call mpi_wait(request, status, ierr)
      else
         do j = 1, exlen
            q(j) = w(j)
         enddo
      endif
      end

c-----------------------------------------------------------------------
c     Sums over a row of processes, by recursive doubling.
c-----------------------------------------------------------------------
      subroutine rowsum1(s)
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      double precision s, theirs
      integer i, request, ierr
      integer status(mpi_status_size)

      do i = 1, l2npcols
         call mpi_irecv(theirs, 1, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, request, ierr)
         call mpi_send(s, 1, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, ierr)
         call mpi_wait(request, status, ierr)
         s = s + theirs
      enddo
      end

      subroutine rowsum2(s)
      implicit none
      include 'mpif.h'
      include 'cgcom.h'
      double precision s(2), theirs(2)
      integer i, request, ierr
      integer status(mpi_status_size)

      do i = 1, l2npcols
         call mpi_irecv(theirs, 2, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, request, ierr)
         call mpi_send(s, 2, mpi_double_precision, rowp(i), i,
     >      mpi_comm_world, ierr)
         call mpi_wait(request, status, ierr)
         s(1) = s(1) + theirs(1)
         s(2) = s(2) + theirs(2)
      enddo
      end
