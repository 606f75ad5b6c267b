//! Trying what the TCP provider would do.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use crate::provider::interfaces::{InterfaceAddress, Wanted, reachable_addresses};
use crate::provider::probe::Probe;

/// Needs sockets, and for other hosts than this one an address at which they reach it.
pub fn probes(wanted: &Wanted) -> Vec<Probe> {
    let addresses = reachable_addresses(wanted).map_err(|error| error.to_string());
    vec![
        Probe {
            name: "sockets",
            purpose: "connections; ranks of one host meet on the loopback interface",
            is_needed: true,
            outcome: exchange_over_loopback()
                .map(|()| "ranks of this host can connect".into())
                .map_err(|cause| format!("no connection over the loopback interface: {cause}")),
        },
        Probe {
            name: "interfaces",
            purpose: "where ranks of other hosts can reach this one",
            // Without one, ranks of this host still meet.
            is_needed: false,
            outcome: addresses.and_then(|addresses| describe(&addresses)),
        },
    ]
}

/// Sends a byte from one end of a new connection to the other.
fn exchange_over_loopback() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // The system accepts on the listener's behalf: both ends can be held by one thread.
    let mut one = TcpStream::connect(listener.local_addr()?)?;
    let (mut other, _) = listener.accept()?;
    one.write_all(&[1])?;
    other.read_exact(&mut [0])
}

/// The addresses by interface.
fn describe(addresses: &[InterfaceAddress]) -> Result<String, String> {
    if addresses.is_empty() {
        return Err(
            "no interface that is up, not loopback, and permitted by GRAVEL_TCP_INTERFACE: ranks of other hosts \
                    cannot reach this one"
                .into(),
        );
    }
    let mut interfaces: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for InterfaceAddress { interface, address, prefix } in addresses {
        interfaces.entry(interface).or_default().push(format!("{address}/{prefix}"));
    }
    let interfaces = interfaces.iter().map(|(name, addresses)| format!("{name} {}", addresses.join(" ")));
    Ok(interfaces.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn what_the_tests_of_the_library_use_is_found_usable() {
        assert!(probes(&Wanted::default())[0].outcome.is_ok());
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn settings_are_a_reason() {
        let probes = probes(&Wanted::parse("none0").unwrap());
        assert!(probes[1].outcome.as_ref().unwrap_err().contains("GRAVEL_TCP_INTERFACE"));
        assert!(!probes[1].is_needed, "ranks of this host still meet");
    }

    #[test]
    fn addresses_are_shown_by_interface() {
        let address = |interface: &str, address: &str, prefix| InterfaceAddress {
            interface: interface.into(),
            address: address.parse().unwrap(),
            prefix,
        };
        let addresses =
            [address("eth1", "10.1.0.7", 16), address("eth0", "fd00::1", 64), address("eth1", "fd01::1", 64)];
        assert_eq!(describe(&addresses).unwrap(), "eth0 fd00::1/64, eth1 10.1.0.7/16 fd01::1/64");
    }
}
