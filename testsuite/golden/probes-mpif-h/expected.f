C     A process looks whether a message has come, and works until one
C     has: old codes balance their load like that.
      PROGRAM LOOKS
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N
      PARAMETER (N = 9000)
      INTEGER IERR, RANK, RANKS, I, K, GOT, FROM, STEPS
      INTEGER STATUS(MPI_STATUS_SIZE), WHAT(MPI_STATUS_SIZE)
      LOGICAL HERE
      DOUBLE PRECISION WORK(N), TASK(N), ANSWER(1), TOTAL, BUSY
      integer(gravel_request_kind) :: gravel_r1, gravel_r2, gravel_s1,
     &    gravel_s2
      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
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
            ! gravel: sent without waiting, was line 23: CALL MPI_SEN...
            call gravel_post_snd_buffer_rdma(WORK, N - K,
     &          MPI_DOUBLE_PRECISION, K, 3, MPI_COMM_WORLD, gravel_s1,
     &          IERR)
            call gravel_wait(gravel_s1, WORK)
   20    CONTINUE
         DO 40 K = 1, RANKS - 1
            ! gravel: looks here, was line 27: CALL MPI_IPROBE(MPI_AN...
   30       call gravel_iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, HERE,
     &          STATUS, IERR)
            IF (.NOT. HERE) THEN
               BUSY = BUSY + 1.0D0
               GOTO 30
            END IF
            FROM = STATUS(MPI_SOURCE)
            ! gravel: posted here, was line 34: CALL MPI_RECV(ANSWER,...
            call gravel_post_rcv_announced(ANSWER, 1,
     &          MPI_DOUBLE_PRECISION, FROM, 4, MPI_COMM_WORLD,
     &          gravel_r1)
            call gravel_wait(gravel_r1, ANSWER, STATUS, IERR)
            TOTAL = TOTAL + ANSWER(1)*DBLE(FROM)
   40    CONTINUE
      ELSE
         HERE = .FALSE.
   50    IF (.NOT. HERE) THEN
            ! gravel: looks here, was line 41: CALL MPI_IPROBE(0, MPI...
            call gravel_iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, HERE,
     &          WHAT, IERR)
            STEPS = STEPS + 1
            GOTO 50
         END IF
         CALL MPI_GET_COUNT(WHAT, MPI_DOUBLE_PRECISION, GOT, IERR)
         ! gravel: posted here, was line 47: CALL MPI_RECV(TASK, GOT,...
         call gravel_post_rcv_announced(TASK, GOT, MPI_DOUBLE_PRECISION,
     &        0, WHAT(MPI_TAG), MPI_COMM_WORLD, gravel_r2)
         call gravel_wait(gravel_r2, TASK, STATUS, IERR)
         ANSWER(1) = 0.0D0
         DO 60 I = 1, GOT
            ANSWER(1) = ANSWER(1) + TASK(I)
   60    CONTINUE
         ! gravel: sent without waiting, was line 53: CALL MPI_SEND(A...
         call gravel_post_snd_buffer_rdma(ANSWER, 1,
     &       MPI_DOUBLE_PRECISION, 0, 4, MPI_COMM_WORLD, gravel_s2,
     &       IERR)
         DO 70 I = 1, N
            BUSY = BUSY + DBLE(MOD(I, 3))
   70    CONTINUE
         ! gravel: the wait moved here, was line 53: CALL MPI_SEND(AN...
         call gravel_wait(gravel_s2, ANSWER)
      END IF
      IF (RANK .EQ. 0) PRINT '(ES24.16)', TOTAL
      IF (BUSY .LT. 0.0D0 .OR. STEPS .LT. 0) PRINT *, BUSY, STEPS
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END
