C     A type that the main program defines, with mpif.h: its internal
C     procedures begin and end what an object has under way.
      program main
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
      call mpi_waitall(2, right%handles(0), mpi_statuses_ignore, ierr)
      do i = 1, n
        total = total + left%in(i) + 2 * right%in(i)
      end do
      call mpi_reduce(total, totals, 1, mpi_double_precision, mpi_sum,
     &     0, mpi_comm_world, ierr)
      if (rank .eq. 0) write (*, '(a,f16.1)') 'sum ', totals
      call mpi_finalize(ierr)
      contains
        subroutine open_channel(channel_of_this_rank, sent, received)
        type(channel) channel_of_this_rank
        integer sent, received, k, ierr
        call mpi_irecv(channel_of_this_rank%in, n, mpi_double_precision,
     &       channel_of_this_rank%partner, received, mpi_comm_world,
     &       channel_of_this_rank%handles(0), ierr)
        do k = 1, n
          channel_of_this_rank%out(k) = k * (rank + 1) + sent
        end do
        call mpi_isend(channel_of_this_rank%out, n,
     &       mpi_double_precision, channel_of_this_rank%partner,
     &       sent, mpi_comm_world, channel_of_this_rank%handles(1),
     &       ierr)
        end subroutine
        subroutine close_channel(one)
        type(channel) one
        integer ierr, k
        do k = 0, 1
          call mpi_wait(one%handles(k), mpi_status_ignore, ierr)
        end do
        end subroutine
      end program
