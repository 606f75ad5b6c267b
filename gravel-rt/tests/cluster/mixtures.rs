//! All messages of a key use one protocol; a mixture is an error on every side that can know it, never a hang.

use crate::launcher::cluster;
use crate::world::{ANY_SOURCE, ANY_TAG, World};
use gravel::Error;
use gravel::message::request::Handle;

fn is_mixture(error: &Error) -> bool {
    matches!(error, Error::MixedProtocols { .. })
}

#[test]
fn a_rank_that_mixes_is_told_at_its_call() {
    cluster("mixtures::a_rank_that_mixes_is_told_at_its_call", 2, &[], |world| {
        let peer = 1 - world.rank();
        let mut buffer = vec![0; 100];
        let message = vec![0; 100];
        // As producers, on two keys; the third one is another, and free.
        for request in [world.send(&message, peer, 0), world.offer(&message, peer, 1), world.offer(&message, peer, 2)] {
            world.wait_send(request);
        }
        assert!(is_mixture(&world.try_offer(&message, peer as i32, 0).unwrap_err()));
        assert!(is_mixture(&world.try_send(&message, peer as i32, 1).unwrap_err()));
        // As consumers.
        let first = world.post(&mut buffer, peer, 0);
        world.wait_receive(first, peer, 0);
        assert!(is_mixture(&world.try_post_announced(&mut buffer, peer as i32, 0).unwrap_err()));
        assert!(is_mixture(&world.try_post_announced(&mut buffer, peer as i32, ANY_TAG).unwrap_err()));
        for tag in [1, 2] {
            let second = world.post_any(&mut buffer, tag);
            world.wait_receive(second, peer, tag);
            assert!(is_mixture(&world.try_post(&mut buffer, peer as i32, tag).unwrap_err()));
        }
    });
}

/// When the receive that does not fit is posted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Posted {
    First,
    /// After the send, of which nothing has been seen.
    Unaware,
    /// After the send has been seen.
    Aware,
}

/// One side uses the consumer-initiated protocol, the other one announces: neither may hang.
fn sides_differ(world: &mut World, length: usize, posted: Posted) {
    let message = vec![0; length];
    let mut buffer = vec![0; length];
    for (tag, announced) in [(0, true), (1, false)] {
        if world.rank() == 0 {
            if posted == Posted::First {
                world.outside_barrier();
            }
            let request = if announced { world.offer(&message, 1, tag) } else { world.send(&message, 1, tag) };
            if posted != Posted::First {
                // Behind the other in the same ledger, and seen after it.
                let marker = world.send(&[0; 10], 1, 9);
                world.wait_send(marker);
                world.outside_barrier();
            }
            // Up to the eager limit a send is complete for its sender.
            let outcome = world.try_wait(request);
            assert!(length <= 65_536 || is_mixture(&outcome.unwrap_err()), "{length} bytes, announced: {announced}");
            world.outside_barrier();
        } else {
            let mut marker = [0; 10];
            if posted != Posted::First {
                world.outside_barrier();
            }
            if posted == Posted::Aware {
                let request = world.post(&mut marker, 0, 9);
                world.wait_receive(request, 0, 9);
            }
            let request = post(world, &mut buffer, tag, announced);
            if posted == Posted::First {
                world.outside_barrier();
            }
            let outcome = request.and_then(|request| world.try_wait(request));
            assert!(is_mixture(&outcome.unwrap_err()), "{length} bytes, announced: {announced}");
            if posted == Posted::Unaware {
                let request = world.post(&mut marker, 0, 9);
                world.wait_receive(request, 0, 9);
            }
            world.outside_barrier();
        }
    }
}

/// Posts the receive that does not fit.
fn post(world: &mut World, buffer: &mut [u8], tag: i32, announced: bool) -> Result<Handle, Error> {
    let posted = if announced { world.try_post(buffer, 0, tag) } else { world.try_post_announced(buffer, 0, tag) };
    posted.map_err(|error| *error)
}

on_every_path!(sides_that_differ_are_told_receive_first, 2, [("GRAVEL_LOG", "off")], |world: &mut World| {
    sides_differ(world, 100_000, Posted::First);
});

on_every_path!(sides_that_differ_are_told_send_first, 2, [("GRAVEL_LOG", "off")], |world: &mut World| {
    sides_differ(world, 100_000, Posted::Unaware);
});

on_every_path!(sides_that_differ_are_told_send_seen_first, 2, [("GRAVEL_LOG", "off")], |world: &mut World| {
    sides_differ(world, 100_000, Posted::Aware);
});

#[test]
fn sides_that_differ_in_short_messages_are_told() {
    let settings = [("GRAVEL_LOG", "off")];
    cluster("mixtures::sides_that_differ_in_short_messages_are_told", 2, &settings, |world| {
        sides_differ(world, 100, Posted::First);
    });
}

#[test]
fn sides_that_differ_in_moderate_messages_are_told() {
    let settings = [("GRAVEL_LOG", "off")];
    cluster("mixtures::sides_that_differ_in_moderate_messages_are_told", 2, &settings, |world| {
        sides_differ(world, 50_000, Posted::First);
    });
}

#[test]
fn a_wildcard_covers_keys_of_the_other_protocol() {
    let settings = [("GRAVEL_LOG", "off")];
    cluster("mixtures::a_wildcard_covers_keys_of_the_other_protocol", 2, &settings, |world| {
        let message = vec![0; 100_000];
        if world.rank() == 0 {
            let mut buffer = vec![0; 100_000];
            // The send may have been seen before: then the post says so.
            let error = match world.try_post_announced(&mut buffer, ANY_SOURCE, 5) {
                Ok(request) => world.try_wait(request).unwrap_err(),
                Err(error) => *error,
            };
            assert!(is_mixture(&error));
            world.outside_barrier();
        } else {
            let request = world.send(&message, 0, 5);
            assert!(is_mixture(&world.try_wait(request).unwrap_err()));
            world.outside_barrier();
        }
    });
}
