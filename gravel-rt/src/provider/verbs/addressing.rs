//! How a queue pair names its peer: by LID on InfiniBand, by GID over Ethernet (RoCE).
//!
//! Over Ethernet the GID must be one of RoCE v2, whose packets are UDP and pass routers; of these, one that is an
//! IPv4 address is preferred, then one that is a global IPv6 address, then a link-local one. The GID table also holds
//! the same addresses for RoCE v1, and those of interfaces that are stacked on the device's.

use std::net::{IpAddr, Ipv6Addr};

use super::abi::{self, AhAttr, GidEntry, PortAttr};

/// Hops that a packet may take between hosts.
const HOP_LIMIT: u8 = 64;
/// The upper half of the GID of a host that has no subnet manager's prefix: link-local.
const DEFAULT_PREFIX: u64 = 0xfe80_0000_0000_0000;

/// The address of a port, as peers have to know it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Address {
    /// `IBV_LINK_LAYER_*`.
    pub link_layer: u8,
    /// Local identifier: InfiniBand only.
    pub lid: u16,
    /// Global identifier, as its bytes are sent.
    pub gid: [u8; 16],
}

/// One end's choice: its address, and which entry of its GID table that is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LocalAddress {
    /// What peers are told.
    pub address: Address,
    /// Position of the GID in the port's table.
    pub gid_index: u8,
}

/// Bytes of an address in an exchange.
pub const ADDRESS_BYTES: usize = 20;

impl Address {
    /// As bytes.
    pub fn encode(&self) -> [u8; ADDRESS_BYTES] {
        let mut bytes = [0; ADDRESS_BYTES];
        bytes[0] = self.link_layer;
        bytes[2..4].copy_from_slice(&self.lid.to_le_bytes());
        bytes[4..].copy_from_slice(&self.gid);
        bytes
    }

    /// Reads what [`Address::encode`] wrote.
    pub fn decode(bytes: &[u8; ADDRESS_BYTES]) -> Self {
        let mut gid = [0; 16];
        gid.copy_from_slice(&bytes[4..]);
        Self { link_layer: bytes[0], lid: u16::from_le_bytes([bytes[2], bytes[3]]), gid }
    }

    /// The global identifier as the address that it is.
    pub fn host(&self) -> IpAddr {
        Ipv6Addr::from(self.gid).to_canonical()
    }

    fn gid_words(&self) -> [u64; 2] {
        let (words, _) = self.gid.as_chunks::<8>();
        [u64::from_ne_bytes(words[0]), u64::from_ne_bytes(words[1])]
    }

    fn prefix(&self) -> u64 {
        u64::from_be(self.gid_words()[0])
    }
}

impl LocalAddress {
    /// Chooses the address of a port from its attributes and the valid entries of its GID table.
    pub fn choose(port: &PortAttr, gids: &[GidEntry]) -> Result<Self, String> {
        let entry_of = |entry: &GidEntry| {
            let mut gid = [0; 16];
            gid[..8].copy_from_slice(&entry.gid[0].to_ne_bytes());
            gid[8..].copy_from_slice(&entry.gid[1].to_ne_bytes());
            gid
        };
        let usable = gids.iter().filter(|entry| entry.gid_index <= u32::from(u8::MAX));
        let chosen = match port.link_layer {
            abi::LINK_LAYER_ETHERNET => usable
                .filter(|entry| entry.gid_type == abi::GID_TYPE_ROCE_V2)
                .min_by_key(|entry| (rank_of(Ipv6Addr::from(entry_of(entry))), entry.gid_index))
                .ok_or("it has no GID of RoCE v2: give its network interface an address, and bring it up")?,
            abi::LINK_LAYER_INFINIBAND if port.lid == 0 => {
                return Err("it has no LID: the fabric has no subnet manager".into());
            }
            abi::LINK_LAYER_INFINIBAND => usable.min_by_key(|entry| entry.gid_index).ok_or("it has no GID")?,
            other => return Err(format!("its link layer {other} is neither InfiniBand nor Ethernet")),
        };
        let address = Address { link_layer: port.link_layer, lid: port.lid, gid: entry_of(chosen) };
        Ok(Self { address, gid_index: chosen.gid_index as u8 })
    }

    /// The way to a peer from this port.
    pub fn route_to(&self, peer: &Address, port: u8) -> AhAttr {
        // Within one subnet of InfiniBand the LID is enough; Ethernet and routed packets have a global header.
        let is_global = self.address.link_layer == abi::LINK_LAYER_ETHERNET
            || (self.address.prefix() != peer.prefix() && peer.prefix() != DEFAULT_PREFIX);
        AhAttr {
            dgid: peer.gid_words(),
            sgid_index: self.gid_index,
            hop_limit: HOP_LIMIT,
            dlid: peer.lid,
            is_global: u8::from(is_global),
            port_num: port,
            ..AhAttr::default()
        }
    }
}

/// Which of several addresses is better: the lower one.
fn rank_of(address: Ipv6Addr) -> u8 {
    match address.to_ipv4_mapped() {
        Some(_) => 0,
        None if address.is_unicast_link_local() => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(link_layer: u8, lid: u16) -> PortAttr {
        // SAFETY: plain numbers.
        let mut port: PortAttr = unsafe { std::mem::zeroed() };
        (port.link_layer, port.lid) = (link_layer, lid);
        port
    }

    fn entry(gid_index: u32, gid_type: u32, address: &str) -> GidEntry {
        let bytes = address.parse::<Ipv6Addr>().expect("an address").octets();
        let (words, _) = bytes.as_chunks::<8>();
        let gid = [u64::from_ne_bytes(words[0]), u64::from_ne_bytes(words[1])];
        GidEntry { gid, gid_index, gid_type, port_num: 1, ndev_ifindex: 2 }
    }

    #[test]
    fn over_ethernet_an_ipv4_address_of_roce_v2_is_chosen() {
        let table = [
            entry(0, 1, "fe80::1"),
            entry(1, 2, "fe80::1"),
            entry(2, 1, "::ffff:10.9.0.1"),
            entry(3, 2, "2001:db8::1"),
            entry(4, 2, "::ffff:10.9.0.1"),
        ];
        let index = |table: &[GidEntry]| {
            LocalAddress::choose(&port(abi::LINK_LAYER_ETHERNET, 0), table).map(|chosen| chosen.gid_index)
        };
        assert_eq!(index(&table), Ok(4));
        assert_eq!(index(&table[..4]), Ok(3));
        assert_eq!(index(&table[..3]), Ok(1));
        assert!(index(&table[..1]).is_err_and(|why| why.contains("RoCE v2")));
    }

    #[test]
    fn infiniband_needs_a_lid_and_routes_by_it_within_a_subnet() {
        let table = [entry(0, 0, "fe80::2:c903:1")];
        assert!(LocalAddress::choose(&port(abi::LINK_LAYER_INFINIBAND, 0), &table).is_err());
        let local = LocalAddress::choose(&port(abi::LINK_LAYER_INFINIBAND, 7), &table).expect("an address");
        let mut peer = Address { lid: 9, ..local.address };
        let route = local.route_to(&peer, 1);
        assert_eq!((route.dlid, route.is_global, route.port_num), (9, 0, 1));
        peer.gid[0] = 0x20;
        assert_eq!(local.route_to(&peer, 1).is_global, 1, "another subnet");
    }

    #[test]
    fn addresses_survive_the_exchange() {
        let address = Address { link_layer: 2, lid: 0xabcd, gid: std::array::from_fn(|byte| byte as u8 * 3) };
        assert_eq!(Address::decode(&address.encode()), address);
    }
}
