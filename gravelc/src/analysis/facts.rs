//! What is known about a program: the place where analyses keep the answers that they have worked out.
//!
//! An answer is a type that implements [`Fact`]; [`Facts::get`] works it out when it is first asked for. This file names no
//! analysis: each says beside its own type what it keeps, mostly behind a method of [`Facts`] (`facts.effects(…)` stands in
//! `memory/effects/cache.rs`).

use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use elsa::FrozenMap;

use crate::ir::{Communication, Procedure, ProcedureId, Program, StatementId, StatementKind, SymbolId};

/// A statement of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement in it.
    pub statement: StatementId,
}

/// A name of a procedure.
pub type Name = (ProcedureId, SymbolId);

/// The answers about one program, worked out when they are first asked for.
pub struct Facts<'program> {
    /// The program.
    pub program: &'program Program,
    /// What was not given may not call what was, nor use the variables of its modules.
    pub is_closed: bool,
    known: FrozenMap<TypeId, Box<dyn Any>>,
}

/// An answer about a whole program, or a place for answers about parts of it.
pub trait Fact: 'static {
    /// Works it out.
    fn of(facts: &Facts<'_>) -> Self;
}

impl<'program> Facts<'program> {
    /// Nothing is worked out yet.
    pub fn new(program: &'program Program) -> Self {
        Self::of_world(program, false)
    }

    /// Nothing is worked out yet. In a closed world what was not given keeps to itself.
    pub fn of_world(program: &'program Program, is_closed: bool) -> Self {
        Self { program, is_closed, known: FrozenMap::new() }
    }

    /// The answer, worked out once.
    pub fn get<T: Fact>(&self) -> &T {
        let id = TypeId::of::<T>();
        let known = match self.known.get(&id) {
            Some(known) => known,
            None => {
                let found = Box::new(T::of(self));
                self.known.insert(id, found)
            }
        };
        known.downcast_ref().expect("it is kept under its type")
    }

    /// The procedure behind `id`.
    pub fn procedure(&self, id: ProcedureId) -> &'program Procedure {
        self.program.procedure(id)
    }

    /// The call of MPI at a site, if it is one.
    pub fn communication(&self, site: SiteId) -> Option<&'program Communication> {
        match &self.procedure(site.procedure).statement(site.statement).kind {
            StatementKind::Communication(communication) => Some(communication),
            _ => None,
        }
    }
}

/// Answers by what they are about.
#[derive(Debug)]
pub struct Memo<K, V>(RefCell<BTreeMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Ord + Clone, V: Clone> Memo<K, V> {
    /// The answer about `key`, worked out once; `work_out` may ask for others meanwhile.
    pub fn get(&self, key: &K, work_out: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.borrow().get(key) {
            return known.clone();
        }
        let found = work_out();
        self.0.borrow_mut().insert(key.clone(), found.clone());
        found
    }
}

/// An answer for each procedure.
#[derive(Debug)]
pub struct PerProcedure<T>(Vec<OnceCell<T>>);

impl<T> PerProcedure<T> {
    /// None is known yet.
    pub fn new(program: &Program) -> Self {
        Self(program.procedures.iter().map(|_| OnceCell::new()).collect())
    }

    /// That for a procedure, worked out once.
    pub fn get(&self, procedure: ProcedureId, work_out: impl FnOnce() -> T) -> &T {
        self.0[procedure.0].get_or_init(work_out)
    }
}

/// An answer for each statement of each procedure. Few are ever asked for: only those take room.
#[derive(Debug)]
pub struct PerStatement<T>(Vec<Vec<OnceCell<Box<T>>>>);

impl<T> PerStatement<T> {
    /// None is known yet.
    pub fn new(program: &Program) -> Self {
        let none = |procedure: &Arc<Procedure>| procedure.statements.iter().map(|_| OnceCell::new()).collect();
        Self(program.procedures.iter().map(none).collect())
    }

    /// That for a statement, worked out once.
    pub fn get(&self, procedure: ProcedureId, statement: StatementId, work_out: impl FnOnce() -> T) -> &T {
        self.0[procedure.0][statement.0].get_or_init(|| Box::new(work_out()))
    }
}
