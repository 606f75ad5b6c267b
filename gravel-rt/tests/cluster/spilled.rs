//! Messages whose program waits for its send before the receive is posted: whatever way they then take, each meets the
//! receive of its number; where its consumer can read it, nobody else is needed.

use crate::launcher::{Network, cluster_over, processes};
use crate::world::{World, fill, first_difference, is_death_of};
use gravel::Error;
use gravel::engine::completion::Completion;

/// Around the limit of eager data, and of what is spilled.
const LENGTHS: [usize; 6] = [100, 8192, 8193, 20_000, 65_536, 70_000];

on_every_path!(messages_that_crossed_their_receives_are_in_order, 2, |world: &mut World| {
    // Each rank sends first, so that handshakes of half of the messages meet messages that are under way already.
    const MESSAGES: usize = 60;
    let peer = 1 - world.rank();
    let length = |message: usize| LENGTHS[message % (LENGTHS.len() - 1)];
    let mut buffers: Vec<_> = (0..MESSAGES).map(|message| vec![0; length(message)]).collect();
    let mut receives = Vec::new();
    let mut outgoing = vec![0; LENGTHS[LENGTHS.len() - 1]];
    for (message, buffer) in buffers.iter_mut().enumerate() {
        let bytes = &mut outgoing[..length(message)];
        fill(bytes, message);
        let request = world.send(bytes, peer, 0);
        world.wait_send(request);
        bytes.fill(0xff);
        if message % 7 == 0 {
            world.outside_barrier();
        }
        receives.push(world.post(buffer, peer, 0));
    }
    for (message, (request, buffer)) in receives.into_iter().zip(&buffers).enumerate() {
        assert_eq!(world.wait_receive(request, peer, 0), length(message));
        assert_eq!(first_difference(buffer, message), None, "message {message}");
    }
});

on_every_path!(segments_in_any_order_make_one_message, 2, |world: &mut World| {
    const LENGTH: usize = 30_000;
    if world.rank() == 0 {
        let mut message = vec![0; LENGTH];
        fill(&mut message, 5);
        let transfer = world.open(&message, 1, 0);
        for (start, end) in [(20_000, LENGTH), (0, 9000), (9000, 20_000)] {
            world.put(transfer, &message, start, end - start);
        }
        let request = world.fin(transfer);
        world.wait_send(request);
        message.fill(0xff);
        world.outside_barrier();
    } else {
        world.outside_barrier();
        let mut buffer = vec![0; LENGTH + 10];
        let request = world.post_segmented(&mut buffer, 0, 0);
        world.runtime().wait_range(request, 10_000, 5000).expect("gravel_wait_range");
        assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
        assert_eq!(first_difference(&buffer[..LENGTH], 5), None);
        assert_eq!(buffer[LENGTH..], [0; 10]);
    }
});

#[test]
fn a_message_that_is_too_long_is_an_error_at_its_receiver_alone() {
    let test = "spilled::a_message_that_is_too_long_is_an_error_at_its_receiver_alone";
    cluster_over(&[Network::Shm], test, 2, &[], |world| {
        if world.rank() == 0 {
            for length in [20_000, 10_000, 30_000] {
                let mut message = vec![0; length];
                fill(&mut message, length);
                let request = world.send(&message, 1, 6);
                world.wait_send(request);
            }
            world.outside_barrier();
        } else {
            world.outside_barrier();
            let mut buffer = vec![0xaa; 30_000];
            let request = world.post(&mut buffer[..19_999], 0, 6);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { sent: 20_000, posted: 19_999, .. })));
            assert!(buffer.iter().all(|&byte| byte == 0xaa));
            let request = world.post(&mut buffer, 0, 6);
            assert_eq!(world.wait_receive(request, 0, 6), 10_000);
            assert_eq!(first_difference(&buffer[..10_000], 10_000), None);
            let mut short = [0xaa; 5];
            let request = world.post(&mut short, 0, 6);
            assert!(matches!(world.try_wait(request), Err(Error::Truncated { sent: 30_000, posted: 5, .. })));
            assert_eq!(short, [0xaa; 5]);
        }
    });
}

#[test]
fn the_cancel_of_its_receive_has_lost() {
    cluster_over(&[Network::Shm], "spilled::the_cancel_of_its_receive_has_lost", 2, &[], |world| {
        if world.rank() == 0 {
            let message = vec![7; 20_000];
            let request = world.send(&message, 1, 0);
            world.wait_send(request);
            world.outside_barrier();
            world.outside_barrier();
            let request = world.send(&message[..9000], 1, 0);
            world.wait_send(request);
        } else {
            let mut first = vec![0; 20_000];
            let request = world.post(&mut first, 0, 0);
            world.outside_barrier();
            world.runtime().cancel(request).expect("gravel_cancel");
            assert_eq!(world.wait_receive(request, 0, 0), 20_000);
            assert_eq!(first, vec![7; 20_000]);
            let mut second = vec![0; 9000];
            let request = world.post(&mut second, 0, 0);
            world.runtime().cancel(request).expect("gravel_cancel");
            assert_eq!(world.try_wait(request).expect("gravel_wait"), Completion::Cancelled);
            world.outside_barrier();
            let request = world.post(&mut second, 0, 0);
            assert_eq!(world.wait_receive(request, 0, 0), 9000);
            assert_eq!(second, vec![7; 9000]);
        }
    });
}

/// The program of a message that was offered is elsewhere, and its helper asleep: it is called when it is needed after all.
#[test]
fn what_can_not_be_read_after_all_is_put() {
    cluster_over(&[Network::Shm], "spilled::what_can_not_be_read_after_all_is_put", 2, &[], |world| {
        const LENGTH: usize = 40_000;
        if world.rank() == 0 {
            let mut message = vec![0; LENGTH];
            fill(&mut message, 4);
            let request = world.send(&message, 1, 0);
            world.wait_send(request);
            message.fill(0xff);
            world.outside_barrier();
            world.outside_barrier();
        } else {
            world.outside_barrier();
            crate::faults::forbid(libc::SYS_process_vm_readv, libc::EPERM);
            let mut buffer = vec![0; LENGTH];
            let request = world.post(&mut buffer, 0, 0);
            assert_eq!(world.wait_receive(request, 0, 0), LENGTH);
            assert_eq!(first_difference(&buffer, 4), None);
            world.outside_barrier();
        }
    });
}

#[test]
fn the_death_of_its_sender_is_noticed() {
    processes(&[Network::Shm], "spilled::the_death_of_its_sender_is_noticed", 2, &[0], |meeting, provider| {
        let rank = meeting.rank();
        let mut world = World::new(meeting, &[("GRAVEL_LOG", "off"), provider]);
        let mut buffer = vec![1; 20_000];
        if rank == 0 {
            let request = world.send(&buffer, 1, 0);
            world.wait_send(request);
            // SAFETY: ends this process at once, without any of its own code.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        // A message that is never sent: the wait for it ends when the sender is dead.
        let request = world.post(&mut buffer, 0, 1);
        assert!(is_death_of(0, &world.try_wait(request).expect_err("nobody sends that")));
        let request = world.post(&mut buffer, 0, 0);
        let error = world.try_wait(request).expect_err("the message died with its sender");
        assert!(is_death_of(0, &error), "{error}");
        world.forsake();
    });
}
