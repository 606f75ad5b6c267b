//! Whom announcements meet.

use super::*;
use proptest::prelude::*;

fn key(peer: Rank, tag: i32) -> MatchKey {
    MatchKey { peer, communicator: CommunicatorId::FIRST, tag }
}

fn pattern(source: Option<Rank>, tag: Option<i32>) -> Pattern {
    Pattern { source, communicator: CommunicatorId::FIRST, tag }
}

fn data(byte: u8) -> Announcement {
    Announcement::Data([byte].into())
}

#[test]
fn a_peer_with_few_messages_waits_for_one_of_each_other_at_most() {
    let mut order = AnnouncementOrder::default();
    for message in 0..100 {
        order.keep(key(1, 5), data(message));
        order.keep(key(2, 5), data(message));
    }
    order.keep(key(3, 5), data(7));
    let sources: Vec<_> = (0..4).map(|_| order.post(pattern(None, Some(5)), Handle::NULL).unwrap().key.peer).collect();
    assert_eq!(sources, [1, 2, 3, 1]);
    // A peek takes nothing, and what is then taken by its source counts as its turn.
    assert_eq!(order.peek(pattern(None, Some(5))).unwrap().0.peer, 2);
    assert_eq!(order.post(pattern(Some(2), Some(5)), Handle::NULL).unwrap().announcement, data(1));
    assert_eq!(order.peek(pattern(None, Some(5))).unwrap().0.peer, 1);
}

#[test]
fn announcements_out_of_order_wait_for_those_before() {
    let mut order = AnnouncementOrder::default();
    assert!(!order.is_next(4, CommunicatorId::FIRST, 1));
    order.hold(key(4, 9), 1, Turn::Message(data(1)));
    assert_eq!(order.next_held(4, CommunicatorId::FIRST), None);
    assert!(order.is_next(4, CommunicatorId::FIRST, 0));
    assert_eq!(order.next_held(4, CommunicatorId::FIRST), Some((9, Turn::Message(data(1)))));
    assert_eq!(order.next_held(4, CommunicatorId::FIRST), None);
    assert!(order.is_next(4, CommunicatorId::FIRST, 2));
    assert!(order.is_next(5, CommunicatorId::FIRST, 0), "peers are independent");
}

/// A search of all keys for each receive would take minutes.
#[test]
fn receives_of_any_tag_take_many_messages_in_the_order_of_arrival() {
    const MESSAGES: i32 = if cfg!(miri) { 50 } else { 100_000 };
    let mut order = AnnouncementOrder::default();
    for tag in 0..MESSAGES {
        order.keep(key(tag as usize % 3, tag), data(1));
    }
    // Half of them by their tags, then the rest of one peer, then all that is left.
    for tag in (0..MESSAGES).step_by(2) {
        assert!(order.post(pattern(None, Some(tag)), Handle::NULL).is_some());
    }
    let mut rest = |source| -> Vec<i32> {
        let next = || order.post(pattern(source, None), Handle::from_raw(1));
        std::iter::from_fn(next).map(|met| met.key.tag).collect()
    };
    let odd =
        |is_taken: fn(i32) -> bool| -> Vec<i32> { (1..MESSAGES).step_by(2).filter(|tag| is_taken(tag % 3)).collect() };
    assert_eq!(rest(Some(1)), odd(|peer| peer == 1));
    assert_eq!(rest(None), odd(|peer| peer != 1));
    assert!(order.arrivals.is_empty() && order.arrivals_from.is_empty());
}

#[test]
fn a_key_that_is_drained_leaves_nothing_behind() {
    let mut order = AnnouncementOrder::default();
    for message in 0..3 {
        order.keep(key(1, 5), data(message));
        order.keep(key(1, 6), data(message));
    }
    assert_eq!(order.drain(key(1, 5)).count(), 3);
    assert_eq!(order.peek(pattern(None, None)).unwrap().0, key(1, 6));
    order.forget(CommunicatorId::FIRST);
    assert!(order.arrivals.is_empty() && order.arrivals_from.is_empty());
}

#[test]
fn withdrawn_receives_meet_nothing() {
    let mut order = AnnouncementOrder::default();
    let (first, second) = (Handle::from_raw(1), Handle::from_raw(2));
    assert_eq!(order.post(pattern(None, None), first), None);
    assert_eq!(order.post(pattern(None, None), second), None);
    assert!(order.withdraw(pattern(None, None), first));
    assert!(!order.withdraw(pattern(None, None), first));
    assert_eq!(order.meet(key(0, 0)), Some(second));
    assert_eq!(order.meet(key(0, 0)), None);
}

proptest! {
    /// Against a list of receives and one of messages, each searched from the front.
    #[test]
    fn agrees_with_two_lists(
        steps in proptest::collection::vec((any::<bool>(), proptest::option::of(0usize..3), proptest::option::of(0i32..3)), 0..120),
    ) {
        let mut order = AnnouncementOrder::default();
        let mut receives: Vec<(Pattern, Handle)> = Vec::new();
        let mut messages: Vec<(MatchKey, Announcement)> = Vec::new();
        for (step, (post, source, tag)) in steps.into_iter().enumerate() {
            let name = step as u8;
            if post {
                let (pattern, request) = (pattern(source, tag), Handle::from_raw(i64::from(name)));
                match order.post(pattern, request) {
                    None => {
                        prop_assert!(!messages.iter().any(|(key, _)| pattern.covers(*key)));
                        receives.push((pattern, request));
                    }
                    Some(Met { key, announcement, .. }) => {
                        // From any source, any peer may be served; each peer's messages keep their order.
                        prop_assert!(pattern.covers(key));
                        let of_peer = Pattern { source: Some(key.peer), ..pattern };
                        let place = messages.iter().position(|(key, _)| of_peer.covers(*key)).unwrap();
                        if tag.is_none() {
                            let first = messages.iter().position(|(key, _)| pattern.covers(*key));
                            prop_assert_eq!(first, Some(place), "of any tag: in the order of arrival");
                        }
                        prop_assert_eq!(messages.remove(place), (key, announcement));
                    }
                }
            } else {
                let key = key(source.unwrap_or(0), tag.unwrap_or(0));
                let expected = receives.iter().position(|(pattern, _)| pattern.covers(key));
                let met = order.meet(key);
                prop_assert_eq!(met, expected.map(|place| receives.remove(place).1));
                if met.is_none() {
                    order.keep(key, data(name));
                    messages.push((key, data(name)));
                }
            }
        }
    }
}
