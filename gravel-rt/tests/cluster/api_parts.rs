//! The Rust interface: parts of messages, on both sides.

use crate::api::{LENGTHS, TAG, checked_ranks, values};
use gravel::{Error, Outcome, Peer, Result};

const TILES: usize = 8;
const TILE: usize = 10_000;

/// Every part is lent while the next one is not yet sent, and what the program makes of it stays.
#[test]
fn parts_are_changed_while_the_message_arrives() {
    checked_ranks("api_parts::parts_are_changed_while_the_message_arrives", 2, |gravel| {
        let all = values(TILES * TILE, 3);
        if gravel.rank() == 1 {
            let mut receive = gravel.post_segmented_receive(vec![0.0; TILES * TILE], 0, TAG)?;
            for tile in 0..TILES {
                let mut part = receive.next_part(TILE)?.expect("a part");
                assert_eq!((part.offset(), part.len()), (tile * TILE, TILE));
                assert_eq!(*part, all[tile * TILE..][..TILE]);
                part.iter_mut().for_each(|element| *element += 0.5);
                // What was changed is read as it is now, and what is beside it as it came.
                let range = tile * TILE..(tile + 1) * TILE;
                assert!(
                    receive.wait_range(range.clone())?.iter().zip(&all[range]).all(|(now, sent)| *now == sent + 0.5)
                );
                // The next tile comes only after this.
                gravel.send(&[tile], 0, TAG)?;
            }
            assert!(receive.next_part(1)?.is_none());
            let received = receive.wait()?;
            assert_eq!(received.elements(), TILES * TILE);
            assert!(received.buffer.iter().zip(&all).all(|(now, sent)| *now == sent + 0.5));
        } else {
            let mut transfer = gravel.open_transfer(all, 1, TAG)?;
            for (number, tile) in transfer.tiles(TILE).enumerate() {
                tile.put()?;
                let mut answer = [usize::MAX];
                gravel.receive(&mut answer, 1, TAG)?;
                assert_eq!(answer, [number]);
            }
            transfer.finish()?.wait()?;
        }
        Ok(())
    });
}

/// At every length, also of messages that come in one piece, are shorter than the buffer, or are empty.
#[test]
fn parts_of_every_message_are_the_message() {
    checked_ranks("api_parts::parts_of_every_message_are_the_message", 2, |gravel| {
        let peer = 1 - gravel.rank();
        for length in LENGTHS {
            let mut buffer = vec![-1.0; length + 5];
            gravel.scope(|scope| {
                let mut receive = scope.post_segmented_receive(&mut buffer, peer, TAG)?;
                let send = gravel.post_send(values(length, gravel.rank()), peer, TAG)?;
                let step = receive.tile_length(64)?;
                assert!(step > 0);
                let mut end = 0;
                while let Some(mut part) = receive.next_part(step)? {
                    assert_eq!(part.offset(), end);
                    end += part.len();
                    part.iter_mut().for_each(|element| *element *= 2.0);
                }
                assert_eq!(end, length + 5);
                let received = receive.wait()?;
                assert_eq!(received.elements(), length);
                send.wait().map(drop)
            })?;
            assert!(buffer[..length].iter().zip(values(length, peer)).all(|(now, sent)| *now == 2.0 * sent));
            assert_eq!(buffer[length..], [-2.0; 5]);
        }
        Ok(())
    });
}

#[test]
fn no_part_of_a_message_that_failed_is_lent() {
    checked_ranks("api_parts::no_part_of_a_message_that_failed_is_lent", 2, |gravel| {
        if gravel.rank() == 0 {
            let mut transfer = gravel.open_transfer(values(200_000, 0), 1, TAG)?;
            transfer.next_tile(1000).expect("a tile").put()?;
            drop(transfer);
            return Ok(());
        }
        let mut receive = gravel.post_segmented_receive(vec![0.0; 200_000], 0, TAG)?;
        let error = receive.next_part(200_000).map(|part| part.is_some()).expect_err("given up");
        assert_eq!(*error, Error::PeerGaveUp { peer: 0, tag: TAG });
        assert!(receive.wait().is_err());
        let mut nobody = gravel.post_segmented_receive(vec![5.0; 10], Peer::Nobody, TAG)?;
        assert_eq!(*nobody.next_part(100)?.expect("what was there"), [5.0; 10]);
        assert_eq!(nobody.wait()?.outcome, Outcome::Nobody);
        Ok(())
    });
}

/// A recurrence: every element needs the one before, which may be in a tile that was put.
#[test]
fn what_was_put_can_be_read() {
    checked_ranks("api_parts::what_was_put_can_be_read", 2, |gravel| {
        let peer = 1 - gravel.rank();
        for length in LENGTHS {
            for step in [1 + length / 7, 1 + length] {
                let mut message = vec![1.0; length];
                let received = gravel.scope(|scope| {
                    let receive = gravel.post_receive(vec![0.0; length], peer, TAG)?;
                    let mut transfer = scope.open_transfer(&mut message, peer, TAG)?;
                    let mut end = 0;
                    while end < length {
                        let (put, rest) = transfer.parts();
                        assert_eq!((put.len(), rest.len()), (end, length - end));
                        let mut before = put.last().copied().unwrap_or(0.0);
                        for element in rest.iter_mut().take(step) {
                            *element += before;
                            before = *element;
                        }
                        end = (end + step).min(length);
                        transfer.put_to(end)?;
                        // That is put already.
                        transfer.put_to(end / 2)?;
                    }
                    transfer.finish()?.wait()?;
                    Ok(receive.wait()?.buffer)
                })?;
                assert!(received.iter().enumerate().all(|(index, &element)| element == (index + 1) as f64));
                assert_eq!(message, received);
            }
        }
        Ok(())
    });
}

#[test]
fn tiles_and_parts_of_a_transfer_take_turns() {
    checked_ranks("api_parts::tiles_and_parts_of_a_transfer_take_turns", 1, |gravel| {
        let receive = gravel.post_receive(vec![0u32; 100], 0, TAG)?;
        let mut transfer = gravel.open_transfer((0..100).collect::<Vec<u32>>(), 0, TAG)?;
        transfer.next_tile(10).expect("a tile").put()?;
        assert_eq!((transfer.parts().0.len(), transfer.parts().1[0]), (10, 10));
        transfer.put_to(30)?;
        transfer.next_tile(20).expect("a tile").put()?;
        let outside: Result<()> = transfer.put_to(101);
        assert_eq!(outside, Err(Error::PutOutsideMessage { offset: 50, count: 51, elements: 100 }.into()));
        transfer.put_to(60)?;
        // The end puts the rest.
        let send = transfer.finish()?;
        assert_eq!(receive.wait()?.buffer, (0..100).collect::<Vec<u32>>());
        send.wait().map(drop)
    });
}
