//! The side of connection set-up that connects: to one lower rank, at whichever of its addresses answers.
//!
//! A host has many addresses, of which some lead nowhere from here: a bridge of its own containers, a network behind a
//! firewall. They are tried side by side, each a moment after the one before (as in RFC 8305), and the first at which the
//! right rank proves itself is taken. An address fails when the system says so, never because it is slow, and is not tried
//! again; unless the connection was closed before the peer said anything, as when strangers crowd it.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};

use super::authentication::{self, CHALLENGE_BYTES, Introduction, Secret, Step, WORD_BYTES, Word};
use super::exact::{ReadExact, send_all};
use crate::Rank;

/// How long an address may take before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);
/// How often an address is tried at which connections are closed at once, with pauses that double.
const TRIES: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The way to one lower rank.
pub struct Dial {
    rank: Rank,
    /// The rank to reach.
    pub peer: Rank,
    secret: Secret,
    candidates: VecDeque<Candidate>,
    attempts: Vec<Attempt>,
    /// When the next candidate is tried.
    next: Instant,
    failures: Vec<String>,
    outcome: Option<Result<Socket, String>>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    address: SocketAddr,
    tries: u32,
}

struct Attempt {
    candidate: Candidate,
    socket: Socket,
    nonce: Word,
    phase: Phase,
}

enum Phase {
    Connecting,
    Challenge(ReadExact<CHALLENGE_BYTES>),
    Welcome(Introduction, ReadExact<WORD_BYTES>),
}

impl Dial {
    /// Tries the addresses in their order.
    pub fn new(rank: Rank, peer: Rank, secret: Secret, addresses: &[SocketAddr], now: Instant) -> Self {
        let candidates = addresses.iter().map(|&address| Candidate { address, tries: 0 }).collect();
        let outcome = addresses.is_empty().then(|| Err("it has no address that can be reached from here".into()));
        Self { rank, peer, secret, candidates, attempts: Vec::new(), next: now, failures: Vec::new(), outcome }
    }

    /// Whether it has been decided.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// The connection, or why there is none.
    pub fn into_outcome(self) -> Result<Socket, String> {
        self.outcome.unwrap_or_else(|| Err("not decided yet".into()))
    }

    /// What becomes writable (true) or readable (false) when there is something to do.
    pub fn watched(&self) -> impl Iterator<Item = (BorrowedFd<'_>, bool)> {
        self.attempts.iter().map(|attempt| (attempt.socket.as_fd(), matches!(attempt.phase, Phase::Connecting)))
    }

    /// When there is something to do even if nothing happens.
    pub fn next_start(&self) -> Option<Instant> {
        (!self.candidates.is_empty() && self.outcome.is_none()).then_some(self.next)
    }

    /// Takes what has come, and starts what is due.
    pub fn advance(&mut self, now: Instant) {
        for mut attempt in std::mem::take(&mut self.attempts) {
            if self.is_over() {
                return;
            }
            match self.listen_to(&mut attempt) {
                Ok(false) => self.attempts.push(attempt),
                Ok(true) => {
                    self.attempts.clear();
                    self.candidates.clear();
                    self.outcome = Some(Ok(attempt.socket));
                    return;
                }
                Err(cause) => self.give_up(attempt.candidate, &attempt.phase, &cause, now),
            }
        }
        // Only one connection may be proven: the peer takes one.
        let is_proving = self.attempts.iter().any(|attempt| matches!(attempt.phase, Phase::Welcome(..)));
        if is_proving {
            self.attempts.retain(|attempt| matches!(attempt.phase, Phase::Welcome(..)));
        }
        while !is_proving && self.next <= now {
            let Some(mut candidate) = self.candidates.pop_front() else { break };
            self.next = now + HEAD_START;
            candidate.tries += 1;
            match self.start(candidate) {
                Ok(attempt) => self.attempts.push(attempt),
                Err(cause) => self.give_up(candidate, &Phase::Connecting, &cause, now),
            }
        }
        if self.attempts.is_empty() && self.candidates.is_empty() && self.outcome.is_none() {
            self.outcome = Some(Err(self.failures.join("; ")));
        }
    }

    fn start(&self, candidate: Candidate) -> io::Result<Attempt> {
        let kind = Type::STREAM.nonblocking().cloexec();
        let socket = Socket::new(Domain::for_address(candidate.address), kind, Some(Protocol::TCP))?;
        match socket.connect(&candidate.address.into()) {
            Err(cause) if cause.raw_os_error() != Some(libc::EINPROGRESS) => return Err(cause),
            _ => {}
        }
        let nonce = authentication::random_word().map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Attempt { candidate, socket, nonce, phase: Phase::Connecting })
    }

    /// An address has failed; where another try makes sense, it comes behind the others.
    fn give_up(&mut self, candidate: Candidate, phase: &Phase, cause: &io::Error, now: Instant) {
        let was_closed = matches!(cause.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset);
        if was_closed && !matches!(phase, Phase::Welcome(..)) && candidate.tries < TRIES {
            self.next = now + FIRST_PAUSE * (1 << candidate.tries);
            self.candidates.push_back(candidate);
        } else {
            self.next = now;
            self.failures.push(format!("{}: {cause}", candidate.address));
        }
    }

    /// Takes the next step of an attempt. True if it has succeeded.
    fn listen_to(&self, attempt: &mut Attempt) -> io::Result<bool> {
        if let Phase::Connecting = attempt.phase {
            if let Some(cause) = attempt.socket.take_error()? {
                return Err(cause);
            }
            match attempt.socket.peer_addr() {
                Ok(_) => {}
                Err(cause) if cause.kind() == ErrorKind::NotConnected => return Ok(false),
                Err(cause) => return Err(cause),
            }
            send_all(&attempt.socket, &authentication::encode_greeting(self.rank, self.peer, &attempt.nonce))?;
            attempt.phase = Phase::Challenge(ReadExact::default());
        }
        if let Phase::Challenge(challenge) = &mut attempt.phase {
            let Some(challenge) = challenge.read(&attempt.socket)? else { return Ok(false) };
            let (accepting_nonce, proof) = authentication::decode_challenge(&challenge);
            let introduction =
                Introduction { from: self.rank, to: self.peer, connecting_nonce: attempt.nonce, accepting_nonce };
            if !introduction.is_proven(&self.secret, Step::Challenge, &proof) {
                return Err(io::Error::other(format!("not rank {} of this job", self.peer)));
            }
            if self.attempts.iter().any(|other| matches!(other.phase, Phase::Welcome(..))) {
                return Err(io::Error::other("another address was faster"));
            }
            send_all(&attempt.socket, &introduction.prove(&self.secret, Step::Proof))?;
            attempt.phase = Phase::Welcome(introduction, ReadExact::default());
        }
        let Phase::Welcome(introduction, welcome) = &mut attempt.phase else { return Ok(false) };
        let Some(welcome) = welcome.read(&attempt.socket)? else { return Ok(false) };
        if !introduction.is_proven(&self.secret, Step::Welcome, &welcome) {
            return Err(io::Error::other(format!("not rank {} of this job", self.peer)));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::tcp::accepting::{Acceptor, listen};
    use std::net::{Ipv4Addr, TcpListener};

    fn secret() -> Secret {
        Secret::new([&authentication::random_word().unwrap()])
    }

    /// Runs a dial, and an acceptor beside it, until it is decided.
    fn run(dial: &mut Dial, acceptor: Option<&mut Acceptor>) {
        let mut acceptor = acceptor;
        let deadline = Instant::now() + Duration::from_secs(30);
        while !dial.is_over() {
            dial.advance(Instant::now());
            if let Some(acceptor) = &mut acceptor {
                acceptor.advance().unwrap();
            }
            assert!(Instant::now() < deadline, "never decided");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// An address at which nobody listens.
    fn nobody() -> SocketAddr {
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
    }

    #[test]
    fn the_right_rank_is_found_behind_dead_and_strange_addresses() {
        let secret = secret();
        let (listener, right) = listen(Ipv4Addr::LOCALHOST.into(), 16).unwrap();
        let mut acceptor = Acceptor::new(0, secret.clone(), vec![listener], vec![1]);
        // Somebody who never answers, so that the next address is tried beside it.
        let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let addresses = [nobody(), silent.local_addr().unwrap(), right];
        let mut dial = Dial::new(1, 0, secret, &addresses, Instant::now());
        run(&mut dial, Some(&mut acceptor));
        assert_eq!(dial.into_outcome().unwrap().peer_addr().unwrap().as_socket(), Some(right));
        assert!(acceptor.missing().is_empty());
    }

    #[test]
    fn every_address_that_failed_is_named() {
        let (first, second) = (nobody(), nobody());
        let mut dial = Dial::new(1, 0, secret(), &[first, second], Instant::now());
        run(&mut dial, None);
        let reason = dial.into_outcome().unwrap_err();
        assert!(reason.contains(&first.to_string()) && reason.contains(&second.to_string()), "{reason}");
        assert!(reason.contains("refused"), "{reason}");
        assert!(Dial::new(1, 0, secret(), &[], Instant::now()).is_over());
    }

    #[test]
    fn an_impostor_is_not_believed() {
        let (listener, address) = listen(Ipv4Addr::LOCALHOST.into(), 16).unwrap();
        let mut impostor = Acceptor::new(0, secret(), vec![listener], vec![1]);
        let mut dial = Dial::new(1, 0, secret(), &[address], Instant::now());
        run(&mut dial, Some(&mut impostor));
        assert!(dial.into_outcome().unwrap_err().contains("not rank 0 of this job"));
        assert_eq!(impostor.missing(), [1], "it has learned no proof");
    }

    #[test]
    fn a_crowded_peer_is_tried_again() {
        let secret = secret();
        let (listener, address) = listen(Ipv4Addr::LOCALHOST.into(), 16).unwrap();
        let mut dial = Dial::new(1, 0, secret.clone(), &[address], Instant::now());
        // Twice the connection is closed before anything was said.
        for _ in 0..2 {
            loop {
                dial.advance(Instant::now());
                if let Ok((socket, _)) = listener.accept() {
                    drop(socket);
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let mut acceptor = Acceptor::new(0, secret, vec![listener], vec![1]);
        run(&mut dial, Some(&mut acceptor));
        assert!(dial.into_outcome().is_ok());
    }
}
