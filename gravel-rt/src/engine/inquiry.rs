//! Ranks that wait for long ask each other what they do ([`crate::check::standstill`]): the questions, the answers, and when
//! they are asked. Only where `GRAVEL_CHECK` is set does a rank ask; all answer.

use std::collections::BTreeMap;

use super::transfer::{Initiation, Operation};
use crate::Rank;
use crate::check::standstill::{Answer, Answers, MOST, ROUND, Verdict, WaitingCall, judge, report};
use crate::engine::{Engine, State};
use crate::error::Error;
use crate::error::missing::{Aspect, never};
use crate::message::inquiry::{Inquiry, Need, Reply, State as Does, TEXT_BYTES};
use crate::message::matching::{MatchKey, Pattern};
use crate::message::request::Handle;
use crate::message::wire::Control;

/// When the place of the call is looked for, in milliseconds: well before somebody asks for it.
const FIND_SITE: u64 = 1000;
/// A wait is looked at when it has lasted so long, in milliseconds, and then now and then.
const FIRST_LOOK: u64 = 3000;
/// So long after the last look.
const NEXT_LOOK: u64 = 5000;
/// What may just take its time is named when it has taken so long, and then again each time that has doubled.
const SLOW: u64 = 30_000;
/// Bytes of text in an answer at most.
const LONGEST_TEXT: usize = 10 * TEXT_BYTES;

/// What the application of this rank does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Doing {
    /// Something else.
    #[default]
    Elsewhere,
    /// It waits for one of these requests.
    Waiting(Vec<Handle>),
    /// It tests these requests, again and again.
    Testing(Vec<Handle>),
    /// It waits for an announcement.
    Awaiting(Pattern),
    /// It has called `gravel_finalize`.
    Finalizing,
}

/// What one rank knows about its own waits, and about those of others that it has asked.
#[derive(Debug, Default)]
pub struct Standstill {
    doing: Doing,
    call: Option<WaitingCall>,
    /// Where the call is made, once it was looked for.
    site: Option<String>,
    /// Since when, in nanoseconds.
    since: u64,
    /// When it is looked at next, in milliseconds of the wait.
    next_look: u64,
    /// What takes long is named when it has taken so long.
    next_slow: u64,
    round: Option<Round>,
    /// The text of an answer that is coming, by rank.
    texts: BTreeMap<Rank, Vec<u8>>,
    /// While finalizing: the ranks that wait for what never comes, and what for; those that were named already.
    deprived: Vec<(Rank, Need)>,
    named: Vec<Rank>,
    /// Number of rounds.
    rounds: u32,
}

/// One round of questions.
#[derive(Debug)]
struct Round {
    /// In nanoseconds.
    began: u64,
    number: u32,
    asked: Vec<(Rank, Rank)>,
    answers: Answers,
}

/// What the application's thread has to do about its wait, with the engine unlocked.
#[derive(Debug)]
pub enum Step {
    /// Nothing.
    Nothing,
    /// Find out where it is made ([`Engine::set_site`]).
    FindSite,
    /// Say this; and end the wait by this error, if there is one.
    Report(String, Option<Box<Error>>),
}

impl Engine {
    /// How many bytes the receives are long that the application has not completed.
    pub fn bytes_of_receives(&self) -> u64 {
        let length = |operation: &Operation| match operation {
            Operation::Receive(receive) => receive.bytes,
            Operation::Awaiting(receive) => receive.bytes,
            Operation::Transfer(_) | Operation::Null(_) | Operation::Failed { .. } => 0,
        };
        self.state.operations.values().map(length).fold(0, u64::saturating_add)
    }

    /// From now on the waits of this rank are looked at.
    pub fn watch_standstill(&mut self) {
        self.state.standstill = Some(Box::default());
    }

    /// The application begins a wait, or ends one. `now` in nanoseconds.
    pub fn note_doing(&mut self, doing: Doing, call: WaitingCall, now: u64) {
        if doing == Doing::Finalizing {
            self.state.finalizing = true;
        }
        if let Some(standstill) = &mut self.state.standstill {
            let rounds = standstill.rounds;
            // The last wait is remembered with the place where it was.
            let site = if doing == Doing::Elsewhere { standstill.site.take() } else { None };
            let (next_look, next_slow) = (FIRST_LOOK, SLOW);
            let call = Some(call);
            **standstill =
                Standstill { doing, call, site, since: now, next_look, next_slow, rounds, ..Standstill::default() };
        }
    }

    /// The application has tested a request in vain. It goes on doing so until it does something else.
    pub fn note_vain_test(&mut self, request: Handle, call: WaitingCall, now: u64) {
        match self.state.standstill.as_mut().map(|standstill| &mut standstill.doing) {
            Some(Doing::Testing(requests)) if requests.contains(&request) || requests.len() >= MOST => {}
            Some(Doing::Testing(requests)) => requests.push(request),
            Some(_) => self.note_doing(Doing::Testing(vec![request]), call, now),
            None => {}
        }
    }

    /// Notes that the program has no more calls to make, whether or not its waits are looked at.
    pub fn note_finalizing(&mut self) {
        self.state.finalizing = true;
    }

    /// Where the call that waits is made, in words; empty if nobody knows.
    pub fn set_site(&mut self, site: String) {
        if let Some(standstill) = &mut self.state.standstill {
            standstill.site = Some(site);
        }
    }

    /// Called now and then while the application waits; `now` in nanoseconds.
    pub fn look_at_standstill(&mut self, now: u64) -> Step {
        let Some(standstill) = &mut self.state.standstill else { return Step::Nothing };
        let lasted = now.saturating_sub(standstill.since) / 1_000_000;
        if standstill.doing == Doing::Elsewhere || lasted < FIND_SITE {
            return Step::Nothing;
        }
        if standstill.site.is_none() {
            return Step::FindSite;
        }
        if standstill.doing == Doing::Finalizing {
            return standstill.name_deprived(self.rank);
        }
        if standstill.round.is_none() {
            if lasted < standstill.next_look {
                return Step::Nothing;
            }
            standstill.rounds += 1;
            let number = standstill.rounds;
            standstill.round = Some(Round { began: now, number, asked: Vec::new(), answers: Answers::new() });
        }
        self.go_round(lasted, now)
    }

    /// Asks on in the current round, or ends it.
    fn go_round(&mut self, lasted: u64, now: u64) -> Step {
        let needs = self.state.own_needs();
        let rank = self.rank;
        loop {
            let Some(standstill) = &self.state.standstill else { return Step::Nothing };
            let Some(round) = &standstill.round else { return Step::Nothing };
            let is_over = now.saturating_sub(round.began) / 1_000_000 >= ROUND;
            let verdict = match needs[..] {
                // Who only tests may do something else, and is in no circle.
                [(peer, need)] => match judge(rank, peer, need, &round.answers, is_over) {
                    Verdict::Circle(ranks)
                        if ranks.contains(&rank) && matches!(standstill.doing, Doing::Testing(_)) =>
                    {
                        Verdict::Open
                    }
                    verdict => verdict,
                },
                // For one of several: all of them are asked, and nothing is concluded.
                _ => {
                    let unasked = needs.iter().take(MOST).find(|(peer, _)| !round.asked.contains(&(*peer, rank)));
                    match unasked {
                        Some(&(peer, need)) if !is_over => Verdict::Ask(peer, rank, need),
                        _ if is_over || round.answers.len() == round.asked.len() => Verdict::Open,
                        _ => return Step::Nothing,
                    }
                }
            };
            let Verdict::Ask(peer, about, need) = verdict else {
                return self.end_round(lasted, verdict, needs.len() == 1);
            };
            if round.asked.contains(&(peer, about)) {
                return Step::Nothing;
            }
            let inquiry = Inquiry { about, need, has_alternatives: needs.len() > 1, round: round.number };
            self.ask(peer, inquiry, now);
        }
    }

    fn ask(&mut self, peer: Rank, inquiry: Inquiry, now: u64) {
        if let Some(round) = self.state.standstill.as_mut().and_then(|standstill| standstill.round.as_mut()) {
            round.asked.push((peer, inquiry.about));
        }
        if peer == self.rank {
            let (reply, text) = self.state.reply_to(inquiry, now);
            self.state.take_answer(peer, reply, text);
            return;
        }
        self.send(peer, Control::Inquiry(inquiry));
        // Whatever the application does there.
        self.summon(peer);
        self.provider.notify();
    }

    fn end_round(&mut self, lasted: u64, verdict: Verdict, is_single: bool) -> Step {
        let rank = self.rank;
        let Some(standstill) = &mut self.state.standstill else { return Step::Nothing };
        let Some(round) = standstill.round.take() else { return Step::Nothing };
        standstill.next_look = lasted + NEXT_LOOK;
        let is_proven = matches!(verdict, Verdict::Never(..) | Verdict::Circle(_));
        if !is_proven && lasted < standstill.next_slow {
            return Step::Nothing;
        }
        standstill.next_slow = 2 * lasted.max(SLOW / 2);
        if is_proven {
            standstill.next_look = standstill.next_slow;
        }
        let unanswered: Vec<Rank> =
            round.asked.iter().filter(|asked| !round.answers.contains_key(asked)).map(|&(peer, _)| peer).collect();
        // What this rank has told itself is its first line.
        let answers = round.answers.into_iter().filter(|((peer, _), _)| *peer != rank).collect();
        let verb = if matches!(standstill.doing, Doing::Testing(_)) { "tests in vain" } else { "waits" };
        let own = format!("this rank {verb} since {} s in {}", lasted / 1000, standstill.text());
        let text = report(&own, &answers, &unanswered, &verdict);
        let error = match verdict {
            Verdict::Never(waiting, peer, need) if waiting == rank && is_single => {
                Some(Error::NeverComes { waiting, peer, missing: need.missing() }.into())
            }
            _ => None,
        };
        Step::Report(text, error)
    }
}

impl Standstill {
    fn text(&self) -> String {
        let site = self.site.as_deref().unwrap_or("");
        self.call.as_ref().map(|call| call.text(site)).unwrap_or_default()
    }

    /// In `gravel_finalize`: names the ranks that wait for what this one has not done.
    fn name_deprived(&mut self, rank: Rank) -> Step {
        let deprived = std::mem::take(&mut self.deprived);
        if deprived.is_empty() {
            return Step::Nothing;
        }
        let lines = deprived.iter().map(|&(waiting, need)| never(waiting, rank, need.missing()));
        let text = std::iter::once(format!("this rank is in {}", self.text())).chain(lines);
        Step::Report(text.collect::<Vec<_>>().join("\n    "), None)
    }
}

impl State {
    /// A rank asks what this one does.
    pub(crate) fn inquired(&mut self, peer: Rank, inquiry: Inquiry) {
        let (reply, text) = self.reply_to(inquiry, crate::sys::clock::monotonic_nanoseconds());
        for piece in text.as_bytes().chunks(TEXT_BYTES) {
            let mut bytes = [0; TEXT_BYTES];
            bytes[..piece.len()].copy_from_slice(piece);
            self.reply(peer, Control::Text(bytes));
        }
        self.reply(peer, Control::Reply(reply));
        if self.finalizing
            && inquiry.about == peer
            && !inquiry.has_alternatives
            && inquiry.need.is_open(reply.count)
            && let Some(standstill) = &mut self.standstill
            && !standstill.named.contains(&peer)
        {
            standstill.named.push(peer);
            standstill.deprived.push((peer, inquiry.need));
        }
    }

    fn reply_to(&self, inquiry: Inquiry, now: u64) -> (Reply, String) {
        let Inquiry { about, need, round, .. } = inquiry;
        let count = self.count_of(about, need);
        let (state, since, mut text) = match &self.standstill {
            _ if self.finalizing => {
                let since = self.standstill.as_ref().map_or(now, |standstill| standstill.since);
                let text = self.standstill.as_ref().map_or("gravel_finalize".into(), |standstill| standstill.text());
                (Does::Finalizing, since, text)
            }
            None => (Does::Unwatched, now, String::new()),
            Some(standstill) => {
                let state = match (&standstill.doing, &self.own_needs()[..]) {
                    (Doing::Elsewhere, _) => Does::Elsewhere,
                    (Doing::Finalizing, _) => Does::Finalizing,
                    (Doing::Testing(_), _) => Does::Testing,
                    (Doing::Waiting(_) | Doing::Awaiting(_), [(peer, need)]) => Does::Waiting(*peer, *need),
                    (Doing::Waiting(_) | Doing::Awaiting(_), _) => Does::WaitingForSome,
                };
                (state, standstill.since, standstill.text())
            }
        };
        let mut length = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        text.truncate(length);
        (Reply { about, round, state, since: now.saturating_sub(since) / 1_000_000, count }, text)
    }

    /// A part of the text of an answer has come.
    pub(crate) fn take_text(&mut self, peer: Rank, bytes: [u8; TEXT_BYTES]) {
        if let Some(standstill) = &mut self.standstill {
            let text = standstill.texts.entry(peer).or_default();
            if text.len() < LONGEST_TEXT {
                text.extend(bytes.iter().take_while(|&&byte| byte != 0));
            }
        }
    }

    /// An answer has come whose text has come before.
    pub(crate) fn replied(&mut self, peer: Rank, reply: Reply) {
        let text = self.standstill.as_mut().and_then(|standstill| standstill.texts.remove(&peer)).unwrap_or_default();
        self.take_answer(peer, reply, String::from_utf8_lossy(&text).into_owned());
    }

    fn take_answer(&mut self, peer: Rank, reply: Reply, text: String) {
        let Reply { about, round, state, since, count } = reply;
        if let Some(asked) = self.standstill.as_mut().and_then(|standstill| standstill.round.as_mut())
            && asked.number == round
            && asked.asked.contains(&(peer, about))
        {
            asked.answers.insert((peer, about), Answer { state, since, count, text });
        }
    }

    /// The ranks that the application waits for, and what it needs of each.
    fn own_needs(&self) -> Vec<(Rank, Need)> {
        match self.standstill.as_ref().map(|standstill| &standstill.doing) {
            Some(Doing::Waiting(requests) | Doing::Testing(requests)) => {
                requests.iter().flat_map(|&request| self.needs_of(request)).collect()
            }
            Some(Doing::Awaiting(pattern)) => self.needs_of_pattern(*pattern),
            Some(Doing::Elsewhere | Doing::Finalizing) | None => Vec::new(),
        }
    }

    fn needs_of(&self, request: Handle) -> Vec<(Rank, Need)> {
        let (peer, communicator, tag, aspect, number) = match self.operations.get(request) {
            Some(Operation::Receive(receive)) if receive.is_in_order => {
                return self.needs_of_pattern(receive.key().into());
            }
            Some(Operation::Receive(receive)) => {
                let aspect = if receive.number.is_some() { Aspect::Message } else { Aspect::UnderWay };
                (receive.peer, receive.communicator, receive.tag, aspect, receive.number.unwrap_or(0))
            }
            Some(Operation::Awaiting(awaiting)) => return self.needs_of_pattern(awaiting.pattern),
            Some(Operation::Transfer(transfer)) => {
                let aspect = match transfer.initiation {
                    // One that was cancelled needs no receive.
                    _ if transfer.target.is_some() || transfer.fin_sent || transfer.cancelled => Aspect::UnderWay,
                    Initiation::Consumer => Aspect::Receive,
                    Initiation::Producer => Aspect::Taking,
                    Initiation::ProducerEagerly => Aspect::UnderWay,
                };
                (transfer.peer, transfer.communicator, transfer.tag, aspect, transfer.number)
            }
            Some(Operation::Null(_) | Operation::Failed { .. }) | None => return Vec::new(),
        };
        vec![(peer, Need { aspect, communicator, tag, number })]
    }

    fn needs_of_pattern(&self, pattern: Pattern) -> Vec<(Rank, Need)> {
        let Pattern { source, communicator, tag } = pattern;
        let need = |peer| {
            let number = self.announcements.arrived_from(peer, communicator);
            (peer, Need { aspect: Aspect::Announcement, communicator, tag: tag.unwrap_or(-1), number })
        };
        match source {
            Some(peer) => vec![need(peer)],
            None => self.groups.members_of(communicator, self.ranks()).into_iter().map(need).collect(),
        }
    }

    /// How often what a rank's wait needs has happened here.
    fn count_of(&self, about: Rank, need: Need) -> u64 {
        let Need { aspect, communicator, tag, .. } = need;
        let key = MatchKey { peer: about, communicator, tag };
        match aspect {
            Aspect::Message => self.matcher.opened(key),
            Aspect::Receive => self.receives.get(key).map_or(0, super::eager::ReceiveOrder::next_number),
            Aspect::Announcement => self.announced.get((about, communicator)).copied().unwrap_or(0),
            Aspect::UnderWay | Aspect::Taking => 0,
        }
    }
}
