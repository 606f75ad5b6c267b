//! How two ranks prove to each other that they belong to one job, as pure functions over bytes.
//!
//! Every rank draws random bytes; all of them, exchanged over MPI, make the job's secret, which never crosses a socket.
//!
//! | step | who | bytes |
//! |---|---|---|
//! | greeting | connecting rank | magic, its rank, the rank that it wants, a nonce |
//! | challenge | accepting rank | a nonce, and its proof |
//! | proof | connecting rank | its proof |
//! | welcome | accepting rank | a proof that it has taken this connection |
//!
//! A proof is an HMAC-SHA-256 under the secret over the step's name, both ranks and both nonces. Each side has drawn one
//! of the nonces for this connection alone, so what was recorded of another connection proves nothing, and the step's
//! name keeps a proof from being sent back as another one. All steps have fixed lengths: whoever is not of the job can
//! neither make a rank allocate nor make it parse more than a greeting. What follows is not encrypted, as with MPI itself.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::Rank;
use crate::error::{Error, Result};
use crate::sys::random::{DRAWING, random};

/// Bytes of randomness that each rank contributes, of a nonce, and of a proof.
pub const WORD_BYTES: usize = 32;
/// Random bytes, or a proof.
pub type Word = [u8; WORD_BYTES];

/// Changes with every incompatible change of greetings or frames.
const MAGIC: [u8; 8] = *b"gravel\0\x01";
/// Length of a greeting.
pub const GREETING_BYTES: usize = MAGIC.len() + 2 * 4 + WORD_BYTES;
/// Length of a challenge.
pub const CHALLENGE_BYTES: usize = 2 * WORD_BYTES;

/// Draws random bytes.
pub fn random_word() -> Result<Word> {
    random().map_err(|cause| Error::system(DRAWING, &cause).into())
}

/// Bytes of an HMAC key: a shorter secret is padded with zeros.
const KEY_BYTES: usize = 64;

/// What the ranks of a job know, and nobody else.
#[derive(Clone)]
pub struct Secret([u8; KEY_BYTES]);

impl Secret {
    /// From the contributions of all ranks, in their order.
    pub fn new<'a>(contributions: impl IntoIterator<Item = &'a Word>) -> Self {
        let mut hash = Sha256::new();
        for word in contributions {
            hash.update(word);
        }
        let mut key = [0; KEY_BYTES];
        key[..WORD_BYTES].copy_from_slice(&hash.finalize());
        Self(key)
    }
}

/// The steps that carry a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The accepting rank answers a greeting.
    Challenge,
    /// The connecting rank answers the challenge.
    Proof,
    /// The accepting rank takes the connection.
    Welcome,
}

/// What both sides know of a connection that is being set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The rank that connects.
    pub from: Rank,
    /// The rank that it wants to reach.
    pub to: Rank,
    /// Drawn by the connecting rank.
    pub connecting_nonce: Word,
    /// Drawn by the accepting rank.
    pub accepting_nonce: Word,
}

impl Introduction {
    fn keyed(&self, secret: &Secret, step: Step) -> Hmac<Sha256> {
        let mut hash = Hmac::<Sha256>::new(&secret.0.into());
        hash.update(match step {
            Step::Challenge => b"gravel tcp challenge",
            Step::Proof => b"gravel tcp proof\0\0\0\0",
            Step::Welcome => b"gravel tcp welcome\0\0",
        });
        hash.update(&(self.from as u64).to_le_bytes());
        hash.update(&(self.to as u64).to_le_bytes());
        hash.update(&self.connecting_nonce);
        hash.update(&self.accepting_nonce);
        hash
    }

    /// The proof for a step.
    pub fn prove(&self, secret: &Secret, step: Step) -> Word {
        self.keyed(secret, step).finalize().into_bytes().into()
    }

    /// Whether a proof is right; takes equally long for every wrong one.
    pub fn is_proven(&self, secret: &Secret, step: Step, proof: &Word) -> bool {
        self.keyed(secret, step).verify(&(*proof).into()).is_ok()
    }
}

/// A greeting: who connects, whom it wants, and its nonce.
pub fn encode_greeting(from: Rank, to: Rank, nonce: &Word) -> [u8; GREETING_BYTES] {
    let mut greeting = [0; GREETING_BYTES];
    greeting[..8].copy_from_slice(&MAGIC);
    // A job has fewer than 2^32 ranks: MPI counts them in a C int.
    greeting[8..12].copy_from_slice(&(from as u32).to_le_bytes());
    greeting[12..16].copy_from_slice(&(to as u32).to_le_bytes());
    greeting[16..].copy_from_slice(nonce);
    greeting
}

/// What a greeting says; nothing if it is none of this version.
pub fn decode_greeting(greeting: &[u8; GREETING_BYTES]) -> Option<(Rank, Rank, Word)> {
    let (magic, rest) = greeting.split_first_chunk::<8>()?;
    let (from, rest) = rest.split_first_chunk::<4>()?;
    let (to, rest) = rest.split_first_chunk::<4>()?;
    if *magic != MAGIC {
        return None;
    }
    Some((u32::from_le_bytes(*from) as Rank, u32::from_le_bytes(*to) as Rank, rest.try_into().ok()?))
}

/// A challenge: the accepting rank's nonce and proof.
pub fn encode_challenge(nonce: &Word, proof: &Word) -> [u8; CHALLENGE_BYTES] {
    let mut challenge = [0; CHALLENGE_BYTES];
    challenge[..WORD_BYTES].copy_from_slice(nonce);
    challenge[WORD_BYTES..].copy_from_slice(proof);
    challenge
}

/// The nonce and the proof of a challenge.
pub fn decode_challenge(challenge: &[u8; CHALLENGE_BYTES]) -> (Word, Word) {
    let mut parts = (Word::default(), Word::default());
    parts.0.copy_from_slice(&challenge[..WORD_BYTES]);
    parts.1.copy_from_slice(&challenge[WORD_BYTES..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn introduction() -> Introduction {
        Introduction { from: 3, to: 1, connecting_nonce: [5; WORD_BYTES], accepting_nonce: [6; WORD_BYTES] }
    }

    #[test]
    fn a_proof_holds_for_its_job_connection_and_step_only() {
        let secret = Secret::new([&[1; WORD_BYTES], &[2; WORD_BYTES]]);
        let told = introduction();
        let proof = told.prove(&secret, Step::Proof);
        assert!(told.is_proven(&secret, Step::Proof, &proof));
        let other_job = Secret::new([&[2; WORD_BYTES], &[1; WORD_BYTES]]);
        assert!(!told.is_proven(&other_job, Step::Proof, &proof), "the secret of another job");
        for step in [Step::Challenge, Step::Welcome] {
            assert!(!told.is_proven(&secret, step, &proof), "sent back as {step:?}");
        }
        for (what, other) in [
            ("from", Introduction { from: 2, ..told.clone() }),
            ("to", Introduction { to: 0, ..told.clone() }),
            ("nonce of the one that connects", Introduction { connecting_nonce: [7; WORD_BYTES], ..told.clone() }),
            ("nonce of the one that accepts", Introduction { accepting_nonce: [7; WORD_BYTES], ..told.clone() }),
            (
                "nonces exchanged",
                Introduction { connecting_nonce: [6; WORD_BYTES], accepting_nonce: [5; WORD_BYTES], ..told.clone() },
            ),
        ] {
            assert!(!other.is_proven(&secret, Step::Proof, &proof), "replayed with another {what}");
        }
    }

    #[test]
    fn random_words_differ() {
        assert_ne!(random_word().unwrap(), random_word().unwrap());
    }

    proptest! {
        #[test]
        fn greetings_and_challenges_survive_the_wire(from: u32, to: u32, nonce: Word, proof: Word) {
            let (from, to) = (from as Rank, to as Rank);
            prop_assert_eq!(decode_greeting(&encode_greeting(from, to, &nonce)), Some((from, to, nonce)));
            prop_assert_eq!(decode_challenge(&encode_challenge(&nonce, &proof)), (nonce, proof));
        }

        #[test]
        fn a_greeting_of_another_version_is_none(place in 0..MAGIC.len(), damage in 1u8..) {
            let mut greeting = encode_greeting(1, 0, &[9; WORD_BYTES]);
            greeting[place] ^= damage;
            prop_assert_eq!(decode_greeting(&greeting), None);
        }

        #[test]
        fn no_changed_proof_is_accepted(place in 0..WORD_BYTES, damage in 1u8..) {
            let secret = Secret::new([&[1; WORD_BYTES]]);
            let mut proof = introduction().prove(&secret, Step::Challenge);
            proof[place] ^= damage;
            prop_assert!(!introduction().is_proven(&secret, Step::Challenge, &proof));
        }
    }
}
