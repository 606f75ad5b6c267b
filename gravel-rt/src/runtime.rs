//! One rank's runtime: the calls of the interface, with their arguments checked. Here are those of the consumer-initiated
//! protocol; `transfers` has what fills and ends a message, `announced` has those of the producer-initiated ones, `copied_send` sends from copies, `buffered` sends copies that
//! nobody waits for, `probes` look for messages, `persistent` begins what was described before, `scattered` has what differs for datatypes with gaps, `waits` has those that complete requests.

mod alltoall;
mod announced;
pub mod arguments;
mod buffered;
mod claim;
pub mod communicators;
mod copied_send;
mod dead_peers;
mod overlaps;
mod persistent;
mod probes;
mod release;
mod scattered;
mod several;
mod transfers;
mod vain_tests;
mod waits;
mod watched;

pub use self::alltoall::Block;
pub use self::arguments::MpiConstants;
pub use self::persistent::PersistentKind;
pub use self::probes::Matched;
pub use self::several::{AnyTested, Ended};
pub use crate::engine::buffer::Buffer;
pub use crate::engine::completion::AnyError;

use self::alltoall::AllToAlls;
use self::announced::Next;
use self::arguments::Partner;
use self::buffered::BufferedSends;
use self::dead_peers::DeadPeers;
use self::persistent::PersistentOperations;
use self::probes::MatchedMessages;
use self::watched::Door;
use std::ffi::OsString;
use std::sync::Arc;

use crate::Rank;
use crate::engine::Engine;
use crate::engine::consumer_write::Envelope;
use crate::engine::ranges::SegmentNotices;
use crate::engine::short_transfer::ShortTransfer;
use crate::engine::transfer::{Initiation, NullOperation};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::memory::fork::is_forked_child;
use crate::message::communicator::CommunicatorTable;
use crate::message::request::Handle;
use crate::observe::{Agreement, Observer, check_on_all_ranks};
use crate::overlap::Overlaps;
use crate::progress::Shared;
use crate::progress::engine_lock::EngineGuard;
use crate::progress::flush::flush;
use crate::progress::helper::Helper;
use crate::progress::patience::Patience;
use crate::provider::select::{Connected, Route, connect};
use crate::settings::Settings;
use crate::stats::WaitCounters;
use crate::sys::log;

/// The runtime of one rank, from init to finalize.
///
/// Its methods correspond to the calls of the C and Fortran interface; the table in the crate's documentation says for
/// each which side calls it and whether it blocks.
pub struct Runtime {
    host: Box<dyn Host>,
    shared: Arc<Shared>,
    helper: Helper,
    /// How each rank is reached.
    routes: Vec<Route>,
    communicators: CommunicatorTable,
    constants: MpiConstants,
    settings: Settings,
    rank: Rank,
    ranks: Rank,
    /// The short message that is being filled, if one is.
    short: Option<ShortTransfer>,
    /// How many short messages were opened: tells their handles apart.
    shorts_opened: u32,
    /// Short transfers that the engine had to take over: the application's handle and the engine's.
    promoted: Vec<(Handle, Handle)>,
    /// All-to-all exchanges, each made of operations of the engine.
    alltoalls: AllToAlls,
    /// What starts begin.
    persistent: PersistentOperations,
    /// Messages that probes have matched, and whose receives are to come.
    matched: MatchedMessages,
    /// The program's room for buffered sends, and which of these are under way.
    buffered: BufferedSends,
    /// Number of tests that have completed nothing.
    tests_in_vain: u32,
    /// Peers whose deaths tests have found.
    dead_peers: DeadPeers,
    /// Among several requests that could be completed, the first that is looked at.
    next_in_turn: usize,
    /// Whether it is looked for in turn; else from the first on.
    takes_turns: bool,
    /// How waits that were not over at once have ended.
    waits: WaitCounters,
    /// Which exchanges were worth overlapping.
    overlaps: Overlaps,
    /// How many messages and receives MPI carries, for their communicators are not attached.
    left_to_mpi: u64,
    /// All calls go through it: past somebody who watches them, where the settings ask for that.
    door: Door,
    /// Dropped last.
    _claim: claim::Claim,
}

impl Runtime {
    /// Connects this rank with all others of the communicator. Collective: either all ranks succeed, or all fail.
    ///
    /// `communicator` is the Fortran handle by which later calls name the communicator; `variables` is the
    /// environment (see [`crate::settings`]). A process has one runtime at a time.
    pub fn init(
        host: Box<dyn Host>,
        communicator: i32,
        constants: MpiConstants,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        let claim = claim::Claim::new()?;
        let (rank, ranks) = (host.rank(), host.size());
        let settings = Settings::from_variables(variables);
        let choice = settings.as_ref().map(|(settings, _)| settings.provider.clone()).map_err(Clone::clone);
        if let Ok((settings, unknown)) = &settings {
            log::configure(settings.log, rank);
            if rank == 0 && !unknown.is_empty() {
                log::warning!("unknown settings in the environment, ignored: {}", unknown.join(", "));
            }
        }
        let Connected { provider, doorbell, arrivals, peers_ring, processors_suffice, routes } =
            connect(&*host, choice)?;
        let (settings, _) = settings?;
        let agreement = Agreement::reach(&*host, &settings)?;
        check_on_all_ranks(&*host, &settings, agreement)?;
        let observer = Observer::new(rank, &settings, agreement);
        let provider = if let Some(observer) = &observer { observer.wrap(provider) } else { provider };
        let patience = Patience::new(settings.spin, !processors_suffice);
        log::info!("{ranks} ranks; waits begin with {:?}", patience.polling(0));
        let mut engine = Engine::new(rank, ranks, provider);
        if settings.check {
            engine.watch_standstill();
        }
        let shared = Arc::new(Shared::new(engine, doorbell, arrivals, peers_ring, patience));
        let helper = Helper::on_all_ranks(&*host, &shared)?;
        if let Some(observer) = &observer {
            observer.keep_trace();
        }
        let communicators = CommunicatorTable::new(communicator, ranks);
        Ok(Self {
            host,
            shared,
            helper,
            routes,
            communicators,
            constants,
            settings,
            rank,
            ranks,
            short: None,
            shorts_opened: 0,
            promoted: Vec::new(),
            alltoalls: AllToAlls::default(),
            persistent: PersistentOperations::default(),
            matched: MatchedMessages::default(),
            buffered: BufferedSends::default(),
            tests_in_vain: 0,
            dead_peers: DeadPeers::default(),
            next_in_turn: 0,
            takes_turns: true,
            waits: WaitCounters::default(),
            overlaps: Overlaps::default(),
            left_to_mpi: 0,
            door: Door::new(observer),
            _claim: claim,
        })
    }

    /// This rank.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// How each rank is reached, and what was tried before.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Consumer: posts a receive. Never blocks.
    ///
    /// # Safety
    /// The buffer must be valid, and neither read nor written until [`Runtime::wait`] returns for the request. Where
    /// it is static data of the program, no other thread may write its pages during the call.
    pub unsafe fn post_receive(&mut self, buffer: Buffer, source: i32, tag: i32, communicator: i32) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                observer.receive(runtime, "gravel_post_rcv_buffer_rdma", *buffer, source, tag, |runtime, buffer| {
                    runtime.post_receive(buffer, source, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe {
                runtime.post_receive_with(*buffer, source, tag, communicator, SegmentNotices::Unwanted)
            },
        )
    }

    /// Consumer: as [`Runtime::post_receive`], for a message that [`Runtime::wait_range`] will wait for in parts: the
    /// producer tells of every segment.
    ///
    /// # Safety
    /// As [`Runtime::post_receive`], but a part of the buffer may be read when the wait for it has returned.
    pub unsafe fn post_segmented_receive(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                observer.receive(runtime, "gravel_post_rcv_segments", *buffer, source, tag, |runtime, buffer| {
                    runtime.post_segmented_receive(buffer, source, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe {
                runtime.post_receive_with(*buffer, source, tag, communicator, SegmentNotices::Wanted)
            },
        )
    }

    /// Posts a consumer-initiated receive.
    ///
    /// # Safety
    /// As [`Runtime::post_receive`].
    #[inline(always)]
    unsafe fn post_receive_with(
        &mut self,
        buffer: Buffer,
        source: i32,
        tag: i32,
        communicator: i32,
        segments: SegmentNotices,
    ) -> Result<Handle> {
        self.check_process()?;
        let message = match buffer.layout {
            None => buffer.check_contiguous()?,
            Some(layout) => match buffer.check_layout(layout)? {
                (message, None) => message,
                (message, Some(target)) => {
                    let partner = self.numbered_source(source, tag, communicator)?;
                    // SAFETY: passed on.
                    return unsafe { self.post_scattered_receive(message, target, partner) };
                }
            },
        };
        let partner = self.numbered_source(source, tag, communicator)?;
        self.with_engine(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_receive(message, envelope, segments) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }

    /// Producer: a whole message at once. Does not block.
    ///
    /// # Safety
    /// As [`Runtime::open_transfer`], with the whole message as one segment.
    pub unsafe fn post_send(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        let buffer = &buffer;
        self.call(
            // SAFETY: passed on.
            move |observer, runtime| unsafe {
                let name = buffer.name_of("gravel_post_send", "gravel_post_send_synchronous");
                observer.send(runtime, name, *buffer, destination, tag, |runtime, buffer| {
                    runtime.post_send(buffer, destination, tag, communicator)
                })
            },
            // SAFETY: passed on.
            move |runtime| unsafe { runtime.post_send_unwatched(*buffer, destination, tag, communicator) },
        )
    }

    /// # Safety
    /// As [`Runtime::post_send`].
    #[inline(always)]
    unsafe fn post_send_unwatched(
        &mut self,
        buffer: Buffer,
        destination: i32,
        tag: i32,
        communicator: i32,
    ) -> Result<Handle> {
        self.check_process()?;
        let message = match buffer.layout {
            None => buffer.check_contiguous()?,
            Some(layout) => match buffer.check_layout(layout)? {
                (message, None) => message,
                (message, Some(source)) => {
                    let partner = self.partner("destination", destination, tag, communicator)?;
                    self.promote_short_before(partner)?;
                    // SAFETY: passed on.
                    return unsafe { self.send_scattered(message, &source, partner, Initiation::Consumer) };
                }
            },
        };
        let partner = self.partner("destination", destination, tag, communicator)?;
        self.promote_short_before(partner)?;
        self.send(|engine| match partner {
            // SAFETY: passed on.
            Partner::Rank(envelope) => unsafe { engine.post_send(message, envelope) },
            Partner::Nobody => engine.open_null(NullOperation::Request),
        })
    }

    /// Flushes all messages, reports what was not waited for, and frees everything. Collective. Returns how many
    /// requests the application has leaked.
    pub fn finalize(mut self) -> Result<usize> {
        self.check_process()?;
        // What was never ended is reported.
        self.open_remaining_parts(None)?;
        self.promote_short()?;
        self.end_persistent_operations()?;
        self.helper.disarm(&self.shared);
        self.shared.lock()?.withdraw_unmatched();
        self.note_finalizing()?;
        let flushed = flush(&self.shared, &*self.host, self.ranks);
        self.helper.stop(&self.shared);
        let rules = self.finish_observer(flushed.is_ok());
        let (leaked, unreceived) = self.shared.lock()?.leftovers();
        if let Some(first) = leaked.first() {
            log::warning!(
                "gravel_finalize with {} requests that were never waited for; the first is a {first}",
                leaked.len()
            );
        }
        if unreceived > 0 {
            log::info!("{unreceived} messages were sent and never received");
        }
        flushed?;
        rules?;
        Ok(leaked.len())
    }

    #[inline(always)]
    fn check_process(&self) -> Result<()> {
        if is_forked_child() { Err(Error::Forked.into()) } else { Ok(()) }
    }

    /// The other side of a consumer-initiated receive.
    #[inline(always)]
    fn numbered_source(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Partner> {
        if source == self.constants.any_source {
            return Err(Error::Wildcard { wildcard: "MPI_ANY_SOURCE" }.into());
        }
        let null = source == self.constants.proc_null;
        if tag == self.constants.any_tag && !null {
            return Err(Error::Wildcard { wildcard: "MPI_ANY_TAG" }.into());
        }
        self.partner("source", source, tag, communicator)
    }

    /// Whether a rank, as given, stands for nobody.
    #[inline(always)]
    pub(crate) fn is_nobody(&self, rank: i32) -> bool {
        rank == self.constants.proc_null
    }

    #[inline(always)]
    fn partner(&mut self, role: &'static str, rank: i32, tag: i32, communicator: i32) -> Result<Partner> {
        let communicator = self.communicators.find(communicator)?;
        if rank == self.constants.proc_null {
            return Ok(Partner::Nobody);
        }
        let peer = communicator.peer(role, rank)?;
        if tag < 0 {
            return Err(Error::InvalidTag { tag }.into());
        }
        Ok(Partner::Rank(Envelope { peer, communicator: communicator.id, tag }))
    }

    /// Runs a call that ends a message. A send that is over has the null request: nobody need wait for it.
    #[inline(always)]
    fn send(&mut self, call: impl FnOnce(&mut Engine) -> Result<Handle>) -> Result<Handle> {
        self.with_engine(|engine| {
            let request = call(engine)?;
            Ok(if engine.retire_if_sent(request) { Handle::NULL } else { request })
        })
    }

    /// As [`Runtime::send`]. Where the wait for it comes next, nobody is armed that it would only disarm: which would be in its
    /// way when the answer comes.
    #[inline(always)]
    fn send_before(&mut self, next: Next, call: impl FnOnce(&mut Engine) -> Result<Handle>) -> Result<Handle> {
        if next == Next::Anything {
            return self.send(call);
        }
        let mut engine = self.shared.lock()?;
        match call(&mut engine) {
            Ok(request) if !request.is_settled() && !engine.retire_if_sent(request) => Ok(request),
            // It is over, or peers may have to hear of the error.
            posted => {
                leave(&mut self.helper, &self.shared, engine);
                posted.map(|_| Handle::NULL)
            }
        }
    }

    /// Runs a call that does not block, and leaves the helper armed if it left deferred work.
    #[inline(always)]
    fn with_engine<T>(&mut self, call: impl FnOnce(&mut Engine) -> Result<T>) -> Result<T> {
        let mut engine = self.shared.lock()?;
        // A call that fails may leave work, too: a peer has to be told that its message will not come.
        let result = call(&mut engine);
        leave(&mut self.helper, &self.shared, engine);
        result
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // In a forked child there is no thread to stop.
        if is_forked_child() {
            return;
        }
        self.helper.stop(&self.shared);
        // Without gravel_finalize, which an error can prevent: what was seen until then may explain it. Requests are left over
        // then, of course.
        match self.finish_observer(false) {
            Err(error) if !matches!(*error, Error::RuleBroken(_)) => log::error!("{error}"),
            _ => {}
        }
    }
}

/// The application's thread leaves: the helper is armed if there is deferred work.
#[inline(always)]
fn leave<'a>(helper: &mut Helper, shared: &'a Arc<Shared>, engine: EngineGuard<'a>) {
    if let Err(error) = helper.arm(shared, engine) {
        // What was posted is posted, and the caller must get its handle. The next wait progresses all the same.
        log::error!("no progress outside of waits: {error}");
    }
}
