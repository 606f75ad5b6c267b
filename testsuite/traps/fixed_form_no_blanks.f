! Fixed form: a loop over a real number of times is none. `DO 10 I = 1.5` assigns to a variable called DO10I, which holds
! the number of elements that are sent; and a GOTO without a blank skips the filling.
! expect: handled
      program nolp
      implicit none
      include 'mpif.h'
      integer n, maxrnk
      parameter (n = 20000, maxrnk = 16)
      integer ierr, rank, ranks, next, prev, request, i, step, do10i
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
      do step = 1, 3
        call mpi_irecv(rbuf, n, mpi_double_precision, prev, 1,
     &                 mpi_comm_world, request, ierr)
        do 10 i = 1.5
        if (step .eq. 2) goto30
        do20i=1,n
          sbuf(i) = dble(rank + step + do10i) * dble(mod(i, 9))
   20   continue
   30   call mpi_send(sbuf, n, mpi_double_precision, next, 1,           ! trapped
     &                mpi_comm_world, ierr)
        call mpi_wait(request, status, ierr)
        do 40 i = 1, n
   40   check = check + rbuf(i) * dble(mod(i, 7)) * dble(step)
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
