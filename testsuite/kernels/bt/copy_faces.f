c-----------------------------------------------------------------------
c     The faces of all cells, to the six neighbours: sections of one
c     buffer, one for each direction.
c-----------------------------------------------------------------------
      subroutine copy_faces
      use bt_data
      implicit none
      include 'mpif.h'
      integer c, i, j, k, m, d, p, ierr
      integer start(6), length(6), requests(12)
      integer statuses(mpi_status_size,12)

      if (ncells .eq. 1) return

c     How long the messages are: 1 and 2 go to successors and
c     predecessors in x, 3 and 4 in y, 5 and 6 in z.  All cells have
c     room for the largest.
      p = 1
      do d = 1, 3
         do i = 1, 2
            start(2*d-2+i) = p
            length(2*d-2+i) = 0
            do c = 1, ncells
               if (i .eq. 1 .and. cell_coord(d,c) .ne. ncells - 1 .or.
     >             i .eq. 2 .and. cell_coord(d,c) .ne. 0)
     >            length(2*d-2+i) = length(2*d-2+i)
     >               + 5*cell_size(1,c)*cell_size(2,c)*cell_size(3,c)
     >               / cell_size(d,c)
            enddo
            p = p + 5*mcell*mcell*ncells
         enddo
      enddo

c     What comes from the west was sent to the east, and so on.
      call mpi_irecv(in_buffer(start(1)), length(2),
     >   mpi_double_precision, predecessor(1), east,
     >   mpi_comm_world, requests(1), ierr)
      call mpi_irecv(in_buffer(start(2)), length(1),
     >   mpi_double_precision, successor(1), west,
     >   mpi_comm_world, requests(2), ierr)
      call mpi_irecv(in_buffer(start(3)), length(4),
     >   mpi_double_precision, predecessor(2), north,
     >   mpi_comm_world, requests(3), ierr)
      call mpi_irecv(in_buffer(start(4)), length(3),
     >   mpi_double_precision, successor(2), south,
     >   mpi_comm_world, requests(4), ierr)
      call mpi_irecv(in_buffer(start(5)), length(6),
     >   mpi_double_precision, predecessor(3), top,
     >   mpi_comm_world, requests(5), ierr)
      call mpi_irecv(in_buffer(start(6)), length(5),
     >   mpi_double_precision, successor(3), bottom,
     >   mpi_comm_world, requests(6), ierr)

      p = start(1)
      do c = 1, ncells
         if (cell_coord(1,c) .ne. ncells - 1) then
            i = cell_size(1,c)
            do k = 1, cell_size(3,c)
               do j = 1, cell_size(2,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(1)), length(1),
     >   mpi_double_precision, successor(1), east,
     >   mpi_comm_world, requests(7), ierr)

      p = start(2)
      do c = 1, ncells
         if (cell_coord(1,c) .ne. 0) then
            i = 1
            do k = 1, cell_size(3,c)
               do j = 1, cell_size(2,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(2)), length(2),
     >   mpi_double_precision, predecessor(1), west,
     >   mpi_comm_world, requests(8), ierr)

      p = start(3)
      do c = 1, ncells
         if (cell_coord(2,c) .ne. ncells - 1) then
            j = cell_size(2,c)
            do k = 1, cell_size(3,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(3)), length(3),
     >   mpi_double_precision, successor(2), north,
     >   mpi_comm_world, requests(9), ierr)

      p = start(4)
      do c = 1, ncells
         if (cell_coord(2,c) .ne. 0) then
            j = 1
            do k = 1, cell_size(3,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(4)), length(4),
     >   mpi_double_precision, predecessor(2), south,
     >   mpi_comm_world, requests(10), ierr)

      p = start(5)
      do c = 1, ncells
         if (cell_coord(3,c) .ne. ncells - 1) then
            k = cell_size(3,c)
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(5)), length(5),
     >   mpi_double_precision, successor(3), top,
     >   mpi_comm_world, requests(11), ierr)

      p = start(6)
      do c = 1, ncells
         if (cell_coord(3,c) .ne. 0) then
            k = 1
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     out_buffer(p) = u(m,i,j,k,c)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      call mpi_isend(out_buffer(start(6)), length(6),
     >   mpi_double_precision, predecessor(3), bottom,
     >   mpi_comm_world, requests(12), ierr)

      call mpi_waitall(12, requests, statuses, ierr)

      p = start(1)
      do c = 1, ncells
         if (cell_coord(1,c) .ne. 0) then
            i = 0
            do k = 1, cell_size(3,c)
               do j = 1, cell_size(2,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      p = start(2)
      do c = 1, ncells
         if (cell_coord(1,c) .ne. ncells - 1) then
            i = cell_size(1,c) + 1
            do k = 1, cell_size(3,c)
               do j = 1, cell_size(2,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      p = start(3)
      do c = 1, ncells
         if (cell_coord(2,c) .ne. 0) then
            j = 0
            do k = 1, cell_size(3,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      p = start(4)
      do c = 1, ncells
         if (cell_coord(2,c) .ne. ncells - 1) then
            j = cell_size(2,c) + 1
            do k = 1, cell_size(3,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      p = start(5)
      do c = 1, ncells
         if (cell_coord(3,c) .ne. 0) then
            k = 0
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      p = start(6)
      do c = 1, ncells
         if (cell_coord(3,c) .ne. ncells - 1) then
            k = cell_size(3,c) + 1
            do j = 1, cell_size(2,c)
               do i = 1, cell_size(1,c)
                  do m = 1, 5
                     u(m,i,j,k,c) = in_buffer(p)
                     p = p + 1
                  enddo
               enddo
            enddo
         endif
      enddo
      end
