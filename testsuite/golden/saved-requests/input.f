! Requests that a procedure keeps from call to call: an array that is null from the beginning (DATA), of which all is waited for
! in the same call, and a saved variable, posted to in one call and waited for in the next.
      program saved
      implicit none
      include 'mpif.h'
      integer maxrnk, n
      parameter (maxrnk = 16, n = 30000)
      double precision p(n), q(n), r(n)
      common /field/ p, q, r
      integer rank, ranks, ierr, i, step
      double precision check, checks(maxrnk)

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      check = 0
      do 40 step = 1, 3
        do 10 i = 1, n
          p(i) = mod(i, 17) + rank + step
   10   continue
        call begin(.true., rank, ranks)
        call swap(rank, ranks)
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
      call mpi_finalize(ierr)
      end

      subroutine swap(rank, ranks)
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

      if (ranks .gt. 1) then
        call mpi_irecv(q, n, mpi_double_precision, mod(rank + 1, ranks),
     &                 7, mpi_comm_world, ireq(0), ierr)
      end if
      do 10 i = 1, n
        work(i) = p(i)*0.5
   10 continue
      if (ranks .gt. 1) then
        call mpi_isend(p, n, mpi_double_precision,
     &                 mod(rank + ranks - 1, ranks), 7, mpi_comm_world,
     &                 ireq(1), ierr)
      end if
      call mpi_waitall(4, ireq, ist, ierr)
      do 20 i = 1, n
        if (ranks .gt. 1) then
          q(i) = q(i) + work(i)
        else
          q(i) = p(i) + work(i)
        end if
   20 continue
      end

      subroutine begin(is_beginning, rank, ranks)
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 30000)
      double precision p(n), q(n), r(n)
      common /field/ p, q, r
      logical is_beginning
      integer rank, ranks, ierr, from_next, to_prev
      save from_next, to_prev

      if (is_beginning) then
        call mpi_irecv(r, n, mpi_double_precision, mod(rank + 1, ranks),
     &                 8, mpi_comm_world, from_next, ierr)
        call mpi_isend(p, n, mpi_double_precision,
     &                 mod(rank + ranks - 1, ranks), 8, mpi_comm_world,
     &                 to_prev, ierr)
      else
        call mpi_wait(from_next, mpi_status_ignore, ierr)
        call mpi_wait(to_prev, mpi_status_ignore, ierr)
      end if
      end
