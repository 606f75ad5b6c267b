//! Cancelling a receive.
//!
//! A receive can be cancelled as long as no message has met it. Where the consumer knows that alone, it is done at once: an
//! announced message has not met it yet and no grant depends on that ([`super::grants`]), or the producer has not heard of it. Else its producer is asked: it withdraws the
//! receive's number, which its next message then skips, or a message has that number already and the cancel has lost. Its
//! helper thread does so where its application is elsewhere ([`crate::provider::Provider::summon`]): that is also the case of
//! a message that never comes, for which receives are cancelled. A
//! cancelled receive completes as cancelled, one whose cancel has lost completes with its message. What
//! becomes of a send is in [`super::cancelled_send`].

use super::transfer::{NullOperation, Operation};
use crate::Rank;
use crate::engine::{Engine, State};
use crate::error::{Error, Result};
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus};
use crate::message::request::Handle;
use crate::message::wire::Control;

impl Engine {
    /// Asks for an operation to be cancelled. The request must still be waited for. An error leaves it as it was.
    pub fn cancel(&mut self, handle: Handle) -> Result<()> {
        match self.state.operations.get_mut(handle) {
            Some(&mut Operation::Awaiting(awaiting)) => {
                if let Some(key) = awaiting.pattern.key()
                    && self.revoke(handle, key)
                {
                    return Ok(());
                }
                if let Some(operation) = self.state.operations.get_mut(handle) {
                    *operation = Operation::Null(NullOperation::Cancelled);
                }
                self.state.forget_awaiting(&awaiting, handle);
            }
            Some(Operation::Receive(receive)) => {
                if receive.is_in_order && receive.fin.is_none() && !receive.withdrawing {
                    let key = receive.key();
                    self.revoke(handle, key);
                    return Ok(());
                }
                let Some(number) = receive.number.filter(|_| receive.fin.is_none() && !receive.withdrawing) else {
                    return Ok(());
                };
                let (key, announced) = (receive.key(), receive.announced);
                if !announced && self.state.withdraw_unheard(key, number) {
                    if let Some(operation) = self.state.operations.get_mut(handle) {
                        *operation = Operation::Null(NullOperation::Cancelled);
                    }
                    return Ok(());
                }
                if let Some(Operation::Receive(receive)) = self.state.operations.get_mut(handle) {
                    receive.withdrawing = true;
                    self.state.withdrawing_receives += 1;
                }
                let MatchKey { peer, communicator, tag } = key;
                self.send(peer, Control::Withdrawal { communicator, tag, number, request: handle });
                self.provider.notify();
                // The producer may compute: its helper answers, or first makes room for the withdrawal.
                self.summon(peer);
            }
            Some(Operation::Transfer(transfer)) if transfer.ended && !transfer.detached => {
                return self.cancel_send(handle);
            }
            Some(Operation::Null(NullOperation::Request | NullOperation::Cancelled) | Operation::Failed { .. }) => {}
            Some(Operation::Transfer(_) | Operation::Null(NullOperation::OpenTransfer)) | None => {
                return Err(Error::StaleHandle { handle: handle.into_raw(), expected: "request" }.into());
            }
        }
        Ok(())
    }
}

impl State {
    /// Withdraws a receive that its producer has not heard of. The ones behind it move up. False if that is not possible.
    fn withdraw_unheard(&mut self, key: MatchKey, number: u64) -> bool {
        let operations = &self.operations;
        let is_known = |request| match operations.get(request) {
            Some(Operation::Receive(receive)) => receive.announced || receive.withdrawing,
            _ => true,
        };
        let Some(moved) = self.receives.entry(key).withdraw(number, is_known) else { return false };
        for (number, request) in moved {
            if let Some(Operation::Receive(receive)) = self.operations.get_mut(request) {
                receive.number = Some(number);
            }
        }
        true
    }

    /// Producer: the consumer wants to withdraw a receive.
    pub(crate) fn withdrawal(&mut self, peer: Rank, key: MatchKey, number: u64, request: Handle) {
        if self.matcher.withdraw_receive(key, number) {
            let fin = Fin { status: FinStatus::Withdrawn, bytes: 0 };
            self.reply(peer, Control::Fin { request, fin });
        }
    }
}
