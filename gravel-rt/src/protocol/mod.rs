//! The protocols: how the two sides of a message agree where its bytes go.
//!
//! One of the paper's four is here: consumer-initiated write ([`consumer_write`]). The consumer's handshake tells the
//! producer where the receive buffer is, the producer puts segments straight into it, and its FIN tells the consumer
//! that all have arrived. [`segments`] keeps track of partial messages, [`eager`] of sends that may not block.

pub mod consumer_write;
pub mod eager;
pub mod segments;
pub mod transfer;
pub mod wire;
