! Fixed form: calls behind conditions that leave no room on their line, tabs, deep nesting, the last process sends to nobody.
! ranks: 1 2 3 4
      program chain
      use gravel
      implicit none
      include 'mpif.h'
      integer n, maxrnk
      parameter (n = 20000, maxrnk = 16)
      integer rank, ranks, upper, lower, request, ierr, i, step
      integer status(mpi_status_size)
      double precision row(n), ghost(n), work(n), check, checks(maxrnk)
      logical verbos
      integer(gravel_request_kind) :: gravel_s1

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      upper = rank + 1
      lower = rank - 1
      verbos = .false.
      do i = 1, n
	row(i) = dble(rank + 1)
	1    + dble(mod(i, 13))
	work(i) = 0.0d0
	ghost(i) = 0.0d0
      end do
      do step = 1, 4
        ! gravel: posted here, was line 27: call mpi_irecv(ghost, n, ...
        if (lower .ge. 0 .and. .not. (verbos .and. step .gt. 1000000))
     &    call gravel_post_rcv_buffer_rdma(ghost, n,
     &      mpi_double_precision, lower, 9, mpi_comm_world, request,
     &      ierr)
        ! gravel: null where the branch below is not taken
        gravel_s1 = gravel_request_null
        if (ranks .gt. 0) then
          if (step .gt. 0) then
            if (n .gt. 0) then
              if (maxrnk .gt. 0) then
                ! gravel: sent without waiting, was line 33: call mpi...
                if (upper .lt. ranks) call gravel_post_send(row, n,
     &              mpi_double_precision, upper, 9, mpi_comm_world,
     &              gravel_s1, ierr)
              end if
            end if
          end if
        end if
        do i = 1, n
          work(i) = work(i) * 0.5d0 + dble(mod(i, step + 3))
        end do
        ! gravel: waits here, was line 44: call mpi_wait(request, sta...
        if (lower .ge. 0 .and. .not. (verbos .and. step .gt. 1000000))
     &    call gravel_wait(request, ghost, status, ierr)
        ! gravel: the wait moved here, was line 33: call mpi_send(row...
        call gravel_wait(gravel_s1, row)
        do i = 1, n
          row(i) = row(i) + ghost(i) * 0.25d0 + work(i)
        end do
      end do
      check = 0.0d0
      do i = 1, n
        check = check + row(i) * dble(mod(i, 7))
      end do
      call mpi_gather(check, 1, mpi_double_precision, checks, 1,
     &                mpi_double_precision, 0, mpi_comm_world, ierr)
      if (rank .eq. 0) then
        do i = 1, ranks
          write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ',
     &      checks(i)
        end do
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end
