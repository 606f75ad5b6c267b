//! The protocols: how the two sides of a message agree where its bytes go.
//!
//! The paper's four are here. In [`consumer_write`] the consumer's handshake tells the producer where the receive buffer is,
//! the producer puts segments straight into it, any number of them (the advanced write protocol), and its FIN tells the
//! consumer that all have arrived; the consumer can wait for parts of it ([`ranges`]). In [`producer_write`] the producer
//! announces its message first, for receives that their consumer has to match ([`announcements`]); in [`producer_read`] the
//! consumer reads it. Which protocol a message uses is the program's choice, one per match key ([`protocol_use`]).
//!
//! [`delivery`] is how segments leave, [`segments`] keeps track of partial messages, [`eager`] is how sends complete without
//! their receiver ([`eager_landing`], [`spilled_read`]: how it then gets the message), [`copied_send`] how their memory is free
//! at once, [`synchronous`] how sends end that their receiver has to know of, [`packed`] how messages leave and come whose bytes
//! lie apart, [`question`] how a producer asks for a handshake, [`completion`] how requests complete, [`probes`] how a
//! message is matched before its receive, and [`cancel`] how receives are withdrawn.

pub mod announcements;
pub mod cancel;
pub mod completion;
pub mod consumer_write;
pub mod copied_send;
pub mod delivery;
pub mod eager;
pub mod eager_landing;
pub mod inquiry;
pub mod packed;
pub mod probes;
pub mod producer_read;
pub mod producer_write;
pub mod protocol_use;
pub mod question;
pub mod ranges;
pub mod segments;
pub mod short_transfer;
pub mod spilled_read;
pub mod synchronous;
pub mod transfer;
