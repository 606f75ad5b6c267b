      subroutine read_input
      use bt_data
      implicit none
      include 'mpif.h'
      integer ierr, ios, fixed(2)

      if (node .eq. 0) then
         open(unit=2, file='inputbt.data', status='old', iostat=ios)
         if (ios .eq. 0) then
            read(2,*) fixed(1)
            read(2,*) fixed(2)
            read(2,*) dt
            close(2)
         else
            fixed(1) = 12
            fixed(2) = 10
            dt = 0.5d0
         endif
      endif
      call mpi_bcast(fixed, 2, mpi_integer, 0, mpi_comm_world, ierr)
      call mpi_bcast(dt, 1, mpi_double_precision, 0, mpi_comm_world,
     >   ierr)
      problem = fixed(1)
      niter = fixed(2)
      end

c-----------------------------------------------------------------------
c     Cells of this process, and its neighbours: cell c lies in slab c of
c     z and is shifted by one against the last one in x and in y.
c-----------------------------------------------------------------------
      subroutine make_set
      use bt_data
      implicit none
      include 'mpif.h'
      integer c, d, pi, pj, q, rest, base, ierr

      q = int(sqrt(dble(nprocs)) + 0.5d0)
      if (q*q .ne. nprocs .or. problem .lt. 2*q) then
         if (node .eq. 0) write(0,*) 'BT runs on q**2 processes'
         call mpi_abort(mpi_comm_world, 2, ierr)
      endif
      ncells = q
      allocate(cell_coord(3,q), cell_low(3,q), cell_size(3,q))
      allocate(slice(3,q))
      pi = mod(node, q)
      pj = node/q
      base = problem/q
      rest = mod(problem, q)
      mcell = base
      if (rest .gt. 0) mcell = base + 1
      do c = 1, q
         cell_coord(1,c) = mod(pi + c - 1, q)
         cell_coord(2,c) = mod(pj - c + 1 + q, q)
         cell_coord(3,c) = c - 1
         do d = 1, 3
            cell_size(d,c) = base
            if (cell_coord(d,c) .lt. rest) cell_size(d,c) = base + 1
            cell_low(d,c) = cell_coord(d,c)*base
     >                    + min(cell_coord(d,c), rest)
            slice(d,cell_coord(d,c)+1) = c
         enddo
      enddo
      successor(1) = mod(pi + 1, q) + q*pj
      predecessor(1) = mod(pi - 1 + q, q) + q*pj
      successor(2) = pi + q*mod(pj + 1, q)
      predecessor(2) = pi + q*mod(pj - 1 + q, q)
      successor(3) = mod(pi - 1 + q, q) + q*mod(pj + 1, q)
      predecessor(3) = mod(pi + 1, q) + q*mod(pj - 1 + q, q)
      end

      subroutine allocate_fields
      use bt_data
      implicit none
      integer n, faces
      n = mcell
      faces = 6*5*n*n*ncells
      allocate(u(5,0:n+1,0:n+1,0:n+1,ncells))
      allocate(rhs(5,0:n+1,0:n+1,0:n+1,ncells))
      allocate(lhsc(5,5,0:n,0:n,0:n,ncells))
      allocate(in_buffer(faces), out_buffer(faces))
      allocate(in_line(30*n*n), out_line(30*n*n))
      end

c-----------------------------------------------------------------------
c     Coefficients of diffusion, and two modes that decay each by its own
c     matrix per step.
c-----------------------------------------------------------------------
      subroutine initialize
      use bt_data
      implicit none
      integer c, i, j, k, m, l
      double precision a1(5), a2(5), mode
      external mode
      do l = 1, 5
         do m = 1, 5
            coef(m,l) = 0.08d0/dble(1 + abs(m - l))
         enddo
         coef(l,l) = 0.8d0 + 0.1d0*dble(l)
      enddo
      u = 0.0d0
      rhs = 0.0d0
      lhsc = 0.0d0
      call amplitudes(0, a1, a2)
      do c = 1, ncells
         do k = 1, cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = a1(m)*mode(1,1,1,i,j,k,c)
     >                            + a2(m)*mode(2,3,1,i,j,k,c)
                  enddo
               enddo
            enddo
         enddo
      enddo
      end

      double precision function mode(p, q, r, i, j, k, c)
      use bt_data
      implicit none
      integer p, q, r, i, j, k, c
      double precision w
      w = 3.14159265358979324d0/dble(problem + 1)
      mode = sin(w*p*(cell_low(1,c) + i))*sin(w*q*(cell_low(2,c) + j))
     >     * sin(w*r*(cell_low(3,c) + k))
      end

c     Amplitudes of the modes (1,1,1) and (2,3,1) after so many steps.
      subroutine amplitudes(steps, a1, a2)
      use bt_data
      implicit none
      integer steps, istep, m
      double precision a1(5), a2(5)
      do m = 1, 5
         a1(m) = dble(m)
         a2(m) = 1.0d0/dble(m)
      enddo
      do istep = 1, steps
         call advance(1, 1, 1, a1)
         call advance(2, 3, 1, a2)
      enddo
      end

      subroutine advance(p, q, r, a)
      use bt_data
      implicit none
      integer p, q, r, m, l, d, f(3)
      double precision a(5), b(5), t(5,5), none(5,5), w, lambda(3)
      f(1) = p
      f(2) = q
      f(3) = r
      w = 3.14159265358979324d0/dble(problem + 1)
      do d = 1, 3
         lambda(d) = 2.0d0 - 2.0d0*cos(w*f(d))
      enddo
      do m = 1, 5
         b(m) = 0.0d0
         do l = 1, 5
            b(m) = b(m)
     >         - dt*(lambda(1)+lambda(2)+lambda(3))*coef(m,l)*a(l)
         enddo
      enddo
      do d = 1, 3
         do l = 1, 5
            do m = 1, 5
               t(m,l) = dt*lambda(d)*coef(m,l)
               none(m,l) = 0.0d0
            enddo
            t(l,l) = t(l,l) + 1.0d0
         enddo
         call binvcrhs(t, none, b)
      enddo
      do m = 1, 5
         a(m) = a(m) + b(m)
      enddo
      end

      subroutine error_norm(err)
      use bt_data
      implicit none
      include 'mpif.h'
      integer c, i, j, k, m, ierr
      double precision err, mine, a1(5), a2(5), mode
      external mode
      call amplitudes(niter, a1, a2)
      mine = 0.0d0
      do c = 1, ncells
         do k = 1, cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     mine = max(mine, abs(u(m,i,j,k,c)
     >                  - a1(m)*mode(1,1,1,i,j,k,c)
     >                  - a2(m)*mode(2,3,1,i,j,k,c)))
                  enddo
               enddo
            enddo
         enddo
      enddo
      call mpi_allreduce(mine, err, 1, mpi_double_precision, mpi_max,
     >   mpi_comm_world, ierr)
      end
