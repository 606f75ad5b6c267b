C     A loop over a variable that is no integer writes it: the wait for
C     a message in that variable does not move past the loop.
! expect: handled
      program realloop
      implicit none
      include 'mpif.h'
      integer maxrk
      parameter (maxrk = 16)
      integer ierr, rank, ranks, next, prev, i, step
      integer reqs(2), stats(mpi_status_size, 2)
      double precision x, y, z, chksum, sums(maxrk)

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      chksum = 0.0d0
      z = 0.5d0
      do 20 step = 1, 4
        x = 3.0d0 * rank + step
        y = -1.0d0
        call mpi_irecv(y, 1, mpi_double_precision, prev, 4,                     ! trapped
     &                 mpi_comm_world, reqs(1), ierr)
        call mpi_isend(x, 1, mpi_double_precision, next, 4,                     ! trapped
     &                 mpi_comm_world, reqs(2), ierr)
        call mpi_waitall(2, reqs, stats, ierr)                                  ! trapped
        z = z + 0.25d0
        do 10 x = 0.0d0, 6.0d0, 1.5d0
   10   z = z + x * 0.125d0
        chksum = chksum + x + z
        do 15 x = 0.0d0, y, 1.5d0
          chksum = chksum + x * 0.125d0
   15   continue
   20 continue

      call mpi_gather(chksum, 1, mpi_double_precision, sums, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do 30 i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      sums(i)
   30   continue
      end if
      call mpi_finalize(ierr)
      end
