!  Layout that has to survive: tabs, trailing blanks, comments after statements, several
!  statements in a line, a label, no indentation, letters outside ASCII (Größe, 大きさ).
program layout_kept
use mpi
implicit none
	integer, parameter :: n = 30000      ! Größe des Puffers
integer   ::   ierr , rank , ranks,next,prev, request, i,step   
integer status( MPI_STATUS_SIZE )
double precision :: sbuf(n),rbuf(n)   , field( n )
double precision :: checksum, checksums(16)
call mpi_init( ierr )
call mpi_comm_rank( mpi_comm_world , rank , ierr ) ; call mpi_comm_size( mpi_comm_world, ranks, ierr )
next = mod( rank+1 , ranks );prev=mod(rank-1+ranks,ranks)
do i = 1,n ; field(i) = dble(rank+1)+dble(mod(i,9)) ; end do

do 20 step = 1 , 3
	! receive first
	Call Mpi_Irecv ( rbuf , n , MPI_Double_Precision , prev , 12 , MPI_Comm_World , request , ierr ) ! early
	do i = 1 , n
		sbuf( i ) = field( i )*0.5d0   ! the outgoing half
	enddo
	call mpi_send &
		( sbuf , n , mpi_double_precision &   ! what
		, next , 12                       &   ! to whom

		, mpi_comm_world , ierr )

	call mpi_wait( request , status , ierr )
	field( 1:n ) = field( 1:n )*0.5d0 + rbuf( 1:n )
20 continue

checksum = 0d0
do i = 1,n
checksum = checksum + field(i)*dble( mod(i,17) )
end do
call mpi_gather( checksum,1,mpi_double_precision, checksums,1,mpi_double_precision, 0,mpi_comm_world,ierr )
if ( rank==0 ) then
write(*,'(a,i0,a,es24.16)') ( 'rank ', i-1, ' checksum ', checksums(i), i=1,ranks )
endif
call mpi_finalize(ierr)
end
