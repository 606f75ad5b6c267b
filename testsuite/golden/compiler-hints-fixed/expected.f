C     Hints to compilers in fixed form, with statement functions and the labels of formats.
      program hints
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 40000)
      integer ierr, rank, ranks, next, prev, request, i, step
      integer status(mpi_status_size)
      double precision sbuf(n), rbuf(n), field(n), weight
      double precision checksum, checksums(16)
      double precision smooth, x, y
      integer(gravel_request_kind) :: gravel_s1
      smooth(x, y) = weight*x + (1.0d0 - weight)*y
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      weight = 0.25d0
      do 10 i = 1, n
        field(i) = dble(rank + 1) + dble(mod(i, 29))
        rbuf(i) = 0.0d0
   10 continue
      do 50 step = 1, 3
CDIR$ IVDEP
        do 20 i = 1, n
          sbuf(i) = smooth(field(i), rbuf(i))
   20   continue
        ! gravel: posted here, was line 28: call mpi_irecv(rbuf, n, m...
        call gravel_post_rcv_buffer_rdma(rbuf, n, mpi_double_precision,
     &      prev, 4, mpi_comm_world, request, ierr)
        ! gravel: sent without waiting, was line 30: call mpi_send(sb...
        call gravel_post_send(sbuf, n, mpi_double_precision, next, 4,
     &      mpi_comm_world, gravel_s1, ierr)
        ! gravel: waits here, was line 32: call mpi_wait(request, sta...
        call gravel_wait(request, rbuf, status, ierr)
        ! gravel: the wait moved here, was line 30: call mpi_send(sbu...
        call gravel_wait(gravel_s1, sbuf)
        if (rank .lt. 0) write (*, 30) step
   30   format (i5)
CDIR$ IVDEP
        do 40 i = 1, n
          field(i) = smooth(sbuf(i), field(i))
   40   continue
        weight = 0.5d0*weight
   50 continue
      checksum = 0.0d0
      do 60 i = 1, n
        checksum = checksum + (field(i) + rbuf(i))*dble(mod(i, 7))
   60 continue
      call mpi_gather(checksum, 1, mpi_double_precision, checksums, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 70 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checksums(i)
   70   continue
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
