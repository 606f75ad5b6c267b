//! The side of connection set-up that listens: takes the connections of higher ranks, and nobody else's.
//!
//! Whoever connects is a stranger until its proof is right. A stranger costs one descriptor and the few bytes of a
//! greeting, gets an answer only if it names two ranks that expect each other, and is dropped at the first wrong byte.
//! There is room for a limited number; the one that has been silent for longest goes when another comes.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};

use socket2::{Domain, Protocol, Socket, Type};

use super::authentication::{self, GREETING_BYTES, Introduction, Secret, Step, WORD_BYTES};
use super::exact::{ReadExact, send_all};
use crate::Rank;
use crate::error::{Error, Result};

/// How many strangers there is room for beside the ranks that are expected.
const STRANGERS: usize = 64;

/// The listening side of one rank.
pub struct Acceptor {
    rank: Rank,
    secret: Secret,
    listeners: Vec<Socket>,
    /// Ranks that have to connect and have not.
    expected: Vec<Rank>,
    strangers: VecDeque<Stranger>,
    accepted: Vec<(Rank, Socket)>,
}

struct Stranger {
    socket: Socket,
    phase: Phase,
}

enum Phase {
    Greeting(ReadExact<GREETING_BYTES>),
    Proof(Introduction, ReadExact<WORD_BYTES>),
}

/// Listens at an address, on a port that the system chooses; returns the address with it.
pub fn listen(address: std::net::IpAddr, backlog: usize) -> Result<(Socket, SocketAddr)> {
    let address = SocketAddr::new(address, 0);
    let open = || -> io::Result<(Socket, SocketAddr)> {
        let kind = Type::STREAM.nonblocking().cloexec();
        let socket = Socket::new(Domain::for_address(address), kind, Some(Protocol::TCP))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.bind(&address.into())?;
        socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        let bound = socket.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok((socket, bound))
    };
    open().map_err(|cause| {
        let what = format!("listening at {} for other ranks (limit on descriptors: RLIMIT_NOFILE)", address.ip());
        Error::system(what, &cause).into()
    })
}

impl Acceptor {
    /// Waits for the connections of the `expected` ranks.
    pub fn new(rank: Rank, secret: Secret, listeners: Vec<Socket>, expected: Vec<Rank>) -> Self {
        Self { rank, secret, listeners, expected, strangers: VecDeque::new(), accepted: Vec::new() }
    }

    /// The ranks that have not connected.
    pub fn missing(&self) -> &[Rank] {
        &self.expected
    }

    /// The connections; the listening sockets and whoever else has come are closed.
    pub fn into_accepted(self) -> Vec<(Rank, Socket)> {
        self.accepted
    }

    /// What becomes readable when there is something to do.
    pub fn watched(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let strangers = self.strangers.iter().map(|stranger| stranger.socket.as_fd());
        self.listeners.iter().map(AsFd::as_fd).chain(strangers)
    }

    /// Takes what has come. After an error nobody can connect any more, and whoever tries is refused.
    pub fn advance(&mut self) -> Result<()> {
        if let Err(cause) = self.accept_all() {
            self.listeners.clear();
            self.strangers.clear();
            return Err(Error::system("accepting connections of other ranks (limit: RLIMIT_NOFILE)", &cause).into());
        }
        for _ in 0..self.strangers.len() {
            let Some(mut stranger) = self.strangers.pop_front() else { break };
            match self.listen_to(&mut stranger) {
                Ok(None) => self.strangers.push_back(stranger),
                Ok(Some(rank)) => {
                    self.expected.retain(|&expected| expected != rank);
                    self.accepted.push((rank, stranger.socket));
                }
                Err(reason) => {
                    let from = stranger.socket.peer_addr().ok().and_then(|address| address.as_socket());
                    let from = from.map_or_else(|| "somebody".into(), |address| address.to_string());
                    crate::sys::log::info!("dropped a connection from {from}: {reason}");
                }
            }
        }
        if self.expected.is_empty() {
            self.listeners.clear();
            self.strangers.clear();
        }
        Ok(())
    }

    fn accept_all(&mut self) -> io::Result<()> {
        for listener in &self.listeners {
            loop {
                match listener.accept() {
                    Ok((socket, _)) => {
                        if socket.set_nonblocking(true).is_err() {
                            continue;
                        }
                        if self.strangers.len() >= STRANGERS + self.expected.len() {
                            self.strangers.pop_front();
                        }
                        self.strangers.push_back(Stranger { socket, phase: Phase::Greeting(ReadExact::default()) });
                    }
                    Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => break,
                    Err(cause) if is_shortage(&cause) => return Err(cause),
                    // The connection is gone before it was taken (accept(2) lists many codes): its own affair.
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Takes the next step with a stranger. Its rank, if it has proven that it is one.
    fn listen_to(&self, stranger: &mut Stranger) -> std::result::Result<Option<Rank>, String> {
        let text = |cause: io::Error| cause.to_string();
        if let Phase::Greeting(greeting) = &mut stranger.phase {
            let Some(greeting) = greeting.read(&stranger.socket).map_err(text)? else { return Ok(None) };
            let (from, to, connecting_nonce) =
                authentication::decode_greeting(&greeting).ok_or("not the greeting of a rank")?;
            if to != self.rank || !self.expected.contains(&from) {
                return Err(format!("it says that it is rank {from} and wants rank {to}"));
            }
            let accepting_nonce = authentication::random_word().map_err(|error| error.to_string())?;
            let introduction = Introduction { from, to, connecting_nonce, accepting_nonce };
            let proof = introduction.prove(&self.secret, Step::Challenge);
            let challenge = authentication::encode_challenge(&accepting_nonce, &proof);
            send_all(&stranger.socket, &challenge).map_err(text)?;
            stranger.phase = Phase::Proof(introduction, ReadExact::default());
        }
        let Phase::Proof(introduction, proof) = &mut stranger.phase else { return Ok(None) };
        let Some(proof) = proof.read(&stranger.socket).map_err(text)? else { return Ok(None) };
        if !introduction.is_proven(&self.secret, Step::Proof, &proof) {
            return Err(format!("it is not rank {} of this job", introduction.from));
        }
        if !self.expected.contains(&introduction.from) {
            return Err(format!("rank {} has connected already", introduction.from));
        }
        let welcome = introduction.prove(&self.secret, Step::Welcome);
        send_all(&stranger.socket, &welcome).map_err(text)?;
        Ok(Some(introduction.from))
    }
}

/// Whether an error of accept says that this process or host lacks something, so that asking again fails again.
fn is_shortage(cause: &io::Error) -> bool {
    matches!(cause.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::tcp::authentication::{Word, encode_greeting, random_word};
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, TcpStream};
    use std::time::{Duration, Instant};

    fn acceptor() -> (Acceptor, SocketAddr, Secret) {
        let secret = Secret::new([&random_word().unwrap()]);
        let (listener, address) = listen(Ipv4Addr::LOCALHOST.into(), 16).unwrap();
        (Acceptor::new(0, secret.clone(), vec![listener], vec![1, 2]), address, secret)
    }

    /// Advances until a condition holds; the sockets are local, so it soon does.
    fn advance_until(acceptor: &mut Acceptor, mut done: impl FnMut(&Acceptor) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !done(acceptor) {
            acceptor.advance().unwrap();
            assert!(Instant::now() < deadline, "nothing happened");
            std::thread::yield_now();
        }
    }

    fn greet(address: SocketAddr, from: Rank, to: Rank, nonce: &Word) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&encode_greeting(from, to, nonce)).unwrap();
        stream
    }

    /// The whole exchange, with proofs by this secret; what was said after the greeting.
    fn introduce(acceptor: &mut Acceptor, address: SocketAddr, secret: &Secret, from: Rank) -> (TcpStream, Word) {
        let connecting_nonce = random_word().unwrap();
        let mut stream = greet(address, from, 0, &connecting_nonce);
        advance_until(acceptor, |acceptor| {
            acceptor.strangers.iter().any(|stranger| matches!(stranger.phase, Phase::Proof(..)))
        });
        let mut challenge = [0; authentication::CHALLENGE_BYTES];
        stream.read_exact(&mut challenge).unwrap();
        let (accepting_nonce, _) = authentication::decode_challenge(&challenge);
        let introduction = Introduction { from, to: 0, connecting_nonce, accepting_nonce };
        let proof = introduction.prove(secret, Step::Proof);
        stream.write_all(&proof).unwrap();
        (stream, proof)
    }

    /// Advances until the other side of a stream has been closed.
    fn advance_until_closed(acceptor: &mut Acceptor, stream: &mut TcpStream) {
        stream.set_nonblocking(true).unwrap();
        advance_until(acceptor, |_| match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => true,
            Err(cause) => cause.kind() == io::ErrorKind::ConnectionReset,
        });
    }

    #[test]
    fn ranks_of_the_job_are_taken_and_then_nobody() {
        let (mut acceptor, address, secret) = acceptor();
        for rank in [2, 1] {
            introduce(&mut acceptor, address, &secret, rank);
            advance_until(&mut acceptor, |acceptor| !acceptor.missing().contains(&rank));
        }
        assert!(TcpStream::connect(address).is_err(), "still listening although all are here");
        assert_eq!(acceptor.into_accepted().iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn strangers_are_dropped_and_do_not_disturb() {
        let (mut acceptor, address, secret) = acceptor();
        let nonce = random_word().unwrap();
        // Garbage longer than a greeting; ranks that nobody expects; a greeting for another rank.
        let mut garbage = TcpStream::connect(address).unwrap();
        garbage.write_all(&[0xff; 4096]).unwrap();
        let mut dropped = vec![garbage, greet(address, 0, 0, &nonce), greet(address, 9, 0, &nonce)];
        dropped.push(greet(address, 1, 3, &nonce));
        // The right words with the secret of another job.
        let other = Secret::new([&random_word().unwrap()]);
        let (stream, wrong_proof) = introduce(&mut acceptor, address, &other, 1);
        dropped.push(stream);
        for stream in &mut dropped {
            advance_until_closed(&mut acceptor, stream);
        }
        assert_eq!(acceptor.missing(), [1, 2]);
        // Half-open: says a few bytes and then nothing. It stays, and disturbs nobody.
        let mut silent = TcpStream::connect(address).unwrap();
        silent.write_all(b"gra").unwrap();
        let (_first, proof) = introduce(&mut acceptor, address, &secret, 1);
        advance_until(&mut acceptor, |acceptor| acceptor.missing() == [2]);
        assert_ne!(proof, wrong_proof);
        assert_eq!(acceptor.accepted.len(), 1);
    }

    #[test]
    fn what_was_recorded_of_another_connection_proves_nothing() {
        let (mut acceptor, address, secret) = acceptor();
        let (_first, recorded) = introduce(&mut acceptor, address, &secret, 1);
        advance_until(&mut acceptor, |acceptor| acceptor.missing() == [2]);
        // The same rank again, which is here already.
        let mut again = greet(address, 1, 0, &random_word().unwrap());
        // Another rank with the recorded proof.
        let mut replayed = greet(address, 2, 0, &random_word().unwrap());
        replayed.write_all(&recorded).unwrap();
        for stream in [&mut again, &mut replayed] {
            advance_until_closed(&mut acceptor, stream);
        }
        assert_eq!(acceptor.missing(), [2]);
        assert_eq!(acceptor.accepted.len(), 1);
    }

    #[test]
    fn a_crowd_of_silent_strangers_leaves_room_for_ranks() {
        let (mut acceptor, address, secret) = acceptor();
        let mut crowd: Vec<TcpStream> = Vec::new();
        for _ in 0..2 * STRANGERS {
            crowd.push(TcpStream::connect(address).unwrap());
            acceptor.advance().unwrap();
            assert!(acceptor.strangers.len() <= STRANGERS + 2);
        }
        introduce(&mut acceptor, address, &secret, 2);
        advance_until(&mut acceptor, |acceptor| acceptor.missing() == [1]);
    }
}
