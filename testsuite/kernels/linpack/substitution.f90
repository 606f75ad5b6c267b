! Triangular systems: the right-hand side goes round the ring, panel by panel.
module substitution
  use mpi_f08
  use matrix
  implicit none
  private
  public :: pivot_right_side, forward_step, back_substitute

  integer, parameter :: tag_right_side = 40

contains

  subroutine pivot_right_side(k0, pivots)
    integer, intent(in) :: k0, pivots(nb)
    integer :: k
    real(dp) :: t

    do k = 1, nb
      t = b(k0 + k)
      b(k0 + k) = b(pivots(k))
      b(pivots(k)) = t
    end do
  end subroutine pivot_right_side

  ! Every process does this with every panel.
  subroutine forward_step(l, rows, k0)
    integer, intent(in) :: rows, k0
    real(dp), intent(in) :: l(rows, nb)
    integer :: i, k

    do k = 1, nb
      do i = k + 1, rows
        b(k0 + i) = b(k0 + i) - l(i, k) * b(k0 + k)
      end do
    end do
  end subroutine forward_step

  ! The owner of a panel solves for its unknowns, takes them out of the rows above, and hands these on.
  subroutine back_substitute()
    type(mpi_status) :: status
    integer :: block, k0, k, i, j

    do block = blocks, 1, -1
      k0 = (block - 1) * nb
      if (owner(block) == me) then
        if (block < blocks .and. np > 1) then
          call mpi_recv(b, k0 + nb, mpi_double_precision, owner(block + 1), tag_right_side, mpi_comm_world, status)
        end if
        do k = nb, 1, -1
          j = local_start(block) + k - 1
          b(k0 + k) = b(k0 + k) / a(k0 + k, j)
          do i = 1, k0 + k - 1
            b(i) = b(i) - a(i, j) * b(k0 + k)
          end do
        end do
        if (block > 1 .and. np > 1) then
          call mpi_send(b, k0, mpi_double_precision, owner(block - 1), tag_right_side, mpi_comm_world)
        end if
      end if
    end do
  end subroutine back_substitute

end module substitution
