C Which datatype reals have is found out when the program runs, as compilers' options change it. Only one can fit them.
C ranks: 2 3 4
      program main
      use gravel
      include 'mpif.h'
      integer rank, np, ierr, status(mpi_status_size), mreal
      common /PPARMS/ mreal
      real a(100000), b(100000), s
      integer(gravel_request_kind) :: gravel_s1, gravel_req
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_hi1, gravel_step1
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, np, ierr)
      if (kind(s) .eq. 4) then
        mreal = MPI_REAL
      else
        mreal = MPI_DOUBLE_PRECISION
      endif
      do it = 1, 3
        ! gravel: posted here, was line 17: call mpi_irecv(b, 100000,...
        call gravel_post_rcv_buffer_rdma(b, 100000, mreal,
     &      mod(rank+np-1,np), 7, mpi_comm_world, gravel_req, ierr)
        ! gravel: one handshake, a put per tile, was line 22: call mp...
        call gravel_wait_rcv_buffer(a, 100000, mreal, mod(rank+1,np), 7,
     &       mpi_comm_world, gravel_t1)
        gravel_step1 = gravel_tile(gravel_t1, 100000)
        do gravel_lo1 = 1, 100000, gravel_step1
           gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &         100000 - gravel_lo1)
           do i = gravel_lo1, gravel_hi1
             a(i) = mod(i,13) + rank
           end do
           call gravel_post_os_put(gravel_t1, a, gravel_lo1 - 1,
     &         gravel_hi1 - gravel_lo1 + 1)
        end do
        ! gravel: sent tile by tile above, was line 22: call mpi_send...
        call gravel_send_fin(gravel_t1, gravel_s1, ierr)
        ! gravel: waits here, was line 24: call mpi_wait(req, status,...
        call gravel_wait(gravel_req, b, status, ierr)
        s = 0
        do i = 1, 100000
          s = s + mod(i,3)*b(i)
        end do
        ! gravel: the wait moved here, was line 22: call mpi_send(a, ...
        call gravel_wait(gravel_s1, a)
        write(*,'(i4,i4,f16.1)') rank, it, s
      end do
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
