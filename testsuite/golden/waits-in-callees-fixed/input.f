C The exchange and the computation are external procedures, which have no module for what they hand each other.
! ranks: 1 2 3 4
      program heat
      implicit none
      include 'mpif.h'
      integer n, m
      parameter (n = 150, m = 80)
      integer ierr, rank, ranks, i, j, step
      integer left, right
      common /places/ left, right
      real*8 u(0:n+1,0:m+1), w(0:n+1,0:m+1), v(0:n+1,0:m+1)
      real*8 own(3), all(3,16)
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      left = rank - 1
      if (left .lt. 0) left = mpi_proc_null
      right = rank + 1
      if (right .eq. ranks) right = mpi_proc_null
      do 20 j = 0, m + 1
        do 10 i = 0, n + 1
          u(i,j) = mod(3*i + 7*j, 11) + rank
          w(i,j) = u(i,j)
          v(i,j) = mod(i + j, 5)
   10   continue
   20 continue
      do 60 step = 1, 5
        call exch(u, n, m)
        call relax(u, w, n, m)
C Nothing is under way for this one.
        call relax(v, u, n, m)
        call exch(w, n, m)
        call relax(w, v, n, m)
        do 50 j = 1, m
          do 40 i = 1, n
            u(i,j) = 0.5d0*w(i,j) + 0.25d0*u(i,j)
   40     continue
   50   continue
   60 continue
      own(1) = 0.0d0
      own(2) = 0.0d0
      own(3) = 0.0d0
      do 80 j = 0, m + 1
        do 70 i = 0, n + 1
          own(1) = own(1) + u(i,j)
          own(2) = own(2) + w(i,j)
          own(3) = own(3) + v(i,j)
   70   continue
   80 continue
      call mpi_gather(own, 3, mpi_real8, all, 3, mpi_real8, 0,
     &                mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 90 i = 1, ranks
          write(*,*) all(1,i), all(2,i), all(3,i)
   90   continue
      end if
      call mpi_finalize(ierr)
      end

C One column from either side, and one to either side.
      subroutine exch(u, n, m)
      implicit none
      include 'mpif.h'
      integer n, m, ierr
      real*8 u(0:n+1,0:m+1)
      integer left, right
      common /places/ left, right
      call mpi_sendrecv(u(0,m), n+2, mpi_real8, right, 1, u(0,0),
     &  n+2, mpi_real8, left, 1, mpi_comm_world, mpi_status_ignore,
     &  ierr)
      call mpi_sendrecv(u(0,1), n+2, mpi_real8, left, 2, u(0,m+1),
     &  n+2, mpi_real8, right, 2, mpi_comm_world, mpi_status_ignore,
     &  ierr)
      return
      end

      subroutine relax(u, w, n, m)
      implicit none
      integer n, m, i, j
      real*8 u(0:n+1,0:m+1), w(0:n+1,0:m+1)
      do 20 j = 1, m
        do 10 i = 1, n
          w(i,j) = 0.5d0*u(i,j) + 0.125d0*(u(i,j-1) + u(i,j+1)
     &           + u(i-1,j) + u(i+1,j))
   10   continue
   20 continue
      return
      end
