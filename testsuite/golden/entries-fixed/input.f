C An external procedure with an implicit interface that is called by the name of its entry, whose message its callers wait for, and
C an entry among the declarations, which begins where its procedure does.
      PROGRAM MAIN
      INCLUDE 'mpif.h'
      PARAMETER (N = 4000)
      DOUBLE PRECISION A(N), B(N), S(16), T
      INTEGER R, Q, NEXT, PREV, IERR, IREQ, ISTAT(MPI_STATUS_SIZE)
      COMMON /RANKS/ R, Q, NEXT, PREV
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, R, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, Q, IERR)
      NEXT = MOD(R + 1, Q)
      PREV = MOD(R - 1 + Q, Q)
      CALL FILL(A, N, DBLE(R + 1))
      CALL CLEAR(B, N)
      DO 20 K = 1, 2
      CALL MPI_IRECV(B, N, MPI_DOUBLE_PRECISION, PREV, 1,
     &     MPI_COMM_WORLD, IREQ, IERR)
      CALL MPI_SEND(A, N, MPI_DOUBLE_PRECISION, NEXT, 1,
     &     MPI_COMM_WORLD, IERR)
      CALL MPI_WAIT(IREQ, ISTAT, IERR)
      DO 10 I = 1, N
      A(I) = A(I) * 0.5D0
   10 CONTINUE
      CALL SCALED(A, N, 0.5D0, B)
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
   20 CONTINUE
      CALL TOTAL(A, N, T)
      CALL MPI_GATHER(T, 1, MPI_DOUBLE_PRECISION, S, 1,
     &     MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      IF (R .EQ. 0) WRITE (*, '(16ES24.16)') (S(I), I = 1, Q)
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE FILL(X, M, V)
      DOUBLE PRECISION X(M), Y(M), V, F
      DO 10 I = 1, M
      X(I) = V
   10 CONTINUE
      RETURN
      ENTRY CLEAR(X, M)
      DO 20 I = 1, M
      X(I) = 0.0D0
   20 CONTINUE
      RETURN
      ENTRYSCALED(X, M, F, Y)
      DO 30 I = 1, M
      X(I) = X(I) + F * Y(I)
   30 CONTINUE
      END

      SUBROUTINE SUMMED(X, M, T)
      DOUBLE PRECISION X(M), T
      ENTRY TOTAL(X, M, T)
      T = 0.0D0
      DO 10 I = 1, M
      T = T + X(I)
   10 CONTINUE
      END
