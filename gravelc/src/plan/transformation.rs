//! The transformations that a plan can name.

use serde::{Deserialize, Serialize};

use crate::ir::Form;

macro_rules! transformations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $form:expr, $summary:literal;)*) => {
        /// The transformations, by the names that `--only` and `--skip` take, in the order in which they are applied.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Transformation {
            $($(#[$doc])* $variant,)*
        }

        impl Transformation {
            /// All of them, in the order in which they are applied.
            pub const ALL: [Transformation; [$($name),*].len()] = [$(Transformation::$variant),*];

            /// The name on the command line and in reports.
            pub fn name(self) -> &'static str {
                match self { $(Transformation::$variant => $name,)* }
            }

            /// What it does, in one sentence.
            pub fn summary(self) -> &'static str {
                match self { $(Transformation::$variant => $summary,)* }
            }

            /// What a language must be able to write for it, beside calls.
            pub fn form(self) -> Option<Form> {
                match self { $(Transformation::$variant => $form,)* }
            }
        }
    };
}

// The name, the form that it needs of a language, and the sentence of the reports.
transformations! {
    /// A message is sent from where it lies, and the loop that copies it into a buffer goes.
    DropPack = "drop-pack", Some(Form::DroppedCopy),
        "A message that is only copied into its buffer is sent from where it lies, and the loop that copies goes.";
    /// A procedure that exchanges messages becomes two, with work of its callers in between.
    SplitExchange = "split-exchange", Some(Form::PartsOfProcedures),
        "A procedure that exchanges messages becomes two, its begin and its end, and its callers work in between.";
    /// An exchange of every process with every other becomes messages of pairs.
    DecomposeAlltoall = "decompose-alltoall", Some(Form::Exchange),
        "An MPI_Alltoall or MPI_Alltoallv becomes a message from and to each process, so that either side can move by itself.";
    /// The post of a receive moves up.
    HoistReceive = "hoist-receive", None,
        "The receive is posted as early as its buffer is free, so that the handshake is over when the data is ready.";
    /// The loop that fills a message is cut into tiles that are sent as they are done.
    StripMineProducer = "strip-mine-producer", None,
        "The loop that fills the message is cut into tiles; each travels while the next one is computed.";
    /// The iterations of a loop that need a message run behind those that don't.
    SplitLoop = "split-loop", Some(Form::SplitLoop),
        "The iterations that do not need the message run before the wait, the first and the last ones behind it.";
    /// The loop that reads a message is cut into tiles that wait for what they read.
    StripMineConsumer = "strip-mine-consumer", None,
        "The loop that reads the message is cut into tiles; each waits only for the part that it needs.";
    /// The wait moves down.
    SinkWait = "sink-wait", None,
        "The wait moves down to the first use of what was received, or the first change of what is being sent.";
    /// A message leaves as soon as it is complete.
    HoistSend = "hoist-send", None,
        "The message leaves as soon as it is complete, before what the program computes between that and the send.";
}
