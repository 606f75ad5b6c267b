//! The vocabulary of messages: what the provider, the engine and the runtime all speak of. Nothing here moves a byte or
//! waits for one.
//!
//! [`communicator`] and [`matching`] say which message meets which receive, [`datatype`] where the bytes of one lie,
//! [`request`] what the program holds of it; [`rendezvous`] is what its two sides tell each other, [`wire`] how that is written
//! into entries, with [`inquiry`] for ranks that wait for long, and [`ledger`] the rings that entries travel in.
//! [`retirement`] keeps what the program has freed in MPI.

pub mod communicator;
pub mod datatype;
pub mod inquiry;
pub mod ledger;
pub mod matching;
pub mod rendezvous;
pub mod request;
pub mod retirement;
pub mod wire;
