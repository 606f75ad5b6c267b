//! What is compared: patterns of communication, and the forms in which a program can have them.

use std::fmt;

use crate::mpi_flavour::MpiFlavour;

/// A pattern of communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Every rank sends to the next one.
    Ring,
    /// Every rank of a grid sends to the south and to the east.
    Wavefront,
}

impl Pattern {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ring, Self::Wavefront];

    /// The name of its programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Wavefront => "wavefront",
        }
    }
}

impl Pattern {
    /// How many messages pass the busiest link in one direction in an iteration, on so many ranks.
    pub fn messages_per_link(self, ranks: usize) -> usize {
        match self {
            Self::Ring => 1,
            // A grid that has several rows and several columns sends in two directions.
            Self::Wavefront => 1 + usize::from((2..ranks).any(|rows| ranks.is_multiple_of(rows))),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ring => "1-D ring",
            Self::Wavefront => "2-D wavefront",
        })
    }
}

/// Which of the paper's protocols a program written against Gravel by hand uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Consumer-initiated write.
    ConsumerWrite = 1,
    /// Producer-initiated write.
    ProducerWrite = 2,
    /// Producer-initiated read.
    ProducerRead = 3,
}

/// The form of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The computation without communication.
    Computation,
    /// The communication without computation.
    Wire(MpiFlavour),
    /// As many bytes between two hosts, by a plain socket; where there are hosts.
    Socket,
    /// As its author wrote it, with MPI.
    Mpi(MpiFlavour),
    /// The same with the calls of Gravel.
    Gravel(Protocol),
    /// Strip-mined with MPI, a message per segment.
    MpiSegments(MpiFlavour),
    /// Strip-mined with Gravel, a handshake per segment.
    GravelSegments(Protocol),
    /// What gravelc makes of the sending loop of the MPI program: strip-mined with Gravel, one handshake.
    TransformedProducer,
    /// What gravelc makes of the MPI program: the receiving loop is strip-mined, too.
    Transformed,
}

impl Variant {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 15] = [
        Self::Computation,
        Self::Wire(MpiFlavour::OpenMpi),
        Self::Wire(MpiFlavour::Mpich),
        Self::Socket,
        Self::Mpi(MpiFlavour::OpenMpi),
        Self::Mpi(MpiFlavour::Mpich),
        Self::Gravel(Protocol::ConsumerWrite),
        Self::Gravel(Protocol::ProducerWrite),
        Self::Gravel(Protocol::ProducerRead),
        Self::MpiSegments(MpiFlavour::OpenMpi),
        Self::MpiSegments(MpiFlavour::Mpich),
        Self::GravelSegments(Protocol::ConsumerWrite),
        Self::GravelSegments(Protocol::ProducerRead),
        Self::TransformedProducer,
        Self::Transformed,
    ];

    /// The place in [`Self::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|&variant| variant == self).unwrap_or_default()
    }

    /// The group of bars that it belongs to, from 1; 0 for what the others are measured by.
    pub fn group(self) -> usize {
        match self {
            Self::Computation | Self::Wire(_) | Self::Socket => 0,
            Self::Mpi(_) | Self::Gravel(_) => 1,
            Self::MpiSegments(_) | Self::GravelSegments(_) => 2,
            Self::TransformedProducer | Self::Transformed => 3,
        }
    }

    /// The MPI beside which it runs.
    pub fn mpi(self) -> MpiFlavour {
        match self {
            Self::Wire(mpi) | Self::Mpi(mpi) | Self::MpiSegments(mpi) => mpi,
            _ => MpiFlavour::OpenMpi,
        }
    }

    /// Whether its checksums are those of the pattern.
    pub fn computes_the_result(self) -> bool {
        self.group() > 0
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = |protocol: &Protocol| match protocol {
            Protocol::ConsumerWrite => "consumer-initiated write",
            Protocol::ProducerWrite => "producer-initiated write",
            Protocol::ProducerRead => "producer-initiated read",
        };
        match self {
            Self::Computation => f.write_str("computation alone"),
            Self::Wire(mpi) => write!(f, "wire alone, {mpi}"),
            Self::Socket => f.write_str("wire alone, a socket"),
            Self::Mpi(mpi) => write!(f, "{mpi}"),
            Self::Gravel(which) => write!(f, "Gravel, {}", protocol(which)),
            Self::MpiSegments(mpi) => write!(f, "{mpi}, strip-mined by hand"),
            Self::GravelSegments(which) => {
                write!(f, "Gravel, strip-mined, handshakes per segment, {}", protocol(which))
            }
            Self::TransformedProducer => f.write_str("gravelc --skip strip-mine-consumer"),
            Self::Transformed => f.write_str("gravelc"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_one_row_sends_in_one_direction() {
        assert_eq!([1, 2, 3, 4, 6, 7].map(|ranks| Pattern::Wavefront.messages_per_link(ranks)), [1, 1, 1, 2, 2, 1]);
    }

    #[test]
    fn places_are_those_of_the_list_and_groups_follow_one_another() {
        for (place, variant) in Variant::ALL.into_iter().enumerate() {
            assert_eq!(variant.index(), place);
        }
        assert!(Variant::ALL.map(Variant::group).is_sorted());
    }
}
