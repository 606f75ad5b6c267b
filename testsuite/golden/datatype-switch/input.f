C Which datatype reals have is found out when the program runs, as compilers' options change it. Only one can fit them.
C ranks: 2 3 4
      program main
      include 'mpif.h'
      integer rank, np, ierr, status(mpi_status_size), req, mreal
      common /PPARMS/ mreal
      real a(100000), b(100000), s
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, np, ierr)
      if (kind(s) .eq. 4) then
        mreal = MPI_REAL
      else
        mreal = MPI_DOUBLE_PRECISION
      endif
      do it = 1, 3
        call mpi_irecv(b, 100000, mreal, mod(rank+np-1,np), 7,
     &                 mpi_comm_world, req, ierr)
        do i = 1, 100000
          a(i) = mod(i,13) + rank
        end do
        call mpi_send(a, 100000, mreal, mod(rank+1,np), 7,
     &                mpi_comm_world, ierr)
        call mpi_wait(req, status, ierr)
        s = 0
        do i = 1, 100000
          s = s + mod(i,3)*b(i)
        end do
        write(*,'(i4,i4,f16.1)') rank, it, s
      end do
      call mpi_finalize(ierr)
      end
