//! The rules that `GRAVEL_CHECK` watches, as what is said when one is broken.

use std::fmt;

use super::Code;
use super::tag::tag_text;

/// A call of the program, for messages: Fortran hands over neither file nor line, so it is named by its number among the
/// rank's calls of Gravel and by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Counted from 1.
    pub number: u64,
    /// Its name.
    pub name: &'static str,
    /// Address of the buffer.
    pub address: usize,
    /// Length of the buffer in bytes.
    pub bytes: u64,
    /// Elements of the buffer.
    pub count: i64,
    /// The other rank, as given.
    pub partner: i32,
    /// The tag, as given.
    pub tag: i32,
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, name, address, bytes, count, partner, tag } = self;
        write!(
            formatter,
            "call {number}, {name} (buffer {address:#x}, count {count}, {bytes} bytes, rank {partner}, {})",
            tag_text(*tag)
        )
    }
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A send segment was written between its put and the end of its transfer.
    #[error(
        "bytes {start}..{end} of the message of {opened} were changed between their put in call {put} and call {noticed}: a \
         segment that was put may not be written before the wait for its message"
    )]
    SegmentChanged {
        /// What opened the message.
        opened: Call,
        /// First byte of the segment.
        start: u64,
        /// One past its last byte.
        end: u64,
        /// Number of the call that put it.
        put: u64,
        /// Number of the call that noticed.
        noticed: u64,
    },
    /// A receive buffer was written by the program between post and wait.
    #[error(
        "byte {offset} of the receive buffer of {posted} was written by the program before its wait, call {noticed}: a \
         posted buffer may be neither read nor written"
    )]
    ReceiveBufferWritten {
        /// What posted it.
        posted: Call,
        /// First byte that was written.
        offset: u64,
        /// Number of the call that noticed.
        noticed: u64,
    },
    /// A buffer is not mapped any more (or never was).
    #[error(
        "the buffer of {made} is not mapped in call {noticed}: it may not be freed, deallocated or go out of scope \
         before the wait"
    )]
    BufferGone {
        /// What named the buffer.
        made: Call,
        /// Number of the call that noticed.
        noticed: u64,
    },
    /// A buffer that is posted for a receive is used for something else.
    #[error("{later} uses memory that belongs to {earlier}, which was not waited for")]
    BuffersOverlap {
        /// What uses it.
        later: Call,
        /// What it belongs to.
        earlier: Call,
    },
    /// A request was completed twice.
    #[error("call {again} waits for the request of {made}, which call {first} has completed already")]
    CompletedTwice {
        /// What made the request.
        made: Call,
        /// Number of the call that completed it.
        first: u64,
        /// Number of this call.
        again: u64,
    },
    /// Requests were never waited for.
    #[error("gravel_finalize finds requests that were never waited for: {}", first_of(.0))]
    Leaked(
        /// What made them.
        Vec<Call>,
    ),
}

/// So many calls are named in one text.
const NAMED: usize = 3;

/// The first calls, and how many more there are: a request that is lost in a loop is lost thousands of times.
fn first_of(calls: &[Call]) -> String {
    let mut text = calls.iter().take(NAMED).map(Call::to_string).collect::<Vec<_>>().join("; ");
    if let Some(more) = calls.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

impl Violation {
    /// The code of the C interface.
    pub fn code(&self) -> Code {
        match self {
            Self::SegmentChanged { .. }
            | Self::ReceiveBufferWritten { .. }
            | Self::BufferGone { .. }
            | Self::BuffersOverlap { .. } => Code::Buffer,
            Self::CompletedTwice { .. } | Self::Leaked(_) => Code::Request,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lost_requests_are_counted() {
        let call =
            |number| Call { number, name: "gravel_post_send", address: 16, bytes: 8, count: 1, partner: 1, tag: 7 };
        let text = |count| Violation::Leaked((1..=count).map(call).collect()).to_string();
        assert!(
            text(3).ends_with("call 3, gravel_post_send (buffer 0x10, count 1, 8 bytes, rank 1, tag 7)"),
            "{}",
            text(3)
        );
        assert!(text(5000).ends_with("tag 7); and 4997 more"), "{}", text(5000));
    }
}
