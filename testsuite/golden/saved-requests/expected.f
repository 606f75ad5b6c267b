! Requests that a procedure keeps from call to call: an array that is null from the beginning (DATA), of which all is waited for
! in the same call, and a saved variable, posted to in one call and waited for in the next.
      program saved
      use gravel
      implicit none
      include 'mpif.h'
      integer maxrnk, n
      parameter (maxrnk = 16, n = 30000)
      double precision p(n), q(n), r(n)
      common /field/ p, q, r
      integer rank, ranks, ierr, i, step
      double precision check, checks(maxrnk)
      integer(gravel_request_kind) :: gravel_r1_begin
      common /gravel_1_begin/ gravel_r1_begin

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      check = 0
      do 40 step = 1, 3
        ! gravel: posted early for `begin`, was line 88 there: call m...
        if (.true.) call gravel_post_rcv_buffer_rdma(r, 30000,
     &      mpi_double_precision, mod(rank + 1, ranks), 8,
     &      mpi_comm_world, gravel_r1_begin)
        do 10 i = 1, n
          p(i) = mod(i, 17) + rank + step
   10   continue
        call begin(.true., rank, ranks)
        call swap(rank, ranks)
        ! gravel: posted early for `begin`, was line 88 there: call m...
        if (.false.) call gravel_post_rcv_buffer_rdma(r, 30000,
     &      mpi_double_precision, mod(rank + 1, ranks), 8,
     &      mpi_comm_world, gravel_r1_begin)
        do 20 i = 1, n
          check = check + q(i)*mod(i, 7)
   20   continue
        call begin(.false., rank, ranks)
        do 30 i = 1, n
          check = check + r(i)*mod(i, 5)
   30   continue
   40 continue
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 50 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checks(i)
   50   continue
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      subroutine swap(rank, ranks)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      double precision p(n), q(n), r(n)
      common /field/ p, q, r
      integer rank, ranks, ierr, i
      double precision work(n)
      integer ist(mpi_status_size, 0:3), ireq(0:3)
      data ireq /4*mpi_request_null/
      integer(gravel_request_kind) :: gravel_s1

      if (ranks .gt. 1) then
        ! gravel: posted here, was line 55: call mpi_irecv(q, n, mpi_...
        call gravel_post_rcv_buffer_rdma(q, n, mpi_double_precision,
     &      mod(rank + 1, ranks), 7, mpi_comm_world, ireq(0), ierr)
      end if
      ! gravel: sent here, where it is complete, was line 62: call mp...
      gravel_s1 = gravel_request_null
      if (ranks .gt. 1) call gravel_post_send(p, n,
     &    mpi_double_precision, mod(rank + ranks - 1, ranks), 7,
     &    mpi_comm_world, gravel_s1)
      do 10 i = 1, n
        work(i) = p(i)*0.5
   10 continue
      if (ranks .gt. 1) then
        ! gravel: posted above, was line 62: call mpi_isend(p, n, mpi...
        ireq(1) = gravel_s1
        ierr = 0
      end if
      ! gravel: waits here, was line 66: call mpi_waitall(4, ireq, is...
      call gravel_waitall(4, ireq, ist, ierr)
      call gravel_f_sync_reg(q)
      call gravel_f_sync_reg(p)
      do 20 i = 1, n
        if (ranks .gt. 1) then
          q(i) = q(i) + work(i)
        else
          q(i) = p(i) + work(i)
        end if
   20 continue
      end

      subroutine begin(is_beginning, rank, ranks)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      double precision p(n), q(n), r(n)
      common /field/ p, q, r
      logical is_beginning
      integer rank, ranks, ierr, from_next, to_prev
      save from_next, to_prev
      integer(gravel_request_kind) :: gravel_r1_begin
      common /gravel_1_begin/ gravel_r1_begin

      if (is_beginning) then
        ! gravel: posted above, was line 88: call mpi_irecv(r, n, mpi...
        from_next = gravel_r1_begin
        ierr = 0
        ! gravel: sent without waiting, was line 90: call mpi_isend(p...
        call gravel_post_send(p, n, mpi_double_precision,
     &      mod(rank + ranks - 1, ranks), 8, mpi_comm_world, to_prev,
     &      ierr)
      else
        ! gravel: waits here, was line 94: call mpi_wait(from_next, m...
        call gravel_wait(from_next, r, ierr)
        ! gravel: waits here, was line 95: call mpi_wait(to_prev, mpi...
        call gravel_wait(to_prev, p, ierr)
      end if
      end
