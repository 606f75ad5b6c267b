//! What a rank tells the others before they connect to it, as bytes of a fixed length: where it listens, and its part of
//! the job's secret.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::authentication::{WORD_BYTES, Word};

/// How many addresses fit: more interfaces than that are not announced.
pub const MAXIMUM_ADDRESSES: usize = 16;
const ADDRESS_BYTES: usize = 1 + 16 + 2;
/// Length of an encoded card.
pub const CARD_BYTES: usize = 1 + WORD_BYTES + MAXIMUM_ADDRESSES * ADDRESS_BYTES;

const READY: u8 = 1;
const NO_ADDRESS: u8 = 0;
const VERSION_4: u8 = 4;
const VERSION_6: u8 = 6;

/// One rank's card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Card {
    /// Its part of the secret.
    pub contribution: Word,
    /// Where it listens; nowhere if no peer has to connect to it.
    pub addresses: Vec<SocketAddr>,
}

impl Card {
    /// As bytes; addresses beyond [`MAXIMUM_ADDRESSES`] are left out.
    pub fn encode(&self) -> [u8; CARD_BYTES] {
        let mut card = [0; CARD_BYTES];
        card[0] = READY;
        card[1..=WORD_BYTES].copy_from_slice(&self.contribution);
        let places = card[1 + WORD_BYTES..].as_chunks_mut::<ADDRESS_BYTES>().0;
        for (place, address) in places.iter_mut().zip(&self.addresses) {
            match address.ip() {
                IpAddr::V4(address) => {
                    place[0] = VERSION_4;
                    place[1..5].copy_from_slice(&address.octets());
                }
                IpAddr::V6(address) => {
                    place[0] = VERSION_6;
                    place[1..17].copy_from_slice(&address.octets());
                }
            }
            place[17..].copy_from_slice(&address.port().to_le_bytes());
        }
        card
    }

    /// The card of a rank that could not prepare itself.
    pub fn encode_failure() -> [u8; CARD_BYTES] {
        [0; CARD_BYTES]
    }

    /// From bytes; nothing if the rank could not prepare itself.
    pub fn decode(card: &[u8; CARD_BYTES]) -> Option<Self> {
        let &[status, ref rest @ ..] = card;
        if status != READY {
            return None;
        }
        let (contribution, places) = rest.split_first_chunk::<WORD_BYTES>()?;
        let addresses = places.as_chunks::<ADDRESS_BYTES>().0.iter().filter_map(|place| {
            let &[version, ref octets @ .., low, high] = place;
            let port = u16::from_le_bytes([low, high]);
            let address = match version {
                VERSION_4 => Ipv4Addr::from(*octets.first_chunk::<4>()?).into(),
                VERSION_6 => Ipv6Addr::from(*octets).into(),
                NO_ADDRESS.. => return None,
            };
            Some(SocketAddr::new(address, port))
        });
        Some(Self { contribution: *contribution, addresses: addresses.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_survive_the_wire() {
        let addresses = ["10.1.2.3:4000", "[fd00::1]:65535", "127.0.0.1:1"].map(|text| text.parse().unwrap()).into();
        let card = Card { contribution: [7; WORD_BYTES], addresses };
        assert_eq!(Card::decode(&card.encode()), Some(card));
        assert_eq!(Card::decode(&Card::default().encode()), Some(Card::default()));
        assert_eq!(Card::decode(&Card::encode_failure()), None);
    }

    #[test]
    fn too_many_addresses_are_cut() {
        let addresses: Vec<SocketAddr> = (1..40).map(|port| ([10, 0, 0, 1], port).into()).collect();
        let decoded = Card::decode(&Card { addresses: addresses.clone(), ..Card::default() }.encode()).unwrap();
        assert_eq!(decoded.addresses, addresses[..MAXIMUM_ADDRESSES]);
    }
}
