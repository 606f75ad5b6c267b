C     A ring shift in one buffer, from any source, in fixed form: it is
C     announced, as are all messages that such a receive may take.
      PROGRAM RPLFIX
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, MAXRNK
      PARAMETER (N = 12000, MAXRNK = 16)
      INTEGER IERR, RANK, RANKS, NEXT, PREV, I, STEP
      INTEGER STATUS(MPI_STATUS_SIZE)
      DOUBLE PRECISION RING(N), FIELD(N), CHKSUM, ALLSUM(MAXRNK)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      NEXT = MOD(RANK + 1, RANKS)
      PREV = MOD(RANK - 1 + RANKS, RANKS)
      DO 10 I = 1, N
         RING(I) = DBLE(RANK + 1) + DBLE(MOD(I, 41)) * 0.25D0
         FIELD(I) = 0.0D0
   10 CONTINUE
      DO 50 STEP = 1, 3
         CALL MPI_SENDRECV_REPLACE(RING, N, MPI_DOUBLE_PRECISION,
     &        NEXT, STEP, MPI_ANY_SOURCE, STEP, MPI_COMM_WORLD,
     &        STATUS, IERR)
         DO 20 I = 1, N
            FIELD(I) = FIELD(I) * 0.5D0 + DBLE(MOD(I + STEP, 3))
   20    CONTINUE
         DO 30 I = 1, N
            FIELD(I) = FIELD(I) + RING(I)
   30    CONTINUE
         CALL MPI_SENDRECV_REPLACE(RING, N/2, MPI_DOUBLE_PRECISION,
     &        PREV, 10 + STEP, NEXT, 10 + STEP, MPI_COMM_WORLD,
     &        MPI_STATUS_IGNORE, IERR)
         DO 40 I = 1, N
            FIELD(I) = FIELD(I) * 0.875D0
   40    CONTINUE
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
      CALL MPI_FINALIZE(IERR)
      END
