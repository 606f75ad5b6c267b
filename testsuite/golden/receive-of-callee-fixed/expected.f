! Fixed form without modules: members of COMMON blocks, conditions in the caller and in the procedure that receives, a caller
! that does not know MPI, two receives in one procedure.
! ranks: 1 2 3 4
      program wave
      use gravel
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
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
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
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      subroutine advance(step)
      use gravel
      use mpi, only: mpi_comm_world, mpi_double_precision
      implicit none
      integer n
      parameter (n = 20000)
      integer step, rank, ranks, nbr(2), i
      double precision halo(n,2), field(n), work(n), check
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check
      integer(gravel_request_kind) :: gravel_r1_take, gravel_r2_take,
     &    gravel_w1_give, gravel_w2_give
      common /gravel_1_take/ gravel_r1_take
      common /gravel_2_take/ gravel_r2_take
      common /gravel_1w_give/ gravel_w1_give
      common /gravel_2w_give/ gravel_w2_give

      call give(step)
      do i = 1, n
        work(i) = work(i) + sqrt(dble(i))*dble(step)
      end do
      if (step .gt. 0) then
        ! gravel: posted early for `take`, was line 97 there: call mp...
        if (nbr(1) .ge. 0 .or. nbr(2) .lt. ranks) then
           if (nbr(1) >= 0) call gravel_post_rcv_buffer_rdma(halo(1,2),
     &      n - 1, mpi_double_precision, nbr(1), 10 + step,
     &      mpi_comm_world, gravel_r1_take)
        end if
        ! gravel: posted early for `take`, was line 101 there: call m...
        if (nbr(1) .ge. 0 .or. nbr(2) .lt. ranks) then
           if (nbr(1) >= 0) call gravel_post_rcv_buffer_rdma(halo(1, 1),
     &       20000 - 1, mpi_double_precision, nbr(1), 20 + step,
     &      mpi_comm_world, gravel_r2_take)
        end if
        do i = 1, n
          work(i) = work(i) + cos(dble(i))
        end do
        if (nbr(1) .ge. 0 .or. nbr(2) .lt. ranks) call take(halo(1,2),
     &    n - 1, step)
      end if
      ! gravel: waits here for what line 51 has begun: call give(step)
      call gravel_wait(gravel_w1_give, field)
      call gravel_wait(gravel_w2_give, field)
      end

      subroutine give(step)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer step, rank, ranks, nbr(2), i, ierr
      double precision halo(n,2), field(n), work(n), check
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check
      integer(gravel_request_kind) :: gravel_w1_give, gravel_w2_give
      common /gravel_1w_give/ gravel_w1_give
      common /gravel_2w_give/ gravel_w2_give

      ! gravel: null where the operation is not begun
      gravel_w1_give = gravel_request_null
      ! gravel: null where the operation is not begun
      gravel_w2_give = gravel_request_null
      do i = 1, n
        field(i) = field(i) + 0.25d0*dble(mod(i + step, 7))
      end do
      if (nbr(2) .lt. ranks) then
        ! gravel: sent without waiting, was line 78: call mpi_send(fi...
        call gravel_post_send(field, n - 1, mpi_double_precision,
     &      nbr(2), 10 + step, mpi_comm_world, gravel_w1_give, ierr)
        ! gravel: sent without waiting, was line 80: call mpi_send(fi...
        call gravel_post_send(field(2), n - 1, mpi_double_precision,
     &      nbr(2), 20 + step, mpi_comm_world, gravel_w2_give, ierr)
      end if
      end

      subroutine take(a, m, step)
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer m, step, rank, ranks, nbr(2), i, ierr
      integer status(mpi_status_size)
      double precision halo(n,2), field(n), work(n), check, a(m)
      common /grid/ rank, ranks, nbr
      common /data/ halo, field, work, check
      integer(gravel_request_kind) :: gravel_r1_take, gravel_r2_take
      common /gravel_1_take/ gravel_r1_take
      common /gravel_2_take/ gravel_r2_take

      if (nbr(1) .ge. 0) then
        ! gravel: waits here, was line 97: call mpi_recv(a, m, mpi_do...
        call gravel_wait(gravel_r1_take, a, status, ierr)
      end if
      ! gravel: waits here, was line 101: call mpi_recv(halo(1,1), n ...
      if (nbr(1) .ge. 0)
     &  call gravel_wait(gravel_r2_take, halo, status, ierr)
        ! gravel: the argument stays, for those who call
        call gravel_f_sync_reg(step)
      do i = 1, m
        check = check + a(i)*dble(mod(i, 5)) - halo(i,1) + work(i)
      end do
      end
