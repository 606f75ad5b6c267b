//! Alias analysis of arguments: which names of a procedure may stand for the same memory, as all of its calls say.
//!
//! Fortran forbids a program to write memory that a procedure has by two names, but for pointers and targets (Fortran 2018,
//! 15.5.2.13). Programs with MPI break that and work all the same: compilers see nothing of what a message does. So
//! `call exchange(buffer, result)`, where `exchange` receives into `buffer` of its module and reads its first argument, is looked at.
//!
//! 1. For each call, two actual arguments that may share memory in the caller, an actual argument that may be (a part of) a
//!    variable which the called procedure, or one that this calls, touches (of a module, of COMMON, of the host), and one to
//!    which pointers may lead, are candidates.
//! 2. A candidate counts unless what a run of the procedure touches by the two names is apart in this call, or only read
//!    (`ConflictsInCall`).
//! 3. What counts for the caller makes new candidates of what it hands on, and changes what is known of subscripts. So both steps are
//!    repeated until nothing is new. The regions of the last round were worked out with all that counts. That suffices: the first
//!    access of a run that would meet memory by a name which does not count has the region that was worked out for it.
//!
//! What callers that were not given hand over is not known; [`names_taken_apart`] says where the rule of the language is believed.

mod unseen_calls;

use std::collections::BTreeSet;

use crate::ir::{
    Aliases, Expression, ExpressionKind, Place, Procedure, ProcedureId, Program, Span, Storage, Symbol, SymbolClass,
    SymbolId,
};
use crate::mutations::Clause;

use crate::analysis::memory::effects::{ConflictsInCall, Summaries};
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::program::calls::{CallSite, call_sites};

pub use unseen_calls::names_taken_apart;

/// The program in which each procedure knows which of its names its calls make one place; `None` if there are none.
pub fn with_argument_aliases(program: &Program) -> Option<Program> {
    if Clause::ArgumentAliases.is_off() {
        return None;
    }
    let mut found: Option<Program> = None;
    loop {
        let known = found.as_ref().unwrap_or(program);
        let (aliases, changed) = Round::of(known).end();
        if changed.is_empty() {
            return found;
        }
        let mut next = known.clone();
        for id in changed {
            let procedure = next.procedure_mut(id);
            for dummy in aliases[id.0].targets() {
                procedure.symbols[dummy.0].take_address();
            }
            procedure.aliases.clone_from(&aliases[id.0]);
        }
        found = Some(next);
    }
}

/// What all calls join, where regions are those of `program`.
struct Round<'a> {
    program: &'a Program,
    /// In the order of the procedures.
    aliases: Vec<Aliases>,
    /// The procedures for which something was found.
    changed: BTreeSet<ProcedureId>,
}

/// A variable that a call hands over.
#[derive(Clone, Copy)]
struct Handed<'a> {
    position: usize,
    argument: &'a Expression,
    actual: SymbolId,
    dummy: SymbolId,
}

/// A call with what is asked of it again and again.
struct Site<'c, 'a> {
    call: CallSite<'a>,
    handed: Vec<Handed<'a>>,
    in_call: ConflictsInCall<'c, 'a>,
}

impl<'a> Round<'a> {
    fn of(program: &'a Program) -> Self {
        let aliases = program.procedures.iter().map(|procedure| procedure.aliases.clone()).collect();
        Self { program, aliases, changed: BTreeSet::new() }
    }

    fn end(mut self) -> (Vec<Aliases>, BTreeSet<ProcedureId>) {
        let summaries = Summaries::new(self.program);
        let calls = call_sites(self.program).into_iter().filter(|call| self.may_join(call));
        let sites: Vec<Site> = calls
            .map(|call| {
                let in_call = ConflictsInCall::new(&summaries, self.program, &call);
                Site { handed: self.handed_over(&call), call, in_call }
            })
            .collect();
        sites.iter().for_each(|site| self.look_beyond(site));
        while sites.iter().fold(false, |is_new, site| self.look_at(site) | is_new) {}
        (self.aliases, self.changed)
    }

    /// Does the call hand over two variables, or one that the called procedure could know by another name?
    fn may_join(&self, site: &CallSite<'a>) -> bool {
        let caller = self.program.procedure(site.caller);
        let is_visible = |it: &Handed| {
            let actual = caller.symbol(caller.holder_of(it.actual));
            actual.target || actual.overlay.is_some() || !matches!(actual.storage, Storage::Local | Storage::Static)
        };
        let handed = self.handed_over(site);
        handed.len() > 1 || handed.iter().any(is_visible)
    }

    fn handed_over(&self, site: &CallSite<'a>) -> Vec<Handed<'a>> {
        let (caller, callee) = (self.program.procedure(site.caller), self.program.procedure(site.callee));
        let is_variable = |symbol: &Symbol| matches!(symbol.class, SymbolClass::Variable | SymbolClass::Unknown);
        let with_names = site.arguments.iter().zip(&callee.dummies).enumerate();
        let all = with_names.filter_map(|(position, (argument, &dummy))| {
            Some(Handed { position, argument, actual: argument.designated()?, dummy })
        });
        all.filter(|it| is_variable(caller.symbol(it.actual)) && is_variable(callee.symbol(it.dummy))).collect()
    }

    /// Notes which members of COMMON blocks the called procedure touches by arguments that are other members.
    fn look_beyond(&mut self, site: &Site<'_, 'a>) {
        let mut found = self.joined_in(site);
        for one in &site.handed {
            for place in site.in_call.places_beyond(one.position, one.actual) {
                found.put(one.dummy, &place);
            }
        }
        self.keep(site, found);
    }

    /// Notes what the call joins; says whether something is new.
    fn look_at(&mut self, site: &Site<'_, 'a>) -> bool {
        let Site { call, handed, in_call } = site;
        let caller = self.program.procedure(call.caller);
        let of_caller = Names { procedure: caller, aliases: &self.aliases[call.caller.0] };
        let mut found = self.joined_in(site);
        for (index, one) in handed.iter().enumerate() {
            for other in &handed[index + 1..] {
                let is_candidate = of_caller.share(one.actual, other.actual)
                    && !are_different_components(one.argument, other.argument)
                    && !found.are_joined(one.dummy, other.dummy);
                if is_candidate && in_call.between(one.position, other.position, one.actual == other.actual) {
                    found.join(one.dummy, other.dummy);
                }
            }
            let mut places = of_caller.places_of(one.actual);
            if caller.symbol(one.actual).class == SymbolClass::Unknown {
                places.extend(in_call.places());
            }
            for place in places {
                let is_named = caller.symbol(one.actual).is_at(&place);
                if !found.is_at(one.dummy, &place) && in_call.with_place(one.position, &place, is_named) {
                    found.put(one.dummy, &place);
                }
            }
            if of_caller.is_target(one.argument) && !found.is_target(one.dummy) && in_call.with_targets(one.position) {
                found.point_to(one.dummy);
            }
        }
        self.keep(site, found)
    }

    /// What is known of the called procedure's names so far.
    fn joined_in(&self, site: &Site<'_, 'a>) -> Joined<'a> {
        let Site { call, .. } = site;
        let span = self.program.procedure(call.caller).statement(call.statement).span;
        let aliases = self.aliases[call.callee.0].clone();
        Joined { callee: self.program.procedure(call.callee), aliases, call: span, is_new: false }
    }

    fn keep(&mut self, site: &Site<'_, 'a>, found: Joined<'a>) -> bool {
        if found.is_new {
            self.aliases[site.call.callee.0] = found.aliases;
            self.changed.insert(site.call.callee);
        }
        found.is_new
    }
}

/// A procedure with what is known of its names so far.
struct Names<'n> {
    procedure: &'n Procedure,
    aliases: &'n Aliases,
}

impl Names<'_> {
    fn share(&self, one: SymbolId, other: SymbolId) -> bool {
        let joined = || self.aliases.call_that_joins(self.procedure.holder_of(one), self.procedure.holder_of(other));
        let is_shared = may_share_memory(self.procedure, one, other) && !self.are_apart_as_arguments(one, other);
        is_shared || joined().is_some()
    }

    /// Does only that a Cray pointer may lead to much let them share memory? Then what is handed over is apart, as the language demands.
    fn are_apart_as_arguments(&self, one: SymbolId, other: SymbolId) -> bool {
        let [one, other] = [one, other].map(|id| self.procedure.symbol(self.procedure.holder_of(id)));
        let is_one = |pointer: &Symbol, symbol: &Symbol| {
            let is_overlaid = pointer.overlay.is_some() && pointer.overlay == symbol.overlay;
            pointer.storage == Storage::Pointer && symbol.only_addressed && !is_overlaid
        };
        is_one(one, other) || is_one(other, one)
    }

    /// The places (see [`Storage::Global`]) that the variable may be (a part of).
    fn places_of(&self, variable: SymbolId) -> BTreeSet<Place> {
        let id = self.procedure.holder_of(variable);
        let symbol = self.procedure.symbol(id);
        let mut places: BTreeSet<Place> = self.aliases.places_of(id).cloned().collect();
        places.extend(own_places(self.procedure, symbol));
        if let Some(overlay) = symbol.overlay {
            let mates = self.procedure.symbols.iter().filter(|mate| mate.overlay == Some(overlay));
            places.extend(mates.flat_map(|mate| own_places(self.procedure, mate)));
        }
        places
    }

    /// May a pointer lead to what the argument is?
    fn is_target(&self, argument: &Expression) -> bool {
        let Some(variable) = argument.designated() else { return false };
        let id = self.procedure.holder_of(variable);
        let is_pointer = |id: SymbolId| self.procedure.symbol(id).storage == Storage::Pointer;
        let symbol = self.procedure.symbol(id);
        matches!(argument.kind, ExpressionKind::Part { through_pointer: true, .. })
            || is_pointer(variable)
            || is_pointer(id)
            || symbol.class == SymbolClass::Unknown
            || symbol.target && symbol.place_inside.is_none()
            || self.aliases.targets().any(|dummy| dummy == id)
    }
}

/// Are they different components that one type declares, of whatever objects? Two objects of one type are the same or apart.
fn are_different_components(one: &Expression, other: &Expression) -> bool {
    let component = |part: &'_ Expression| match &part.kind {
        ExpressionKind::Part { component, through_pointer: false, .. } => component.as_deref().cloned(),
        _ => None,
    };
    match (component(one), component(other)) {
        (Some(one), Some(other)) => one.structure == other.structure && one.name != other.name,
        _ => false,
    }
}

/// The places by which other procedures know the variable.
fn own_places(procedure: &Procedure, symbol: &Symbol) -> Vec<Place> {
    let mut places: Vec<Place> = symbol.place.iter().chain(&symbol.place_inside).cloned().collect();
    match &symbol.storage {
        Storage::Global(place) => places.push(place.clone()),
        // What procedures inside this one call it, should they name it.
        _ if symbol.target => {
            places.push(Place::Host { host: procedure.name.as_str().into(), name: symbol.name.as_str().into() })
        }
        _ => {}
    }
    places
}

/// What a call joins.
struct Joined<'j> {
    callee: &'j Procedure,
    aliases: Aliases,
    call: Span,
    is_new: bool,
}

impl Joined<'_> {
    fn are_joined(&self, one: SymbolId, other: SymbolId) -> bool {
        self.aliases.call_that_joins(one, other).is_some()
    }

    fn is_at(&self, dummy: SymbolId, place: &Place) -> bool {
        self.aliases.places_of(dummy).any(|known| known == place)
    }

    fn is_target(&self, dummy: SymbolId) -> bool {
        self.aliases.targets().any(|known| known == dummy)
    }

    fn join(&mut self, one: SymbolId, other: SymbolId) {
        self.is_new |= self.aliases.add_pair(one, other, self.call);
    }

    /// The dummy argument may be at the place: it is one with all names that the procedure has for that.
    fn put(&mut self, dummy: SymbolId, place: &Place) {
        self.is_new |= self.aliases.add_place(dummy, place, self.call);
        for (index, symbol) in self.callee.symbols.iter().enumerate() {
            let is_it =
                symbol.class == SymbolClass::Variable && own_places(self.callee, symbol).iter().any(|own| own == place);
            if is_it && !self.callee.dummies.contains(&SymbolId(index)) {
                self.join(dummy, SymbolId(index));
            }
        }
    }

    fn point_to(&mut self, dummy: SymbolId) {
        self.is_new |= self.aliases.add_target(dummy, self.call);
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
