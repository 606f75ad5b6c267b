! Panels: factored by their owner, passed round the ring of processes, applied to what lies behind.
module panel
  use mpi_f08
  use matrix
  implicit none
  private
  public :: factor, broadcast_panel, update

  integer, parameter :: tag_pivots = 30, tag_panel = 31

contains

  ! LU decomposition with partial pivoting of a panel's rows k0+1 to n, in place.
  subroutine factor(p, k0, pivots)
    integer, intent(in) :: k0
    real(dp), intent(inout) :: p(n, nb)
    integer, intent(out) :: pivots(nb)
    integer :: i, j, k, row
    real(dp) :: t

    do k = 1, nb
      row = k0 + k
      do i = k0 + k + 1, n
        if (abs(p(i, k)) > abs(p(row, k))) row = i
      end do
      pivots(k) = row
      if (row /= k0 + k) then
        do j = 1, nb
          t = p(row, j)
          p(row, j) = p(k0 + k, j)
          p(k0 + k, j) = t
        end do
      end if
      t = 1 / p(k0 + k, k)
      do i = k0 + k + 1, n
        p(i, k) = p(i, k) * t
      end do
      do j = k + 1, nb
        do i = k0 + k + 1, n
          p(i, j) = p(i, j) - p(i, k) * p(k0 + k, j)
        end do
      end do
    end do
  end subroutine factor

  ! From its owner to the next process, and so on, until all have it.
  subroutine broadcast_panel(buffer, rows, pivots, root)
    integer, intent(in) :: rows, root
    real(dp), intent(inout) :: buffer(rows*nb)
    integer, intent(inout) :: pivots(nb)
    type(mpi_status) :: status
    integer :: left, right

    if (np == 1) return
    left = mod(me + np - 1, np)
    right = mod(me + 1, np)
    if (me /= root) then
      call mpi_recv(pivots, nb, mpi_integer, left, tag_pivots, mpi_comm_world, status)
      call mpi_recv(buffer, rows*nb, mpi_double_precision, left, tag_panel, mpi_comm_world, status)
    end if
    if (right /= root) then
      call mpi_send(pivots, nb, mpi_integer, right, tag_pivots, mpi_comm_world)
      call mpi_send(buffer, rows*nb, mpi_double_precision, right, tag_panel, mpi_comm_world)
    end if
  end subroutine broadcast_panel

  ! Rows k0+1 to n of columns j1 to j2 of mine, with the panel in l.
  subroutine update(l, rows, k0, pivots, j1, j2)
    integer, intent(in) :: rows, k0, j1, j2
    real(dp), intent(in) :: l(rows, nb)
    integer, intent(in) :: pivots(nb)
    integer :: i, j, k
    real(dp) :: t

    do j = j1, j2
      do k = 1, nb
        if (pivots(k) /= k0 + k) then
          t = a(k0 + k, j)
          a(k0 + k, j) = a(pivots(k), j)
          a(pivots(k), j) = t
        end if
      end do
      do k = 1, nb
        t = a(k0 + k, j)
        do i = k + 1, rows
          a(k0 + i, j) = a(k0 + i, j) - l(i, k) * t
        end do
      end do
    end do
  end subroutine update

end module panel
