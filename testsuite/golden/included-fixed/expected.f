C Statements in fixed form are included, and so are declarations, and a
C procedure behind the program.
      program includ
      use gravel
      implicit none
      include 'mpif.h'
      include 'sizes.inc'
      integer ierr, rank, ranks, left, right, i, request
      double precision old(length), new(length), halo(length)
      double precision total, sums(16), weight
      external weight
      integer(gravel_request_kind) :: gravel_s1
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      right = mod(rank + 1, ranks)
      left = mod(rank - 1 + ranks, ranks)
      ! gravel: posted early, was line 2 of exchange.inc: call mpi_ir...
      call gravel_post_rcv_segments(halo, length, mpi_double_precision,
     &    left, 1, mpi_comm_world, request)
      ! gravel: one handshake, a put per tile, was line 4 of exchange...
      call gravel_wait_rcv_buffer(old, length, mpi_double_precision,
     &    right, 1, mpi_comm_world, gravel_t1)
      i = 1
      gravel_step1 = gravel_tile(gravel_t1, length)
      do gravel_lo1 = 1, length, gravel_step1
         gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &       length - gravel_lo1)
         do 10 i = gravel_lo1, gravel_hi1
   10    old(i) = rank + 1d0 / i
         call gravel_post_os_put(gravel_t1, old, gravel_lo1 - 1,
     &       gravel_hi1 - gravel_lo1 + 1)
      end do
! gravel: the text of exchange.inc, which was included here, begins
C     The rows of the neighbours.
      ! gravel: moved away from here, was line 2 of exchange.inc: cal...
      ierr = 0
      ! gravel: sent tile by tile above, was line 4 of exchange.inc: ...
      call gravel_send_fin(gravel_t1, gravel_s1, ierr)
      ! gravel: moved away from here, was line 6 of exchange.inc: cal...
      ierr = 0
      ! gravel: waits here for what each tile reads, was line 6 of ex...
      i = 1
      gravel_step2 = gravel_tile(request, length)
      if (gravel_step2 >= length) call gravel_wait(request, halo)
      do gravel_lo2 = 1, length, gravel_step2
         gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1,
     &       length - gravel_lo2)
         if (gravel_step2 < length) call gravel_wait_range(request,
     &       halo, 0, gravel_hi2)
         do 20 i = gravel_lo2, gravel_hi2
   20    new(i) = 0.5d0 * (old(i) + halo(i))
      end do
      if (gravel_step2 < length) call gravel_wait(request, halo)
! gravel: the text of exchange.inc ends
      total = weight(new)
      ! gravel: the wait moved here, was line 4 of exchange.inc: call...
      call gravel_wait(gravel_s1, old)
      call mpi_gather(total, 1, mpi_double_precision, sums, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) print *, (sums(i), i = 1, ranks)
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      include 'weight.inc'
