//! What is known about a program: the place where analyses keep the answers they have worked out.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use crate::ir::{
    Callee, Communication, ComponentName, Expression, ExpressionKind, Operation, Procedure, ProcedureId, Program,
    StatementId, StatementKind, Storage, SymbolClass, SymbolId,
};

use super::calls::{OtherCallers, call_sites};
use super::computation::Computation;
use super::creations::Creations;
use super::datatypes::MadeDatatypes;
use super::effect_order::is_unnoticed;
use super::effects::{Effects, Footprint, Summaries, blocks_written_beyond, effects_with};
use super::followed_requests::NotFollowed;
use super::handed_variables::HandedVariables;
use super::open_world::OpenWorld;
use super::order::is_over_before;
use super::outside::Outside;
use super::requests::{RequestEvents, RequestVariable};
use super::requests_in_objects::ObjectObstacles;
use super::values::{Value, Values};
use crate::mutations::Clause;

/// A statement of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement in it.
    pub statement: StatementId,
}

/// The answers about one program, worked out when they are first asked for.
pub struct Facts<'program> {
    /// The program.
    pub program: &'program Program,
    is_closed: bool,
    effects: PerStatement<Effects>,
    effects_of_runs: Vec<OnceCell<Box<Effects>>>,
    footprints: PerStatement<Footprint>,
    rough_footprints: PerStatement<Footprint>,
    /// The statements that may write each variable by themselves.
    writers: RefCell<BTreeMap<Name, Rc<[StatementId]>>>,
    summaries: Summaries<'program>,
    values: OnceCell<Values>,
    creations: OnceCell<Creations>,
    made_datatypes: OnceCell<MadeDatatypes>,
    /// Per procedure: the statements whose own expressions mention each variable.
    mentions: Vec<OnceCell<Mentions>>,
    calling: Vec<OnceCell<Box<[bool]>>>,
    shared_names: OnceCell<BTreeMap<String, Vec<(ProcedureId, SymbolId)>>>,
    component_uses: OnceCell<BTreeMap<ComponentName, Vec<(SiteId, usize)>>>,
    /// Why requests in components can't be followed.
    object_obstacles: ObjectObstacles,
    handed_variables: HandedVariables,
    other_callers: OnceCell<Rc<OtherCallers>>,
    /// The calls of each procedure.
    calls: OnceCell<BTreeMap<ProcedureId, Vec<SiteId>>>,
    keeps_order: OnceCell<bool>,
    overrun_blocks: OnceCell<BTreeSet<String>>,
    computation: OnceCell<Computation>,
    in_order: Vec<OnceCell<Box<[StatementId]>>>,
    has_jumps: Vec<OnceCell<bool>>,
    communications: OnceCell<Vec<SiteId>>,
    completed_posts: RefCell<HashMap<SiteId, Rc<[SiteId]>>>,
    request_events: RefCell<HashMap<Name, Rc<RequestEvents>>>,
    released_early: OnceCell<Option<(SiteId, Vec<SiteId>)>>,
    /// The statements that name each request variable, with how often they do.
    request_uses: RefCell<BTreeMap<RequestVariable, Uses>>,
    /// The posts into each request variable.
    posts_into: RefCell<BTreeMap<RequestVariable, Rc<[SiteId]>>>,
    posts_not_followed: OnceCell<Vec<SiteId>>,
    not_followed: RefCell<BTreeMap<RequestVariable, Option<NotFollowed>>>,
}

/// An answer for each statement of each procedure. Few are ever asked for: only those take room.
struct PerStatement<T>(Vec<Vec<OnceCell<Box<T>>>>);

impl<T> PerStatement<T> {
    fn of(program: &Program) -> Self {
        let none = |procedure: &Arc<Procedure>| procedure.statements.iter().map(|_| OnceCell::new()).collect();
        Self(program.procedures.iter().map(none).collect())
    }

    fn get_or_init(&self, procedure: ProcedureId, statement: StatementId, work_out: impl FnOnce() -> T) -> &T {
        self.0[procedure.0][statement.0].get_or_init(|| Box::new(work_out()))
    }
}

/// Statements that name a variable, with how often they do.
type Uses = Rc<[(SiteId, usize)]>;

/// A name of a procedure.
pub(super) type Name = (ProcedureId, SymbolId);

/// For each variable the statements whose own expressions mention it, with how often they do.
type Mentions = BTreeMap<SymbolId, BTreeMap<StatementId, usize>>;

impl<'program> Facts<'program> {
    /// Nothing is worked out yet.
    pub fn new(program: &'program Program) -> Self {
        Self::with_outside(Outside { program, is_closed: false })
    }

    /// Nothing is worked out yet; what was not given may keep to itself.
    pub fn with_outside(outside: Outside<'program>) -> Self {
        let program = outside.program;
        let summaries = Summaries::new(program);
        Self {
            program,
            is_closed: outside.is_closed,
            effects: PerStatement::of(program),
            effects_of_runs: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            footprints: PerStatement::of(program),
            rough_footprints: PerStatement::of(program),
            writers: RefCell::default(),
            summaries,
            values: OnceCell::new(),
            creations: OnceCell::new(),
            made_datatypes: OnceCell::new(),
            mentions: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            calling: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            shared_names: OnceCell::new(),
            component_uses: OnceCell::new(),
            object_obstacles: ObjectObstacles::default(),
            handed_variables: RefCell::default(),
            other_callers: OnceCell::new(),
            calls: OnceCell::new(),
            keeps_order: OnceCell::new(),
            overrun_blocks: OnceCell::new(),
            computation: OnceCell::new(),
            in_order: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            has_jumps: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            communications: OnceCell::new(),
            completed_posts: RefCell::default(),
            request_events: RefCell::default(),
            released_early: OnceCell::new(),
            request_uses: RefCell::default(),
            posts_into: RefCell::default(),
            posts_not_followed: OnceCell::new(),
            not_followed: RefCell::default(),
        }
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

    /// The statements of the procedure, in the order of the source ([`Procedure::statements_in_order`]).
    pub fn statements_in_order(&self, procedure: ProcedureId) -> &[StatementId] {
        self.in_order[procedure.0].get_or_init(|| self.procedure(procedure).statements_in_order().into())
    }

    /// The calls of MPI in the order of the procedures, and in each in that of the source.
    pub fn communications(&self) -> &[SiteId] {
        self.communications.get_or_init(|| {
            let sites = self.program.procedures().flat_map(|(procedure, _)| {
                self.statements_in_order(procedure).iter().map(move |&statement| SiteId { procedure, statement })
            });
            sites.filter(|&site| self.communication(site).is_some()).collect()
        })
    }

    /// Does control jump to a statement of the procedure?
    pub(super) fn has_jumps(&self, procedure: ProcedureId) -> bool {
        *self.has_jumps[procedure.0].get_or_init(|| {
            let body = self.procedure(procedure);
            self.statements_in_order(procedure).iter().any(|&id| body.statement(id).jump_target)
        })
    }

    /// Which posts a call completes ([`super::requests::posts_completed_at`]), worked out once.
    pub(super) fn completed_posts(&self, site: SiteId, work_out: impl FnOnce() -> Vec<SiteId>) -> Rc<[SiteId]> {
        if let Some(known) = self.completed_posts.borrow().get(&site) {
            return Rc::clone(known);
        }
        let found: Rc<[SiteId]> = work_out().into();
        self.completed_posts.borrow_mut().insert(site, Rc::clone(&found));
        found
    }

    /// What the procedure does with the requests in a variable.
    pub(super) fn request_events(&self, procedure: ProcedureId, symbol: SymbolId) -> Rc<RequestEvents> {
        if let Some(known) = self.request_events.borrow().get(&(procedure, symbol)) {
            return Rc::clone(known);
        }
        let found = Rc::new(RequestEvents::of(self, procedure, symbol));
        self.request_events.borrow_mut().insert((procedure, symbol), Rc::clone(&found));
        found
    }

    /// The statements that name the variable ([`RequestVariable::uses`]), worked out once.
    pub(super) fn request_uses(
        &self,
        variable: &RequestVariable,
        work_out: impl FnOnce() -> Vec<(SiteId, usize)>,
    ) -> Uses {
        if let Some(known) = self.request_uses.borrow().get(variable) {
            return Rc::clone(known);
        }
        let found: Uses = work_out().into();
        self.request_uses.borrow_mut().insert(variable.clone(), Rc::clone(&found));
        found
    }

    /// The posts whose requests go to the variable ([`super::requests::posts_into`]).
    pub(super) fn posts_into(
        &self,
        variable: &RequestVariable,
        work_out: impl FnOnce() -> Vec<SiteId>,
    ) -> Rc<[SiteId]> {
        if let Some(known) = self.posts_into.borrow().get(variable) {
            return Rc::clone(known);
        }
        let found: Rc<[SiteId]> = work_out().into();
        self.posts_into.borrow_mut().insert(variable.clone(), Rc::clone(&found));
        found
    }

    /// The posts whose requests are not followed, worked out once.
    pub(super) fn posts_not_followed(&self, work_out: impl FnOnce() -> Vec<SiteId>) -> &[SiteId] {
        self.posts_not_followed.get_or_init(work_out)
    }

    /// Why a request variable is not followed ([`super::followed_requests`]).
    pub(super) fn not_followed(
        &self,
        variable: &RequestVariable,
        work_out: impl FnOnce() -> Option<NotFollowed>,
    ) -> Option<NotFollowed> {
        if let Some(known) = self.not_followed.borrow().get(variable) {
            return known.clone();
        }
        let found = work_out();
        self.not_followed.borrow_mut().insert(variable.clone(), found.clone());
        found
    }

    /// The first release of a request, and the sends that may be released before they are over (`transform::released_sends`),
    /// worked out once.
    pub(crate) fn released_early(
        &self,
        work_out: impl FnOnce() -> Option<(SiteId, Vec<SiteId>)>,
    ) -> Option<&(SiteId, Vec<SiteId>)> {
        self.released_early.get_or_init(work_out).as_ref()
    }

    /// The effects of a statement with everything it contains.
    pub fn effects(&self, procedure: ProcedureId, statement: StatementId) -> &Effects {
        let work_out = || effects_with(&self.summaries, self.procedure(procedure), &[statement]);
        self.effects.get_or_init(procedure, statement, work_out)
    }

    /// The effects of a run of the procedure, in terms of the values that variables have when it begins.
    pub(super) fn effects_of_run(&self, procedure: ProcedureId) -> &Effects {
        let body = self.procedure(procedure);
        self.effects_of_runs[procedure.0].get_or_init(|| Box::new(effects_with(&self.summaries, body, &body.body)))
    }

    /// The variables that a statement by itself, without what it contains, may touch. MPI_FINALIZE counts as touching none:
    /// nothing may be on its way to a variable any more (MPI 4.1, 11.2.2).
    pub(super) fn footprint(&self, procedure: ProcedureId, statement: StatementId) -> &Footprint {
        self.footprints.get_or_init(procedure, statement, || {
            let body = self.procedure(procedure);
            match &body.statement(statement).kind {
                StatementKind::Communication(it) if matches!(it.operation, Operation::Finalize) => Footprint::default(),
                _ => Footprint::of(body, &self.summaries, [statement]),
            }
        })
    }

    /// As [`Facts::footprint`], if nothing is known of what the statement calls.
    pub(super) fn rough_footprint(&self, procedure: ProcedureId, statement: StatementId) -> &Footprint {
        let work_out = || Footprint::of(self.procedure(procedure), &Summaries::none(), [statement]);
        self.rough_footprints.get_or_init(procedure, statement, work_out)
    }

    /// In one run of the procedure: does the variable keep its value once the statement has begun?
    pub fn is_settled(&self, site: SiteId, symbol: SymbolId) -> bool {
        let body = self.procedure(site.procedure);
        Clause::SettledValues.is_off()
            || self.writers(site.procedure, symbol).iter().all(|&other| is_over_before(body, other, site.statement))
    }

    /// In one run of the procedure: once `later` has begun, does `earlier` certainly not begin any more?
    pub fn is_over_before(&self, procedure: ProcedureId, earlier: StatementId, later: StatementId) -> bool {
        is_over_before(self.procedure(procedure), earlier, later)
    }

    /// The statements of the procedure that may write the variable by themselves.
    pub(super) fn writers(&self, procedure: ProcedureId, symbol: SymbolId) -> Rc<[StatementId]> {
        if let Some(known) = self.writers.borrow().get(&(procedure, symbol)) {
            return Rc::clone(known);
        }
        let body = self.procedure(procedure);
        // What a called procedure does is only worked out where it matters.
        let may_write = |&statement: &StatementId| {
            self.rough_footprint(procedure, statement).may_write(body, symbol)
                && self.footprint(procedure, statement).may_write(body, symbol)
        };
        let found: Rc<[StatementId]> = (0..body.statements.len()).map(StatementId).filter(may_write).collect();
        self.writers.borrow_mut().insert((procedure, symbol), Rc::clone(&found));
        found
    }

    /// What is outside of the given files.
    pub fn outside(&self) -> Outside<'program> {
        Outside { program: self.program, is_closed: self.is_closed }
    }

    /// The statements of the given files that call the procedure, once for each call.
    pub fn calls_of(&self, procedure: ProcedureId) -> &[SiteId] {
        let calls = self.calls.get_or_init(|| {
            let mut calls: BTreeMap<ProcedureId, Vec<SiteId>> = BTreeMap::new();
            for call in call_sites(self.program) {
                let site = SiteId { procedure: call.caller, statement: call.statement };
                calls.entry(call.callee).or_default().push(site);
            }
            calls
        });
        calls.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// Who else could call the procedures of the program.
    pub(super) fn other_callers(&self) -> &Rc<OtherCallers> {
        self.other_callers.get_or_init(|| Rc::new(OtherCallers::of(self.outside())))
    }

    /// What calls of the program's procedures do.
    pub(super) fn summaries(&self) -> &Summaries<'program> {
        &self.summaries
    }

    /// Does nothing but [these statements](Self::calls_of) call the procedure?
    pub fn calls_are_known(&self, procedure: ProcedureId) -> bool {
        self.other_callers().callers_are_known(procedure)
    }

    /// Is nothing outside of the given files that could call their procedures or use variables of their modules?
    pub fn is_closed_world(&self) -> bool {
        self.open_world().is_none()
    }

    /// What leads out of the given files; nothing if they are the whole program.
    pub fn open_world(&self) -> Option<&OpenWorld> {
        self.other_callers().open_world.as_ref()
    }

    /// Can nobody notice in which order the processes receive and send what is independent ([`super::effect_order`])?
    pub fn keeps_order_to_itself(&self) -> bool {
        *self.keeps_order.get_or_init(|| is_unnoticed(self))
    }

    /// Is there computation in the statement, beside which a message can travel?
    pub fn computes(&self, site: SiteId) -> bool {
        self.computation().is_in(self.procedure(site.procedure), site.statement)
    }

    /// Does the statement wait for a message, itself or in what it calls?
    pub fn waits_for_messages(&self, site: SiteId) -> bool {
        self.computation().waits_in(self.procedure(site.procedure), site.statement)
    }

    fn computation(&self) -> &Computation {
        self.computation.get_or_init(|| Computation::of(self.program))
    }

    /// The COMMON blocks of which some statement may write members that it does not name.
    pub(super) fn overrun_blocks(&self) -> &BTreeSet<String> {
        self.overrun_blocks.get_or_init(|| {
            let statements = self.program.procedures().flat_map(|(procedure, body)| {
                (0..body.statements.len()).map(move |index| (procedure, body, StatementId(index)))
            });
            let of_statement = |(procedure, body, statement)| {
                blocks_written_beyond(body, &self.summaries, statement, || self.effects(procedure, statement))
            };
            statements.flat_map(of_statement).collect()
        })
    }

    /// What the variables of the program can hold.
    pub fn values(&self) -> &Values {
        self.values.get_or_init(|| Values::of(self))
    }

    /// What the expression can have as its value wherever the procedure evaluates it.
    pub fn value(&self, procedure: ProcedureId, expression: &Expression) -> Value {
        self.values().of_expression(self.program, procedure, expression)
    }

    /// What the datatypes may reach that the program makes.
    pub(super) fn made_datatypes(&self) -> &MadeDatatypes {
        self.made_datatypes.get_or_init(|| MadeDatatypes::of(self))
    }

    /// Which of the program's own communicators could be the same.
    pub fn creations(&self) -> &Creations {
        self.creations.get_or_init(|| Creations::of(self.program, self.values()))
    }

    /// The statements whose own expressions mention the variable, with how often they do.
    pub fn mentions(&self, procedure: ProcedureId, symbol: SymbolId) -> &BTreeMap<StatementId, usize> {
        static NONE: BTreeMap<StatementId, usize> = BTreeMap::new();
        let mentions = self.mentions[procedure.0].get_or_init(|| mentions_in(self.procedure(procedure)));
        mentions.get(&symbol).unwrap_or(&NONE)
    }

    /// Does the statement itself call a procedure (rather than a function of the language without effects, or MPI)?
    pub fn calls_procedure(&self, site: SiteId) -> bool {
        let calling = self.calling[site.procedure.0].get_or_init(|| {
            let statements = &self.procedure(site.procedure).statements;
            statements.iter().map(|statement| calls_procedure(&statement.kind)).collect()
        });
        calling[site.statement.0]
    }

    /// The names that the program has for a variable of a module or of a COMMON block (see
    /// [`crate::ir::Symbol::shared_variable`]).
    pub fn shared_names(&self, place: &str) -> &[(ProcedureId, SymbolId)] {
        let names = self.shared_names.get_or_init(|| {
            let mut names: BTreeMap<String, Vec<(ProcedureId, SymbolId)>> = BTreeMap::new();
            for (id, procedure) in self.program.procedures() {
                for (index, symbol) in procedure.symbols.iter().enumerate() {
                    if let Some(place) = symbol.shared_variable() {
                        names.entry(place.to_owned()).or_default().push((id, SymbolId(index)));
                    }
                }
            }
            names
        });
        names.get(place).map_or(&[], Vec::as_slice)
    }

    /// The statements of the program whose own expressions mention the component of whatever object, with how often they do.
    pub fn component_uses(&self, name: &ComponentName) -> &[(SiteId, usize)] {
        let uses = self.component_uses.get_or_init(|| {
            let mut uses: BTreeMap<ComponentName, BTreeMap<SiteId, usize>> = BTreeMap::new();
            for (procedure, body) in self.program.procedures() {
                for statement in body.statements_in_order() {
                    let expressions = body.statement(statement).kind.expressions();
                    let parts = expressions.into_iter().flat_map(Expression::walk);
                    for name in parts.filter_map(|part| component_of(body, part)) {
                        *uses.entry(name.clone()).or_default().entry(SiteId { procedure, statement }).or_default() += 1;
                    }
                }
            }
            // An object may be anything to what was not understood.
            for (procedure, body) in self.program.procedures() {
                for statement in body.statements_in_order() {
                    if body.statement(statement).kind.unread().any(|unread| unread.names_objects) {
                        let site = SiteId { procedure, statement };
                        uses.values_mut().for_each(|sites| *sites.entry(site).or_default() += 1);
                    }
                }
            }
            uses.into_iter().map(|(name, sites)| (name, sites.into_iter().collect())).collect()
        });
        uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// All names of the variable that `symbol` of `procedure` is: the one, or those of a shared variable.
    pub fn names_of(&self, procedure: ProcedureId, symbol: SymbolId) -> Vec<(ProcedureId, SymbolId)> {
        match self.procedure(procedure).symbol(symbol).shared_variable() {
            Some(place) => self.shared_names(place).to_vec(),
            None => vec![(procedure, symbol)],
        }
    }

    /// What is known of the objects that hold requests.
    pub(super) fn object_obstacles(&self) -> &ObjectObstacles {
        &self.object_obstacles
    }

    /// What is known of the variables behind dummy arguments.
    pub(super) fn handed_variables(&self) -> &HandedVariables {
        &self.handed_variables
    }

    /// The name that `procedure` has for the variable that `symbol` of `other` is.
    pub fn name_in(&self, procedure: ProcedureId, other: ProcedureId, symbol: SymbolId) -> Option<SymbolId> {
        let names = self.names_of(other, symbol);
        names.into_iter().find(|(owner, _)| *owner == procedure).map(|(_, name)| name)
    }

    /// The value that an integer expression has wherever it is evaluated in the procedure, if there is one: its
    /// variables are only ever assigned one constant.
    pub fn constant_value(&self, procedure: ProcedureId, expression: &Expression) -> Option<i64> {
        match expression.kind {
            ExpressionKind::Integer(value) => Some(value),
            _ => self.value(procedure, expression).as_integer(),
        }
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
