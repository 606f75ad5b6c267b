//! What depends on the device, on the mock: addresses, lengths, limits, and that nothing of it is left.

use super::abi;
use super::connect::Connected;
use super::device::Device;
use super::mock::{self, Faults, Hardware, Thing};
use super::tests::{Pair, Recorder, connect_between, connect_pair, entry, key};
use super::*;

const OPTIONS: Options = Options { keeps_static: false, fences_reads: false, keeps_private: false, connect_all: 1 };
/// The same, but connections are made on first use.
const ON_USE: Options = Options { connect_all: 0, ..OPTIONS };

/// Makes a device another one.
type Change = fn(&mut Hardware);

fn pair_of(hardware: [Hardware; 2]) -> Pair {
    let [first, second] = connect_between(hardware, OPTIONS).map(|(connected, _)| {
        assert!(connected.works_between(0, 1), "{:?}", connected.reasons);
        connected.provider.expect("connected")
    });
    Pair { providers: [first, second], sinks: [Recorder::default(), Recorder::default()] }
}

/// Entries, eager data and a long message, both lengths of what is staged.
fn exchange(pair: &mut Pair) {
    let message: Vec<u8> = (0..100_000u32).map(|byte| (byte >> 4) as u8).collect();
    let target = vec![0; message.len()];
    let remote = pair.offer(&target);
    assert!(pair.put(&remote, &message).expect("it is registered").in_flight > 1);
    assert!(pair.providers[0].post(1, Ledger::Fin, &entry(5)) && pair.providers[1].post(0, Ledger::Fin, &entry(6)));
    for (number, length) in [1, 32, 33, 64, 65, 200, 256, 257, 8000].into_iter().enumerate() {
        // SAFETY: the message is longer.
        assert!(unsafe { pair.providers[0].put_eager(key(), number as u64, message.as_ptr(), length) });
        pair.poll();
        assert_eq!(pair.sinks[1].eager[number], (number as u64, message[..length as usize].to_vec()));
    }
    assert!(pair.sinks[1].entries.contains(&entry(5)) && pair.sinks[0].entries.contains(&entry(6)));
    assert_eq!(target, message);
}

#[test]
fn within_a_subnet_of_infiniband_peers_are_reached_by_lid() {
    let hardware = [mock::infiniband(), mock::infiniband()];
    let lid = hardware[1].lid;
    let mut pair = pair_of(hardware);
    exchange(&mut pair);
    let (_, route) = mock::path_of(pair.number());
    assert_eq!((route.dlid, route.is_global), (lid, 0));
    assert!(pair.providers[1].completions.device().describe().contains(&format!("InfiniBand, LID {lid}")));
}

#[test]
fn in_another_subnet_of_infiniband_peers_are_reached_by_gid_too() {
    let mut hardware = [mock::infiniband(), mock::infiniband()];
    for (hardware, address) in hardware.iter_mut().zip(["2001:db8:1::7", "2001:db8:2::7"]) {
        hardware.gids = vec![mock::gid(0, 0, address)];
    }
    let gid = hardware[1].gids[0].gid;
    let mut pair = pair_of(hardware);
    exchange(&mut pair);
    let (_, route) = mock::path_of(pair.number());
    assert_eq!((route.dgid, route.is_global), (gid, 1));
    assert!(route.hop_limit > 1, "routers are passed");
}

#[test]
fn over_ethernet_peers_are_reached_by_the_gid_of_roce_v2_that_is_an_address_of_the_interface() {
    // SAFETY: the name ends with a zero byte.
    let loopback = unsafe { libc::if_nametoindex(c"lo".as_ptr()) };
    let mut hardware = mock::roce();
    hardware.gids = vec![
        mock::gid(0, 1, "fe80::1"),
        mock::gid(1, abi::GID_TYPE_ROCE_V2, "fe80::1"),
        mock::gid(2, 1, "::ffff:127.0.0.1"),
        mock::gid(3, abi::GID_TYPE_ROCE_V2, "::ffff:10.9.8.7"),
        mock::gid(6, abi::GID_TYPE_ROCE_V2, "::ffff:127.0.0.1"),
    ];
    hardware.gids.iter_mut().for_each(|gid| gid.ndev_ifindex = loopback);
    let gid = hardware.gids[4].gid;
    let mut pair = pair_of([mock::roce(), hardware]);
    exchange(&mut pair);
    let (_, route) = mock::path_of(pair.number());
    assert_eq!((route.dgid, route.is_global), (gid, 1));
    let (_, back) = mock::path_of(pair.providers[1].links[0].as_ref().expect("a link").number());
    assert_eq!(back.sgid_index, 6);
    assert!(pair.providers[1].completions.device().describe().contains("RoCE v2, GID 6 127.0.0.1"));
}

#[test]
fn ranks_on_different_networks_are_not_connected_and_are_told_why() {
    for (connected, _) in connect_between([mock::infiniband(), mock::roce()], OPTIONS) {
        assert!(!connected.works_between(0, 1) && connected.provider.is_none());
        let reasons: Vec<&String> = connected.reasons.iter().flatten().collect();
        assert!(reasons.len() == 1 && reasons[0].contains("InfiniBand, the other on Ethernet"), "{reasons:?}");
    }
}

#[test]
fn ports_that_cannot_be_used_say_why() {
    let cases: [(Change, &str); 3] = [
        (|hardware| hardware.state = 1, "not active"),
        (|hardware| hardware.gids.iter_mut().for_each(|gid| gid.gid_type = 1), "no GID of RoCE v2"),
        (|hardware| hardware.link_layer = abi::LINK_LAYER_INFINIBAND, "no LID"),
    ];
    for (change, why) in cases {
        let mut hardware = mock::roce();
        change(&mut hardware);
        mock::plug_in(hardware);
        let reason = Device::open(mock::library()).err().expect("it can't be used");
        assert!(reason.contains("mock0 port 1") && reason.contains(why), "{reason}");
        assert_eq!(mock::left_of(mock::opened_last()), []);
    }
}

#[test]
fn packets_are_as_long_as_the_ports_of_both_ends_take() {
    for (own, other) in [(5, 3), (1, 4), (4, 4)] {
        let mut pair = pair_of([Hardware { mtu: own, ..mock::roce() }, Hardware { mtu: other, ..mock::roce() }]);
        assert_eq!(mock::path_of(pair.number()).0, own.min(other));
        exchange(&mut pair);
    }
}

/// The mock refuses what is longer than it takes along, and what lies in memory that is not registered.
#[test]
fn requests_take_along_what_the_device_takes_and_no_more() {
    for inline in [0, 16, 63, 64, 65, 4096] {
        exchange(&mut pair_of([Hardware { inline, ..mock::roce() }, mock::roce()]));
    }
}

#[test]
fn reads_are_as_many_as_one_end_asks_for_and_the_other_answers() {
    for (asks, answers) in [(1, 16), (4, 3), (100, 100)] {
        let reader = Hardware { reads: [asks, 1], message: 8192, ..mock::roce() };
        let producer = Hardware { reads: [1, answers], ..mock::roce() };
        let mut pair = pair_of([reader, producer]);
        let message: Vec<u8> = (0..400_000u32).map(|byte| (byte >> 5) as u8).collect();
        let address = pair.offer(&message).address;
        let mut target = vec![0; message.len()];
        let (owner, start) = (Handle::from_raw(4), target.as_mut_ptr().expose_provenance());
        let around = MemoryRange { start, end: start + target.len() };
        let get = Get { owner, around, address, target: target.as_mut_ptr(), bytes: 400_000, ends_with: None };
        pair.fail(Faults { holds_reads: true, ..Faults::default() });
        // SAFETY: the target lives on, and is nobody else's.
        while unsafe { pair.providers[0].get(1, get) }.expect("no failure") != GetOutcome::Taken(400_000) {
            mock::let_go(pair.number());
            pair.poll();
        }
        assert_eq!(target, message);
        assert_eq!(mock::most_reads(pair.number()), asks.min(answers).min(16) as usize);
    }
}

#[test]
fn limits_of_a_device_are_named() {
    let cases: [(Change, &str); 2] = [
        (|hardware| hardware.requests = 50, "mock0 port 1 has at most 50"),
        (|hardware| hardware.completions = 60, "mock0 port 1 has at most 60"),
    ];
    for options in [OPTIONS, ON_USE] {
        for (change, named) in cases {
            let mut hardware = mock::roce();
            change(&mut hardware);
            let [(limited, device), (other, _)] = connect_between([hardware, mock::roce()], options);
            assert!(!limited.works_between(0, 1) && !other.works_between(0, 1));
            let reason = limited.reasons[1].as_ref().expect("a reason");
            assert!(reason.contains(named), "{reason}");
            let reason = other.reasons[0].as_ref().expect("a reason");
            assert!(reason.contains("rank 0 "), "{reason}");
            drop(limited);
            assert_eq!(mock::left_of(device), []);
        }
    }
}

fn left_after(connected: [(Connected, usize); 2]) -> Vec<(Thing, usize)> {
    let devices = connected.each_ref().map(|&(_, device)| device);
    drop(connected);
    devices.into_iter().flat_map(mock::left_of).collect()
}

/// The mock destroys nothing that something else needs, so that the order counts, too.
#[test]
fn nothing_is_left_behind() {
    for options in [OPTIONS, ON_USE] {
        let connected = connect_between([mock::roce(), mock::roce()], options);
        assert!(connected[0].0.works_between(0, 1));
        for thing in [Thing::Context, Thing::ProtectionDomain, Thing::Memory, Thing::Channel, Thing::QueuePair] {
            let left = mock::left_of(connected[0].1);
            assert!(left.iter().any(|&(other, _)| other == thing), "{thing:?} is not counted: {left:?}");
        }
        assert_eq!(left_after(connected), []);
    }
}

#[test]
fn nothing_is_left_of_connections_that_were_lost_under_load() {
    let mut pair = connect_pair();
    let devices = pair.providers.each_ref().map(|provider| provider.completions.device().context().addr());
    let (source, target) = (vec![1; 200_000], vec![0; 200_000]);
    let remote = pair.offer(&target);
    pair.fail(Faults { holds: true, ..Faults::default() });
    assert!(pair.put(&remote, &source).expect("it was taken").in_flight > 1);
    mock::raise(pair.providers[0].completions.device().async_descriptor(), abi::event::DEVICE_FATAL, 0);
    drop(pair);
    assert_eq!(devices.map(mock::left_of), [[], []]);
}

#[test]
fn whatever_a_device_has_none_of_is_told_to_both_and_leaves_nothing_behind() {
    let cases = [
        (Thing::Context, 0, "can't be opened"),
        (Thing::ProtectionDomain, 0, "protection domain"),
        (Thing::Channel, 0, "completion channel"),
        (Thing::CompletionQueue, 0, "completion queue"),
        (Thing::CompletionQueue, 1, "completion queue"),
        (Thing::Memory, 0, "RLIMIT_MEMLOCK"),
        (Thing::QueuePair, 0, "RLIMIT_MEMLOCK"),
    ];
    for options in [OPTIONS, ON_USE] {
        for (thing, after, named) in cases {
            let hardware = Hardware { lacks: Some((thing, after)), ..mock::roce() };
            let connected = connect_between([hardware, mock::roce()], options);
            let [(lacking, _), (other, _)] = &connected;
            assert!(!lacking.works_between(0, 1) && !other.works_between(0, 1), "{thing:?}");
            let reasons = [&lacking.reasons[1], &other.reasons[0]];
            let [Some(own), Some(of_peer)] = reasons else { panic!("{thing:?}: {reasons:?}") };
            assert!(own.contains("mock0") && own.contains(named), "{thing:?}: {own}");
            assert!(of_peer.contains("rank 0 "), "{thing:?}: {of_peer}");
            assert_eq!(left_after(connected), [], "{thing:?} after {after}");
        }
    }
}

/// Devices promise an order of completions, and none in which bytes become visible: so nothing is looked for in memory.
#[test]
fn what_comes_is_read_when_its_completion_says_so_and_not_before() {
    let mut pair = connect_pair();
    pair.fail(Faults { shows_late: true, ..Faults::default() });
    let late = pair.providers[1].links[0].as_ref().expect("a link").number();
    mock::set_faults(late, Faults { shows_late: true, ..Faults::default() });
    exchange(&mut pair);
}

#[test]
fn libibverbs_is_prepared_for_forks_where_the_kernel_is_not() {
    for (state, asked) in [(abi::FORK_DISABLED, 1), (1, 0), (2, 0)] {
        mock::set_forks(state);
        let device = Device::open(mock::library()).expect("a device");
        assert_eq!(mock::prepared_for_forks(), asked, "IBV_FORK {state}");
        drop(device);
    }
}
