! Fixed form without modules: members of COMMON blocks, conditions in the caller and in the procedure that receives, a caller
! that does not know MPI, two receives in one procedure.
! ranks: 1 2 3 4
      program wave
      implicit none
      include 'mpif.h'
      integer n, maxrnk
      parameter (n = 20000, maxrnk = 16)
      integer rank, ranks, nbr(2), step
      double precision halo(n,2), field(n), work(n), check
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check
      double precision checks(maxrnk)
      integer ierr, i

      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      nbr(1) = rank - 1
      nbr(2) = rank + 1
      check = 0.0d0
      do i = 1, n
        field(i) = dble(rank + 1) + dble(mod(i, 13))
        work(i) = 0.0d0
        halo(i,1) = 0.0d0
        halo(i,2) = 0.0d0
      end do
      do step = 1, 4
        call advance(step)
      end do
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' check ',
     &      checks(i)
        end do
      end if
      call mpi_finalize(ierr)
      end

      subroutine advance(step)
      implicit none
      integer n
      parameter (n = 20000)
      integer step, rank, ranks, nbr(2), i
      double precision halo(n,2), field(n), work(n), check
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check

      call give(step)
      do i = 1, n
        work(i) = work(i) + sqrt(dble(i))*dble(step)
      end do
      if (step .gt. 0) then
        do i = 1, n
          work(i) = work(i) + cos(dble(i))
        end do
        if (nbr(1) .ge. 0 .or. nbr(2) .lt. ranks) call take(halo(1,2),
     &    n - 1, step)
      end if
      end

      subroutine give(step)
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer step, rank, ranks, nbr(2), i, ierr
      double precision halo(n,2), field(n), work(n), check
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check

      do i = 1, n
        field(i) = field(i) + 0.25d0*dble(mod(i + step, 7))
      end do
      if (nbr(2) .lt. ranks) then
        call mpi_send(field, n - 1, mpi_double_precision, nbr(2),
     &                10 + step, mpi_comm_world, ierr)
        call mpi_send(field(2), n - 1, mpi_double_precision, nbr(2),
     &                20 + step, mpi_comm_world, ierr)
      end if
      end

      subroutine take(a, m, step)
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer m, step, rank, ranks, nbr(2), i, ierr
      integer status(mpi_status_size)
      double precision halo(n,2), field(n), work(n), check, a(m)
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check

      if (nbr(1) .ge. 0) then
        call mpi_recv(a, m, mpi_double_precision, nbr(1), 10 + step,
     &                mpi_comm_world, status, ierr)
      end if
      if (nbr(1) .ge. 0)
     &  call mpi_recv(halo(1,1), n - 1, mpi_double_precision, nbr(1),
     &                20 + step, mpi_comm_world, status, ierr)
      do i = 1, m
        check = check + a(i)*dble(mod(i, 5)) - halo(i,1) + work(i)
      end do
      end
