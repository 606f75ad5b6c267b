//! A rank of a test: the runtime with calls that are short to write, and memory of the kinds that matter.

use std::ffi::OsString;

use gravel::engine::consumer_write::Completion;
use gravel::host::Host as _;
use gravel::message::request::Handle;
use gravel::{Buffer, Error, MpiConstants, Rank, Result, Runtime, SendMode};

use crate::launcher::Meeting;

pub const PROC_NULL: i32 = -2;
pub const ANY_SOURCE: i32 = -1;
pub const ANY_TAG: i32 = -3;
/// The handle under which the tests' communicator is attached.
pub const COMMUNICATOR: i32 = 44;

/// Length of the static buffers.
pub const STATIC_BYTES: usize = 4 << 20;
/// Program data, which is adopted. Not aligned to pages: receives have edges.
static mut STATIC: [u8; STATIC_BYTES + 64] = [0; STATIC_BYTES + 64];

/// One rank of a test.
pub struct World {
    runtime: Option<Runtime>,
    /// The meeting that the runtime's callbacks use.
    inside: Meeting,
    outside: Meeting,
}

impl World {
    pub fn new(meeting: Meeting, settings: &[(&str, &str)]) -> Self {
        let outside = meeting.named("outside");
        let constants = MpiConstants { proc_null: PROC_NULL, any_source: ANY_SOURCE, any_tag: ANY_TAG };
        let variables: Vec<(OsString, OsString)> =
            settings.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let runtime =
            Runtime::init(Box::new(meeting.clone()), COMMUNICATOR, constants, variables).expect("gravel_init");
        Self { runtime: Some(runtime), inside: meeting, outside }
    }

    /// Finalizes, if the test has not.
    pub fn finish(&mut self) {
        if self.runtime.is_some() {
            assert_eq!(self.finalize(), 0, "leaked requests");
        }
    }

    pub fn finalize(&mut self) -> usize {
        self.runtime.take().expect("not finalized yet").finalize().expect("gravel_finalize")
    }

    pub fn try_finalize(&mut self) -> std::result::Result<usize, Error> {
        self.runtime.take().expect("not finalized yet").finalize().map_err(|error| *error)
    }

    /// Ends this rank's part without the collective finalize.
    pub fn forsake(&mut self) {
        drop(self.runtime.take());
    }

    pub fn runtime(&mut self) -> &mut Runtime {
        self.runtime.as_mut().expect("not finalized yet")
    }

    pub fn rank(&self) -> Rank {
        self.outside.rank()
    }

    pub fn ranks(&self) -> Rank {
        self.outside.ranks()
    }

    /// A barrier outside of Gravel, in which nothing of Gravel progresses but the helper thread: as MPI_Barrier.
    pub fn outside_barrier(&self) {
        self.outside.barrier();
    }

    /// Exchanges bytes with all ranks outside of Gravel.
    pub fn outside_exchange(&self, bytes: &[u8]) -> Vec<u8> {
        self.outside.all_gather(bytes).expect("an exchange over files")
    }

    /// Does something that every rank can see, outside of Gravel and without waiting for anybody: as a file that is written.
    pub fn mark(&self, name: &str) {
        self.outside.mark(name);
    }

    /// Whether some rank has done it.
    pub fn is_marked(&self, name: &str) -> bool {
        self.outside.is_marked(name)
    }

    /// Waits until the runtime of another rank has called MPI's progress.
    pub fn wait_until_mpi_progressed(&self, rank: Rank) {
        while !self.inside.has_progressed(rank) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// What a collective over some of the ranks would give: the highest of their contributions. `name` must be a new one.
    pub fn maximum(&self, name: &str, members: &[Rank], mine: i64) -> i64 {
        let all = self.outside.of_members(name, members).all_gather(&mine.to_ne_bytes()).expect("a collective");
        let contributions = all.chunks_exact(8).map(|bytes| i64::from_ne_bytes(bytes.try_into().expect("8 bytes")));
        contributions.max().expect("there are members")
    }

    pub fn try_post(&mut self, buffer: &mut [u8], source: i32, tag: i32) -> Result<Handle> {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: the tests keep buffers alive and untouched from post to wait.
        unsafe { self.runtime().post_receive(description, source, tag, COMMUNICATOR) }
    }

    pub fn post(&mut self, buffer: &mut [u8], source: Rank, tag: i32) -> Handle {
        self.try_post(buffer, source as i32, tag).expect("gravel_post_rcv_buffer_rdma")
    }

    pub fn open(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above.
        unsafe { self.runtime().open_transfer(description, destination as i32, tag, COMMUNICATOR) }
            .expect("gravel_wait_rcv_buffer")
    }

    pub fn try_send(&mut self, buffer: &[u8], destination: i32, tag: i32) -> Result<Handle> {
        let description = describe(buffer.as_ptr(), buffer.len());
        // SAFETY: as above.
        unsafe { self.runtime().post_send(description, destination, tag, COMMUNICATOR) }
    }

    pub fn send(&mut self, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        self.try_send(buffer, destination as i32, tag).expect("gravel_post_send")
    }

    pub fn put(&mut self, transfer: Handle, buffer: &[u8], offset: usize, count: usize) {
        let address = buffer.as_ptr().expose_provenance();
        self.runtime().put(transfer, address, offset as i64, count as i64).expect("gravel_post_os_put");
    }

    pub fn try_wait(&mut self, request: Handle) -> std::result::Result<Completion, Error> {
        self.runtime().wait(request).map_err(|error| *error)
    }

    /// Waits for a send.
    pub fn wait_send(&mut self, request: Handle) {
        assert_eq!(self.try_wait(request).expect("gravel_wait"), Completion::Empty);
    }

    /// Waits for a receive and returns the length of its message.
    pub fn wait_receive(&mut self, request: Handle, from: Rank, expected_tag: i32) -> usize {
        match self.try_wait(request).expect("gravel_wait") {
            Completion::Received { source, tag, bytes } => {
                assert_eq!((source, tag), (from, expected_tag));
                bytes as usize
            }
            other => panic!("a receive completed as {other:?}"),
        }
    }
}

/// Whether an error says that this rank is dead: by its process, on the same host, or by the connection to it.
pub fn is_death_of(rank: Rank, error: &Error) -> bool {
    matches!(error, Error::PeerDied { peer, .. } | Error::ConnectionLost { peer, .. } if *peer == rank)
}

pub fn describe(address: *const u8, bytes: usize) -> Buffer<'static> {
    Buffer {
        address: address.expose_provenance(),
        count: i64::try_from(bytes).expect("a length"),
        datatype_bytes: 1,
        element_bytes: 1,
        layout: None,
        mode: SendMode::Standard,
    }
}

/// The static buffer, once per process: its pages are program data and are adopted.
pub fn static_buffer() -> &'static mut [u8] {
    use std::sync::atomic::{AtomicBool, Ordering};
    static TAKEN: AtomicBool = AtomicBool::new(false);
    assert!(!TAKEN.swap(true, Ordering::Relaxed), "taken twice");
    // SAFETY: handed out once; 24 bytes into the array, so that it does not begin at a page.
    unsafe { std::slice::from_raw_parts_mut((&raw mut STATIC).cast::<u8>().add(24), STATIC_BYTES) }
}

/// Bytes that tell a message from others and its positions from each other.
pub fn fill(buffer: &mut [u8], seed: usize) {
    for (position, byte) in buffer.iter_mut().enumerate() {
        *byte = pattern(position, seed);
    }
}

/// The first position that does not hold [`fill`]'s bytes.
pub fn first_difference(buffer: &[u8], seed: usize) -> Option<usize> {
    buffer.iter().enumerate().position(|(position, &byte)| byte != pattern(position, seed))
}

fn pattern(position: usize, seed: usize) -> u8 {
    let mixed = (position as u64 ^ (seed as u64).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as u8
}
