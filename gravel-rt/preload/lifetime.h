/* libgravel_mpi.so: init and finalize, and what makes communicators. */

/* Says why nothing is carried; one rank does. */
static void step_aside(int rank, const char *why) {
    const char *log = getenv("GRAVEL_LOG");
    if (rank == 0 && (log == NULL || (strcmp(log, "error") != 0 && strcmp(log, "off") != 0)))
        fprintf(stderr, "gravel: MPI carries all messages of this program: %s\n", why);
}

/* Whether the library behind is the MPI that this one was compiled with. */
static int is_own_mpi(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", expected[64];
    int length = 0;
    if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return 0;
#if defined(OMPI_MAJOR_VERSION)
    snprintf(expected, sizeof expected, "Open MPI v%d.", OMPI_MAJOR_VERSION);
    return strncmp(text, expected, strlen(expected)) == 0;
#elif defined(MPICH_NUMVERSION)
    (void)expected;
    return strstr(text, "Open MPI") == NULL;
#else
    (void)expected;
    return 1;
#endif
}

static int attach(int error, const MPI_Comm *made) {
    if (carries && error == MPI_SUCCESS && *made != MPI_COMM_NULL) {
        is_tried = 1;
        gravel_attach(*made);
        is_tried = 0;
    }
    return error;
}

static void begin(int threads) {
    int mine[2], all[2], rank = 0, *bound = NULL, has_bound = 0;
    MPI_Comm self = MPI_COMM_SELF;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine[0] = threads <= MPI_THREAD_FUNNELED;
    mine[1] = is_own_mpi();
    /* All ranks alike. */
    if (PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS) return;
    if (!all[1]) {
        step_aside(rank, "libgravel_mpi.so was made for another MPI than the program's");
        return;
    }
    if (!all[0]) {
        step_aside(rank, "it has asked for more than MPI_THREAD_FUNNELED");
        return;
    }
    world_handle = (int)MPI_Comm_c2f(MPI_COMM_WORLD);
    is_tried = 1;
    gravel_rt_stand_for_mpi();
    carries = gravel_init(MPI_COMM_WORLD) == MPI_SUCCESS;
    is_tried = 0;
    if (!carries) {
        step_aside(rank, "gravel_init has failed");
        return;
    }
    attach(MPI_SUCCESS, &self);
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &has_bound);
    if (has_bound) largest_tag = *bound;
}

EXPORT(Init, (int *argc, char ***argv)) {
    int error;
    find_mpi();
    error = mpi.Init(argc, argv);
    if (error == MPI_SUCCESS) begin(MPI_THREAD_SINGLE);
    return error;
}

EXPORT(Init_thread, (int *argc, char ***argv, int required, int *provided)) {
    int error;
    find_mpi();
    error = mpi.Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) begin(required);
    return error;
}

EXPORT(Finalize, (void)) {
    if (carries) {
        carries = 0;
        gravel_finalize();
    }
    return mpi.Finalize();
}

EXPORT(Comm_dup, (MPI_Comm comm, MPI_Comm *made)) { return attach(mpi.Comm_dup(comm, made), made); }

EXPORT(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made)) {
    return attach(mpi.Comm_dup_with_info(comm, info, made), made);
}

EXPORT(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made)) {
    return attach(mpi.Comm_create(comm, group, made), made);
}

EXPORT(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)) {
    return attach(mpi.Comm_create_group(comm, group, tag, made), made);
}

EXPORT(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made)) {
    return attach(mpi.Comm_split(comm, color, key, made), made);
}

EXPORT(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)) {
    return attach(mpi.Comm_split_type(comm, type, key, info, made), made);
}

EXPORT(Cart_create, (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder, MPI_Comm *made)) {
    return attach(mpi.Cart_create(comm, dimensions, sizes, periods, reorder, made), made);
}

EXPORT(Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *made)) {
    return attach(mpi.Cart_sub(comm, remains, made), made);
}

EXPORT(Graph_create, (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made)) {
    return attach(mpi.Graph_create(comm, nodes, index, edges, reorder, made), made);
}

EXPORT(Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                           const int weights[], MPI_Info info, int reorder, MPI_Comm *made)) {
    return attach(mpi.Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, made), made);
}

EXPORT(Dist_graph_create_adjacent,
       (MPI_Comm comm, int indegree, const int sources[], const int source_weights[], int outdegree,
        const int destinations[], const int destination_weights[], MPI_Info info, int reorder, MPI_Comm *made)) {
    return attach(mpi.Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree, destinations,
                                                 destination_weights, info, reorder, made),
                  made);
}

EXPORT(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made)) {
    return attach(mpi.Intercomm_merge(comm, high, made), made);
}
