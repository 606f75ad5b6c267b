! Fixed form: labelled loops, sequence numbers, a name that goes on on the next line, labels on calls, no blanks.
C     Written as programs were before 1990.
      PROGRAM OLDRNG
      IMPLICIT REAL*8 (A-H,O-Z)
      INCLUDE 'mpif.h'
      PARAMETER (N = 40000, MAXRNK = 16)
      COMMON /FIELDS/ FIELD(N), SBUF(N), RBUF(N)
      DIMENSION CHECKS(MAXRNK)
      INTEGER ISTAT(MPI_STATUS_SIZE)
C
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYID, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NPROCS, IERR)
      NEXT = MOD(MYID + 1, NPROCS)
      NPREV = MOD(MYID - 1 + NPROCS, NPROCS)
      DO 10 I = 1, N
         RBUF(I) = 0.0D0
   10 FIELD(I) = DBLE(MYID + 1) + DBLE(MOD(I, 27)) * 0.5D0
      DO 50 ISTEP = 1, 3
         CALL MPI_IRECV(RBUF, N, MPI_DOUBLE_PRECISION, NPREV, 33, MPI_CO00000100
     1MM_WORLD, IREQ, IERR)                                             00000110
C        the outgoing message
         DO20I=1,N                                                      00000120
            SBUF(I) = FIELD(I) * 0.75D0
C              (and a little more)
     &              + DBLE(ISTEP)
   20    CONTINUE
         CALL MPI_SEND(SBUF, N, MPI_DOUBLE_PRECISION, NEXT, 33,         00000120
     *                 MPI_COMM_WORLD, IERR)                            00000130
C        an element of another array, which has a blank in its name
         CHE CKS(1) = FIELD(1)
   30    CALL MPI_WAIT(IREQ, ISTAT, IERR)
         DO 40 I = 1, N
            FIELD(I) = FIELD(I) * 0.5D0 + RBUF(I)
   40    CONTINUE
   50 CONTINUE
      CHECK = 0.0D0
      DO70I=1,N
   70 CHECK = CHECK + FIELD(I) * DBLE(MOD(I, 8))
      CALL MPI_GATHER(CHECK, 1, MPI_DOUBLE_PRECISION, CHECKS, 1,
     +                MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      IF (MYID .NE. 0) GOTO95
      DO 80 I = 1, NPROCS
         WRITE (*, 90) I - 1, CHECKS(I)
   80 CONTINUE
   90 FORMAT (5HRANK , I3, 10H CHECKSUM , E24.16)
   95 CALL MPI_FINALIZE(IERR)
      END
