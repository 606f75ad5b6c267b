//! Trying what the TCP provider would do.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use gravel::provider::choice::Interconnect;
use gravel::provider::tcp::interfaces::{InterfaceAddress, reachable_addresses};
use gravel::settings::Settings;

use super::probes::{Probe, ProviderReport, forbidden};

/// Ranks of any hosts: needs sockets, and for other hosts than this one an address at which they reach it.
pub fn tcp(settings: &Settings) -> ProviderReport {
    let sockets = Probe {
        name: "sockets",
        purpose: "connections; ranks of one host meet on the loopback interface",
        outcome: exchange_over_loopback()
            .map(|()| "ranks of this host can connect".into())
            .map_err(|cause| format!("no connection over the loopback interface: {cause}")),
    };
    let addresses = reachable_addresses(&settings.tcp_interfaces).map_err(|error| error.to_string());
    let interfaces = Probe {
        name: "interfaces",
        purpose: "where ranks of other hosts can reach this one",
        outcome: addresses.and_then(|addresses| describe(&addresses)),
    };
    let failed = sockets.outcome.as_ref().err().map(|reason| format!("{}: {reason}", sockets.name));
    ProviderReport {
        name: "tcp",
        reach: "ranks of any hosts that shared memory does not join",
        rejected: forbidden(settings, Interconnect::Tcp).or(failed),
        probes: vec![sockets, interfaces],
    }
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

    fn report(variables: &[(&str, &str)]) -> ProviderReport {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        tcp(&Settings::from_variables(variables).unwrap().0)
    }

    #[test]
    fn what_the_tests_of_the_library_use_is_found_usable() {
        let report = report(&[]);
        assert_eq!(report.rejected, None);
        assert!(report.probes[0].outcome.is_ok());
    }

    #[test]
    fn settings_are_a_reason() {
        let rejected = report(&[("GRAVEL_PROVIDER", "shm")]).rejected.unwrap();
        assert!(rejected.contains("GRAVEL_PROVIDER=shm"), "{rejected}");
        let report = report(&[("GRAVEL_TCP_INTERFACE", "none0")]);
        assert_eq!(report.rejected, None, "ranks of this host still meet");
        assert!(report.probes[1].outcome.as_ref().unwrap_err().contains("GRAVEL_TCP_INTERFACE"));
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
