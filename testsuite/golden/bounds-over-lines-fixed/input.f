C     The bounds of loops that are cut into tiles, or split, go on on
C     the next line.
      program bounds
      use mpi
      implicit none
      integer n, mranks
      parameter (n = 20000, mranks = 16)
      integer ierr, rank, ranks, req, i, prev, next
      double precision a(n), b(n), s, all(mranks)
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      prev = mod(rank + ranks - 1, ranks)
      next = mod(rank + 1, ranks)
      call mpi_irecv(b, n, mpi_double_precision, prev, 1,
     &               mpi_comm_world, req, ierr)
      do i = 1, n
     &          + 0
         a(i) = mod(i, 13) * 0.5d0
     &          + rank
      end do
      call mpi_send(a, n, mpi_double_precision, next, 1,
     &              mpi_comm_world, ierr)
      call mpi_wait(req, mpi_status_ignore, ierr)
      s = 0.0d0
      do i = 1, n
         s = s + b(i) * mod(i, 7)
      end do
      call mpi_gather(s, 1, mpi_double_precision, all, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
         do i = 1, ranks
            write (*, '(i4, es24.16)') i, all(i)
         end do
      end if
      call mpi_finalize(ierr)
      end
