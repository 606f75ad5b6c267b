! The include file instead of a module, upper case, continued calls, comments between the lines.
      PROGRAM MPIFH
      IMPLICIT NONE
      INCLUDE 'mpif.h'

      INTEGER, PARAMETER :: N = 40000, MAXRNK = 16
      INTEGER MYID, NPROCS, NEXT, PREV, IREQ, IERR, I, ISTEP
      INTEGER ISTAT(MPI_STATUS_SIZE)
      DOUBLE PRECISION SBUF(N), RBUF(N), FIELD(N)
      DOUBLE PRECISION CHECK, CHECKS(MAXRNK)

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYID, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NPROCS, IERR)
      NEXT = MOD(MYID + 1, NPROCS)
      PREV = MOD(MYID - 1 + NPROCS, NPROCS)

      DO I = 1, N
         FIELD(I) = DBLE(MYID + 1) + DBLE(MOD(I, 27)) * 0.5D0
      ENDDO

      DO ISTEP = 1, 3
         CALL MPI_IRECV(RBUF, N, MPI_DOUBLE_PRECISION, PREV, 33, &
     &                  MPI_COMM_WORLD, IREQ, IERR)
!        the outgoing message ...
         DO I = 1, N
            SBUF(I) = FIELD(I) * 0.75D0 &
     &              + DBLE(ISTEP)
         ENDDO
         CALL MPI_SEND(SBUF,                 & ! ... is passed on
     &                 N,                    &
     &                 MPI_DOUBLE_PRECISION, &
!        (to the next process)
     &                 NEXT, 33, MPI_COMM_WORLD, IERR)
         CALL MPI_WAIT(IREQ, ISTAT, IERR)
         DO I = 1, N
            FIELD(I) = FIELD(I) * 0.5D0 + RBUF(I)
         ENDDO
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
      CALL MPI_FINALIZE(IERR)
      END PROGRAM MPIFH
