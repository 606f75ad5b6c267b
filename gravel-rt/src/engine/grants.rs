//! Grants: a receive of announced messages tells its producer where it is when it is posted, and not when it has met one.
//!
//! An answer to an announcement goes the same way as the consumer's own data. Where two ranks exchange long messages over a
//! network, one of them announces a little later than the other; by then the other's message is on its way, and its answer
//! stands behind all of that. So, where the interconnect says that ([`Capabilities::grants_come_first`]), a receive of one
//! source and tag that is too long for eager data is granted when it is posted, if it is certain which message it will meet.
//!
//! | step | side | what |
//! |---|---|---|
//! | post_announced_receive | consumer | counts which message of its key it will meet, and grants that number |
//! | announce | producer | takes the next number of the key; announces; puts, if the grant is there |
//! | (progress) | producer | a grant meets the message of its number, if that waits |
//! | (progress) | consumer | an announcement meets its receive as ever; if that was granted, nobody answers |
//!
//! *Why the number is right.* A producer's messages of one key are taken in their order, each by one receive (or matched
//! probe). If no message of the key waits, and no receive with a wildcard that covers it was posted before and is unmatched,
//! then whatever stands before the new receive takes exactly one message of this key each: the number is how many were taken
//! plus how many stand before it. What is posted later comes behind it, and probes see only messages that no receive waits
//! for. A receive behind such a wildcard is not granted: its message is announced and answered. Both sides count all messages
//! of the key, also those that leave as eager data; the grant of one that has left so is dropped.
//!
//! *The announcement decides still.* Data and FIN of a granted message may be there before its announcement, which may have to
//! wait for its turn. The receive keeps its place in the order until then ([`super::transfer::Receive::is_in_order`]), even if
//! it is over and its handle names nothing any more: so no other message meets it, and its announcement no other receive.
//!
//! *Cancelled.* A number that was granted, or stands before one that was, can't be given up by the consumer alone. It
//! asks the producer ([`Control::Revocation`]), which has sent the message of that number (the cancel has lost), or skips
//! the number and says so, in the order of its announcements ([`Control::Revoked`]): what it opens behind that is met when
//! the receive has left the order. The others stay withdrawn at once ([`super::cancel`]).
//!
//! A message that is longer than its receive is found out by its producer, as with every handshake. A communicator that is not
//! attached any more, and that nothing is posted on, is forgotten with its counts on both sides.

use super::transfer::{Awaiting, Operation, Receive};
use crate::engine::announcements::Turn;
use crate::engine::{Engine, State};
use crate::message::matching::{MatchKey, Pattern};
use crate::message::rendezvous::{Fin, FinStatus, Handshake};
use crate::message::request::Handle;
use crate::message::wire::Control;
use crate::sys::log;

#[expect(unused_imports, reason = "for the documentation")]
use crate::provider::Capabilities;

/// What an announcement finds where its receive should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// A receive whose producer does not know where it is.
    Waiting,
    /// One that was granted.
    Granted,
    /// Nothing that still waits: the message was put, and its receive may be over.
    Over,
}

impl Engine {
    /// Consumer: grants a receive that has just been posted and has met nothing, if that helps and its message is certain.
    #[inline(always)]
    pub(super) fn grant_if_certain(&mut self, request: Handle, awaiting: &Awaiting) {
        let Pattern { source: Some(peer), communicator, tag: Some(tag) } = awaiting.pattern else { return };
        let capabilities = &self.state.capabilities[peer];
        if capabilities.grants_come_first && awaiting.bytes > capabilities.longest_eager {
            self.grant(request, awaiting, MatchKey { peer, communicator, tag });
        }
    }

    #[inline(never)]
    fn grant(&mut self, request: Handle, awaiting: &Awaiting, key: MatchKey) {
        let Some(number) = self.state.announcements.number_last(key) else { return };
        self.state.keep_in_order(request, awaiting, key);
        let MatchKey { peer, communicator, tag } = key;
        let Some(handshake) = self.offer_buffer(request) else { return };
        self.send(peer, Control::Grant { communicator, tag, number, handshake });
        // What is sent next takes it along.
        self.provider.notify_soon();
    }

    /// Producer: a transfer is announced. It takes the next number of its key, and is put where that was granted.
    pub(super) fn number_announced(&mut self, handle: Handle, key: MatchKey) {
        if !self.state.capabilities[key.peer].grants_come_first {
            return;
        }
        let (number, grant) = self.state.grants.open(key);
        if let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) {
            transfer.number_of_key = Some(number);
        }
        match grant {
            Some(grant) => self.bind(handle, grant),
            None => self.state.grants.await_handshake(key, number, handle),
        }
    }

    /// Producer: a message of this key has left as its own announcement, or will. It takes the next number of its key; a grant
    /// of that is not needed.
    #[inline(always)]
    pub(super) fn count_announced(&mut self, key: MatchKey) {
        if self.state.capabilities[key.peer].grants_come_first {
            self.state.grants.open(key);
        }
    }

    /// Consumer: asks the producer to skip the number of a receive that is to be cancelled, which has one. False if it has
    /// none: nobody else knows of it.
    pub(super) fn revoke(&mut self, request: Handle, key: MatchKey) -> bool {
        let Some(number) = self.state.announcements.number_of(key, request) else { return false };
        if let Some(&mut Operation::Awaiting(awaiting)) = self.state.operations.get_mut(request) {
            self.state.keep_in_order(request, &awaiting, key);
        }
        let Some(Operation::Receive(receive)) = self.state.operations.get_mut(request) else { return false };
        receive.withdrawing = true;
        self.state.withdrawing_receives += 1;
        let MatchKey { peer, communicator, tag } = key;
        self.send(peer, Control::Revocation { communicator, tag, number, request });
        self.provider.notify();
        // The producer may compute: its helper answers, or first makes room for the question.
        self.summon(peer);
        true
    }
}

impl State {
    /// An awaiting receive becomes one of a known message, which waits for its announcement still. Nobody need stand in for the
    /// application to answer that: it was granted, or is to be cancelled, and waited for.
    fn keep_in_order(&mut self, request: Handle, awaiting: &Awaiting, key: MatchKey) {
        if let Some(operation) = self.operations.get_mut(request) {
            *operation = Operation::Receive(Receive { is_in_order: true, ..awaiting.met(key) });
            self.unmatched_receives -= usize::from(awaiting.may_need_an_answer());
        }
    }

    /// An announcement, of a message or of none, has come for a receive that was kept in the order.
    pub(super) fn leave_order(&mut self, request: Handle) -> Found {
        match self.operations.get_mut(request) {
            Some(Operation::Receive(receive)) if receive.is_in_order => {
                receive.is_in_order = false;
                if receive.fin.is_some() {
                    return Found::Over;
                }
                if receive.announced { Found::Granted } else { Found::Waiting }
            }
            _ => Found::Over,
        }
    }

    /// Producer: a receive was granted.
    pub(crate) fn granted(&mut self, key: MatchKey, number: u64, handshake: Handshake) {
        if let Err(error) = self.producing.use_announced(key.into()) {
            // Its consumer hears of that from the messages, or from the question of a send.
            log::info!("rank {} grants a receive that nothing here will meet: {error}", key.peer);
            return;
        }
        if let Some(met) = self.grants.arrive(key, number, handshake) {
            self.met.push_back(met);
        }
    }

    /// Producer: a receive is to be cancelled whose number was granted, or stands before one that was.
    pub(crate) fn revocation(&mut self, key: MatchKey, number: u64, request: Handle) {
        if self.grants.withdraw_receive(key, number) {
            let MatchKey { peer, communicator, tag } = key;
            let next = self.next_announcement(peer, communicator);
            let number = *next;
            *next += 1;
            self.reply(peer, Control::Revoked { communicator, tag, number, request });
        }
    }

    /// Consumer: a receive has no message.
    pub(crate) fn revoked(&mut self, key: MatchKey, number: u64, request: Handle) {
        if self.announcements.is_next(key.peer, key.communicator, number) {
            self.end_revoked(key, request);
            self.take_held(key.peer, key.communicator);
        } else {
            self.announcements.hold(key, number, Turn::Revoked(request));
        }
    }

    /// Its turn has come.
    pub(super) fn end_revoked(&mut self, key: MatchKey, request: Handle) {
        if !self.announcements.revoke(key, request) {
            if !self.finalizing {
                log::error!("rank {} says that a receive has no message that has met one: internal error", key.peer);
            }
            return;
        }
        self.leave_order(request);
        // It may have been given up.
        if self.operations.get(request).is_some() {
            self.finish_receive(key.peer, request, Fin { status: FinStatus::Withdrawn, bytes: 0 });
        }
    }

    /// Producer: an announced transfer that its consumer has answered otherwise needs no grant.
    pub(super) fn forget_number(&mut self, handle: Handle) {
        if let Some(Operation::Transfer(transfer)) = self.operations.get(handle)
            && let Some(number) = transfer.number_of_key
        {
            let key = transfer.key();
            self.grants.withdraw(key, number);
        }
    }
}
