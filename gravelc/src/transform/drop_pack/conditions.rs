//! Which copies can go: see the precondition in [`super`].

use std::collections::BTreeMap;

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::copies::{Copying, DroppedPack, Original, copying, uses_in};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::message::message_region;
use crate::analysis::memory::overlap::may_overlap;
use crate::analysis::memory::repeatable::symbols_read_by;
use crate::analysis::messages::requests::{completed_elements, constant_element};
use crate::directives;
use crate::directives::Directives;
use crate::ir::{
    Expression, ExpressionKind, Operation, Procedure, ProcedureId, ProcedureKind, StatementId, StatementKind, Storage,
    SymbolClass, SymbolId,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode, Transformation};
use crate::transform::Selection;
use crate::transform::rules::footprint::Footprint;
use crate::transform::rules::loop_variables::is_read_outside_its_loops;
use crate::transform::rules::movement::Surroundings;
use crate::transform::transformation::is_enabled;

/// What was found in a program.
#[derive(Default)]
pub struct Packs {
    /// The copies that can go, those into one buffer together.
    pub groups: Vec<Vec<DroppedPack>>,
    /// Sends of what is copied, with the reason why the copy stays.
    pub kept: BTreeMap<SiteId, Reason>,
}

/// Looks for copies that can go.
pub struct Search<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// What may be done.
    pub selection: &'a Selection,
}

impl<'a> Search<'a> {
    /// The copies of the whole program.
    pub fn packs(&self) -> Packs {
        let mut found = Packs::default();
        let (directives, _) = directives::read(self.facts.program);
        for (procedure, body) in self.facts.program.procedures() {
            let mut buffers: BTreeMap<SymbolId, Vec<StatementId>> = BTreeMap::new();
            for statement in body.statements_in_order() {
                let site = SiteId { procedure, statement };
                let message = self.facts.communication(site).and_then(|found| found.sent());
                if let Some(buffer) = message.and_then(|message| message.buffer.designated()) {
                    buffers.entry(buffer).or_default().push(statement);
                }
            }
            for (buffer, sends) in buffers {
                let group = Group { search: self, directives: &directives, procedure, buffer, sends: &sends };
                let packs = group.packs();
                if packs.is_empty() {
                    continue;
                }
                match group.dropped(&packs) {
                    Ok(group) => found.groups.push(group),
                    Err(reason) => {
                        // Of what is copied elsewhere, as where a field gets its new values, nobody wants to read here.
                        let below = sends.iter().filter(|&&send| group.stands_below_copy(&packs, send));
                        let site = |&statement| SiteId { procedure, statement };
                        found.kept.extend(below.map(|send| (site(send), reason.clone())));
                    }
                }
            }
        }
        found
    }
}

/// A buffer with everything that uses it.
struct Group<'a> {
    search: &'a Search<'a>,
    directives: &'a Directives,
    procedure: ProcedureId,
    buffer: SymbolId,
    /// The calls that send what is in it.
    sends: &'a [StatementId],
}

impl<'a> Group<'a> {
    fn surroundings(&self) -> Surroundings<'a> {
        Surroundings { facts: self.search.facts, procedure: self.procedure }
    }

    fn body(&self) -> &'a Procedure {
        self.search.facts.procedure(self.procedure)
    }

    /// The statements that only copy into the buffer.
    fn packs(&self) -> BTreeMap<StatementId, Copying<'a>> {
        let body = self.body();
        let inside_of = |outer: &BTreeMap<StatementId, Copying>, statement: StatementId| {
            let mut around = std::iter::successors(body.statement(statement).parent, |&id| body.statement(id).parent);
            around.any(|parent| outer.contains_key(&parent))
        };
        let mut found = BTreeMap::new();
        for statement in body.statements_in_order() {
            if let Some(copy) = copying(body, statement).filter(|copy| copy.target == self.buffer)
                && !inside_of(&found, statement)
            {
                found.insert(statement, copy);
            }
        }
        found
    }

    /// Is there a copy above the send, in its block or in one around it that only IF statements separate? An array that
    /// messages are received into, too, is no buffer for copies.
    fn stands_below_copy(&self, packs: &BTreeMap<StatementId, Copying>, send: StatementId) -> bool {
        let body = self.body();
        let receives = |statement: StatementId| {
            let site = SiteId { procedure: self.procedure, statement };
            let message = self.search.facts.communication(site).and_then(|found| found.received());
            message.is_some_and(|message| message.buffer.designated() == Some(self.buffer))
        };
        if body.statements_in_order().into_iter().any(receives) {
            return false;
        }
        let copies = |&above: &StatementId| body.with_descendants(above).iter().any(|id| packs.contains_key(id));
        let around = std::iter::successors(Some(send), |&id| {
            let parent = body.statement(id).parent?;
            matches!(body.statement(parent).kind, StatementKind::If { .. }).then_some(parent)
        });
        around.into_iter().any(|current| {
            let (block, index) = body.siblings(current);
            block[..index].iter().any(copies)
        })
    }

    /// The copies, with what sends what they copy.
    fn dropped(&self, packs: &BTreeMap<StatementId, Copying<'a>>) -> Result<Vec<DroppedPack>, Reason> {
        for &statement in self.sends {
            self.check_enabled(SiteId { procedure: self.procedure, statement })?;
        }
        self.check_buffer(packs)?;
        packs.iter().try_for_each(|(&pack, copy)| self.check_pack(pack, copy))?;
        let mut sends: BTreeMap<StatementId, Vec<StatementId>> = BTreeMap::new();
        for &send in self.sends {
            let (pack, passed) = self.pack_of(packs, send)?;
            self.check_send(pack, &packs[&pack], send, &passed)?;
            sends.entry(pack).or_default().push(send);
        }
        // One that fills the buffer for nobody is not understood.
        if let Some(pack) = packs.keys().find(|pack| !sends.contains_key(pack)) {
            let message = format!("what is copied at line {} is not sent", self.surroundings().line(*pack));
            return Err(Reason::at(ReasonCode::CopyBufferUsed, self.body().statement(*pack).span, message));
        }
        let site = |statement| SiteId { procedure: self.procedure, statement };
        Ok(sends.into_iter().map(|(pack, sends)| DroppedPack { pack: site(pack), sends }).collect())
    }

    fn check_enabled(&self, site: SiteId) -> Result<(), Reason> {
        is_enabled(self.search.facts.program, self.search.selection, self.directives, Transformation::DropPack, site)
    }

    /// The buffer has no other name, outlives nothing that could look at it, and is used for nothing else.
    fn check_buffer(&self, packs: &BTreeMap<StatementId, Copying>) -> Result<(), Reason> {
        let body = self.body();
        let symbol = body.symbol(self.buffer);
        let name = &symbol.name;
        let kept = |span, message: String| Err(Reason::at(ReasonCode::CopyBufferUsed, span, message));
        let is_own = matches!(symbol.storage, Storage::Local | Storage::Static | Storage::Allocatable)
            && symbol.class == SymbolClass::Variable
            && symbol.place.is_none()
            && !body.dummies.contains(&self.buffer)
            && body.kind != ProcedureKind::Function;
        let has_other_names = symbol.target || symbol.volatile || symbol.overlay.is_some();
        let first = body.statement(self.sends[0]).span;
        if (!is_own || has_other_names) && !Clause::CopiesUnread.is_off() {
            return kept(first, format!("others may look at `{name}`"));
        }
        for statement in body.statements_in_order() {
            let found = body.statement(statement);
            if found.kind.is_opaque() {
                return kept(found.span, format!("a statement that could not be read may look at `{name}`"));
            }
            let is_inside = |pack: &StatementId| found.span.is_within(body.statement(*pack).span);
            let is_in_pack = packs.keys().any(is_inside);
            let (sent, others) = uses_in(body, statement, self.buffer);
            let is_lifetime = match &found.kind {
                StatementKind::Lifetime { reads, .. } => {
                    !reads.iter().any(|read| read.any(&|part| part.designated() == Some(self.buffer)))
                }
                _ => false,
            };
            // As the target of the copy it stands in the assignment once.
            let is_target = is_in_pack && sent == 0 && others == 1;
            if others > 0 && !is_lifetime && !is_target && !Clause::CopiesUnread.is_off() {
                let line = self.surroundings().line(statement);
                return kept(found.span, format!("`{name}` is used at line {line} for something else"));
            }
        }
        Ok(())
    }

    /// The copy does nothing that anybody would miss, and its lines can go.
    fn check_pack(&self, pack: StatementId, copy: &Copying) -> Result<(), Reason> {
        let surroundings = self.surroundings();
        let body = self.body();
        let span = body.statement(pack).span;
        let line = surroundings.line(pack);
        let stays = |message: String| Err(Reason::at(ReasonCode::CopyStays, span, message));
        let inner = body.with_descendants(pack);
        if inner.iter().any(|&id| !body.has_room_around(id))
            || !surroundings.has_room_before(pack)
            || !surroundings.has_room_after(pack)
        {
            return stays(format!("the copy at line {line} shares a line with another statement"));
        }
        if body.statement(pack).hint.is_some() {
            return stays(format!("the hint to a compiler above the copy at line {line} would belong to what follows"));
        }
        if inner.iter().any(|&id| id != pack && body.statement(id).jump_target) {
            return stays(format!("control may jump into the copy at line {line}"));
        }
        for counted in &copy.loops {
            if is_read_outside_its_loops(surroundings, counted.variable) && !Clause::CopiesUnread.is_off() {
                let name = &body.symbol(counted.variable).name;
                return stays(format!(
                    "`{name}`, with which the copy at line {line} counts, may be looked at elsewhere"
                ));
            }
        }
        let calls = |id: StatementId| {
            let kind = &body.statement(id).kind;
            let expressions = kind.expressions();
            symbols_read_by(body, &expressions).is_none_or(|read| read.iter().any(|&id| body.symbol(id).volatile))
        };
        if inner.iter().any(|&id| calls(id)) {
            return stays(format!("the copy at line {line} calls a function, or reads something VOLATILE"));
        }
        if surroundings.facts.program.file(span.file).speaks_to_compilers(span) {
            return stays(format!("the copy at line {line} stands below a directive, or with one"));
        }
        Ok(())
    }

    /// The copy that fills the buffer for the send, and the statements between the two.
    fn pack_of(
        &self,
        packs: &BTreeMap<StatementId, Copying>,
        send: StatementId,
    ) -> Result<(StatementId, Vec<StatementId>), Reason> {
        let surroundings = self.surroundings();
        let body = self.body();
        let span = body.statement(send).span;
        let mut passed = Vec::new();
        let mut current = send;
        loop {
            if let Some(reason) = surroundings.jump_into(current) {
                return Err(reason);
            }
            let (block, index) = body.siblings(current);
            for &previous in block[..index].iter().rev() {
                if packs.contains_key(&previous) {
                    return Ok((previous, passed));
                }
                if let Some(nested) = body.with_descendants(previous).iter().find(|id| packs.contains_key(id)) {
                    let message = format!("the copy at line {} need not have been made", surroundings.line(*nested));
                    return Err(Reason::at(ReasonCode::CopyNotExact, span, message));
                }
                if let Some(reason) = surroundings.jump_into(previous) {
                    return Err(reason);
                }
                passed.push(previous);
            }
            match body.statement(current).parent {
                Some(parent) if matches!(body.statement(parent).kind, StatementKind::If { .. }) => current = parent,
                _ => {
                    let name = &body.symbol(self.buffer).name;
                    let message = format!("no copy into `{name}` stands above it in its block");
                    return Err(Reason::at(ReasonCode::CopyNotExact, span, message));
                }
            }
        }
    }

    /// The message is what the copy copies, and stays so until it has left.
    fn check_send(
        &self,
        pack: StatementId,
        copy: &Copying,
        send: StatementId,
        passed: &[StatementId],
    ) -> Result<(), Reason> {
        let surroundings = self.surroundings();
        let body = self.body();
        let site = SiteId { procedure: self.procedure, statement: send };
        let span = body.statement(send).span;
        let not_exact = |message: String| Reason::at(ReasonCode::CopyNotExact, span, message);
        let unknown = || not_exact("the call could not be understood".into());
        let communication = self.search.facts.communication(site).ok_or_else(unknown)?;
        let message = communication.sent().ok_or_else(unknown)?;
        if message.datatype.predefined.is_none() {
            return Err(not_exact("the message consists of elements of a datatype that the program has made".into()));
        }
        let is_plain = |id: SymbolId| {
            let symbol = body.symbol(id);
            symbol.class == SymbolClass::Variable
                && !symbol.volatile
                && !matches!(symbol.storage, Storage::Pointer | Storage::Component { .. })
        };
        if !is_plain(copy.source) {
            return Err(not_exact(format!("`{}` is no plain array", body.symbol(copy.source).name)));
        }
        let Original { section, region } =
            copy.original(body, surroundings.effects(pack), message).map_err(not_exact)?;
        let mut arguments = message.values();
        arguments.extend(section.children());
        arguments.extend(message.buffer.children());
        let mut values = symbols_read_by(body, &arguments).ok_or_else(unknown)?;
        let in_buffer = message_region(body, message).map_err(not_exact)?;
        values.extend(in_buffer.variables());
        let footprint = Footprint { buffer: region, conflicts: vec![AccessKind::Write], values, outputs: Vec::new() };
        for symbol in footprint.fixed_values() {
            if surroundings.effects(pack).writes_symbol(body, symbol).is_some() {
                let name = &body.symbol(symbol).name;
                return Err(not_exact(format!("the copy changes `{name}`, which the call needs")));
            }
        }
        let obstacle = |statement: StatementId| match surroundings.obstacle(statement, &footprint) {
            Some(reason) if !Clause::CopiesCurrent.is_off() => Err(reason),
            _ => Ok(()),
        };
        passed.iter().try_for_each(|&statement| obstacle(statement))?;
        if let Operation::SendReceive { receive, .. } = &communication.operation {
            let received = message_region(body, receive).map_err(not_exact)?;
            let overlap = may_overlap(body, &footprint.buffer, &received, &Assumptions::new());
            if overlap != Answer::No && !Clause::CopiesCurrent.is_off() {
                let name = &body.symbol(received.symbol).name;
                return Err(not_exact(format!("what is received in `{name}` may lie where the message does")));
            }
        }
        if let Some(request) = communication.posted_request() {
            let pending = self.until_wait(send, request)?;
            pending.iter().try_for_each(|&statement| obstacle(statement))?;
        }
        Ok(())
    }

    /// The statements between the post of a send and the wait that certainly completes it.
    fn until_wait(&self, post: StatementId, request: &Expression) -> Result<Vec<StatementId>, Reason> {
        let surroundings = self.surroundings();
        let body = self.body();
        let mut passed = Vec::new();
        let mut current = post;
        loop {
            let (block, index) = body.siblings(current);
            for &next in &block[index + 1..] {
                if self.completes(next, request) {
                    return Ok(passed);
                }
                // Another post could take the request's place, and the message would be under way unseen.
                let replaces = |id: &StatementId| match &body.statement(*id).kind {
                    // What it completes, or may, is null then, and no other request.
                    StatementKind::Communication(found) if found.possibly_completed_requests().is_some() => false,
                    StatementKind::Communication(found) if found.posted_request().is_some() => {
                        found.posted_request().is_some_and(|other| self.may_be_same(other, request))
                    }
                    kind if !kind.blocks().is_empty() => false,
                    _ => {
                        let variable = request.designated();
                        variable.is_none_or(|it| surroundings.effects(*id).writes_symbol(body, it).is_some())
                    }
                };
                if body.with_descendants(next).iter().any(replaces) {
                    let line = surroundings.line(next);
                    let message = format!("at line {line} its request may be replaced by another one");
                    return Err(Reason::at(ReasonCode::CopyNotExact, body.statement(next).span, message));
                }
                if let Some(reason) = surroundings.jump_into(next) {
                    return Err(reason);
                }
                passed.push(next);
            }
            match body.statement(current).parent {
                Some(parent) if matches!(body.statement(parent).kind, StatementKind::If { .. }) => current = parent,
                _ => {
                    let span = body.statement(post).span;
                    let message = "no wait for its request follows in its block";
                    return Err(Reason::at(ReasonCode::CopyNotExact, span, message));
                }
            }
        }
    }

    /// Does the statement certainly complete the request?
    fn completes(&self, statement: StatementId, request: &Expression) -> bool {
        let site = SiteId { procedure: self.procedure, statement };
        let facts = self.search.facts;
        let Some(completed) = facts.communication(site).and_then(|found| found.completed_requests()) else {
            return false;
        };
        if completed.designated() != request.designated() {
            return false;
        }
        match (&request.kind, &completed.kind) {
            (ExpressionKind::Symbol(one), ExpressionKind::Symbol(_)) => self.body().symbol(*one).rank() == 0,
            _ => {
                let element = constant_element(facts, self.procedure, request);
                let all = completed_elements(facts, site);
                element.zip(all).is_some_and(|(element, all)| all.contains(&element))
            }
        }
    }

    fn may_be_same(&self, one: &Expression, other: &Expression) -> bool {
        let facts = self.search.facts;
        let element = |request: &Expression| constant_element(facts, self.procedure, request);
        let are_apart = element(one).zip(element(other)).is_some_and(|(one, other)| one != other);
        one.designated() == other.designated() && !are_apart
    }
}
