//! Streams of long messages that go round more memory than any cache is thought to hold.

use crate::launcher::Network;
use crate::observation::{observe, read_json};
use crate::world::{World, fill};

/// A message.
const BYTES: usize = 2 << 20;
/// Their targets: with what is read for them, more than what a processor's cache is thought to hold at most.
const TARGETS: usize = 20;
const ROUNDS: usize = 3;
/// A target and what lies behind it, so that messages begin and end somewhere in a page.
const STRIDE: usize = BYTES + 24;
/// Program data.
static mut TARGET: [u8; TARGETS * STRIDE] = [0; TARGETS * STRIDE];

/// Rank 0 sends, rank 1 receives into one target after the other, again and again.
fn stream(world: &mut World) {
    // SAFETY: all of the array, in a process that runs one test, once.
    let targets = unsafe { std::slice::from_raw_parts_mut((&raw mut TARGET).cast::<u8>(), TARGETS * STRIDE) };
    let mut message = vec![0; BYTES];
    for round in 0..ROUNDS {
        for (number, target) in targets.chunks_exact_mut(STRIDE).enumerate() {
            // Each is another one, at the cost of a few bytes.
            let place = 97 * (round * TARGETS + number);
            if number == 0 {
                fill(&mut message, round);
            }
            message[place..place + 8].copy_from_slice(&(place as u64).to_ne_bytes());
            if world.rank() == 0 {
                let sending = world.send(&message, 1, 0);
                world.wait_send(sending);
            } else {
                let (target, behind) = target.split_at_mut(BYTES);
                let receiving = world.post(target, 0, 0);
                assert_eq!(world.wait_receive(receiving, 0, 0), BYTES);
                assert!(target == message, "message {number} of round {round}");
                assert_eq!(behind, [0; 24], "behind message {number} of round {round}");
            }
        }
    }
}

#[test]
fn what_goes_past_the_cache_arrives_as_sent() {
    let test = "streams::what_goes_past_the_cache_arrives_as_sent";
    observe(Network::Shm, test, "GRAVEL_STATS", "counters.json", stream, |directory| {
        let json = read_json(&directory.join("counters.json"));
        let bytes = |rank: usize, path: &str| {
            let place = format!("/ranks/{rank}/paths/{path}/bytes");
            json.pointer(&place).and_then(serde_json::Value::as_u64).expect("a counter")
        };
        assert_eq!(bytes(1, "past_cache"), 0, "it sends nothing");
        let knows_cache = gravel::memory::cache_size::LastCache::of_this_machine().is_some();
        let (past, all) = (bytes(0, "past_cache"), (ROUNDS * TARGETS * BYTES) as u64);
        // Of every round after the first, all but the edges of pages.
        let expected = if knows_cache { all / 2..bytes(0, "adopted") } else { 0..1 };
        assert!(expected.contains(&past), "{past} of {all} bytes");
    });
}
