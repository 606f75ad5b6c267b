//! Procedures that are handed over by their names: as actual arguments, as targets of pointers.
//!
//! A reference through a dummy procedure or a procedure pointer (Fortran 2018, 15.4.2.2 and 15.5.2.9) calls one of them,
//! unless somebody outside of the given files handed over another one. Which those are is known once all procedures have been
//! lowered; those that contain such references are lowered again then ([`super::indirect_calls`]).
//!
//! For a dummy procedure only what the calls of its procedure hand over counts, where these are known: where the procedure
//! is not handed over itself. For a pointer everything does that is handed over anywhere.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::names::association::{Found, Scopes};
use super::super::names::intrinsics::is_pure_function;
use super::super::names::scope::{Meaning, Scope};
use super::super::names::units::{Source, UnitIndex, Units};
use super::generics::Candidate;
use super::lowering::Lowering;
use super::procedure::Lowered;
use super::symbols::NameUse;
use crate::ir::{
    Callee, Expression, ExpressionKind, Overridable, Procedure, ProcedureId, StatementKind, SymbolClass, SymbolId,
};

/// The procedure that associates a procedure pointer with what a pointer of C leads to (Fortran 2018, 18.2.3.4).
const C_POINTER: &str = "c_f_procpointer";

/// What a name that stands for a procedure hands over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandedOver {
    /// A procedure of the program.
    Given(ProcedureId),
    /// A procedure that was not given.
    NotGiven(String),
    /// An intrinsic function.
    Intrinsic(String),
    /// What the procedure was handed itself, as the dummy argument at this position.
    Argument(ProcedureId, usize),
    /// What a pointer is associated with.
    Target,
}

impl<'t> Lowering<'_, 't> {
    /// The symbol of the procedure `name`, which means this: whoever gets it can call it.
    pub fn handed_over_symbol(&mut self, name: &str, meaning: &NameUse) -> SymbolId {
        let symbol = self.procedure_symbol(name);
        let handed_over = match meaning {
            NameUse::Procedure(Callee::Procedure(id)) => vec![HandedOver::Given(*id)],
            NameUse::Procedure(Callee::Unknown(own)) => vec![HandedOver::NotGiven(own.clone())],
            NameUse::Procedure(Callee::PureIntrinsic(own)) => vec![HandedOver::Intrinsic(own.clone())],
            NameUse::Indirect => vec![self.scopes.place_of_procedure(self.sources, self.units, self.unit, name)],
            // The specific procedure of that name, or any.
            NameUse::Generic => match self.scopes.candidates(self.unit, name) {
                Some(candidates) => candidates.into_iter().filter_map(|it| of_candidate(it, name)).collect(),
                None => vec![HandedOver::NotGiven(name.to_string())],
            },
            _ => vec![HandedOver::Intrinsic(name.to_string())],
        };
        self.handed_over.entry(symbol).or_default().extend(handed_over);
        symbol
    }

    /// The procedures of the program of which an actual argument hands over one; `None` if it may be another one.
    pub fn handed_over_by(&self, argument: &Expression) -> Option<Vec<ProcedureId>> {
        let ExpressionKind::Symbol(symbol) = argument.kind else { return None };
        let given = self.handed_over.get(&symbol)?.iter().map(|it| match it {
            HandedOver::Given(id) => Some(*id),
            _ => None,
        });
        given.collect()
    }
}

fn of_candidate(candidate: Candidate, name: &str) -> Option<HandedOver> {
    match candidate {
        Candidate::Given(id) => Some(HandedOver::Given(id)),
        Candidate::External(own) | Candidate::Foreign(own) | Candidate::Library(own) => Some(HandedOver::NotGiven(own)),
        Candidate::IntrinsicFunction => Some(HandedOver::Intrinsic(name.to_string())),
        Candidate::IntrinsicSubroutine => Some(HandedOver::NotGiven(name.to_string())),
        Candidate::Constructor => None,
    }
}

impl Scopes<'_> {
    /// What the dummy procedure or pointer `name` of `unit` hands over.
    pub fn place_of_procedure(
        &self,
        sources: &[Source<'_>],
        units: &Units<'_>,
        unit: UnitIndex,
        name: &str,
    ) -> HandedOver {
        let Found::Entity { unit: owner, entity } = self.find(unit, name) else { return HandedOver::Target };
        let is_pointer = entity.attributes.pointer || !entity.attributes.dummy;
        let position = || units.all_dummy_names(sources, owner).iter().position(|dummy| *dummy == entity.name);
        match units.list[owner].procedure.filter(|_| !is_pointer).zip(position()) {
            Some((procedure, position)) => HandedOver::Argument(procedure, position),
            None => HandedOver::Target,
        }
    }

    /// The targets that pointers to procedures have from the beginning.
    fn initial_targets(&self) -> BTreeSet<HandedOver> {
        let mut targets = BTreeSet::new();
        for (unit, scope) in self.list.iter().enumerate() {
            for name in scope.iter().flat_map(|scope| &scope.procedure_targets) {
                targets.insert(match self.specific(unit, name) {
                    Some(id) => HandedOver::Given(id),
                    None => HandedOver::NotGiven(name.clone()),
                });
            }
        }
        let scopes = self.list.iter().flatten().chain(self.blocks.values());
        for (scope, name) in scopes.flat_map(|scope| scope.names_in_values.iter().map(move |name| (scope, name))) {
            targets.extend(self.procedure_in_value(scope, name));
        }
        targets
    }

    /// What `name` in the initial value of something in `scope` hands over, if it may be that of a procedure.
    fn procedure_in_value(&self, scope: &Scope<'_>, name: &str) -> Option<HandedOver> {
        let not_given = || Some(HandedOver::NotGiven(name.to_string()));
        match self.find_in(scope, name) {
            Found::Entity { entity, .. } => match entity.meaning {
                Meaning::Variable | Meaning::Constant(_) => None,
                _ if entity.attributes.intrinsic => Some(HandedOver::Intrinsic(name.to_string())),
                Meaning::Procedure(id) => Some(HandedOver::Given(id)),
                Meaning::External if !entity.attributes.pointer => match self.externals.get(name) {
                    Some(Some(given)) => Some(HandedOver::Given(*given)),
                    _ => not_given(),
                },
                Meaning::External | Meaning::SomeProcedure | Meaning::Foreign => not_given(),
            },
            Found::Unknown(_) | Found::Library { .. } => not_given(),
            Found::Nothing if is_pure_function(name) => Some(HandedOver::Intrinsic(name.to_string())),
            // Constants of standard modules, and the names of components.
            Found::Standard(_) | Found::Nothing => None,
        }
    }
}

/// All that is handed over in a program.
#[derive(Default)]
pub struct AllHandedOver {
    /// By whatever name, to whomever.
    anywhere: BTreeSet<HandedOver>,
    /// By the calls of a procedure, in the order of its dummy arguments; `None` for what can't be told.
    to: HashMap<ProcedureId, Vec<Vec<Option<BTreeSet<HandedOver>>>>>,
}

impl AllHandedOver {
    /// What the procedures of a program hand over.
    pub fn of(lowered: &[Lowered], scopes: &Scopes<'_>) -> Self {
        let mut all = Self { anywhere: scopes.initial_targets(), ..Self::default() };
        let calls_by_own_name = |kind: &StatementKind| matches!(kind, StatementKind::Call { callee: Callee::Unknown(name), .. } if name == C_POINTER);
        let statements = lowered.iter().flat_map(|lowered| &lowered.procedure.statements);
        let clauses = scopes.list.iter().flatten().flat_map(|scope| &scope.uses);
        let mut renamings = clauses.flat_map(|clause| &clause.names);
        let is_renamed = renamings.any(|(local, original)| original == C_POINTER && local != C_POINTER);
        if is_renamed || statements.into_iter().any(|statement| calls_by_own_name(&statement.kind)) {
            all.anywhere.insert(HandedOver::NotGiven("a procedure in C".to_string()));
        }
        for (caller, lowered) in lowered.iter().enumerate() {
            let itself = lowered.handed_over.values().flatten();
            all.anywhere.extend(itself.filter(|it| !is_place(it)).cloned());
            all.add_undeclared(scopes, lowered);
            all.add_calls(ProcedureId(caller), &lowered.procedure, &lowered.handed_over);
        }
        all
    }

    /// Adds what is handed over by names that only other references show to be those of procedures.
    fn add_undeclared(&mut self, scopes: &Scopes<'_>, lowered: &Lowered) {
        let procedure = &lowered.procedure;
        let statements = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
        for part in statements.flat_map(Expression::walk) {
            let ExpressionKind::Symbol(id) = part.kind else { continue };
            let symbol = procedure.symbol(id);
            let is_known = lowered.handed_over.contains_key(&id) || procedure.dummies.contains(&id);
            if symbol.class == SymbolClass::Procedure && !is_known {
                self.anywhere.insert(match scopes.externals.get(&symbol.name) {
                    Some(Some(given)) => HandedOver::Given(*given),
                    _ => HandedOver::NotGiven(symbol.name.clone()),
                });
            }
        }
    }

    fn add_calls(
        &mut self,
        caller: ProcedureId,
        procedure: &Procedure,
        handed_over: &BTreeMap<SymbolId, BTreeSet<HandedOver>>,
    ) {
        let mut add = |callee: &Callee, arguments: &[Expression]| {
            let callee = match callee {
                Callee::Procedure(id) => *id,
                Callee::Unknown(name) => match procedure.overridable_calls.get(name) {
                    Some(Overridable::Means(id)) => *id,
                    _ => return,
                },
                Callee::PureIntrinsic(_) => return,
            };
            let values = arguments.iter().map(|argument| of_argument(caller, procedure, handed_over, argument));
            self.to.entry(callee).or_default().push(values.collect());
        };
        for statement in &procedure.statements {
            if let StatementKind::Call { callee, arguments } = &statement.kind {
                add(callee, arguments);
            }
            for part in statement.kind.expressions().into_iter().flat_map(Expression::walk) {
                if let ExpressionKind::Call { callee, arguments } = &part.kind {
                    add(callee, arguments);
                }
            }
        }
        for part in procedure.evaluated_at_entry.iter().flat_map(Expression::walk) {
            if let ExpressionKind::Call { callee, arguments } = &part.kind {
                add(callee, arguments);
            }
        }
    }

    /// What a dummy procedure or a pointer may stand for, if all procedures that are handed over are in the files.
    pub fn behind(&self, place: &HandedOver) -> BTreeSet<HandedOver> {
        self.by_calls(place).unwrap_or_else(|| self.anywhere.clone())
    }

    /// What the known calls of the procedures hand over; `None` if that can't be told.
    fn by_calls(&self, place: &HandedOver) -> Option<BTreeSet<HandedOver>> {
        let mut found = BTreeSet::new();
        let mut seen: HashSet<&HandedOver> = HashSet::new();
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            match place {
                HandedOver::Argument(procedure, position) if seen.insert(place) => {
                    if self.anywhere.contains(&HandedOver::Given(*procedure)) {
                        return None;
                    }
                    for arguments in self.to.get(procedure).into_iter().flatten() {
                        if let Some(value) = arguments.get(*position) {
                            open.extend(value.as_ref()?);
                        }
                    }
                }
                HandedOver::Argument(..) => {}
                HandedOver::Target => return None,
                HandedOver::Given(_) | HandedOver::NotGiven(_) | HandedOver::Intrinsic(_) => {
                    found.insert(place.clone());
                }
            }
        }
        Some(found)
    }
}

fn is_place(handed_over: &HandedOver) -> bool {
    matches!(handed_over, HandedOver::Argument(..) | HandedOver::Target)
}

/// The procedures that an actual argument may be; `None` if that can't be told.
fn of_argument(
    caller: ProcedureId,
    procedure: &Procedure,
    handed_over: &BTreeMap<SymbolId, BTreeSet<HandedOver>>,
    argument: &Expression,
) -> Option<BTreeSet<HandedOver>> {
    match &argument.kind {
        // An optional argument that is missing.
        ExpressionKind::Computed(operands) if operands.is_empty() => Some(BTreeSet::new()),
        ExpressionKind::Symbol(symbol) => match handed_over.get(symbol) {
            Some(known) => Some(known.clone()),
            // A dummy argument of which nothing says whether it is a procedure.
            None => match procedure.dummies.iter().position(|dummy| dummy == symbol) {
                Some(position) => Some(BTreeSet::from([HandedOver::Argument(caller, position)])),
                None if procedure.symbol(*symbol).class == SymbolClass::Procedure => None,
                None => Some(BTreeSet::new()),
            },
        },
        _ => None,
    }
}
