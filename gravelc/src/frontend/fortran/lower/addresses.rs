//! Whose addresses a program may hold that has Cray pointers.
//!
//! A pointee is whatever lies at the address in its integer: of a variable by LOC, of a dummy argument, which is the caller's
//! variable, or from elsewhere. No attribute tells whose that is, and it stays good after the call in which it was taken. So here these
//! are targets:
//!
//! - what LOC or a call of MPI gives the address of, what the text of something names that was not understood, and what is handed to
//!   procedures that were not given, or to dummy arguments of which one of these holds; by all names that procedures have for it,
//! - with the language's rules for arguments ([`crate::ir::Symbol::only_addressed`]) all else that other procedures see.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Callee, Communication, Expression, ExpressionKind, Operation, Place, Procedure, StatementKind, Storage,
    SymbolClass, SymbolId,
};
use crate::mpi::properties::Property;
use crate::mutations::Clause;

/// Makes all variables targets to which a Cray pointer of the program may lead.
pub fn take_addresses(procedures: &mut [Procedure]) {
    if Clause::HeldAddresses.is_off() {
        return;
    }
    let taken = Taken::of(procedures).variables;
    for (index, procedure) in procedures.iter_mut().enumerate() {
        let memory: Vec<SymbolId> = (0..procedure.symbols.len())
            .map(SymbolId)
            .filter(|&id| {
                let symbol = procedure.symbol(id);
                symbol.class == SymbolClass::Variable && symbol.storage != Storage::Pointer
            })
            .collect();
        let is_own: Vec<bool> = memory.iter().map(|&id| is_own(procedure, procedure.holder_of(id))).collect();
        for (id, is_own) in memory.into_iter().zip(is_own) {
            let holder = procedure.holder_of(id);
            let symbol = &mut procedure.symbols[id.0];
            if taken.contains(&(index, holder)) {
                symbol.take_address();
            } else if !is_own {
                symbol.hold_address();
            }
        }
    }
}

/// Does no other procedure see the variable unless it is handed over?
fn is_own(procedure: &Procedure, id: SymbolId) -> bool {
    let symbol = procedure.symbol(id);
    match symbol.storage {
        Storage::Static | Storage::Local => symbol.place_inside.is_none() && !symbol.target,
        Storage::Allocatable => {
            let is_declared_here = symbol.declaration.is_some_and(|span| span.is_within(procedure.span));
            is_declared_here && symbol.place.is_none() && !procedure.dummies.contains(&id)
        }
        Storage::Dummy | Storage::Global(_) | Storage::Pointer | Storage::Component { .. } => false,
    }
}

/// A variable of a procedure, by the numbers of both.
type Variable = (usize, SymbolId);

/// The variables whose addresses the program takes.
struct Taken<'p> {
    procedures: &'p [Procedure],
    variables: BTreeSet<Variable>,
    /// What is handed to the dummy arguments of given procedures.
    handed: BTreeMap<Variable, BTreeSet<Variable>>,
    /// By which names procedures know what several see.
    names: BTreeMap<&'p Place, BTreeSet<Variable>>,
    pending: Vec<Variable>,
}

impl<'p> Taken<'p> {
    fn of(procedures: &'p [Procedure]) -> Self {
        let (variables, handed) = Default::default();
        let mut taken = Self { procedures, variables, handed, names: BTreeMap::new(), pending: Vec::new() };
        for (index, procedure) in procedures.iter().enumerate() {
            for (id, symbol) in procedure.symbols.iter().enumerate() {
                let places = symbol.known_place().into_iter().chain(&symbol.place_inside);
                for place in places {
                    taken.names.entry(place).or_default().insert((index, SymbolId(id)));
                }
            }
            taken.look_at(index);
        }
        while let Some(variable) = taken.pending.pop() {
            let (index, id) = variable;
            let symbol = taken.procedures[index].symbol(id);
            let mut others: BTreeSet<Variable> = taken.handed.remove(&variable).unwrap_or_default();
            for place in symbol.known_place().into_iter().chain(&symbol.place_inside) {
                others.extend(taken.names.get(place).into_iter().flatten());
            }
            let overlay = symbol.overlay;
            let is_overlaid = |mate: &SymbolId| taken.procedures[index].symbol(*mate).overlay == overlay;
            let all = 0..if overlay.is_some() { taken.procedures[index].symbols.len() } else { 0 };
            others.extend(all.map(SymbolId).filter(is_overlaid).map(|mate| (index, mate)));
            others.into_iter().for_each(|(index, id)| taken.take(index, id));
        }
        taken
    }

    fn take(&mut self, index: usize, id: SymbolId) {
        let variable = (index, self.procedures[index].holder_of(id));
        if self.variables.insert(variable) {
            self.pending.push(variable);
        }
    }

    fn look_at(&mut self, index: usize) {
        let procedure = &self.procedures[index];
        if procedure.untouchable.is_some() {
            // What it does to its arguments is not known in full.
            procedure.dummies.iter().for_each(|&dummy| self.take(index, dummy));
        }
        for statement in &procedure.statements {
            match &statement.kind {
                StatementKind::Call { callee, arguments } => self.hand(index, callee, arguments),
                StatementKind::Communication(communication) => {
                    self.take_all(index, addressed(communication));
                }
                _ => {}
            }
            statement.kind.unread().flat_map(|unread| &unread.variables).for_each(|&id| self.take(index, id));
        }
        let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
        for part in expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk) {
            if let ExpressionKind::Call { callee, arguments } = &part.kind {
                self.hand(index, callee, arguments);
            }
        }
    }

    fn hand(&mut self, index: usize, callee: &Callee, arguments: &[Expression]) {
        match callee {
            Callee::PureIntrinsic(name) if !matches!(name.as_str(), "loc" | "c_loc") => {}
            Callee::PureIntrinsic(_) | Callee::Unknown(_) => self.take_all(index, arguments),
            Callee::Procedure(callee) => {
                let dummies = &self.procedures[callee.0].dummies;
                for (argument, &dummy) in arguments.iter().zip(dummies) {
                    let Some(id) = argument.designated() else { continue };
                    let variable = (index, self.procedures[index].holder_of(id));
                    self.handed.entry((callee.0, dummy)).or_default().insert(variable);
                }
            }
        }
    }

    fn take_all(&mut self, index: usize, arguments: &[Expression]) {
        arguments.iter().filter_map(Expression::designated).for_each(|id| self.take(index, id));
    }
}

/// What a call of MPI may give the address of: memory of windows and of buffers that are attached, too.
fn addressed(communication: &Communication) -> &[Expression] {
    match &communication.operation {
        Operation::Inquiry { reads, .. } if Property::GivesAddress.holds_of(&communication.routine) => reads,
        Operation::Other { arguments, .. } => arguments,
        _ => &[],
    }
}
