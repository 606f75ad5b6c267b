C     The bounds of loops that are cut into tiles, or split, go on on
C     the next line.
      program bounds
      use mpi
      use gravel
      implicit none
      integer n, mranks
      parameter (n = 20000, mranks = 16)
      integer ierr, rank, ranks, req, i, prev, next
      double precision a(n), b(n), s, all(mranks)
      integer(gravel_request_kind) :: gravel_s1
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_hi1, gravel_step1
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      prev = mod(rank + ranks - 1, ranks)
      next = mod(rank + 1, ranks)
      ! gravel: posted here, was line 15: call mpi_irecv(b, n, mpi_do...
      call gravel_post_rcv_buffer_rdma(b, n, mpi_double_precision, prev,
     &     1, mpi_comm_world, req, ierr)
      ! gravel: one handshake, a put per tile, was line 22: call mpi_...
      call gravel_wait_rcv_buffer(a, n, mpi_double_precision, next, 1,
     &    mpi_comm_world, gravel_t1)
      gravel_step1 = gravel_tile(gravel_t1, n + 0)
      do gravel_lo1 = 1, n + 0, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &       (n + 0) - gravel_lo1)
         do i = gravel_lo1, gravel_hi1
            a(i) = mod(i, 13) * 0.5d0
     &             + rank
         end do
         call gravel_post_os_put(gravel_t1, a, gravel_lo1 - 1,
     &       gravel_hi1 - gravel_lo1 + 1)
      end do
      ! gravel: sent tile by tile above, was line 22: call mpi_send(a...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
      ! gravel: waits here, was line 24: call mpi_wait(req, mpi_statu...
      call gravel_wait(req, b, ierr)
      s = 0.0d0
      do i = 1, n
         s = s + b(i) * mod(i, 7)
      end do
      ! gravel: the wait moved here, was line 22: call mpi_send(a, n,...
      call gravel_wait(gravel_s1, a)
      call mpi_gather(s, 1, mpi_double_precision, all, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
         do i = 1, ranks
            write (*, '(i4, es24.16)') i, all(i)
         end do
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
