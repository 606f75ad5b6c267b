//! The transformations that a plan can name.

use serde::{Deserialize, Serialize};

/// The transformations, by the names that `--only` and `--skip` take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Transformation {
    /// A message is sent from where it lies, and the loop that copies it into a buffer goes.
    DropPack,
    /// The post of a receive moves up.
    HoistReceive,
    /// The wait moves down.
    SinkWait,
    /// The loop that fills a message is cut into tiles that are sent as they are done.
    StripMineProducer,
    /// An exchange of every process with every other becomes messages of pairs.
    DecomposeAlltoall,
    /// The loop that reads a message is cut into tiles that wait for what they read.
    StripMineConsumer,
    /// The iterations of a loop that need a message run behind those that don't.
    SplitLoop,
    /// A message leaves as soon as it is complete.
    HoistSend,
}

impl Transformation {
    /// All of them, in the order in which they are applied.
    pub const ALL: [Transformation; 8] = [
        Transformation::DropPack,
        Transformation::DecomposeAlltoall,
        Transformation::HoistReceive,
        Transformation::StripMineProducer,
        Transformation::SplitLoop,
        Transformation::StripMineConsumer,
        Transformation::SinkWait,
        Transformation::HoistSend,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Transformation::DecomposeAlltoall => "decompose-alltoall",
            Transformation::DropPack => "drop-pack",
            Transformation::HoistReceive => "hoist-receive",
            Transformation::HoistSend => "hoist-send",
            Transformation::SinkWait => "sink-wait",
            Transformation::StripMineProducer => "strip-mine-producer",
            Transformation::StripMineConsumer => "strip-mine-consumer",
            Transformation::SplitLoop => "split-loop",
        }
    }

    /// What it does, in one sentence.
    pub fn summary(self) -> &'static str {
        match self {
            Transformation::DecomposeAlltoall => {
                "An MPI_Alltoall or MPI_Alltoallv becomes a message from and to each process, so that either side can move by itself."
            }
            Transformation::DropPack => {
                "A message that is only copied into its buffer is sent from where it lies, and the loop that copies goes."
            }
            Transformation::HoistReceive => {
                "The receive is posted as early as its buffer is free, so that the handshake is over when the data is ready."
            }
            Transformation::HoistSend => {
                "The message leaves as soon as it is complete, before what the program computes between that and the send."
            }
            Transformation::SinkWait => {
                "The wait moves down to the first use of what was received, or the first change of what is being sent."
            }
            Transformation::StripMineProducer => {
                "The loop that fills the message is cut into tiles; each travels while the next one is computed."
            }
            Transformation::StripMineConsumer => {
                "The loop that reads the message is cut into tiles; each waits only for the part that it needs."
            }
            Transformation::SplitLoop => {
                "The iterations that do not need the message run before the wait, the first and the last ones behind it."
            }
        }
    }
}
