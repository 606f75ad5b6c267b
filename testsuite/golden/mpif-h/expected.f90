! The include file instead of a module, upper case, continued calls, comments between the lines.
      PROGRAM MPIFH
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'

      INTEGER, PARAMETER :: N = 40000, MAXRNK = 16
      INTEGER MYID, NPROCS, NEXT, PREV, IREQ, IERR, I, ISTEP
      INTEGER ISTAT(MPI_STATUS_SIZE)
      DOUBLE PRECISION SBUF(N), RBUF(N), FIELD(N)
      DOUBLE PRECISION CHECK, CHECKS(MAXRNK)
      integer(gravel_request_kind) :: gravel_s1
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2, gravel_step1, gravel_step2

      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYID, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NPROCS, IERR)
      NEXT = MOD(MYID + 1, NPROCS)
      PREV = MOD(MYID - 1 + NPROCS, NPROCS)

      DO I = 1, N
         FIELD(I) = DBLE(MYID + 1) + DBLE(MOD(I, 27)) * 0.5D0
      ENDDO

      DO ISTEP = 1, 3
         ! gravel: posted here, was line 23: CALL MPI_IRECV(RBUF, N, MPI_DOUBLE_PRECISION, PREV, 33, MPI_CO...
         call gravel_post_rcv_segments(RBUF, N, MPI_DOUBLE_PRECISION, PREV, 33, MPI_COMM_WORLD, IREQ, IERR)
!        the outgoing message ...
         ! gravel: one handshake, a put per tile, was line 30: CALL MPI_SEND(SBUF, N, MPI_DOUBLE_PRECISION,...
         call gravel_wait_rcv_buffer(SBUF, N, MPI_DOUBLE_PRECISION, NEXT, 33, MPI_COMM_WORLD, gravel_t1)
         gravel_step1 = gravel_tile(gravel_t1, N)
         do gravel_lo1 = 1, N, gravel_step1
            gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, N - gravel_lo1)
            DO I = gravel_lo1, gravel_hi1
               SBUF(I) = FIELD(I) * 0.75D0 &
        &              + DBLE(ISTEP)
            ENDDO
            call gravel_post_os_put(gravel_t1, SBUF, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
         end do
         ! gravel: sent tile by tile above, was line 30: CALL MPI_SEND(SBUF, N, MPI_DOUBLE_PRECISION, NEXT,...
         call gravel_send_fin(gravel_t1, gravel_s1, IERR)
         ! gravel: moved away from here, was line 35: CALL MPI_WAIT(IREQ, ISTAT, IERR)
         IERR = 0
         ! gravel: waits here for what each tile reads, was line 35: CALL MPI_WAIT(IREQ, ISTAT, IERR)
         gravel_step2 = gravel_tile(IREQ, N)
         if (gravel_step2 >= N) call gravel_wait(IREQ, RBUF, ISTAT)
         do gravel_lo2 = 1, N, gravel_step2
            gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1, N - gravel_lo2)
            if (gravel_step2 < N) call gravel_wait_range(IREQ, RBUF, 0, gravel_hi2)
            DO I = gravel_lo2, gravel_hi2
               FIELD(I) = FIELD(I) * 0.5D0 + RBUF(I)
            ENDDO
         end do
         if (gravel_step2 < N) call gravel_wait(IREQ, RBUF, ISTAT)
         ! gravel: the wait moved here, was line 30: CALL MPI_SEND(SBUF, N, MPI_DOUBLE_PRECISION, NEXT, 33,...
         call gravel_wait(gravel_s1, SBUF)
      ENDDO

      CHECK = 0.0D0
      DO I = 1, N
         CHECK = CHECK + FIELD(I) * DBLE(MOD(I, 8))
      ENDDO
      CALL MPI_GATHER(CHECK, 1, MPI_DOUBLE_PRECISION, CHECKS, 1, &
     &                MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      IF (MYID .EQ. 0) THEN
         DO I = 1, NPROCS
            WRITE (*, '(A,I0,A,ES24.16)') 'rank ', I - 1, ' checksum ', CHECKS(I)
         ENDDO
      ENDIF
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END PROGRAM MPIFH
