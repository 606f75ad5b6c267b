! A labelled loop ends with an IF statement that calls the exchange: what is waited for behind the call has no room there.
! expect: handled
      program looped
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 1000)
      double precision u(2*n), w(n), check, all
      integer i, j, rank, ranks, ierr
      common /g/ rank, ranks
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      do 5 i = 1, n
        w(i) = 0
        u(i) = rank + i
    5   u(n+i) = 0
      do 10 j = 1, 4
        w(j) = w(j) + 1
   10   if (j .gt. 2) call exch(u, n)
      call exch(u, n)
      do 20 i = 1, n
   20   w(i) = w(i) + i
      check = (w(n) + u(n+1) + 2 * u(2*n)) * (rank + 1)
      call mpi_allreduce(check, all, 1, mpi_double_precision, mpi_max,
     &  mpi_comm_world, ierr)
      if (rank .eq. 0) print '(es24.16)', all
      call mpi_finalize(ierr)
      end
      subroutine exch(u, n)
      implicit none
      include 'mpif.h'
      integer n, rank, ranks, ierr
      double precision u(2*n)
      common /g/ rank, ranks
      call mpi_sendrecv(u, n, mpi_double_precision, ! trapped
     &  mod(rank+1, ranks), 1, u(n+1), n, mpi_double_precision,
     &  mod(rank-1+ranks, ranks), 1, mpi_comm_world,
     &  mpi_status_ignore, ierr)
      end
