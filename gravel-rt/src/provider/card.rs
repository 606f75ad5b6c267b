//! Who a rank is and where it runs: what every interconnect wants to know of its peers, as bytes of a fixed length.

use super::identity::{ProcessIdentity, boot_id, host_name, network_namespace};

/// Bytes of a CPU affinity mask: 1024 processors.
pub const AFFINITY_BYTES: usize = 128;
const BOOT_ID_BYTES: usize = 40;
const HOST_BYTES: usize = 64;
/// Changes with every incompatible change of the cards, segments or entries.
const PROTOCOL_VERSION: u32 = 5;
/// Length of an encoded identity.
pub const IDENTITY_BYTES: usize = 4 + 4 + 8 + 8 + BOOT_ID_BYTES + HOST_BYTES + AFFINITY_BYTES;

/// One rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankIdentity {
    /// Who the process is.
    pub process: ProcessIdentity,
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
pub(super) struct Encoder(pub Vec<u8>);

impl Encoder {
    /// A text in so many bytes.
    pub(super) fn text(&mut self, text: &str, room: usize) {
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
pub(super) struct Decoder<'a>(pub &'a [u8]);

impl<'a> Decoder<'a> {
    /// So many bytes; nothing if there are fewer.
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (front, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*front)
    }

    /// A text that [`Encoder::text`] has written.
    pub(super) fn text<const N: usize>(&mut self) -> Option<String> {
        let bytes = self.take::<N>()?;
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(N);
        Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}

impl RankIdentity {
    /// This rank's.
    pub fn current() -> Self {
        Self {
            process: ProcessIdentity::current().unwrap_or_else(|_| ProcessIdentity::unknown()),
            network: network_namespace(),
            boot_id: boot_id(),
            host: host_name(),
            affinity: own_affinity(),
        }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut encoder = Encoder(Vec::with_capacity(IDENTITY_BYTES));
        encoder.0.extend_from_slice(&PROTOCOL_VERSION.to_le_bytes());
        encoder.0.extend_from_slice(&self.process.pid.to_le_bytes());
        encoder.0.extend_from_slice(&self.process.start_time.to_le_bytes());
        encoder.0.extend_from_slice(&self.network.to_le_bytes());
        encoder.text(&self.boot_id, BOOT_ID_BYTES);
        encoder.text(&self.host, HOST_BYTES);
        encoder.0.extend_from_slice(&self.affinity);
        encoder.0
    }

    /// From bytes; nothing if the rank failed to prepare itself, and sent zeros, or speaks another version.
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
            network: u64::from_le_bytes(decoder.take()?),
            boot_id: decoder.text::<BOOT_ID_BYTES>()?,
            host: decoder.text::<HOST_BYTES>()?,
            affinity: decoder.take()?,
        })
    }

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
fn own_affinity() -> [u8; AFFINITY_BYTES] {
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

    fn identity(host: &str) -> RankIdentity {
        RankIdentity {
            process: ProcessIdentity { pid: 4, start_time: 5 },
            network: 10,
            boot_id: "boot".into(),
            host: host.into(),
            affinity: [3; AFFINITY_BYTES],
        }
    }

    #[test]
    fn identities_survive_the_wire() {
        let bytes = identity("node17").encode();
        assert_eq!(bytes.len(), IDENTITY_BYTES);
        assert_eq!(RankIdentity::decode(&bytes), Some(identity("node17")));
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        let decoded = RankIdentity::decode(&identity(&"\u{e4}x".repeat(40)).encode()).unwrap();
        assert_eq!(
            decoded.host,
            format!("{}\u{e4}", "\u{e4}x".repeat(20 + 1).chars().take(42).collect::<String>())[..63].to_owned()
        );
    }

    #[test]
    fn loopback_is_shared_within_one_namespace_of_one_kernel() {
        let here = identity("a");
        assert!(here.shares_loopback(&identity("b")));
        assert!(!here.shares_loopback(&RankIdentity { network: 11, ..identity("a") }));
        assert!(!here.shares_loopback(&RankIdentity { boot_id: "another".into(), ..identity("a") }));
        let unknown = RankIdentity { network: 0, ..identity("a") };
        assert!(!unknown.shares_loopback(&unknown));
    }

    #[test]
    fn failures_and_short_cards_are_no_identities() {
        assert_eq!(RankIdentity::decode(&[0; IDENTITY_BYTES]), None);
        assert_eq!(RankIdentity::decode(&identity("a").encode()[..IDENTITY_BYTES - 1]), None);
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
