! Requests, buffers, the datatype and the tags live in COMMON blocks: one subroutine posts the receives, another one fills
! and sends the messages, a third one waits and adds up what has come. Each names the blocks' members in its own way.
      program commrq
      use gravel
      implicit none
      include 'mpif.h'
      integer maxrnk
      parameter (maxrnk = 16)
      integer n
      parameter (n = 30000)
      integer rank, ranks, next, prev, dptype, mreq(2)
      common /where/ rank, ranks, next, prev, dptype
      common /pending/ mreq
      double precision field(n), left(n), right(n), other(n)
      common /fields/ field, left, right, other
      integer ierr, i, step
      double precision check, checks(maxrnk)

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      dptype = mpi_double_precision
      mreq(1) = mpi_request_null
      mreq(2) = mpi_request_null
      do i = 1, n
         field(i) = dble(rank + 1) + dble(mod(i, 27)) * 0.5d0
      end do
      do step = 1, 3
         call ready
         call give(step)
         call take
      end do
      check = 0.0d0
      do i = 1, n
         check = check + field(i) * dble(mod(i, 8))
      end do
      call mpi_gather(check, 1, dptype, checks, 1, dptype, 0,
     &                mpi_comm_world, ierr)
      if (rank .eq. 0) then
         do i = 1, ranks
            write (*, '(a, i3, es24.16)') 'rank', i - 1, checks(i)
         end do
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      subroutine ready
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      integer me, np, up, down, dptype, msgid(2)
      common /where/ me, np, up, down, dptype
      common /pending/ msgid
      double precision field(n), fromlf(n), fromrt(n), other(n)
      common /fields/ field, fromlf, fromrt, other
      integer ierr

      ! gravel: posted here, was line 60: call mpi_irecv(fromlf, n, d...
      call gravel_post_rcv_buffer_rdma(fromlf, n, dptype, down, 5,
     &    mpi_comm_world, msgid(1), ierr)
      ! gravel: posted here, was line 62: call mpi_irecv(fromrt, n, d...
      call gravel_post_rcv_buffer_rdma(fromrt, n, dptype, up, 6,
     &    mpi_comm_world, msgid(2), ierr)
      end

      subroutine give(step)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      integer step
      integer me, np, up, down, dptype
      common /where/ me, np, up, down, dptype
      double precision field(n), fromlf(n), fromrt(n), out(n)
      common /fields/ field, fromlf, fromrt, out
      integer i, ierr
      integer(gravel_request_kind) :: gravel_s1, gravel_s2
      integer(gravel_transfer_kind) :: gravel_t1, gravel_t2
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2

      ! gravel: one handshake, a put per tile, was line 81: call mpi_...
      call gravel_wait_rcv_buffer(out, n, dptype, up, 5, mpi_comm_world,
     &     gravel_t1)
      gravel_step1 = gravel_tile(gravel_t1, n)
      do gravel_lo1 = 1, n, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
         do i = gravel_lo1, gravel_hi1
            out(i) = field(i) * 0.25d0 + dble(step)
         end do
         call gravel_post_os_put(gravel_t1, out, gravel_lo1 - 1,
     &       gravel_hi1 - gravel_lo1 + 1)
      end do
      ! gravel: sent tile by tile above, was line 81: call mpi_send(o...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
      call gravel_wait(gravel_s1, out)
      ! gravel: one handshake, a put per tile, was line 85: call mpi_...
      call gravel_wait_rcv_buffer(out, n, dptype, down, 6,
     &    mpi_comm_world, gravel_t2)
      gravel_step2 = gravel_tile(gravel_t2, n)
      do gravel_lo2 = 1, n, gravel_step2
         gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, n - gravel_lo2)
         do i = gravel_lo2, gravel_hi2
            out(i) = field(i) * 0.125d0 - dble(step)
         end do
         call gravel_post_os_put(gravel_t2, out, gravel_lo2 - 1,
     &       gravel_hi2 - gravel_lo2 + 1)
      end do
      ! gravel: sent tile by tile above, was line 85: call mpi_send(o...
      call gravel_send_fin(gravel_t2, gravel_s2, ierr)
      call gravel_wait(gravel_s2, out)
      end

      subroutine take
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      integer id(2), istat(mpi_status_size)
      common /pending/ id
      double precision field(n), a(n), b(n), other(n)
      common /fields/ field, a, b, other
      integer i, ierr

      ! gravel: waits here, was line 99: call mpi_wait(id(1), istat, ...
      call gravel_wait(id(1), a, istat, ierr)
      ! gravel: waits here, was line 100: call mpi_wait(id(2), istat,...
      call gravel_wait(id(2), b, istat, ierr)
      do i = 1, n
         field(i) = 0.5d0 * field(i) + a(i) + b(i)
      end do
      end
