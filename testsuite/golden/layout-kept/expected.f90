!  Layout that has to survive: tabs, trailing blanks, comments after statements, several
!  statements in a line, a label, no indentation, letters outside ASCII (Größe, 大きさ).
program layout_kept
use mpi
use gravel
implicit none
	integer, parameter :: n = 30000      ! Größe des Puffers
integer   ::   ierr , rank , ranks,next,prev, request, i,step   
integer status( MPI_STATUS_SIZE )
double precision :: sbuf(n),rbuf(n)   , field( n )
double precision :: checksum, checksums(16)
integer(gravel_request_kind) :: gravel_s1
integer(gravel_transfer_kind) :: gravel_t1
integer :: gravel_lo1, gravel_hi1, gravel_step1
call mpi_init( ierr )
! gravel: the runtime starts after MPI
call gravel_init(mpi_comm_world)
call mpi_comm_rank( mpi_comm_world , rank , ierr ) ; call mpi_comm_size( mpi_comm_world, ranks, ierr )
next = mod( rank+1 , ranks );prev=mod(rank-1+ranks,ranks)
do i = 1,n ; field(i) = dble(rank+1)+dble(mod(i,9)) ; end do

do 20 step = 1 , 3
	! receive first
	! gravel: posted here, was line 18: Call Mpi_Irecv ( rbuf , n , MPI_Double_Precision , prev , 12 , MPI_Com...
	call gravel_post_rcv_buffer_rdma(rbuf, n, MPI_Double_Precision, prev, 12, MPI_Comm_World, request, ierr) ! early
	! gravel: one handshake, a put per tile, was line 22: call mpi_send ( sbuf , n , mpi_double_precision , ne...
	call gravel_wait_rcv_buffer(sbuf, n, mpi_double_precision, next, 12, mpi_comm_world, gravel_t1)
	i = 1
	gravel_step1 = gravel_tile(gravel_t1, n)
	do gravel_lo1 = 1, n, gravel_step1
	   gravel_hi1 = gravel_lo1 + min(gravel_step1 - 1, n - gravel_lo1)
   	do i = gravel_lo1 , gravel_hi1
   		sbuf( i ) = field( i )*0.5d0   ! the outgoing half
   	enddo
	   call gravel_post_os_put(gravel_t1, sbuf, gravel_lo1 - 1, gravel_hi1 - gravel_lo1 + 1)
	end do
	! gravel: sent tile by tile above, was line 22: call mpi_send ( sbuf , n , mpi_double_precision , next , 1...
	call gravel_send_fin(gravel_t1, gravel_s1, ierr)

	! gravel: waits here, was line 28: call mpi_wait( request , status , ierr )
	call gravel_wait(request, rbuf, status, ierr)
	field( 1:n ) = field( 1:n )*0.5d0 + rbuf( 1:n )
	! gravel: the wait moved here, was line 22: call mpi_send ( sbuf , n , mpi_double_precision , next , 12 , ...
	call gravel_wait(gravel_s1, sbuf)
20 continue

checksum = 0d0
do i = 1,n
checksum = checksum + field(i)*dble( mod(i,17) )
end do
call mpi_gather( checksum,1,mpi_double_precision, checksums,1,mpi_double_precision, 0,mpi_comm_world,ierr )
if ( rank==0 ) then
write(*,'(a,i0,a,es24.16)') ( 'rank ', i-1, ' checksum ', checksums(i), i=1,ranks )
endif
! gravel: the runtime ends before MPI
call gravel_finalize()
call mpi_finalize(ierr)
end
