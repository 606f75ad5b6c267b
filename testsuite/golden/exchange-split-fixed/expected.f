C     A ring of processes in fixed form: external procedures, a COMMON
C     block, names in capitals.
      PROGRAM FIXED
      use gravel
      INCLUDE 'mpif.h'
      INTEGER N, M
      PARAMETER (N = 400, M = 30)
      DOUBLE PRECISION U(0:N+1,M), V(0:N+1,M), W(N,M), TOTAL, ALL
      INTEGER RANK, RANKS, LEFT, RIGHT, IERR, I, J, K
      COMMON /RING/ RANK, RANKS, LEFT, RIGHT
      CALL MPI_INIT(IERR)
      ! gravel: the runtime starts after MPI
      call gravel_init(mpi_comm_world)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      LEFT = MOD(RANK - 1 + RANKS, RANKS)
      RIGHT = MOD(RANK + 1, RANKS)
      DO J = 1, M
         DO I = 0, N+1
            U(I,J) = DBLE(MOD(I*J + RANK, 13))*0.5D0
            V(I,J) = 0.0D0
         END DO
      END DO
      DO K = 1, 5
         ! gravel: begins here, was line 22: CALL SWAP(U, N, M)
         call gravel_swap_begin(U, N, M)
         CALL SOURCE(W, N, M, K)
         ! gravel: its inside first where that is faster, was line 24...
         if (gravel_worth_overlapping('input.f:24')) then
            call gravel_smooth_boxes(1, 1, U, V, W, N, M)
            call gravel_swap_end(U, N, M)
            call gravel_smooth_boxes(2, 3, U, V, W, N, M)
         else
            call gravel_swap_end(U, N, M)
            CALL SMOOTH(U, V, W, N, M)
         end if
         ! gravel: begins here, was line 25: CALL SWAP(V, N, M)
         call gravel_swap_begin(V, N, M)
         ! gravel: its inside first where that is faster, was line 26...
         if (gravel_worth_overlapping('input.f:26')) then
            call gravel_smooth_boxes(1, 1, V, U, W, N, M)
            call gravel_swap_end(V, N, M)
            call gravel_smooth_boxes(2, 3, V, U, W, N, M)
         else
            call gravel_swap_end(V, N, M)
            CALL SMOOTH(V, U, W, N, M)
         end if
      END DO
      TOTAL = 0.0D0
      DO J = 1, M
         DO I = 1, N
            TOTAL = TOTAL + U(I,J)*DBLE(MOD(I, 5))
         END DO
      END DO
      CALL MPI_REDUCE(TOTAL, ALL, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &                MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) PRINT '(A, ES24.16)', 'total', ALL
      ! gravel: the runtime ends before MPI
      call gravel_finalize()
      CALL MPI_FINALIZE(IERR)
      END

C     The first and the last elements of all columns go to the
C     neighbours.
      SUBROUTINE gravel_swap_begin(A, N, M)
      use gravel
      INCLUDE 'mpif.h'
      INTEGER N, M
      DOUBLE PRECISION A(0:N+1,M)
      DOUBLE PRECISION TOL(100), TOR(100), FROML(100), FROMR(100)
      INTEGER RANK, RANKS, LEFT, RIGHT, IERR, J, REQ(4)
      COMMON /RING/ RANK, RANKS, LEFT, RIGHT
      ! gravel: what the begin leaves to the end
      common /gravel_swap/ tol, tor, froml, fromr, req
      ! gravel: posted here, was line 50: CALL MPI_IRECV(FROML, M, MP...
      call gravel_post_rcv_buffer_rdma(FROML, M, MPI_DOUBLE_PRECISION,
     &    LEFT, 5, MPI_COMM_WORLD, REQ(1), IERR)
      ! gravel: posted here, was line 52: CALL MPI_IRECV(FROMR, M, MP...
      call gravel_post_rcv_buffer_rdma(FROMR, M, MPI_DOUBLE_PRECISION,
     &    RIGHT, 6, MPI_COMM_WORLD, REQ(2), IERR)
      DO J = 1, M
         TOL(J) = A(1,J)
         TOR(J) = A(N,J)
      END DO
      ! gravel: sent without waiting, was line 58: CALL MPI_ISEND(TOR...
      call gravel_post_send(TOR, M, MPI_DOUBLE_PRECISION, RIGHT, 5,
     &    MPI_COMM_WORLD, REQ(3), IERR)
      ! gravel: sent without waiting, was line 60: CALL MPI_ISEND(TOL...
      call gravel_post_send(TOL, M, MPI_DOUBLE_PRECISION, LEFT, 6,
     &    MPI_COMM_WORLD, REQ(4), IERR)
      end subroutine gravel_swap_begin

      ! gravel: the rest of swap, behind work of those who call it
      SUBROUTINE gravel_swap_end(A, N, M)
      use gravel
      INCLUDE 'mpif.h'
      INTEGER N, M
      DOUBLE PRECISION A(0:N+1,M)
      DOUBLE PRECISION TOL(100), TOR(100), FROML(100), FROMR(100)
      INTEGER RANK, RANKS, LEFT, RIGHT, IERR, J, REQ(4)
      INTEGER STAT(MPI_STATUS_SIZE,4)
      COMMON /RING/ RANK, RANKS, LEFT, RIGHT
      ! gravel: what the begin leaves to the end
      common /gravel_swap/ tol, tor, froml, fromr, req
C     All must be there before the columns are filled.
      ! gravel: waits here, was line 63: CALL MPI_WAITALL(4, REQ, STA...
      call gravel_waitall(4, REQ, STAT, IERR)
      call gravel_f_sync_reg(FROML)
      call gravel_f_sync_reg(FROMR)
      call gravel_f_sync_reg(TOR)
      call gravel_f_sync_reg(TOL)
      DO J = 1, M
         A(0,J) = FROML(J)
         A(N+1,J) = FROMR(J)
      END DO
      END

      SUBROUTINE swap(A, N, M)
      INCLUDE 'mpif.h'
      INTEGER N, M
      DOUBLE PRECISION A(0:N+1,M)
      INTEGER RANK, RANKS, LEFT, RIGHT
      COMMON /RING/ RANK, RANKS, LEFT, RIGHT
      call gravel_swap_begin(a, n, m)
      call gravel_swap_end(a, n, m)
      end subroutine swap

      SUBROUTINE SOURCE(W, N, M, K)
      INTEGER N, M, K, I, J
      DOUBLE PRECISION W(N,M)
      DO J = 1, M
         DO I = 1, N
            W(I,J) = DBLE(MOD(I*K + J, 9))*0.0625D0
         END DO
      END DO
      END

      SUBROUTINE SMOOTH(A, B, W, N, M)
      INTEGER N, M, I, J
      DOUBLE PRECISION A(0:N+1,M), B(0:N+1,M), W(N,M)
      DO J = 1, M
         DO I = 1, N
            B(I,J) = 0.5D0*A(I,J) + 0.25D0*(A(I-1,J) + A(I+1,J))
     &             + W(I,J)
         END DO
      END DO
      END

      ! gravel: smooth by boxes: 1 is its inside, 2 to 3 are its border
      SUBROUTINE gravel_smooth_boxes(gravel_first, gravel_last, A, B, W,
     &     N, M)
      INTEGER N, M, I, J
      DOUBLE PRECISION A(0:N+1,M), B(0:N+1,M), W(N,M)
      integer, intent(in) :: gravel_first, gravel_last
      integer :: gravel_box, gravel_lo1, gravel_hi1, gravel_from1,
     &    gravel_to1
      gravel_lo1 = 65
      gravel_hi1 = gravel_lo1 - 1 + max(0, N - gravel_lo1) / 64 * 64
      if (gravel_lo1 > gravel_hi1) then
         gravel_lo1 = N + 1
         gravel_hi1 = N
      end if
      do gravel_box = gravel_first, gravel_last
         gravel_from1 = gravel_lo1
         gravel_to1 = gravel_hi1
         select case (gravel_box)
         case (2)
            gravel_from1 = 1
            gravel_to1 = gravel_lo1 - 1
         case (3)
            gravel_from1 = gravel_hi1 + 1
            gravel_to1 = N
         end select
         DO J = 1, M
            DO I = gravel_from1, gravel_to1
               B(I,J) = 0.5D0*A(I,J) + 0.25D0*(A(I-1,J) + A(I+1,J))
     &                + W(I,J)
            END DO
         END DO
      end do
      END
