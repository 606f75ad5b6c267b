//! The addresses of hosts: 10.77.0.1 and on, and those of the front node.

/// The network of all of them.
pub const NETWORK: &str = "10.77.0.0/24";
/// The front node's address with the length of the network's prefix.
pub const FRONT_WITH_PREFIX: &str = "10.77.0.254/24";
/// The most hosts that have addresses.
pub const MOST_HOSTS: usize = 200;

/// The address of a host, by its number from 1.
pub fn of_host(number: usize) -> String {
    format!("10.77.0.{number}")
}
