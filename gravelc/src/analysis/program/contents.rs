//! What a program holds, by what is looked for: its calls of MPI, what names a variable, who calls a procedure.

use std::collections::BTreeMap;

use super::super::facts::{Fact, Facts, Name, PerProcedure, SiteId};
use super::calls::call_sites;
use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, Place, Procedure, ProcedureId, StatementId, StatementKind,
    Storage, SymbolClass, SymbolId,
};

/// For each variable the statements whose own expressions mention it, with how often they do.
type Mentions = BTreeMap<SymbolId, BTreeMap<StatementId, usize>>;

/// [`Facts::statements_in_order`].
struct InOrder(PerProcedure<Box<[StatementId]>>);

/// [`Facts::communications`].
struct Communications(Vec<SiteId>);

/// [`Facts::has_jumps`].
struct Jumps(PerProcedure<bool>);

/// [`Facts::mentions`].
struct AllMentions(PerProcedure<Mentions>);

/// [`Facts::calls_procedure`], of each statement.
struct Calling(PerProcedure<Box<[bool]>>);

/// [`Facts::calls_of`].
struct CallsOf(BTreeMap<ProcedureId, Vec<SiteId>>);

/// [`Facts::shared_names`].
struct SharedNames(BTreeMap<Place, Vec<Name>>);

/// [`Facts::component_uses`].
struct ComponentUses(BTreeMap<ComponentName, Vec<(SiteId, usize)>>);

impl Fact for InOrder {
    fn of(facts: &Facts<'_>) -> Self {
        Self(PerProcedure::new(facts.program))
    }
}

impl Fact for Communications {
    fn of(facts: &Facts<'_>) -> Self {
        let sites = facts.program.procedures().flat_map(|(procedure, _)| {
            facts.statements_in_order(procedure).iter().map(move |&statement| SiteId { procedure, statement })
        });
        Self(sites.filter(|&site| facts.communication(site).is_some()).collect())
    }
}

impl Fact for Jumps {
    fn of(facts: &Facts<'_>) -> Self {
        Self(PerProcedure::new(facts.program))
    }
}

impl Fact for AllMentions {
    fn of(facts: &Facts<'_>) -> Self {
        Self(PerProcedure::new(facts.program))
    }
}

impl Fact for Calling {
    fn of(facts: &Facts<'_>) -> Self {
        Self(PerProcedure::new(facts.program))
    }
}

impl Fact for CallsOf {
    fn of(facts: &Facts<'_>) -> Self {
        let mut calls: BTreeMap<ProcedureId, Vec<SiteId>> = BTreeMap::new();
        for call in call_sites(facts.program) {
            let site = SiteId { procedure: call.caller, statement: call.statement };
            calls.entry(call.callee).or_default().push(site);
        }
        Self(calls)
    }
}

impl Fact for SharedNames {
    fn of(facts: &Facts<'_>) -> Self {
        let mut names: BTreeMap<Place, Vec<Name>> = BTreeMap::new();
        for (id, procedure) in facts.program.procedures() {
            for (index, symbol) in procedure.symbols.iter().enumerate() {
                if let Some(place) = symbol.shared_variable() {
                    names.entry(place.clone()).or_default().push((id, SymbolId(index)));
                }
            }
        }
        Self(names)
    }
}

impl Fact for ComponentUses {
    fn of(facts: &Facts<'_>) -> Self {
        let mut uses: BTreeMap<ComponentName, BTreeMap<SiteId, usize>> = BTreeMap::new();
        for (procedure, body) in facts.program.procedures() {
            for statement in body.statements_in_order() {
                let expressions = body.statement(statement).kind.expressions();
                let parts = expressions.into_iter().flat_map(Expression::walk);
                for name in parts.filter_map(|part| component_of(body, part)) {
                    *uses.entry(name.clone()).or_default().entry(SiteId { procedure, statement }).or_default() += 1;
                }
            }
        }
        // An object may be anything to what was not understood.
        for (procedure, body) in facts.program.procedures() {
            for statement in body.statements_in_order() {
                if body.statement(statement).kind.unread().any(|unread| unread.names_objects) {
                    let site = SiteId { procedure, statement };
                    uses.values_mut().for_each(|sites| *sites.entry(site).or_default() += 1);
                }
            }
        }
        Self(uses.into_iter().map(|(name, sites)| (name, sites.into_iter().collect())).collect())
    }
}

impl Facts<'_> {
    /// The statements of the procedure, in the order of the source ([`Procedure::statements_in_order`]).
    pub fn statements_in_order(&self, procedure: ProcedureId) -> &[StatementId] {
        self.get::<InOrder>().0.get(procedure, || self.procedure(procedure).statements_in_order().into())
    }

    /// The calls of MPI in the order of the procedures, and in each in that of the source.
    pub fn communications(&self) -> &[SiteId] {
        &self.get::<Communications>().0
    }

    /// Does control jump to a statement of the procedure?
    pub fn has_jumps(&self, procedure: ProcedureId) -> bool {
        *self.get::<Jumps>().0.get(procedure, || {
            let body = self.procedure(procedure);
            self.statements_in_order(procedure).iter().any(|&id| body.statement(id).jump_target)
        })
    }

    /// The statements of the given files that call the procedure, once for each call.
    pub fn calls_of(&self, procedure: ProcedureId) -> &[SiteId] {
        self.get::<CallsOf>().0.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// The statements whose own expressions mention the variable, with how often they do.
    pub fn mentions(&self, procedure: ProcedureId, symbol: SymbolId) -> &BTreeMap<StatementId, usize> {
        static NONE: BTreeMap<StatementId, usize> = BTreeMap::new();
        let mentions = self.get::<AllMentions>().0.get(procedure, || mentions_in(self.procedure(procedure)));
        mentions.get(&symbol).unwrap_or(&NONE)
    }

    /// Does the statement itself call a procedure (rather than a function of the language without effects, or MPI)?
    pub fn calls_procedure(&self, site: SiteId) -> bool {
        let calling = self.get::<Calling>().0.get(site.procedure, || {
            let statements = &self.procedure(site.procedure).statements;
            statements.iter().map(|statement| calls_procedure(&statement.kind)).collect()
        });
        calling[site.statement.0]
    }

    /// The names that the program has for a variable of a module or of a COMMON block (see
    /// [`crate::ir::Symbol::shared_variable`]).
    pub fn shared_names(&self, place: &Place) -> &[Name] {
        self.get::<SharedNames>().0.get(place).map_or(&[], Vec::as_slice)
    }

    /// The statements of the program whose own expressions mention the component of whatever object, with how often they do.
    pub fn component_uses(&self, name: &ComponentName) -> &[(SiteId, usize)] {
        self.get::<ComponentUses>().0.get(name).map_or(&[], Vec::as_slice)
    }

    /// All names of the variable that `symbol` of `procedure` is: the one, or those of a shared variable.
    pub fn names_of(&self, procedure: ProcedureId, symbol: SymbolId) -> Vec<(ProcedureId, SymbolId)> {
        match self.procedure(procedure).symbol(symbol).shared_variable() {
            Some(place) => self.shared_names(place).to_vec(),
            None => vec![(procedure, symbol)],
        }
    }

    /// The name that `procedure` has for the variable that `symbol` of `other` is.
    pub fn name_in(&self, procedure: ProcedureId, other: ProcedureId, symbol: SymbolId) -> Option<SymbolId> {
        let names = self.names_of(other, symbol);
        names.into_iter().find(|(owner, _)| *owner == procedure).map(|(_, name)| name)
    }
}

/// The statements whose own expressions mention the variable, with how often they do; [`Facts::mentions`] keeps them.
pub fn mentions(procedure: &Procedure, symbol: SymbolId) -> BTreeMap<StatementId, usize> {
    mentions_in(procedure).remove(&symbol).unwrap_or_default()
}

/// Works out [`Facts::mentions`] for all variables of a procedure.
fn mentions_in(procedure: &Procedure) -> Mentions {
    let mut found = Mentions::new();
    for id in procedure.statements_in_order() {
        let expressions = procedure.statement(id).kind.expressions();
        for symbol in expressions.iter().flat_map(|expression| expression.walk()).filter_map(Expression::designated) {
            // A component is some of its object.
            let holder = procedure.symbol(symbol).holder();
            for symbol in std::iter::once(symbol).chain(holder) {
                *found.entry(symbol).or_default().entry(id).or_default() += 1;
            }
        }
        for symbol in procedure.statement(id).kind.unread().flat_map(|unread| &unread.variables) {
            *found.entry(*symbol).or_default().entry(id).or_default() += 1;
        }
    }
    found
}

/// [`Facts::calls_procedure`] keeps it.
fn calls_procedure(kind: &StatementKind) -> bool {
    let is_procedure = |callee: &Callee| !matches!(callee, Callee::PureIntrinsic(_));
    let is_call = |part: &Expression| matches!(&part.kind, ExpressionKind::Call { callee, .. } if is_procedure(callee));
    matches!(kind, StatementKind::Call { callee, .. } if is_procedure(callee))
        || kind.expressions().iter().flat_map(|expression| expression.walk()).any(is_call)
}

/// The component that an expression designates, or elements or some part of it.
pub fn component_of<'e>(procedure: &'e Procedure, expression: &'e Expression) -> Option<&'e ComponentName> {
    match &expression.kind {
        ExpressionKind::Part { component: Some(name), .. } => Some(&**name),
        _ => match &procedure.symbol(expression.designated()?).storage {
            Storage::Component { name, .. } => Some(name),
            _ => None,
        },
    }
}

/// Is the expression this constant of MPI (lower case)?
pub fn is_messaging_constant(procedure: &Procedure, expression: &Expression, name: &str) -> bool {
    match expression.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(id);
            symbol.class == SymbolClass::MessagingConstant && symbol.name == name
        }
        _ => false,
    }
}
