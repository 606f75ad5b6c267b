//! Which statements of a block become one region: one call of `Gravel::scope`, in which messages are under way.
//!
//! The middle end has proven each move by itself. Here is looked at what a region adds: memory that is lent to a message is lent until the
//! region ends, what calls are given is evaluated in front of it, and all calls in it leave it in one way. Whatever does not
//! fit moves less far: less of a move that is right is right, too.

use std::collections::BTreeSet;

use gravelc::analysis::algebra::symbolic::polynomial_of;
use gravelc::ir::{Direction, Expression, Message, Polynomial, Procedure, StatementKind, SymbolId};
use gravelc::plan::{Plan, ReasonCode, Transformation};
use quote::ToTokens;

use crate::frontend::Lowered;
use crate::frontend::calls::End;
use crate::frontend::expressions::{bare, symbols_in};
use crate::frontend::iterators::Iterated;
use crate::frontend::names::Key;
use crate::frontend::tree::{Node, NodeKind};
use crate::moves::{Access, Half, Shape, Why, accesses, halves};
use crate::splits::end_with_splits;

/// Statements of a block that become one.
pub struct Region {
    /// The index of the first one.
    pub first: usize,
    /// The index of the last one.
    pub last: usize,
    /// The messages of the calls in it, those that stay in place included.
    pub halves: Vec<Half>,
    /// Calls whose memory is a part of an array of which other parts are lent: they are written anew where they are.
    pub parts: BTreeSet<usize>,
}

impl Region {
    /// Does all of the call stay where it is?
    pub fn stays(&self, call: usize) -> bool {
        !self.parts.contains(&call) && !self.halves.iter().any(|half| half.call == call && half.gains())
    }
}

/// A block with what its statements are.
pub struct Block<'a> {
    /// The function.
    pub lowered: &'a Lowered,
    /// The statements.
    pub nodes: &'a [Node],
}

impl<'a> Block<'a> {
    /// The procedure of the middle end.
    pub fn procedure(&self) -> &'a Procedure {
        self.lowered.program.procedure(gravelc::ir::ProcedureId(0))
    }

    /// The message of a half in the text.
    pub fn end_of(&self, half: &Half) -> &'a End {
        let NodeKind::Call(taken) = &self.nodes[half.call].kind else { unreachable!("halves are of calls") };
        let end = match half.direction {
            Direction::Sent => &taken.sent,
            Direction::Received => &taken.received,
        };
        end.as_ref().expect("halves are of messages")
    }

    /// The message of a half as the middle end sees it.
    pub fn message_of(&self, half: &Half) -> &'a Message {
        let StatementKind::Communication(call) = &self.procedure().statement(self.nodes[half.call].id).kind else {
            unreachable!("halves are of calls")
        };
        call.message(half.direction).expect("halves are of messages")
    }

    /// The array of a half's message.
    pub fn buffer_of(&self, half: &Half) -> SymbolId {
        self.message_of(half).buffer.designated().expect("buffers are places")
    }

    /// Is its memory lent so that it can be written?
    pub fn is_lent_to_write(half: &Half) -> bool {
        half.direction == Direction::Received
            || matches!(&half.cut, Some(cut) if matches!(cut.shape, Shape::Fills { .. }))
    }

    fn key(&self, symbol: SymbolId) -> &Key {
        &self.lowered.places[symbol.0].key
    }

    /// May the two symbols be the same memory?
    pub fn meet(&self, one: SymbolId, other: SymbolId) -> bool {
        let overlay = |id: SymbolId| self.procedure().symbol(id).overlay;
        one == other || self.key(one).meets(self.key(other)) || overlay(one).is_some() && overlay(one) == overlay(other)
    }

    /// The accesses of a statement.
    pub fn accesses(&self, index: usize) -> Vec<Access<'a>> {
        accesses(self.procedure(), &self.nodes[index].block)
    }

    /// What is evaluated in front of the region for a half, by the symbols in it.
    fn front(&self, half: &Half) -> BTreeSet<SymbolId> {
        let message = self.message_of(half);
        let world = message.communicator.designated();
        let mut found: BTreeSet<SymbolId> = message.values().into_iter().flat_map(symbols_in).collect();
        found.extend(message.buffer.children().into_iter().flat_map(symbols_in));
        if let Some(Ok(inside)) = half.split.map(|index| self.inside(index)) {
            found.extend(inside.front());
        }
        found.retain(|symbol| Some(*symbol) != world);
        if let Some(cut) = &half.cut {
            let id = self.nodes[cut.index].id;
            if let StatementKind::Loop(counted) = &self.procedure().statement(id).kind {
                found.extend(symbols_in(&counted.lower));
                found.extend(symbols_in(&counted.upper));
            }
            // How many rows there are, of loops inside too, is computed from sizes.
            self.nodes[cut.index].visit(&mut |node| {
                if let NodeKind::Counted { sizes, .. } = &node.kind {
                    found.extend(sizes.iter().flat_map(|(_, size)| symbols_in(size)));
                }
            });
            match &cut.shape {
                Shape::Fills { start, length } => {
                    found.extend([start, length].into_iter().flat_map(Polynomial::variables))
                }
                Shape::Reads { variable, needed } => {
                    found.extend(needed.variables().into_iter().filter(|symbol| symbol != variable));
                }
            }
        }
        found
    }

    /// The regions of the block, and the final halves of all its calls.
    pub fn regions(&self, plan: &Plan) -> (Vec<Region>, Vec<Half>) {
        let mut all = halves(self.nodes, &plan.decisions);
        for (index, node) in self.nodes.iter().enumerate() {
            if !node.is_clean() && !matches!(node.kind, NodeKind::Call(_)) {
                let what =
                    node.obstacle().map_or_else(|| "a statement that is not followed".to_owned(), |(_, what)| what);
                let text = format!("{} at line {} is in the way", what.trim_end_matches(','), node.span.start().line);
                let why = Why::new(ReasonCode::ControlInBetween, text);
                all.iter_mut().for_each(|half| half.stop_at(index, &why));
            }
        }
        for half in &mut all {
            let asked = [Some(half.call), half.cut.as_ref().map(|cut| cut.index), half.split];
            for index in asked.into_iter().flatten() {
                for &skipped in &self.nodes[index].directive.skipped {
                    if skipped == Transformation::DecomposeAlltoall && self.end_of(half).is_exchange() {
                        half.stop_at(half.call, &Why::new(ReasonCode::SkipDirective, "a directive leaves it out"));
                    }
                    half.refuse(skipped, &Why::new(ReasonCode::SkipDirective, "a directive leaves it out"));
                }
            }
            if let Err(why) = self.check_cut(half) {
                half.drop_cut(&why);
            }
            if let Err(why) = self.check_split(half) {
                half.drop_split(&why);
            }
            if self.lowered.has_chosen {
                self.leave_others(half);
            }
        }
        // Each round moves something less far, so there is a last one. Of what is apart each round finds a conflict in each.
        let mut is_right = BTreeSet::new();
        loop {
            self.keep_order(&mut all);
            end_with_splits(&mut all, &|index| self.nodes[index].span.start().line);
            let regions = self.joined(&all);
            let mut conflicts = Vec::new();
            for region in &regions {
                let place = (region.first, region.last);
                if is_right.contains(&place) {
                    continue;
                }
                match self.conflict(region) {
                    Some(conflict) => conflicts.push((place, conflict)),
                    // What is stopped elsewhere never reaches into it.
                    None => {
                        is_right.insert(place);
                    }
                }
            }
            if conflicts.is_empty() {
                return (regions, all);
            }
            for ((first, last), (index, why)) in conflicts {
                let inside = all.iter_mut().filter(|half| (first..=last).contains(&half.call));
                inside.for_each(|half| half.stop_at(index, &why));
            }
        }
    }

    /// Some statements have the attribute themselves: a call that has none moves only over loops that have it, and is cut only in those.
    fn leave_others(&self, half: &mut Half) {
        let is_chosen = |index: usize| self.nodes[index].directive.is_chosen;
        if is_chosen(half.call) {
            return;
        }
        let text = "neither the call nor a loop beside it is among those with `#[gravel::overlap]`";
        let why = Why::new(ReasonCode::SkipDirective, text);
        if half.cut.as_ref().is_some_and(|cut| !is_chosen(cut.index)) {
            half.drop_cut(&why);
        }
        if half.split.is_some_and(|index| !is_chosen(index)) {
            half.drop_split(&why);
        }
        let begins = (half.begin < half.call).then_some(half.begin..half.call);
        if begins.is_some_and(|mut passed| !passed.any(is_chosen)) {
            half.begin = half.call;
            half.stopped.get_or_insert_with(|| why.clone());
        }
        let ends = (half.end > half.call).then_some(half.call + 1..half.end + 1);
        if ends.is_some_and(|mut passed| !passed.any(is_chosen)) {
            half.end = half.call;
            half.stopped.get_or_insert(why);
        }
    }

    /// Is all that the loop does with the array done with the elements that its iteration has?
    fn check_cut(&self, half: &Half) -> Result<(), Why> {
        let Some(cut) = &half.cut else { return Ok(()) };
        let code = match half.direction {
            Direction::Sent => ReasonCode::NotProducedInOrder,
            Direction::Received => ReasonCode::NotConsumedInOrder,
        };
        let refused = |text: String| Err(Why::new(code, text));
        let node = &self.nodes[cut.index];
        let (NodeKind::Counted { over, sizes, .. }, StatementKind::Loop(counted)) =
            (&node.kind, &self.procedure().statement(node.id).kind)
        else {
            return refused("what fills or reads the message is no loop over a range".to_owned());
        };
        if counted.step.is_some() {
            return refused("a loop over every so many numbers stays whole".to_owned());
        }
        let buffer = self.buffer_of(half);
        let name = &self.procedure().symbol(buffer).name;
        let size = self.row_of(half, sizes);
        let is_in_place = match &size {
            Some(size) => size.as_ref().is_some_and(|size| cut.has_rows_of(size)),
            None => cut.is_in_step() && !cut.has_head(),
        };
        if let Some(over) = over
            && !(self.is_over_message(half, over) && is_in_place)
        {
            return refused(format!(
                "the loop does not run over the elements of `{name}` from the message's first one on"
            ));
        }
        // What is lent of it is a tile, and no array as a whole.
        let place = bare(&self.end_of(half).buffer.place).to_token_stream().to_string();
        let mut names_whole = false;
        for inner in node.blocks().into_iter().flatten() {
            inner.visit(&mut |inner| {
                if let NodeKind::Counted { over: Some(over), .. } = &inner.kind {
                    names_whole |= over.arrays().into_iter().any(|it| it.to_token_stream().to_string() == place);
                }
            });
        }
        if names_whole {
            return refused(format!("each iteration runs over all of `{name}`"));
        }
        let body = accesses(self.procedure(), &counted.body);
        let mut written = BTreeSet::new();
        let mut read = BTreeSet::new();
        for access in body.iter().filter(|access| self.meet(access.symbol, buffer)) {
            let subscript = access.subscript.filter(|_| access.symbol == buffer);
            let subscript = subscript.and_then(|it| polynomial_of(self.procedure(), it));
            let Some(subscript) = subscript else {
                return refused(format!("which elements of `{name}` the loop names is not known"));
            };
            if access.is_write { &mut written } else { &mut read }.insert(subscript);
        }
        match &cut.shape {
            // No iteration has a row of another one.
            Shape::Fills { .. } if size.is_some() => Ok(()),
            Shape::Fills { .. } => match read.iter().all(|subscript| written.contains(subscript)) {
                true => Ok(()),
                // What an earlier tile has put is no longer there to be read.
                false => refused(format!("the loop reads elements of `{name}` that other iterations fill")),
            },
            Shape::Reads { variable, .. } => {
                let is_from_beginning = self.end_of(half).buffer.lower.is_none();
                let is_fixed = |symbol: SymbolId| {
                    symbol == *variable || body.iter().all(|it| !(it.is_write && it.symbol == symbol))
                };
                let is_linear = |subscript: &Polynomial| {
                    subscript.linear_in(*variable).is_some() && subscript.variables().into_iter().all(is_fixed)
                };
                match written.is_empty() && (is_from_beginning || read.iter().all(is_linear)) {
                    true => Ok(()),
                    false => refused(format!("where the elements of `{name}` begin that the loop reads is not known")),
                }
            }
        }
    }

    /// The number of elements of a row, if a loop takes the message in rows; nothing inside where it is no polynomial.
    fn row_of(&self, half: &Half, sizes: &[(String, Expression)]) -> Option<Option<Polynomial>> {
        let place = bare(&self.end_of(half).buffer.place).to_token_stream().to_string();
        let (_, size) = sizes.iter().find(|(array, _)| *array == place)?;
        Some(polynomial_of(self.procedure(), size))
    }

    /// Does a loop over elements have those of the message, from its first one on, as it is lent?
    fn is_over_message(&self, half: &Half, over: &Iterated) -> bool {
        let buffer = &self.end_of(half).buffer;
        let place = bare(&buffer.place).to_token_stream().to_string();
        let is_lent = |array: &syn::Expr, is_mutable: bool| {
            array.to_token_stream().to_string() != place || is_mutable == (half.direction == Direction::Sent)
        };
        buffer.lower.is_none() && over.all(&is_lent)
    }

    /// What does not fit into a region: the index of the statement that has to be left out of it.
    fn conflict(&self, region: &Region) -> Option<(usize, Why)> {
        let line = |index: usize| self.nodes[index].span.start().line;
        let calls: Vec<usize> = {
            let all: BTreeSet<usize> = region.halves.iter().map(|half| half.call).collect();
            all.into_iter().collect()
        };
        // All calls leave the region in one way, and are made by one communicator.
        let taken = |index: usize| match &self.nodes[index].kind {
            NodeKind::Call(taken) => taken,
            _ => unreachable!("a call"),
        };
        let receiver = |index: usize| {
            let receiver = bare(&taken(index).call.receiver);
            quote::quote!(#receiver).to_string()
        };
        let first = calls[0];
        for &call in &calls[1..] {
            if !taken(call).ending.is_like(&taken(first).ending) {
                return Some((
                    call,
                    Why::new(
                        ReasonCode::ControlInBetween,
                        format!("the call at line {} ends in another way", line(call)),
                    ),
                ));
            }
            if receiver(call) != receiver(first) {
                return Some((
                    call,
                    Why::new(
                        ReasonCode::UnknownCommunicator,
                        format!("the call at line {} is made by another communicator", line(call)),
                    ),
                ));
            }
        }
        // What is evaluated in front has to stay as it is.
        let moved = region.halves.iter().filter(|half| !region.stays(half.call));
        let front: BTreeSet<SymbolId> = moved.flat_map(|half| self.front(half)).collect();
        let places = region.halves.iter().map(|half| self.buffer_of(half));
        let split = region.split().map(|index| self.inside(index));
        let named = split.and_then(Result::ok).map(|inside| inside.named()).unwrap_or_default();
        let names: BTreeSet<String> =
            front.iter().copied().chain(places).chain(named).map(|symbol| self.first_name(symbol)).collect();
        let of_receiver = receiver(first).split('.').next().unwrap_or_default().trim().to_owned();
        // What is declared in a loop that is split is seen only there.
        let is_seen = |index: &usize| region.split() != Some(*index);
        for index in (region.first..=region.last).filter(is_seen) {
            let ids = self.nodes[index].block.iter().flat_map(|&id| self.procedure().with_descendants(id));
            let mut declared = ids.flat_map(|id| self.lowered.declared.get(&id)).flatten();
            let hidden = declared.find(|symbol| {
                let name = self.first_name(**symbol);
                names.contains(&name) || name == of_receiver
            });
            if let Some(symbol) = hidden {
                let name = self.first_name(*symbol);
                return Some((
                    index,
                    Why::new(ReasonCode::AccessInBetween, format!("`{name}` is declared at line {}", line(index))),
                ));
            }
            let written = self.accesses(index).into_iter().filter(|access| access.is_write);
            for access in written {
                if let Some(&value) = front.iter().find(|&&value| self.meet(value, access.symbol)) {
                    let name = &self.procedure().symbol(value).name;
                    return Some((
                        index,
                        Why::new(
                            ReasonCode::AccessInBetween,
                            format!("`{name}`, which is needed above, changes at line {}", line(index)),
                        ),
                    ));
                }
            }
        }
        self.lent_twice(region, &front)
    }

    /// Memory that is lent to a message and named by something else in the region.
    fn lent_twice(&self, region: &Region, front: &BTreeSet<SymbolId>) -> Option<(usize, Why)> {
        let line = |index: usize| self.nodes[index].span.start().line;
        let split = self.split_arrays(&region.halves);
        for (number, half) in region.halves.iter().enumerate() {
            let buffer = self.buffer_of(half);
            let name = &self.procedure().symbol(buffer).name;
            let is_lent_to_write = Self::is_lent_to_write(half);
            if front.iter().any(|&value| self.meet(value, buffer)) {
                return Some((
                    half.call,
                    Why::new(
                        ReasonCode::AccessInBetween,
                        format!("`{name}` says where messages go, or how long they are"),
                    ),
                ));
            }
            for other in &region.halves[number + 1..] {
                let is_one = self.meet(self.buffer_of(other), buffer);
                let are_parts = self.buffer_of(other) == buffer
                    && self.is_part_of_split(half, &split)
                    && self.is_part_of_split(other, &split);
                if is_one && !are_parts && (is_lent_to_write || Self::is_lent_to_write(other)) {
                    return Some((
                        other.call,
                        Why::new(
                            ReasonCode::AccessInBetween,
                            format!("`{name}` is the memory of another message, too"),
                        ),
                    ));
                }
            }
            // What stays in place lends its memory for the time of the call.
            if region.stays(half.call) {
                continue;
            }
            for index in region.first..=region.last {
                let is_own = index == half.call
                    || half.cut.as_ref().is_some_and(|cut| cut.index == index)
                    || half.split == Some(index);
                if is_own || matches!(self.nodes[index].kind, NodeKind::Call(_)) {
                    continue;
                }
                let mut accesses = self.accesses(index).into_iter();
                let is_in_the_way =
                    accesses.any(|access| self.meet(access.symbol, buffer) && (is_lent_to_write || access.is_write));
                if is_in_the_way {
                    return Some((
                        index,
                        Why::new(ReasonCode::AccessInBetween, format!("`{name}` is used at line {}", line(index))),
                    ));
                }
            }
        }
        None
    }

    /// The name that the text of a symbol begins with.
    fn first_name(&self, symbol: SymbolId) -> String {
        let root = self.key(symbol).0.first().cloned().unwrap_or_default();
        root.split('#').next().unwrap_or_default().to_owned()
    }

    /// The regions that the halves make, with all halves of the calls in them.
    fn joined(&self, all: &[Half]) -> Vec<Region> {
        let mut spans: Vec<(usize, usize)> =
            all.iter().filter(|half| half.gains()).map(|half| (half.begin, half.end)).collect();
        spans.sort_unstable();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (first, last) in spans {
            match found.last_mut() {
                Some(before) if first <= before.1 => before.1 = before.1.max(last),
                _ => found.push((first, last)),
            }
        }
        let of_span = |(first, last): (usize, usize)| {
            let halves: Vec<Half> = all.iter().filter(|half| (first..=last).contains(&half.call)).cloned().collect();
            let arrays = self.split_arrays(&halves);
            let parts = halves.iter().filter(|half| arrays.contains_key(&self.buffer_of(half))).map(|half| half.call);
            Region { first, last, parts: parts.collect(), halves }
        };
        found.into_iter().map(of_span).collect()
    }
}
