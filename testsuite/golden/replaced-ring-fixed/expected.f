C     A ring shift in one buffer, from any source, in fixed form: it is
C     announced, as are all messages that such a receive may take.
      PROGRAM RPLFIX
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, MAXRNK
      PARAMETER (N = 12000, MAXRNK = 16)
      INTEGER IERR, RANK, RANKS, NEXT, PREV, I, STEP
      INTEGER STATUS(MPI_STATUS_SIZE)
      DOUBLE PRECISION RING(N), FIELD(N), CHKSUM, ALLSUM(MAXRNK)
      integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1,
     &    gravel_s2
      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      NEXT = MOD(RANK + 1, RANKS)
      PREV = MOD(RANK - 1 + RANKS, RANKS)
      DO 10 I = 1, N
         RING(I) = DBLE(RANK + 1) + DBLE(MOD(I, 41)) * 0.25D0
         FIELD(I) = 0.0D0
   10 CONTINUE
      DO 50 STEP = 1, 3
         ! gravel: sends a copy and receives here, was line 21: CALL ...
         call gravel_post_snd_buffer_copied(RING, N,
     &       MPI_DOUBLE_PRECISION, NEXT, STEP, MPI_COMM_WORLD,
     &       gravel_s1, IERR)
         call gravel_post_rcv_announced(RING, N, MPI_DOUBLE_PRECISION,
     &       MPI_ANY_SOURCE, STEP, MPI_COMM_WORLD, gravel_r1)
         DO 20 I = 1, N
            FIELD(I) = FIELD(I) * 0.5D0 + DBLE(MOD(I + STEP, 3))
   20    CONTINUE
         ! gravel: the wait moved here, was line 21: CALL MPI_SENDREC...
         call gravel_wait(gravel_r1, RING, STATUS)
         call gravel_wait(gravel_s1, RING)
         DO 30 I = 1, N
            FIELD(I) = FIELD(I) + RING(I)
   30    CONTINUE
         ! gravel: sends a copy and receives here, was line 30: CALL ...
         call gravel_post_snd_buffer_copied(RING, N/2,
     &       MPI_DOUBLE_PRECISION, PREV, 10 + STEP, MPI_COMM_WORLD,
     &       gravel_s2, IERR)
         call gravel_post_rcv_announced(RING, N/2, MPI_DOUBLE_PRECISION,
     &        NEXT, 10 + STEP, MPI_COMM_WORLD, gravel_r2)
         DO 40 I = 1, N
            FIELD(I) = FIELD(I) * 0.875D0
   40    CONTINUE
         ! gravel: the wait moved here, was line 30: CALL MPI_SENDREC...
         call gravel_wait(gravel_r2, RING)
         call gravel_wait(gravel_s2, RING)
         RING(STEP) = RING(STEP) + FIELD(STEP)
   50 CONTINUE
      CHKSUM = 0.0D0
      DO 60 I = 1, N
         CHKSUM = CHKSUM + (FIELD(I) + RING(I)) * DBLE(MOD(I, 9))
   60 CONTINUE
      CALL MPI_GATHER(CHKSUM, 1, MPI_DOUBLE_PRECISION, ALLSUM, 1,
     &     MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
         DO 70 I = 1, RANKS
            WRITE (*, '(A,I0,A,ES24.16)') 'rank ', I - 1, ' checksum ',
     &           ALLSUM(I)
   70    CONTINUE
      END IF
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END
