//! The addresses of this host: which of them a rank may be reached at, and which of a peer's are worth trying first.

use std::ffi::CStr;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::error::{Error, Result};

/// An address of a network interface that is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceAddress {
    /// Name of the interface.
    pub interface: String,
    /// The address.
    pub address: IpAddr,
    /// How many of its first bits name the network.
    pub prefix: u32,
}

impl InterfaceAddress {
    /// Whether another address is of the same network.
    pub fn shares_network(&self, other: IpAddr) -> bool {
        match (self.address, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let mask = u32::MAX.checked_shl(32 - self.prefix.min(32)).unwrap_or(0);
                own.to_bits() & mask == other.to_bits() & mask
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let mask = u128::MAX.checked_shl(128 - self.prefix.min(128)).unwrap_or(0);
                own.to_bits() & mask == other.to_bits() & mask
            }
            _ => false,
        }
    }
}

/// Which interfaces the user wants to be used (`GRAVEL_TCP_INTERFACE`): names, or networks such as `10.1.0.0/16`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted(Vec<String>);

impl Wanted {
    /// From a comma list; nothing if it names nothing, or a network that is none.
    pub fn parse(list: &str) -> Option<Self> {
        let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
        let is_valid = |name: &String| !name.is_empty() && (!name.contains('/') || parse_network(name).is_some());
        names.iter().all(is_valid).then_some(Self(names))
    }

    /// Whether an address may be used; all may if nothing is wanted in particular.
    fn allows(&self, address: &InterfaceAddress) -> bool {
        let names = |name: &String| match parse_network(name) {
            Some(network) => network.shares_network(address.address),
            None => *name == address.interface,
        };
        self.0.is_empty() || self.0.iter().any(names)
    }
}

/// As [`Wanted::parse`] reads it; empty if nothing is wanted in particular.
impl fmt::Display for Wanted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(","))
    }
}

fn parse_network(text: &str) -> Option<InterfaceAddress> {
    let (address, prefix) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let prefix = prefix.parse().ok().filter(|&bits| bits <= if address.is_ipv4() { 32 } else { 128 })?;
    Some(InterfaceAddress { interface: String::new(), address, prefix })
}

/// The addresses at which ranks of other hosts may reach this one: of interfaces that are up and wanted. Loopback is left
/// out, and so are link-local addresses, which mean something only together with an interface of the other host.
pub fn reachable_addresses(wanted: &Wanted) -> Result<Vec<InterfaceAddress>> {
    let mut addresses = all_addresses()?;
    addresses.retain(|address| {
        let local = match address.address {
            IpAddr::V4(address) => address.is_loopback() || address.is_link_local() || address.is_unspecified(),
            IpAddr::V6(address) => address.is_loopback() || address.is_unicast_link_local() || address.is_unspecified(),
        };
        !local && wanted.allows(address)
    });
    Ok(addresses)
}

/// Sorts a peer's addresses: those of a network that this host is in come first. The order is kept otherwise.
pub fn nearest_first<T>(own: &[InterfaceAddress], addresses: &mut [T], address: impl Fn(&T) -> IpAddr) {
    addresses.sort_by_key(|candidate| !own.iter().any(|own| own.shares_network(address(candidate))));
}

/// The addresses of all interfaces that are up.
pub fn all_addresses() -> Result<Vec<InterfaceAddress>> {
    let mut first = std::ptr::null_mut();
    // SAFETY: writes one pointer, which is freed below.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return Err(Error::system("listing network interfaces", &std::io::Error::last_os_error()).into());
    }
    let mut found = Vec::new();
    let mut next = first;
    // SAFETY: the list is valid, and its pointers are null or valid, until it is freed.
    while let Some(entry) = unsafe { next.as_ref() } {
        next = entry.ifa_next;
        let is_up = entry.ifa_flags & libc::IFF_UP.cast_unsigned() != 0;
        // SAFETY: as above; socket addresses of both families are as long as their types.
        let (address, mask) = unsafe { (ip_address(entry.ifa_addr), ip_address(entry.ifa_netmask)) };
        let Some(address) = address.filter(|_| is_up) else { continue };
        let prefix = match mask {
            Some(IpAddr::V4(mask)) => mask.to_bits().leading_ones(),
            Some(IpAddr::V6(mask)) => mask.to_bits().leading_ones(),
            None => 128,
        };
        // SAFETY: the name is a string of the list.
        let interface = unsafe { CStr::from_ptr(entry.ifa_name) }.to_string_lossy().into_owned();
        found.push(InterfaceAddress { interface, address, prefix });
    }
    // SAFETY: the list came from getifaddrs and nothing refers to it any more.
    unsafe { libc::freeifaddrs(first) };
    Ok(found)
}

/// # Safety
/// `address` must be null or point to a socket address as long as its family says.
unsafe fn ip_address(address: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: by the contract; the family tells which type it is, and reading copies it whatever its alignment.
    unsafe {
        if address.is_null() {
            return None;
        }
        match i32::from((&raw const (*address).sa_family).read_unaligned()) {
            libc::AF_INET => {
                let address = address.cast::<libc::sockaddr_in>().read_unaligned();
                Some(Ipv4Addr::from_bits(u32::from_be(address.sin_addr.s_addr)).into())
            }
            libc::AF_INET6 => {
                let address = address.cast::<libc::sockaddr_in6>().read_unaligned();
                Some(Ipv6Addr::from(address.sin6_addr.s6_addr).into())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(interface: &str, text: &str) -> InterfaceAddress {
        InterfaceAddress { interface: interface.into(), ..parse_network(text).unwrap() }
    }

    #[test]
    fn networks_are_compared_by_their_prefix() {
        let own = address("eth0", "10.1.2.3/16");
        assert!(own.shares_network("10.1.9.9".parse().unwrap()));
        assert!(!own.shares_network("10.2.2.3".parse().unwrap()));
        assert!(!own.shares_network("::1".parse().unwrap()));
        assert!(address("any", "1.2.3.4/0").shares_network("9.9.9.9".parse().unwrap()));
        assert!(!address("one", "1.2.3.4/32").shares_network("1.2.3.5".parse().unwrap()));
        let six = address("eth0", "fd00:1::1/64");
        assert!(six.shares_network("fd00:1::2".parse().unwrap()));
        assert!(!six.shares_network("fd00:2::2".parse().unwrap()));
    }

    #[test]
    fn interfaces_are_wanted_by_name_or_network() {
        let wanted = Wanted::parse("ib0, 10.1.0.0/16").unwrap();
        assert!(wanted.allows(&address("ib0", "192.168.0.1/24")));
        assert!(wanted.allows(&address("eth7", "10.1.2.3/24")));
        assert!(!wanted.allows(&address("eth7", "10.2.2.3/24")));
        assert!(!wanted.allows(&address("ib01", "192.168.0.1/24")));
        assert!(Wanted::default().allows(&address("eth7", "10.2.2.3/24")));
        for invalid in ["", "eth0,", "10.1.0.0/33", "10.1/16", "/8"] {
            assert_eq!(Wanted::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn near_addresses_are_tried_first() {
        let own = [address("eth0", "10.1.2.3/16"), address("eth1", "fd00::1/64")];
        let mut addresses: Vec<IpAddr> =
            ["172.17.0.1", "10.1.0.7", "192.168.1.1", "fd00::7"].map(|text| text.parse().unwrap()).into();
        nearest_first(&own, &mut addresses, |address| *address);
        let texts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["10.1.0.7", "fd00::7", "172.17.0.1", "192.168.1.1"]);
    }

    #[test]
    fn this_host_has_a_loopback_which_is_not_offered() {
        assert!(all_addresses().unwrap().iter().any(|address| address.address.is_loopback()));
        assert!(!reachable_addresses(&Wanted::default()).unwrap().iter().any(|address| address.address.is_loopback()));
    }
}
