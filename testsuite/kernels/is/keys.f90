! Keys to be sorted: approximately Gaussian, made by each process for itself.
module keys
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none

  integer :: total_keys, max_key, iterations
  integer :: my_keys                              ! keys of this process before they are sorted
  integer, allocatable :: key_array(:)

  integer(int64), parameter, private :: modulus = 2147483647_int64, multiplier = 48271_int64

contains

  subroutine set_class(name, known)
    character(len=*), intent(in) :: name
    logical, intent(out) :: known

    known = .true.
    select case (name)
    case ('tiny')
      total_keys = 2**13; max_key = 2**10; iterations = 4
    case ('small')
      total_keys = 2**19; max_key = 2**15; iterations = 6
    case ('medium')
      total_keys = 2**23; max_key = 2**19; iterations = 10
    case ('large')
      total_keys = 2**27; max_key = 2**23; iterations = 20
    case default
      known = .false.
    end select
  end subroutine set_class

  subroutine create_keys(rank, nprocs)
    integer, intent(in) :: rank, nprocs
    integer(int64) :: first, last, state, steps, power
    integer :: i, j
    real(kind(1.0d0)) :: x

    first = int(total_keys, int64) * rank / nprocs
    last = int(total_keys, int64) * (rank + 1) / nprocs
    my_keys = int(last - first)
    allocate (key_array(my_keys))
    state = 314159265_int64
    power = multiplier
    steps = 4 * first
    do while (steps > 0)
      if (mod(steps, 2_int64) == 1) state = mod(state * power, modulus)
      power = mod(power * power, modulus)
      steps = steps / 2
    end do
    do i = 1, my_keys
      x = 0
      do j = 1, 4
        state = mod(state * multiplier, modulus)
        x = x + real(state, kind(x)) / modulus
      end do
      key_array(i) = min(int(max_key / 4 * x), max_key - 1)
    end do
  end subroutine create_keys

end module keys
