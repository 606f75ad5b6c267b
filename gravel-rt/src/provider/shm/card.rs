//! What ranks tell each other about themselves when they connect, as bytes of a fixed length.

use super::identity::ProcessIdentity;

/// Bytes of a CPU affinity mask: 1024 processors.
pub const AFFINITY_BYTES: usize = 128;
const BOOT_ID_BYTES: usize = 40;
const HOST_BYTES: usize = 64;
/// Changes with every incompatible change of the cards, segments or entries.
const PROTOCOL_VERSION: u32 = 4;
const REASON_BYTES: usize = 160;
/// Length of an encoded card.
pub const CARD_BYTES: usize =
    4 + 4 + 8 + 8 + 4 + REASON_BYTES + 8 + 8 + 8 + BOOT_ID_BYTES + HOST_BYTES + AFFINITY_BYTES;

/// Whether a rank shares memory with others of its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// It does: the descriptor of its control segment.
    Segment(i32),
    /// Its settings do not permit it.
    Unwanted,
    /// It can't, and why.
    Impossible(String),
}

/// In the place of a descriptor.
const UNWANTED: i32 = -1;
/// Likewise.
const IMPOSSIBLE: i32 = -2;

/// One rank's card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Who the process is.
    pub process: ProcessIdentity,
    /// Drawn at random, written in the control segment and at `probe`.
    pub cookie: u64,
    /// Whether it can be reached by shared memory.
    pub sharing: Sharing,
    /// Address of a word that holds the cookie, for reading by CMA.
    pub probe: u64,
    /// Address of one word per rank, for writing by CMA.
    pub probe_slots: u64,
    /// Which of its kernel's network namespaces it is in; zero if that could not be found out.
    pub network: u64,
    /// Which boot of which kernel it runs under.
    pub boot_id: String,
    /// Its host's name, for messages.
    pub host: String,
    /// The processors that it may run on, one bit each.
    pub affinity: [u8; AFFINITY_BYTES],
}

/// Appends to a buffer.
struct Encoder(Vec<u8>);

impl Encoder {
    fn text(&mut self, text: &str, room: usize) {
        // Cut at a character, so that the rest decodes.
        let mut length = text.len().min(room);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let end = self.0.len() + room;
        self.0.extend_from_slice(&text.as_bytes()[..length]);
        self.0.resize(end, 0);
    }
}

/// Takes from the front of a buffer.
struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (front, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*front)
    }

    fn text<const N: usize>(&mut self) -> Option<String> {
        let bytes = self.take::<N>()?;
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(N);
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}

impl Card {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder(Vec::with_capacity(CARD_BYTES));
        encoder.0.extend_from_slice(&PROTOCOL_VERSION.to_le_bytes());
        encoder.0.extend_from_slice(&self.process.pid.to_le_bytes());
        encoder.0.extend_from_slice(&self.process.start_time.to_le_bytes());
        encoder.0.extend_from_slice(&self.cookie.to_le_bytes());
        let (descriptor, reason) = match &self.sharing {
            Sharing::Segment(descriptor) => (*descriptor, ""),
            Sharing::Unwanted => (UNWANTED, ""),
            Sharing::Impossible(reason) => (IMPOSSIBLE, &**reason),
        };
        encoder.0.extend_from_slice(&descriptor.to_le_bytes());
        encoder.text(reason, REASON_BYTES);
        encoder.0.extend_from_slice(&self.probe.to_le_bytes());
        encoder.0.extend_from_slice(&self.probe_slots.to_le_bytes());
        encoder.0.extend_from_slice(&self.network.to_le_bytes());
        encoder.text(&self.boot_id, BOOT_ID_BYTES);
        encoder.text(&self.host, HOST_BYTES);
        encoder.0.extend_from_slice(&self.affinity);
        encoder.0
    }

    /// The card of a rank that could not prepare itself.
    pub fn encode_failure() -> Vec<u8> {
        vec![0; CARD_BYTES]
    }

    /// From bytes; nothing if the rank failed to prepare itself or speaks another version.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder(bytes);
        if u32::from_le_bytes(decoder.take()?) != PROTOCOL_VERSION {
            return None;
        }
        Some(Self {
            process: ProcessIdentity {
                pid: u32::from_le_bytes(decoder.take()?),
                start_time: u64::from_le_bytes(decoder.take()?),
            },
            cookie: u64::from_le_bytes(decoder.take()?),
            sharing: {
                let descriptor = i32::from_le_bytes(decoder.take()?);
                let reason = decoder.text::<REASON_BYTES>()?;
                match descriptor {
                    UNWANTED => Sharing::Unwanted,
                    IMPOSSIBLE => Sharing::Impossible(reason),
                    descriptor => Sharing::Segment(descriptor),
                }
            },
            probe: u64::from_le_bytes(decoder.take()?),
            probe_slots: u64::from_le_bytes(decoder.take()?),
            network: u64::from_le_bytes(decoder.take()?),
            boot_id: decoder.text::<BOOT_ID_BYTES>()?,
            host: decoder.text::<HOST_BYTES>()?,
            affinity: decoder.take()?,
        })
    }
}

impl Card {
    /// Whether both ranks run under one kernel.
    pub fn shares_kernel(&self, other: &Self) -> bool {
        self.boot_id == other.boot_id && !self.boot_id.is_empty()
    }

    /// Whether both ranks have one loopback interface.
    pub fn shares_loopback(&self, other: &Self) -> bool {
        self.shares_kernel(other) && self.network == other.network && self.network != 0
    }
}

/// The processors that this process may run on.
pub fn own_affinity() -> [u8; AFFINITY_BYTES] {
    let mut mask = [0; AFFINITY_BYTES];
    // SAFETY: the kernel writes at most the given length into the mask, which is all bytes. On failure it stays empty.
    unsafe { libc::sched_getaffinity(0, AFFINITY_BYTES, mask.as_mut_ptr().cast()) };
    mask
}

/// Whether the processes of these masks can all run at the same time.
pub fn processors_suffice<'a>(masks: impl Iterator<Item = &'a [u8; AFFINITY_BYTES]>) -> bool {
    let mut union = [0u8; AFFINITY_BYTES];
    let mut processes = 0;
    for mask in masks {
        processes += 1;
        for (all, own) in union.iter_mut().zip(mask) {
            *all |= own;
        }
    }
    union.iter().map(|byte| byte.count_ones()).sum::<u32>() >= processes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(host: &str) -> Card {
        Card {
            process: ProcessIdentity { pid: 4, start_time: 5 },
            cookie: 6,
            sharing: Sharing::Segment(7),
            probe: 8,
            probe_slots: 9,
            network: 10,
            boot_id: "boot".into(),
            host: host.into(),
            affinity: [3; AFFINITY_BYTES],
        }
    }

    #[test]
    fn cards_survive_the_wire() {
        let bytes = card("node17").encode();
        assert_eq!(bytes.len(), CARD_BYTES);
        assert_eq!(Card::decode(&bytes), Some(card("node17")));
        for sharing in [Sharing::Unwanted, Sharing::Impossible("memfd_create: no".into())] {
            let card = Card { sharing, ..card("node17") };
            assert_eq!(Card::decode(&card.encode()), Some(card));
        }
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        let decoded = Card::decode(&card(&"\u{e4}x".repeat(40)).encode()).unwrap();
        assert_eq!(
            decoded.host,
            format!("{}\u{e4}", "\u{e4}x".repeat(20 + 1).chars().take(42).collect::<String>())[..63].to_owned()
        );
    }

    #[test]
    fn loopback_is_shared_within_one_namespace_of_one_kernel() {
        let here = card("a");
        assert!(here.shares_loopback(&card("b")));
        assert!(!here.shares_loopback(&Card { network: 11, ..card("a") }));
        assert!(!here.shares_loopback(&Card { boot_id: "another".into(), ..card("a") }));
        let unknown = Card { network: 0, ..card("a") };
        assert!(!unknown.shares_loopback(&unknown));
    }

    #[test]
    fn failures_and_short_cards_are_no_cards() {
        assert_eq!(Card::decode(&Card::encode_failure()), None);
        assert_eq!(Card::decode(&card("a").encode()[..CARD_BYTES - 1]), None);
    }

    #[test]
    fn processors_are_counted_over_all_ranks() {
        let mut first = [0; AFFINITY_BYTES];
        let mut second = [0; AFFINITY_BYTES];
        first[0] = 1;
        second[0] = 1;
        assert!(!processors_suffice([&first, &second].into_iter()), "both bound to one processor");
        second[0] = 2;
        assert!(processors_suffice([&first, &second].into_iter()));
    }
}
