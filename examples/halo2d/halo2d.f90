!-----------------------------------------------------------------------
! Heat in a square plate of several layers: five-point stencil on a
! two-dimensional decomposition of the plate.
!
!   mpirun -n 4 ./halo2d [POINTS [STEPS]]
!
! Standard output: one checksum per process, in the order of the ranks.
! Standard error: seconds per step, of the slowest process.
!-----------------------------------------------------------------------
      program halo2d
      implicit none
      include 'mpif.h'

      integer, parameter :: warm_up = 5
      integer :: points, steps, step, rank, ranks, ierr
      double precision :: started, seconds

      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)

      call read_arguments(points, steps)
      call decompose(rank, ranks, points)
      call initialise

      started = 0.0d0
      do step = 1 - warm_up, steps
         if (step .eq. 1) then
            call MPI_BARRIER(MPI_COMM_WORLD, ierr)
            started = MPI_WTIME()
         end if
         call exchange
         call sweep
      end do
      seconds = (MPI_WTIME() - started) / dble(steps)

      call report(rank, ranks, seconds)
      call MPI_FINALIZE(ierr)
      end program halo2d

!-----------------------------------------------------------------------
! Points along one side of the plate and number of steps, from the
! command line or as they are usual.
!-----------------------------------------------------------------------
      subroutine read_arguments(points, steps)
      implicit none
      include 'mpif.h'
      integer, intent(out) :: points, steps
      integer, parameter :: max_points = 512
      character(len=32) :: text
      integer :: problem, ierr

      points = 128
      steps = 20
      problem = 0
      call get_command_argument(1, text)
      if (len_trim(text) .gt. 0) read (text, *, iostat=problem) points
      if (problem .eq. 0) then
         call get_command_argument(2, text)
         if (len_trim(text) .gt. 0) read (text, *, iostat=problem) steps
      end if
      if (problem .ne. 0 .or. steps .lt. 1 .or.                        &
          points .lt. 8 .or. points .gt. max_points) then
         write (0, '(a,i0,a)') 'halo2d: POINTS must lie between 8 and ', &
               max_points, ', STEPS must be at least 1'
         call MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
      end if
      end subroutine read_arguments

!-----------------------------------------------------------------------
! Cuts the plate into columns * rows parts that are as square as the
! number of processes allows, and finds the neighbours (-1: none).
!-----------------------------------------------------------------------
      subroutine decompose(rank, ranks, points)
      implicit none
      integer, intent(in) :: rank, ranks, points
      integer :: nx, ny, ifirst, jfirst
      integer :: north, south, east, west
      common /domain/ nx, ny, ifirst, jfirst
      common /neighbours/ north, south, east, west
      integer :: columns, rows, column, row, candidate

      rows = 1
      do candidate = 1, ranks
         if (candidate * candidate .gt. ranks) exit
         if (mod(ranks, candidate) .eq. 0) rows = candidate
      end do
      columns = ranks / rows
      column = mod(rank, columns)
      row = rank / columns

      ifirst = column * points / columns + 1
      nx = (column + 1) * points / columns - ifirst + 1
      jfirst = row * points / rows + 1
      ny = (row + 1) * points / rows - jfirst + 1

      west = -1
      east = -1
      south = -1
      north = -1
      if (column .gt. 0) west = rank - 1
      if (column .lt. columns - 1) east = rank + 1
      if (row .gt. 0) south = rank - columns
      if (row .lt. rows - 1) north = rank + columns
      end subroutine decompose

!-----------------------------------------------------------------------
! A cold plate with warm spots; its rim stays cold for ever.
!-----------------------------------------------------------------------
      subroutine initialise
      implicit none
      integer, parameter :: max_points = 512, layers = 8
      integer :: nx, ny, ifirst, jfirst
      common /domain/ nx, ny, ifirst, jfirst
      double precision :: u(0:max_points+1, 0:max_points+1, layers)
      double precision :: v(0:max_points+1, 0:max_points+1, layers)
      common /fields/ u, v
      integer :: i, j, k

      do k = 1, layers
         do j = 0, ny + 1
            do i = 0, nx + 1
               u(i, j, k) = 0.0d0
               v(i, j, k) = 0.0d0
            end do
         end do
         do j = 1, ny
            do i = 1, nx
               if (mod((ifirst + i) * (jfirst + j) + k, 7) .eq. 0)      &
                  u(i, j, k) = 1.0d0 + dble(ifirst + i) / 64.0d0        &
                                     - dble(jfirst + j) / 128.0d0
            end do
         end do
      end do
      end subroutine initialise

!-----------------------------------------------------------------------
! Brings the outermost points of the neighbours into the halo.
!-----------------------------------------------------------------------
      subroutine exchange
      implicit none
      include 'mpif.h'
      integer, parameter :: max_points = 512, layers = 8
      integer, parameter :: to_west = 11, to_east = 12
      integer, parameter :: to_south = 13, to_north = 14

      integer :: nx, ny, ifirst, jfirst
      integer :: north, south, east, west
      common /domain/ nx, ny, ifirst, jfirst
      common /neighbours/ north, south, east, west
      double precision :: u(0:max_points+1, 0:max_points+1, layers)
      double precision :: v(0:max_points+1, 0:max_points+1, layers)
      common /fields/ u, v
      double precision :: send_west(max_points*layers), send_east(max_points*layers)
      double precision :: send_south(max_points*layers), send_north(max_points*layers)
      double precision :: recv_west(max_points*layers), recv_east(max_points*layers)
      double precision :: recv_south(max_points*layers), recv_north(max_points*layers)
      common /buffers/ send_west, send_east, send_south, send_north,    &
                       recv_west, recv_east, recv_south, recv_north

      integer :: request_west, request_east, request_south, request_north
      integer :: status(MPI_STATUS_SIZE)
      integer :: i, j, k, ipos, ierr

      if (west .ne. -1) call MPI_IRECV(recv_west, ny*layers, MPI_DOUBLE_PRECISION, &
          west, to_east, MPI_COMM_WORLD, request_west, ierr)
      if (east .ne. -1) call MPI_IRECV(recv_east, ny*layers, MPI_DOUBLE_PRECISION, &
          east, to_west, MPI_COMM_WORLD, request_east, ierr)
      if (south .ne. -1) call MPI_IRECV(recv_south, nx*layers, MPI_DOUBLE_PRECISION, &
          south, to_north, MPI_COMM_WORLD, request_south, ierr)
      if (north .ne. -1) call MPI_IRECV(recv_north, nx*layers, MPI_DOUBLE_PRECISION, &
          north, to_south, MPI_COMM_WORLD, request_north, ierr)

!     the western and the eastern columns

      if (west .ne. -1) then
         do k = 1, layers
            do j = 1, ny
               ipos = (k-1)*ny + j
               send_west(ipos) = u(1, j, k)
            end do
         end do
         call MPI_SEND(send_west, ny*layers, MPI_DOUBLE_PRECISION,      &
                       west, to_west, MPI_COMM_WORLD, ierr)
      end if

      if (east .ne. -1) then
         do k = 1, layers
            do j = 1, ny
               ipos = (k-1)*ny + j
               send_east(ipos) = u(nx, j, k)
            end do
         end do
         call MPI_SEND(send_east, ny*layers, MPI_DOUBLE_PRECISION,      &
                       east, to_east, MPI_COMM_WORLD, ierr)
      end if

!     the southern and the northern rows

      if (south .ne. -1) then
         do k = 1, layers
            do i = 1, nx
               send_south((k-1)*nx + i) = u(i, 1, k)
            end do
         end do
         call MPI_SEND(send_south, nx*layers, MPI_DOUBLE_PRECISION,     &
                       south, to_south, MPI_COMM_WORLD, ierr)
      end if

      if (north .ne. -1) then
         do k = 1, layers
            do i = 1, nx
               send_north((k-1)*nx + i) = u(i, ny, k)
            end do
         end do
         call MPI_SEND(send_north, nx*layers, MPI_DOUBLE_PRECISION,     &
                       north, to_north, MPI_COMM_WORLD, ierr)
      end if

!     what the neighbours have sent goes into the halo

      if (west .ne. -1) then
         call MPI_WAIT(request_west, status, ierr)
         do k = 1, layers
            do j = 1, ny
               u(0, j, k) = recv_west((k-1)*ny + j)
            end do
         end do
      end if

      if (east .ne. -1) then
         call MPI_WAIT(request_east, status, ierr)
         do k = 1, layers
            do j = 1, ny
               u(nx+1, j, k) = recv_east((k-1)*ny + j)
            end do
         end do
      end if

      if (south .ne. -1) then
         call MPI_WAIT(request_south, status, ierr)
         do k = 1, layers
            do i = 1, nx
               u(i, 0, k) = recv_south((k-1)*nx + i)
            end do
         end do
      end if

      if (north .ne. -1) then
         call MPI_WAIT(request_north, status, ierr)
         do k = 1, layers
            do i = 1, nx
               u(i, ny+1, k) = recv_north((k-1)*nx + i)
            end do
         end do
      end if
      end subroutine exchange

!-----------------------------------------------------------------------
! One step of the five-point stencil in every layer.
!-----------------------------------------------------------------------
      subroutine sweep
      implicit none
      integer, parameter :: max_points = 512, layers = 8
      double precision, parameter :: rate = 0.2d0
      integer :: nx, ny, ifirst, jfirst
      common /domain/ nx, ny, ifirst, jfirst
      double precision :: u(0:max_points+1, 0:max_points+1, layers)
      double precision :: v(0:max_points+1, 0:max_points+1, layers)
      common /fields/ u, v
      integer :: i, j, k

      do k = 1, layers
         do j = 1, ny
            do i = 1, nx
               v(i, j, k) = u(i, j, k) + rate * (                       &
                     u(i-1, j, k) + u(i+1, j, k)                        &
                   + u(i, j-1, k) + u(i, j+1, k) - 4.0d0 * u(i, j, k))
            end do
         end do
      end do
      do k = 1, layers
         do j = 1, ny
            do i = 1, nx
               u(i, j, k) = v(i, j, k)
            end do
         end do
      end do
      end subroutine sweep

!-----------------------------------------------------------------------
! Checksums in the order of the ranks, and the time.
!-----------------------------------------------------------------------
      subroutine report(rank, ranks, seconds)
      implicit none
      include 'mpif.h'
      integer, intent(in) :: rank, ranks
      double precision, intent(in) :: seconds
      integer, parameter :: max_points = 512, layers = 8
      integer :: nx, ny, ifirst, jfirst
      common /domain/ nx, ny, ifirst, jfirst
      double precision :: u(0:max_points+1, 0:max_points+1, layers)
      double precision :: v(0:max_points+1, 0:max_points+1, layers)
      common /fields/ u, v
      double precision :: checksum, slowest
      double precision, allocatable :: checksums(:)
      integer :: i, j, k, ierr

      checksum = 0.0d0
      do k = 1, layers
         do j = 1, ny
            do i = 1, nx
               checksum = checksum + u(i, j, k)                         &
                        * dble(1 + mod(ifirst + i + 3*(jfirst + j), 13))
            end do
         end do
      end do

      allocate (checksums(ranks))
      call MPI_GATHER(checksum, 1, MPI_DOUBLE_PRECISION, checksums, 1,  &
                      MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
      call MPI_REDUCE(seconds, slowest, 1, MPI_DOUBLE_PRECISION,        &
                      MPI_MAX, 0, MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
         do i = 1, ranks
            write (*, '(a,i0,a,es24.16)') 'rank ', i - 1, ' checksum ', checksums(i)
         end do
         write (0, '(a,es14.6)') 'seconds per step ', slowest
      end if
      deallocate (checksums)
      end subroutine report
