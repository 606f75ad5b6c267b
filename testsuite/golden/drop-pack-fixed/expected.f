C     Fixed form, with loops that end with labels: the second of them
C     belongs to one loop alone, so the loop can go.
      program droppk
      use gravel
      implicit none
      include 'mpif.h'
      integer n, m, maxrnk
      parameter (n = 5000, m = 6, maxrnk = 16)
      integer ierr, rank, ranks, next, prev, i, j, step
      integer request
      integer status(mpi_status_size)
      double precision field(n, m), other(n, m), ghost(n)
      double precision spare(n)
      double precision total, totals(maxrnk)
      integer(gravel_request_kind) :: gravel_s1
      integer :: gravel_lo1, gravel_hi1, gravel_step1

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      do 10 j = 1, m
      do 10 i = 1, n
   10 field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)

      do 60 step = 1, 4
        ! gravel: posted here, was line 25: call mpi_irecv(ghost, n, ...
        call gravel_post_rcv_segments(ghost, n, mpi_double_precision,
     &      prev, 8, mpi_comm_world, request, ierr)
C       the last column
        ! gravel: sent from where it lies, was line 29: border(k) = field(k, m)
        ! gravel: sent without waiting, was line 32: call mpi_send(bo...
        call gravel_post_send(field(1:n, m), n, mpi_double_precision,
     &      next, 8, mpi_comm_world, gravel_s1, ierr)
        do 30 j = 1, m
        do 30 i = 1, n
          other(i, j) = field(i, j) * 0.5d0 + dble(step)
   30   continue
        ! gravel: moved away from here, was line 38: call mpi_wait(re...
        ierr = 0
        ! gravel: waits here for what each tile reads, was line 38: c...
        gravel_step1 = gravel_tile(request, n)
        if (gravel_step1 >= n) call gravel_wait(request, ghost, status)
        do gravel_lo1 = 1, n, gravel_step1
           gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &         n - gravel_lo1)
           if (gravel_step1 < n) call gravel_wait_range(request, ghost,
     &         0, gravel_hi1)
           do 40 i = gravel_lo1, gravel_hi1
   40      spare(i) = ghost(i) * 0.25d0
        end do
        if (gravel_step1 < n) call gravel_wait(request, ghost, status)
        ! gravel: the wait moved here, was line 32: call mpi_send(bor...
        call gravel_wait(gravel_s1, field)
        do 50 j = 1, m
        do 50 i = 1, n
          field(i, j) = other(i, j) + spare(i)
   50   continue
   60 continue

      total = 0.0d0
      do 70 j = 1, m
      do 70 i = 1, n
   70 total = total + field(i, j) * dble(mod(i + 3*j, 11))
      call mpi_gather(total, 1, mpi_double_precision, totals, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 80 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' total ',
     &      totals(i)
   80   continue
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
