! Fixed form: what lies behind column 72 is not there. The loop fills all but the last element, though its bound looks
! like that of the message.
! expect: without strip-mine-producer
      program margin
      implicit none
      include 'mpif.h'
      integer n, maxrnk
      parameter (n = 20000, maxrnk = 16)
      integer ierr, rank, ranks, next, prev, request, i, step, np, npart
      integer status(mpi_status_size)
      double precision sbuf(n), rbuf(n), check, checks(maxrnk)

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      next = mod(rank + 1, ranks)
      prev = mod(rank - 1 + ranks, ranks)
      check = 0.0d0
      do i = 1, n
        sbuf(i) = dble(rank + 1) * dble(mod(i, 9))
      end do
      np = n - 1
      npart = n
      do step = 1, 3
        call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1,
     &                 mpi_comm_world, request, ierr)
        do 20 i = 1,
     &                                                                npart
          sbuf(i) = dble(rank + step) * dble(mod(i, 9))
   20   continue
        call mpi_send(sbuf, n, mpi_double_precision, next, 1,           ! trapped
     &                mpi_comm_world, ierr)
        call mpi_wait(request, status, ierr)
        do i = 1, n
          check = check + rbuf(i) * dble(mod(i, 7)) * dble(step)
        end do
      end do
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checks(i)
        end do
      end if
      call mpi_finalize(ierr)
      end
