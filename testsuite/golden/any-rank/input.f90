! Procedures that pack and unpack arrays of any rank: a plane of a field in two dimensions, and of one in three, go around a ring.
module packing
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

contains

  ! The first, or the last, slab of the array's last dimension.
  subroutine pack(array, is_last, buffer)
    real(real64), intent(in) :: array(..)
    logical, intent(in) :: is_last
    real(real64), intent(out) :: buffer(:)
    integer :: place

    place = 1
    if (is_last) place = size(array, rank(array))
    select rank (array)
    rank (1)
      buffer = array(place)
    rank (2)
      buffer = array(:, place)
    rank (3)
      buffer = reshape(array(:, :, place), [size(buffer)])
    end select
  end subroutine pack

  subroutine add(buffer, array)
    real(real64), intent(in) :: buffer(:)
    real(real64), intent(inout) :: array(..)

    select rank (field => array)
    rank (1)
      field(1) = field(1) + sum(buffer)
    rank (2)
      field(:, 1) = field(:, 1) + buffer
    rank (3)
      field(:, :, 1) = field(:, :, 1) + reshape(buffer, shape(field(:, :, 1)))
    end select
  end subroutine add

end module packing

program any_rank
  use mpi
  use packing
  implicit none

  integer, parameter :: n = 64, m = 96, layers = 8, steps = 4, max_ranks = 16
  integer :: ierr, me, ranks, next, prev, step, k, requests(4)
  real(real64) :: plane(n*m/2, layers), box(n, m, layers), seen(n*m)
  real(real64) :: out2(n*m/2), in2(n*m/2), out3(n*m), in3(n*m), sums(3, max_ranks)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(me + 1, ranks)
  prev = mod(me - 1 + ranks, ranks)

  do k = 1, layers
    plane(:, k) = me + k
    box(:, :, k) = me - k
  end do
  seen = 0
  do step = 1, steps
    call mpi_irecv(in2, size(in2), mpi_double_precision, prev, 2, mpi_comm_world, requests(1), ierr)
    call mpi_irecv(in3, size(in3), mpi_double_precision, prev, 3, mpi_comm_world, requests(2), ierr)
    call pack(plane, .true., out2)
    call mpi_isend(out2, size(out2), mpi_double_precision, next, 2, mpi_comm_world, requests(3), ierr)
    call pack(box, .true., out3)
    call mpi_isend(out3, size(out3), mpi_double_precision, next, 3, mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    ! Of this nothing concerns what has come.
    call pack(box, .false., seen)
    do k = 1, n*m
      seen(k) = sqrt(abs(seen(k))) + k
    end do
    call add(in2, plane)
    call add(in3, box)
    plane(:, layers) = plane(:, 1) + seen(1)
    box(:, :, layers) = box(:, :, 1) - seen(n*m)
  end do

  call mpi_gather([sum(plane), sum(box), sum(seen)], 3, mpi_double_precision, sums, 3, mpi_double_precision, 0, &
                  mpi_comm_world, ierr)
  if (me == 0) then
    do k = 1, ranks
      write (*, '(a,i0,3es24.16)') 'rank ', k - 1, sums(:, k)
    end do
  end if
  call mpi_finalize(ierr)
end program any_rank
