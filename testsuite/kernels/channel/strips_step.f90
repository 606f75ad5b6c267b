! The step: both rows at the ends travel to the neighbours while the inner ones are computed.
submodule (strips:numerics) stepping
  implicit none

contains

  module procedure advance
    integer :: requests(4), ierr, i, j

    call mpi_irecv(this%now(1, 0), this%columns, mpi_double_precision, this%before, downstream, mpi_comm_world, &
                   requests(1), ierr)
    call mpi_irecv(this%now(1, this%rows + 1), this%columns, mpi_double_precision, this%behind, upstream, &
                   mpi_comm_world, requests(2), ierr)
    call mpi_isend(this%now(1, 1), this%columns, mpi_double_precision, this%before, upstream, mpi_comm_world, &
                   requests(3), ierr)
    call mpi_isend(this%now(1, this%rows), this%columns, mpi_double_precision, this%behind, downstream, &
                   mpi_comm_world, requests(4), ierr)
    call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
    do j = 1, this%rows
      do i = 1, this%columns
        this%next(i, j) = 0.5_dp * (this%now(i, j - 1) + this%now(i, j + 1))
      end do
    end do
    call take_over(this%now, this%next, this%columns, this%rows)
  end procedure advance

end submodule stepping
