//! Messages on several communicators: ranks are translated, tags do not mix, numbers are never used again, and a
//! communicator that is freed in mid-message does no harm.

use gravel::engine::consumer_write::Completion;
use gravel::message::communicator::agreement::Proposal;
use gravel::message::request::Handle;
use gravel::message::retirement::Key;
use gravel::runtime::communicators::NewCommunicator;
use gravel::{Error, Rank, Result};

use crate::launcher::cluster;
use crate::world::{ANY_SOURCE, ANY_TAG, World, describe, fill, first_difference};

/// A communicator of some of the ranks, as MPI would make it.
struct Comm {
    handle: i32,
    members: Vec<Rank>,
    key: Key,
}

impl Comm {
    /// Attaches a communicator with these members, of which this rank is one. `name` must be a new one.
    fn attach(world: &mut World, name: &str, handle: i32, members: &[Rank]) -> Self {
        let key = try_attach(world, name, handle, members).expect("gravel_attach");
        Self { handle, members: members.to_vec(), key }
    }

    /// This rank's rank in it.
    fn rank(&self, world: &World) -> Rank {
        self.members.iter().position(|&member| member == world.rank()).expect("a member")
    }

    /// What the delete callback of its attribute does.
    fn free(self, world: &mut World) {
        world.runtime().retirements().retire(self.key);
    }

    fn post(&self, world: &mut World, buffer: &mut [u8], source: Rank, tag: i32) -> Handle {
        // SAFETY: the tests keep buffers alive and untouched from post to wait.
        unsafe {
            world.runtime().post_receive(describe(buffer.as_ptr(), buffer.len()), source as i32, tag, self.handle)
        }
        .expect("gravel_post_rcv_buffer_rdma")
    }

    fn try_send(&self, world: &mut World, buffer: &[u8], destination: i32, tag: i32) -> Result<Handle> {
        // SAFETY: as above.
        unsafe { world.runtime().post_send(describe(buffer.as_ptr(), buffer.len()), destination, tag, self.handle) }
    }

    fn send(&self, world: &mut World, buffer: &[u8], destination: Rank, tag: i32) -> Handle {
        self.try_send(world, buffer, destination as i32, tag).expect("gravel_post_send")
    }

    /// Every rank sends its number in the world to the next one, on the same tag as everybody else.
    fn check_ring(&self, world: &mut World) {
        let (rank, size) = (self.rank(world), self.members.len());
        let left = (rank + size - 1) % size;
        let mut received = [0];
        let receiving = self.post(world, &mut received, left, 1);
        let sending = self.send(world, &[world.rank() as u8], (rank + 1) % size, 1);
        assert_eq!(world.wait_receive(receiving, left, 1), 1);
        world.wait_send(sending);
        assert_eq!(received, [self.members[left] as u8]);
    }
}

fn try_attach(world: &mut World, name: &str, handle: i32, members: &[Rank]) -> Result<Key> {
    let rank = members.iter().position(|&member| member == world.rank()).expect("a member");
    let given: Vec<i32> = members.iter().map(|&member| member as i32).collect();
    let new = NewCommunicator { handle, rank, members: &given };
    let proposal = world.runtime().propose(new).encode();
    let agreed = world.maximum(name, members, proposal);
    world.runtime().attach(new, Proposal::decode(agreed))
}

#[test]
fn ranks_are_those_of_the_communicator() {
    cluster("communicators::ranks_are_those_of_the_communicator", 4, &[], |world| {
        let duplicate = Comm::attach(world, "duplicate", 1, &[0, 1, 2, 3]);
        duplicate.check_ring(world);
        let reversed = Comm::attach(world, "reversed", 2, &[3, 2, 1, 0]);
        reversed.check_ring(world);
        // Two halves with handles of their own; ranks of their own, too.
        let members: &[Rank] = if world.rank() % 2 == 0 { &[2, 0] } else { &[3, 1] };
        let half = Comm::attach(world, &format!("half{}", world.rank() % 2), 3 + world.rank() as i32, members);
        half.check_ring(world);
        reversed.check_ring(world);
        let error = half.try_send(world, &[1], 2, 0).unwrap_err();
        assert_eq!(*error, Error::InvalidRank { role: "destination", rank: 2, size: 2 });
        // A communicator of one.
        let own = Comm::attach(world, &format!("own{}", world.rank()), 9, &[world.rank()]);
        own.check_ring(world);
    });
}

#[test]
fn a_receive_from_any_source_takes_messages_of_its_communicator_only_and_names_the_source_in_it() {
    let name =
        "communicators::a_receive_from_any_source_takes_messages_of_its_communicator_only_and_names_the_source_in_it";
    cluster(name, 3, &[], |world| {
        let first = Comm::attach(world, "first", 1, &[0, 1, 2]);
        let reversed = Comm::attach(world, "reversed", 2, &[2, 1, 0]);
        for bytes in [100, 60_000] {
            if world.rank() != 0 {
                // On both, first on the one that is received from last.
                let messages = [vec![10 + world.rank() as u8; bytes], vec![20 + world.rank() as u8; bytes]];
                for (comm, to, message) in [(&first, 0, &messages[0]), (&reversed, 2, &messages[1])] {
                    // SAFETY: the message is alive and untouched until the wait.
                    let sending = unsafe {
                        world.runtime().announce_message(describe(message.as_ptr(), bytes), to, 3, comm.handle)
                    };
                    world.wait_send(sending.expect("gravel_post_snd_buffer_rdma"));
                }
                world.outside_barrier();
                continue;
            }
            for (comm, value) in [(&reversed, 20), (&first, 10)] {
                let waiting = world.runtime().wait_announcement(ANY_SOURCE, ANY_TAG, comm.handle);
                let mut heard = [false; 3];
                for round in 0..2 {
                    let mut buffer = vec![0; bytes];
                    // SAFETY: as above.
                    let receiving = unsafe {
                        let buffer = describe(buffer.as_mut_ptr(), bytes);
                        world.runtime().post_announced_receive(buffer, ANY_SOURCE, ANY_TAG, comm.handle)
                    };
                    let completion =
                        world.try_wait(receiving.expect("gravel_post_rcv_announced")).expect("gravel_wait");
                    let Completion::Received { source, tag: 3, .. } = completion else { panic!("{completion:?}") };
                    if round == 0 {
                        assert_eq!(waiting, Ok(completion), "what was announced first is received first");
                    }
                    assert_eq!(buffer, vec![value + comm.members[source] as u8; bytes]);
                    assert!(!std::mem::replace(&mut heard[comm.members[source]], true), "heard twice");
                }
            }
            world.outside_barrier();
        }
    });
}

#[test]
fn the_same_tag_on_two_communicators_never_mixes() {
    cluster("communicators::the_same_tag_on_two_communicators_never_mixes", 2, &[], |world| {
        let first = Comm::attach(world, "first", 1, &[0, 1]);
        let second = Comm::attach(world, "second", 2, &[1, 0]);
        let peer = 1 - world.rank();
        // The second one's ranks are exchanged.
        let (to_first, to_second) = (peer, 1 - peer);
        for (bytes, early) in [(8, true), (8, false), (5000, true), (5000, false), (300_000, true), (300_000, false)] {
            let (mut here, mut there) = (vec![0; bytes], vec![0; bytes]);
            let (mut one, mut two) = (vec![0; bytes], vec![0; bytes]);
            fill(&mut one, world.rank());
            fill(&mut two, 10 + world.rank());
            let mut sends = [Handle::NULL; 2];
            if !early {
                sends = [second.send(world, &two, to_second, 5), first.send(world, &one, to_first, 5)];
                world.outside_barrier();
            }
            let receives = [first.post(world, &mut here, to_first, 5), second.post(world, &mut there, to_second, 5)];
            if early {
                world.outside_barrier();
                sends = [second.send(world, &two, to_second, 5), first.send(world, &one, to_first, 5)];
            }
            // In the other order than they were posted.
            assert_eq!(world.wait_receive(receives[1], to_second, 5), bytes);
            assert_eq!(world.wait_receive(receives[0], to_first, 5), bytes);
            sends.into_iter().for_each(|send| world.wait_send(send));
            assert_eq!(first_difference(&here, peer), None);
            assert_eq!(first_difference(&there, 10 + peer), None);
        }
    });
}

#[test]
fn a_freed_communicator_takes_no_new_message_and_its_handle_means_the_next_one() {
    let name = "communicators::a_freed_communicator_takes_no_new_message_and_its_handle_means_the_next_one";
    cluster(name, 2, &[], |world| {
        let peer = 1 - world.rank();
        for round in 0..20 {
            let comm = Comm::attach(world, &format!("round {round}"), 7, &[0, 1]);
            comm.check_ring(world);
            // Of each kind one that nobody ever receives: eager data, and a handshake that no message meets.
            let unread = comm.send(world, &[round; 100], peer, 2);
            world.wait_send(unread);
            let mut received = [0; 100];
            if round > 0 {
                // Tag 2 of this communicator begins with what was sent on this one.
                let receiving = comm.post(world, &mut received, peer, 2);
                world.wait_receive(receiving, peer, 2);
                assert_eq!(received, [round; 100]);
            }
            comm.free(world);
            // SAFETY: refused.
            let refused = unsafe { world.runtime().post_send(describe([0].as_ptr(), 1), 0, 0, 7) };
            assert_eq!(refused, Err(Error::UnknownCommunicator { handle: 7 }.into()));
        }
    });
}

#[test]
fn what_was_posted_before_the_communicator_was_freed_completes() {
    cluster("communicators::what_was_posted_before_the_communicator_was_freed_completes", 2, &[], |world| {
        // The ranks are exchanged.
        let peer = world.rank();
        for bytes in [100, 8192, 200_000] {
            let (mut first, mut second, mut message) = (vec![0; bytes], vec![0; bytes], vec![0; bytes]);
            fill(&mut message, world.rank());
            let comm = Comm::attach(world, &format!("freed {bytes}"), 7, &[1, 0]);
            let receiving = comm.post(world, &mut first, peer, 3);
            let sending = comm.send(world, &message, peer, 3);
            let second_receiving = comm.post(world, &mut second, peer, 4);
            // SAFETY: the buffer is alive and untouched until the wait.
            let open = unsafe {
                world.runtime().open_transfer(describe(message.as_ptr(), bytes), peer as i32, 4, comm.handle)
            };
            let open = open.expect("gravel_wait_rcv_buffer");
            world.put(open, &message, 0, bytes / 2);
            comm.free(world);
            // Attaching drops what is known about freed communicators, but not while they are in use.
            let next = Comm::attach(world, &format!("next {bytes}"), 7, &[0, 1]);
            next.check_ring(world);
            assert_eq!(world.wait_receive(receiving, peer, 3), bytes);
            world.wait_send(sending);
            let another = Comm::attach(world, &format!("another {bytes}"), 8, &[0, 1]);
            world.put(open, &message, bytes / 2, bytes - bytes / 2);
            let sending = world.runtime().send_fin(open).expect("gravel_send_fin");
            assert_eq!(world.wait_receive(second_receiving, peer, 4), bytes);
            world.wait_send(sending);
            assert_eq!(first_difference(&first, 1 - world.rank()), None);
            assert_eq!(first_difference(&second, 1 - world.rank()), None);
            another.check_ring(world);
            another.free(world);
            next.free(world);
        }
    });
}

#[test]
fn if_one_rank_cannot_attach_nobody_does() {
    cluster("communicators::if_one_rank_cannot_attach_nobody_does", 3, &[], |world| {
        let members: Vec<i32> = if world.rank() == 1 { vec![0, 1, -1] } else { vec![0, 1, 2] };
        let new = NewCommunicator { handle: 5, rank: world.rank(), members: &members };
        let proposal = world.runtime().propose(new).encode();
        let agreed = world.maximum("agreement", &[0, 1, 2], proposal);
        let expected = match world.rank() {
            1 => Error::OutsideGroup { rank: 2 },
            _ => Error::CollectiveFailed { peer: 1, call: "gravel_attach" },
        };
        assert_eq!(world.runtime().attach(new, Proposal::decode(agreed)), Err(expected.into()));
        assert_eq!(world.runtime().key_of(5), None);
        // The next one is not disturbed.
        Comm::attach(world, "next", 5, &[2, 0, 1]).check_ring(world);
    });
}

#[test]
fn a_message_that_is_waiting_for_nobody_outlives_its_communicator() {
    let name = "communicators::a_message_that_is_waiting_for_nobody_outlives_its_communicator";
    cluster(name, 2, &[("GRAVEL_LOG", "off")], |world| {
        // Too long for eager data, short enough to be spilled: the application has its buffer back, the runtime goes on.
        let message = vec![world.rank() as u8; 50_000];
        let peer = 1 - world.rank();
        let comm = Comm::attach(world, "freed", 7, &[0, 1]);
        let sending = comm.send(world, &message, peer, 1);
        assert_eq!(world.try_wait(sending), Ok(Completion::Empty));
        let mut buffer = vec![0; 50_000];
        let receiving = (world.rank() == 0).then(|| comm.post(world, &mut buffer, peer, 1));
        comm.free(world);
        let next = Comm::attach(world, "next", 7, &[0, 1]);
        next.check_ring(world);
        if let Some(receiving) = receiving {
            assert_eq!(world.wait_receive(receiving, peer, 1), 50_000);
            assert_eq!(buffer, vec![peer as u8; 50_000]);
        }
        world.outside_barrier();
        assert_eq!(world.finalize(), 0, "nobody received one of the messages, which is no leak");
    });
}
