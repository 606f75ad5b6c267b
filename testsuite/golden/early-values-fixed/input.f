C Ranks and tags that are set right before their calls, in fixed form: the form in which most of such programs are.
! ranks: 2 3 4
      program early
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 20000)
      integer ierr, rank, ranks, source, dest, msgtype, i, step
      integer right, left, mycol, npcol
      integer status(mpi_status_size)
      real*8 a(n), b(n), c(n), s, sums(16)
      common /places/ mycol, npcol
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      mycol = rank
      npcol = ranks
      s = 0.0d0
      do 10 i = 1, n
        c(i) = rank
   10 continue
      do 60 step = 1, 3
        do 20 i = 1, n
          a(i) = mod(i, 13) + c(i)
   20   continue
C The neighbours.
        if (mycol .eq. npcol - 1) then
          right = 0
        else
          right = mycol +
C         the next one
     &      1
        endif
        left = mycol - 1
        if (left .lt. 0) left = npcol - 1; msgtype = 5
        call mpi_sendrecv(a, n, mpi_real8, right, msgtype, b, n,
     &    mpi_real8, left, msgtype, mpi_comm_world, status, ierr)
        do 30 i = 1, n
          c(i) = 0.5d0*c(i) + 0.25d0*b(i)
   30   continue
        if (mod(rank, 2) .eq. 0) then
          dest = right
          msgtype = 7
          call mpi_send(c, n, mpi_real8, dest, msgtype,
     &                  mpi_comm_world, ierr)
          source = left
          msgtype = 8
          if (mod(ranks, 2) .eq. 1 .and. rank .eq. 0) msgtype = 7
          call mpi_recv(b, n, mpi_real8, source, msgtype,
     &                  mpi_comm_world, status, ierr)
        else
          source = left
          msgtype = 7
          call mpi_recv(b, n, mpi_real8, source, msgtype,
     &                  mpi_comm_world, status, ierr)
          dest = right
          msgtype = 8
          call mpi_send(c, n, mpi_real8, dest, msgtype,
     &                  mpi_comm_world, ierr)
        end if
        do 50 i = 1, n
          s = s + b(i)
   50   continue
   60 continue
      call mpi_gather(s, 1, mpi_real8, sums, 1, mpi_real8, 0,
     &                mpi_comm_world, ierr)
      if (rank .eq. 0) write(*,*) (sums(i), i = 1, ranks)
      call mpi_finalize(ierr)
      end
