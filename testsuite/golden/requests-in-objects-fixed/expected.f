C     A type that the main program defines, with mpif.h: its internal
C     procedures begin and end what an object has under way.
      program main
      use gravel
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 2000)
      type channel
        integer partner
        integer first, handles(0:1), last
        double precision out(n), in(n)
      end type channel
      type(channel) left, right
      integer ierr, rank, ranks, i
      double precision total, totals
      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      left%partner = mod(rank + ranks - 1, ranks)
      right%partner = mod(rank + 1, ranks)
      left%handles = mpi_request_null
      right%handles(0) = mpi_request_null
      right%handles(1) = mpi_request_null
      call open_channel(left, 1, 2)
      call open_channel(right, 2, 1)
      total = 0
      do i = 1, n
        total = total + mod(i, 7)
      end do
      call close_channel(left)
      ! gravel: waits here, was line 31: call mpi_waitall(2, right%ha...
      call gravel_waitall(2, right%handles(0), ierr)
      call gravel_f_sync_reg(right%in)
      call gravel_f_sync_reg(right%out)
      do i = 1, n
        total = total + left%in(i) + 2 * right%in(i)
      end do
      call mpi_reduce(total, totals, 1, mpi_double_precision, mpi_sum,
     &     0, mpi_comm_world, ierr)
      if (rank .eq. 0) write (*, '(a,f16.1)') 'sum ', totals
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      contains
        subroutine open_channel(channel_of_this_rank, sent, received)
        use gravel
        type(channel) channel_of_this_rank
        integer sent, received, k, ierr
        integer(gravel_transfer_kind) :: gravel_t1
        integer :: gravel_lo1, gravel_hi1, gravel_step1
        ! gravel: posted here, was line 43: call mpi_irecv(channel_of...
        call gravel_post_rcv_buffer_rdma(channel_of_this_rank%in, n,
     &      mpi_double_precision, channel_of_this_rank%partner,
     &      received, mpi_comm_world, channel_of_this_rank%handles(0),
     &      ierr)
        ! gravel: one handshake, a put per tile, was line 49: call mp...
        call gravel_wait_rcv_buffer(channel_of_this_rank%out, n,
     &      mpi_double_precision, channel_of_this_rank%partner, sent,
     &      mpi_comm_world, gravel_t1)
        gravel_step1 = gravel_tile(gravel_t1, n)
        do gravel_lo1 = 1, n, gravel_step1
           gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &         n - gravel_lo1)
           do k = gravel_lo1, gravel_hi1
             channel_of_this_rank%out(k) = k * (rank + 1) + sent
           end do
           call gravel_post_os_put(gravel_t1, channel_of_this_rank%out,
     &         gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
        end do
        ! gravel: sent tile by tile above, was line 49: call mpi_isen...
        call gravel_send_fin(gravel_t1, channel_of_this_rank%handles(1),
     &       ierr)
        end subroutine
        subroutine close_channel(one)
        use gravel
        type(channel) one
        integer ierr, k
        do k = 0, 1
          ! gravel: waits here, was line 58: call mpi_wait(one%handle...
          call gravel_wait(one%handles(k), one%in, ierr)
          call gravel_f_sync_reg(one%out)
        end do
        end subroutine
      end program
