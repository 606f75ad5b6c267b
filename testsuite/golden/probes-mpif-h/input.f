C     A process looks whether a message has come, and works until one
C     has: old codes balance their load like that.
      PROGRAM LOOKS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N
      PARAMETER (N = 9000)
      INTEGER IERR, RANK, RANKS, I, K, GOT, FROM, STEPS
      INTEGER STATUS(MPI_STATUS_SIZE), WHAT(MPI_STATUS_SIZE)
      LOGICAL HERE
      DOUBLE PRECISION WORK(N), TASK(N), ANSWER(1), TOTAL, BUSY
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      TOTAL = 0.0D0
      BUSY = 0.0D0
      STEPS = 0
      IF (RANK .EQ. 0) THEN
         DO 20 K = 1, RANKS - 1
            DO 10 I = 1, N
               WORK(I) = DBLE(MOD(I*K, 11))
   10       CONTINUE
            CALL MPI_SEND(WORK, N - K, MPI_DOUBLE_PRECISION, K, 3,
     &                    MPI_COMM_WORLD, IERR)
   20    CONTINUE
         DO 40 K = 1, RANKS - 1
   30       CALL MPI_IPROBE(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, HERE,
     &                      STATUS, IERR)
            IF (.NOT. HERE) THEN
               BUSY = BUSY + 1.0D0
               GOTO 30
            END IF
            FROM = STATUS(MPI_SOURCE)
            CALL MPI_RECV(ANSWER, 1, MPI_DOUBLE_PRECISION, FROM, 4,
     &                    MPI_COMM_WORLD, STATUS, IERR)
            TOTAL = TOTAL + ANSWER(1)*DBLE(FROM)
   40    CONTINUE
      ELSE
         HERE = .FALSE.
   50    IF (.NOT. HERE) THEN
            CALL MPI_IPROBE(0, MPI_ANY_TAG, MPI_COMM_WORLD, HERE,
     &                      WHAT, IERR)
            STEPS = STEPS + 1
            GOTO 50
         END IF
         CALL MPI_GET_COUNT(WHAT, MPI_DOUBLE_PRECISION, GOT, IERR)
         CALL MPI_RECV(TASK, GOT, MPI_DOUBLE_PRECISION, 0,
     &                 WHAT(MPI_TAG), MPI_COMM_WORLD, STATUS, IERR)
         ANSWER(1) = 0.0D0
         DO 60 I = 1, GOT
            ANSWER(1) = ANSWER(1) + TASK(I)
   60    CONTINUE
         CALL MPI_SEND(ANSWER, 1, MPI_DOUBLE_PRECISION, 0, 4,
     &                 MPI_COMM_WORLD, IERR)
         DO 70 I = 1, N
            BUSY = BUSY + DBLE(MOD(I, 3))
   70    CONTINUE
      END IF
      IF (RANK .EQ. 0) PRINT '(ES24.16)', TOTAL
      IF (BUSY .LT. 0.0D0 .OR. STEPS .LT. 0) PRINT *, BUSY, STEPS
      CALL MPI_FINALIZE(IERR)
      END
