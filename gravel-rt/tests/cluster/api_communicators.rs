//! The Rust interface: communicators of parts of the ranks, and messages of any source and length.

use crate::api::{LENGTHS, TAG, checked_ranks, values};
use gravel::{Error, Gravel, Rank, Reduction, Result, Source, Tag};

/// Sends around the ring of a communicator.
fn ring(gravel: &Gravel, length: usize, seed: usize) -> Result<()> {
    let (rank, ranks) = (gravel.rank(), gravel.ranks());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let mut incoming = vec![0.0; length];
    let status = gravel.send_receive(&values(length, seed + rank), next, &mut incoming, previous, TAG)?;
    assert_eq!(status.expect("a message").source, previous, "ranks are those of the communicator");
    assert_eq!(incoming, values(length, seed + previous));
    Ok(())
}

#[test]
fn rows_and_columns_of_a_grid() {
    checked_ranks("api_communicators::rows_and_columns_of_a_grid", 6, |gravel| {
        let (y, x) = (gravel.rank() / 3, gravel.rank() % 3);
        let row = gravel.split(Some(y as u32), 0)?.expect("a color");
        // From the bottom to the top.
        let column = gravel.split(Some(x as u32), -(y as i64))?.expect("a color");
        assert_eq!((row.rank(), row.ranks()), (x, 3));
        assert_eq!((column.rank(), column.ranks()), (1 - y, 2));
        for length in LENGTHS {
            for (number, communicator) in [gravel, &row, &column, gravel].into_iter().enumerate() {
                ring(communicator, length, 100 * number)?;
            }
        }
        assert_eq!(row.all_reduce_value(gravel.rank(), Reduction::Sum)?, 9 * y + 3);
        assert_eq!(column.all_reduce_value(gravel.rank(), Reduction::Sum)?, 2 * x + 3);
        let mut top = [gravel.rank()];
        column.broadcast(&mut top, 1)?;
        assert_eq!(top, [x]);
        let mut row_ranks = [0; 3];
        row.alltoall(&[gravel.rank(); 3], &mut row_ranks)?;
        assert_eq!(row_ranks, [3 * y, 3 * y + 1, 3 * y + 2]);
        let error = row.send(&[0u8], 3, TAG).expect_err("no such rank of the row");
        assert!(matches!(*error, Error::InvalidRank { rank: 3, size: 3, .. }), "{error}");

        // A part of a part, in another order.
        let pair = row.split(Some(0).filter(|_| x > 0), -(x as i64))?;
        assert_eq!(pair.as_ref().map(|pair| (pair.rank(), pair.ranks())), (x > 0).then_some((2 - x, 2)));
        if let Some(pair) = pair {
            ring(&pair, 1000, 7)?;
            assert_eq!(pair.all_reduce_value(gravel.rank(), Reduction::Max)?, 3 * y + 2);
        }
        gravel.barrier()
    });
}

#[test]
fn messages_of_one_communicator_meet_none_of_another() {
    checked_ranks("api_communicators::messages_of_one_communicator_meet_none_of_another", 2, |gravel| {
        let peer = 1 - gravel.rank();
        let library = gravel.duplicate()?;
        for length in LENGTHS {
            // In opposite orders, with the same tag.
            let first = library.post_receive(vec![0.0; length], peer, TAG)?;
            let second = gravel.post_receive(vec![0.0; length], peer, TAG)?;
            gravel.send(&values(length, 1), peer, TAG)?;
            library.send(&values(length, 2), peer, TAG)?;
            assert_eq!(second.wait()?.buffer, values(length, 1));
            assert_eq!(first.wait()?.buffer, values(length, 2));
        }
        Ok(())
    });
}

#[test]
fn communicators_come_and_go() {
    checked_ranks("api_communicators::communicators_come_and_go", 3, |gravel| {
        for round in 0..60 {
            let alone = round % 3;
            let others = gravel.split(Some(0).filter(|_| gravel.rank() != alone), 0)?;
            assert_eq!(others.is_none(), gravel.rank() == alone);
            if let Some(others) = others {
                ring(&others, [1, 20_000][round % 2], round)?;
                // What was posted on one that is gone runs on.
                let receive = others.post_receive(vec![0.0; 2000], 1 - others.rank(), TAG + 1)?;
                drop(others.post_send(values(2000, round), 1 - others.rank(), TAG + 1)?);
                assert_eq!(receive.wait()?.buffer, values(2000, round));
            }
        }
        ring(gravel, 1000, 0)
    });
}

/// The runtime does not end under a communicator that is still in use.
#[test]
fn finalize_wants_all_others_to_be_dropped() {
    crate::launcher::processes(
        &[crate::launcher::Network::Shm],
        "api_communicators::finalize_wants_all_others_to_be_dropped",
        1,
        &[],
        |meeting, (name, value)| {
            let gravel = Gravel::init_with(meeting, [(name.into(), value.into())]).expect("init");
            let copy = gravel.duplicate().expect("a duplicate");
            let receive = copy.post_receive(vec![0u8; 100_000], 0, TAG).expect("a receive");
            assert_eq!(gravel.finalize(), Err(Error::CommunicatorsLeft { left: 1 }.into()));
            copy.send(&[1u8; 100_000], 0, TAG).expect("the runtime is still there");
            assert_eq!(receive.wait().expect("a message").buffer, [1; 100_000]);
            assert_eq!(copy.finalize(), Ok(0), "the last one ends it");
        },
    );
}

#[test]
fn messages_of_any_length_come_from_any_source() {
    checked_ranks("api_communicators::messages_of_any_length_come_from_any_source", 3, |gravel| {
        let part = gravel.duplicate()?;
        for (round, length) in LENGTHS.into_iter().enumerate() {
            for communicator in [gravel, &part] {
                let tag = round as i32;
                if gravel.rank() > 0 {
                    communicator.send_announced(&values(length + gravel.rank(), gravel.rank()), 0, tag)?;
                    continue;
                }
                let mut seen = [0; 3];
                for _ in 1..3 {
                    let (values_of_it, status) = communicator.receive_vec::<f64>(Source::Any, tag)?.expect("a message");
                    assert_eq!(values_of_it, values(length + status.source, status.source));
                    assert_eq!((status.tag, status.bytes), (tag, 8 * (length + status.source) as u64));
                    seen[status.source] += 1;
                }
                assert_eq!(seen, [0, 1, 1]);
            }
        }
        if gravel.rank() == 0 {
            let mut buffer = [0u32; 10];
            let status = gravel.receive_announced(&mut buffer, 1, Tag::Any)?.expect("a message");
            assert_eq!((status.bytes, buffer[..3].to_vec()), (12, vec![1, 2, 3]));
            let error = gravel.receive_vec::<u64>(2, 77).expect_err("one and a half elements");
            assert_eq!(*error, Error::PartialElement { bytes: 12, element_bytes: 8, source_rank: 2, tag: 77 });
        } else {
            gravel.send_announced(&[1u32, 2, 3], 0, 77)?;
        }
        let nobody: Option<Rank> = None;
        assert_eq!(gravel.receive_vec::<u8>(nobody, 0), Ok(None));
        Ok(())
    });
}
