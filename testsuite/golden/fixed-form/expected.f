! Fixed form: labelled loops, sequence numbers, a name that goes on on the next line, labels on calls, no blanks.
C     Written as programs were before 1990.
      PROGRAM OLDRNG
      use gravel
      IMPLICIT REAL*8 (A-H,O-Z)
      INCLUDE 'mpif.h'
      PARAMETER (N = 40000, MAXRNK = 16)
      COMMON /FIELDS/ FIELD(N), SBUF(N), RBUF(N)
      DIMENSION CHECKS(MAXRNK)
      INTEGER ISTAT(MPI_STATUS_SIZE)
      integer(gravel_request_kind) :: gravel_s1
      integer(gravel_transfer_kind) :: gravel_t1
      integer :: gravel_lo1, gravel_lo2, gravel_hi1, gravel_hi2,
     &    gravel_step1, gravel_step2
C
      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, MYID, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NPROCS, IERR)
      NEXT = MOD(MYID + 1, NPROCS)
      NPREV = MOD(MYID - 1 + NPROCS, NPROCS)
      DO 10 I = 1, N
         RBUF(I) = 0.0D0
   10 FIELD(I) = DBLE(MYID + 1) + DBLE(MOD(I, 27)) * 0.5D0
      DO 50 ISTEP = 1, 3
         ! gravel: posted here, was line 20: CALL MPI_IRECV(RBUF, N, ...
         call gravel_post_rcv_segments(RBUF, N, MPI_DOUBLE_PRECISION,
     &       NPREV, 33, MPI_COMM_WORLD, IREQ, IERR)
C        the outgoing message
         ! gravel: one handshake, a put per tile, was line 28: CALL M...
         call gravel_wait_rcv_buffer(SBUF, N, MPI_DOUBLE_PRECISION,
     &       NEXT, 33, MPI_COMM_WORLD, gravel_t1)
         gravel_step1 = gravel_tile(gravel_t1, N)
         do gravel_lo1 = 1, N, gravel_step1
            gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1,
     &          N - gravel_lo1)
         DO20I= gravel_lo1, gravel_hi1
            SBUF(I) = FIELD(I) * 0.75D0
C              (and a little more)
     &              + DBLE(ISTEP)
   20    CONTINUE
            call gravel_post_os_put(gravel_t1, SBUF, gravel_lo1 - 1,
     &          gravel_hi1 - gravel_lo1 + 1)
         end do
         ! gravel: sent tile by tile above, was line 28: CALL MPI_SEN...
         call gravel_send_fin(gravel_t1, gravel_s1, IERR)
         call gravel_wait(gravel_s1, SBUF)
C        an element of another array, which has a blank in its name
         CHE CKS(1) = FIELD(1)
         ! gravel: moved away from here, was line 32: CALL MPI_WAIT(I...
   30    IERR = 0
         ! gravel: waits here for what each tile reads, was line 32: ...
         gravel_step2 = gravel_tile(IREQ, N)
         if (gravel_step2 >= N) call gravel_wait(IREQ, RBUF, ISTAT)
         do gravel_lo2 = 1, N, gravel_step2
            gravel_hi2 = gravel_lo2 + min(gravel_step2 - 1,
     &          N - gravel_lo2)
            if (gravel_step2 < N) call gravel_wait_range(IREQ, RBUF, 0,
     &          gravel_hi2)
            DO 40 I = gravel_lo2, gravel_hi2
               FIELD(I) = FIELD(I) * 0.5D0 + RBUF(I)
   40       CONTINUE
         end do
         if (gravel_step2 < N) call gravel_wait(IREQ, RBUF, ISTAT)
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
      ! gravel: the runtime ends before MPI
   95 call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END
