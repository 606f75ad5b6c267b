C     The faces of a block of planes, in a datatype of a COMMON block.
C     Rows are posted, sent and waited for in a subroutine; the interior
C     is swept before the rows at the border are.
      program blocks
      use gravel
      implicit none
      include 'mpif.h'
      integer n, m
      parameter (n = 100, m = 60)
      integer ierr, rank, nranks, left, right, i, j, step
      integer rowtyp
      common /types/ rowtyp
      double precision u(0:n+1, 0:m+1), v(0:n+1, 0:m+1)
      common /fields/ u, v
      double precision total, totals(16)

      call mpi_init(ierr)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, nranks, ierr)
      left = mod(rank - 1 + nranks, nranks)
      right = mod(rank + 1, nranks)
      call mktype
      do j = 0, m + 1
        do i = 0, n + 1
          u(i, j) = dble(rank + 1) + dble(mod(i * 3 + j * 7, 31))
          v(i, j) = 0.0d0
        end do
      end do
      do step = 1, 3
        call sweep(left, right)
      end do
      call mpi_type_free(rowtyp, ierr)
      total = 0.0d0
      do j = 1, m
        do i = 1, n
          total = total + u(i, j) * dble(mod(i + 2 * j, 13))
        end do
      end do
      call mpi_gather(total, 1, MPI_DOUBLE_PRECISION, totals, 1,
     &                MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
        do i = 1, nranks
          write (*, '(a,i2,a,es24.16)') 'rank ', i - 1, ' ', totals(i)
        end do
      end if
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      call mpi_finalize(ierr)
      end

      subroutine mktype
      implicit none
      include 'mpif.h'
      integer n, m
      parameter (n = 100, m = 60)
      integer ierr, rowtyp
      common /types/ rowtyp
      call mpi_type_hvector(m, 1, (n + 2) * 8, MPI_DOUBLE_PRECISION,
     &                      rowtyp, ierr)
      call mpi_type_commit(rowtyp, ierr)
      end

      subroutine sweep(left, right)
      use gravel
      implicit none
      include 'mpif.h'
      integer n, m
      parameter (n = 100, m = 60)
      integer left, right, ierr, i, j, req(4)
      integer stats(MPI_STATUS_SIZE, 4)
      integer rowtyp
      common /types/ rowtyp
      double precision u(0:n+1, 0:m+1), v(0:n+1, 0:m+1)
      common /fields/ u, v
      ! gravel: posted here, was line 71: call mpi_irecv(u(0, 1), 1, ...
      call gravel_post_rcv_buffer_rdma(u(0, 1), 1, rowtyp, left, 1,
     &    MPI_COMM_WORLD, req(1), ierr)
      ! gravel: posted here, was line 73: call mpi_irecv(u(n + 1, 1),...
      call gravel_post_rcv_buffer_rdma(u(n + 1, 1), 1, rowtyp, right, 2,
     &     MPI_COMM_WORLD, req(2), ierr)
      ! gravel: sent without waiting, was line 75: call mpi_isend(u(n...
      call gravel_post_send(u(n, 1), 1, rowtyp, right, 1,
     &    MPI_COMM_WORLD, req(3), ierr)
      ! gravel: sent without waiting, was line 77: call mpi_isend(u(1...
      call gravel_post_send(u(1, 1), 1, rowtyp, left, 2, MPI_COMM_WORLD,
     &     req(4), ierr)
      ! gravel: moved away from here, was line 79: call mpi_waitall(4...
      ierr = 0
      do j = 1, m
        do i = 2, n - 1
          v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j))
        end do
      end do
      ! gravel: the wait moved here, was line 79: call mpi_waitall(4,...
      call gravel_wait(req(1), u, stats(:, 1))
      call gravel_wait(req(2), u, stats(:, 2))
      do j = 1, m
        v(1, j) = 0.25d0 * (u(0, j) + u(2, j) + u(1, j))
        v(n, j) = 0.25d0 * (u(n-1, j) + u(n+1, j) + u(n, j))
      end do
      ! gravel: the wait moved here, was line 79: call mpi_waitall(4,...
      call gravel_wait(req(3), u, stats(:, 3))
      call gravel_wait(req(4), u, stats(:, 4))
      do j = 1, m
        do i = 1, n
          u(i, j) = v(i, j)
        end do
      end do
      end
