//! The routines of MPI (version 4.0): the names of their Fortran arguments in order, and what they do.
//!
//! The table is `routines.txt`. A routine that can meet no point-to-point message concerns no other call of the program;
//! what it reads and writes is what the table says of its arguments.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::arguments::Argument;
use super::properties::Property;
use crate::ir::{CompletionKind, ConstructorKind};

/// What a routine does, in terms of its arguments' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
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
    /// Happens in the calling process alone and does not depend on others.
    Local,
    /// Makes the datatype `newtype` out of the others, this way.
    CreateDatatype(ConstructorKind),
    /// Makes a communicator, which the only written argument takes, out of the one with this name; `None` if there are several
    /// or none.
    CreateCommunicator(Option<&'static str>),
    /// From then on MPI may call the functions among its arguments, whose names begin or end with these words.
    CallsBack(CalledBack),
    /// A blocking collective operation: what it is handed it uses before it returns.
    Collective,
    /// The end of a communicator.
    EndsCommunicator,
    /// MPI_BUFFER_ATTACH.
    AttachBuffer,
    /// MPI_BUFFER_DETACH.
    DetachBuffer,
    /// Takes no part in point-to-point communication; the text describes it.
    Apart(&'static str),
    /// Likewise, but may touch memory that no argument names.
    ApartAnywhere(&'static str),
    /// May match messages with the tags among its arguments, on the communicator `comm` if it has one; the text describes it.
    Matches(&'static str),
    /// MPI_PROBE and the like.
    Probe,
    /// MPI_MRECV and MPI_IMRECV.
    ReceiveMatched,
    /// MPI_CANCEL.
    Cancel,
    /// MPI_REQUEST_GET_STATUS.
    Look,
    /// MPI_PREADY, MPI_PARRIVED and their kin.
    ConcernsParts,
    /// May match any message, or complete requests; the text describes it.
    MayAnything(&'static str),
    /// It has this to do with error handlers.
    ErrorHandler(HandlerAction),
}

/// What a routine does with an error handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerAction {
    /// Errors go to the handler `errhandler` from then on.
    Sets,
    /// Makes one.
    Makes,
    /// Makes one that is called in operations on files alone.
    MakesForFiles,
    /// Calls one.
    Calls,
}

/// What MPI calls functions of the program for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalledBack {
    /// Reductions.
    Reduction,
    /// Copies and deletions of attributes.
    Attribute,
    /// Conversions of data in files.
    Representation,
}

/// Is it a routine for files? Their errors go to handlers of their own (MPI 4.0, section 14.7).
pub fn is_of_files(routine: &str) -> bool {
    without_profiling(routine).starts_with("mpi_file_")
}

/// Does it begin an operation on a file that goes on behind the call?
pub fn is_pending_on_files(routine: &str) -> bool {
    is_of_files(routine) && routine.contains("mpi_file_i")
}

impl CalledBack {
    /// What the call makes, if all its functions are known.
    pub fn description(self) -> &'static str {
        match self {
            Self::Reduction => "a reduction of the program's own",
            Self::Attribute => "an attribute with functions of the program's own",
            Self::Representation => "a representation of data in files with functions of the program's own",
        }
    }

    /// What the call is, if one of its functions is not known.
    pub fn unknown(self) -> &'static str {
        match self {
            Self::Reduction => "a reduction by a function that is not among the given files",
            Self::Attribute => "an attribute with a function that is not among the given files",
            Self::Representation => {
                "a representation of data in files with a function that is not among the given files"
            }
        }
    }
}

/// The modes of sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Its arguments without `ierror`; a generic name may have several lists of them. None where they are not known.
    pub forms: Vec<Vec<Argument>>,
    /// What it does.
    pub action: Action,
    /// What else is true of it.
    properties: Vec<Property>,
    /// Fortran has such a routine.
    is_in_fortran: bool,
}

const TEXT: &str = include_str!("routines.txt");

static ROUTINES: LazyLock<HashMap<&str, Routine>> = LazyLock::new(|| lines().map(routine).collect());

/// A name that begins as MPI's do, but is not in the table.
static UNKNOWN: Routine = Routine {
    forms: Vec::new(),
    action: Action::MayAnything("a call of MPI that gravelc does not know"),
    properties: Vec::new(),
    is_in_fortran: true,
};

/// Calls of the profiling interface are as good as the calls they stand for, but nobody means them lightly.
static PROFILING: Routine = Routine {
    forms: Vec::new(),
    action: Action::MayAnything("a call of MPI's profiling interface"),
    properties: Vec::new(),
    is_in_fortran: true,
};

/// The lines of the table without comments.
fn lines() -> impl Iterator<Item = &'static str> {
    TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The routine `name` (in lower case).
pub fn find(name: &str) -> &'static Routine {
    match name.strip_prefix("mpi_") {
        Some(short) => known(short).unwrap_or(&UNKNOWN),
        None => {
            let stands_for = name.strip_prefix("pmpi_").and_then(known);
            stands_for.filter(|routine| routine.action == Action::Local).unwrap_or(&PROFILING)
        }
    }
}

/// A name (in lower case) without the letter that those of the profiling interface begin with.
pub fn without_profiling(name: &str) -> &str {
    name.strip_prefix('p').filter(|rest| rest.starts_with("mpi_")).unwrap_or(name)
}

/// Is it the name (in lower case) of a routine of MPI?
pub fn is_known(name: &str) -> bool {
    name.strip_prefix("mpi_").is_some_and(|short| known(short).is_some())
}

/// Is it the name (in lower case) of a routine that MPI has in Fortran?
pub fn is_in_fortran(name: &str) -> bool {
    name.strip_prefix("mpi_").and_then(|short| ROUTINES.get(short)).is_some_and(|routine| routine.is_in_fortran)
}

/// Is this true of the routine `name` (in lower case)?
pub(super) fn has_property(name: &str, property: Property) -> bool {
    let routine = name.strip_prefix("mpi_").and_then(|short| ROUTINES.get(short));
    routine.is_some_and(|routine| routine.properties.contains(&property))
}

/// The place of the first argument of the routine `name` that is called so.
pub(super) fn argument_position(name: &str, is_called: impl Fn(&str) -> bool) -> Option<usize> {
    find(name).forms.first()?.iter().position(|argument| is_called(argument.name))
}

/// The names of the table (in lower case, without `mpi_`).
pub fn names() -> impl Iterator<Item = &'static str> {
    ROUTINES.keys().copied()
}

fn known(short: &str) -> Option<&'static Routine> {
    ROUTINES.get(short).or_else(|| ROUTINES.get(short.strip_suffix("_c")?))
}

/// The routine of a line of the table, with its name.
fn routine(line: &'static str) -> (&'static str, Routine) {
    let (left, right) = line.split_once(" : ").expect("a colon stands between arguments and action");
    let (right, properties) = right.split_once(" ; ").unwrap_or((right, ""));
    let properties =
        properties.split_whitespace().map(|word| Property::of(word).expect("a property is known")).collect();
    let (name, arguments) = left.split_once(' ').unwrap_or((left, ""));
    let forms = arguments.split('|').map(|form| form.split_whitespace().map(Argument::of).collect()).collect();
    let is_in_fortran = !right.ends_with(" only-c");
    let action = action(right.trim_end_matches(" only-c")).expect("the words of an action are known");
    (name, Routine { forms, action, properties, is_in_fortran })
}

/// What the words of the table mean.
fn action(words: &'static str) -> Option<Action> {
    use Action::*;
    const ONE_SIDED: &str = "one-sided communication";
    let mode = |word: &str| match word {
        "" => Some(Mode::Standard),
        "synchronous" => Some(Mode::Synchronous),
        "ready" => Some(Mode::Ready),
        "buffered" => Some(Mode::Buffered),
        _ => None,
    };
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    Some(match (first, rest) {
        ("send", rest) => Send(mode(rest)?),
        ("receive", "") => Receive,
        ("replace", "") => Replace,
        ("send-receive", "") => SendReceive,
        ("prepare-send", rest) => PrepareSend(mode(rest)?),
        ("prepare-receive", "") => PrepareReceive,
        ("start", "") => Start,
        ("release", "") => Release,
        ("wait", "") => Wait,
        ("wait-all", "") => WaitAll,
        ("complete", rest) => Complete(completion(rest)?),
        ("look", "") => Look,
        ("cancel", "") => Cancel,
        ("partition", "") => ConcernsParts,
        ("probe", "") => Probe,
        ("combined", "") => Matches("a combined send and receive"),
        ("matched-receive", "") => ReceiveMatched,
        // They meet only each other (MPI 4.0, section 4.2).
        ("partitioned", "") => Apart("a partitioned operation"),
        ("buffer", "attach") => AttachBuffer,
        ("buffer", "detach") => DetachBuffer,
        ("all-to-all", "") => AllToAll,
        ("all-to-all", "blocks") => AllToAllInBlocks,
        ("collective", "") => Collective,
        ("collective", "non-blocking") => Apart("a non-blocking collective operation"),
        ("collective", "persistent") => Apart("a persistent collective operation"),
        ("datatype", rest) => CreateDatatype(constructor(rest)?),
        ("creates", "") => CreateCommunicator(None),
        ("creates", parent) => CreateCommunicator(Some(parent)),
        ("ends", "") => EndsCommunicator,
        ("communicator", "") => Apart("an operation on a communicator"),
        ("attribute", "") => ApartAnywhere("the end of an attribute"),
        ("calls-back", "reduction") => CallsBack(CalledBack::Reduction),
        ("calls-back", "attribute") => CallsBack(CalledBack::Attribute),
        ("calls-back", "representation") => CallsBack(CalledBack::Representation),
        ("local", "") => Local,
        ("memory", "") => ApartAnywhere("the end of memory of MPI's"),
        ("session", "") => ApartAnywhere("the beginning or the end of a session"),
        ("processes", "") => Apart("dynamic processes"),
        ("file", "") => Apart("parallel input or output"),
        // What is in a window may be read and written by others whatever calls stand in the program.
        ("exposes", "") => MayAnything(ONE_SIDED),
        ("one-sided", "") => ApartAnywhere(ONE_SIDED),
        ("generalized", "") => MayAnything("a generalized request"),
        ("error-handler", "sets") => ErrorHandler(HandlerAction::Sets),
        ("error-handler", "makes") => ErrorHandler(HandlerAction::Makes),
        ("error-handler", "makes-for-files") => ErrorHandler(HandlerAction::MakesForFiles),
        ("error-handler", "calls") => ErrorHandler(HandlerAction::Calls),
        ("tool", "") => ApartAnywhere("MPI's interface for tools"),
        ("tool-callback", "") => MayAnything("a callback of MPI's interface for tools"),
        ("initialize", "") => Initialize,
        ("finalize", "") => Finalize,
        ("abort", "") => Abort,
        _ => return None,
    })
}

fn completion(words: &str) -> Option<CompletionKind> {
    Some(match words {
        "test" => CompletionKind::Test,
        "test-all" => CompletionKind::TestAll,
        "wait-any" => CompletionKind::WaitAny,
        "test-any" => CompletionKind::TestAny,
        "wait-some" => CompletionKind::WaitSome,
        "test-some" => CompletionKind::TestSome,
        _ => return None,
    })
}

fn constructor(words: &str) -> Option<ConstructorKind> {
    use ConstructorKind::*;
    let (kind, in_bytes) = words.strip_suffix(" bytes").map_or((words, false), |kind| (kind, true));
    Some(match kind {
        "vector" => Vector { in_bytes },
        "blocks" => Blocks { in_bytes, are_equal: false },
        "equal-blocks" => Blocks { in_bytes, are_equal: true },
        _ if in_bytes => return None,
        "contiguous" => Contiguous,
        "structure" => Structure,
        "subarray" => Subarray,
        "resized" => Resized,
        "duplicate" => Duplicate,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
