//! The Rust interface: sending and receiving in one call.

use crate::api::{LENGTHS, TAG, checked_ranks, values};
use gravel::{Error, Peer, Rank, Result};

#[test]
fn a_ring_of_blocking_calls_ends_at_every_length() {
    checked_ranks("api_send_receive::a_ring_of_blocking_calls_ends_at_every_length", 3, |gravel| {
        let (rank, ranks) = (gravel.rank(), gravel.ranks());
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        for length in LENGTHS {
            let mut incoming = vec![-1.0; length + 2];
            let outgoing = values(length, rank);
            let status = gravel.send_receive(&outgoing, next, &mut incoming, previous, TAG)?.expect("a message");
            assert_eq!((status.source, status.tag, status.bytes), (previous, TAG, 8 * length as u64));
            assert_eq!(incoming[..length], values(length, previous));
            assert_eq!(incoming[length..], [-1.0; 2]);

            let mut field = values(length, rank);
            gravel.send_receive_replace(&mut field, next, previous, TAG)?;
            assert_eq!(field, values(length, previous));
        }
        Ok(())
    });
}

/// One tag for each direction of a pair: what goes left is not taken for what goes right.
#[test]
fn tags_of_the_two_directions_differ() {
    checked_ranks("api_send_receive::tags_of_the_two_directions_differ", 2, |gravel| {
        let peer = 1 - gravel.rank();
        let (mine, theirs) = (10 + gravel.rank() as i32, 10 + peer as i32);
        for length in LENGTHS {
            let mut incoming = vec![0.0; length];
            let outgoing = values(length, gravel.rank());
            let status = gravel.send_receive_with_tags(&outgoing, peer, mine, &mut incoming, peer, theirs)?;
            assert_eq!(status.expect("a message").tag, theirs);
            assert_eq!(incoming, values(length, peer));
        }
        Ok(())
    });
}

#[test]
fn edges_of_a_grid_have_nobody_beside_them() {
    checked_ranks("api_send_receive::edges_of_a_grid_have_nobody_beside_them", 3, |gravel| {
        let rank = gravel.rank();
        let (left, right): (Option<Rank>, _) = (rank.checked_sub(1), Some(rank + 1).filter(|&right| right < 3));
        for length in LENGTHS {
            let mut ghost = vec![7.0; length];
            let status = gravel.send_receive(&values(length, rank), right, &mut ghost, left, TAG)?;
            assert_eq!(status.map(|status| status.source), left);
            assert_eq!(ghost, left.map_or(vec![7.0; length], |left| values(length, left)));
        }
        assert_eq!(gravel.send_receive_replace(&mut [1.0], Peer::Nobody, Peer::Nobody, TAG), Ok(None));
        Ok(())
    });
}

/// A receive that is too short is this rank's error; the message that it sends arrives all the same.
#[test]
fn an_error_of_the_receive_leaves_the_send_alone() {
    checked_ranks("api_send_receive::an_error_of_the_receive_leaves_the_send_alone", 2, |gravel| {
        let peer = 1 - gravel.rank();
        for length in [10, 2000, 200_000] {
            let mut incoming = vec![-1.0; if gravel.rank() == 0 { length - 1 } else { length }];
            let outgoing = values(length, gravel.rank());
            let outcome = gravel.send_receive(&outgoing, peer, &mut incoming, peer, TAG);
            if gravel.rank() == 0 {
                let error = outcome.expect_err("too short");
                assert!(matches!(*error, Error::Truncated { source_rank: 1, .. }), "{error}");
                assert!(incoming.iter().all(|&element| element == -1.0));
            } else {
                // Where the message was not sent eagerly, its send has the same error; the receive has succeeded.
                assert!(outcome.is_ok_and(|status| status.is_some()) || length > 10);
                assert_eq!(incoming, values(length, peer));
            }
        }
        let invalid: Result<_> = gravel.send_receive(&[1.0], 9, &mut [0.0], peer, TAG + 1);
        assert!(matches!(*invalid.expect_err("no such rank"), Error::InvalidRank { rank: 9, .. }));
        // No receive was posted for it, which would take the next message.
        gravel.send_receive(&[3.0], peer, &mut [0.0], peer, TAG + 1).map(drop)
    });
}
