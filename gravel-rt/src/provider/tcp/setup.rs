//! Connecting all pairs of ranks that talk by TCP (Chai et al. 2005, section 3.1).
//!
//! Each rank listens for higher ranks and connects to lower ones, all at the same time. Nobody connects before everybody
//! listens: the exchange of addresses comes between. A rank that is late is waited for, because the system keeps
//! connections for it; nothing is sent twice.
//!
//! Set-up is collective, and all ranks come to the same verdict without any clock: every rank enters a barrier once the
//! connections that it opens are decided, and goes on accepting until all have entered. By then whoever could connect has.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use socket2::Socket;

use super::TcpProvider;
use super::accepting::{Acceptor, listen};
use super::authentication::{Secret, Word, random_word};
use super::card::{CARD_BYTES, Card, MAXIMUM_ADDRESSES};
use super::connection::{Connection, Peer};
use super::dialing::Dial;
use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::provider::interfaces::{self, InterfaceAddress, Wanted, nearest_first};
use crate::sys::log;

/// How often MPI is let progress: another rank may still need this one's help to leave the exchange before.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(5);

/// How many connections the system keeps for a rank that is late, beside those of its peers: where there is no room, it
/// lets whoever connects try again after a second.
const BACKLOG: usize = 128;

/// What a rank prepares before the others can connect to it.
struct Prepared {
    contribution: Word,
    listeners: Vec<Socket>,
    addresses: Vec<SocketAddr>,
    own: Vec<InterfaceAddress>,
}

/// Connects this rank to its `peers`. Collective over all ranks of the job as soon as one of them has such a peer.
pub fn connect(host: &dyn Host, peers: &[Peer], wanted: &Wanted) -> Result<Option<TcpProvider>> {
    let prepared = prepare(host.rank(), peers, wanted);
    let card = prepared.as_ref().map_or_else(
        |_| Card::encode_failure(),
        |prepared| Card { contribution: prepared.contribution, addresses: prepared.addresses.clone() }.encode(),
    );
    let cards = host.all_gather(&card)?;
    let prepared = prepared?;
    let cards = decode_cards(&cards, host.size())?;
    // Every rank of the job has prepared itself: all take part in what follows, whatever happens to one of them.
    let connected = connect_all(host, peers, prepared, &cards)?;
    // Whoever has no such peer needs nothing of the system.
    let provider = connected.and_then(|connections| match peers {
        [] => Ok(None),
        _ => TcpProvider::new(connections).map(Some),
    });
    let verdicts = host.all_gather(&[u8::from(provider.is_ok())])?;
    let provider = provider?;
    if let Some(peer) = verdicts.iter().position(|&verdict| verdict == 0) {
        return Err(Error::CollectiveFailed { peer, call: "gravel_init" }.into());
    }
    Ok(provider)
}

fn prepare(rank: Rank, peers: &[Peer], wanted: &Wanted) -> Result<Prepared> {
    let contribution = random_word()?;
    let is_far = |peer: &Peer| !peer.shares_loopback;
    let own = if peers.iter().any(is_far) { interfaces::reachable_addresses(wanted)? } else { Vec::new() };
    let mut addresses: Vec<IpAddr> = Vec::new();
    let mut callers = peers.iter().filter(|peer| peer.rank > rank).peekable();
    if callers.peek().is_some() {
        let (near, far): (Vec<_>, Vec<_>) = callers.partition(|peer| peer.shares_loopback);
        if !near.is_empty() {
            addresses.push(Ipv4Addr::LOCALHOST.into());
        }
        if let Some(first) = far.first() {
            if own.is_empty() {
                let reason = "this host has no network address besides loopback and link-local ones that may be used: \
                              bring an interface up, or name one in GRAVEL_TCP_INTERFACE";
                let (peer, host) = (first.rank, first.host.clone());
                return Err(Error::Unreachable { peer, host, reason: reason.into() }.into());
            }
            addresses.extend(own.iter().map(|address| address.address));
        }
    }
    if addresses.len() > MAXIMUM_ADDRESSES {
        log::info!("only the first {MAXIMUM_ADDRESSES} of {} addresses are used by tcp", addresses.len());
        addresses.truncate(MAXIMUM_ADDRESSES);
    }
    let listening = addresses.into_iter().map(|address| listen(address, peers.len() + BACKLOG));
    let (listeners, addresses) = listening.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Prepared { contribution, listeners, addresses, own })
}

fn decode_cards(bytes: &[u8], size: Rank) -> Result<Vec<Card>> {
    let (cards, _) = bytes.as_chunks::<CARD_BYTES>();
    if cards.len() != size {
        return Err(Error::Internal(format!("the exchange returned {} cards for {size} ranks", cards.len())).into());
    }
    let decode =
        |(peer, card)| Card::decode(card).ok_or_else(|| Error::CollectiveFailed { peer, call: "gravel_init" }.into());
    cards.iter().enumerate().map(decode).collect()
}

/// The outer error is MPI's, after which nothing collective is possible; the inner one is this rank's verdict.
fn connect_all(
    host: &dyn Host,
    peers: &[Peer],
    prepared: Prepared,
    cards: &[Card],
) -> Result<Result<Vec<Option<Connection>>>> {
    let rank = host.rank();
    let secret = Secret::new(cards.iter().map(|card| &card.contribution));
    let callers = peers.iter().map(|peer| peer.rank).filter(|&peer| peer > rank).collect();
    let mut acceptor = Acceptor::new(rank, secret.clone(), prepared.listeners, callers);
    let now = Instant::now();
    let mut dials: Vec<Dial> = peers
        .iter()
        .filter(|peer| peer.rank < rank)
        .map(|peer| {
            let addresses = candidates(peer, &cards[peer.rank], &prepared.own);
            Dial::new(rank, peer.rank, secret.clone(), &addresses, now)
        })
        .collect();

    let mut failure = None;
    let mut is_in_barrier = false;
    let mut next_progress = now;
    loop {
        let now = Instant::now();
        if let Err(error) = acceptor.advance() {
            failure.get_or_insert(error);
        }
        for dial in &mut dials {
            dial.advance(now);
        }
        if !is_in_barrier && dials.iter().all(Dial::is_over) {
            host.begin_barrier()?;
            is_in_barrier = true;
        }
        if is_in_barrier && host.test_barrier()? {
            break;
        }
        if now >= next_progress {
            host.progress();
            next_progress = now + PROGRESS_INTERVAL;
        }
        let due = dials.iter().filter_map(Dial::next_start).min();
        let pause = due.map_or(next_progress, |due| due.min(next_progress)).saturating_duration_since(now);
        // In the barrier nothing tells when the others have come.
        wait(&acceptor, &dials, if is_in_barrier { pause.min(Duration::from_millis(1)) } else { pause });
    }

    let mut sockets = Vec::new();
    for dial in dials {
        let peer = dial.peer;
        match dial.into_outcome() {
            Ok(socket) => sockets.push((peer, socket)),
            Err(reason) => {
                failure.get_or_insert_with(|| unreachable(peers, peer, format!("tcp: {reason}")));
            }
        }
    }
    if let Some(&peer) = acceptor.missing().first() {
        failure.get_or_insert_with(|| {
            unreachable(peers, peer, "tcp: it could not connect to this rank: see its own error text".into())
        });
    }
    sockets.extend(acceptor.into_accepted());
    Ok(match failure {
        Some(error) => Err(error),
        None => establish(peers, cards.len(), sockets),
    })
}

/// Where a peer may be reached from here, the best first.
fn candidates(peer: &Peer, card: &Card, own: &[InterfaceAddress]) -> Vec<SocketAddr> {
    let mut addresses = card.addresses.clone();
    // A loopback address means this rank's own host, wherever it came from.
    addresses.retain(|address| address.ip().is_loopback() == peer.shares_loopback);
    nearest_first(own, &mut addresses, SocketAddr::ip);
    addresses
}

fn unreachable(peers: &[Peer], peer: Rank, reason: String) -> Box<Error> {
    let host = peers.iter().find(|candidate| candidate.rank == peer).map(|peer| peer.host.clone());
    Error::Unreachable { peer, host: host.unwrap_or_default(), reason }.into()
}

fn establish(peers: &[Peer], size: Rank, sockets: Vec<(Rank, Socket)>) -> Result<Vec<Option<Connection>>> {
    let mut connections: Vec<Option<Connection>> = (0..size).map(|_| None).collect();
    for (rank, socket) in sockets {
        let Some(peer) = peers.iter().find(|peer| peer.rank == rank) else { continue };
        let address = socket.peer_addr().ok().and_then(|address| address.as_socket());
        if let Some(address) = address {
            log::info!("rank {rank} on host {} is reached by tcp at {address}", peer.host);
        }
        let failed =
            |cause: std::io::Error| Error::system(format!("configuring the connection to rank {rank}"), &cause);
        connections[rank] = Some(Connection::new(peer, socket).map_err(failed)?);
    }
    Ok(connections)
}

/// Sleeps until something has come or the time is over.
fn wait(acceptor: &Acceptor, dials: &[Dial], timeout: Duration) {
    let entry = |socket: BorrowedFd<'_>, events| libc::pollfd { fd: socket.as_raw_fd(), events, revents: 0 };
    let mut watched: Vec<libc::pollfd> = acceptor.watched().map(|socket| entry(socket, libc::POLLIN)).collect();
    for (socket, is_connecting) in dials.iter().flat_map(Dial::watched) {
        watched.push(entry(socket, if is_connecting { libc::POLLOUT } else { libc::POLLIN }));
    }
    // Rounded up: a pause of less than a millisecond would be a busy loop.
    let milliseconds = i32::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: the list is valid for its length. Every outcome means "look again", which the caller does.
    unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, milliseconds) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Provider as _;
    use crate::provider::tcp::authentication::encode_greeting;
    use crate::provider::thread_host::{ThreadHost, run_ranks};
    use std::io::Write as _;
    use std::net::TcpStream;

    /// A rank whose exchanges another one's actions go before.
    struct Disturbed<F: Fn(usize, &[u8]) + Send>(ThreadHost, std::cell::Cell<usize>, F);

    impl<F: Fn(usize, &[u8]) + Send> Host for Disturbed<F> {
        fn rank(&self) -> Rank {
            self.0.rank()
        }

        fn size(&self) -> Rank {
            self.0.size()
        }

        fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            let all = self.0.all_gather(mine)?;
            (self.2)(self.1.replace(self.1.get() + 1), &all);
            Ok(all)
        }

        fn progress(&self) {
            self.0.progress();
        }

        fn begin_barrier(&self) -> Result<()> {
            self.0.begin_barrier()
        }

        fn test_barrier(&self) -> Result<bool> {
            self.0.test_barrier()
        }
    }

    fn neighbours(rank: Rank, size: Rank) -> Vec<Peer> {
        let peer = |rank| Peer { rank, pid: std::process::id(), host: "here".into(), shares_loopback: true };
        (0..size).filter(|&peer| peer != rank).map(peer).collect()
    }

    /// Connects all pairs of threads; `disturb` is called in each with its rank, the number of the exchange that is over,
    /// and what came of it.
    fn connect_threads(size: Rank, disturb: impl Fn(Rank, usize, &[u8]) + Sync) -> Vec<Result<TcpProvider>> {
        let nothing = || Error::Internal("no provider".into()).into();
        run_ranks(size, |host| {
            let rank = host.rank();
            let disturb = &disturb;
            let host = Disturbed(host, 0.into(), move |exchange, all: &[u8]| disturb(rank, exchange, all));
            // The closure borrows from the test, which outlives all ranks.
            connect(&host, &neighbours(rank, size), &Wanted::default())
                .and_then(|provider| provider.ok_or_else(nothing))
        })
    }

    fn assert_connected(providers: Vec<Result<TcpProvider>>) {
        let providers: Vec<TcpProvider> = providers.into_iter().map(|provider| provider.expect("connected")).collect();
        for (rank, provider) in providers.iter().enumerate() {
            for peer in 0..providers.len() {
                assert_eq!(provider.connections[peer].is_some(), peer != rank);
                assert_eq!(provider.check_alive(peer), Ok(()));
            }
        }
    }

    #[test]
    fn ranks_that_come_much_later_are_waited_for() {
        let providers = connect_threads(4, |rank, exchange, _| {
            // All addresses are known: now the first rank, to which all others connect, and one that connects are late.
            if exchange == 0 && (rank == 0 || rank == 2) {
                std::thread::sleep(Duration::from_millis(700 * (rank as u64 + 1)));
            }
        });
        assert_connected(providers);
    }

    #[test]
    fn strangers_do_not_keep_ranks_from_connecting() {
        let crowd = std::sync::Mutex::new(Vec::new());
        let providers = connect_threads(3, |rank, exchange, all| {
            if rank != 1 || exchange != 0 {
                return;
            }
            let cards = decode_cards(all, 3).expect("cards");
            for address in cards.iter().flat_map(|card| &card.addresses) {
                for kind in 0..30 {
                    let Ok(mut stream) = TcpStream::connect(address) else { continue };
                    // Nobody may be listening any more when this is written.
                    let _ = match kind % 3 {
                        0 => stream.write_all(&[kind; 1000]),
                        1 => stream.write_all(&encode_greeting(2, 0, &[kind; 32])),
                        _ => Ok(()),
                    };
                    crowd.lock().expect("the list").push(stream);
                }
            }
        });
        assert_connected(providers);
        assert!(crowd.lock().expect("the list").len() > 30);
    }

    #[test]
    fn all_ranks_fail_if_one_cannot_be_reached() {
        let outcomes = run_ranks(3, |host| {
            let rank = host.rank();
            let mut peers = neighbours(rank, 3);
            // Rank 2 thinks that rank 0 is far away, and finds no address of it; the others are in order.
            if rank == 2 {
                peers[0].shares_loopback = false;
            }
            connect(&host, &peers, &Wanted::default()).map(drop)
        });
        let errors: Vec<Error> = outcomes.into_iter().map(|outcome| *outcome.expect_err("a failure")).collect();
        assert!(
            matches!(&errors[0], Error::Unreachable { peer: 2, reason, .. } if reason.contains("could not connect"))
        );
        assert!(matches!(&errors[1], Error::CollectiveFailed { peer: 0, .. }));
        assert!(matches!(&errors[2], Error::Unreachable { peer: 0, reason, .. } if reason.contains("no address")));
    }

    #[test]
    fn loopback_is_for_ranks_that_share_it_only() {
        let addresses: Vec<SocketAddr> =
            ["10.1.0.1:1", "127.0.0.1:2", "[::1]:3", "10.9.0.1:4"].map(|text| text.parse().expect("an address")).into();
        let card = Card { addresses, ..Card::default() };
        let own = [InterfaceAddress {
            interface: "eth0".into(),
            address: "10.9.0.7".parse().expect("an address"),
            prefix: 16,
        }];
        let peer = |shares_loopback| Peer { rank: 1, pid: 2, host: "node".into(), shares_loopback };
        let ports = |peer| candidates(&peer, &card, &own).iter().map(SocketAddr::port).collect::<Vec<_>>();
        assert_eq!(ports(peer(true)), [2, 3]);
        assert_eq!(ports(peer(false)), [4, 1], "the common network first");
    }

    #[test]
    fn nobody_listens_who_is_not_called() {
        let peer = |rank, shares_loopback| Peer { rank, pid: 2, host: "node".into(), shares_loopback };
        let addresses = |rank, peers: &[Peer]| {
            let prepared = prepare(rank, peers, &Wanted::default()).expect("prepared");
            prepared.addresses.iter().map(|address| address.ip().is_loopback()).collect::<Vec<_>>()
        };
        assert!(addresses(2, &[peer(0, true), peer(1, false)]).is_empty(), "the highest rank");
        assert!(addresses(0, &[]).is_empty());
        assert_eq!(addresses(0, &[peer(1, true)]), [true], "only loopback for a caller on this host");
    }
}
