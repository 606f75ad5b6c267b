//! The protocols: how the two sides of a message agree where its bytes go.
//!
//! One of the paper's four is here: consumer-initiated write ([`consumer_write`]). The consumer's handshake tells the
//! producer where the receive buffer is, the producer puts segments straight into it, and its FIN tells the consumer
//! that all have arrived. [`delivery`] is how segments leave, [`segments`] keeps track of partial messages, and [`eager`]
//! is how sends complete without their receiver.

pub mod consumer_write;
pub mod delivery;
pub mod eager;
pub mod segments;
pub mod short_transfer;
pub mod transfer;
pub mod wire;
