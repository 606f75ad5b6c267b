c-----------------------------------------------------------------------
c     Messages, so that another library than MPI could be used.
c-----------------------------------------------------------------------
      subroutine sndreal(dest, value, size, tag, info)
      implicit none
      include 'mpif.h'
      integer dest, size, tag, info
      double precision value(size)
      call mpi_send(value, size, mpi_double_precision, dest, tag,
     >   mpi_comm_world, info)
      end

      subroutine rcvreal(orig, value, size, tag, info)
      implicit none
      include 'mpif.h'
      integer orig, size, tag, info
      double precision value(size)
      integer status(mpi_status_size)
      call mpi_recv(value, size, mpi_double_precision, orig, tag,
     >   mpi_comm_world, status, info)
      end
