C     Fixed form, with loops that end with labels: the second of them
C     belongs to one loop alone, so the loop can go.
      program droppk
      implicit none
      include 'mpif.h'
      integer n, m, maxrnk
      parameter (n = 5000, m = 6, maxrnk = 16)
      integer ierr, rank, ranks, next, prev, i, j, k, step
      integer request
      integer status(mpi_status_size)
      double precision field(n, m), other(n, m), ghost(n)
      double precision border(n), spare(n)
      double precision total, totals(maxrnk)

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      do 10 j = 1, m
      do 10 i = 1, n
   10 field(i, j) = dble(rank + 1) + dble(mod(i, 41)) * 0.25d0 + dble(j)

      do 60 step = 1, 4
        call mpi_irecv(ghost, n, mpi_double_precision, prev, 8,
     &                 mpi_comm_world, request, ierr)
C       the last column
        do 20 k = 1, n
          border(k) =
     &      field(k, m)
   20   continue
        call mpi_send(border, n, mpi_double_precision, next, 8,
     &                mpi_comm_world, ierr)
        do 30 j = 1, m
        do 30 i = 1, n
          other(i, j) = field(i, j) * 0.5d0 + dble(step)
   30   continue
        call mpi_wait(request, status, ierr)
        do 40 i = 1, n
   40   spare(i) = ghost(i) * 0.25d0
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
      call mpi_finalize(ierr)
      end
