//! How a queue pair names its peer: by LID on InfiniBand, by GID over Ethernet (RoCE).
//!
//! Over Ethernet the GID must be one of RoCE v2, whose packets are UDP and pass routers. Of these, one is preferred that
//! is an address of the interface that it belongs to now: devices also have some that nobody has given them, made of
//! their own number. Then one that is an IPv4 address, then a global IPv6 address, then a link-local one; and of equal
//! ones that of the device's own interface, for the table also holds those of interfaces that are stacked on it.

use std::ffi::CStr;
use std::net::{IpAddr, Ipv6Addr};

use super::abi::{self, AhAttr, GidEntry, PortAttr};
use crate::provider::interfaces::InterfaceAddress;

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
    /// Chooses the address of a port from its attributes and the valid entries of its GID table. `is_of_interface` says
    /// whether an interface, by its index, is up and has an address.
    pub fn choose(
        port: &PortAttr,
        gids: &[GidEntry],
        is_of_interface: impl Fn(u32, IpAddr) -> bool,
    ) -> Result<Self, String> {
        let entry_of = |entry: &GidEntry| {
            let mut gid = [0; 16];
            gid[..8].copy_from_slice(&entry.gid[0].to_ne_bytes());
            gid[8..].copy_from_slice(&entry.gid[1].to_ne_bytes());
            gid
        };
        let usable = gids.iter().filter(|entry| entry.gid_index <= u32::from(u8::MAX));
        // The first entries of every table are the device's own.
        let own_interface = gids.iter().min_by_key(|entry| entry.gid_index).map(|entry| entry.ndev_ifindex);
        let is_worse = |entry: &GidEntry| {
            let address = Ipv6Addr::from(entry_of(entry));
            let is_given = is_of_interface(entry.ndev_ifindex, address.to_canonical());
            (!is_given, rank_of(address), Some(entry.ndev_ifindex) != own_interface, entry.gid_index)
        };
        let chosen = match port.link_layer {
            abi::LINK_LAYER_ETHERNET => usable
                .filter(|entry| entry.gid_type == abi::GID_TYPE_ROCE_V2)
                .min_by_key(|entry| is_worse(entry))
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

/// Whether an interface of this host, by its index, is up and has an address.
pub fn is_of_interface(addresses: &[InterfaceAddress], index: u32, address: IpAddr) -> bool {
    let mut name = [0; libc::IF_NAMESIZE];
    // SAFETY: room for the longest name.
    let is_known = unsafe { !libc::if_indextoname(index, name.as_mut_ptr()).is_null() };
    // SAFETY: what was found ends with a zero byte.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    is_known && addresses.iter().any(|own| own.address == address && own.interface.as_bytes() == name.to_bytes())
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

    fn entry(gid_index: u32, gid_type: u32, address: &str, ndev_ifindex: u32) -> GidEntry {
        let bytes = address.parse::<Ipv6Addr>().expect("an address").octets();
        let (words, _) = bytes.as_chunks::<8>();
        let gid = [u64::from_ne_bytes(words[0]), u64::from_ne_bytes(words[1])];
        GidEntry { gid, gid_index, gid_type, port_num: 1, ndev_ifindex }
    }

    /// The index that is chosen where interfaces have these addresses.
    fn chosen(table: &[GidEntry], interfaces: &[(u32, &str)]) -> Result<u8, String> {
        let has = |index, address: IpAddr| {
            interfaces.iter().any(|&(interface, text)| interface == index && address.to_string() == text)
        };
        LocalAddress::choose(&port(abi::LINK_LAYER_ETHERNET, 0), table, has).map(|chosen| chosen.gid_index)
    }

    #[test]
    fn over_ethernet_an_ipv4_address_of_roce_v2_is_chosen() {
        let table = [
            entry(0, 1, "fe80::1", 2),
            entry(1, 2, "fe80::1", 2),
            entry(2, 1, "::ffff:10.9.0.1", 2),
            entry(3, 2, "2001:db8::1", 2),
            entry(4, 2, "::ffff:10.9.0.1", 2),
        ];
        let all = [(2, "fe80::1"), (2, "10.9.0.1"), (2, "2001:db8::1")];
        // Also where nothing is known of interfaces.
        for interfaces in [all.as_slice(), &[]] {
            assert_eq!(chosen(&table, interfaces), Ok(4));
            assert_eq!(chosen(&table[..4], interfaces), Ok(3));
            assert_eq!(chosen(&table[..3], interfaces), Ok(1));
            assert!(chosen(&table[..1], interfaces).is_err_and(|why| why.contains("RoCE v2")));
        }
    }

    #[test]
    fn the_address_is_one_that_its_interface_has() {
        let table = [
            entry(0, 2, "fe80::1", 2),
            entry(1, 2, "::ffff:10.7.0.1", 5),
            entry(2, 2, "::ffff:10.8.0.1", 2),
            entry(3, 2, "::ffff:10.9.0.1", 2),
        ];
        let both = [(2, "10.9.0.1"), (5, "10.7.0.1")];
        assert_eq!(chosen(&table, &both), Ok(3), "the device's own interface, not one that is stacked on it");
        assert_eq!(chosen(&table, &both[1..]), Ok(1), "the only address that somebody has given");
        assert_eq!(chosen(&table, &[(5, "10.9.0.1"), (2, "fe80::1")]), Ok(0), "another interface's address is none");
        assert_eq!(chosen(&table, &[]), Ok(2), "the best guess");
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn interfaces_are_known_by_their_index() {
        let addresses = crate::provider::interfaces::all_addresses().expect("a list");
        // SAFETY: the name ends with a zero byte.
        let loopback = unsafe { libc::if_nametoindex(c"lo".as_ptr()) };
        let has = |index, address: &str| is_of_interface(&addresses, index, address.parse().expect("an address"));
        assert!(has(loopback, "127.0.0.1") && !has(loopback, "127.0.0.2"));
        assert!(!has(0, "127.0.0.1") && !has(u32::MAX, "127.0.0.1"));
    }

    #[test]
    fn infiniband_needs_a_lid_and_routes_by_it_within_a_subnet() {
        let table = [entry(0, 0, "fe80::2:c903:1", 0)];
        assert!(LocalAddress::choose(&port(abi::LINK_LAYER_INFINIBAND, 0), &table, |_, _| false).is_err());
        let port = port(abi::LINK_LAYER_INFINIBAND, 7);
        let local = LocalAddress::choose(&port, &table, |_, _| false).expect("an address");
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
