! One ranking of all keys: buckets are shared out so that all processes get about as many keys, then each process counts
! what it has received.
module ranking
  use mpi
  use keys
  implicit none
  private
  public :: rank_all, received, received_keys, lowest_key, keys_below, keys_of, full_verify

  integer, parameter :: buckets = 256
  integer, allocatable :: send_buffer(:), received(:), keys_of(:)
  integer :: received_keys, lowest_key, highest_key, keys_below
  integer, parameter :: tag_boundary = 17

contains

  subroutine rank_all(rank, nprocs)
    integer, intent(in) :: rank, nprocs
    integer :: bucket_size(buckets), bucket_total(buckets), bucket_start(buckets)
    integer :: send_count(0:nprocs-1), recv_count(0:nprocs-1)
    integer :: send_displ(0:nprocs-1), recv_displ(0:nprocs-1)
    integer :: i, b, p, ierr, width, running, first_bucket, last_bucket, share

    width = max_key / buckets
    bucket_size = 0
    do i = 1, my_keys
      b = key_array(i) / width + 1
      bucket_size(b) = bucket_size(b) + 1
    end do
    bucket_start(1) = 1
    do b = 2, buckets
      bucket_start(b) = bucket_start(b-1) + bucket_size(b-1)
    end do
    if (.not. allocated(send_buffer)) allocate (send_buffer(my_keys))
    do i = 1, my_keys
      b = key_array(i) / width + 1
      send_buffer(bucket_start(b)) = key_array(i)
      bucket_start(b) = bucket_start(b) + 1
    end do

    call mpi_allreduce(bucket_size, bucket_total, buckets, mpi_integer, mpi_sum, mpi_comm_world, ierr)

    ! Process p gets the next buckets until it has its share.
    p = 0
    running = 0
    send_count = 0
    first_bucket = 1
    last_bucket = 0
    keys_below = 0
    if (rank > 0) first_bucket = buckets + 1
    do b = 1, buckets
      share = int(int(total_keys, kind(1_8)) * (p + 1) / nprocs)
      if (running >= share .and. p < nprocs - 1) then
        p = p + 1
        if (p == rank) first_bucket = b
      end if
      if (p < rank) keys_below = keys_below + bucket_total(b)
      if (p == rank) last_bucket = b
      send_count(p) = send_count(p) + bucket_size(b)
      running = running + bucket_total(b)
    end do
    lowest_key = (first_bucket - 1) * width
    highest_key = last_bucket * width - 1
    if (last_bucket == 0) highest_key = lowest_key - 1

    call mpi_alltoall(send_count, 1, mpi_integer, recv_count, 1, mpi_integer, mpi_comm_world, ierr)
    send_displ(0) = 0
    recv_displ(0) = 0
    do p = 1, nprocs - 1
      send_displ(p) = send_displ(p-1) + send_count(p-1)
      recv_displ(p) = recv_displ(p-1) + recv_count(p-1)
    end do
    received_keys = recv_displ(nprocs-1) + recv_count(nprocs-1)
    if (allocated(received)) then
      if (size(received) < received_keys) deallocate (received)
    end if
    if (.not. allocated(received)) allocate (received(received_keys + received_keys / 8 + 1))
    call mpi_alltoallv(send_buffer, send_count, send_displ, mpi_integer, &
                       received, recv_count, recv_displ, mpi_integer, mpi_comm_world, ierr)

    ! How many keys there are of each value that is mine, and of smaller ones.
    if (allocated(keys_of)) deallocate (keys_of)
    allocate (keys_of(lowest_key:max(highest_key, lowest_key)))
    keys_of = 0
    do i = 1, received_keys
      keys_of(received(i)) = keys_of(received(i)) + 1
    end do
    do i = lowest_key + 1, highest_key
      keys_of(i) = keys_of(i) + keys_of(i-1)
    end do
  end subroutine rank_all

  ! Puts the keys in order, and sees whether they are, also with regard to the neighbours.
  subroutine full_verify(rank, nprocs, is_sorted)
    integer, intent(in) :: rank, nprocs
    logical, intent(out) :: is_sorted
    integer :: sorted(max(received_keys, 1))
    integer :: i, ierr, request, before, last, wrong, all_wrong
    integer :: status(mpi_status_size)

    do i = received_keys, 1, -1
      sorted(keys_of(received(i))) = received(i)
      keys_of(received(i)) = keys_of(received(i)) - 1
    end do

    ! The largest key of those before me.
    before = -1
    if (rank > 0) then
      call mpi_irecv(before, 1, mpi_integer, rank - 1, tag_boundary, mpi_comm_world, request, ierr)
      call mpi_wait(request, status, ierr)
    end if
    last = before
    if (received_keys > 0) last = sorted(received_keys)
    if (rank < nprocs - 1) call mpi_send(last, 1, mpi_integer, rank + 1, tag_boundary, mpi_comm_world, ierr)

    wrong = 0
    do i = 1, received_keys
      if (i > 1) before = sorted(i-1)
      if (before > sorted(i)) wrong = wrong + 1
    end do
    call mpi_allreduce(wrong, all_wrong, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
    is_sorted = all_wrong == 0
  end subroutine full_verify

end module ranking
