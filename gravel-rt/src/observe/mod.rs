//! Watching a runtime from outside: for counters ([`crate::stats`]), traces ([`crate::trace`]) and the rules of split-phase
//! transfers ([`crate::check`]).
//!
//! A runtime has an observer only where the settings ask for one. Then its door (`runtime/watched.rs`) hands each call to the
//! observer (`calls`, `waits`), which makes it in the program's place, and its provider is wrapped ([`ObservedProvider`]).
//! A runtime without an observer pays one predictable branch per call, at the door.

mod agreement;
mod calls;
mod job_file;
mod outputs;
mod provider;
mod waits;
mod watchable;
mod whole_file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub use self::agreement::Agreement;
pub use self::outputs::check_on_all_ranks;
pub use self::provider::ObservedProvider;
pub(crate) use self::waits::MessageOfReceive;
pub(crate) use self::watchable::Calls;

use self::job_file::{Frame, write_alone, write_together};
use self::outputs::TraceKeeper;
use self::provider::{SharedTrace, lock};
use crate::Rank;
use crate::check::Checker;
use crate::engine::Engine;
use crate::engine::transfer::Operation;
use crate::error::Result;
use crate::error::violation::Call;
use crate::host::Host;
use crate::message::request::Handle;
use crate::overlap::OverlapSite;
use crate::provider::Provider;
use crate::provider::counters::ProviderCounters;
use crate::settings::{Settings, StatsOutput};
use crate::stats::{CallCounters, Statistics, WaitCounters};
use crate::sys::log;
use crate::trace::{Details, Flow, Trace};

const TRACE_FILE: Frame =
    Frame { before: "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", between: ",\n", after: "\n]}\n" };
const TEXT_FILE: Frame = Frame { before: "", between: "\n", after: "" };
const JSON_FILE: Frame = Frame { before: "{\"ranks\":[\n", between: ",\n", after: "\n]}\n" };

/// What is known of an operation from the call that made it.
#[derive(Debug, Clone, Copy)]
struct Made {
    call: Call,
    /// The address by which puts name the message.
    named: usize,
    /// Bytes of an element.
    element_bytes: u64,
    /// See [`crate::engine::transfer::Transfer::advances_with_message`].
    advances_with_message: bool,
    /// See [`crate::engine::transfer::Transfer::parts_are_named`].
    parts_are_named: bool,
}

/// Watches the calls of one runtime.
pub struct Observer {
    rank: Rank,
    agreement: Agreement,
    /// Calls seen so far.
    number: u64,
    /// The call for several requests that those for one are made for.
    several: Option<&'static str>,
    /// The request that the program has tested in vain, if it has done nothing else since.
    testing: Option<Handle>,
    /// Open transfers and requests.
    made: HashMap<Handle, Made>,
    stats: Option<StatsOutput>,
    calls: CallCounters,
    trace: Option<(PathBuf, SharedTrace)>,
    check: Option<Checker>,
}

impl Observer {
    /// The observer that the settings ask for, if they do. The calling thread is the application's.
    pub fn new(rank: Rank, settings: &Settings, agreement: Agreement) -> Option<Box<Self>> {
        if settings.stats.is_none() && settings.trace.is_none() && !settings.check {
            return None;
        }
        // Memory takes everything.
        let trace = Trace::new(rank, agreement.clock_offset, TraceKeeper::default());
        Some(Box::new(Self {
            rank,
            agreement,
            number: 0,
            several: None,
            testing: None,
            made: HashMap::new(),
            stats: match settings.stats.clone() {
                Some(StatsOutput::File(path)) => Some(StatsOutput::File(from_here(path))),
                other => other,
            },
            calls: CallCounters::default(),
            trace: settings
                .trace
                .clone()
                .zip(trace.ok())
                .map(|(path, trace)| (from_here(path), Arc::new(Mutex::new(trace)))),
            check: settings.check.then(Checker::default),
        }))
    }

    /// Wraps the provider if there is something to see in it.
    pub fn wrap(&self, provider: Box<dyn Provider>) -> Box<dyn Provider> {
        if self.stats.is_none() && self.trace.is_none() {
            return provider;
        }
        let trace = self.trace.as_ref().map(|(_, trace)| Arc::clone(trace));
        Box::new(ObservedProvider::new(self.rank, provider, trace))
    }

    /// Once nothing can fail any more: keeps the trace in the file of this rank, where it stays if the process is killed.
    pub fn keep_trace(&self) {
        let Some((path, trace)) = &self.trace else { return };
        // What is given to a device, or to another program, is whole at its end alone.
        if std::fs::metadata(path).map_or(true, |found| found.is_file()) {
            let own = outputs::own(path, self.rank);
            lock(trace).keeper_mut().move_to(&own, TRACE_FILE.before, TRACE_FILE.after);
        }
    }

    fn record(&self, name: &'static str, start: u64, details: Details, flow: Flow) {
        if let Some((_, trace)) = &self.trace {
            lock(trace).record(name, start, details, flow);
        }
    }

    /// The program has released the request of a send that is under way.
    pub(crate) fn released(&mut self, request: Handle) {
        if let Some(check) = &mut self.check {
            check.released(request);
        }
    }

    /// The calls that have left a request behind, of those for which `is_live` says that it still exists. Nothing unless
    /// the rules are checked.
    pub fn leaked(&self, is_live: impl Fn(Handle) -> bool) -> Vec<Call> {
        let live = |handle: Handle| handle.is_outside_tables() || is_live(handle);
        self.check.as_ref().map_or_else(Vec::new, |check| check.leaked(live))
    }

    /// Writes what was asked for. Collective if `together`: otherwise, because a rank is dead or has failed, every rank
    /// writes files of its own.
    pub fn finish(self, host: &dyn Host, ending: Ending, together: bool) -> Result<()> {
        let Self { rank, agreement, stats, calls, trace, .. } = self;
        let Ending { provider, waits, helper_wakeups, left_to_mpi, overlaps } = ending;
        if let Some((path, trace)) = trace {
            finish_trace(host, rank, &path, &trace, agreement.all_trace && together)?;
        }
        let write = |all: bool, path: &PathBuf, frame: Frame, text: &str| {
            if all && together {
                return write_together(host, path, frame, text.as_bytes()).map(drop);
            }
            write_alone(rank, path, frame, text.as_bytes());
            Ok(())
        };
        let statistics = Statistics { rank, calls, waits, provider, helper_wakeups, left_to_mpi, overlaps };
        match stats {
            None => Ok(()),
            Some(StatsOutput::StandardError) => {
                // One write, so that the tables of several ranks do not mix.
                use std::io::Write as _;
                let _ = std::io::stderr().lock().write_all(statistics.to_text().as_bytes());
                Ok(())
            }
            Some(StatsOutput::File(path)) => {
                if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
                    write(agreement.all_count, &path, JSON_FILE, &statistics.to_json().to_string())
                } else {
                    write(agreement.all_count, &path, TEXT_FILE, &statistics.to_text())
                }
            }
        }
    }
}

/// A path that stays the same wherever the program goes.
fn from_here(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Ends the trace of a rank. Together, rank 0 writes all of them into one file, and those of single ranks are no longer needed.
fn finish_trace(host: &dyn Host, rank: Rank, path: &Path, trace: &SharedTrace, together: bool) -> Result<()> {
    let mut trace = lock(trace);
    if trace.dropped() > 0 {
        log::warning!("the trace was full: {} later events were not kept", trace.dropped());
    }
    let (text, own) = trace.finish().finish();
    drop(trace);
    match own {
        Some(own) if together => {
            if write_together(host, path, TRACE_FILE, &text)? {
                let _ = std::fs::remove_file(own);
            }
        }
        Some(own) => log::info!("wrote {}", own.display()),
        None if together => drop(write_together(host, path, TRACE_FILE, &text)?),
        None => write_alone(rank, path, TRACE_FILE, &text),
    }
    Ok(())
}

/// What a runtime hands to its observer when it ends.
pub struct Ending {
    /// What its provider has counted.
    pub provider: ProviderCounters,
    /// How its waits ended.
    pub waits: WaitCounters,
    /// How often its helper thread woke.
    pub helper_wakeups: u64,
    /// How many calls on communicators that are not attached were left to MPI.
    pub left_to_mpi: u64,
    /// Which exchanges were worth overlapping.
    pub overlaps: Vec<OverlapSite>,
}

impl Engine {
    /// Whether an operation of this handle exists.
    pub fn is_live(&self, handle: Handle) -> bool {
        self.state.operations.get(handle).is_some()
    }

    /// What the provider has counted.
    pub fn counters(&self) -> ProviderCounters {
        self.provider.counters()
    }

    /// The message that a receive is for, if it is known by its number.
    pub(crate) fn message_of(&self, request: Handle) -> Option<MessageOfReceive> {
        match self.state.operations.get(request)? {
            Operation::Receive(receive) => Some((receive.key(), receive.number?)),
            Operation::Awaiting(_) | Operation::Transfer(_) | Operation::Null(_) | Operation::Failed { .. } => None,
        }
    }
}
