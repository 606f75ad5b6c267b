//! The Rust interface: calls that all ranks make together.

use std::time::{Duration, SystemTime};

use crate::api::{LENGTHS, checked_ranks, values};
use crate::launcher::{Network, processes};
use crate::world::is_death_of;
use gravel::{Error, Gravel, Rank, Reduction, Result};

/// Time of the host, the same for all ranks.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_nanos() as u64
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_entered_it() {
    checked_ranks("api_collectives::nobody_leaves_a_barrier_before_all_have_entered_it", 5, |gravel| {
        for late in 0..5 {
            if gravel.rank() == late {
                std::thread::sleep(Duration::from_millis(20));
            }
            let entered = now();
            gravel.barrier()?;
            let left = now();
            let last = gravel.all_reduce_value(entered, Reduction::Max)?;
            let first = gravel.all_reduce_value(left, Reduction::Min)?;
            assert!(last <= first, "a rank left {} ns before the last one entered", last.saturating_sub(first));
        }
        Ok(())
    });
}

#[test]
fn everybody_gets_what_the_root_has() {
    checked_ranks("api_collectives::everybody_gets_what_the_root_has", 5, |gravel| {
        for length in LENGTHS {
            for root in 0..gravel.ranks() {
                let mut buffer = values(length, gravel.rank());
                gravel.broadcast(&mut buffer, root)?;
                assert_eq!(buffer, values(length, root));
            }
        }
        let error = gravel.broadcast(&mut [0u8], 5).expect_err("no such rank");
        assert!(matches!(*error, Error::InvalidRank { role: "root", rank: 5, size: 5 }), "{error}");
        Ok(())
    });
}

/// What rank `rank` adds: such that another order of the additions has another sum.
fn addends(length: usize, rank: Rank) -> Vec<f64> {
    (0..length)
        .map(|index| 1.0 / (1 + index * 7 + rank * 13) as f64 + if rank.is_multiple_of(2) { 1e10 } else { -1e10 })
        .collect()
}

/// The sum along the tree that the documentation describes.
fn tree_sum(length: usize, ranks: Rank) -> Vec<f64> {
    let mut sums: Vec<_> = (0..ranks).map(|rank| addends(length, rank)).collect();
    let mut distance = 1;
    while distance < ranks {
        for rank in (0..ranks - distance).step_by(2 * distance) {
            let theirs = sums[rank + distance].clone();
            sums[rank].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        distance *= 2;
    }
    sums.swap_remove(0)
}

#[test]
fn sums_have_the_same_bits_on_all_ranks_and_every_time() {
    checked_ranks("api_collectives::sums_have_the_same_bits_on_all_ranks_and_every_time", 5, |gravel| {
        let bits = |sums: &[f64]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
        for length in LENGTHS {
            for round in 0..4 {
                // Another rank is late every time.
                std::thread::sleep(Duration::from_micros(((gravel.rank() + round) % 5 * 300) as u64));
                let mut sums = addends(length, gravel.rank());
                gravel.all_reduce(&mut sums, Reduction::Sum)?;
                assert_eq!(bits(&sums), bits(&tree_sum(length, 5)));
            }
        }
        Ok(())
    });
}

#[test]
fn reductions_of_every_kind() {
    checked_ranks("api_collectives::reductions_of_every_kind", 3, |gravel| {
        let rank = gravel.rank();
        assert_eq!(gravel.all_reduce_value(rank as i64 - 1, Reduction::Min)?, -1);
        assert_eq!(gravel.all_reduce_value(rank as u8 * 100, Reduction::Sum)?, 44);
        let nan = if rank == 1 { f32::NAN } else { 1.0 };
        assert!(gravel.all_reduce_value(nan, Reduction::Max)?.is_nan());
        let zero = if rank == 2 { -0.0f64 } else { 0.0 };
        assert!(gravel.all_reduce_value(zero, Reduction::Min)?.is_sign_negative());
        let mut pair = [rank, 10 - rank];
        gravel.all_reduce(&mut pair, Reduction::Max)?;
        assert_eq!(pair, [2, 10]);
        Ok(())
    });
}

/// Neither takes a message of the other, although they have the same peers and the same numbers for tags.
#[test]
fn messages_of_the_program_and_of_collective_calls_never_meet() {
    checked_ranks("api_collectives::messages_of_the_program_and_of_collective_calls_never_meet", 3, |gravel| {
        let (next, previous) = ((gravel.rank() + 1) % 3, (gravel.rank() + 2) % 3);
        let receives: Vec<_> =
            (0..6).map(|tag| gravel.post_receive(vec![0.0; 100], previous, tag)).collect::<Result<_>>()?;
        gravel.barrier()?;
        let mut sum = vec![1.0; 100];
        gravel.all_reduce(&mut sum, Reduction::Sum)?;
        gravel.broadcast(&mut sum, 1)?;
        let mut incoming = vec![0.0; 99];
        gravel.alltoall(&sum[..99], &mut incoming)?;
        assert_eq!((sum, incoming), (vec![3.0; 100], vec![3.0; 99]));
        for tag in 0..6 {
            gravel.send(&values(100, tag as usize), next, tag)?;
        }
        gravel.barrier()?;
        for (tag, received) in gravel.wait_all(receives)?.into_iter().enumerate() {
            assert_eq!(received.buffer, values(100, tag));
        }
        Ok(())
    });
}

/// What rank `from` sends to rank `to` in an exchange of blocks of this length.
fn block(length: usize, from: Rank, to: Rank) -> Vec<f64> {
    values(length, 10 * from + to)
}

fn outgoing(gravel: &Gravel, length: usize) -> Vec<f64> {
    (0..gravel.ranks()).flat_map(|to| block(length, gravel.rank(), to)).collect()
}

fn incoming(gravel: &Gravel, length: usize) -> Vec<f64> {
    (0..gravel.ranks()).flat_map(|from| block(length, from, gravel.rank())).collect()
}

#[test]
fn every_block_reaches_its_rank() {
    checked_ranks("api_collectives::every_block_reaches_its_rank", 4, |gravel| {
        for length in LENGTHS {
            for _ in 0..2 {
                let mut buffer = vec![-1.0; 4 * length];
                gravel.alltoall(&outgoing(gravel, length), &mut buffer)?;
                assert_eq!(buffer, incoming(gravel, length));
            }
        }
        let error = gravel.alltoall(&[1, 2, 3], &mut [0; 4]).expect_err("3 elements for 4 ranks");
        assert!(matches!(*error, Error::BlocksOutsideBuffer { elements: 3, ranks: 4, .. }), "{error}");
        Ok(())
    });
}

/// Elements that rank `from` has for rank `to`.
fn count(length: usize, from: Rank, to: Rank) -> usize {
    if (from + to) % 3 == 2 { 0 } else { length + 3 * from + to }
}

#[test]
fn blocks_of_different_lengths() {
    checked_ranks("api_collectives::blocks_of_different_lengths", 3, |gravel| {
        let (rank, ranks) = (gravel.rank(), gravel.ranks());
        for length in LENGTHS {
            let sends: Vec<_> = (0..ranks).map(|to| count(length, rank, to)).collect();
            let receives: Vec<_> = (0..ranks).map(|from| count(length, from, rank)).collect();
            let mut outgoing: Vec<_> = (0..ranks).flat_map(|to| block(sends[to], rank, to)).collect();
            let expected: Vec<_> = (0..ranks).flat_map(|from| block(receives[from], from, rank)).collect();
            // With room behind the last block.
            let mut buffer = vec![-1.0; expected.len() + 5];
            gravel.alltoallv(&outgoing, &sends, &mut buffer, &receives)?;
            assert_eq!((&buffer[..expected.len()], &buffer[expected.len()..]), (&expected[..], &[-1.0; 5][..]));

            buffer.fill(-1.0);
            gravel.scope(|scope| {
                let receive = scope.post_alltoallv(&mut buffer, &receives)?;
                let mut transfer = scope.open_alltoallv(&mut outgoing, &sends)?;
                let mut next = 0;
                while let Some(block) = transfer.next_block()? {
                    assert_eq!((block.rank(), block.len()), (next, sends[next]));
                    next += 1;
                    block.put()?;
                }
                let send = transfer.finish()?;
                let buffer = receive.wait()?;
                assert_eq!((&buffer[..expected.len()], &buffer[expected.len()..]), (&expected[..], &[-1.0; 5][..]));
                send.wait().map(drop)
            })?;
        }
        Ok(())
    });
}

#[test]
fn blocks_and_their_parts_are_used_while_they_are_computed_and_arrive() {
    checked_ranks("api_collectives::blocks_and_their_parts_are_used_while_they_are_computed_and_arrive", 3, |gravel| {
        let (rank, ranks) = (gravel.rank(), gravel.ranks());
        for length in LENGTHS {
            let (mut mine, mut theirs) = (vec![0.0; ranks * length], vec![-1.0; ranks * length]);
            // Blocks in one piece; in tiles; the second half not lent at all.
            for way in 0..3 {
                mine.fill(0.0);
                gravel.scope(|scope| {
                    let mut receive = scope.post_alltoall(&mut theirs)?;
                    let mut transfer = scope.open_alltoall(&mut mine)?;
                    let mut lent = 0;
                    while (way < 2 || lent < 2)
                        && let Some(mut outgoing) = transfer.next_block()?
                    {
                        assert_eq!((outgoing.rank(), outgoing.offset()), (lent, lent * length));
                        let values = block(length, rank, lent);
                        if way == 1 {
                            let step = (length / 3).max(1).min(outgoing.tile_length(64)?);
                            // The last elements are put with the end of the block.
                            for _ in 0..length / step / 2 {
                                let mut tile = outgoing.next_tile(step).expect("a tile");
                                let first = tile.offset();
                                tile.copy_from_slice(&values[first..first + step]);
                                tile.put()?;
                            }
                        }
                        let done = length - outgoing.len();
                        outgoing.copy_from_slice(&values[done..]);
                        outgoing.put()?;
                        lent += 1;
                    }
                    let send = transfer.finish()?;
                    let expected =
                        |from| if way == 2 && rank == 2 { vec![0.0; length] } else { block(length, from, rank) };
                    let mut end = 0;
                    if way == 1 {
                        let step = receive.tile_length(64)?;
                        while let Some(mut part) = receive.next_part(step)? {
                            assert_eq!(part.offset(), end);
                            let first = end - part.rank() * length;
                            assert_eq!(*part, expected(part.rank())[first..first + part.len()]);
                            end += part.len();
                            part.fill(7.0);
                        }
                    } else {
                        while let Some(block) = receive.next_block()? {
                            assert_eq!((block.offset(), block.len()), (end, length));
                            assert_eq!(*block, expected(block.rank()));
                            end += length;
                        }
                    }
                    assert_eq!(end, ranks * length);
                    let buffer = receive.wait()?;
                    assert_eq!(buffer.len(), ranks * length);
                    if way == 1 {
                        assert!(buffer.iter().all(|&element| element == 7.0));
                    }
                    let sent = send.wait()?;
                    assert!(length == 0 || way == 2 || sent[length] == block(length, rank, 1)[0]);
                    Ok(())
                })?;
            }
        }
        Ok(())
    });
}

/// The rest of a block whose parts were lent is a block.
#[test]
fn an_exchange_that_is_complete_is_read_from_its_beginning_on() {
    checked_ranks("api_collectives::an_exchange_that_is_complete_is_read_from_its_beginning_on", 3, |gravel| {
        let (rank, ranks) = (gravel.rank(), gravel.ranks());
        for length in LENGTHS {
            let (mine, mut theirs) = (outgoing(gravel, length), vec![-1.0; ranks * length]);
            gravel.scope(|scope| {
                let mut receive = scope.post_alltoall(&mut theirs)?;
                let send = scope.send_alltoall(&mine)?;
                let expected = incoming(gravel, length);
                for wanted in [0, 1, length, length + 1, 2 * length, 3 * length, usize::MAX] {
                    let there = receive.wait_for(wanted)?;
                    assert!(there.len() >= wanted.min(ranks * length) && there == &expected[..there.len()]);
                }
                assert_eq!(receive.wait()?, expected);
                assert_eq!(send.wait()?, outgoing(gravel, length));
                Ok(())
            })?;
            // What lies behind the last block comes from nobody, and is there with it.
            let counts: Vec<usize> = (0..ranks).map(|to| count(length, rank, to)).collect();
            let others: Vec<usize> = (0..ranks).map(|from| count(length, from, rank)).collect();
            let (total, mine) = (others.iter().sum::<usize>(), vec![rank as f64; counts.iter().sum()]);
            let mut theirs = vec![-1.0; total + 5];
            gravel.scope(|scope| {
                let mut receive = scope.post_alltoallv(&mut theirs, &others)?;
                let send = scope.send_alltoallv(&mine, &counts)?;
                assert!(receive.wait_for(others[0])?[..others[0]].iter().all(|&value| value == 0.0));
                assert_eq!(receive.wait_for(total + 1)?[total..], [-1.0; 5]);
                receive.wait()?;
                send.wait().map(drop)
            })?;
        }
        Ok(())
    });
}

#[test]
fn parts_and_blocks_take_turns() {
    checked_ranks("api_collectives::parts_and_blocks_take_turns", 2, |gravel| {
        let mut theirs = vec![0.0; 2000];
        gravel.scope(|scope| {
            let mut receive = scope.post_alltoall(&mut theirs)?;
            let mut mine = outgoing(gravel, 1000);
            gravel.scope(|inner| inner.open_alltoall(&mut mine)?.finish()?.wait().map(drop))?;
            let part = receive.next_part(300)?.expect("a part");
            assert_eq!((part.rank(), part.offset(), part.len()), (0, 0, 300));
            let rest = receive.next_block()?.expect("the rest");
            assert_eq!((rest.rank(), rest.offset(), rest.len()), (0, 300, 700));
            let part = receive.next_part(5000)?.expect("a block");
            assert_eq!((part.rank(), part.offset(), part.len()), (1, 1000, 1000));
            assert!(receive.next_block()?.is_none() && receive.next_part(1)?.is_none());
            receive.wait().map(drop)
        })?;
        assert_eq!(theirs, incoming(gravel, 1000));
        Ok(())
    });
}

#[test]
fn lengths_that_differ_are_errors_that_say_so() {
    checked_ranks("api_collectives::lengths_that_differ_are_errors_that_say_so", 2, |gravel| {
        let is_named = |error: Box<Error>, wanted: &str| match *error {
            Error::Collective { call, cause } => {
                assert_eq!(call, wanted);
                assert!(matches!(*cause, Error::LengthsDiffer { .. }), "{cause}");
            }
            error => panic!("{error}"),
        };
        // Rank 1 gives one element too many, or one too few.
        for other in [9, 11] {
            let length = if gravel.rank() == 0 { 10 } else { other };
            let outcome = gravel.broadcast(&mut vec![1u64; length], 0);
            if gravel.rank() == 1 {
                is_named(outcome.expect_err("another length"), "broadcast");
            }
            let (sends, receives) = (vec![length; 2], vec![length; 2]);
            let outcome = gravel.alltoallv(&vec![0u8; 2 * length], &sends, &mut vec![0u8; 2 * length], &receives);
            is_named(outcome.expect_err("another length"), "alltoall");
        }
        Ok(())
    });
}

/// A block that was lent and not put, and all behind it, are errors at their ranks; a panic gives up all.
#[test]
fn an_exchange_that_is_given_up_is_an_error_at_all_that_wait() {
    checked_ranks("api_collectives::an_exchange_that_is_given_up_is_an_error_at_all_that_wait", 3, |gravel| {
        for length in [10, 20_000] {
            for panics in [false, true] {
                let mut theirs = vec![0.0; 3 * length];
                let mut mine = outgoing(gravel, length);
                if gravel.rank() == 1 {
                    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        gravel.scope(|scope| {
                            let mut transfer = scope.open_alltoall(&mut mine)?;
                            transfer.next_block()?.expect("a block").put()?;
                            if panics {
                                std::panic::resume_unwind(Box::new("on purpose"));
                            }
                            drop(transfer.next_block()?);
                            transfer.finish()?.wait().map(drop)
                        })
                    }));
                    assert_eq!(outcome.is_err(), panics);
                    if let Ok(outcome) = outcome {
                        let error = outcome.expect_err("a block is missing");
                        assert!(error.to_string().contains("gravel_send_fin after 0 of"), "{error}");
                    }
                    // The others have sent blocks for it all the same.
                    let received = gravel.scope(|scope| scope.post_alltoall(&mut theirs)?.wait().map(drop));
                    // Its own block is among those that were given up.
                    assert!(received.is_err());
                } else {
                    let outcome = gravel.alltoall(&mine, &mut theirs);
                    if gravel.rank() == 0 {
                        assert_eq!(outcome, Ok(()));
                    } else {
                        let error = outcome.expect_err("given up");
                        assert!(error.to_string().contains("rank 1 could not complete its message"), "{error}");
                    }
                }
                // What was given up was given up in its place: what comes next is in step.
                gravel.barrier()?;
                let mut theirs = vec![0.0; 3 * length];
                gravel.alltoall(&outgoing(gravel, length), &mut theirs)?;
                assert_eq!(theirs, incoming(gravel, length));
            }
        }
        Ok(())
    });
}

/// One rank disagrees: the call fails at all ranks that need it, nobody waits for ever, and the next call is in step.
#[test]
fn one_rank_that_fails_fails_all_that_wait() {
    checked_ranks("api_collectives::one_rank_that_fails_fails_all_that_wait", 6, |gravel| {
        for (length, others) in [(10, 9), (30_000, 20_000), (30_000, 31_000)] {
            for other in 1..6 {
                let length = if gravel.rank() == other { others } else { length };
                let outcome = gravel.all_reduce(&mut vec![1.0; length], Reduction::Sum);
                let error = outcome.expect_err("not everybody agrees");
                assert!(matches!(*error, Error::Collective { call: "all_reduce", .. }), "{error}");
                assert_eq!(gravel.all_reduce_value(gravel.rank(), Reduction::Sum), Ok(15));
            }
        }
        Ok(())
    });
}

#[test]
fn a_rank_that_dies_fails_the_calls_of_all() {
    let networks = [Network::Shm, Network::Tcp];
    let test = "api_collectives::a_rank_that_dies_fails_the_calls_of_all";
    processes(&networks, test, 6, &[3], |meeting, (name, value)| {
        let settings = [(name.into(), value.into()), ("GRAVEL_LOG".into(), "off".into())];
        let gravel = Gravel::init_with(meeting.named("inside"), settings).expect("init");
        if gravel.rank() == 3 {
            // SAFETY: ends this process, as the test expects.
            unsafe { libc::raise(libc::SIGKILL) };
        }
        let error = gravel.barrier().expect_err("rank 3 is dead");
        let Error::Collective { call: "barrier", cause } = *error else { panic!("{error}") };
        assert!(
            is_death_of(3, &cause) || matches!(*cause, Error::PeerGaveUp { .. } | Error::LengthsDiffer { .. }),
            "{cause}"
        );
        // Nobody's end helps another's call to end.
        meeting.of_members("survivors", &[0, 1, 2, 4, 5]).barrier();
    });
}

/// Two exchanges are open at once, and the second one is filled first: each gets its own.
#[test]
fn open_exchanges_keep_the_order_in_which_they_were_opened() {
    checked_ranks("api_collectives::open_exchanges_keep_the_order_in_which_they_were_opened", 3, |gravel| {
        let ranks = gravel.ranks();
        for length in LENGTHS {
            let block = |exchange: usize, from: Rank, to: Rank| values(length, 100 * exchange + 10 * from + to);
            let mut outgoing = [vec![0.0; length * ranks], vec![0.0; length * ranks]];
            let mut incoming = outgoing.clone();
            gravel.scope(|scope| {
                let [first, second] = &mut outgoing;
                let [into_first, into_second] = &mut incoming;
                let receives = [scope.post_alltoall(into_first)?, scope.post_alltoall(into_second)?];
                let mut first = scope.open_alltoall(first)?;
                let mut second = scope.open_alltoall(second)?;
                for (exchange, transfer) in [(1, &mut second), (0, &mut first)] {
                    // The last block is sent by the end, as it is.
                    for _ in 1..ranks {
                        let Some(mut filled) = transfer.next_block()? else { break };
                        let values = block(exchange, gravel.rank(), filled.rank());
                        filled.copy_from_slice(&values);
                        filled.put()?;
                    }
                }
                let sends = [second.finish()?, first.finish()?];
                for receive in receives {
                    receive.wait()?;
                }
                sends.into_iter().try_for_each(|send| send.wait().map(drop))
            })?;
            for (exchange, incoming) in incoming.iter().enumerate() {
                for from in 0..ranks {
                    let found = &incoming[from * length..(from + 1) * length];
                    let is_filled = gravel.rank() + 1 < ranks;
                    let expected = if is_filled { block(exchange, from, gravel.rank()) } else { vec![0.0; length] };
                    assert_eq!(found, expected, "exchange {exchange}, from {from}, {length} elements");
                }
            }
        }
        Ok(())
    });
}
