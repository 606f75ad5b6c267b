//! The routines of MPI (version 4.0): the names of their Fortran arguments in order, and what they do.

use crate::ir::{CompletionKind, ConstructorKind};

/// What a routine does, in terms of its arguments' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A send; with a `request` argument it is non-blocking.
    Send(Mode),
    /// A receive; with a `request` argument it is non-blocking.
    Receive,
    /// MPI_SENDRECV_REPLACE.
    Replace,
    /// MPI_SENDRECV.
    SendReceive,
    /// MPI_ALLTOALL.
    AllToAll,
    /// MPI_ALLTOALLV.
    AllToAllInBlocks,
    /// MPI_SEND_INIT and the like.
    PrepareSend(Mode),
    /// MPI_RECV_INIT.
    PrepareReceive,
    /// MPI_START and MPI_STARTALL.
    Start,
    /// MPI_REQUEST_FREE.
    Release,
    /// MPI_WAIT.
    Wait,
    /// MPI_WAITALL.
    WaitAll,
    /// A test, or a wait for any or some of several requests.
    Complete(CompletionKind),
    /// MPI_INIT and MPI_INIT_THREAD.
    Initialize,
    /// MPI_FINALIZE.
    Finalize,
    /// MPI_ABORT.
    Abort,
    /// Reads its arguments and writes the named ones.
    Inquiry(&'static [&'static str]),
    /// Makes the datatype `newtype` out of the others, this way.
    CreateDatatype(ConstructorKind),
    /// Makes a communicator out of the one with the first name (none if there are several); the second name is that of
    /// the argument that takes it.
    CreateCommunicator(Option<&'static str>, &'static str),
    /// MPI_OP_CREATE: MPI calls `user_fn` in reductions from then on.
    CreateReduction,
    /// Takes no part in point-to-point communication and may write only the named arguments; the text describes it.
    ApartBut(&'static [&'static str], &'static str),
    /// May match messages with these tags on the communicator `comm`; the text describes it.
    Matches(&'static [&'static str], &'static str),
    /// Matches no message, but may complete or cancel the requests among its arguments; the text describes it.
    Completes(&'static str),
    /// May match any message, or complete requests; the text describes it.
    MayAnything(&'static str),
}

/// The modes of sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// MPI_SEND.
    Standard,
    /// MPI_SSEND.
    Synchronous,
    /// MPI_RSEND.
    Ready,
    /// MPI_BSEND.
    Buffered,
}

/// A routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Routine {
    /// The names of its arguments without `ierror`, separated by blanks; `None` where they do not matter.
    pub arguments: Option<&'static str>,
    /// What it does.
    pub action: Action,
}

const fn routine(arguments: &'static str, action: Action) -> Routine {
    Routine { arguments: Some(arguments), action }
}

const fn unnamed(action: Action) -> Routine {
    Routine { arguments: None, action }
}

const SEND: &str = "buf count datatype dest tag comm";
const ISEND: &str = "buf count datatype dest tag comm request";
const SOME: &str = "incount array_of_requests outcount array_of_indices array_of_statuses";
const BLOCKS: &str = "count array_of_blocklengths array_of_displacements oldtype newtype";
const EQUAL_BLOCKS: &str = "count blocklength array_of_displacements oldtype newtype";
const BUFFER_OF_SENDS: &str = "the buffer of buffered sends";
const PARTITIONED: Action = Action::Matches(&["tag"], "a partitioned operation");

/// The routine `name` (in lower case).
pub(super) fn find(name: &str) -> Routine {
    let Some(short) = name.strip_prefix("mpi_") else {
        // Calls of the profiling interface are as good as the calls they stand for, but nobody means them lightly.
        return unnamed(Action::MayAnything("a call of MPI's profiling interface"));
    };
    known(short).unwrap_or_else(|| unnamed(Action::MayAnything(other(short))))
}

/// Is it the name (in lower case) of a routine of which is known what it does?
pub(super) fn is_known(name: &str) -> bool {
    name.strip_prefix("mpi_").is_some_and(|short| known(short).is_some())
}

fn known(short: &str) -> Option<Routine> {
    point_to_point(short)
        .or_else(|| environment(short))
        .or_else(|| communicators(short))
        .or_else(|| datatypes(short))
        .or_else(|| collective(short))
        .or_else(|| handles(short))
        .or_else(|| files(short))
}

/// Chapters 3 and 4.
fn point_to_point(short: &str) -> Option<Routine> {
    use Action::*;
    Some(match short {
        "send" => routine(SEND, Send(Mode::Standard)),
        "ssend" => routine(SEND, Send(Mode::Synchronous)),
        "rsend" => routine(SEND, Send(Mode::Ready)),
        "bsend" => routine(SEND, Send(Mode::Buffered)),
        "isend" => routine(ISEND, Send(Mode::Standard)),
        "issend" => routine(ISEND, Send(Mode::Synchronous)),
        "irsend" => routine(ISEND, Send(Mode::Ready)),
        "ibsend" => routine(ISEND, Send(Mode::Buffered)),
        "recv" => routine("buf count datatype source tag comm status", Receive),
        "irecv" => routine("buf count datatype source tag comm request", Receive),
        "wait" => routine("request status", Wait),
        "get_count" | "get_elements" | "get_elements_x" => routine("status datatype count", Inquiry(&["count"])),
        "test_cancelled" => routine("status flag", Inquiry(&["flag"])),
        "status_set_elements" | "status_set_elements_x" => routine("status datatype count", Inquiry(&["status"])),
        "status_set_cancelled" => routine("status flag", Inquiry(&["status"])),
        "waitall" => routine("count array_of_requests array_of_statuses", WaitAll),
        "test" => routine("request flag status", Complete(CompletionKind::Test)),
        "testall" => routine("count array_of_requests flag array_of_statuses", Complete(CompletionKind::TestAll)),
        "waitany" => routine("count array_of_requests index status", Complete(CompletionKind::WaitAny)),
        "testany" => routine("count array_of_requests index flag status", Complete(CompletionKind::TestAny)),
        "waitsome" => routine(SOME, Complete(CompletionKind::WaitSome)),
        "testsome" => routine(SOME, Complete(CompletionKind::TestSome)),
        "request_get_status" => unnamed(Completes("a look at requests")),
        "request_free" => routine("request", Release),
        "cancel" => unnamed(Completes("a cancellation")),
        "start" => routine("request", Start),
        "startall" => routine("count array_of_requests", Start),
        "pready" | "pready_range" | "pready_list" | "parrived" => unnamed(MayAnything("a partitioned operation")),
        "probe" => routine("source tag comm status", Matches(&["tag"], "a probe")),
        "iprobe" => routine("source tag comm flag status", Matches(&["tag"], "a probe")),
        "mprobe" => routine("source tag comm message status", Matches(&["tag"], "a probe")),
        "improbe" => routine("source tag comm flag message status", Matches(&["tag"], "a probe")),
        "mrecv" | "imrecv" => unnamed(MayAnything("a receive of a probed message")),
        "sendrecv" => routine(
            "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
            SendReceive,
        ),
        "isendrecv" => routine(
            "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm request",
            Matches(&["sendtag", "recvtag"], "a combined send and receive"),
        ),
        "sendrecv_replace" => routine("buf count datatype dest sendtag source recvtag comm status", Replace),
        "send_init" => routine(ISEND, PrepareSend(Mode::Standard)),
        "ssend_init" => routine(ISEND, PrepareSend(Mode::Synchronous)),
        "rsend_init" => routine(ISEND, PrepareSend(Mode::Ready)),
        "bsend_init" => routine(ISEND, PrepareSend(Mode::Buffered)),
        "recv_init" => routine("buf count datatype source tag comm request", PrepareReceive),
        "psend_init" => routine("buf partitions count datatype dest tag comm info request", PARTITIONED),
        "precv_init" => routine("buf partitions count datatype source tag comm info request", PARTITIONED),
        "buffer_attach" => routine("buffer size", ApartBut(&["buffer"], BUFFER_OF_SENDS)),
        "buffer_detach" => routine("buffer_addr size", ApartBut(&["buffer_addr", "size"], BUFFER_OF_SENDS)),
        _ => return None,
    })
}

/// Chapters 9 and 11.
fn environment(short: &str) -> Option<Routine> {
    use Action::*;
    Some(match short {
        "init" => routine("", Initialize),
        "init_thread" => routine("required provided", Initialize),
        "finalize" => routine("", Finalize),
        "abort" => routine("comm errorcode", Abort),
        "initialized" | "finalized" | "is_thread_main" => routine("flag", Inquiry(&["flag"])),
        "query_thread" => routine("provided", Inquiry(&["provided"])),
        "get_processor_name" => routine("name resultlen", Inquiry(&["name", "resultlen"])),
        "get_version" => routine("version subversion", Inquiry(&["version", "subversion"])),
        "get_library_version" => routine("version resultlen", Inquiry(&["version", "resultlen"])),
        "error_string" => routine("errorcode string resultlen", Inquiry(&["string", "resultlen"])),
        "error_class" => routine("errorcode errorclass", Inquiry(&["errorclass"])),
        "wtime" | "wtick" => routine("", Inquiry(&[])),
        "pcontrol" => routine("level", Inquiry(&[])),
        _ => return None,
    })
}

/// Chapters 7 and 8.
fn communicators(short: &str) -> Option<Routine> {
    use Action::*;
    Some(match short {
        "comm_rank" => routine("comm rank", Inquiry(&["rank"])),
        "comm_size" | "comm_remote_size" => routine("comm size", Inquiry(&["size"])),
        "comm_test_inter" => routine("comm flag", Inquiry(&["flag"])),
        "comm_compare" => routine("comm1 comm2 result", Inquiry(&["result"])),
        "comm_group" | "comm_remote_group" => routine("comm group", Inquiry(&["group"])),
        "comm_get_name" => routine("comm comm_name resultlen", Inquiry(&["comm_name", "resultlen"])),
        "comm_set_name" => routine("comm comm_name", Inquiry(&[])),
        "group_size" => routine("group size", Inquiry(&["size"])),
        "group_rank" => routine("group rank", Inquiry(&["rank"])),
        "group_translate_ranks" => routine("group1 n ranks1 group2 ranks2", Inquiry(&["ranks2"])),
        "group_compare" => routine("group1 group2 result", Inquiry(&["result"])),
        "group_union" | "group_intersection" | "group_difference" => {
            routine("group1 group2 newgroup", Inquiry(&["newgroup"]))
        }
        "group_incl" | "group_excl" | "group_range_incl" | "group_range_excl" => {
            routine("group n ranks newgroup", Inquiry(&["newgroup"]))
        }
        "group_free" => routine("group", Inquiry(&["group"])),
        "cart_rank" => routine("comm coords rank", Inquiry(&["rank"])),
        "cart_coords" => routine("comm rank maxdims coords", Inquiry(&["coords"])),
        "cart_shift" => routine("comm direction disp rank_source rank_dest", Inquiry(&["rank_source", "rank_dest"])),
        "cart_get" => routine("comm maxdims dims periods coords", Inquiry(&["dims", "periods", "coords"])),
        "cartdim_get" => routine("comm ndims", Inquiry(&["ndims"])),
        "cart_map" => routine("comm ndims dims periods newrank", Inquiry(&["newrank"])),
        "graph_map" => routine("comm nnodes index edges newrank", Inquiry(&["newrank"])),
        "graphdims_get" => routine("comm nnodes nedges", Inquiry(&["nnodes", "nedges"])),
        "graph_get" => routine("comm maxindex maxedges index edges", Inquiry(&["index", "edges"])),
        "graph_neighbors_count" => routine("comm rank nneighbors", Inquiry(&["nneighbors"])),
        "graph_neighbors" => routine("comm rank maxneighbors neighbors", Inquiry(&["neighbors"])),
        "topo_test" => routine("comm status", Inquiry(&["status"])),
        "dims_create" => routine("nnodes ndims dims", Inquiry(&["dims"])),
        "comm_dup" => routine("comm newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "comm_dup_with_info" => routine("comm info newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "comm_split" => routine("comm color key newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "comm_split_type" => routine("comm split_type key info newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "comm_create" => routine("comm group newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "comm_create_group" => routine("comm group tag newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "cart_create" => {
            routine("comm_old ndims dims periods reorder comm_cart", CreateCommunicator(Some("comm_old"), "comm_cart"))
        }
        "cart_sub" => routine("comm remain_dims newcomm", CreateCommunicator(Some("comm"), "newcomm")),
        "graph_create" => routine(
            "comm_old nnodes index edges reorder comm_graph",
            CreateCommunicator(Some("comm_old"), "comm_graph"),
        ),
        "dist_graph_create" => routine(
            "comm_old n sources degrees destinations weights info reorder comm_dist_graph",
            CreateCommunicator(Some("comm_old"), "comm_dist_graph"),
        ),
        "dist_graph_create_adjacent" => routine(
            "comm_old indegree sources sourceweights outdegree destinations destweights info reorder comm_dist_graph",
            CreateCommunicator(Some("comm_old"), "comm_dist_graph"),
        ),
        "intercomm_create" => routine(
            "local_comm local_leader peer_comm remote_leader tag newintercomm",
            CreateCommunicator(None, "newintercomm"),
        ),
        "intercomm_merge" => routine("intercomm high newintracomm", CreateCommunicator(None, "newintracomm")),
        "comm_free" | "comm_disconnect" => routine("comm", ApartBut(&["comm"], "the end of a communicator")),
        _ => return None,
    })
}

/// Chapter 5: everything about datatypes happens in the calling process.
fn datatypes(short: &str) -> Option<Routine> {
    use Action::{CreateDatatype, Inquiry};
    use ConstructorKind::{Blocks, Contiguous, Duplicate, Resized, Structure, Subarray, Vector};
    Some(match short {
        "type_contiguous" => routine("count oldtype newtype", CreateDatatype(Contiguous)),
        "type_vector" => {
            routine("count blocklength stride oldtype newtype", CreateDatatype(Vector { in_bytes: false }))
        }
        "type_hvector" | "type_create_hvector" => {
            routine("count blocklength stride oldtype newtype", CreateDatatype(Vector { in_bytes: true }))
        }
        "type_indexed" => routine(BLOCKS, CreateDatatype(Blocks { in_bytes: false, are_equal: false })),
        "type_hindexed" | "type_create_hindexed" => {
            routine(BLOCKS, CreateDatatype(Blocks { in_bytes: true, are_equal: false }))
        }
        "type_struct" | "type_create_struct" => routine(
            "count array_of_blocklengths array_of_displacements array_of_types newtype",
            CreateDatatype(Structure),
        ),
        "type_create_indexed_block" => {
            routine(EQUAL_BLOCKS, CreateDatatype(Blocks { in_bytes: false, are_equal: true }))
        }
        "type_create_hindexed_block" => {
            routine(EQUAL_BLOCKS, CreateDatatype(Blocks { in_bytes: true, are_equal: true }))
        }
        "type_create_subarray" => routine(
            "ndims array_of_sizes array_of_subsizes array_of_starts order oldtype newtype",
            CreateDatatype(Subarray),
        ),
        "type_create_darray" => routine(
            "size rank ndims array_of_gsizes array_of_distribs array_of_dargs array_of_psizes order oldtype newtype",
            Inquiry(&["newtype"]),
        ),
        "type_create_resized" => routine("oldtype lb extent newtype", CreateDatatype(Resized)),
        "type_dup" => routine("oldtype newtype", CreateDatatype(Duplicate)),
        "type_create_f90_real" | "type_create_f90_complex" => routine("p r newtype", Inquiry(&["newtype"])),
        "type_create_f90_integer" => routine("r newtype", Inquiry(&["newtype"])),
        "type_match_size" => routine("typeclass size datatype", Inquiry(&["datatype"])),
        "type_commit" | "type_free" => routine("datatype", Inquiry(&["datatype"])),
        "type_size" | "type_size_x" => routine("datatype size", Inquiry(&["size"])),
        "type_extent" => routine("datatype extent", Inquiry(&["extent"])),
        "type_lb" | "type_ub" => routine("datatype displacement", Inquiry(&["displacement"])),
        "type_get_extent" | "type_get_true_extent" | "type_get_extent_x" | "type_get_true_extent_x" => {
            routine("datatype lb extent", Inquiry(&["lb", "extent"]))
        }
        "get_address" | "address" => routine("location address", Inquiry(&["address"])),
        "sizeof" => routine("x size", Inquiry(&["size"])),
        "pack_size" => routine("incount datatype comm size", Inquiry(&["size"])),
        "pack" => routine("inbuf incount datatype outbuf outsize position comm", Inquiry(&["outbuf", "position"])),
        "unpack" => routine("inbuf insize position outbuf outcount datatype comm", Inquiry(&["position", "outbuf"])),
        _ => return None,
    })
}

/// Chapters 6, 7, 9 and 10: operations, attributes, error handlers and hints. What calls back is not among them, but for
/// reductions of the program's own: attributes, and error handlers of communicators.
fn handles(short: &str) -> Option<Routine> {
    use Action::{CreateReduction, Inquiry};
    Some(match short {
        "op_create" | "op_create_c" => routine("user_fn commute op", CreateReduction),
        "op_free" => routine("op", Inquiry(&["op"])),
        "op_commutative" => routine("op commute", Inquiry(&["commute"])),
        "attr_get" => routine("comm keyval attribute_val flag", Inquiry(&["attribute_val", "flag"])),
        "attr_put" => routine("comm keyval attribute_val", Inquiry(&[])),
        "comm_get_attr" => routine("comm comm_keyval attribute_val flag", Inquiry(&["attribute_val", "flag"])),
        "comm_set_attr" => routine("comm comm_keyval attribute_val", Inquiry(&[])),
        "comm_get_errhandler" | "errhandler_get" => routine("comm errhandler", Inquiry(&["errhandler"])),
        "file_set_errhandler" => routine("file errhandler", Inquiry(&[])),
        "file_get_errhandler" => routine("file errhandler", Inquiry(&["errhandler"])),
        "errhandler_free" => routine("errhandler", Inquiry(&["errhandler"])),
        "info_create" | "info_free" => routine("info", Inquiry(&["info"])),
        "info_set" => routine("info key value", Inquiry(&[])),
        "info_delete" => routine("info key", Inquiry(&[])),
        "info_get" => routine("info key valuelen value flag", Inquiry(&["value", "flag"])),
        "info_get_valuelen" => routine("info key valuelen flag", Inquiry(&["valuelen", "flag"])),
        "info_get_nkeys" => routine("info nkeys", Inquiry(&["nkeys"])),
        "info_get_nthkey" => routine("info n key", Inquiry(&["key"])),
        "info_dup" => routine("info newinfo", Inquiry(&["newinfo"])),
        "comm_get_info" => routine("comm info_used", Inquiry(&["info_used"])),
        _ => return None,
    })
}

/// Chapter 14: files. The processes that have opened one synchronise at some of these calls, on a communicator of MPI's own.
fn files(short: &str) -> Option<Routine> {
    use Action::{ApartBut, Inquiry};
    const FILE: &str = "parallel input or output";
    let operation = short.strip_prefix("file_")?;
    Some(match operation {
        "open" => routine("comm filename amode info fh", ApartBut(&["fh"], FILE)),
        "close" => routine("fh", ApartBut(&["fh"], FILE)),
        "delete" => routine("filename info", ApartBut(&[], FILE)),
        "set_size" | "preallocate" => routine("fh size", ApartBut(&[], FILE)),
        "sync" => routine("fh", ApartBut(&[], FILE)),
        "set_info" => routine("fh info", ApartBut(&[], FILE)),
        "set_atomicity" => routine("fh flag", ApartBut(&[], FILE)),
        "set_view" => routine("fh disp etype filetype datarep info", ApartBut(&[], FILE)),
        "seek" | "seek_shared" => routine("fh offset whence", ApartBut(&[], FILE)),
        "get_size" => routine("fh size", Inquiry(&["size"])),
        "get_group" => routine("fh group", Inquiry(&["group"])),
        "get_amode" => routine("fh amode", Inquiry(&["amode"])),
        "get_info" => routine("fh info_used", Inquiry(&["info_used"])),
        "get_view" => routine("fh disp etype filetype datarep", Inquiry(&["disp", "etype", "filetype", "datarep"])),
        "get_position" | "get_position_shared" => routine("fh offset", Inquiry(&["offset"])),
        "get_byte_offset" => routine("fh offset disp", Inquiry(&["disp"])),
        "get_type_extent" => routine("fh datatype extent", Inquiry(&["extent"])),
        "get_atomicity" => routine("fh flag", Inquiry(&["flag"])),
        "read" | "read_all" | "read_shared" | "read_ordered" => {
            routine("fh buf count datatype status", ApartBut(&["buf", "status"], FILE))
        }
        "read_at" | "read_at_all" => routine("fh offset buf count datatype status", ApartBut(&["buf", "status"], FILE)),
        "write" | "write_all" | "write_shared" | "write_ordered" => {
            routine("fh buf count datatype status", ApartBut(&["status"], FILE))
        }
        "iread" | "iread_all" | "iread_shared" => {
            routine("fh buf count datatype request", ApartBut(&["buf", "request"], FILE))
        }
        "iread_at" | "iread_at_all" => {
            routine("fh offset buf count datatype request", ApartBut(&["buf", "request"], FILE))
        }
        "iwrite" | "iwrite_all" | "iwrite_shared" => {
            routine("fh buf count datatype request", ApartBut(&["request"], FILE))
        }
        "iwrite_at" | "iwrite_at_all" => routine("fh offset buf count datatype request", ApartBut(&["request"], FILE)),
        "write_at" | "write_at_all" => routine("fh offset buf count datatype status", ApartBut(&["status"], FILE)),
        _ => return None,
    })
}

/// Chapter 6, blocking and non-blocking.
fn collective(short: &str) -> Option<Routine> {
    if let Some((arguments, written)) = collective_arguments(short) {
        let action = match short {
            "alltoall" => Action::AllToAll,
            "alltoallv" => Action::AllToAllInBlocks,
            _ => Action::ApartBut(written[0], "a collective operation"),
        };
        return Some(routine(arguments[0], action));
    }
    // The requests of non-blocking ones are completed with others.
    let (arguments, written) = collective_arguments(short.strip_prefix('i')?)?;
    Some(routine(arguments[1], Action::ApartBut(written[1], "a non-blocking collective operation")))
}

/// The arguments of a collective operation, and those that it writes: when it blocks, and when it does not.
fn collective_arguments(short: &str) -> Option<([&'static str; 2], [&'static [&'static str]; 2])> {
    macro_rules! arguments {
        ($names:literal) => {
            [$names, concat!($names, " request")]
        };
    }
    const NOTHING: [&[&str]; 2] = [&[], &["request"]];
    const BUFFER: [&[&str]; 2] = [&["buffer"], &["buffer", "request"]];
    const RECEIVED: [&[&str]; 2] = [&["recvbuf"], &["recvbuf", "request"]];
    let (arguments, written) = match short {
        "barrier" => (arguments!("comm"), NOTHING),
        "bcast" => (arguments!("buffer count datatype root comm"), BUFFER),
        "reduce" => (arguments!("sendbuf recvbuf count datatype op root comm"), RECEIVED),
        "allreduce" | "scan" | "exscan" => (arguments!("sendbuf recvbuf count datatype op comm"), RECEIVED),
        "reduce_scatter_block" => (arguments!("sendbuf recvbuf recvcount datatype op comm"), RECEIVED),
        "reduce_scatter" => (arguments!("sendbuf recvbuf recvcounts datatype op comm"), RECEIVED),
        "gather" | "scatter" => {
            (arguments!("sendbuf sendcount sendtype recvbuf recvcount recvtype root comm"), RECEIVED)
        }
        "gatherv" => (arguments!("sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm"), RECEIVED),
        "scatterv" => (arguments!("sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm"), RECEIVED),
        "allgather" | "alltoall" | "neighbor_allgather" | "neighbor_alltoall" => {
            (arguments!("sendbuf sendcount sendtype recvbuf recvcount recvtype comm"), RECEIVED)
        }
        "allgatherv" | "neighbor_allgatherv" => {
            (arguments!("sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm"), RECEIVED)
        }
        "alltoallv" | "neighbor_alltoallv" => {
            (arguments!("sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm"), RECEIVED)
        }
        "alltoallw" | "neighbor_alltoallw" => {
            (arguments!("sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm"), RECEIVED)
        }
        _ => return None,
    };
    Some((arguments, written))
}

/// A word for everything else.
fn other(short: &str) -> &'static str {
    if short.contains("errhandler") {
        "an error handler"
    } else if short.starts_with("win_")
        || ["put", "get", "rput", "rget"].contains(&short)
        || short.contains("accumulate")
        || short.contains("fetch_and_op")
        || short.contains("compare_and_swap")
    {
        "one-sided communication"
    } else if short.starts_with("file_") {
        "parallel input or output"
    } else if short.contains("keyval") || short.contains("attr_") || short.contains("_attr") {
        "an attribute"
    } else if short.contains("spawn") || short.contains("port") || short.contains("accept") || short.contains("connect")
    {
        "dynamic processes"
    } else {
        "a call of MPI that gravelc does not know"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_output_is_an_argument() {
        let shorts = [
            "get_count",
            "cart_shift",
            "comm_split",
            "cart_create",
            "dist_graph_create",
            "pack",
            "type_create_subarray",
            "probe",
            "comm_free",
            "allreduce",
            "igatherv",
            "neighbor_alltoallw",
            "attr_get",
            "info_get",
            "errhandler_get",
            "file_open",
            "file_get_view",
            "file_read_at_all",
            "file_iwrite",
        ];
        for short in shorts {
            let routine = find(&format!("mpi_{short}"));
            let arguments: Vec<&str> = routine.arguments.unwrap().split_whitespace().collect();
            let named: Vec<&str> = match routine.action {
                Action::Inquiry(outputs) => outputs.to_vec(),
                Action::CreateDatatype(_) => vec!["newtype"],
                Action::CreateCommunicator(parent, created) => parent.into_iter().chain([created]).collect(),
                Action::ApartBut(outputs, _) => outputs.to_vec(),
                Action::Matches(tags, _) => tags.to_vec(),
                _ => Vec::new(),
            };
            assert!(!named.is_empty() && named.iter().all(|name| arguments.contains(name)), "{short}");
        }
    }

    #[test]
    fn what_is_not_known_may_do_anything() {
        assert!(matches!(find("mpi_frobnicate").action, Action::MayAnything(_)));
        assert!(matches!(find("pmpi_send").action, Action::MayAnything(_)));
        assert_eq!(find("mpi_win_create").action, Action::MayAnything("one-sided communication"));
        let written: &[&str] = &["recvbuf", "request"];
        let ialltoallv = Action::ApartBut(written, "a non-blocking collective operation");
        assert_eq!(find("mpi_ialltoallv").action, ialltoallv);
        assert_eq!(find("mpi_comm_set_errhandler").action, Action::MayAnything("an error handler"));
        assert_eq!(find("mpi_comm_create_errhandler").action, Action::MayAnything("an error handler"));
        assert_eq!(find("mpi_op_create").action, Action::CreateReduction);
        assert_eq!(find("mpi_file_read_all_begin").action, Action::MayAnything("parallel input or output"));
    }
}
