! The system of equations: columns in blocks, dealt to the processes in turn.
module matrix
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  implicit none

  integer, parameter :: dp = kind(1.0d0)
  integer :: n, nb                       ! order, columns of a block (a panel)
  integer :: me, np
  integer :: blocks                      ! in all
  integer :: local_columns
  real(dp), allocatable :: a(:,:)        ! (n, local_columns)
  real(dp), allocatable :: b(:)          ! right-hand side, with all processes

contains

  pure integer function owner(block)
    integer, intent(in) :: block

    owner = mod(block - 1, np)
  end function owner

  ! The first local column of a block that is mine.
  pure integer function local_start(block)
    integer, intent(in) :: block

    local_start = ((block - 1) / np) * nb + 1
  end function local_start

  ! The first local column of those of mine that lie behind a block.
  pure integer function local_behind(block)
    integer, intent(in) :: block
    integer :: mine

    mine = (block + np - 1 - me) / np    ! blocks of mine among the first `block`
    local_behind = mine * nb + 1
  end function local_behind

  pure integer function global_column(j)
    integer, intent(in) :: j

    global_column = (((j - 1) / nb) * np + me) * nb + mod(j - 1, nb) + 1
  end function global_column

  pure real(dp) function element(i, j)
    integer, intent(in) :: i, j
    integer(int64) :: h

    h = mod(int(i, int64) * 73856093_int64 + 11_int64, 2147483647_int64)
    h = mod(h * h + int(j, int64) * 19349663_int64, 2147483647_int64)
    h = mod(h * h + 48271_int64 * j, 2147483647_int64)
    element = real(h, dp) / 2147483647.0_dp - 0.5_dp
  end function element

  pure real(dp) function solution(j)
    integer, intent(in) :: j

    solution = 1.0_dp + 0.25_dp * mod(j, 5)
  end function solution

  subroutine generate()
    integer :: i, j, block

    blocks = n / nb
    local_columns = 0
    do block = 1, blocks
      if (owner(block) == me) local_columns = local_columns + nb
    end do
    allocate (a(n, max(local_columns, 1)), b(n))
    do j = 1, local_columns
      do i = 1, n
        a(i, j) = element(i, global_column(j))
      end do
    end do
    b = 0
    do j = 1, n
      do i = 1, n
        b(i) = b(i) + element(i, j) * solution(j)
      end do
    end do
  end subroutine generate

end module matrix
