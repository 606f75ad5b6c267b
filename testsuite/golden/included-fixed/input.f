C Statements in fixed form are included, and so are declarations, and a
C procedure behind the program.
      program includ
      implicit none
      include 'mpif.h'
      include 'sizes.inc'
      integer ierr, rank, ranks, left, right, i, request
      double precision old(length), new(length), halo(length)
      double precision total, sums(16), weight
      external weight

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      right = mod(rank + 1, ranks)
      left = mod(rank - 1 + ranks, ranks)
      do 10 i = 1, length
   10 old(i) = rank + 1d0 / i
      include 'exchange.inc'
      total = weight(new)
      call mpi_gather(total, 1, mpi_double_precision, sums, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) print *, (sums(i), i = 1, ranks)
      call mpi_finalize(ierr)
      end

      include 'weight.inc'
