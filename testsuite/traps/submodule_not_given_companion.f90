! The submodule of submodule_not_given.f90.
submodule (fields) settling
  implicit none

contains

  module procedure settle
    integer :: i

    do i = 1, n
      others(i) = sqrt(others(i)) + rbuf(i)
    end do
  end procedure settle

end submodule settling
