! Gravel's Fortran interface: compile this file with your MPI's Fortran wrapper and link libgravel.
!
!    mpif90 -c gravel.f90
!    mpif90 program.f90 gravel.o -lm libgravel.a -lpthread -ldl -lm
!
! libgravel itself links no MPI. This module holds the few MPI calls that it needs, so that one libgravel serves every
! MPI, and it serves programs that use mpif.h, the module mpi and the module mpi_f08 through the same generic names.
!
! Made from the parts in gravel-rt/fortran/template, which say each thing once: change those.
!
! buffer arguments are type(*), dimension(..): a section arrives with its strides and no copy. They are ASYNCHRONOUS and
! TARGET because the runtime reads and writes them after the call returns.
!
! Every call takes an error variable as its last argument, which may be left out. It gets MPI_SUCCESS or an MPI error
! class, after the text of the error, which names the call, the peer and what to do, was written to standard error and the
! communicator's MPI error handler was called (by default it aborts the program):
!
!    MPI_ERR_COMM      gravel_init on an intercommunicator, gravel_attach on a communicator that has processes which
!                      gravel_init's has not
!    MPI_ERR_RANK      it has no such rank
!    MPI_ERR_TAG       a negative tag, or a wildcard where the protocol has none
!    MPI_ERR_COUNT     a negative count, more bytes than there are addresses, blocks of an exchange that differ
!    MPI_ERR_TYPE      where the data of the datatype lies is not known (a constructor that this version does not know); or, for
!                      all-to-all exchanges, its elements, one behind the other, are not contiguous memory
!    MPI_ERR_BUFFER    a section with gaps, a put of another buffer than the transfer's, or a buffered send that does not fit
!                      into the attached buffer
!    MPI_ERR_REQUEST   a handle that names nothing (any more); a start of what is active; puts outside of the message,
!                      over another, or not all of it
!    MPI_ERR_TRUNCATE  the message is longer than its receive, into which nothing was written. Both sides get the
!                      error, with both ranks, the tag and both lengths, unless the send has completed: see below;
!                      behind gravel_errors_return only the receiver does
!    MPI_ERR_OTHER     before gravel_init, after gravel_finalize, before MPI_Init, after MPI_Finalize, from another
!                      thread or a forked child; two protocols for one (peer, communicator, tag); a peer that has died
!                      or given its message up; limits of the system
!
! A post, or the opening of a transfer, that is called without ierror and fails, where the error handler returns, gives a
! request, or a transfer, that has failed: the call that ends it returns the error, and calls no handler again. With ierror it
! gives null.
!
! gravel.h says which call has which, and what calls do on communicators that are not attached: there they are MPI's.
!
! A send may complete before its receive is known: up to 8 KiB, over tcp up to 64 KiB, where the handshake has not come, and,
! if it is waited for then, up to max(64 KiB, GRAVEL_EAGER_LIMIT). As with an eager send of MPI, only the receive of such a
! message fails where it is too long; the sender's process is told, and writes the same to standard error. That holds for
! gravel_post_send, gravel_send_fin and gravel_post_snd_buffer_rdma.
module gravel
   use, intrinsic :: iso_c_binding, only: c_char, c_loc, c_funloc, c_funptr, c_int, c_int8_t, c_int32_t, c_int64_t, &
      c_f_pointer, c_null_char, c_null_ptr, c_ptr, c_sizeof
   use mpi, only: MPI_ADDRESS_KIND, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_BSEND_OVERHEAD, MPI_BYTE, MPI_COMM_NULL, &
      MPI_COMM_WORLD, MPI_COUNT_KIND, MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_IN_STATUS, MPI_ERR_OTHER, &
      MPI_ERR_PENDING, MPI_ERR_RANK, MPI_ERR_REQUEST, &
      MPI_ERR_TAG, MPI_ERR_TRUNCATE, MPI_ERR_TYPE, MPI_ERROR, MPI_PROC_NULL, MPI_REQUEST_NULL, MPI_SOURCE, &
      MPI_STATUS_IGNORE, MPI_STATUS_SIZE, MPI_STATUSES_IGNORE, MPI_SUCCESS, MPI_TAG, MPI_UNDEFINED
   use mpi_f08, only: f08_byte => MPI_BYTE, f08_integer8 => MPI_INTEGER8, f08_max => MPI_MAX, &
      f08_status_ignore => MPI_STATUS_IGNORE, f08_statuses_ignore => MPI_STATUSES_IGNORE, &
      MPI_Comm, MPI_Datatype, MPI_Message, MPI_Request, MPI_Status
   implicit none
   private

   ! The integer kind of this MPI's handles and error codes, whatever -fdefault-integer-8 makes of default integers here.
   integer, parameter :: mpi_kind = kind(MPI_SUCCESS)
   integer, parameter :: i4 = c_int32_t, i8 = c_int64_t
   ! The logical kinds of the same sizes: callers' default logicals, whatever -fdefault-integer-8 makes of them.
   integer, parameter :: l4 = 4, l8 = 8
   ! What tiles are multiples of, in iterations, where nothing else is said
   integer(i8), parameter :: vector_multiple = 64

   ! A request of Gravel is a value that no request of MPI has, 0x3C000000 to 0x3FFFFFFF, in the program's own variables: an
   ! integer of 4 or 8 bytes, or type(MPI_Request). Every call that takes requests takes MPI's, too, and null ones: for MPI's it
   ! is MPI's call. An array may hold all of them.
   integer, parameter, public :: gravel_request_kind = mpi_kind
   integer, parameter, public :: gravel_transfer_kind = c_int
   ! Of numbers of elements that may be more than default integers count
   integer, parameter, public :: gravel_offset_kind = c_int64_t
   integer(gravel_request_kind), parameter, public :: gravel_request_null = MPI_REQUEST_NULL
   integer(gravel_transfer_kind), parameter, public :: gravel_transfer_null = 0_c_int

   public :: gravel_init, gravel_errors_return, gravel_attach, gravel_finalize
   public :: gravel_post_rcv_buffer_rdma, gravel_wait_rcv_buffer, gravel_tile, gravel_post_os_put, gravel_send_fin
   public :: gravel_worth_overlapping
   public :: gravel_post_send, gravel_wait, gravel_wait_request, gravel_waitall, gravel_f_sync_reg
   public :: gravel_post_snd_request, gravel_post_snd_buffer_rdma, gravel_post_rcv_announced, gravel_wait_snd_request
   public :: gravel_post_send_copied, gravel_post_snd_buffer_copied
   public :: gravel_post_send_synchronous, gravel_wait_rcv_buffer_synchronous, gravel_post_snd_request_synchronous
   public :: gravel_post_snd_buffer_synchronous, gravel_prepare_send_synchronous, gravel_prepare_announced_send_synchronous
   public :: gravel_probe, gravel_iprobe, gravel_mprobe, gravel_improbe, gravel_mrecv, gravel_imrecv
   public :: gravel_post_bsend, gravel_prepare_bsend, gravel_buffer_attached, gravel_buffer_detached
   public :: gravel_post_rcv_segments, gravel_wait_range, gravel_test, gravel_test_request, gravel_waitany, gravel_cancel
   public :: gravel_request_get_status
   public :: gravel_waitsome, gravel_testany, gravel_testsome, gravel_testall
   public :: gravel_prepare_receive, gravel_prepare_send, gravel_prepare_announced_receive, gravel_prepare_announced_send
   public :: gravel_start, gravel_start_request, gravel_startall, gravel_release
   public :: gravel_post_alltoall, gravel_post_alltoall_segments, gravel_open_alltoall, gravel_send_alltoall
   public :: gravel_post_alltoallv, gravel_post_alltoallv_segments, gravel_open_alltoallv, gravel_send_alltoallv

   ! Collective over comm, right after MPI_Init: call gravel_init(comm [, ierror]), or call gravel_init() for the world
   ! communicator where its name is not visible.
   interface gravel_init
      module procedure init_world, init_i4, init_i8, init_f08
   end interface

   ! Right after gravel_init: call gravel_errors_return(). The program may go on after errors, as it has set MPI_ERRORS_RETURN or will:
   ! only its receiver hears of a message that is too long, as with MPI.

   ! Collective over comm, after it was made and before the first message on it: call gravel_attach(comm [, ierror]). All its
   ! processes must have called gravel_init with one communicator. Does nothing for MPI_COMM_NULL, for an intercommunicator, whose
   ! messages stay with MPI, and for a communicator that is attached already. MPI_Comm_free ends it; what was posted before completes as usual.
   interface gravel_attach
      module procedure attach_i4, attach_i8, attach_f08
   end interface

   ! Collective, right before MPI_Finalize, which calls it where the program has not: call gravel_finalize([ierror])
   interface gravel_finalize
      module procedure finalize_i4, finalize_i8
   end interface

   ! Consumer: call gravel_post_rcv_buffer_rdma(buffer, count, datatype, source, tag, comm, request [, ierror])
   interface gravel_post_rcv_buffer_rdma
      module procedure post_rcv_i4_i4
      module procedure post_rcv_i4_i8
      module procedure post_rcv_i4_f08
      module procedure post_rcv_i8_i8
      module procedure post_rcv_f08_f08
   end interface

   ! Producer: call gravel_wait_rcv_buffer(buffer, count, datatype, dest, tag, comm, transfer [, ierror])
   interface gravel_wait_rcv_buffer
      module procedure wait_rcv_i4, wait_rcv_i8, wait_rcv_f08
   end interface

   ! Whether the program, which has begun an exchange, should do what needs nothing of it before it ends it:
   ! if (gravel_worth_overlapping(place)) then ... else ... end if. The place is any text that tells this one from others. Both ways are
   ! tried at each place, and timed from one time there to the next; the faster one is kept

   ! Iterations per tile of a loop that fills a message, or reads that of gravel_post_rcv_segments, tile by tile:
   ! gravel_tile(transfer or request, iterations [, multiple]); of one that serves several messages: gravel_tile([...],
   ! iterations [, multiple]). Tiles are multiples of 64 iterations unless another number is given: 1 where the loop is
   ! not the innermost one, which compilers vectorise
   interface gravel_tile
      module procedure tile_i4_i4
      module procedure tile_all_i4_i4
      module procedure tile_i4_i8
      module procedure tile_all_i4_i8
      module procedure tile_i8_i4
      module procedure tile_all_i8_i4
      module procedure tile_i8_i8
      module procedure tile_all_i8_i8
      module procedure tile_f08_i4
      module procedure tile_all_f08_i4
      module procedure tile_f08_i8
      module procedure tile_all_f08_i8
   end interface

   ! Producer: call gravel_post_os_put(transfer, buffer, offset, count [, ierror]), in elements of the buffer. Where these are not
   ! the datatype's, one behind the other, it does nothing: gravel_send_fin sends the message, and gravel_wait_range waits for all
   ! of it
   interface gravel_post_os_put
      module procedure put_i4, put_i8, put_i8_i8
   end interface

   ! Producer: call gravel_send_fin(transfer, request [, ierror])
   interface gravel_send_fin
      module procedure send_fin_i4_i4
      module procedure send_fin_i4_i8
      module procedure send_fin_i8_optional_i8
      module procedure send_fin_f08_i4
   end interface

   ! Producer: call gravel_post_send(buffer, count, datatype, dest, tag, comm, request [, ierror])
   interface gravel_post_send
      module procedure post_send_i4_i4
      module procedure post_send_i4_i8
      module procedure post_send_i4_f08
      module procedure post_send_i8_i8
      module procedure post_send_f08_f08
   end interface

   ! Both: call gravel_wait(request, buffer [, status] [, ierror])
   interface gravel_wait
      module procedure wait_i4_i4
      module procedure wait_i4_i8
      module procedure wait_i8_optional_i8
      module procedure wait_f08_i4
      module procedure wait_status_i4_i4
      module procedure wait_status_i4_i8
      module procedure wait_status_i4_f08
      module procedure wait_status_i8_i8
      module procedure wait_status_f08_f08
   end interface

   ! Both: call gravel_wait_request(request [, status] [, ierror]): as gravel_wait, where the buffer is not known. What was
   ! received is there for a compiler that is told so: call gravel_f_sync_reg(buffer)
   interface gravel_wait_request
      module procedure wait_request_i4_i4
      module procedure wait_request_i4_i8
      module procedure wait_request_i8_optional_i8
      module procedure wait_request_f08_i4
      module procedure wait_request_status_i4_i4
      module procedure wait_request_status_i4_i8
      module procedure wait_request_status_i4_f08
      module procedure wait_request_status_i8_i8
      module procedure wait_request_status_f08_f08
   end interface

   ! Calls that take several requests take an array, or an element of one, of any rank: that stands for the requests from it on.

   ! Both: call gravel_waitall(count, requests [, statuses] [, ierror]), and then name each buffer whose request may have
   ! been among them: call gravel_f_sync_reg(buffer)
   interface gravel_waitall
      module procedure waitall_i4_i4, waitall_table_i4_i4, waitall_from_i4_i4
      module procedure waitall_i4_i8, waitall_table_i4_i8, waitall_from_i4_i8
      module procedure waitall_i8_i8, waitall_table_i8_i8, waitall_from_i8_i8
      module procedure waitall_f08_f08, waitall_table_f08_f08, waitall_from_f08_f08
      module procedure waitall_statuses_i4_i4, waitall_statuses_table_i4_i4
      module procedure waitall_statuses_from_i4_i4
      module procedure waitall_statuses_i4_i8, waitall_statuses_table_i4_i8
      module procedure waitall_statuses_from_i4_i8
      module procedure waitall_statuses_i4_f08, waitall_statuses_table_i4_f08
      module procedure waitall_statuses_from_i4_f08
      module procedure waitall_statuses_i8_i8, waitall_statuses_table_i8_i8
      module procedure waitall_statuses_from_i8_i8
      module procedure waitall_statuses_f08_f08, waitall_statuses_table_f08_f08
      module procedure waitall_statuses_from_f08_f08
   end interface

   ! Producer: call gravel_post_snd_request(buffer, count, datatype, dest, tag, comm, transfer [, ierror]): announces a
   ! message and opens its transfer, for a consumer that receives it with gravel_post_rcv_announced
   interface gravel_post_snd_request
      module procedure snd_request_i4, snd_request_i8, snd_request_f08
   end interface

   ! Producer: call gravel_post_snd_buffer_rdma(buffer, count, datatype, dest, tag, comm, request [, ierror]): announces a
   ! whole message, which such a consumer may read
   interface gravel_post_snd_buffer_rdma
      module procedure snd_buffer_i4_i4
      module procedure snd_buffer_i4_i8
      module procedure snd_buffer_i4_f08
      module procedure snd_buffer_i8_i8
      module procedure snd_buffer_f08_f08
   end interface

   ! Producer: call gravel_post_send_copied(buffer, count, datatype, dest, tag, comm, request [, ierror]), as gravel_post_send,
   ! or gravel_post_snd_buffer_copied, as gravel_post_snd_buffer_rdma: from a copy, so that the buffer may be written, or
   ! received into, at once
   interface gravel_post_send_copied
      module procedure send_copied_i4_i4
      module procedure send_copied_i4_i8
      module procedure send_copied_i4_f08
      module procedure send_copied_i8_i8
      module procedure send_copied_f08_f08
   end interface

   interface gravel_post_snd_buffer_copied
      module procedure snd_copied_i4_i4
      module procedure snd_copied_i4_i8
      module procedure snd_copied_i4_f08
      module procedure snd_copied_i8_i8
      module procedure snd_copied_f08_f08
   end interface

   ! Producer: as gravel_post_send, gravel_wait_rcv_buffer, gravel_post_snd_request and gravel_post_snd_buffer_rdma, for a
   ! synchronous send (MPI 4.0, section 3.4): it is over only when a receive was posted that has met the message, however short
   ! that is. So a wait for it may block
   interface gravel_post_send_synchronous
      module procedure send_synchronous_i4_i4
      module procedure send_synchronous_i4_i8
      module procedure send_synchronous_i4_f08
      module procedure send_synchronous_i8_i8
      module procedure send_synchronous_f08_f08
   end interface

   interface gravel_wait_rcv_buffer_synchronous
      module procedure wait_rcv_synchronous_i4, wait_rcv_synchronous_i8, wait_rcv_synchronous_f08
   end interface

   interface gravel_post_snd_request_synchronous
      module procedure snd_request_synchronous_i4, snd_request_synchronous_i8, snd_request_synchronous_f08
   end interface

   interface gravel_post_snd_buffer_synchronous
      module procedure snd_synchronous_i4_i4
      module procedure snd_synchronous_i4_i8
      module procedure snd_synchronous_i4_f08
      module procedure snd_synchronous_i8_i8
      module procedure snd_synchronous_f08_f08
   end interface

   ! Consumer: call gravel_post_rcv_announced(buffer, count, datatype, source, tag, comm, request [, ierror]): source and tag
   ! may be wildcards
   interface gravel_post_rcv_announced
      module procedure rcv_announced_i4_i4
      module procedure rcv_announced_i4_i8
      module procedure rcv_announced_i4_f08
      module procedure rcv_announced_i8_i8
      module procedure rcv_announced_f08_f08
   end interface

   ! Consumer: call gravel_wait_snd_request(source, tag, comm, status [, ierror]): blocks until a message is announced that
   ! such a receive would take; it stays
   interface gravel_wait_snd_request
      module procedure wait_snd_request_i4, wait_snd_request_i8, wait_snd_request_f08
   end interface

   ! Probes, as in MPI (4.0, section 3.8), of announced messages.

   ! Consumer: call gravel_probe(source, tag, comm [, status] [, ierror]): as gravel_wait_snd_request
   interface gravel_probe
      module procedure probe_i4, wait_snd_request_i4
      module procedure probe_i8, wait_snd_request_i8
      module procedure probe_f08, wait_snd_request_f08
   end interface

   ! Consumer: call gravel_iprobe(source, tag, comm, flag [, status] [, ierror]): whether there is such a message now, and which
   interface gravel_iprobe
      module procedure iprobe_i4, iprobe_status_i4
      module procedure iprobe_i8, iprobe_status_i8
      module procedure iprobe_f08, iprobe_status_f08
   end interface

   ! Consumer: call gravel_mprobe(source, tag, comm, message [, status] [, ierror]): as gravel_probe, and takes the message: only
   ! gravel_mrecv and gravel_imrecv receive it. message is a variable for a message of MPI's, and may hold one
   interface gravel_mprobe
      module procedure mprobe_i4, mprobe_status_i4
      module procedure mprobe_i8, mprobe_status_i8
      module procedure mprobe_f08, mprobe_status_f08
   end interface

   ! Consumer: call gravel_improbe(source, tag, comm, flag, message [, status] [, ierror]): likewise, if there is one now
   interface gravel_improbe
      module procedure improbe_i4, improbe_status_i4
      module procedure improbe_i8, improbe_status_i8
      module procedure improbe_f08, improbe_status_f08
   end interface

   ! Consumer: call gravel_mrecv(buffer, count, datatype, message [, status] [, ierror]): receives what a probe has matched
   interface gravel_mrecv
      module procedure mrecv_i4, mrecv_status_i4
      module procedure mrecv_i8, mrecv_status_i8
      module procedure mrecv_f08, mrecv_status_f08
   end interface

   ! Consumer: call gravel_imrecv(buffer, count, datatype, message, request [, ierror]): likewise, and does not block
   interface gravel_imrecv
      module procedure imrecv_i4, imrecv_i8, imrecv_f08
   end interface

   ! Buffered sends, as in MPI (4.0, section 3.6), of announced messages: what is sent is copied at once, and nobody waits for it.
   ! Copies are Gravel's; but a message that does not fit into the attached buffer is refused, as by MPI. So Gravel is told of the
   ! buffer: call gravel_buffer_attached(size) behind MPI_Buffer_attach, and call gravel_buffer_detached() behind
   ! MPI_Buffer_detach.
   interface gravel_buffer_attached
      module procedure buffer_attached_i4, buffer_attached_i8
   end interface

   ! Producer: call gravel_post_bsend(buffer, count, datatype, dest, tag, comm, request [, ierror]): as MPI_Ibsend. The request
   ! is that of a send that is over
   interface gravel_post_bsend
      module procedure post_bsend_i4_i4
      module procedure post_bsend_i4_i8
      module procedure post_bsend_i4_f08
      module procedure post_bsend_i8_i8
      module procedure post_bsend_f08_f08
   end interface

   ! Producer: call gravel_prepare_bsend(buffer, count, datatype, dest, tag, comm, request [, ierror]): each start is a
   ! gravel_post_bsend
   interface gravel_prepare_bsend
      module procedure prepare_bsend_i4_i4
      module procedure prepare_bsend_i4_i8
      module procedure prepare_bsend_i4_f08
      module procedure prepare_bsend_i8_i8
      module procedure prepare_bsend_f08_f08
   end interface

   ! Consumer: call gravel_post_rcv_segments(buffer, count, datatype, source, tag, comm, request [, ierror]): as
   ! gravel_post_rcv_buffer_rdma, for gravel_wait_range
   interface gravel_post_rcv_segments
      module procedure rcv_segments_i4_i4
      module procedure rcv_segments_i4_i8
      module procedure rcv_segments_i4_f08
      module procedure rcv_segments_i8_i8
      module procedure rcv_segments_f08_f08
   end interface

   ! Consumer: call gravel_wait_range(request, buffer, offset, count [, ierror]), in units of the datatype: waits for a part
   ! of a message; the request stays
   interface gravel_wait_range
      module procedure wait_range_i4_i4_i4
      module procedure wait_range_i4_i8_i4
      module procedure wait_range_i4_i8_i8
      module procedure wait_range_i8_i8_optional_i8
      module procedure wait_range_f08_i4_i4
      module procedure wait_range_f08_i8_i4
   end interface

   ! Both: call gravel_test(request, buffer, flag [, status] [, ierror])
   interface gravel_test
      module procedure test_i4_i4
      module procedure test_i4_i8
      module procedure test_i8_i8
      module procedure test_f08_f08
      module procedure test_status_i4_i4
      module procedure test_status_i4_i8
      module procedure test_status_i4_f08
      module procedure test_status_i8_i8
      module procedure test_status_f08_f08
   end interface

   ! Both: call gravel_test_request(request, flag [, status] [, ierror]): as gravel_test, where the buffer is not known
   interface gravel_test_request
      module procedure test_request_i4_i4
      module procedure test_request_i4_i8
      module procedure test_request_i8_i8
      module procedure test_request_f08_f08
      module procedure test_request_status_i4_i4
      module procedure test_request_status_i4_i8
      module procedure test_request_status_i4_f08
      module procedure test_request_status_i8_i8
      module procedure test_request_status_f08_f08
   end interface

   ! Both: call gravel_request_get_status(request, flag [, status] [, ierror]): as MPI_Request_get_status: whether the request
   ! could be completed now. It stays as it is
   interface gravel_request_get_status
      module procedure get_status_i4_i4
      module procedure get_status_i4_i8
      module procedure get_status_i8_i8
      module procedure get_status_f08_f08
      module procedure get_status_status_i4_i4
      module procedure get_status_status_i4_i8
      module procedure get_status_status_i4_f08
      module procedure get_status_status_i8_i8
      module procedure get_status_status_f08_f08
   end interface

   ! Both: call gravel_waitany(count, requests, index [, status] [, ierror]), and then name the buffer of the request that
   ! was completed: call gravel_f_sync_reg(buffer)
   interface gravel_waitany
      module procedure waitany_i4_i4, waitany_from_i4_i4
      module procedure waitany_i4_i8, waitany_from_i4_i8
      module procedure waitany_i8_i8, waitany_from_i8_i8
      module procedure waitany_f08_f08, waitany_from_f08_f08
      module procedure waitany_status_i4_i4, waitany_status_from_i4_i4
      module procedure waitany_status_i4_i8, waitany_status_from_i4_i8
      module procedure waitany_status_i4_f08, waitany_status_from_i4_f08
      module procedure waitany_status_i8_i8, waitany_status_from_i8_i8
      module procedure waitany_status_f08_f08, waitany_status_from_f08_f08
   end interface

   ! Both: call gravel_testany(count, requests, index, flag [, status] [, ierror]), and then name the buffers, as behind
   ! gravel_waitany
   interface gravel_testany
      module procedure testany_i4_i4, testany_from_i4_i4
      module procedure testany_i4_i8, testany_from_i4_i8
      module procedure testany_i8_i8, testany_from_i8_i8
      module procedure testany_f08_f08, testany_from_f08_f08
      module procedure testany_status_i4_i4, testany_status_from_i4_i4
      module procedure testany_status_i4_i8, testany_status_from_i4_i8
      module procedure testany_status_i4_f08, testany_status_from_i4_f08
      module procedure testany_status_i8_i8, testany_status_from_i8_i8
      module procedure testany_status_f08_f08, testany_status_from_f08_f08
   end interface

   ! Both: call gravel_waitsome(incount, requests, outcount, indices [, statuses] [, ierror]), or gravel_testsome, and then
   ! name the buffers of the requests that were completed. The first error is returned; all that have ended are told of
   interface gravel_waitsome
      module procedure waitsome_i4_i4, waitsome_from_i4_i4
      module procedure waitsome_i4_i8, waitsome_from_i4_i8
      module procedure waitsome_i8_i8, waitsome_from_i8_i8
      module procedure waitsome_f08_f08, waitsome_from_f08_f08
      module procedure waitsome_statuses_i4_i4, waitsome_statuses_from_i4_i4
      module procedure waitsome_statuses_i4_i8, waitsome_statuses_from_i4_i8
      module procedure waitsome_statuses_i4_f08, waitsome_statuses_from_i4_f08
      module procedure waitsome_statuses_i8_i8, waitsome_statuses_from_i8_i8
      module procedure waitsome_statuses_f08_f08, waitsome_statuses_from_f08_f08
   end interface

   interface gravel_testsome
      module procedure testsome_i4_i4, testsome_from_i4_i4
      module procedure testsome_i4_i8, testsome_from_i4_i8
      module procedure testsome_i8_i8, testsome_from_i8_i8
      module procedure testsome_f08_f08, testsome_from_f08_f08
      module procedure testsome_statuses_i4_i4, testsome_statuses_from_i4_i4
      module procedure testsome_statuses_i4_i8, testsome_statuses_from_i4_i8
      module procedure testsome_statuses_i4_f08, testsome_statuses_from_i4_f08
      module procedure testsome_statuses_i8_i8, testsome_statuses_from_i8_i8
      module procedure testsome_statuses_f08_f08, testsome_statuses_from_f08_f08
   end interface

   ! Both: call gravel_testall(count, requests, flag [, statuses] [, ierror]), and then name the buffers, as behind
   ! gravel_waitall: completes all of the requests or none
   interface gravel_testall
      module procedure testall_i4_i4, testall_from_i4_i4
      module procedure testall_i4_i8, testall_from_i4_i8
      module procedure testall_i8_i8, testall_from_i8_i8
      module procedure testall_f08_f08, testall_from_f08_f08
      module procedure testall_statuses_i4_i4, testall_statuses_from_i4_i4
      module procedure testall_statuses_i4_i8, testall_statuses_from_i4_i8
      module procedure testall_statuses_i4_f08, testall_statuses_from_i4_f08
      module procedure testall_statuses_i8_i8, testall_statuses_from_i8_i8
      module procedure testall_statuses_f08_f08, testall_statuses_from_f08_f08
   end interface

   ! Both: call gravel_cancel(request [, ierror]); the request must still be waited for, or released. A send is never taken back
   interface gravel_cancel
      module procedure cancel_i4_i4
      module procedure cancel_i4_i8
      module procedure cancel_i8_optional_i8
      module procedure cancel_f08_i4
   end interface

   ! Persistent operations, as in MPI (4.0, section 3.9): what is described once, and begun by each start. A persistent request
   ! is inactive when it is made and when a wait has completed it; a wait for an inactive one ends at once, with an empty
   ! status. The buffer is in use from the start to the end of the wait. The communicator must not have been freed when a
   ! request is started.

   ! Consumer: call gravel_prepare_receive(buffer, count, datatype, source, tag, comm, request [, ierror]): each start is a
   ! gravel_post_rcv_buffer_rdma
   interface gravel_prepare_receive
      module procedure prepare_receive_i4_i4
      module procedure prepare_receive_i4_i8
      module procedure prepare_receive_i4_f08
      module procedure prepare_receive_i8_i8
      module procedure prepare_receive_f08_f08
   end interface

   ! Producer: call gravel_prepare_send(buffer, count, datatype, dest, tag, comm, request [, ierror]): each start is a
   ! gravel_post_send
   interface gravel_prepare_send
      module procedure prepare_send_i4_i4
      module procedure prepare_send_i4_i8
      module procedure prepare_send_i4_f08
      module procedure prepare_send_i8_i8
      module procedure prepare_send_f08_f08
   end interface

   ! Consumer: call gravel_prepare_announced_receive(buffer, count, datatype, source, tag, comm, request [, ierror]): each start
   ! is a gravel_post_rcv_announced
   interface gravel_prepare_announced_receive
      module procedure prepare_announced_receive_i4_i4
      module procedure prepare_announced_receive_i4_i8
      module procedure prepare_announced_receive_i4_f08
      module procedure prepare_announced_receive_i8_i8
      module procedure prepare_announced_receive_f08_f08
   end interface

   ! Producer: call gravel_prepare_announced_send(buffer, count, datatype, dest, tag, comm, request [, ierror]): each start is a
   ! gravel_post_snd_buffer_rdma
   interface gravel_prepare_announced_send
      module procedure prepare_announced_send_i4_i4
      module procedure prepare_announced_send_i4_i8
      module procedure prepare_announced_send_i4_f08
      module procedure prepare_announced_send_i8_i8
      module procedure prepare_announced_send_f08_f08
   end interface

   ! Producer: as gravel_prepare_send and gravel_prepare_announced_send: each start is a gravel_post_send_synchronous, or a
   ! gravel_post_snd_buffer_synchronous
   interface gravel_prepare_send_synchronous
      module procedure prepare_synchronous_i4_i4
      module procedure prepare_synchronous_i4_i8
      module procedure prepare_synchronous_i4_f08
      module procedure prepare_synchronous_i8_i8
      module procedure prepare_synchronous_f08_f08
   end interface

   interface gravel_prepare_announced_send_synchronous
      module procedure prepare_announced_synchronous_i4_i4
      module procedure prepare_announced_synchronous_i4_i8
      module procedure prepare_announced_synchronous_i4_f08
      module procedure prepare_announced_synchronous_i8_i8
      module procedure prepare_announced_synchronous_f08_f08
   end interface

   ! Both: call gravel_start(request, buffer [, ierror])
   interface gravel_start
      module procedure start_i4_i4
      module procedure start_i4_i8
      module procedure start_i8_optional_i8
      module procedure start_f08_i4
   end interface

   ! Both: call gravel_start_request(request [, ierror]): as gravel_start, where the buffer is not known. Does not block.
   interface gravel_start_request
      module procedure start_request_i4_i4
      module procedure start_request_i4_i8
      module procedure start_request_i8_optional_i8
      module procedure start_request_f08_i4
   end interface

   ! Both: name each buffer whose request may be among them, call gravel_f_sync_reg(buffer), and then
   ! call gravel_startall(count, requests [, ierror])
   interface gravel_startall
      module procedure startall_i4_i4, startall_from_i4_i4
      module procedure startall_i4_i8, startall_from_i4_i8
      module procedure startall_i8_i8, startall_from_i8_i8
      module procedure startall_f08_f08, startall_from_f08_f08
   end interface

   ! Both: call gravel_release(request [, ierror]): it is not needed any more, and becomes null. What it stands for goes on until
   ! it is over, a send in gravel_finalize at the latest; a receive should have been waited for
   interface gravel_release
      module procedure release_i4_i4
      module procedure release_i4_i8
      module procedure release_i8_optional_i8
      module procedure release_f08_i4
   end interface

   ! MPI_Alltoall in two halves, what a process receives and what it sends. count elements of the datatype are one block;
   ! the blocks of all ranks of comm lie one behind the other in buffer. Both halves of all ranks take part in the order in
   ! which they are posted and opened on comm. Such exchanges never meet MPI_Alltoall: all calls that could be ends of one
   ! exchange are made with these. MPI_IN_PLACE is not possible.

   ! Consumer: call gravel_post_alltoall(buffer, count, datatype, comm, request [, ierror])
   interface gravel_post_alltoall
      module procedure post_alltoall_i4_i4
      module procedure post_alltoall_i4_i8
      module procedure post_alltoall_i4_f08
      module procedure post_alltoall_i8_i8
      module procedure post_alltoall_f08_f08
   end interface

   ! Consumer: call gravel_post_alltoall_segments(buffer, count, datatype, comm, request [, ierror]): as
   ! gravel_post_alltoall, for gravel_wait_range
   interface gravel_post_alltoall_segments
      module procedure alltoall_segments_i4_i4
      module procedure alltoall_segments_i4_i8
      module procedure alltoall_segments_i4_f08
      module procedure alltoall_segments_i8_i8
      module procedure alltoall_segments_f08_f08
   end interface

   ! Producer: call gravel_open_alltoall(buffer, count, datatype, comm, transfer [, ierror]); then gravel_post_os_put and
   ! gravel_send_fin. Puts may leave elements out, which gravel_send_fin sends, and may reach beyond the last block: nothing
   ! of that is sent
   interface gravel_open_alltoall
      module procedure open_alltoall_i4, open_alltoall_i8, open_alltoall_f08
   end interface

   ! Producer: call gravel_send_alltoall(buffer, count, datatype, comm, request [, ierror]): all blocks at once
   interface gravel_send_alltoall
      module procedure send_alltoall_i4_i4
      module procedure send_alltoall_i4_i8
      module procedure send_alltoall_i4_f08
      module procedure send_alltoall_i8_i8
      module procedure send_alltoall_f08_f08
   end interface

   ! MPI_Alltoallv in two halves, likewise: counts and displs are arrays with an element for each rank of comm, in elements
   ! of the datatype from the beginning of the buffer. They are read during the call.

   ! Consumer: call gravel_post_alltoallv(buffer, counts, displs, datatype, comm, request [, ierror])
   interface gravel_post_alltoallv
      module procedure post_alltoallv_i4_i4
      module procedure post_alltoallv_i4_i8
      module procedure post_alltoallv_i4_f08
      module procedure post_alltoallv_i8_i8
      module procedure post_alltoallv_f08_f08
   end interface

   ! Consumer: call gravel_post_alltoallv_segments(buffer, counts, displs, datatype, comm, request [, ierror]): as
   ! gravel_post_alltoallv, for gravel_wait_range
   interface gravel_post_alltoallv_segments
      module procedure alltoallv_segments_i4_i4
      module procedure alltoallv_segments_i4_i8
      module procedure alltoallv_segments_i4_f08
      module procedure alltoallv_segments_i8_i8
      module procedure alltoallv_segments_f08_f08
   end interface

   ! Producer: call gravel_open_alltoallv(buffer, counts, displs, datatype, comm, transfer [, ierror]): as
   ! gravel_open_alltoall. What belongs to no block is not sent; blocks may overlap
   interface gravel_open_alltoallv
      module procedure open_alltoallv_i4, open_alltoallv_i8, open_alltoallv_f08
   end interface

   ! Producer: call gravel_send_alltoallv(buffer, counts, displs, datatype, comm, request [, ierror]): all blocks at once
   interface gravel_send_alltoallv
      module procedure send_alltoallv_i4_i4
      module procedure send_alltoallv_i4_i8
      module procedure send_alltoallv_i4_f08
      module procedure send_alltoallv_i8_i8
      module procedure send_alltoallv_f08_f08
   end interface

   ! The structures and functions of libgravel (gravel-rt/src/abi).

   type, bind(c) :: mpi_constants
      integer(c_int) :: proc_null
      integer(c_int) :: any_source
      integer(c_int) :: any_tag
   end type

   type, bind(c) :: callback_table
      integer(c_int64_t) :: size
      type(c_funptr) :: all_gather
      type(c_funptr) :: progress
      type(c_funptr) :: begin_barrier
      type(c_funptr) :: test_barrier
      integer(c_int) :: communicator
      integer(c_int) :: rank
      integer(c_int) :: ranks
      type(mpi_constants) :: constants
      integer(c_int) :: request_null
   end type

   type, bind(c) :: group_description
      integer(c_int) :: communicator
      integer(c_int) :: rank
      integer(c_int) :: size
      type(c_ptr) :: members
   end type

   type, bind(c) :: datatype_facts
      integer(c_int) :: combiner
      integer(c_int) :: integers
      integer(c_int) :: addresses
      integer(c_int) :: datatypes
      integer(c_int64_t) :: size
      integer(c_int64_t) :: extent
      integer(c_int64_t) :: true_lower_bound
      integer(c_int64_t) :: true_extent
   end type

   type, bind(c) :: datatype_callback_table
      type(c_funptr) :: describe
      type(c_funptr) :: contents
      type(c_funptr) :: release
      type(c_funptr) :: name
      type(c_funptr) :: watch
   end type

   type, bind(c) :: datatype_description
      integer(c_int64_t) :: bytes
      integer(c_int64_t) :: layout
      integer(c_int) :: permanent
   end type

   type, bind(c) :: message_description
      type(c_ptr) :: address
      integer(c_int64_t) :: count
      integer(c_int64_t) :: datatype_bytes
      integer(c_int64_t) :: element_bytes
      integer(c_int64_t) :: layout
   end type

   type, bind(c) :: envelope_description
      integer(c_int) :: rank
      integer(c_int) :: tag
      integer(c_int) :: communicator
   end type

   type, bind(c) :: half_description
      type(c_ptr) :: address, counts, places
      integer(c_int) :: integer_bytes, ranks, datatype
   end type

   type, bind(c) :: completion_description
      integer(c_int) :: kind
      integer(c_int) :: source
      integer(c_int) :: tag
      integer(c_int64_t) :: bytes
   end type

   integer(c_int), parameter :: completed_nothing = 0, completed_proc_null = 1, completed_receive = 2, &
      completed_cancelled = 3, none_yet = -1
   ! What MPI has completed: its status is the column of mpi_statuses that %bytes names. %tag is 1 if that has its error, too.
   integer(c_int), parameter :: completed_by_mpi = 4
   integer(c_int), parameter :: found_intercommunicator = 1, found_without_mpi = 2, found_requests_meet = 3

   interface narrowed
      module procedure narrowed_i4, narrowed_i8
   end interface

   ! Which attribute key: those of C are 0 and 1.
   integer(c_int), parameter :: first_attribute = 0, communicator_attribute = 2, datatype_attribute = 3, mpi_attribute = 4, &
      last_attribute = 4

   integer(c_int), parameter :: combiner_named = 1, combiner_dup = 2, combiner_contiguous = 3, combiner_vector = 4, &
      combiner_hvector = 5, combiner_indexed = 6, combiner_hindexed = 7, combiner_indexed_block = 8, &
      combiner_hindexed_block = 9, combiner_struct = 10, combiner_subarray = 11, combiner_darray = 12, &
      combiner_resized = 13, combiner_f90 = 14, combiner_other = 15

   ! Codes of libgravel that have an error class of MPI; all others are MPI_ERR_OTHER.
   integer(c_int), parameter :: code_success = 0, code_communicator = 2, code_rank = 3, code_tag = 4, code_count = 5, &
      code_datatype = 6, code_buffer = 7, code_request = 8, code_truncated = 9, code_other = 11, code_left_to_mpi = 12, &
      code_told_already = 13

   interface
      function gravel_rt_init(callbacks) bind(c) result(code)
         import :: c_int, callback_table
         type(callback_table), intent(in) :: callbacks
         integer(c_int) :: code
      end function

      subroutine gravel_rt_keep_communicators(attached, duplicate) bind(c)
         import :: c_int
         integer(c_int), value :: attached, duplicate
      end subroutine

      function gravel_rt_attached(fallback) bind(c) result(attached)
         import :: c_int
         integer(c_int), value :: fallback
         integer(c_int) :: attached
      end function

      function gravel_rt_failed_communicator(fallback) bind(c) result(failed)
         import :: c_int
         integer(c_int), value :: fallback
         integer(c_int) :: failed
      end function

      subroutine gravel_rt_drop_communicators() bind(c)
      end subroutine

      subroutine gravel_rt_mpi_ends() bind(c)
      end subroutine

      function gravel_rt_duplicate(fallback) bind(c) result(duplicate)
         import :: c_int
         integer(c_int), value :: fallback
         integer(c_int) :: duplicate
      end function

      subroutine gravel_rt_keep_attribute_key(which, value) bind(c)
         import :: c_int
         integer(c_int), value :: which, value
      end subroutine

      function gravel_rt_attribute_key(which, fallback) bind(c) result(attribute_key)
         import :: c_int
         integer(c_int), value :: which, fallback
         integer(c_int) :: attribute_key
      end function

      function gravel_rt_drop_attribute_key(which, fallback) bind(c) result(attribute_key)
         import :: c_int
         integer(c_int), value :: which, fallback
         integer(c_int) :: attribute_key
      end function

      function gravel_rt_propose(group) bind(c) result(proposal)
         import :: c_int64_t, group_description
         type(group_description), intent(in) :: group
         integer(c_int64_t) :: proposal
      end function

      function gravel_rt_attach(group, agreed, key) bind(c) result(code)
         import :: c_int, c_int64_t, group_description
         type(group_description), intent(in) :: group
         integer(c_int64_t), value :: agreed
         integer(c_int64_t), intent(inout) :: key
         integer(c_int) :: code
      end function

      function gravel_rt_communicator_key(communicator) bind(c) result(key)
         import :: c_int, c_int64_t
         integer(c_int), value :: communicator
         integer(c_int64_t) :: key
      end function

      subroutine gravel_rt_detach(key) bind(c)
         import :: c_int64_t
         integer(c_int64_t), value :: key
      end subroutine

      function gravel_rt_use_datatypes(callbacks) bind(c) result(code)
         import :: c_int, datatype_callback_table
         type(datatype_callback_table), intent(in) :: callbacks
         integer(c_int) :: code
      end function

      function gravel_rt_datatype(datatype, description) bind(c) result(code)
         import :: c_int, datatype_description
         integer(c_int), value :: datatype
         type(datatype_description), intent(inout) :: description
         integer(c_int) :: code
      end function

      subroutine gravel_rt_forget_datatype(key) bind(c)
         import :: c_int64_t
         integer(c_int64_t), value :: key
      end subroutine

      function gravel_rt_finalize() bind(c) result(code)
         import :: c_int
         integer(c_int) :: code
      end function

      function gravel_rt_describe(buffer, address, element_bytes) bind(c) result(code)
         import :: c_int, c_int64_t, c_ptr
         type(*), dimension(..), asynchronous, target :: buffer
         type(c_ptr), intent(inout) :: address
         integer(c_int64_t), intent(inout) :: element_bytes
         integer(c_int) :: code
      end function

      subroutine gravel_rt_expose(address) bind(c)
         import :: c_ptr
         type(c_ptr), value :: address
      end subroutine

      pure function gravel_rt_same_object(first, second) bind(c) result(same)
         import :: c_int
         type(*), dimension(*), intent(in) :: first, second
         integer(c_int) :: same
      end function

      pure function gravel_rt_same_status(first, second) bind(c, name="gravel_rt_same_object") result(same)
         import :: c_int, MPI_Status
         type(MPI_Status), intent(in) :: first, second
         integer(c_int) :: same
      end function

      pure function gravel_rt_same_statuses(first, second) bind(c, name="gravel_rt_same_object") result(same)
         import :: c_int, MPI_Status
         type(MPI_Status), intent(in) :: first(*), second(*)
         integer(c_int) :: same
      end function

      subroutine gravel_rt_pause(in_vain) bind(c)
         import :: c_int
         integer(c_int), value :: in_vain
      end subroutine

      function gravel_rt_hold_half(kind, half, communicator, value) bind(c) result(code)
         import :: c_int, half_description
         integer(c_int), value :: kind, communicator
         type(half_description), intent(in) :: half
         integer(c_int), intent(inout) :: value
         integer(c_int) :: code
      end function

      function gravel_rt_end_half(transfer, request, communicator) bind(c) result(found)
         import :: c_int
         integer(c_int), intent(inout) :: transfer, request, communicator
         integer(c_int) :: found
      end function

      function gravel_rt_next_exchange(communicator, send, receive) bind(c) result(found)
         import :: c_int, half_description
         integer(c_int), value :: communicator
         type(half_description), intent(inout) :: send, receive
         integer(c_int) :: found
      end function

      subroutine gravel_rt_end_exchange(communicator) bind(c)
         import :: c_int
         integer(c_int), value :: communicator
      end subroutine

      function gravel_rt_report(call, found) bind(c) result(code)
         import :: c_char, c_int
         character(kind=c_char), intent(in) :: call(*)
         integer(c_int), value :: found
         integer(c_int) :: code
      end function

      function gravel_rt_post_rcv_buffer_rdma(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_wait_rcv_buffer(message, envelope, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_post_send(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_snd_request(message, envelope, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_post_snd_buffer_rdma(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_send_copied(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_snd_buffer_copied(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_send_synchronous(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_wait_rcv_buffer_synchronous(message, envelope, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_post_snd_request_synchronous(message, envelope, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_post_snd_buffer_synchronous(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_rcv_announced(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_rcv_segments(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_bsend(message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_alltoall(block, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: block
         integer(c_int), value :: communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_alltoall_segments(block, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: block
         integer(c_int), value :: communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_open_alltoall(block, communicator, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: block
         integer(c_int), value :: communicator
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_send_alltoall(block, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: block
         integer(c_int), value :: communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_alltoallv(message, counts, displs, bytes, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: message
         type(*), intent(in) :: counts(*), displs(*)
         integer(c_int), value :: bytes, communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_post_alltoallv_segments(message, counts, displs, bytes, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: message
         type(*), intent(in) :: counts(*), displs(*)
         integer(c_int), value :: bytes, communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_open_alltoallv(message, counts, displs, bytes, communicator, transfer) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: message
         type(*), intent(in) :: counts(*), displs(*)
         integer(c_int), value :: bytes, communicator
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_send_alltoallv(message, counts, displs, bytes, communicator, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description
         type(message_description), intent(in) :: message
         type(*), intent(in) :: counts(*), displs(*)
         integer(c_int), value :: bytes, communicator
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_tile(transfer, iterations, multiple) bind(c) result(tile)
         import :: c_int, c_int64_t
         integer(c_int), value :: transfer
         integer(c_int64_t), value :: iterations, multiple
         integer(c_int64_t) :: tile
      end function

      function gravel_rt_worth_overlapping(place, length) bind(c) result(is_worth)
         import :: c_char, c_int, c_int64_t
         character(kind=c_char), intent(in) :: place(*)
         integer(c_int64_t), value :: length
         integer(c_int) :: is_worth
      end function

      function gravel_rt_post_os_put(transfer, buffer, offset, count) bind(c) result(code)
         import :: c_int, c_int64_t, c_ptr
         integer(c_int), value :: transfer
         integer(c_int64_t), value :: offset, count
         type(c_ptr), value :: buffer
         integer(c_int) :: code
      end function

      subroutine gravel_rt_errors_return() bind(c)
      end subroutine

      subroutine gravel_rt_keep_failure(code, value) bind(c)
         import :: c_int
         integer(c_int), value :: code
         integer(c_int), intent(inout) :: value
      end subroutine

      function gravel_rt_told_error() bind(c) result(error)
         import :: c_int
         integer(c_int) :: error
      end function

      function gravel_rt_send_fin(transfer, request) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int), intent(inout) :: transfer, request
         integer(c_int) :: code
      end function

      function gravel_rt_wait(request, completion) bind(c) result(code)
         import :: c_int, c_int64_t, completion_description
         integer(c_int), intent(inout) :: request
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_wait_snd_request(envelope, completion) bind(c) result(code)
         import :: c_int, completion_description, envelope_description
         type(envelope_description), intent(in) :: envelope
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_iprobe(envelope, found, completion) bind(c) result(code)
         import :: c_int, completion_description, envelope_description
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: found
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_mprobe(waits, envelope, found, message, completion) bind(c) result(code)
         import :: c_int, completion_description, envelope_description
         integer(c_int), value :: waits
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: found, message
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_imrecv(message, buffer, request) bind(c) result(code)
         import :: c_int, message_description
         integer(c_int), intent(inout) :: message
         type(message_description), intent(in) :: buffer
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_attach_buffer(bytes, overhead) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int64_t), value :: bytes, overhead
         integer(c_int) :: code
      end function

      function gravel_rt_test(request, flag, completion) bind(c) result(code)
         import :: c_int, c_int64_t, completion_description
         integer(c_int), intent(inout) :: request
         integer(c_int), intent(inout) :: flag
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_waitany(count, requests, index, completion) bind(c) result(code)
         import :: c_int, c_int64_t, completion_description
         integer(c_int64_t), value :: count
         integer(c_int), intent(inout) :: requests(*)
         integer(c_int64_t), intent(inout) :: index
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_testany(count, requests, index, flag, completion) bind(c) result(code)
         import :: c_int, c_int64_t, completion_description
         integer(c_int64_t), value :: count
         integer(c_int), intent(inout) :: requests(*)
         integer(c_int64_t), intent(inout) :: index
         integer(c_int), intent(inout) :: flag
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_waitsome(count, requests, ended) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int64_t), value :: count
         integer(c_int), intent(inout) :: requests(*)
         integer(c_int64_t), intent(inout) :: ended
         integer(c_int) :: code
      end function

      function gravel_rt_testsome(count, requests, ended) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int64_t), value :: count
         integer(c_int), intent(inout) :: requests(*)
         integer(c_int64_t), intent(inout) :: ended
         integer(c_int) :: code
      end function

      function gravel_rt_testall(count, requests, ended) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int64_t), value :: count
         integer(c_int), intent(inout) :: requests(*)
         integer(c_int64_t), intent(inout) :: ended
         integer(c_int) :: code
      end function

      function gravel_rt_completed(position, index, completion) bind(c) result(code)
         import :: c_int, c_int64_t, completion_description
         integer(c_int64_t), value :: position
         integer(c_int64_t), intent(inout) :: index
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      function gravel_rt_wait_range(request, buffer, offset, count) bind(c) result(code)
         import :: c_int, c_int64_t, c_ptr
         integer(c_int), value :: request
         integer(c_int64_t), value :: offset, count
         type(c_ptr), value :: buffer
         integer(c_int) :: code
      end function

      function gravel_rt_prepare(kind, message, envelope, request) bind(c) result(code)
         import :: c_int, c_int64_t, message_description, envelope_description
         integer(c_int), value :: kind
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_start(request) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int), value :: request
         integer(c_int) :: code
      end function

      function gravel_rt_release(request) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int), intent(inout) :: request
         integer(c_int) :: code
      end function

      function gravel_rt_cancel(request) bind(c) result(code)
         import :: c_int, c_int64_t
         integer(c_int), value :: request
         integer(c_int) :: code
      end function

      function gravel_rt_request_get_status(request, flag, completion) bind(c) result(code)
         import :: c_int, completion_description
         integer(c_int), value :: request
         integer(c_int), intent(inout) :: flag
         type(completion_description), intent(inout) :: completion
         integer(c_int) :: code
      end function

      pure function gravel_rt_is_running() bind(c) result(is_running)
         import :: c_int
         integer(c_int) :: is_running
      end function

      function gravel_rt_is_left_to_mpi(communicator) bind(c) result(is_left)
         import :: c_int
         integer(c_int), value :: communicator
         integer(c_int) :: is_left
      end function

      function gravel_rt_remember(message, envelope, datatype, is_synchronous, transfer) bind(c) result(code)
         import :: c_int, envelope_description, message_description
         type(message_description), intent(in) :: message
         type(envelope_description), intent(in) :: envelope
         integer(c_int), value :: datatype, is_synchronous
         integer(c_int), intent(inout) :: transfer
         integer(c_int) :: code
      end function

      function gravel_rt_end_remembered(transfer, message, envelope, datatype, is_synchronous) bind(c) result(code)
         import :: c_int, envelope_description, message_description
         integer(c_int), intent(inout) :: transfer
         type(message_description), intent(inout) :: message
         type(envelope_description), intent(inout) :: envelope
         integer(c_int), intent(inout) :: datatype, is_synchronous
         integer(c_int) :: code
      end function

      function gravel_rt_new_copy(bytes) bind(c) result(copy)
         import :: c_int64_t, c_ptr
         integer(c_int64_t), value :: bytes
         type(c_ptr) :: copy
      end function

      subroutine gravel_rt_keep_copy(request) bind(c)
         import :: c_int
         integer(c_int), value :: request
      end subroutine

      function gravel_rt_copy(position, request) bind(c) result(found)
         import :: c_int, c_int64_t
         integer(c_int64_t), value :: position
         integer(c_int), intent(inout) :: request
         integer(c_int) :: found
      end function

      subroutine gravel_rt_drop_copy(position) bind(c)
         import :: c_int64_t
         integer(c_int64_t), value :: position
      end subroutine
   end interface

   ! The calls that begin() runs.
   integer, parameter :: snd_request = 1, snd_buffer = 2, rcv_announced = 3, rcv_segments = 4, send_copied = 5, snd_copied = 6
   ! In the order of the kinds of gravel_rt_prepare.
   integer, parameter :: prepare_receive = 7, prepare_send = 8, prepare_announced_receive = 9, prepare_announced_send = 10
   integer, parameter :: prepare_synchronous = 11, prepare_announced_synchronous = 12, prepare_bsend = 13
   integer, parameter :: send_synchronous = 14, wait_rcv_synchronous = 15, snd_request_synchronous = 16, snd_synchronous = 17
   integer, parameter :: post_bsend = 18
   ! The calls that begin_alltoall() runs.
   ! The calls that begin_alltoall() and begin_alltoallv() run.
   integer, parameter :: receives = 1, receives_segments = 2, opens = 3, sends = 4

   ! The calls that call_mpi() runs.
   integer, parameter :: by_isend = 1, by_issend = 2, by_isend_of_copy = 3, by_irecv = 4, by_send_init = 5, by_ssend_init = 6, &
      by_recv_init = 7, by_ibsend = 8, by_bsend_init = 9
   ! The request of a send that is over at once, and nobody has waited for.
   integer(i4), parameter :: value_over = 1006632960_c_int

   integer(mpi_kind) :: barrier_request = MPI_REQUEST_NULL

   ! What a call has completed where some of the requests were MPI's, and how MPI tells of those.
   type(completion_description), allocatable :: told(:)
   integer(i8), allocatable :: told_places(:)
   integer(mpi_kind), allocatable :: told_errors(:)
   integer(mpi_kind), allocatable :: mpi_statuses(:, :)

   ! The last predefined datatype and its size: it never changes, and nearly all messages are made of them.
   logical :: have_last_datatype = .false.
   integer(mpi_kind) :: last_datatype = 0
   integer(c_int64_t) :: last_datatype_bytes

   ! The last completion that went into a status, and that status: most messages of a program are like the one before.
   type(completion_description) :: last_completion = completion_description(none_yet, 0, 0, 0)
   type(completion_description) :: last_completion_f08 = completion_description(none_yet, 0, 0, 0)
   integer(mpi_kind) :: last_status(MPI_STATUS_SIZE) = 0
   type(MPI_Status) :: last_status_f08

contains

   ! ---- gravel_init, gravel_errors_return, gravel_attach, gravel_finalize

   subroutine gravel_errors_return()
      call gravel_rt_errors_return()
   end subroutine

   subroutine init_world()
      integer(mpi_kind) :: ignored
      call initialise(MPI_COMM_WORLD, ignored)
   end subroutine

   subroutine init_i4(comm, ierror)
      integer(i4), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call initialise(int(comm, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine init_i8(comm, ierror)
      integer(i8), intent(in) :: comm
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call initialise(int(comm, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine init_f08(comm, ierror)
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call initialise(int(comm%MPI_VAL, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine attach_i4(comm, ierror)
      integer(i4), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call attach(int(comm, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine attach_i8(comm, ierror)
      integer(i8), intent(in) :: comm
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call attach(int(comm, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine attach_f08(comm, ierror)
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call attach(int(comm%MPI_VAL, mpi_kind), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine initialise(comm, error)
      use mpi, only: MPI_Comm_free, MPI_Comm_idup, MPI_Comm_rank, MPI_Comm_size, MPI_Comm_test_inter
      integer(mpi_kind), intent(in) :: comm
      integer(mpi_kind), intent(out) :: error
      type(callback_table) :: callbacks
      integer(mpi_kind) :: duplicate, duplicating, rank, ranks, ignored
      integer(c_int) :: code
      logical(mpi_kind) :: is_inter

      if (.not. is_mpi_there()) then
         call conclude(gravel_rt_report("gravel_init"//c_null_char, found_without_mpi), comm, error)
         return
      end if
      if (requests_meet()) then
         call conclude(gravel_rt_report("gravel_init"//c_null_char, found_requests_meet), comm, error)
         return
      end if
      call MPI_Comm_test_inter(comm, is_inter, error)
      if (error == MPI_SUCCESS .and. is_inter) then
         call conclude(gravel_rt_report("gravel_init"//c_null_char, found_intercommunicator), comm, error)
         return
      end if
      if (error == MPI_SUCCESS) call MPI_Comm_rank(comm, rank, error)
      if (error == MPI_SUCCESS) call MPI_Comm_size(comm, ranks, error)
      if (error == MPI_SUCCESS) call MPI_Comm_idup(comm, duplicate, duplicating, error)
      if (error == MPI_SUCCESS) call complete(duplicating, error)
      ! A failed MPI call has been to the error handler already.
      if (error /= MPI_SUCCESS) return
      callbacks%size = c_sizeof(callbacks)
      callbacks%all_gather = c_funloc(all_gather)
      callbacks%progress = c_funloc(progress)
      callbacks%begin_barrier = c_funloc(begin_barrier)
      callbacks%test_barrier = c_funloc(test_barrier)
      callbacks%communicator = int(comm, c_int)
      callbacks%rank = int(rank, c_int)
      callbacks%ranks = int(ranks, c_int)
      callbacks%constants = mpi_constants(int(MPI_PROC_NULL, c_int), int(MPI_ANY_SOURCE, c_int), int(MPI_ANY_TAG, c_int))
      callbacks%request_null = int(MPI_REQUEST_NULL, c_int)
      ! A duplicate for Gravel's own collectives, so that they cannot meet the program's.
      call gravel_rt_keep_communicators(int(comm, c_int), int(duplicate, c_int))
      code = gravel_rt_init(callbacks)
      if (code == code_success) then
         call watch_communicator(comm, gravel_rt_communicator_key(int(comm, c_int)), error)
         if (error == MPI_SUCCESS) call watch_mpi(error)
         if (error /= MPI_SUCCESS) return
         code = offer_datatypes()
      else
         call gravel_rt_drop_communicators()
         call MPI_Comm_free(duplicate, ignored)
      end if
      call conclude(code, comm, error)
   end subroutine

   ! Whether a handle of this MPI could be taken for a request of Gravel. A few requests are looked at, of each kind that there
   ! is without a message, and the null handles.
   function requests_meet() result(meet)
      use mpi, only: MPI_COMM_SELF, MPI_DATATYPE_NULL, MPI_ERRHANDLER_NULL, MPI_GROUP_NULL, MPI_INFO_NULL, MPI_MESSAGE_NULL, &
         MPI_OP_NULL, MPI_Request_free, MPI_Wait, MPI_WIN_NULL
      use mpi_f08, only: MPI_Irecv, MPI_Isend, MPI_Recv_init, MPI_Send_init
      logical :: meet
      integer(mpi_kind), parameter :: one = 1, none = 0
      integer(c_int8_t), asynchronous :: byte(1)
      type(MPI_Request) :: requests(4)
      integer(mpi_kind) :: error, ignored, k
      meet = any(is_own(int([MPI_REQUEST_NULL, MPI_COMM_NULL, MPI_GROUP_NULL, MPI_DATATYPE_NULL, MPI_OP_NULL, &
         MPI_ERRHANDLER_NULL, MPI_INFO_NULL, MPI_MESSAGE_NULL, MPI_WIN_NULL], c_int)))
      byte = 0
      requests%MPI_VAL = MPI_REQUEST_NULL
      call MPI_Recv_init(byte, one, f08_byte, none, none, f08_comm(MPI_COMM_SELF), requests(1), error)
      if (error == MPI_SUCCESS) &
         call MPI_Send_init(byte, one, f08_byte, none, none, f08_comm(MPI_COMM_SELF), requests(2), error)
      if (error == MPI_SUCCESS) &
         call MPI_Irecv(byte, one, f08_byte, MPI_PROC_NULL, none, f08_comm(MPI_COMM_SELF), requests(3), error)
      if (error == MPI_SUCCESS) &
         call MPI_Isend(byte, one, f08_byte, MPI_PROC_NULL, none, f08_comm(MPI_COMM_SELF), requests(4), error)
      do k = 1, 4
         if (requests(k)%MPI_VAL == MPI_REQUEST_NULL) cycle
         if (is_own(int(requests(k)%MPI_VAL, c_int))) then
            meet = .true.
         else if (k < 3) then
            call MPI_Request_free(requests(k)%MPI_VAL, ignored)
         else
            call MPI_Wait(requests(k)%MPI_VAL, MPI_STATUS_IGNORE, ignored)
         end if
      end do
   end function

   subroutine attach(comm, error)
      use mpi, only: MPI_Comm_rank, MPI_Comm_size, MPI_Comm_test_inter
      use mpi_f08, only: MPI_Iallreduce, MPI_Request
      integer(mpi_kind), intent(in) :: comm
      integer(mpi_kind), intent(out) :: error
      type(group_description) :: group
      integer(mpi_kind) :: rank, size
      integer(c_int), allocatable, target :: members(:)
      integer(c_int64_t), asynchronous :: proposal(1), agreed(1)
      integer(c_int64_t) :: key
      type(MPI_Request) :: agreeing
      integer(c_int) :: code
      logical(mpi_kind) :: is_inter

      error = MPI_SUCCESS
      if (comm == MPI_COMM_NULL) return
      if (.not. is_mpi_there()) then
         call conclude(gravel_rt_report("gravel_attach"//c_null_char, found_without_mpi), comm, error)
         return
      end if
      call MPI_Comm_test_inter(comm, is_inter, error)
      ! Its messages are MPI's.
      if (error == MPI_SUCCESS .and. is_inter) return
      if (error == MPI_SUCCESS) call MPI_Comm_rank(comm, rank, error)
      if (error == MPI_SUCCESS) call MPI_Comm_size(comm, size, error)
      if (error /= MPI_SUCCESS) return
      if (gravel_rt_communicator_key(int(comm, c_int)) /= 0) return
      allocate (members(size))
      call find_members(comm, members, error)
      if (error /= MPI_SUCCESS) return
      ! Some of its processes run without this Gravel, and may not come here: its messages are MPI's, on all ranks that do.
      if (any(members < 0)) return
      group = group_description(int(comm, c_int), int(rank, c_int), int(size, c_int), c_loc(members))
      proposal(1) = gravel_rt_propose(group)
      call MPI_Iallreduce(proposal, agreed, int(1, mpi_kind), f08_integer8, f08_max, f08_comm(comm), agreeing, error)
      if (error == MPI_SUCCESS) call complete(agreeing%MPI_VAL, error)
      if (error /= MPI_SUCCESS) return
      code = gravel_rt_attach(group, agreed(1), key)
      if (code /= code_success) then
         call conclude(code, comm, error)
         return
      end if
      call watch_communicator(comm, key, error)
      if (error /= MPI_SUCCESS) call gravel_rt_detach(key)
   end subroutine

   ! For each rank of comm, its rank in gravel_init's communicator, or -1.
   subroutine find_members(comm, members, error)
      use mpi_f08, only: MPI_Comm_group, MPI_Group, MPI_Group_free, MPI_Group_translate_ranks, MPI_UNDEFINED
      integer(mpi_kind), intent(in) :: comm
      integer(c_int), intent(out) :: members(:)
      integer(mpi_kind), intent(out) :: error
      type(MPI_Group) :: group, all
      integer(mpi_kind) :: ignored, k
      integer(mpi_kind) :: ranks(size(members)), translated(size(members))
      call MPI_Comm_group(f08_comm(comm), group, error)
      if (error /= MPI_SUCCESS) return
      call MPI_Comm_group(f08_comm(duplicate_comm()), all, error)
      if (error == MPI_SUCCESS) then
         ranks = [(k, k=0, int(size(members), mpi_kind) - 1_mpi_kind)]
         call MPI_Group_translate_ranks(group, int(size(members), mpi_kind), ranks, all, translated, error)
         members = int(translated, c_int)
         where (translated == MPI_UNDEFINED) members = -1_c_int
         call MPI_Group_free(all, ignored)
      end if
      call MPI_Group_free(group, ignored)
   end subroutine

   subroutine finalize_i4(ierror)
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call finalise(error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine finalize_i8(ierror)
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      call finalise(error)
      ierror = int(error, i8)
   end subroutine

   subroutine finalise(error)
      use mpi, only: MPI_Comm_free
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: duplicate, comm
      integer(c_int) :: code
      comm = attached()
      if (.not. is_mpi_there()) then
         call conclude(gravel_rt_report("gravel_finalize"//c_null_char, found_without_mpi), comm, error)
         return
      end if
      duplicate = duplicate_comm()
      call see_to_copies(.true.)
      code = gravel_rt_finalize()
      if (code == code_success) then
         call free_attribute_keys()
         call gravel_rt_drop_communicators()
         call MPI_Comm_free(duplicate, error)
      else
         call conclude(code, comm, error)
      end if
   end subroutine

   ! ---- attributes: how libgravel hears that a communicator or datatype is freed, before MPI uses its handle again

   subroutine communicator_freed(comm, comm_keyval, attribute_val, extra_state, ierror)
      type(MPI_Comm) :: comm
      integer(mpi_kind) :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      call gravel_rt_detach(int(attribute_val, c_int64_t))
      ierror = MPI_SUCCESS
   end subroutine

   subroutine datatype_freed(datatype, type_keyval, attribute_val, extra_state, ierror)
      type(MPI_Datatype) :: datatype
      integer(mpi_kind) :: type_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      call gravel_rt_forget_datatype(int(attribute_val, c_int64_t))
      ierror = MPI_SUCCESS
   end subroutine

   subroutine watch_communicator(comm, key, error)
      use mpi_f08, only: MPI_COMM_NULL_COPY_FN, MPI_Comm_create_keyval, MPI_Comm_set_attr, MPI_KEYVAL_INVALID
      integer(mpi_kind), intent(in) :: comm
      integer(c_int64_t), intent(in) :: key
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: attribute_key
      error = MPI_SUCCESS
      attribute_key = gravel_rt_attribute_key(communicator_attribute, int(MPI_KEYVAL_INVALID, c_int))
      if (attribute_key == MPI_KEYVAL_INVALID) then
         ! Not copied: a duplicate of an attached communicator is not attached.
         call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_freed, attribute_key, 0_MPI_ADDRESS_KIND, error)
         if (error == MPI_SUCCESS) call gravel_rt_keep_attribute_key(communicator_attribute, int(attribute_key, c_int))
      end if
      if (error == MPI_SUCCESS) call MPI_Comm_set_attr(f08_comm(comm), attribute_key, int(key, MPI_ADDRESS_KIND), error)
   end subroutine

   function watch_datatype(datatype, key) bind(c, name="") result(code)
      use mpi_f08, only: MPI_KEYVAL_INVALID, MPI_TYPE_NULL_COPY_FN, MPI_Type_create_keyval, MPI_Type_set_attr
      integer(c_int), value :: datatype
      integer(c_int64_t), value :: key
      integer(c_int) :: code
      type(MPI_Datatype) :: handle
      integer(mpi_kind) :: attribute_key, error
      error = MPI_SUCCESS
      attribute_key = gravel_rt_attribute_key(datatype_attribute, int(MPI_KEYVAL_INVALID, c_int))
      if (attribute_key == MPI_KEYVAL_INVALID) then
         call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, datatype_freed, attribute_key, 0_MPI_ADDRESS_KIND, error)
         if (error == MPI_SUCCESS) call gravel_rt_keep_attribute_key(datatype_attribute, int(attribute_key, c_int))
      end if
      handle%MPI_VAL = int(datatype, mpi_kind)
      if (error == MPI_SUCCESS) call MPI_Type_set_attr(handle, attribute_key, int(key, MPI_ADDRESS_KIND), error)
      code = int(error, c_int)
   end function

   subroutine mpi_freed(comm, comm_keyval, attribute_val, extra_state, ierror)
      type(MPI_Comm) :: comm
      integer(mpi_kind) :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      integer(mpi_kind) :: ignored
      if (gravel_rt_is_running() /= 0) call finalise(ignored)
      call gravel_rt_mpi_ends()
      ierror = MPI_SUCCESS
   end subroutine

   ! MPI_Finalize first of all deletes the attributes of MPI_COMM_SELF (MPI 4.0, section 11.2.4), while MPI can still be
   ! called: if the program has not called gravel_finalize, that is done there. Calls of Gravel are refused from then on.
   subroutine watch_mpi(error)
      use mpi_f08, only: MPI_COMM_NULL_COPY_FN, MPI_Comm_create_keyval, MPI_COMM_SELF, MPI_Comm_set_attr
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: attribute_key
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_freed, attribute_key, 0_MPI_ADDRESS_KIND, error)
      if (error /= MPI_SUCCESS) return
      call gravel_rt_keep_attribute_key(mpi_attribute, int(attribute_key, c_int))
      call MPI_Comm_set_attr(MPI_COMM_SELF, attribute_key, 0_MPI_ADDRESS_KIND, error)
   end subroutine

   ! Attributes that are still there keep what they need of their key.
   subroutine free_attribute_keys()
      use mpi, only: MPI_Comm_free_keyval, MPI_KEYVAL_INVALID, MPI_Type_free_keyval
      integer(mpi_kind) :: attribute_key, ignored
      integer(c_int) :: which
      do which = first_attribute, last_attribute
         attribute_key = gravel_rt_drop_attribute_key(which, int(MPI_KEYVAL_INVALID, c_int))
         if (attribute_key == MPI_KEYVAL_INVALID) cycle
         if (mod(which, 2_c_int) == mod(communicator_attribute, 2_c_int)) then
            call MPI_Comm_free_keyval(attribute_key, ignored)
         else
            call MPI_Type_free_keyval(attribute_key, ignored)
         end if
      end do
   end subroutine

   ! ---- datatypes: what libgravel asks about them

   function offer_datatypes() result(code)
      integer(c_int) :: code
      type(datatype_callback_table) :: callbacks
      callbacks%describe = c_funloc(describe_datatype)
      callbacks%contents = c_funloc(datatype_contents)
      callbacks%release = c_funloc(release_datatype)
      callbacks%name = c_funloc(name_datatype)
      callbacks%watch = c_funloc(watch_datatype)
      code = gravel_rt_use_datatypes(callbacks)
   end function

   function describe_datatype(datatype, facts) bind(c, name="") result(code)
      use mpi, only: MPI_Type_get_envelope, MPI_Type_get_extent_x, MPI_Type_get_true_extent_x, MPI_Type_size_x
      integer(c_int), value :: datatype
      type(datatype_facts), intent(inout) :: facts
      integer(c_int) :: code
      integer(mpi_kind) :: handle, integers, addresses, datatypes, combiner, error
      integer(MPI_COUNT_KIND) :: bytes, lower_bound, extent, true_lower_bound, true_extent
      handle = int(datatype, mpi_kind)
      call MPI_Type_get_envelope(handle, integers, addresses, datatypes, combiner, error)
      if (error == MPI_SUCCESS) call MPI_Type_size_x(handle, bytes, error)
      if (error == MPI_SUCCESS) call MPI_Type_get_extent_x(handle, lower_bound, extent, error)
      if (error == MPI_SUCCESS) call MPI_Type_get_true_extent_x(handle, true_lower_bound, true_extent, error)
      if (error == MPI_SUCCESS) then
         facts = datatype_facts(combiner_of(combiner), int(integers, c_int), int(addresses, c_int), &
            int(datatypes, c_int), int(bytes, c_int64_t), int(extent, c_int64_t), int(true_lower_bound, c_int64_t), &
            int(true_extent, c_int64_t))
      end if
      code = int(error, c_int)
   end function

   function combiner_of(combiner) result(number)
      use mpi, only: MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_DARRAY, MPI_COMBINER_DUP, MPI_COMBINER_F90_COMPLEX, &
         MPI_COMBINER_F90_INTEGER, MPI_COMBINER_F90_REAL, MPI_COMBINER_HINDEXED, MPI_COMBINER_HINDEXED_BLOCK, &
         MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_NAMED, &
         MPI_COMBINER_RESIZED, MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_VECTOR
      integer(mpi_kind), intent(in) :: combiner
      integer(c_int) :: number
      select case (combiner)
      case (MPI_COMBINER_NAMED)
         number = combiner_named
      case (MPI_COMBINER_DUP)
         number = combiner_dup
      case (MPI_COMBINER_CONTIGUOUS)
         number = combiner_contiguous
      case (MPI_COMBINER_VECTOR)
         number = combiner_vector
      case (MPI_COMBINER_HVECTOR)
         number = combiner_hvector
      case (MPI_COMBINER_INDEXED)
         number = combiner_indexed
      case (MPI_COMBINER_HINDEXED)
         number = combiner_hindexed
      case (MPI_COMBINER_INDEXED_BLOCK)
         number = combiner_indexed_block
      case (MPI_COMBINER_HINDEXED_BLOCK)
         number = combiner_hindexed_block
      case (MPI_COMBINER_STRUCT)
         number = combiner_struct
      case (MPI_COMBINER_SUBARRAY)
         number = combiner_subarray
      case (MPI_COMBINER_DARRAY)
         number = combiner_darray
      case (MPI_COMBINER_RESIZED)
         number = combiner_resized
      case (MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER)
         number = combiner_f90
      case default
         number = combiner_other
      end select
   end function

   function datatype_contents(datatype, facts, integers, addresses, datatypes) bind(c, name="") result(code)
      use mpi, only: MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_ORDER_C, MPI_ORDER_FORTRAN, MPI_Type_get_contents
      integer(c_int), value :: datatype
      type(datatype_facts), intent(in) :: facts
      integer(c_int), intent(out) :: integers(*), datatypes(*)
      integer(c_int64_t), intent(out) :: addresses(*)
      integer(c_int) :: code
      integer(mpi_kind) :: own_integers(facts%integers), own_datatypes(facts%datatypes), error
      integer :: dimensions, k
      integer(MPI_ADDRESS_KIND) :: own_addresses(facts%addresses)
      call MPI_Type_get_contents(int(datatype, mpi_kind), int(facts%integers, mpi_kind), int(facts%addresses, mpi_kind), &
         int(facts%datatypes, mpi_kind), own_integers, own_addresses, own_datatypes, error)
      if (error == MPI_SUCCESS) then
         integers(:facts%integers) = int(own_integers, c_int)
         addresses(:facts%addresses) = int(own_addresses, c_int64_t)
         datatypes(:facts%datatypes) = int(own_datatypes, c_int)
         ! Constants, which each MPI numbers as it likes: the last integer, and the distribution of each dimension.
         if ((facts%combiner == combiner_subarray .or. facts%combiner == combiner_darray) .and. facts%integers > 0) then
            select case (own_integers(facts%integers))
            case (MPI_ORDER_C)
               integers(facts%integers) = 0_c_int
            case (MPI_ORDER_FORTRAN)
               integers(facts%integers) = 1_c_int
            case default
               integers(facts%integers) = -1_c_int
            end select
         end if
         if (facts%combiner == combiner_darray .and. facts%integers > 2) then
            dimensions = int(own_integers(3))
            do k = 4 + dimensions, min(3 + 2*dimensions, int(facts%integers))
               select case (own_integers(k))
               case (MPI_DISTRIBUTE_CYCLIC)
                  integers(k) = 1_c_int
               case (MPI_DISTRIBUTE_NONE)
                  integers(k) = 2_c_int
               case default
                  integers(k) = 0_c_int
               end select
            end do
         end if
      end if
      code = int(error, c_int)
   end function

   function release_datatype(datatype) bind(c, name="") result(code)
      use mpi, only: MPI_Type_free
      integer(c_int), value :: datatype
      integer(c_int) :: code
      integer(mpi_kind) :: handle, error
      handle = int(datatype, mpi_kind)
      call MPI_Type_free(handle, error)
      code = int(error, c_int)
   end function

   function name_datatype(datatype, name, capacity) bind(c, name="") result(code)
      use mpi, only: MPI_MAX_OBJECT_NAME, MPI_Type_get_name
      integer(c_int), value :: datatype, capacity
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: code
      character(len=MPI_MAX_OBJECT_NAME) :: own_name
      integer(mpi_kind) :: length, error
      integer(c_int) :: k, last
      call MPI_Type_get_name(int(datatype, mpi_kind), own_name, length, error)
      if (error == MPI_SUCCESS) then
         last = min(int(length, c_int), capacity - 1_c_int)
         do k = 1, last
            name(k) = own_name(k:k)
         end do
         name(last + 1) = c_null_char
      end if
      code = int(error, c_int)
   end function

   ! ---- the calls that post a message or a receive, or open a transfer

   subroutine post_rcv_i4_i4(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_receive(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_rcv_i4_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_receive(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_rcv_i4_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_receive(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_rcv_i8_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_receive(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_rcv_f08_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_receive(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_send_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_send(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_send_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_send(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_send_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_send(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_send_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_send(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_send_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call post_send(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_buffer_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_buffer, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_buffer_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_buffer, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_buffer_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_buffer, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_buffer_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_buffer, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_buffer_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_buffer, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_copied_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_copied_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_copied_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_copied, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_copied_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_copied_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_copied, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_copied_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_copied_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_copied_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_copied, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_copied_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_copied, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_copied_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_copied, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_synchronous_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_synchronous_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_synchronous_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_synchronous_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_synchronous_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(send_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_synchronous_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_synchronous_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_synchronous_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_synchronous_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_synchronous_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(snd_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_announced_i4_i4(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_announced, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_announced_i4_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_announced, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine rcv_announced_i4_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_announced, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_announced_i8_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_announced, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine rcv_announced_f08_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_announced, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_segments_i4_i4(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_segments, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_segments_i4_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_segments, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine rcv_segments_i4_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_segments, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine rcv_segments_i8_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_segments, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine rcv_segments_f08_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(rcv_segments, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_bsend_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(post_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_bsend_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(post_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_bsend_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(post_bsend, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_bsend_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(post_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_bsend_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(post_bsend, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_receive_i4_i4(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_receive_i4_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_receive_i4_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_receive, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_receive_i8_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_receive_f08_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_receive, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_send_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_send_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_send_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_send, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_send_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_send_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_send, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_receive_i4_i4(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_receive_i4_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_receive_i4_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_receive, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_receive_i8_i8(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, source, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_receive, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_receive_f08_f08(buffer, count, datatype, source, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_receive, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(source), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_send_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_send_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_send_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_send, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_send_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_send, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_send_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_send, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_synchronous_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_synchronous_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_synchronous_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_synchronous_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_synchronous_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_synchronous_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_synchronous_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_synchronous_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_announced_synchronous_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_announced_synchronous_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_announced_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_bsend_i4_i4(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_bsend_i4_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_bsend_i4_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_bsend, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine prepare_bsend_i8_i8(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_bsend, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine prepare_bsend_f08_f08(buffer, count, datatype, dest, tag, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin(prepare_bsend, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), own, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), own)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_rcv_i4(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call open_transfer(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_rcv_i8(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call open_transfer(buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_rcv_f08(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call open_transfer(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_request_i4(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_request_i8(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_request_f08(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_rcv_synchronous_i4(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(wait_rcv_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_rcv_synchronous_i8(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(wait_rcv_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_rcv_synchronous_f08(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(wait_rcv_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_request_synchronous_i4(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine snd_request_synchronous_i8(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count, dest, tag
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request_synchronous, buffer, int(count, i8), int(datatype, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine snd_request_synchronous_f08(buffer, count, datatype, dest, tag, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call begin(snd_request_synchronous, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), narrowed(dest), &
         narrowed(tag), int(comm%MPI_VAL, mpi_kind), transfer, error)
      if (error /= MPI_SUCCESS .and. .not. present(ierror)) call gravel_rt_keep_failure(int(error, c_int), transfer)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_receive(buffer, count, datatype, source, tag, comm, request, error)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: source, tag
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      integer(c_int) :: code
      request = int(MPI_REQUEST_NULL, c_int)
      call describe(buffer, count, datatype, comm, message, code)
      if (code == code_success) then
         code = gravel_rt_post_rcv_buffer_rdma(message, envelope_description(source, tag, int(comm, c_int)), request)
      end if
      if (code == code_left_to_mpi) then
         call post_by_mpi(by_irecv, buffer, count, datatype, source, tag, comm, request, error)
         return
      end if
      error = MPI_SUCCESS
      if (code /= code_success) call conclude(code, comm, error)
   end subroutine

   subroutine open_transfer(buffer, count, datatype, dest, tag, comm, transfer, error)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: dest, tag
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      integer(c_int) :: code
      transfer = gravel_transfer_null
      message%count = count
      if (have_last_datatype .and. datatype == last_datatype) then
         message%datatype_bytes = last_datatype_bytes
         message%layout = 0
         code = code_success
      else
         call find_datatype(datatype, comm, message%datatype_bytes, message%layout, code)
      end if
      ! A loop that fills the buffer goes by the buffer's elements, which need not be the datatype's.
      if (code == code_success) code = gravel_rt_describe(buffer, message%address, message%element_bytes)
      if (code == code_success .and. message%layout /= 0_c_int64_t) call lies_apart(message)
      if (code == code_success) then
         code = gravel_rt_wait_rcv_buffer(message, envelope_description(dest, tag, int(comm, c_int)), transfer)
      end if
      if (code == code_left_to_mpi) code = remembered(buffer, count, datatype, dest, tag, comm, 0_c_int, transfer)
      error = MPI_SUCCESS
      if (code /= code_success) call conclude(code, comm, error)
   end subroutine

   subroutine post_send(buffer, count, datatype, dest, tag, comm, request, error)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: dest, tag
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      integer(c_int) :: code
      request = int(MPI_REQUEST_NULL, c_int)
      call describe(buffer, count, datatype, comm, message, code)
      if (code == code_success) then
         code = gravel_rt_post_send(message, envelope_description(dest, tag, int(comm, c_int)), request)
      end if
      if (code == code_left_to_mpi) then
         call post_by_mpi(by_isend, buffer, count, datatype, dest, tag, comm, request, error)
         return
      end if
      error = MPI_SUCCESS
      if (code /= code_success) call conclude(code, comm, error)
   end subroutine

   ! Runs a call that posts a message or a receive, or opens a transfer.
   subroutine begin(call_number, buffer, count, datatype, rank, tag, comm, handle, error)
      integer, intent(in) :: call_number
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: rank, tag
      integer(c_int), intent(out) :: handle
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      type(envelope_description) :: envelope
      integer(c_int) :: code
      handle = int(MPI_REQUEST_NULL, c_int)
      if (opens_transfer(call_number)) handle = gravel_transfer_null
      envelope = envelope_description(rank, tag, int(comm, c_int))
      call describe(buffer, count, datatype, comm, message, code)
      ! A loop that fills the buffer goes by the buffer's elements, which need not be the datatype's.
      if (code == code_success) code = gravel_rt_describe(buffer, message%address, message%element_bytes)
      if (code == code_success .and. message%layout /= 0_c_int64_t) call lies_apart(message)
      if (code == code_success) then
         select case (call_number)
         case (snd_request)
            code = gravel_rt_post_snd_request(message, envelope, handle)
         case (snd_buffer)
            code = gravel_rt_post_snd_buffer_rdma(message, envelope, handle)
         case (send_copied)
            code = gravel_rt_post_send_copied(message, envelope, handle)
         case (snd_copied)
            code = gravel_rt_post_snd_buffer_copied(message, envelope, handle)
         case (send_synchronous)
            code = gravel_rt_post_send_synchronous(message, envelope, handle)
         case (wait_rcv_synchronous)
            code = gravel_rt_wait_rcv_buffer_synchronous(message, envelope, handle)
         case (snd_request_synchronous)
            code = gravel_rt_post_snd_request_synchronous(message, envelope, handle)
         case (snd_synchronous)
            code = gravel_rt_post_snd_buffer_synchronous(message, envelope, handle)
         case (rcv_announced)
            code = gravel_rt_post_rcv_announced(message, envelope, handle)
         case (post_bsend)
            code = gravel_rt_post_bsend(message, envelope, handle)
         case (prepare_receive:prepare_bsend)
            code = gravel_rt_prepare(int(call_number - prepare_receive, c_int), message, envelope, handle)
         case default
            code = gravel_rt_post_rcv_segments(message, envelope, handle)
         end select
      end if
      if (code == code_left_to_mpi) then
         select case (call_number)
         case (snd_request)
            code = remembered(buffer, count, datatype, rank, tag, comm, 0_c_int, handle)
         case (wait_rcv_synchronous, snd_request_synchronous)
            code = remembered(buffer, count, datatype, rank, tag, comm, 1_c_int, handle)
         case default
            call post_by_mpi(mpi_call_for(call_number), buffer, count, datatype, rank, tag, comm, handle, error)
            return
         end select
      end if
      error = MPI_SUCCESS
      if (code /= code_success) call conclude(code, comm, error)
   end subroutine

   pure function opens_transfer(call_number)
      integer, intent(in) :: call_number
      logical :: opens_transfer
      opens_transfer = call_number == snd_request .or. call_number == wait_rcv_synchronous .or. &
         call_number == snd_request_synchronous
   end function

   ! ---- messages on communicators that are not attached: MPI's calls

   ! What begin() would have done.
   pure function mpi_call_for(call_number) result(mpi_call)
      integer, intent(in) :: call_number
      integer :: mpi_call
      select case (call_number)
      case (snd_buffer)
         mpi_call = by_isend
      case (send_copied, snd_copied)
         mpi_call = by_isend_of_copy
      case (send_synchronous, snd_synchronous)
         mpi_call = by_issend
      case (prepare_send, prepare_announced_send)
         mpi_call = by_send_init
      case (prepare_synchronous, prepare_announced_synchronous)
         mpi_call = by_ssend_init
      case (prepare_receive, prepare_announced_receive)
         mpi_call = by_recv_init
      case (post_bsend)
         mpi_call = by_ibsend
      case (prepare_bsend)
         mpi_call = by_bsend_init
      case default
         mpi_call = by_irecv
      end select
   end function

   subroutine post_by_mpi(mpi_call, buffer, count, datatype, rank, tag, comm, request, error)
      integer, intent(in) :: mpi_call
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: rank, tag
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      type(c_ptr) :: address
      integer(c_int) :: code
      request = int(MPI_REQUEST_NULL, c_int)
      call locate_for_mpi(buffer, address, code)
      if (code /= code_success) then
         call conclude(code, comm, error)
         return
      end if
      call call_mpi(mpi_call, address, count, datatype, rank, tag, comm, request, error)
   end subroutine

   ! Where a buffer begins, as the interfaces of mpi_f08 know it.
   subroutine locate_for_mpi(buffer, address, code)
      use, intrinsic :: iso_c_binding, only: c_associated
      use mpi, only: MPI_BOTTOM
      use mpi_f08, only: bottom_f08 => MPI_BOTTOM
      type(*), dimension(..), asynchronous, target :: buffer
      type(c_ptr), intent(out) :: address
      integer(c_int), intent(out) :: code
      type(c_ptr) :: bottom, own_bottom
      integer(c_int) :: ignored
      call locate(buffer, address, code)
      if (code /= code_success) return
      ! Each of MPI's interfaces knows its own MPI_BOTTOM only.
      call locate(MPI_BOTTOM, bottom, ignored)
      call locate(bottom_f08, own_bottom, ignored)
      if (c_associated(address, bottom)) address = own_bottom
   end subroutine

   subroutine call_mpi(mpi_call, address, count, datatype, rank, tag, comm, request, error)
      use mpi_f08, only: MPI_Bsend_init, MPI_Ibsend, MPI_Irecv, MPI_Isend, MPI_Issend, MPI_Recv_init, MPI_Send_init, MPI_Ssend_init
      integer, intent(in) :: mpi_call
      type(c_ptr), intent(in) :: address
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: rank, tag
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      integer(c_int8_t), pointer, contiguous, asynchronous :: bytes(:)
      integer(mpi_kind) :: length, peer, label
      type(MPI_Datatype) :: elements
      type(MPI_Request) :: made
      request = int(MPI_REQUEST_NULL, c_int)
      if (count > huge(length)) then
         call conclude(code_count, comm, error)
         return
      end if
      length = int(count, mpi_kind)
      peer = int(rank, mpi_kind)
      label = int(tag, mpi_kind)
      elements%MPI_VAL = datatype
      call c_f_pointer(address, bytes, [1])
      select case (mpi_call)
      case (by_isend)
         call MPI_Isend(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_issend)
         call MPI_Issend(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_isend_of_copy)
         call send_copy_by_mpi(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_send_init)
         call MPI_Send_init(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_ssend_init)
         call MPI_Ssend_init(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_ibsend)
         call MPI_Ibsend(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_bsend_init)
         call MPI_Bsend_init(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case (by_recv_init)
         call MPI_Recv_init(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      case default
         call MPI_Irecv(bytes, length, elements, peer, label, f08_comm(comm), made, error)
      end select
      if (error == MPI_SUCCESS) request = int(made%MPI_VAL, c_int)
   end subroutine

   ! Sends a copy, which is kept until that is over: the program has nothing to wait for.
   subroutine send_copy_by_mpi(bytes, length, elements, dest, tag, comm, request, error)
      use mpi_f08, only: f08_packed => MPI_PACKED, MPI_Isend, MPI_Pack, MPI_Pack_size
      integer(c_int8_t), pointer, contiguous, asynchronous, intent(in) :: bytes(:)
      integer(mpi_kind), intent(in) :: length, dest, tag
      type(MPI_Datatype), intent(in) :: elements
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      integer(c_int8_t), pointer, contiguous, asynchronous :: copy(:)
      integer(mpi_kind) :: packed, place
      type(c_ptr) :: memory
      request%MPI_VAL = MPI_REQUEST_NULL
      call MPI_Pack_size(length, elements, comm, packed, error)
      if (error /= MPI_SUCCESS) return
      call see_to_copies(.false.)
      memory = gravel_rt_new_copy(int(packed, c_int64_t))
      call c_f_pointer(memory, copy, [packed])
      if (.not. associated(copy)) then
         call conclude(code_other, int(comm%MPI_VAL, mpi_kind), error)
         return
      end if
      place = 0
      call MPI_Pack(bytes, length, elements, copy, packed, place, comm, error)
      if (error == MPI_SUCCESS) call MPI_Isend(copy, place, f08_packed, dest, tag, comm, request, error)
      call gravel_rt_keep_copy(int(request%MPI_VAL, c_int))
      request%MPI_VAL = int(value_over, mpi_kind)
   end subroutine

   ! Forgets the copies whose sends by MPI are over; waits for all of them, if that is wanted.
   subroutine see_to_copies(waits)
      use mpi, only: MPI_Test
      logical, intent(in) :: waits
      integer(c_int64_t) :: position
      integer(c_int) :: handle
      integer(mpi_kind) :: request, error
      logical(mpi_kind) :: done
      position = 0
      do while (gravel_rt_is_running() /= 0)
         if (gravel_rt_copy(position, handle) == 0) exit
         request = int(handle, mpi_kind)
         if (waits) then
            call complete(request, error)
            done = .true.
         else
            call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
         end if
         if (done .or. error /= MPI_SUCCESS) then
            call gravel_rt_drop_copy(position)
         else
            position = position + 1
         end if
      end do
   end subroutine

   ! Opens the transfer of a message that MPI carries.
   function remembered(buffer, count, datatype, dest, tag, comm, is_synchronous, transfer) result(code)
      use mpi, only: MPI_Type_dup, MPI_Type_free
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(in) :: dest, tag, is_synchronous
      integer(c_int), intent(inout) :: transfer
      integer(c_int) :: code
      integer(mpi_kind) :: kept, error
      type(message_description) :: message
      call locate_for_mpi(buffer, message%address, code)
      if (code /= code_success) return
      message%count = count
      message%datatype_bytes = 0
      message%element_bytes = 0
      message%layout = 0
      ! The program may free its own datatype before the message is ended.
      call MPI_Type_dup(datatype, kept, error)
      if (error /= MPI_SUCCESS) then
         code = code_datatype
         return
      end if
      code = gravel_rt_remember(message, envelope_description(dest, tag, int(comm, c_int)), int(kept, c_int), &
         is_synchronous, transfer)
      if (code /= code_success) call MPI_Type_free(kept, error)
   end function

   ! Sends it.
   subroutine send_remembered(transfer, request, error)
      use mpi, only: MPI_Type_free
      integer(c_int), intent(inout) :: transfer
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      type(envelope_description) :: envelope
      integer(c_int) :: code, datatype, is_synchronous
      integer(mpi_kind) :: kept, ignored
      request = int(MPI_REQUEST_NULL, c_int)
      code = gravel_rt_end_remembered(transfer, message, envelope, datatype, is_synchronous)
      if (code /= code_success) then
         call conclude_operation(code, error)
         return
      end if
      call call_mpi(merge(by_issend, by_isend, is_synchronous /= 0), message%address, message%count, &
         int(datatype, mpi_kind), envelope%rank, envelope%tag, int(envelope%communicator, mpi_kind), request, error)
      kept = int(datatype, mpi_kind)
      call MPI_Type_free(kept, ignored)
   end subroutine

   ! ---- the calls that post or open one side of an all-to-all exchange

   subroutine post_alltoall_i4_i4(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_alltoall_i4_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_alltoall_i4_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_alltoall_i8_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_alltoall_f08_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoall_segments_i4_i4(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives_segments, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoall_segments_i4_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives_segments, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine alltoall_segments_i4_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives_segments, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoall_segments_i8_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives_segments, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine alltoall_segments_f08_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(receives_segments, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoall_i4_i4(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(sends, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoall_i4_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(sends, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_alltoall_i4_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(sends, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoall_i8_i8(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(sends, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_alltoall_f08_f08(buffer, count, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(sends, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine open_alltoall_i4(buffer, count, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(opens, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine open_alltoall_i8(buffer, count, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(opens, buffer, int(count, i8), int(datatype, mpi_kind), &
         int(comm, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine open_alltoall_f08(buffer, count, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoall(opens, buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), &
         int(comm%MPI_VAL, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine begin_alltoall(call_number, buffer, count, datatype, comm, handle, error)
      integer, intent(in) :: call_number
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(out) :: handle
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: block
      integer(c_int), target :: narrow
      integer(c_int) :: code
      handle = merge(gravel_transfer_null, int(MPI_REQUEST_NULL, c_int), call_number == opens)
      block%count = count
      call find_datatype(datatype, comm, block%datatype_bytes, block%layout, code)
      ! A loop goes by the buffer's elements, which need not be the datatype's.
      if (code == code_success) code = gravel_rt_describe(buffer, block%address, block%element_bytes)
      if (code == code_success) then
         select case (call_number)
         case (receives)
            code = gravel_rt_post_alltoall(block, int(comm, c_int), handle)
         case (receives_segments)
            code = gravel_rt_post_alltoall_segments(block, int(comm, c_int), handle)
         case (opens)
            code = gravel_rt_open_alltoall(block, int(comm, c_int), handle)
         case default
            code = gravel_rt_send_alltoall(block, int(comm, c_int), handle)
         end select
      end if
      if (code == code_left_to_mpi) then
         narrow = narrowed(count)
         call hold_half(call_number, buffer, half_description(c_null_ptr, c_loc(narrow), c_null_ptr, 4_c_int, 0_c_int, 0_c_int), &
            datatype, comm, handle, error)
      else
         call conclude(code, comm, error)
      end if
   end subroutine

   ! Where the communicator is not attached: keeps a half until the other one is there.
   subroutine hold_half(call_number, buffer, given, datatype, comm, handle, error)
      use mpi, only: MPI_Comm_remote_size, MPI_Comm_size, MPI_Comm_test_inter, MPI_Type_dup, MPI_Type_free
      integer, intent(in) :: call_number
      type(*), dimension(..), asynchronous, target :: buffer
      type(half_description), intent(in) :: given
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(inout) :: handle
      integer(mpi_kind), intent(out) :: error
      type(half_description) :: half
      logical(mpi_kind) :: is_inter
      integer(mpi_kind) :: ranks, kept, ignored
      integer(c_int) :: code
      half = given
      call locate(buffer, half%address, code)
      if (code /= code_success) then
         call conclude(code, comm, error)
         return
      end if
      call MPI_Comm_test_inter(comm, is_inter, error)
      if (error /= MPI_SUCCESS) return
      if (is_inter) then
         call MPI_Comm_remote_size(comm, ranks, error)
      else
         call MPI_Comm_size(comm, ranks, error)
      end if
      ! The program may free its own.
      if (error == MPI_SUCCESS) call MPI_Type_dup(datatype, kept, error)
      if (error /= MPI_SUCCESS) return
      half%ranks = int(ranks, c_int)
      half%datatype = int(kept, c_int)
      select case (call_number)
      case (opens)
         code = gravel_rt_hold_half(2_c_int, half, int(comm, c_int), handle)
      case (sends)
         code = gravel_rt_hold_half(1_c_int, half, int(comm, c_int), handle)
      case default
         code = gravel_rt_hold_half(0_c_int, half, int(comm, c_int), handle)
      end select
      if (code /= code_success) then
         call MPI_Type_free(kept, ignored)
         call conclude(code, comm, error)
      else if (call_number /= opens) then
         call exchange_by_mpi(comm, error)
      end if
   end subroutine

   ! Makes MPI's calls for the exchanges of a communicator of which both halves are here.
   subroutine exchange_by_mpi(comm, error)
      use mpi, only: MPI_Type_free
      use mpi_f08, only: MPI_Alltoall, MPI_Alltoallv
      integer(mpi_kind), intent(in) :: comm
      integer(mpi_kind), intent(out) :: error
      type(half_description) :: send, receive
      type(MPI_Datatype) :: sent, received
      integer(c_int8_t), pointer, contiguous, asynchronous :: out(:), in(:)
      integer(mpi_kind), pointer, contiguous :: send_counts(:), send_places(:), counts(:), places(:)
      integer(mpi_kind) :: own_error
      error = MPI_SUCCESS
      do while (gravel_rt_next_exchange(int(comm, c_int), send, receive) /= 0)
         sent%MPI_VAL = send%datatype
         received%MPI_VAL = receive%datatype
         call c_f_pointer(send%address, out, [1])
         call c_f_pointer(receive%address, in, [1])
         call c_f_pointer(send%counts, send_counts, [max(send%ranks, 1_c_int)])
         call c_f_pointer(receive%counts, counts, [max(receive%ranks, 1_c_int)])
         if (send%ranks == 0) then
            call MPI_Alltoall(out, send_counts(1), sent, in, counts(1), received, f08_comm(comm), own_error)
         else
            call c_f_pointer(send%places, send_places, [send%ranks])
            call c_f_pointer(receive%places, places, [receive%ranks])
            call MPI_Alltoallv(out, send_counts, send_places, sent, in, counts, places, received, f08_comm(comm), own_error)
         end if
         call gravel_rt_end_exchange(int(comm, c_int))
         if (error == MPI_SUCCESS) error = own_error
         call MPI_Type_free(sent%MPI_VAL, own_error)
         call MPI_Type_free(received%MPI_VAL, own_error)
      end do
   end subroutine

   subroutine post_alltoallv_i4_i4(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives, buffer, counts, displs, int(i4, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_alltoallv_i4_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_alltoallv_i4_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine post_alltoallv_i8_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine post_alltoallv_f08_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoallv_segments_i4_i4(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives_segments, buffer, counts, displs, int(i4, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoallv_segments_i4_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives_segments, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine alltoallv_segments_i4_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives_segments, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine alltoallv_segments_i8_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives_segments, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine alltoallv_segments_f08_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(receives_segments, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoallv_i4_i4(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(sends, buffer, counts, displs, int(i4, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoallv_i4_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(sends, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_alltoallv_i4_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(sends, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_alltoallv_i8_i8(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(sends, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_alltoallv_f08_f08(buffer, counts, displs, datatype, comm, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(sends, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine open_alltoallv_i4(buffer, counts, displs, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      integer(i4), intent(in) :: datatype
      integer(i4), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(opens, buffer, counts, displs, int(i4, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine open_alltoallv_i8(buffer, counts, displs, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: counts(*), displs(*)
      integer(i8), intent(in) :: datatype
      integer(i8), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(opens, buffer, counts, displs, int(i8, c_int), &
         int(datatype, mpi_kind), int(comm, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine open_alltoallv_f08(buffer, counts, displs, datatype, comm, transfer, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: counts(*), displs(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer(gravel_transfer_kind), intent(out) :: transfer
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call begin_alltoallv(opens, buffer, counts, displs, int(i4, c_int), &
         int(datatype%MPI_VAL, mpi_kind), int(comm%MPI_VAL, mpi_kind), own, error)
      transfer = own
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   ! counts and displs are integers of so many bytes.
   subroutine begin_alltoallv(call_number, buffer, counts, displs, bytes, datatype, comm, handle, error)
      integer, intent(in) :: call_number
      type(*), dimension(..), asynchronous, target :: buffer
      type(*), intent(in), target :: counts(*), displs(*)
      integer(c_int), intent(in) :: bytes
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int), intent(out) :: handle
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: message
      integer(c_int) :: code
      handle = merge(gravel_transfer_null, int(MPI_REQUEST_NULL, c_int), call_number == opens)
      message%count = 0
      call find_datatype(datatype, comm, message%datatype_bytes, message%layout, code)
      ! A loop goes by the buffer's elements, which need not be the datatype's.
      if (code == code_success) code = gravel_rt_describe(buffer, message%address, message%element_bytes)
      if (code == code_success) then
         select case (call_number)
         case (receives)
            code = gravel_rt_post_alltoallv(message, counts, displs, bytes, int(comm, c_int), handle)
         case (receives_segments)
            code = gravel_rt_post_alltoallv_segments(message, counts, displs, bytes, int(comm, c_int), handle)
         case (opens)
            code = gravel_rt_open_alltoallv(message, counts, displs, bytes, int(comm, c_int), handle)
         case default
            code = gravel_rt_send_alltoallv(message, counts, displs, bytes, int(comm, c_int), handle)
         end select
      end if
      if (code == code_left_to_mpi) then
         call hold_half(call_number, buffer, half_description(c_null_ptr, c_loc(counts), c_loc(displs), bytes, 0_c_int, 0_c_int), &
            datatype, comm, handle, error)
      else
         call conclude(code, comm, error)
      end if
   end subroutine

   ! ---- gravel_tile

   function tile_i4_i4(handle, iterations, multiple) result(tile)
      integer(i4), intent(in) :: handle
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle, c_int), int(iterations, i8), tiles_begin_at), i4)
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_i4_i4(handles, iterations, multiple) result(tile)
      integer(i4), intent(in) :: handles(:)
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k), c_int), int(iterations, i8), tiles_begin_at), i4))
      end do
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   function tile_i4_i8(handle, iterations, multiple) result(tile)
      integer(i4), intent(in) :: handle
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle, c_int), int(iterations, i8), tiles_begin_at), i8)
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_i4_i8(handles, iterations, multiple) result(tile)
      integer(i4), intent(in) :: handles(:)
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k), c_int), int(iterations, i8), tiles_begin_at), i8))
      end do
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   function tile_i8_i4(handle, iterations, multiple) result(tile)
      integer(i8), intent(in) :: handle
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle, c_int), int(iterations, i8), tiles_begin_at), i4)
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_i8_i4(handles, iterations, multiple) result(tile)
      integer(i8), intent(in) :: handles(:)
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k), c_int), int(iterations, i8), tiles_begin_at), i4))
      end do
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   function tile_i8_i8(handle, iterations, multiple) result(tile)
      integer(i8), intent(in) :: handle
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle, c_int), int(iterations, i8), tiles_begin_at), i8)
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_i8_i8(handles, iterations, multiple) result(tile)
      integer(i8), intent(in) :: handles(:)
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k), c_int), int(iterations, i8), tiles_begin_at), i8))
      end do
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   function tile_f08_i4(handle, iterations, multiple) result(tile)
      type(MPI_Request), intent(in) :: handle
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle%MPI_VAL, c_int), int(iterations, i8), tiles_begin_at), i4)
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_f08_i4(handles, iterations, multiple) result(tile)
      type(MPI_Request), intent(in) :: handles(:)
      integer(i4), intent(in) :: iterations
      integer(i4), intent(in), optional :: multiple
      integer(i4) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k)%MPI_VAL, c_int), int(iterations, i8), tiles_begin_at), i4))
      end do
      if (tile == 0) tile = max(iterations, 1_i4)
   end function

   function tile_f08_i8(handle, iterations, multiple) result(tile)
      type(MPI_Request), intent(in) :: handle
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = int(tile_of(int(handle%MPI_VAL, c_int), int(iterations, i8), tiles_begin_at), i8)
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   ! A message that must not be cut, or does not gain by it, has all iterations in one tile, and so have all messages then.
   ! Other tiles are multiples of one number, so the longest one suits all. A message that is not sent, or not received
   ! in parts, has no say, nor has one that MPI carries.
   function tile_all_f08_i8(handles, iterations, multiple) result(tile)
      type(MPI_Request), intent(in) :: handles(:)
      integer(i8), intent(in) :: iterations
      integer(i8), intent(in), optional :: multiple
      integer(i8) :: tile
      integer(i8) :: tiles_begin_at
      integer :: k
      tiles_begin_at = vector_multiple
      if (present(multiple)) tiles_begin_at = multiple
      tile = 0
      do k = 1, size(handles)
         tile = max(tile, int(tile_of(int(handles(k)%MPI_VAL, c_int), int(iterations, i8), tiles_begin_at), i8))
      end do
      if (tile == 0) tile = max(iterations, 1_i8)
   end function

   ! Of one message; 0 if it has no say.
   function tile_of(handle, iterations, multiple) result(tile)
      integer(c_int), intent(in) :: handle
      integer(i8), intent(in) :: iterations, multiple
      integer(i8) :: tile
      tile = 0
      if (handle /= gravel_transfer_null .and. handle /= MPI_REQUEST_NULL) tile = gravel_rt_tile(handle, iterations, multiple)
   end function

   ! ---- gravel_worth_overlapping

   function gravel_worth_overlapping(place) result(is_worth)
      character(len=*), intent(in) :: place
      logical :: is_worth
      is_worth = gravel_rt_worth_overlapping(place, len(place, c_int64_t)) /= 0
   end function

   ! ---- gravel_post_os_put, gravel_wait_range

   subroutine put_i4(transfer, buffer, offset, count, ierror)
      integer(gravel_transfer_kind), intent(in) :: transfer
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call put(transfer, buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine put_i8(transfer, buffer, offset, count, ierror)
      integer(gravel_transfer_kind), intent(in) :: transfer
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call put(transfer, buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine put_i8_i8(transfer, buffer, offset, count, ierror)
      integer(gravel_transfer_kind), intent(in) :: transfer
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      call put(transfer, buffer, int(offset, i8), int(count, i8), error)
      ierror = int(error, i8)
   end subroutine

   subroutine wait_range_i4_i4_i4(request, buffer, offset, count, ierror)
      integer(i4), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request, c_int), buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_range_i4_i8_i4(request, buffer, offset, count, ierror)
      integer(i4), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request, c_int), buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_range_i4_i8_i8(request, buffer, offset, count, ierror)
      integer(i4), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request, c_int), buffer, int(offset, i8), int(count, i8), error)
      ierror = int(error, i8)
   end subroutine

   subroutine wait_range_i8_i8_optional_i8(request, buffer, offset, count, ierror)
      integer(i8), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request, c_int), buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_range_f08_i4_i4(request, buffer, offset, count, ierror)
      type(MPI_Request), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request%MPI_VAL, c_int), buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_range_f08_i8_i4(request, buffer, offset, count, ierror)
      type(MPI_Request), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_range(int(request%MPI_VAL, c_int), buffer, int(offset, i8), int(count, i8), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine put(transfer, buffer, offset, count, error)
      integer(gravel_transfer_kind), intent(in) :: transfer
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(mpi_kind), intent(out) :: error
      type(c_ptr) :: address
      integer(c_int) :: code
      call locate(buffer, address, code)
      if (code == code_success) code = gravel_rt_post_os_put(transfer, address, offset, count)
      call conclude_operation(code, error)
   end subroutine

   subroutine wait_for_range(request, buffer, offset, count, error)
      integer(c_int), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: offset, count
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code
      if (is_mpis(request)) then
         ! MPI tells of whole messages only.
         call await_whole(request, error)
         call gravel_rt_expose(c_loc(buffer))
         return
      end if
      code = gravel_rt_wait_range(request, c_loc(buffer), offset, count)
      call gravel_rt_expose(c_loc(buffer))
      call conclude_operation(code, error)
   end subroutine

   ! Waits until a request of MPI's could be completed; it stays.
   subroutine await_whole(request, error)
      use mpi, only: MPI_Request_get_status
      integer(c_int), intent(in) :: request
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: in_vain
      logical(mpi_kind) :: done
      call make_room(1_i8, 1_i8)
      in_vain = 0
      do
         ! Without a status, an MPI never says that it is complete.
         call MPI_Request_get_status(int(request, mpi_kind), done, mpi_statuses(:, 1), error)
         if (done .or. error /= MPI_SUCCESS) exit
         call gravel_rt_pause(in_vain)
         in_vain = min(in_vain + 1_c_int, 32767_c_int)
      end do
   end subroutine

   ! ---- gravel_start, gravel_start_request, gravel_startall

   subroutine start_i4_i4(request, buffer, ierror)
      integer(i4), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      ! What the compiler keeps of the buffer elsewhere must be in it, even if it inlines this procedure.
      call gravel_rt_expose(c_loc(buffer))
      call start_one(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine start_request_i4_i4(request, ierror)
      integer(i4), intent(in) :: request
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call start_one(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine start_i4_i8(request, buffer, ierror)
      integer(i4), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      ! What the compiler keeps of the buffer elsewhere must be in it, even if it inlines this procedure.
      call gravel_rt_expose(c_loc(buffer))
      call start_one(int(request, c_int), error)
      ierror = int(error, i8)
   end subroutine

   subroutine start_request_i4_i8(request, ierror)
      integer(i4), intent(in) :: request
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      call start_one(int(request, c_int), error)
      ierror = int(error, i8)
   end subroutine

   subroutine start_i8_optional_i8(request, buffer, ierror)
      integer(i8), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      ! What the compiler keeps of the buffer elsewhere must be in it, even if it inlines this procedure.
      call gravel_rt_expose(c_loc(buffer))
      call start_one(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine start_request_i8_optional_i8(request, ierror)
      integer(i8), intent(in) :: request
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call start_one(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine start_f08_i4(request, buffer, ierror)
      type(MPI_Request), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      ! What the compiler keeps of the buffer elsewhere must be in it, even if it inlines this procedure.
      call gravel_rt_expose(c_loc(buffer))
      call start_one(int(request%MPI_VAL, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine start_request_f08_i4(request, ierror)
      type(MPI_Request), intent(in) :: request
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call start_one(int(request%MPI_VAL, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine startall_i4_i4(count, requests, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: requests(*)
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k
      error = MPI_SUCCESS
      do k = 1, int(count, i8)
         call start_one(int(requests(k), c_int), own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine startall_i4_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(in) :: requests(*)
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k
      error = MPI_SUCCESS
      do k = 1, int(count, i8)
         call start_one(int(requests(k), c_int), own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine startall_i8_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: requests(*)
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k
      error = MPI_SUCCESS
      do k = 1, int(count, i8)
         call start_one(int(requests(k), c_int), own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine startall_f08_f08(count, requests, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(in) :: requests(*)
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k
      error = MPI_SUCCESS
      do k = 1, int(count, i8)
         call start_one(int(requests(k)%MPI_VAL, c_int), own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine start_one(request, error)
      use mpi, only: MPI_Start
      integer(c_int), intent(in) :: request
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: mpis
      if (is_mpis(request)) then
         mpis = int(request, mpi_kind)
         call MPI_Start(mpis, error)
      else
         call conclude_operation(gravel_rt_start(request), error)
      end if
   end subroutine

   ! ---- gravel_send_fin, gravel_cancel, gravel_release

   subroutine send_fin_i4_i4(transfer, request, ierror)
      integer(gravel_transfer_kind), intent(inout) :: transfer
      integer(i4), intent(inout) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call end_transfer(transfer, own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine release_i4_i4(request, ierror)
      integer(i4), intent(inout) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call release(own, error)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine cancel_i4_i4(request, ierror)
      integer(i4), intent(in) :: request
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call cancel(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine send_fin_i4_i8(transfer, request, ierror)
      integer(gravel_transfer_kind), intent(inout) :: transfer
      integer(i4), intent(inout) :: request
      integer(i8), intent(out) :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call end_transfer(transfer, own, error)
      request = int(own, i4)
      ierror = int(error, i8)
   end subroutine

   subroutine release_i4_i8(request, ierror)
      integer(i4), intent(inout) :: request
      integer(i8), intent(out) :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call release(own, error)
      request = int(own, i4)
      ierror = int(error, i8)
   end subroutine

   subroutine cancel_i4_i8(request, ierror)
      integer(i4), intent(in) :: request
      integer(i8), intent(out) :: ierror
      integer(mpi_kind) :: error
      call cancel(int(request, c_int), error)
      ierror = int(error, i8)
   end subroutine

   subroutine send_fin_i8_optional_i8(transfer, request, ierror)
      integer(gravel_transfer_kind), intent(inout) :: transfer
      integer(i8), intent(inout) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call end_transfer(transfer, own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine release_i8_optional_i8(request, ierror)
      integer(i8), intent(inout) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call release(own, error)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine cancel_i8_optional_i8(request, ierror)
      integer(i8), intent(in) :: request
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call cancel(int(request, c_int), error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine send_fin_f08_i4(transfer, request, ierror)
      integer(gravel_transfer_kind), intent(inout) :: transfer
      type(MPI_Request), intent(inout) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      call end_transfer(transfer, own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine release_f08_i4(request, ierror)
      type(MPI_Request), intent(inout) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call release(own, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine cancel_f08_i4(request, ierror)
      type(MPI_Request), intent(in) :: request
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call cancel(int(request%MPI_VAL, c_int), error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine end_transfer(transfer, request, error)
      integer(c_int), intent(inout) :: transfer
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code, communicator
      request = int(MPI_REQUEST_NULL, c_int)
      code = gravel_rt_send_fin(transfer, request)
      if (code == code_left_to_mpi) then
         if (gravel_rt_end_half(transfer, request, communicator) /= 0) then
            call exchange_by_mpi(int(communicator, mpi_kind), error)
         else
            call send_remembered(transfer, request, error)
         end if
      else
         call conclude_operation(code, error)
      end if
   end subroutine

   subroutine release(request, error)
      use mpi, only: MPI_Request_free
      integer(c_int), intent(inout) :: request
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: mpis
      if (is_mpis(request)) then
         mpis = int(request, mpi_kind)
         call MPI_Request_free(mpis, error)
         request = int(mpis, c_int)
      else
         call conclude_operation(gravel_rt_release(request), error)
         request = int(MPI_REQUEST_NULL, c_int)
      end if
   end subroutine

   subroutine cancel(request, error)
      use mpi, only: MPI_Cancel
      integer(c_int), intent(in) :: request
      integer(mpi_kind), intent(out) :: error
      if (is_mpis(request)) then
         call MPI_Cancel(int(request, mpi_kind), error)
      else
         call conclude_operation(gravel_rt_cancel(request), error)
      end if
   end subroutine

   ! ---- requests: Gravel's and MPI's in the same variables

   ! What completes several requests is called by the names of mpif.h: not every module mpi declares it, and not every mpi_f08
   ! counts indices from 1.

   elemental function is_own(request)
      integer(c_int), intent(in) :: request
      logical :: is_own
      is_own = ishft(request, -26) == 15_c_int
   end function

   ! Whether MPI is to be asked about a request: also where Gravel does not run. Where MPI is not there, every call is refused.
   function is_mpis(request)
      integer(c_int), intent(in) :: request
      logical :: is_mpis
      is_mpis = .not. is_own(request)
      if (is_mpis) is_mpis = can_ask_mpi()
   end function

   function can_ask_mpi()
      logical :: can_ask_mpi
      can_ask_mpi = gravel_rt_is_running() /= 0
      if (.not. can_ask_mpi) can_ask_mpi = is_mpi_there()
   end function

   ! Whether MPI is to be asked about requests of an array.
   function holds_mpis(count, requests)
      integer(i8), intent(in) :: count
      integer(c_int), intent(in) :: requests(*)
      logical :: holds_mpis
      holds_mpis = held_of_mpi(count, requests) > 0
      if (holds_mpis) holds_mpis = can_ask_mpi()
   end function

   ! How many requests of an array are MPI's, without null ones.
   pure function held_of_mpi(count, requests) result(number)
      integer(i8), intent(in) :: count
      integer(c_int), intent(in) :: requests(*)
      integer(i8) :: number, k
      number = 0
      do k = 1, count
         if (.not. is_own(requests(k)) .and. requests(k) /= MPI_REQUEST_NULL) number = number + 1
      end do
   end function

   ! MPI's requests among others, and their places.
   subroutine take_mpis(count, requests, mpis, places)
      integer(i8), intent(in) :: count
      integer(c_int), intent(in) :: requests(*)
      integer(mpi_kind), intent(out) :: mpis(:)
      integer(i8), intent(out) :: places(:)
      integer(i8) :: k, next
      next = 0
      do k = 1, count
         if (is_own(requests(k)) .or. requests(k) == MPI_REQUEST_NULL) cycle
         next = next + 1
         mpis(next) = int(requests(k), mpi_kind)
         places(next) = k
      end do
   end subroutine

   subroutine give_mpis(requests, mpis, places)
      integer(c_int), intent(inout) :: requests(*)
      integer(mpi_kind), intent(in) :: mpis(:)
      integer(i8), intent(in) :: places(:)
      integer(i8) :: k
      do k = 1, size(places, kind=i8)
         requests(places(k)) = int(mpis(k), c_int)
      end do
   end subroutine

   ! Room for what a call may complete, and for so many statuses of MPI's.
   subroutine make_room(count, columns)
      integer(i8), intent(in) :: count, columns
      if (allocated(mpi_statuses)) then
         if (size(mpi_statuses, 2, i8) < columns) deallocate (mpi_statuses)
      end if
      if (.not. allocated(mpi_statuses)) allocate (mpi_statuses(MPI_STATUS_SIZE, columns))
      if (allocated(told)) then
         if (size(told, kind=i8) < count) deallocate (told, told_places, told_errors)
      end if
      if (.not. allocated(told)) allocate (told(count), told_places(count), told_errors(count))
   end subroutine

   ! MPI_ERR_IN_STATUS itself, where MPI has returned a code of its class.
   subroutine find_class(error)
      use mpi, only: MPI_Error_class
      integer(mpi_kind), intent(inout) :: error
      integer(mpi_kind) :: class_of_error, ignored
      if (error == MPI_SUCCESS) return
      call MPI_Error_class(error, class_of_error, ignored)
      if (class_of_error == MPI_ERR_IN_STATUS) error = class_of_error
   end subroutine

   ! The first error in so many statuses of MPI's, where the caller has none to find it in.
   subroutine find_error(number, error)
      integer(mpi_kind), intent(in) :: number
      integer(mpi_kind), intent(inout) :: error
      integer(mpi_kind) :: k, own_error
      if (error /= MPI_ERR_IN_STATUS) return
      do k = 1, number
         own_error = mpi_statuses(MPI_ERROR, k)
         if (own_error == MPI_SUCCESS .or. own_error == MPI_ERR_PENDING) cycle
         error = own_error
         return
      end do
   end subroutine

   pure function by_mpi(column, has_error) result(completion)
      integer(i8), intent(in) :: column
      logical, intent(in) :: has_error
      type(completion_description) :: completion
      completion = completion_description(completed_by_mpi, 0_c_int, merge(1_c_int, 0_c_int, has_error), column)
   end function

   ! One more that a call has completed.
   subroutine tell(ended, place, completion, error)
      integer(i8), intent(inout) :: ended
      integer(i8), intent(in) :: place
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(in) :: error
      ended = ended + 1
      told_places(ended) = place
      told(ended) = completion
      told_errors(ended) = error
   end subroutine

   ! ---- gravel_wait, gravel_wait_request

   subroutine wait_i4_i4(request, buffer, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, buffer, completion, error)
      end if
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_i4_i8(request, buffer, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(out) :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, buffer, completion, error)
      end if
      request = int(own, i4)
      ierror = int(error, i8)
   end subroutine

   subroutine wait_i8_optional_i8(request, buffer, ierror)
      integer(i8), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, buffer, completion, error)
      end if
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_f08_i4(request, buffer, ierror)
      type(MPI_Request), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, buffer, completion, error)
      end if
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_status_i4_i4(request, buffer, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_status_i4_i8(request, buffer, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_status_i4_f08(request, buffer, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_status_i8_i8(request, buffer, status, ierror)
      integer(i8), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, buffer, completion, error)
      request = int(own, i8)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_status_f08_f08(request, buffer, status, ierror)
      type(MPI_Request), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call wait_for(own, buffer, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_request_i4_i4(request, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(no_buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, no_buffer, completion, error)
      end if
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_request_i4_i8(request, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      integer(i8), intent(out) :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(no_buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, no_buffer, completion, error)
      end if
      request = int(own, i4)
      ierror = int(error, i8)
   end subroutine

   subroutine wait_request_i8_optional_i8(request, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(no_buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, no_buffer, completion, error)
      end if
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_request_f08_i4(request, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      if (own == value_over) then
         ! Most short sends: there is nothing to wait for.
         own = int(MPI_REQUEST_NULL, c_int)
         call gravel_rt_expose(c_loc(no_buffer))
         error = MPI_SUCCESS
      else
         call wait_for(own, no_buffer, completion, error)
      end if
      request%MPI_VAL = int(own, mpi_kind)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_request_status_i4_i4(request, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, no_buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_request_status_i4_i8(request, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, no_buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_request_status_i4_f08(request, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, no_buffer, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_request_status_i8_i8(request, status, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call wait_for(own, no_buffer, completion, error)
      request = int(own, i8)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_request_status_f08_f08(request, status, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call wait_for(own, no_buffer, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_for(request, buffer, completion, error)
      integer(c_int), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code
      if (request /= value_over .and. is_own(request)) then
         code = gravel_rt_wait(request, completion)
      else if (request == value_over .or. request == MPI_REQUEST_NULL) then
         request = int(MPI_REQUEST_NULL, c_int)
         completion = completion_description(completed_nothing, 0, 0, 0)
         code = code_success
      else if (.not. is_mpis(request)) then
         code = gravel_rt_wait(request, completion)
      else
         call wait_for_mpi(request, completion, error)
         call gravel_rt_expose(c_loc(buffer))
         return
      end if
      ! Names the buffer where the compiler cannot see through, even if it inlines this procedure: what was read of it
      ! before is stale.
      call gravel_rt_expose(c_loc(buffer))
      call conclude_operation(code, error)
   end subroutine

   subroutine wait_for_mpi(request, completion, error)
      use mpi, only: MPI_Wait
      integer(c_int), intent(inout) :: request
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: mpis
      call make_room(1_i8, 1_i8)
      mpis = int(request, mpi_kind)
      call MPI_Wait(mpis, mpi_statuses(:, 1), error)
      request = int(mpis, c_int)
      completion = by_mpi(1_i8, .false.)
   end subroutine

   ! ---- gravel_waitall, gravel_f_sync_reg

   ! All requests are waited for, whatever becomes of the others. Where one fails, MPI_ERR_IN_STATUS is returned, and each status
   ! says how it went; where there are no statuses, MPI's error, or the first one.

   subroutine waitall_i4_i4(count, requests, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_all(int(count, i8), requests, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   ! An array with two dimensions, whose elements lie one behind the other.
   subroutine waitall_table_i4_i4(count, requests, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(1, *)
      integer(i4), intent(out), optional :: ierror
      call waitall_i4_i4(count, requests, ierror)
   end subroutine

   subroutine waitall_i4_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out), optional :: ierror
      integer(mpi_kind) :: error
      call wait_for_all(int(count, i8), requests, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   ! An array with two dimensions, whose elements lie one behind the other.
   subroutine waitall_table_i4_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(1, *)
      integer(i8), intent(out), optional :: ierror
      call waitall_i4_i8(count, requests, ierror)
   end subroutine

   subroutine waitall_i8_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      integer(mpi_kind) :: error
      values = int(requests(:count), c_int)
      call wait_for_all(int(count, i8), values, error)
      requests(:count) = int(values, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   ! An array with two dimensions, whose elements lie one behind the other.
   subroutine waitall_table_i8_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(1, *)
      integer(i8), intent(out), optional :: ierror
      call waitall_i8_i8(count, requests, ierror)
   end subroutine

   subroutine waitall_f08_f08(count, requests, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      integer(mpi_kind) :: error
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      call wait_for_all(int(count, i8), values, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   ! An array with two dimensions, whose elements lie one behind the other.
   subroutine waitall_table_f08_f08(count, requests, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(1, *)
      integer(i4), intent(out), optional :: ierror
      call waitall_f08_f08(count, requests, ierror)
   end subroutine

   subroutine wait_for_all(count, requests, error)
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(mpi_kind), intent(out) :: error
      type(completion_description) :: completion
      integer(mpi_kind) :: own_error
      integer(i8) :: ended, k
      integer, target :: no_buffer
      if (holds_mpis(count, requests)) then
         call wait_for_both(count, requests, .false., ended, error)
         return
      end if
      error = MPI_SUCCESS
      do k = 1, count
         call wait_for(requests(k), no_buffer, completion, own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
   end subroutine

   ! As wait_for_all(), and tells of each.
   subroutine wait_for_each(count, requests, error)
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(mpi_kind), intent(out) :: error
      type(completion_description) :: completion
      integer(mpi_kind) :: own_error
      integer(i8) :: ended, k
      integer, target :: no_buffer
      if (holds_mpis(count, requests)) then
         call wait_for_both(count, requests, .true., ended, error)
         return
      end if
      call make_room(count, 1_i8)
      error = MPI_SUCCESS
      ended = 0
      do k = 1, count
         call wait_for(requests(k), no_buffer, completion, own_error)
         if (own_error /= MPI_SUCCESS) error = MPI_ERR_IN_STATUS
         call tell(ended, k, completion, own_error)
      end do
   end subroutine

   ! As wait_for_all() where some requests are MPI's: these are waited for by one call, behind Gravel's, whose waits let MPI get
   ! on. While MPI waits, Gravel gets on by itself.
   subroutine wait_for_both(count, requests, wants_statuses, ended, error)
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      logical, intent(in) :: wants_statuses
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      external :: MPI_Waitall
      integer(mpi_kind) :: mpis(held_of_mpi(count, requests))
      integer(i8) :: places(size(mpis)), k
      type(completion_description) :: completion
      integer(mpi_kind) :: own_error
      logical :: has_error
      integer, target :: no_buffer
      call make_room(count, max(size(mpis, kind=i8), 1_i8))
      call take_mpis(count, requests, mpis, places)
      error = MPI_SUCCESS
      ended = 0
      do k = 1, count
         if (.not. is_own(requests(k)) .and. requests(k) /= MPI_REQUEST_NULL) cycle
         call wait_for(requests(k), no_buffer, completion, own_error)
         if (error == MPI_SUCCESS) error = own_error
         call tell(ended, k, completion, own_error)
      end do
      call MPI_Waitall(size(mpis, kind=mpi_kind), mpis, mpi_statuses, own_error)
      call find_class(own_error)
      if (.not. wants_statuses) call find_error(size(mpis, kind=mpi_kind), own_error)
      call give_mpis(requests, mpis, places)
      if (error /= MPI_SUCCESS .and. wants_statuses) error = MPI_ERR_IN_STATUS
      if (own_error /= MPI_SUCCESS) error = own_error
      has_error = own_error /= MPI_SUCCESS
      do k = 1, size(mpis, kind=i8)
         call tell(ended, places(k), by_mpi(k, has_error), int(MPI_SUCCESS, mpi_kind))
      end do
   end subroutine

   subroutine waitall_statuses_i4_i4(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k, place
      if (gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) /= 0) then
         ! Which has room for no status, however many requests there are.
         call wait_for_all(int(count, i8), requests, error)
      else
         call wait_for_each(int(count, i8), requests, error)
         do k = 1, count
            call next_completed(k, place, completion, own_error)
            call give_completion_i4(completion, own_error, error, statuses(:, place))
         end do
      end if
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitall_statuses_table_i4_i4(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(1, *)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      call waitall_statuses_i4_i4(count, requests, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_i4_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k, place
      if (gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) /= 0) then
         ! Which has room for no status, however many requests there are.
         call wait_for_all(int(count, i8), requests, error)
      else
         call wait_for_each(int(count, i8), requests, error)
         do k = 1, count
            call next_completed(k, place, completion, own_error)
            call give_completion_i8(completion, own_error, error, statuses(:, place))
         end do
      end if
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitall_statuses_table_i4_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(1, *)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      call waitall_statuses_i4_i8(count, requests, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_i4_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k, place
      if (gravel_rt_same_statuses(statuses, f08_statuses_ignore) /= 0) then
         ! Which has room for no status, however many requests there are.
         call wait_for_all(int(count, i8), requests, error)
      else
         call wait_for_each(int(count, i8), requests, error)
         do k = 1, count
            call next_completed(k, place, completion, own_error)
            call give_completion_f08(completion, own_error, error, statuses(place))
         end do
      end if
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitall_statuses_table_i4_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(1, *)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      call waitall_statuses_i4_f08(count, requests, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_i8_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      type(completion_description) :: completion
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k, place
      values = int(requests(:count), c_int)
      if (gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) /= 0) then
         ! Which has room for no status, however many requests there are.
         call wait_for_all(int(count, i8), values, error)
      else
         call wait_for_each(int(count, i8), values, error)
         do k = 1, count
            call next_completed(k, place, completion, own_error)
            call give_completion_i8(completion, own_error, error, statuses(:, place))
         end do
      end if
      requests(:count) = int(values, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitall_statuses_table_i8_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(1, *)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      call waitall_statuses_i8_i8(count, requests, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_f08_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      type(completion_description) :: completion
      integer(mpi_kind) :: error, own_error
      integer(i8) :: k, place
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      if (gravel_rt_same_statuses(statuses, f08_statuses_ignore) /= 0) then
         ! Which has room for no status, however many requests there are.
         call wait_for_all(int(count, i8), values, error)
      else
         call wait_for_each(int(count, i8), values, error)
         do k = 1, count
            call next_completed(k, place, completion, own_error)
            call give_completion_f08(completion, own_error, error, statuses(place))
         end do
      end if
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitall_statuses_table_f08_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(1, *)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      call waitall_statuses_f08_f08(count, requests, statuses, ierror)
   end subroutine

   ! As MPI_F_sync_reg (MPI 4.0, section 19.1.17): the compiler must take it that the buffer is read and written here.
   subroutine gravel_f_sync_reg(buffer)
      type(*), dimension(..), asynchronous, target :: buffer
      call gravel_rt_expose(c_loc(buffer))
   end subroutine

   ! ---- gravel_test, gravel_test_request, gravel_request_get_status

   subroutine test_i4_i4(request, buffer, flag, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_i4_i8(request, buffer, flag, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_i8_i8(request, buffer, flag, ierror)
      integer(i8), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i8)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_f08_f08(request, buffer, flag, ierror)
      type(MPI_Request), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call test_for(own, buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_status_i4_i4(request, buffer, flag, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i4(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_status_i4_i8(request, buffer, flag, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_status_i4_f08(request, buffer, flag, status, ierror)
      integer(i4), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_status_i8_i8(request, buffer, flag, status, ierror)
      integer(i8), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, buffer, done, completion, error)
      request = int(own, i8)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_status_f08_f08(request, buffer, flag, status, ierror)
      type(MPI_Request), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call test_for(own, buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_request_i4_i4(request, flag, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_request_i4_i8(request, flag, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_request_i8_i8(request, flag, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i8)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_request_f08_f08(request, flag, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_request_status_i4_i4(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i4(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_request_status_i4_i8(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_request_status_i4_f08(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_request_status_i8_i8(request, flag, status, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request = int(own, i8)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine test_request_status_f08_f08(request, flag, status, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call test_for(own, no_buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine get_status_i4_i4(request, flag, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine get_status_i4_i8(request, flag, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine get_status_i8_i8(request, flag, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i8)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine get_status_f08_f08(request, flag, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine get_status_status_i4_i4(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i4(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine get_status_status_i4_i8(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine get_status_status_i4_f08(request, flag, status, ierror)
      integer(i4), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i4)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine get_status_status_i8_i8(request, flag, status, ierror)
      integer(i8), intent(inout) :: request
      integer, target :: no_buffer
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request = int(own, i8)
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine get_status_status_f08_f08(request, flag, status, ierror)
      type(MPI_Request), intent(inout) :: request
      integer, target :: no_buffer
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: done
      integer(c_int) :: own
      integer(mpi_kind) :: error
      own = int(request%MPI_VAL, c_int)
      call look_at(own, no_buffer, done, completion, error)
      request%MPI_VAL = int(own, mpi_kind)
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine test_for(request, buffer, done, completion, error)
      use mpi, only: MPI_Test
      integer(c_int), intent(inout) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical, intent(out) :: done
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: mpis
      logical(mpi_kind) :: mpi_done
      integer(c_int) :: code, flag
      if (is_mpis(request)) then
         call make_room(1_i8, 1_i8)
         mpis = int(request, mpi_kind)
         call MPI_Test(mpis, mpi_done, mpi_statuses(:, 1), error)
         request = int(mpis, c_int)
         done = mpi_done
         completion = by_mpi(1_i8, .false.)
         call gravel_rt_expose(c_loc(buffer))
         return
      end if
      flag = 1
      code = gravel_rt_test(request, flag, completion)
      done = flag /= 0
      call gravel_rt_expose(c_loc(buffer))
      call conclude_operation(code, error)
   end subroutine

   subroutine look_at(request, buffer, done, completion, error)
      use mpi, only: MPI_Request_get_status
      integer(c_int), intent(in) :: request
      type(*), dimension(..), asynchronous, target :: buffer
      logical, intent(out) :: done
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      logical(mpi_kind) :: mpi_done
      integer(c_int) :: code, flag
      if (is_mpis(request)) then
         call make_room(1_i8, 1_i8)
         call MPI_Request_get_status(int(request, mpi_kind), mpi_done, mpi_statuses(:, 1), error)
         done = mpi_done
         completion = by_mpi(1_i8, .false.)
         return
      end if
      flag = 1
      code = gravel_rt_request_get_status(request, flag, completion)
      done = flag /= 0
      call gravel_rt_expose(c_loc(buffer))
      call conclude_operation(code, error)
   end subroutine

   ! ---- gravel_waitany, gravel_testany

   subroutine waitany_i4_i4(count, requests, index, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.true., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testany_i4_i4(count, requests, index, flag, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.false., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitany_i4_i8(count, requests, index, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.true., int(count, i8), requests, place, done, completion, error)
      index = int(place, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testany_i4_i8(count, requests, index, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.false., int(count, i8), requests, place, done, completion, error)
      index = int(place, i8)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitany_i8_i8(count, requests, index, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      values = int(requests(:count), c_int)
      call complete_any(.true., int(count, i8), values, place, done, completion, error)
      requests(:count) = int(values, i8)
      index = int(place, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testany_i8_i8(count, requests, index, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      values = int(requests(:count), c_int)
      call complete_any(.false., int(count, i8), values, place, done, completion, error)
      requests(:count) = int(values, i8)
      index = int(place, i8)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitany_f08_f08(count, requests, index, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      call complete_any(.true., int(count, i8), values, place, done, completion, error)
      index = int(place, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testany_f08_f08(count, requests, index, flag, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      call complete_any(.false., int(count, i8), values, place, done, completion, error)
      index = int(place, i4)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitany_status_i4_i4(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.true., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      if (error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testany_status_i4_i4(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.false., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      flag = logical(done, kind(flag))
      if (error == MPI_SUCCESS .and. done) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitany_status_i4_i8(count, requests, index, status, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.true., int(count, i8), requests, place, done, completion, error)
      index = int(place, i8)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testany_status_i4_i8(count, requests, index, flag, status, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.false., int(count, i8), requests, place, done, completion, error)
      index = int(place, i8)
      flag = logical(done, kind(flag))
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitany_status_i4_f08(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.true., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testany_status_i4_f08(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call complete_any(.false., int(count, i8), requests, place, done, completion, error)
      index = int(place, i4)
      flag = logical(done, kind(flag))
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitany_status_i8_i8(count, requests, index, status, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      values = int(requests(:count), c_int)
      call complete_any(.true., int(count, i8), values, place, done, completion, error)
      requests(:count) = int(values, i8)
      index = int(place, i8)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testany_status_i8_i8(count, requests, index, flag, status, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: values(max(count, 0_i8))
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      values = int(requests(:count), c_int)
      call complete_any(.false., int(count, i8), values, place, done, completion, error)
      requests(:count) = int(values, i8)
      index = int(place, i8)
      flag = logical(done, kind(flag))
      if (error == MPI_SUCCESS .and. done) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitany_status_f08_f08(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      call complete_any(.true., int(count, i8), values, place, done, completion, error)
      index = int(place, i4)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testany_status_f08_f08(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      integer(c_int), pointer, contiguous :: values(:)
      type(completion_description) :: completion
      integer(i8) :: place
      logical :: done
      integer(mpi_kind) :: error
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i4)])
      call complete_any(.false., int(count, i8), values, place, done, completion, error)
      index = int(place, i4)
      flag = logical(done, kind(flag))
      if (error == MPI_SUCCESS .and. done) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   ! place becomes the request's index from 1, or MPI_UNDEFINED if none was completed; done says whether one was, or none is active.
   subroutine complete_any(waits, count, requests, place, done, completion, error)
      logical, intent(in) :: waits
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: place
      logical, intent(out) :: done
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      if (.not. holds_mpis(count, requests)) then
         call complete_any_own(waits, count, requests, place, done, completion, error)
      else
         call complete_any_of_both(waits, count, requests, place, done, completion, error)
      end if
   end subroutine

   subroutine complete_any_own(waits, count, requests, place, done, completion, error)
      logical, intent(in) :: waits
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: place
      logical, intent(out) :: done
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code, flag
      place = -1
      flag = 1
      if (waits) then
         code = gravel_rt_waitany(count, requests, place, completion)
      else
         code = gravel_rt_testany(count, requests, place, flag, completion)
      end if
      place = merge(int(MPI_UNDEFINED, i8), place + 1, place < 0)
      done = flag /= 0
      call conclude_operation(code, error)
   end subroutine

   ! Looks at Gravel's requests and at MPI's in turn, so that both get on.
   subroutine complete_any_of_both(waits, count, requests, place, done, completion, error)
      logical, intent(in) :: waits
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: place
      logical, intent(out) :: done
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      external :: MPI_Testany, MPI_Waitany
      integer(mpi_kind) :: mpis(held_of_mpi(count, requests))
      integer(i8) :: places(size(mpis))
      integer(mpi_kind) :: index
      integer(c_int) :: in_vain
      logical :: any_own, own_done
      logical(mpi_kind) :: mpi_done
      call make_room(1_i8, 1_i8)
      call take_mpis(count, requests, mpis, places)
      any_own = any(is_own(requests(:count)))
      in_vain = 0
      do
         own_done = .true.
         if (any_own) then
            call complete_any_own(.false., count, requests, place, own_done, completion, error)
            if (place /= MPI_UNDEFINED .or. error /= MPI_SUCCESS) then
               done = .true.
               exit
            end if
         end if
         index = MPI_UNDEFINED
         if (waits .and. .not. any_own) then
            call MPI_Waitany(size(mpis, kind=mpi_kind), mpis, index, mpi_statuses, error)
            mpi_done = .true.
         else
            call MPI_Testany(size(mpis, kind=mpi_kind), mpis, index, mpi_done, mpi_statuses, error)
         end if
         done = mpi_done
         completion = by_mpi(1_i8, .false.)
         place = MPI_UNDEFINED
         ! Where none is active, an MPI adds 1 to MPI_UNDEFINED.
         if (index >= 1 .and. index <= size(mpis) .and. (done .or. error /= MPI_SUCCESS)) then
            place = places(index)
         else if (done .and. error == MPI_SUCCESS) then
            ! None of MPI's is active: that is the answer only where none of Gravel's is.
            done = own_done
         end if
         if (done .or. error /= MPI_SUCCESS .or. .not. waits) exit
         call gravel_rt_pause(in_vain)
         in_vain = min(in_vain + 1_c_int, 32767_c_int)
      end do
      call give_mpis(requests, mpis, places)
   end subroutine

   ! ---- gravel_waitsome, gravel_testsome, gravel_testall

   ! The runtime keeps what it has completed until it is asked for one after the other: there is room for no more than that
   ! in what the caller hands over.

   subroutine waitsome_i4_i4(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i4(.true., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitsome_i4_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i4(.true., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitsome_i8_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i8(.true., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitsome_f08_f08(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_f08(.true., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitsome_statuses_i4_i4(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i4(.true., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_i4(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitsome_statuses_i4_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i4(.true., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitsome_statuses_i4_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_some_i4(.true., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine waitsome_statuses_i8_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i8(.true., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine waitsome_statuses_f08_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_some_f08(.true., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testsome_i4_i4(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i4(.false., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testsome_i4_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i4(.false., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testsome_i8_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_i8(.false., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testsome_f08_f08(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      call complete_some_f08(.false., .false., int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testsome_statuses_i4_i4(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i4(.false., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_i4(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testsome_statuses_i4_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i4(.false., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testsome_statuses_i4_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_some_i4(.false., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testsome_statuses_i8_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_some_i8(.false., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i8)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testsome_statuses_f08_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_some_f08(.false., stores_statuses, int(incount, i8), requests, ended, error)
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         indices(k) = int(place, i4)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(k))
      end do
      outcount = int(merge(int(MPI_UNDEFINED, i8), ended, ended < 0), i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine complete_some_i4(waits, wants_statuses, incount, requests, ended, error)
      logical, intent(in) :: waits, wants_statuses
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      count = incount
      call complete_some(waits, wants_statuses, count, requests, ended, error)
   end subroutine

   subroutine complete_all_i4(wants_statuses, incount, requests, ended, done, error)
      logical, intent(in) :: wants_statuses
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      logical, intent(out) :: done
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      count = incount
      call complete_all(wants_statuses, count, requests, ended, done, error)
   end subroutine

   subroutine complete_some_i8(waits, wants_statuses, incount, requests, ended, error)
      logical, intent(in) :: waits, wants_statuses
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      integer(c_int) :: values(max(incount, 0_i8))
      count = incount
      values = int(requests(:count), c_int)
      call complete_some(waits, wants_statuses, count, values, ended, error)
      requests(:count) = int(values, i8)
   end subroutine

   subroutine complete_all_i8(wants_statuses, incount, requests, ended, done, error)
      logical, intent(in) :: wants_statuses
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      logical, intent(out) :: done
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      integer(c_int) :: values(max(incount, 0_i8))
      count = incount
      values = int(requests(:count), c_int)
      call complete_all(wants_statuses, count, values, ended, done, error)
      requests(:count) = int(values, i8)
   end subroutine

   subroutine complete_some_f08(waits, wants_statuses, incount, requests, ended, error)
      logical, intent(in) :: waits, wants_statuses
      integer(i8), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      integer(c_int), pointer, contiguous :: values(:)
      count = incount
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i8)])
      call complete_some(waits, wants_statuses, count, values, ended, error)
   end subroutine

   subroutine complete_all_f08(wants_statuses, incount, requests, ended, done, error)
      logical, intent(in) :: wants_statuses
      integer(i8), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests(*)
      integer(i8), intent(out) :: ended
      logical, intent(out) :: done
      integer(mpi_kind), intent(out) :: error
      integer(i8) :: count
      integer(c_int), pointer, contiguous :: values(:)
      count = incount
      call c_f_pointer(c_loc(requests), values, [max(count, 0_i8)])
      call complete_all(wants_statuses, count, values, ended, done, error)
   end subroutine

   ! ended becomes the number of requests that were completed, or negative if none is active.
   subroutine complete_some(waits, wants_statuses, count, requests, ended, error)
      logical, intent(in) :: waits, wants_statuses
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code, in_vain
      if (.not. holds_mpis(count, requests)) then
         ended = -1
         if (waits) then
            code = gravel_rt_waitsome(count, requests, ended)
         else
            code = gravel_rt_testsome(count, requests, ended)
         end if
         call make_room(count, 1_i8)
         call tell_of_own(code, wants_statuses, ended, error)
         return
      end if
      in_vain = 0
      do
         call complete_some_of_both(waits, wants_statuses, count, requests, ended, error)
         if (.not. waits .or. ended /= 0 .or. error /= MPI_SUCCESS) exit
         call gravel_rt_pause(in_vain)
         in_vain = min(in_vain + 1_c_int, 32767_c_int)
      end do
   end subroutine

   ! Looks once at both; waits where all are MPI's, and that is wanted.
   subroutine complete_some_of_both(waits, wants_statuses, count, requests, ended, error)
      logical, intent(in) :: waits, wants_statuses
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: ended
      integer(mpi_kind), intent(out) :: error
      external :: MPI_Testsome, MPI_Waitsome
      integer(mpi_kind) :: mpis(held_of_mpi(count, requests)), indices(size(mpis))
      integer(i8) :: places(size(mpis)), own_ended, k
      integer(mpi_kind) :: number, own_error
      integer(c_int) :: code
      logical :: any_own
      call make_room(count, max(size(mpis, kind=i8), 1_i8))
      call take_mpis(count, requests, mpis, places)
      any_own = any(is_own(requests(:count)))
      error = MPI_SUCCESS
      own_ended = -1
      ended = 0
      if (any_own) then
         code = gravel_rt_testsome(count, requests, own_ended)
         call tell_of_own(code, wants_statuses, own_ended, error)
         if (code /= code_success) return
         ended = max(own_ended, 0_i8)
      end if
      ! Where it fails, Open MPI gives no number in Fortran.
      number = 0
      ! Statuses are stored also where nobody wants them: as with MPI_STATUSES_IGNORE, but for the errors in them.
      if (waits .and. .not. any_own) then
         call MPI_Waitsome(size(mpis, kind=mpi_kind), mpis, number, indices, mpi_statuses, own_error)
      else
         call MPI_Testsome(size(mpis, kind=mpi_kind), mpis, number, indices, mpi_statuses, own_error)
      end if
      call give_mpis(requests, mpis, places)
      call find_class(own_error)
      if (.not. wants_statuses .and. number > 0) call find_error(number, own_error)
      if (number < 0) then
         if (own_ended < 0) ended = -1
         return
      end if
      do k = 1, number
         call tell(ended, places(indices(k)), by_mpi(k, own_error /= MPI_SUCCESS), int(MPI_SUCCESS, mpi_kind))
      end do
      if (own_error /= MPI_SUCCESS) error = own_error
   end subroutine

   subroutine testall_i4_i4(count, requests, flag, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      integer(i8) :: ended
      logical :: done
      integer(mpi_kind) :: error
      call complete_all_i4(.false., int(count, i8), requests, ended, done, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testall_i4_i8(count, requests, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i8) :: ended
      logical :: done
      integer(mpi_kind) :: error
      call complete_all_i4(.false., int(count, i8), requests, ended, done, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testall_i8_i8(count, requests, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i8) :: ended
      logical :: done
      integer(mpi_kind) :: error
      call complete_all_i8(.false., int(count, i8), requests, ended, done, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testall_f08_f08(count, requests, flag, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      integer(i8) :: ended
      logical :: done
      integer(mpi_kind) :: error
      call complete_all_f08(.false., int(count, i8), requests, ended, done, error)
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testall_statuses_i4_i4(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: done, stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_all_i4(stores_statuses, int(count, i8), requests, ended, done, error)
      if (stores_statuses .and. error == MPI_ERR_IN_STATUS) then
         ! Those that wait for dead ranks may be the only ones that have ended.
         do k = 1, int(count, i8)
            call give_error_i4(int(MPI_ERR_PENDING, mpi_kind), statuses(:, k))
         end do
      end if
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         if (stores_statuses) call give_completion_i4(completion, own_error, error, statuses(:, place))
      end do
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testall_statuses_i4_i8(count, requests, flag, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: done, stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_all_i4(stores_statuses, int(count, i8), requests, ended, done, error)
      if (stores_statuses .and. error == MPI_ERR_IN_STATUS) then
         ! Those that wait for dead ranks may be the only ones that have ended.
         do k = 1, int(count, i8)
            call give_error_i8(int(MPI_ERR_PENDING, mpi_kind), statuses(:, k))
         end do
      end if
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, place))
      end do
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testall_statuses_i4_f08(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests(*)
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: done, stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_all_i4(stores_statuses, int(count, i8), requests, ended, done, error)
      if (stores_statuses .and. error == MPI_ERR_IN_STATUS) then
         ! Those that wait for dead ranks may be the only ones that have ended.
         do k = 1, int(count, i8)
            call give_error_f08(int(MPI_ERR_PENDING, mpi_kind), statuses(k))
         end do
      end if
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(place))
      end do
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine testall_statuses_i8_i8(count, requests, flag, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests(*)
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: done, stores_statuses
      stores_statuses = gravel_rt_same_object(statuses, MPI_STATUSES_IGNORE) == 0
      call complete_all_i8(stores_statuses, int(count, i8), requests, ended, done, error)
      if (stores_statuses .and. error == MPI_ERR_IN_STATUS) then
         ! Those that wait for dead ranks may be the only ones that have ended.
         do k = 1, int(count, i8)
            call give_error_i8(int(MPI_ERR_PENDING, mpi_kind), statuses(:, k))
         end do
      end if
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         if (stores_statuses) call give_completion_i8(completion, own_error, error, statuses(:, place))
      end do
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine testall_statuses_f08_f08(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests(*)
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(i8) :: ended, k, place
      integer(mpi_kind) :: error, own_error
      logical :: done, stores_statuses
      stores_statuses = gravel_rt_same_statuses(statuses, f08_statuses_ignore) == 0
      call complete_all_f08(stores_statuses, int(count, i8), requests, ended, done, error)
      if (stores_statuses .and. error == MPI_ERR_IN_STATUS) then
         ! Those that wait for dead ranks may be the only ones that have ended.
         do k = 1, int(count, i8)
            call give_error_f08(int(MPI_ERR_PENDING, mpi_kind), statuses(k))
         end do
      end if
      do k = 1, ended
         call next_completed(k, place, completion, own_error)
         if (stores_statuses) call give_completion_f08(completion, own_error, error, statuses(place))
      end do
      flag = logical(done, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   ! done says whether all requests were completed; where some wait for dead ranks, those alone are, by their errors.
   subroutine complete_all(wants_statuses, count, requests, ended, done, error)
      logical, intent(in) :: wants_statuses
      integer(i8), intent(in) :: count
      integer(c_int), intent(inout) :: requests(*)
      integer(i8), intent(out) :: ended
      logical, intent(out) :: done
      integer(mpi_kind), intent(out) :: error
      type(completion_description) :: completion
      integer(i8) :: k
      integer(c_int) :: code
      logical :: is_complete
      integer, target :: no_buffer
      if (.not. holds_mpis(count, requests)) then
         ended = -1
         code = gravel_rt_testall(count, requests, ended)
         done = ended >= 0 .or. code /= code_success
         call make_room(count, 1_i8)
         call tell_of_own(code, wants_statuses, ended, error)
         return
      end if
      ! Each tells without completing it, and both get on.
      done = .true.
      ended = 0
      error = MPI_SUCCESS
      do k = 1, count
         call look_at(requests(k), no_buffer, is_complete, completion, error)
         ! What has failed is over: its wait says so again.
         done = done .and. (is_complete .or. error /= MPI_SUCCESS)
      end do
      error = MPI_SUCCESS
      if (done) call wait_for_both(count, requests, wants_statuses, ended, error)
   end subroutine

   ! Tells of what libgravel has completed by its last call, with this code.
   subroutine tell_of_own(code, wants_statuses, ended, error)
      integer(c_int), intent(in) :: code
      logical, intent(in) :: wants_statuses
      integer(i8), intent(in) :: ended
      integer(mpi_kind), intent(out) :: error
      type(completion_description) :: completion
      integer(i8) :: k, place, so_many
      integer(mpi_kind) :: own_error
      call conclude_operation(code, error)
      if (code /= code_success) return
      so_many = 0
      do k = 1, ended
         place = -1
         call conclude_operation(gravel_rt_completed(k - 1, place, completion), own_error)
         call tell(so_many, place + 1, completion, own_error)
         if (error == MPI_SUCCESS) error = own_error
      end do
      if (error /= MPI_SUCCESS .and. wants_statuses) error = MPI_ERR_IN_STATUS
   end subroutine

   ! The k-th of the requests that the last of these calls has completed: its index from 1, and what it was.
   subroutine next_completed(k, place, completion, error)
      integer(i8), intent(in) :: k
      integer(i8), intent(out) :: place
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      place = told_places(k)
      completion = told(k)
      error = told_errors(k)
   end subroutine

   ! ---- gravel_wait_snd_request, which is gravel_probe with a status

   subroutine wait_snd_request_i4(source, tag, comm, status, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm, mpi_kind), completion, error)
      if (error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine wait_snd_request_i8(source, tag, comm, status, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm, mpi_kind), completion, error)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine wait_snd_request_f08(source, tag, comm, status, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), completion, error)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine await_snd_request(source, tag, comm, completion, error)
      use mpi, only: MPI_Probe
      integer(c_int), intent(in) :: source, tag
      integer(mpi_kind), intent(in) :: comm
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(c_int) :: code
      code = gravel_rt_wait_snd_request(envelope_description(source, tag, int(comm, c_int)), completion)
      if (code == code_left_to_mpi) then
         call make_room(1_i8, 1_i8)
         call MPI_Probe(int(source, mpi_kind), int(tag, mpi_kind), comm, mpi_statuses(:, 1), error)
         completion = by_mpi(1_i8, .false.)
      else
         call conclude(code, comm, error)
      end if
   end subroutine

   ! ---- requests from an element of an array on

   ! Where a call takes several requests, an element of an array stands for the requests from it on, as they lie in memory: with
   ! mpif.h compilers pass its address, whatever the array's rank and attributes. A procedure of a generic name gets an element
   ! as a scalar. So these see the memory from there on as an array, like what has a buffer.

   subroutine waitall_from_i4_i4(count, requests, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitall_i4_i4(count, all, ierror)
   end subroutine

   subroutine startall_from_i4_i4(count, requests, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(in), target :: requests
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call startall_i4_i4(count, all, ierror)
   end subroutine

   subroutine waitany_from_i4_i4(count, requests, index, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitany_i4_i4(count, all, index, ierror)
   end subroutine

   subroutine testany_from_i4_i4(count, requests, index, flag, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testany_i4_i4(count, all, index, flag, ierror)
   end subroutine

   subroutine testall_from_i4_i4(count, requests, flag, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testall_i4_i4(count, all, flag, ierror)
   end subroutine

   subroutine waitsome_from_i4_i4(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call waitsome_i4_i4(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine testsome_from_i4_i4(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call testsome_i4_i4(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine waitall_from_i4_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitall_i4_i8(count, all, ierror)
   end subroutine

   subroutine startall_from_i4_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(in), target :: requests
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call startall_i4_i8(count, all, ierror)
   end subroutine

   subroutine waitany_from_i4_i8(count, requests, index, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitany_i4_i8(count, all, index, ierror)
   end subroutine

   subroutine testany_from_i4_i8(count, requests, index, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testany_i4_i8(count, all, index, flag, ierror)
   end subroutine

   subroutine testall_from_i4_i8(count, requests, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testall_i4_i8(count, all, flag, ierror)
   end subroutine

   subroutine waitsome_from_i4_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call waitsome_i4_i8(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine testsome_from_i4_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call testsome_i4_i8(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine waitall_from_i8_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitall_i8_i8(count, all, ierror)
   end subroutine

   subroutine startall_from_i8_i8(count, requests, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(in), target :: requests
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call startall_i8_i8(count, all, ierror)
   end subroutine

   subroutine waitany_from_i8_i8(count, requests, index, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitany_i8_i8(count, all, index, ierror)
   end subroutine

   subroutine testany_from_i8_i8(count, requests, index, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testany_i8_i8(count, all, index, flag, ierror)
   end subroutine

   subroutine testall_from_i8_i8(count, requests, flag, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testall_i8_i8(count, all, flag, ierror)
   end subroutine

   subroutine waitsome_from_i8_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call waitsome_i8_i8(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine testsome_from_i8_i8(incount, requests, outcount, indices, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call testsome_i8_i8(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine waitall_from_f08_f08(count, requests, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitall_f08_f08(count, all, ierror)
   end subroutine

   subroutine startall_from_f08_f08(count, requests, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(in), target :: requests
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call startall_f08_f08(count, all, ierror)
   end subroutine

   subroutine waitany_from_f08_f08(count, requests, index, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitany_f08_f08(count, all, index, ierror)
   end subroutine

   subroutine testany_from_f08_f08(count, requests, index, flag, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testany_f08_f08(count, all, index, flag, ierror)
   end subroutine

   subroutine testall_from_f08_f08(count, requests, flag, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testall_f08_f08(count, all, flag, ierror)
   end subroutine

   subroutine waitsome_from_f08_f08(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call waitsome_f08_f08(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine testsome_from_f08_f08(incount, requests, outcount, indices, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call testsome_f08_f08(incount, all, outcount, indices, ierror)
   end subroutine

   subroutine waitall_statuses_from_i4_i4(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitall_statuses_i4_i4(count, all, statuses, ierror)
   end subroutine

   subroutine waitany_status_from_i4_i4(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitany_status_i4_i4(count, all, index, status, ierror)
   end subroutine

   subroutine testany_status_from_i4_i4(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testany_status_i4_i4(count, all, index, flag, status, ierror)
   end subroutine

   subroutine testall_statuses_from_i4_i4(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testall_statuses_i4_i4(count, all, flag, statuses, ierror)
   end subroutine

   subroutine waitsome_statuses_from_i4_i4(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call waitsome_statuses_i4_i4(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine testsome_statuses_from_i4_i4(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      integer(i4), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call testsome_statuses_i4_i4(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_from_i4_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitall_statuses_i4_i8(count, all, statuses, ierror)
   end subroutine

   subroutine waitany_status_from_i4_i8(count, requests, index, status, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitany_status_i4_i8(count, all, index, status, ierror)
   end subroutine

   subroutine testany_status_from_i4_i8(count, requests, index, flag, status, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testany_status_i4_i8(count, all, index, flag, status, ierror)
   end subroutine

   subroutine testall_statuses_from_i4_i8(count, requests, flag, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testall_statuses_i4_i8(count, all, flag, statuses, ierror)
   end subroutine

   subroutine waitsome_statuses_from_i4_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call waitsome_statuses_i4_i8(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine testsome_statuses_from_i4_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call testsome_statuses_i4_i8(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_from_i4_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitall_statuses_i4_f08(count, all, statuses, ierror)
   end subroutine

   subroutine waitany_status_from_i4_f08(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitany_status_i4_f08(count, all, index, status, ierror)
   end subroutine

   subroutine testany_status_from_i4_f08(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testany_status_i4_f08(count, all, index, flag, status, ierror)
   end subroutine

   subroutine testall_statuses_from_i4_f08(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      integer(i4), intent(inout), target :: requests
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testall_statuses_i4_f08(count, all, flag, statuses, ierror)
   end subroutine

   subroutine waitsome_statuses_from_i4_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call waitsome_statuses_i4_f08(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine testsome_statuses_from_i4_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      integer(i4), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      integer(i4), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call testsome_statuses_i4_f08(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_from_i8_i8(count, requests, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitall_statuses_i8_i8(count, all, statuses, ierror)
   end subroutine

   subroutine waitany_status_from_i8_i8(count, requests, index, status, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call waitany_status_i8_i8(count, all, index, status, ierror)
   end subroutine

   subroutine testany_status_from_i8_i8(count, requests, index, flag, status, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: index
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testany_status_i8_i8(count, all, index, flag, status, ierror)
   end subroutine

   subroutine testall_statuses_from_i8_i8(count, requests, flag, statuses, ierror)
      integer(i8), intent(in) :: count
      integer(i8), intent(inout), target :: requests
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i8)])
      call testall_statuses_i8_i8(count, all, flag, statuses, ierror)
   end subroutine

   subroutine waitsome_statuses_from_i8_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call waitsome_statuses_i8_i8(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine testsome_statuses_from_i8_i8(incount, requests, outcount, indices, statuses, ierror)
      integer(i8), intent(in) :: incount
      integer(i8), intent(inout), target :: requests
      integer(i8), intent(out) :: outcount
      integer(i8), intent(inout) :: indices(*)
      integer(i8), intent(inout) :: statuses(MPI_STATUS_SIZE, *)
      integer(i8), intent(out), optional :: ierror
      integer(i8), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i8)])
      call testsome_statuses_i8_i8(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine waitall_statuses_from_f08_f08(count, requests, statuses, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitall_statuses_f08_f08(count, all, statuses, ierror)
   end subroutine

   subroutine waitany_status_from_f08_f08(count, requests, index, status, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call waitany_status_f08_f08(count, all, index, status, ierror)
   end subroutine

   subroutine testany_status_from_f08_f08(count, requests, index, flag, status, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: index
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testany_status_f08_f08(count, all, index, flag, status, ierror)
   end subroutine

   subroutine testall_statuses_from_f08_f08(count, requests, flag, statuses, ierror)
      integer(i4), intent(in) :: count
      type(MPI_Request), intent(inout), target :: requests
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(count, 0_i4)])
      call testall_statuses_f08_f08(count, all, flag, statuses, ierror)
   end subroutine

   subroutine waitsome_statuses_from_f08_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call waitsome_statuses_f08_f08(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   subroutine testsome_statuses_from_f08_f08(incount, requests, outcount, indices, statuses, ierror)
      integer(i4), intent(in) :: incount
      type(MPI_Request), intent(inout), target :: requests
      integer(i4), intent(out) :: outcount
      integer(i4), intent(inout) :: indices(*)
      type(MPI_Status), intent(inout) :: statuses(*)
      integer(i4), intent(out), optional :: ierror
      type(MPI_Request), pointer, contiguous :: all(:)
      call c_f_pointer(c_loc(requests), all, [max(incount, 0_i4)])
      call testsome_statuses_f08_f08(incount, all, outcount, indices, statuses, ierror)
   end subroutine

   ! ---- gravel_probe, gravel_iprobe, gravel_mprobe, gravel_improbe

   subroutine probe_i4(source, tag, comm, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm, mpi_kind), completion, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine iprobe_i4(source, tag, comm, flag, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm, mpi_kind), found, completion, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine iprobe_status_i4(source, tag, comm, flag, status, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      logical(l4), intent(out) :: flag
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm, mpi_kind), found, completion, error)
      if (found) call give_status_i4(completion, status, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mprobe_i4(source, tag, comm, message, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      message = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mprobe_status_i4(source, tag, comm, message, status, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      integer(i4), intent(out) :: message
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      if (found) call give_status_i4(completion, status, error)
      message = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine improbe_i4(source, tag, comm, flag, message, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      logical(l4), intent(out) :: flag
      integer(i4), intent(out) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      message = int(own, i4)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine improbe_status_i4(source, tag, comm, flag, message, status, ierror)
      integer(i4), intent(in) :: source, tag
      integer(i4), intent(in) :: comm
      logical(l4), intent(out) :: flag
      integer(i4), intent(out) :: message
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      if (found) call give_status_i4(completion, status, error)
      message = int(own, i4)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine probe_i8(source, tag, comm, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm, mpi_kind), completion, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine iprobe_i8(source, tag, comm, flag, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      logical(l8), intent(out) :: flag
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm, mpi_kind), found, completion, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine iprobe_status_i8(source, tag, comm, flag, status, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      logical(l8), intent(out) :: flag
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm, mpi_kind), found, completion, error)
      if (found) call give_status_i8(completion, status, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine mprobe_i8(source, tag, comm, message, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: message
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      message = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine mprobe_status_i8(source, tag, comm, message, status, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      integer(i8), intent(out) :: message
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      if (found) call give_status_i8(completion, status, error)
      message = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine improbe_i8(source, tag, comm, flag, message, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      logical(l8), intent(out) :: flag
      integer(i8), intent(out) :: message
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      message = int(own, i8)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine improbe_status_i8(source, tag, comm, flag, message, status, ierror)
      integer(i8), intent(in) :: source, tag
      integer(i8), intent(in) :: comm
      logical(l8), intent(out) :: flag
      integer(i8), intent(out) :: message
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm, mpi_kind), found, own, completion, error)
      if (found) call give_status_i8(completion, status, error)
      message = int(own, i8)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine probe_f08(source, tag, comm, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(mpi_kind) :: error
      call await_snd_request(narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), completion, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine iprobe_f08(source, tag, comm, flag, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical(l4), intent(out) :: flag
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, completion, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine iprobe_status_f08(source, tag, comm, flag, status, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical(l4), intent(out) :: flag
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: error
      call look_for_message(narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, completion, error)
      if (found) call give_status_f08(completion, status, error)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mprobe_f08(source, tag, comm, message, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message), intent(out) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, own, completion, error)
      message%MPI_VAL = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mprobe_status_f08(source, tag, comm, message, status, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message), intent(out) :: message
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(1_c_int, narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, own, completion, error)
      if (found) call give_status_f08(completion, status, error)
      message%MPI_VAL = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine improbe_f08(source, tag, comm, flag, message, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical(l4), intent(out) :: flag
      type(MPI_Message), intent(out) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, own, completion, error)
      message%MPI_VAL = int(own, i4)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine improbe_status_f08(source, tag, comm, flag, message, status, ierror)
      integer(i4), intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical(l4), intent(out) :: flag
      type(MPI_Message), intent(out) :: message
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      logical :: found
      integer(mpi_kind) :: own, error
      call take_message(0_c_int, narrowed(source), narrowed(tag), int(comm%MPI_VAL, mpi_kind), found, own, completion, error)
      if (found) call give_status_f08(completion, status, error)
      message%MPI_VAL = int(own, i4)
      flag = logical(found, kind(flag))
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine look_for_message(source, tag, comm, found, completion, error)
      use mpi, only: MPI_Iprobe
      integer(c_int), intent(in) :: source, tag
      integer(mpi_kind), intent(in) :: comm
      logical, intent(out) :: found
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      logical(mpi_kind) :: found_by_mpi
      integer(c_int) :: code, flag
      flag = 0
      code = gravel_rt_iprobe(envelope_description(source, tag, int(comm, c_int)), flag, completion)
      if (code == code_left_to_mpi) then
         call make_room(1_i8, 1_i8)
         found_by_mpi = .false.
         call MPI_Iprobe(int(source, mpi_kind), int(tag, mpi_kind), comm, found_by_mpi, mpi_statuses(:, 1), error)
         completion = by_mpi(1_i8, .false.)
         found = found_by_mpi .and. error == MPI_SUCCESS
      else
         call conclude(code, comm, error)
         found = flag /= 0 .and. code == code_success
      end if
   end subroutine

   ! A matched message is a value of MPI's own handle, or one of Gravel's that no request of the program has at that time.
   subroutine take_message(waits, source, tag, comm, found, message, completion, error)
      use mpi, only: MPI_Improbe, MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL, MPI_Mprobe
      integer(c_int), intent(in) :: waits, source, tag
      integer(mpi_kind), intent(in) :: comm
      logical, intent(out) :: found
      integer(mpi_kind), intent(out) :: message
      type(completion_description), intent(out) :: completion
      integer(mpi_kind), intent(out) :: error
      logical(mpi_kind) :: found_by_mpi
      integer(c_int) :: code, flag, own
      flag = 0
      own = 0
      message = MPI_MESSAGE_NULL
      code = gravel_rt_mprobe(waits, envelope_description(source, tag, int(comm, c_int)), flag, own, completion)
      if (code == code_left_to_mpi) then
         call make_room(1_i8, 1_i8)
         found_by_mpi = .true.
         if (waits /= 0) then
            call MPI_Mprobe(int(source, mpi_kind), int(tag, mpi_kind), comm, message, mpi_statuses(:, 1), error)
         else
            call MPI_Improbe(int(source, mpi_kind), int(tag, mpi_kind), comm, found_by_mpi, message, mpi_statuses(:, 1), error)
         end if
         completion = by_mpi(1_i8, .false.)
         found = found_by_mpi .and. error == MPI_SUCCESS
         return
      end if
      call conclude(code, comm, error)
      found = flag /= 0 .and. code == code_success
      if (found) message = merge(int(own, mpi_kind), int(MPI_MESSAGE_NO_PROC, mpi_kind), is_own(own))
   end subroutine

   ! ---- gravel_imrecv, gravel_mrecv

   subroutine imrecv_i4(buffer, count, datatype, message, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(inout) :: message
      integer(i4), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i4)
      request = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mrecv_i4(buffer, count, datatype, message, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(inout) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i4)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mrecv_status_i4(buffer, count, datatype, message, status, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      integer(i4), intent(in) :: datatype
      integer(i4), intent(inout) :: message
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i4)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine imrecv_i8(buffer, count, datatype, message, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(inout) :: message
      integer(i8), intent(out) :: request
      integer(i8), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i8)
      request = int(own, i8)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine mrecv_i8(buffer, count, datatype, message, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(inout) :: message
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i8)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine mrecv_status_i8(buffer, count, datatype, message, status, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(i8), intent(in) :: datatype
      integer(i8), intent(inout) :: message
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(i8), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype, mpi_kind), matched, own, error)
      message = int(matched, i8)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (present(ierror)) ierror = int(error, i8)
   end subroutine

   subroutine imrecv_f08(buffer, count, datatype, message, request, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Request), intent(out) :: request
      integer(i4), intent(out), optional :: ierror
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message%MPI_VAL, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), matched, own, error)
      message%MPI_VAL = int(matched, i4)
      request%MPI_VAL = int(own, i4)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mrecv_f08(buffer, count, datatype, message, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message%MPI_VAL, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), matched, own, error)
      message%MPI_VAL = int(matched, i4)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine mrecv_status_f08(buffer, count, datatype, message, status, ierror)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i4), intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Status), intent(inout) :: status
      integer(i4), intent(out), optional :: ierror
      type(completion_description) :: completion
      integer(c_int) :: own
      integer(mpi_kind) :: matched, error
      matched = int(message%MPI_VAL, mpi_kind)
      call receive_matched(buffer, int(count, i8), int(datatype%MPI_VAL, mpi_kind), matched, own, error)
      message%MPI_VAL = int(matched, i4)
      if (error == MPI_SUCCESS) call wait_for(own, buffer, completion, error)
      if (error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (present(ierror)) ierror = int(error, i4)
   end subroutine

   subroutine receive_matched(buffer, count, datatype, message, request, error)
      use mpi, only: MPI_MESSAGE_NULL
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype
      integer(mpi_kind), intent(inout) :: message
      integer(c_int), intent(out) :: request
      integer(mpi_kind), intent(out) :: error
      type(message_description) :: description
      integer(c_int) :: code, own
      request = int(MPI_REQUEST_NULL, c_int)
      own = int(message, c_int)
      if (.not. is_own(own)) then
         call receive_matched_by_mpi(buffer, count, datatype, message, request, error)
         return
      end if
      ! The message is Gravel's, whatever its communicator is by now.
      call describe(buffer, count, datatype, attached(), description, code)
      if (code == code_success) code = gravel_rt_imrecv(own, description, request)
      if (code == code_success) message = MPI_MESSAGE_NULL
      call conclude_operation(code, error)
   end subroutine

   subroutine receive_matched_by_mpi(buffer, count, datatype, message, request, error)
      use mpi_f08, only: MPI_Imrecv, MPI_Message
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype
      integer(mpi_kind), intent(inout) :: message
      integer(c_int), intent(inout) :: request
      integer(mpi_kind), intent(out) :: error
      integer(c_int8_t), pointer, contiguous, asynchronous :: bytes(:)
      type(c_ptr) :: address
      type(MPI_Datatype) :: elements
      type(MPI_Message) :: matched
      type(MPI_Request) :: made
      integer(mpi_kind) :: length
      integer(c_int) :: code
      call locate_for_mpi(buffer, address, code)
      if (code == code_success .and. count > huge(length)) code = code_count
      if (code /= code_success) then
         call conclude_operation(code, error)
         return
      end if
      length = int(count, mpi_kind)
      elements%MPI_VAL = datatype
      matched%MPI_VAL = message
      call c_f_pointer(address, bytes, [1])
      call MPI_Imrecv(bytes, length, elements, matched, made, error)
      message = matched%MPI_VAL
      if (error == MPI_SUCCESS) request = int(made%MPI_VAL, c_int)
   end subroutine

   ! ---- gravel_buffer_attached, gravel_buffer_detached

   subroutine buffer_attached_i4(bytes)
      integer(i4), intent(in) :: bytes
      call attach_buffer(int(max(bytes, 0_i4), c_int64_t))
   end subroutine

   subroutine buffer_attached_i8(bytes)
      integer(i8), intent(in) :: bytes
      call attach_buffer(int(max(bytes, 0_i8), c_int64_t))
   end subroutine

   subroutine gravel_buffer_detached()
      call attach_buffer(-1_c_int64_t)
   end subroutine

   subroutine attach_buffer(bytes)
      integer(c_int64_t), intent(in) :: bytes
      integer(c_int) :: code
      if (gravel_rt_is_running() /= 0) code = gravel_rt_attach_buffer(bytes, int(MPI_BSEND_OVERHEAD, c_int64_t))
   end subroutine

   ! ---- statuses

   ! What MPI_Wait would have put into a status, unless that is MPI_STATUS_IGNORE.

   subroutine give_status_i4(completion, status, error)
      type(completion_description), intent(in) :: completion
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(mpi_kind), intent(inout) :: error
      integer(i4) :: own_error
      if (gravel_rt_same_object(status, MPI_STATUS_IGNORE) /= 0) return
      if (completion%kind == completed_by_mpi) then
         own_error = status(MPI_ERROR)
         status = int(mpi_statuses(:, completion%bytes), i4)
         if (completion%tag == 0) status(MPI_ERROR) = own_error
         return
      end if
      call make_status(completion, error)
      if (error /= MPI_SUCCESS) return
      own_error = status(MPI_ERROR)
      status = int(last_status, i4)
      status(MPI_ERROR) = own_error
   end subroutine

   subroutine give_status_i8(completion, status, error)
      type(completion_description), intent(in) :: completion
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(mpi_kind), intent(inout) :: error
      integer, parameter :: words = MPI_STATUS_SIZE*(storage_size(0_i8)/storage_size(MPI_SUCCESS))
      integer(mpi_kind) :: copy(words), own_error
      if (gravel_rt_same_object(status, MPI_STATUS_IGNORE) /= 0) return
      if (completion%kind == completed_by_mpi) then
         copy = transfer(status, copy)
         own_error = copy(MPI_ERROR)
         copy(:MPI_STATUS_SIZE) = mpi_statuses(:, completion%bytes)
         if (completion%tag == 0) copy(MPI_ERROR) = own_error
         status = transfer(copy, status)
         return
      end if
      call make_status(completion, error)
      if (error /= MPI_SUCCESS) return
      ! An MPI with shorter integers uses the start of the array, two of its integers to an element.
      copy = transfer(status, copy)
      own_error = copy(MPI_ERROR)
      copy(:MPI_STATUS_SIZE) = last_status
      copy(MPI_ERROR) = own_error
      status = transfer(copy, status)
   end subroutine

   subroutine give_status_f08(completion, status, error)
      use mpi_f08, only: MPI_Status_set_cancelled, MPI_Status_set_elements_x
      type(completion_description), intent(in) :: completion
      type(MPI_Status), intent(inout) :: status
      integer(mpi_kind), intent(inout) :: error
      integer(mpi_kind) :: source, tag, own_error
      integer(MPI_COUNT_KIND) :: bytes
      if (gravel_rt_same_status(status, f08_status_ignore) /= 0) return
      if (completion%kind == completed_by_mpi) then
         own_error = status%MPI_ERROR
         ! The integers are the type's components, in their order.
         status = transfer(mpi_statuses(:, completion%bytes), status)
         if (completion%tag == 0) status%MPI_ERROR = own_error
         return
      end if
      if (.not. is_same(completion, last_completion_f08)) then
         call translate(completion, source, tag, bytes)
         call MPI_Status_set_elements_x(last_status_f08, f08_byte, bytes, error)
         if (error == MPI_SUCCESS) call MPI_Status_set_cancelled(last_status_f08, is_cancelled(completion), error)
         if (error /= MPI_SUCCESS) return
         last_status_f08%MPI_SOURCE = source
         last_status_f08%MPI_TAG = tag
         last_completion_f08 = completion
      end if
      own_error = status%MPI_ERROR
      status = last_status_f08
      status%MPI_ERROR = own_error
   end subroutine

   ! As MPI's calls that complete several requests do it: an error in a status, but only where such a call fails.

   subroutine give_completion_i4(completion, own_error, call_error, status)
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(in) :: own_error, call_error
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(mpi_kind) :: error
      error = MPI_SUCCESS
      if (own_error == MPI_SUCCESS) call give_status_i4(completion, status, error)
      if (call_error /= MPI_ERR_IN_STATUS) return
      ! MPI's status has its error already.
      if (completion%kind == completed_by_mpi .and. completion%tag == 1) return
      call give_error_i4(own_error, status)
   end subroutine

   subroutine give_completion_i8(completion, own_error, call_error, status)
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(in) :: own_error, call_error
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer(mpi_kind) :: error
      error = MPI_SUCCESS
      if (own_error == MPI_SUCCESS) call give_status_i8(completion, status, error)
      if (call_error /= MPI_ERR_IN_STATUS) return
      ! MPI's status has its error already.
      if (completion%kind == completed_by_mpi .and. completion%tag == 1) return
      call give_error_i8(own_error, status)
   end subroutine

   subroutine give_completion_f08(completion, own_error, call_error, status)
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(in) :: own_error, call_error
      type(MPI_Status), intent(inout) :: status
      integer(mpi_kind) :: error
      error = MPI_SUCCESS
      if (own_error == MPI_SUCCESS) call give_status_f08(completion, status, error)
      if (call_error /= MPI_ERR_IN_STATUS) return
      ! MPI's status has its error already.
      if (completion%kind == completed_by_mpi .and. completion%tag == 1) return
      call give_error_f08(own_error, status)
   end subroutine

   subroutine give_error_i4(error, status)
      integer(mpi_kind), intent(in) :: error
      integer(i4), intent(inout) :: status(MPI_STATUS_SIZE)
      status(MPI_ERROR) = int(error, i4)
   end subroutine

   subroutine give_error_i8(error, status)
      integer(mpi_kind), intent(in) :: error
      integer(i8), intent(inout) :: status(MPI_STATUS_SIZE)
      integer, parameter :: words = MPI_STATUS_SIZE*(storage_size(0_i8)/storage_size(MPI_SUCCESS))
      integer(mpi_kind) :: copy(words)
      copy = transfer(status, copy)
      copy(MPI_ERROR) = error
      status = transfer(copy, status)
   end subroutine

   subroutine give_error_f08(error, status)
      integer(mpi_kind), intent(in) :: error
      type(MPI_Status), intent(inout) :: status
      status%MPI_ERROR = error
   end subroutine

   ! Leaves in last_status what a status gets. Its MPI_ERROR is not touched by a wait, so each program's own stays.
   subroutine make_status(completion, error)
      use mpi, only: MPI_Status_set_cancelled, MPI_Status_set_elements_x
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: source, tag
      integer(MPI_COUNT_KIND) :: bytes
      if (.not. is_same(completion, last_completion)) then
         call translate(completion, source, tag, bytes)
         ! In bytes: MPI_Get_count with any datatype then gives its number of elements, or MPI_UNDEFINED for a part of one.
         call MPI_Status_set_elements_x(last_status, MPI_BYTE, bytes, error)
         if (error == MPI_SUCCESS) call MPI_Status_set_cancelled(last_status, is_cancelled(completion), error)
         if (error /= MPI_SUCCESS) return
         last_status(MPI_SOURCE) = source
         last_status(MPI_TAG) = tag
         last_completion = completion
      end if
      error = MPI_SUCCESS
   end subroutine

   pure function is_cancelled(completion)
      type(completion_description), intent(in) :: completion
      logical(mpi_kind) :: is_cancelled
      is_cancelled = completion%kind == completed_cancelled
   end function

   pure function is_same(first, second)
      type(completion_description), intent(in) :: first, second
      logical :: is_same
      is_same = first%kind == second%kind .and. first%source == second%source .and. first%tag == second%tag .and. &
         first%bytes == second%bytes
   end function

   subroutine translate(completion, source, tag, bytes)
      type(completion_description), intent(in) :: completion
      integer(mpi_kind), intent(out) :: source, tag
      integer(MPI_COUNT_KIND), intent(out) :: bytes
      source = MPI_ANY_SOURCE
      tag = MPI_ANY_TAG
      bytes = 0
      if (completion%kind == completed_proc_null) source = MPI_PROC_NULL
      if (completion%kind == completed_receive) then
         source = int(completion%source, mpi_kind)
         tag = int(completion%tag, mpi_kind)
         bytes = int(completion%bytes, MPI_COUNT_KIND)
      end if
   end subroutine

   ! ---- arguments and errors

   subroutine describe(buffer, count, datatype, comm, message, code)
      type(*), dimension(..), asynchronous, target :: buffer
      integer(i8), intent(in) :: count
      integer(mpi_kind), intent(in) :: datatype, comm
      type(message_description), intent(out) :: message
      integer(c_int), intent(out) :: code
      message%count = count
      if (have_last_datatype .and. datatype == last_datatype) then
         ! Nearly always: no call.
         message%datatype_bytes = last_datatype_bytes
         message%layout = 0
         code = code_success
      else
         call find_datatype(datatype, comm, message%datatype_bytes, message%layout, code)
      end if
      if (code == code_success) call locate(buffer, message%address, code)
      if (code == code_success .and. message%layout /= 0_c_int64_t) call resolve_bottom(message%address)
      message%element_bytes = message%datatype_bytes
   end subroutine

   ! A rank or a tag as C has it. A number that is too long for that becomes one that is no rank and no tag.
   pure function narrowed_i4(number) result(narrow)
      integer(i4), intent(in) :: number
      integer(c_int) :: narrow
      narrow = -huge(narrow)
      if (number > -huge(narrow) .and. number <= huge(narrow)) narrow = int(number, c_int)
   end function

   pure function narrowed_i8(number) result(narrow)
      integer(i8), intent(in) :: number
      integer(c_int) :: narrow
      narrow = -huge(narrow)
      if (number > -huge(narrow) .and. number <= huge(narrow)) narrow = int(number, c_int)
   end function

   ! Where a buffer begins. A section that is not contiguous is an error.
   subroutine locate(buffer, address, code)
      type(*), dimension(..), asynchronous, target :: buffer
      type(c_ptr), intent(out) :: address
      integer(c_int), intent(out) :: code
      integer(c_int64_t) :: element_bytes
      if (is_contiguous(buffer)) then
         address = c_loc(buffer)
         code = code_success
      else
         ! Knows all contiguous layouts, and reports the others.
         code = gravel_rt_describe(buffer, address, element_bytes)
      end if
   end subroutine

   ! A message whose datatype has gaps, or does not begin at the buffer: elements of the buffer are none of its, whatever their
   ! length.
   subroutine lies_apart(message)
      type(message_description), intent(inout) :: message
      call resolve_bottom(message%address)
      message%element_bytes = 0
   end subroutine

   ! Places relative to MPI_BOTTOM are addresses: to libgravel it is the null address.
   subroutine resolve_bottom(address)
      use, intrinsic :: iso_c_binding, only: c_associated
      use mpi, only: MPI_BOTTOM
      use mpi_f08, only: bottom_f08 => MPI_BOTTOM
      type(c_ptr), intent(inout) :: address
      type(c_ptr) :: bottom
      integer(c_int) :: code
      call locate(MPI_BOTTOM, bottom, code)
      if (c_associated(address, bottom)) address = c_null_ptr
      call locate(bottom_f08, bottom, code)
      if (c_associated(address, bottom)) address = c_null_ptr
   end subroutine

   ! The length of an element, and where its data lies. Datatypes that can't be moved are refused.
   subroutine find_datatype(datatype, comm, bytes, layout, code)
      integer(mpi_kind), intent(in) :: datatype, comm
      integer(c_int64_t), intent(out) :: bytes, layout
      integer(c_int), intent(out) :: code
      type(datatype_description) :: description
      code = code_success
      layout = 0_c_int64_t
      if (have_last_datatype) then
         if (datatype == last_datatype) then
            bytes = last_datatype_bytes
            return
         end if
      end if
      if (gravel_rt_is_left_to_mpi(int(comm, c_int)) /= 0) then
         ! MPI knows the datatypes of its own messages.
         bytes = 0
         code = code_left_to_mpi
         return
      end if
      description%bytes = 0
      description%layout = 0
      description%permanent = 0
      code = gravel_rt_datatype(int(datatype, c_int), description)
      bytes = description%bytes
      layout = description%layout
      if (code == code_success .and. description%permanent /= 0 .and. layout == 0_c_int64_t) then
         have_last_datatype = .true.
         last_datatype = datatype
         last_datatype_bytes = bytes
      end if
   end subroutine

   ! The communicator that gravel_init was given; the world before that.
   function attached() result(comm)
      integer(mpi_kind) :: comm
      comm = int(gravel_rt_attached(int(MPI_COMM_WORLD, c_int)), mpi_kind)
   end function

   ! The duplicate of gravel_init's communicator; the world before that.
   function duplicate_comm() result(comm)
      integer(mpi_kind) :: comm
      comm = int(gravel_rt_duplicate(int(MPI_COMM_WORLD, c_int)), mpi_kind)
   end function

   function f08_comm(handle) result(comm)
      integer(mpi_kind), intent(in) :: handle
      type(MPI_Comm) :: comm
      comm%MPI_VAL = handle
   end function

   ! Ends a call that names no communicator: a failed one goes to the error handler of its operation's.
   subroutine conclude_operation(code, error)
      integer(c_int), intent(in) :: code
      integer(mpi_kind), intent(out) :: error
      if (code == code_success) then
         error = MPI_SUCCESS
      else
         call conclude(code, int(gravel_rt_failed_communicator(int(MPI_COMM_WORLD, c_int)), mpi_kind), error)
      end if
   end subroutine

   ! Ends every call: a failed one goes to the communicator's MPI error handler, which by default aborts the program. Before
   ! MPI_Init and after MPI_Finalize there is none that could be called.
   subroutine conclude(code, comm, error)
      use mpi, only: MPI_Comm_call_errhandler
      integer(c_int), intent(in) :: code
      integer(mpi_kind), intent(in) :: comm
      integer(mpi_kind), intent(out) :: error
      integer(mpi_kind) :: ignored
      select case (code)
      case (code_success)
         error = MPI_SUCCESS
         return
      case (code_communicator)
         error = MPI_ERR_COMM
      case (code_rank)
         error = MPI_ERR_RANK
      case (code_tag)
         error = MPI_ERR_TAG
      case (code_count)
         error = MPI_ERR_COUNT
      case (code_datatype)
         error = MPI_ERR_TYPE
      case (code_buffer)
         error = MPI_ERR_BUFFER
      case (code_request)
         error = MPI_ERR_REQUEST
      case (code_truncated)
         error = MPI_ERR_TRUNCATE
      case (code_told_already)
         error = int(gravel_rt_told_error(), mpi_kind)
         return
      case default
         error = MPI_ERR_OTHER
      end select
      if (is_mpi_there()) call MPI_Comm_call_errhandler(comm, error, ignored)
   end subroutine

   ! Whether MPI can be called: not before MPI_Init nor after MPI_Finalize, where calls of Gravel are errors, too.
   function is_mpi_there()
      use mpi, only: MPI_Finalized, MPI_Initialized
      logical :: is_mpi_there
      logical(mpi_kind) :: is_initialized, is_finalized
      integer(mpi_kind) :: ignored
      call MPI_Initialized(is_initialized, ignored)
      call MPI_Finalized(is_finalized, ignored)
      is_mpi_there = is_initialized .and. .not. is_finalized
   end function

   ! ---- callbacks: what libgravel needs of MPI. They have no binding labels, so that no name can clash.

   ! Waits for a collective call of MPI. Where ranks outnumber processors, a blocking call would keep the processor from
   ! those that it waits for, and take a time slice of each of them.
   subroutine complete(request, error)
      use mpi, only: MPI_Test
      integer(mpi_kind), intent(inout) :: request
      integer(mpi_kind), intent(out) :: error
      logical(mpi_kind) :: done
      integer(c_int) :: in_vain
      in_vain = 0
      call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
      do while (error == MPI_SUCCESS .and. .not. done)
         call gravel_rt_pause(in_vain)
         in_vain = min(in_vain + 1_c_int, 32767_c_int)
         call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
      end do
   end subroutine

   ! Through mpi_f08, because not every module mpi declares procedures with buffer arguments.
   function all_gather(mine, all, bytes) bind(c, name="") result(code)
      use mpi_f08, only: MPI_Comm_size, MPI_Iallgather, MPI_Request
      type(c_ptr), value :: mine, all
      integer(c_int), value :: bytes
      integer(c_int) :: code
      integer(c_int8_t), pointer, contiguous, asynchronous :: mine_bytes(:), all_bytes(:)
      integer(mpi_kind) :: error, ranks
      type(MPI_Comm) :: comm
      type(MPI_Request) :: request
      comm%MPI_VAL = duplicate_comm()
      call MPI_Comm_size(comm, ranks, error)
      if (error == MPI_SUCCESS) then
         call c_f_pointer(mine, mine_bytes, [bytes])
         call c_f_pointer(all, all_bytes, [int(bytes, c_int64_t)*ranks])
         call MPI_Iallgather(mine_bytes, int(bytes, mpi_kind), f08_byte, all_bytes, int(bytes, mpi_kind), f08_byte, &
            comm, request, error)
         if (error == MPI_SUCCESS) call complete(request%MPI_VAL, error)
      end if
      code = int(error, c_int)
   end function

   ! A probe that finds nothing makes MPI look at all its connections. Nobody sends on the duplicate; a probe of
   ! MPI_COMM_SELF would be answered by MPICH without looking further.
   subroutine progress() bind(c, name="")
      use mpi, only: MPI_Iprobe
      logical(mpi_kind) :: found
      integer(mpi_kind) :: error
      call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, duplicate_comm(), found, MPI_STATUS_IGNORE, error)
   end subroutine

   function begin_barrier() bind(c, name="") result(code)
      use mpi, only: MPI_Ibarrier
      integer(c_int) :: code
      integer(mpi_kind) :: error
      call MPI_Ibarrier(duplicate_comm(), barrier_request, error)
      code = int(error, c_int)
   end function

   function test_barrier(done) bind(c, name="") result(code)
      use mpi, only: MPI_Test
      integer(c_int), intent(out) :: done
      integer(c_int) :: code
      logical(mpi_kind) :: complete
      integer(mpi_kind) :: error
      call MPI_Test(barrier_request, complete, MPI_STATUS_IGNORE, error)
      done = merge(1_c_int, 0_c_int, complete)
      code = int(error, c_int)
   end function

end module gravel
