! One request variable serves one operation after the other: each post has its own wait, the receive and the sends alike. A
! pipeline: each process gets a line from the one before, works on its lines, and sends its last one on.
      program reused
      implicit none
      include 'mpif.h'
      integer maxrnk, n, lines
      parameter (maxrnk = 16, n = 30000, lines = 3)
      integer rank, ranks, next, prev, req, ierr, i, j, step
      integer status(mpi_status_size)
      double precision line(n), last(n), first(n), sums(n)
      double precision check, checks(maxrnk)

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = rank + 1
      if (next .eq. ranks) next = mpi_proc_null
      prev = rank - 1
      if (prev .lt. 0) prev = mpi_proc_null
      do 10 i = 1, n
        line(i) = 1
        sums(i) = 0
   10 continue
      do 50 step = 1, 3
        if (prev .ne. mpi_proc_null) then
          call mpi_irecv(line, n, mpi_double_precision, prev, 7,
     &                   mpi_comm_world, req, ierr)
          call mpi_wait(req, status, ierr)
        end if
        do 30 j = 1, lines
          do 20 i = 1, n
            sums(i) = sums(i) + line(i)*j
   20     continue
   30   continue
        if (next .ne. mpi_proc_null) then
          do 40 i = 1, n
            last(i) = 0.5*line(i) + rank + step
   40     continue
          call mpi_isend(last, n, mpi_double_precision, next, 7,
     &                   mpi_comm_world, req, ierr)
          call mpi_wait(req, status, ierr)
        end if
! And back, around the ring.
        call mpi_irecv(first, n, mpi_double_precision,
     &                 mod(rank + 1, ranks), 8, mpi_comm_world, req,
     &                 ierr)
        call back(line, n, mod(rank + ranks - 1, ranks))
        call mpi_wait(req, status, ierr)
        do 45 i = 1, n
          sums(i) = sums(i) + first(i)
   45   continue
   50 continue

      check = 0
      do 60 i = 1, n
        check = check + sums(i)*mod(i, 7)
   60 continue
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 70 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checks(i)
   70   continue
      end if
      call mpi_finalize(ierr)
      end

      subroutine back(line, n, to)
      implicit none
      include 'mpif.h'
      integer n, to, ierr
      double precision line(n)

      call mpi_send(line, n, mpi_double_precision, to, 8,
     &              mpi_comm_world, ierr)
      end
