//! The runtime as a value: from init to finalize.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::marker::PhantomData;
use std::rc::Rc;

use super::communicators::{Membership, attach_world_collectives};
use super::launcher::LauncherHost;
use super::matching::{CONSTANTS, Peer, Source, Status, Tag};
use super::memory::{OwnedMemory, WritableMemory};
use super::operation::{Keeper, settle};
use super::post::Poster;
use super::receive::ReceiveRequest;
use super::scope::Scope;
use super::segmented_receive::SegmentedReceive;
use super::send::SendRequest;
use super::transfer::Transfer;
use crate::Rank;
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::message::rendezvous::SendMode;
use crate::message::request::Handle;
use crate::runtime::Runtime;

/// What the runtime knows a communicator by: once for the messages of the program, and once for those of collective calls,
/// which therefore never meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contexts {
    pub(super) messages: i32,
    pub(super) collectives: i32,
}

/// Those of the communicator of all ranks.
const WORLD: Contexts = Contexts { messages: 0, collectives: 1 };

/// Memory of an operation that nobody will wait for.
struct Abandoned {
    handle: Handle,
    free: Box<dyn FnOnce()>,
}

/// What the communicators of a process share.
pub(super) struct Joint {
    runtime: RefCell<Runtime>,
    abandoned: RefCell<Vec<Abandoned>>,
    /// The first that no communicator was known by yet.
    next_context: Cell<i32>,
}

impl Joint {
    /// What no communicator was known by before.
    pub(super) fn new_contexts(&self) -> Result<Contexts> {
        let messages = self.next_context.get();
        let next = messages.checked_add(2);
        self.next_context.set(next.ok_or_else(|| Error::Internal("more than 2^30 communicators were made".into()))?);
        Ok(Contexts { messages, collectives: messages + 1 })
    }
}

/// A communicator: this rank's connection to all others, or, made by [`Gravel::split`], to some.
///
/// It belongs to the thread that made it. There is one of all ranks at a time in a process, whether it was made here or by
/// the C interface. Operations borrow it, so all of them are over or given up before [`Gravel::finalize`].
#[must_use = "dropped without `finalize`, messages that are still on their way may be lost"]
pub struct Gravel {
    joint: Rc<Joint>,
    contexts: Contexts,
    rank: Rank,
    ranks: Rank,
    /// None of the communicator of all ranks.
    membership: Option<Membership>,
    /// Neither `Send` nor `Sync`: the thread that made it makes all calls.
    thread: PhantomData<*const ()>,
}

impl Gravel {
    /// Connects this rank with all others that `host` reaches. Collective.
    ///
    /// # Errors
    /// [`Error::AlreadyInitialized`] if this process has a runtime; else why a rank could not be connected. Then all ranks fail.
    #[doc(alias = "gravel_init")]
    pub fn init(host: impl Host + 'static) -> Result<Self> {
        Self::init_with(host, std::env::vars_os())
    }

    /// As [`Gravel::init`], with other settings than those of the environment (see [`crate::settings`]).
    ///
    /// # Errors
    /// As [`Gravel::init`].
    pub fn init_with(
        host: impl Host + 'static,
        settings: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        let (rank, ranks) = (host.rank(), host.size());
        let mut runtime = Runtime::init(Box::new(host), WORLD.messages, CONSTANTS, settings)?;
        attach_world_collectives(&mut runtime, WORLD.collectives, rank, ranks)?;
        let (runtime, abandoned) = (RefCell::new(runtime), RefCell::default());
        let joint = Joint { runtime, abandoned, next_context: Cell::new(WORLD.collectives + 1) };
        Ok(Self::of(Rc::new(joint), WORLD, rank, ranks, None))
    }

    /// Connects the ranks that a launcher has started, without MPI (see [`super::launcher`]): `gravel-run`, also on several hosts,
    /// or on one host `mpirun` or `srun`. Collective. A process that no launcher has started is rank 0 of 1.
    ///
    /// # Errors
    /// As [`Gravel::init`], and if `mpirun` or `srun` has started the ranks on several hosts.
    pub fn from_environment() -> Result<Self> {
        Self::init(LauncherHost::from_variables(|name| std::env::var(name).ok())?)
    }

    /// This rank, in this communicator.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Number of ranks of this communicator.
    pub fn ranks(&self) -> Rank {
        self.ranks
    }

    /// Runs `body`, in which memory can be borrowed for messages, and waits at its end for what it has not waited for.
    ///
    /// If `body` fails or panics, receives that have met no message are cancelled, and transfers are given up; other
    /// operations are waited for. Errors of operations that `body` has not waited for are returned if it has none.
    ///
    /// # Panics
    /// If `body` does.
    pub fn scope<'env, R>(
        &'env self,
        body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R>,
    ) -> Result<R> {
        let scope = Scope::new(self);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&scope)));
        let settled = settle(self, scope.pending(), matches!(outcome, Ok(Ok(_))));
        match outcome {
            Ok(outcome) => outcome.and_then(|value| settled.map(|()| value)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Consumer: posts a receive of memory that comes back from its wait. Does not block.
    ///
    /// # Errors
    /// If there is no such rank or tag, or messages from there use another protocol; then the memory is freed.
    #[doc(alias = "gravel_post_rcv_buffer_rdma")]
    pub fn post_receive<B: OwnedMemory + WritableMemory>(
        &self,
        buffer: B,
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<ReceiveRequest<'_, B>> {
        self.poster().receive(buffer, source.into(), tag)
    }

    /// Consumer: as [`Gravel::post_receive`], for a message that will be read part by part while it arrives.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_rcv_segments")]
    pub fn post_segmented_receive<B: OwnedMemory + WritableMemory>(
        &self,
        buffer: B,
        source: impl Into<Peer>,
        tag: i32,
    ) -> Result<SegmentedReceive<'_, B>> {
        self.poster().segmented_receive(buffer, source.into(), tag)
    }

    /// Consumer: posts a receive of an announced message, from [`Source::Any`] if need be. Does not block.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_rcv_announced")]
    pub fn post_announced_receive<B: OwnedMemory + WritableMemory>(
        &self,
        buffer: B,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<ReceiveRequest<'_, B>> {
        self.poster().announced_receive(buffer, source.into(), tag.into())
    }

    /// Consumer: blocks until a message is announced that a receive of this source and tag would take, and says which;
    /// none from [`Peer::Nobody`]. The receive of that very source and tag takes it.
    ///
    /// # Errors
    /// If there is no such rank or tag, or a rank that is waited for has died.
    #[doc(alias = "gravel_wait_snd_request")]
    pub fn wait_announcement(&self, source: impl Into<Source>, tag: impl Into<Tag>) -> Result<Option<Status>> {
        let (source, tag) = (source.into().number(), tag.into().number());
        let completion = self.call(|runtime| runtime.wait_announcement(source, tag, self.contexts.messages))?;
        Ok(match completion {
            Completion::Received { source, tag, bytes } => Some(Status { source, tag, bytes }),
            Completion::Empty | Completion::ProcNull | Completion::Cancelled => None,
        })
    }

    /// Producer: opens the transfer of the next message, to be filled and put tile by tile. Does not block.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_wait_rcv_buffer")]
    pub fn open_transfer<B: OwnedMemory + WritableMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'_, B>> {
        self.poster().transfer(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::open_transfer`], for a message that its consumer receives with
    /// [`Gravel::post_announced_receive`].
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_snd_request")]
    pub fn announce_transfer<B: OwnedMemory + WritableMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'_, B>> {
        self.poster().announced_transfer(message, destination.into(), tag)
    }

    /// Producer: sends a whole message. Does not block.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_send")]
    pub fn post_send<B: OwnedMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'_, B>> {
        self.poster().send(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::post_send`], for a message that its consumer receives with
    /// [`Gravel::post_announced_receive`]. The consumer may read it from here.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_snd_buffer_rdma")]
    pub fn announce_message<B: OwnedMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'_, B>> {
        self.poster().announced_send(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::post_send`], synchronous: its wait ends only when a receive has met the message.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_send_synchronous")]
    pub fn post_send_synchronous<B: OwnedMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'_, B>> {
        self.poster().synchronous().send(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::announce_message`], synchronous: its wait ends only when a receive has met the message.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_snd_buffer_synchronous")]
    pub fn announce_message_synchronous<B: OwnedMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<SendRequest<'_, B>> {
        self.poster().synchronous().announced_send(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::open_transfer`], synchronous: its wait ends only when a receive has met the message.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_wait_rcv_buffer_synchronous")]
    pub fn open_transfer_synchronous<B: OwnedMemory + WritableMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'_, B>> {
        self.poster().synchronous().transfer(message, destination.into(), tag)
    }

    /// Producer: as [`Gravel::announce_transfer`], synchronous: its wait ends only when a receive has met the message.
    ///
    /// # Errors
    /// As [`Gravel::post_receive`].
    #[doc(alias = "gravel_post_snd_request_synchronous")]
    pub fn announce_transfer_synchronous<B: OwnedMemory + WritableMemory>(
        &self,
        message: B,
        destination: impl Into<Peer>,
        tag: i32,
    ) -> Result<Transfer<'_, B>> {
        self.poster().synchronous().announced_transfer(message, destination.into(), tag)
    }

    /// Delivers what has been sent, and ends. Collective over all ranks, when all other communicators are dropped. Returns how
    /// many operations were dropped and never completed.
    ///
    /// # Errors
    /// [`Error::CommunicatorsLeft`], or if a rank has died meanwhile.
    #[doc(alias = "gravel_finalize")]
    pub fn finalize(self) -> Result<usize> {
        self.free_abandoned();
        let left = Rc::strong_count(&self.joint) - 1;
        let Some(joint) = Rc::into_inner(self.joint) else { return Err(Error::CommunicatorsLeft { left }.into()) };
        let leaked = joint.runtime.into_inner().finalize()?;
        // Every rank has stopped to put.
        for abandoned in joint.abandoned.into_inner() {
            (abandoned.free)();
        }
        Ok(leaked)
    }

    fn poster<B: OwnedMemory>(&self) -> Poster<'_, B> {
        let communicator = self.contexts.messages;
        Poster { gravel: self, keeper: Keeper::runtime::<B>(), mode: SendMode::Standard, communicator }
    }

    pub(super) fn of(
        joint: Rc<Joint>,
        contexts: Contexts,
        rank: Rank,
        ranks: Rank,
        membership: Option<Membership>,
    ) -> Self {
        Self { joint, contexts, rank, ranks, membership, thread: PhantomData }
    }

    pub(super) fn joint(&self) -> &Rc<Joint> {
        &self.joint
    }

    pub(super) fn membership(&self) -> Option<&Membership> {
        self.membership.as_ref()
    }

    pub(super) fn contexts(&self) -> Contexts {
        self.contexts
    }

    /// Calls the runtime, unless one of its callbacks is calling.
    pub(super) fn call<T>(&self, call: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
        match self.joint.runtime.try_borrow_mut() {
            Ok(mut runtime) => runtime.call_in_unwinding(std::thread::panicking(), call),
            Err(_) => Err(Error::WrongThread.into()),
        }
    }

    /// Ends a transfer without its message.
    pub(super) fn give_up(&self, transfer: Handle) -> Result<()> {
        self.call(|runtime| runtime.give_up(transfer))
    }

    /// Whether a request whose wait has failed is over.
    pub(super) fn is_over(&self, handle: Handle) -> bool {
        self.joint.runtime.try_borrow().is_ok_and(|runtime| runtime.is_over(handle))
    }

    /// Keeps the memory of an operation that was dropped until it is over.
    pub(super) fn keep(&self, handle: Handle, free: Box<dyn FnOnce()>) {
        self.joint.abandoned.borrow_mut().push(Abandoned { handle, free });
        self.free_abandoned();
    }

    /// Frees the memory of dropped operations that are over.
    fn free_abandoned(&self) {
        let is_over = |abandoned: &mut Abandoned| match self.call(|runtime| runtime.test(abandoned.handle)) {
            Ok(done) => done.is_some(),
            Err(_) => self.is_over(abandoned.handle),
        };
        let over: Vec<_> = self.joint.abandoned.borrow_mut().extract_if(.., is_over).collect();
        for abandoned in over {
            (abandoned.free)();
        }
    }
}
