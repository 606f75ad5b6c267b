C     PLANES ARE RECEIVED INTO THE FIELD ITSELF, WHICH THE PROCEDURE THAT
C     WAITS GETS FROM ITS CALLER, AS IT DOES THE REQUESTS.
      PROGRAM PLANES
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, M, MAXR
      PARAMETER (N = 20000, M = 12, MAXR = 16)
      DOUBLE PRECISION U(N, 0:M+1), V(N, M), CHKSUM, ALL(MAXR)
      INTEGER REQS(0:3), IERR, RANK, RANKS, BELOW, ABOVE
      INTEGER I, J, STEP
      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      BELOW = MOD(RANK - 1 + RANKS, RANKS)
      ABOVE = MOD(RANK + 1, RANKS)
      DO 10 J = 1, M
        DO 10 I = 1, N
          U(I, J) = DBLE(MOD(I*J + RANK, 19))
   10 CONTINUE
      DO 50 STEP = 1, 3
        CALL BEGIN(U, N, M, BELOW, ABOVE, REQS)
        DO 20 J = 2, M - 1
          DO 20 I = 1, N
            V(I, J) = 0.5D0*U(I,J) + 0.25D0*(U(I,J-1) + U(I,J+1))
   20   CONTINUE
        CALL AWAIT(U, REQS, 4)
        DO 30 I = 1, N
          V(I, 1) = 0.5D0*U(I,1) + 0.25D0*(U(I,0) + U(I,2))
          V(I, M) = 0.5D0*U(I,M) + 0.25D0*(U(I,M-1) + U(I,M+1))
   30   CONTINUE
        DO 40 J = 1, M
          DO 40 I = 1, N
            U(I, J) = V(I, J)
   40   CONTINUE
   50 CONTINUE
      CHKSUM = 0.0D0
      DO 60 J = 1, M
        DO 60 I = 1, N
          CHKSUM = CHKSUM + U(I, J)*DBLE(MOD(I + J, 7))
   60 CONTINUE
      CALL MPI_GATHER(CHKSUM, 1, MPI_DOUBLE_PRECISION, ALL, 1,
     &                MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
        DO 70 I = 1, RANKS
          WRITE (*, '(A,I2,A,ES24.16)') 'rank ', I-1, ' sum ', ALL(I)
   70   CONTINUE
      END IF
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE BEGIN(F, N, M, BELOW, ABOVE, REQS)
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER N, M, BELOW, ABOVE, REQS(0:*), IERR
      DOUBLE PRECISION F(N, 0:M+1)
      ! gravel: posted here, was line 56: CALL MPI_IRECV(F(1,0), N, M...
      call gravel_post_rcv_buffer_rdma(F(1,0), N, MPI_DOUBLE_PRECISION,
     &    BELOW, 1, MPI_COMM_WORLD, REQS(0), IERR)
      ! gravel: posted here, was line 58: CALL MPI_IRECV(F(1,M+1), N,...
      call gravel_post_rcv_buffer_rdma(F(1,M+1), N,
     &    MPI_DOUBLE_PRECISION, ABOVE, 2, MPI_COMM_WORLD, REQS(1), IERR)
      ! gravel: sent without waiting, was line 60: CALL MPI_ISEND(F(1...
      call gravel_post_send(F(1,1), N, MPI_DOUBLE_PRECISION, BELOW, 2,
     &    MPI_COMM_WORLD, REQS(2), IERR)
      ! gravel: sent without waiting, was line 62: CALL MPI_ISEND(F(1...
      call gravel_post_send(F(1,M), N, MPI_DOUBLE_PRECISION, ABOVE, 1,
     &    MPI_COMM_WORLD, REQS(3), IERR)
      END

      SUBROUTINE AWAIT(FIELD, REQS, COUNT)
      use gravel
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER COUNT, REQS(0:COUNT-1), IERR
      DOUBLE PRECISION FIELD(*)
      ! gravel: waits here, was line 71: CALL MPI_WAITALL(COUNT, REQS...
      call gravel_waitall(COUNT, REQS, IERR)
      call gravel_f_sync_reg(field)
      END
