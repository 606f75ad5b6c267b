/* libgravel_mpi.so: requests. gravel.h tells Gravel's from MPI's. */

EXPORT(Wait, (MPI_Request *request, MPI_Status *status)) {
    return carries ? gravel_wait_request(request, status) : mpi.Wait(request, status);
}

EXPORT(Test, (MPI_Request *request, int *flag, MPI_Status *status)) {
    return carries ? gravel_test_request(request, flag, status) : mpi.Test(request, flag, status);
}

EXPORT(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status)) {
    return carries ? gravel_request_get_status(request, flag, status) : mpi.Request_get_status(request, flag, status);
}

EXPORT(Waitall, (int count, MPI_Request requests[], MPI_Status *statuses)) {
    return carries ? gravel_waitall(count, requests, statuses) : mpi.Waitall(count, requests, statuses);
}

EXPORT(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses)) {
    return carries ? gravel_testall(count, requests, flag, statuses) : mpi.Testall(count, requests, flag, statuses);
}

EXPORT(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status)) {
    return carries ? gravel_waitany(count, requests, index, status) : mpi.Waitany(count, requests, index, status);
}

EXPORT(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)) {
    return carries ? gravel_testany(count, requests, index, flag, status)
                   : mpi.Testany(count, requests, index, flag, status);
}

EXPORT(Waitsome, (int count, MPI_Request requests[], int *ended, int indices[], MPI_Status *statuses)) {
    return carries ? gravel_waitsome(count, requests, ended, indices, statuses)
                   : mpi.Waitsome(count, requests, ended, indices, statuses);
}

EXPORT(Testsome, (int count, MPI_Request requests[], int *ended, int indices[], MPI_Status *statuses)) {
    return carries ? gravel_testsome(count, requests, ended, indices, statuses)
                   : mpi.Testsome(count, requests, ended, indices, statuses);
}

EXPORT(Request_free, (MPI_Request *request)) { return carries ? gravel_release(request) : mpi.Request_free(request); }

EXPORT(Cancel, (MPI_Request *request)) { return carries ? gravel_cancel(*request) : mpi.Cancel(request); }

EXPORT(Start, (MPI_Request *request)) {
    return carries && gravel_rt_is_own(*request) ? gravel_start(*request, NULL) : mpi.Start(request);
}

EXPORT(Startall, (int count, MPI_Request requests[])) {
    int k;
    for (k = 0; carries && k < count; k++)
        if (gravel_rt_is_own(requests[k])) break;
    if (!carries || k >= count) return mpi.Startall(count, requests);
    for (k = 0; k < count; k++) {
        int error = PMPI_Start(&requests[k]);
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}
