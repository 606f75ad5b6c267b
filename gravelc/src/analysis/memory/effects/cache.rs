//! The effects of a program's statements, each worked out once.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::summary::{KnownSummaries, Summaries};
use super::{Effects, Footprint, blocks_written_beyond, effects_with, handed_region};
use crate::analysis::facts::{Fact, Facts, Memo, Name, PerProcedure, PerStatement, SiteId};
use crate::analysis::program::order::is_over_before;
use crate::ir::{Expression, Operation, Place, ProcedureId, Region, StatementId, StatementKind, Storage, SymbolId};
use crate::mutations::Clause;

/// What is kept of effects.
struct Cache {
    effects: PerStatement<Effects>,
    effects_of_runs: PerProcedure<Box<Effects>>,
    footprints: PerStatement<Footprint>,
    rough_footprints: PerStatement<Footprint>,
    /// The statements that may write each variable by themselves.
    writers: Memo<Name, Rc<[StatementId]>>,
    summaries: Rc<KnownSummaries>,
}

impl Fact for Cache {
    fn of(facts: &Facts<'_>) -> Self {
        Self {
            effects: PerStatement::new(facts.program),
            effects_of_runs: PerProcedure::new(facts.program),
            footprints: PerStatement::new(facts.program),
            rough_footprints: PerStatement::new(facts.program),
            writers: Memo::default(),
            summaries: Rc::default(),
        }
    }
}

/// [`Facts::overrun_blocks`].
struct OverrunBlocks(BTreeSet<String>);

impl Fact for OverrunBlocks {
    fn of(facts: &Facts<'_>) -> Self {
        let statements = facts.program.procedures().flat_map(|(procedure, body)| {
            (0..body.statements.len()).map(move |index| (procedure, body, StatementId(index)))
        });
        let of_statement = |(procedure, body, statement)| {
            blocks_written_beyond(body, &facts.summaries(), statement, || facts.effects(procedure, statement))
        };
        Self(statements.flat_map(of_statement).collect())
    }
}

impl<'program> Facts<'program> {
    /// The effects of a statement with everything it contains.
    pub fn effects(&self, procedure: ProcedureId, statement: StatementId) -> &Effects {
        let work_out = || effects_with(&self.summaries(), self.procedure(procedure), &[statement]);
        self.get::<Cache>().effects.get(procedure, statement, work_out)
    }

    /// The effects of a run of the procedure, in terms of the values that variables have when it begins.
    pub fn effects_of_run(&self, procedure: ProcedureId) -> &Effects {
        let body = self.procedure(procedure);
        let work_out = || Box::new(effects_with(&self.summaries(), body, &body.body));
        self.get::<Cache>().effects_of_runs.get(procedure, work_out)
    }

    /// The variables that a statement by itself, without what it contains, may touch. MPI_FINALIZE counts as touching none:
    /// nothing may be on its way to a variable any more (MPI 4.1, 11.2.2).
    pub(in crate::analysis) fn footprint(&self, procedure: ProcedureId, statement: StatementId) -> &Footprint {
        self.get::<Cache>().footprints.get(procedure, statement, || {
            let body = self.procedure(procedure);
            match &body.statement(statement).kind {
                StatementKind::Communication(it) if matches!(it.operation, Operation::Finalize) => Footprint::default(),
                _ => Footprint::of(body, &self.summaries(), [statement]),
            }
        })
    }

    /// As [`Facts::footprint`], if nothing is known of what the statement calls.
    pub(in crate::analysis) fn rough_footprint(&self, procedure: ProcedureId, statement: StatementId) -> &Footprint {
        let work_out = || Footprint::of(self.procedure(procedure), &Summaries::none(), [statement]);
        self.get::<Cache>().rough_footprints.get(procedure, statement, work_out)
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
    pub fn writers(&self, procedure: ProcedureId, symbol: SymbolId) -> Rc<[StatementId]> {
        self.get::<Cache>().writers.get(&(procedure, symbol), || {
            let body = self.procedure(procedure);
            // What a called procedure does is only worked out where it matters.
            let may_write = |&statement: &StatementId| {
                self.rough_footprint(procedure, statement).may_write(body, symbol)
                    && self.footprint(procedure, statement).may_write(body, symbol)
            };
            (0..body.statements.len()).map(StatementId).filter(may_write).collect()
        })
    }

    /// What a call of the procedure has to do with others than whoever handed over its arguments, as the end of a sentence that begins
    /// with its name.
    pub fn reach_beyond_arguments(&self, procedure: ProcedureId) -> Option<String> {
        self.summaries().reach_beyond_arguments(procedure)
    }

    /// May a run of the procedure, or of what it calls, use the variable at this place (see [`crate::ir::Storage::Global`])?
    pub fn uses_place(&self, procedure: ProcedureId, place: &Place) -> bool {
        self.summaries().uses_place(procedure, place)
    }

    /// May a run of the procedure, or of what it calls, write the variable at this place?
    pub fn writes_place(&self, procedure: ProcedureId, place: &Place) -> bool {
        self.summaries().writes_place(procedure, place)
    }

    /// The variables that a call of `callee` by `caller` uses without that one having a name for them, each with whether it may be
    /// written.
    ///
    /// # Errors
    /// Why they are not all that it uses besides its arguments and what `caller` names, as the end of a sentence that begins with the
    /// procedure's name. That it communicates is no such reason if `may_communicate`.
    pub fn unnamed_places(
        &self,
        caller: ProcedureId,
        callee: ProcedureId,
        may_communicate: bool,
    ) -> Result<Vec<(Place, bool)>, String> {
        self.summaries().unnamed_places(self.procedure(caller), callee, may_communicate)
    }

    /// May the statement, by itself, touch memory to which pointers lead? Its accesses then need not name that.
    pub fn follows_pointers(&self, procedure: ProcedureId, statement: StatementId) -> bool {
        let body = self.procedure(procedure);
        let found = Footprint::of(body, &self.summaries(), [statement]);
        let is_pointer = |&symbol: &SymbolId| body.symbol(body.holder_of(symbol)).storage == Storage::Pointer;
        found.reads_targets
            || found.writes_targets
            || !found.objects_read.is_empty()
            || !found.objects_written.is_empty()
            || found.reads.iter().chain(&found.writes).any(is_pointer)
    }

    /// The memory of `caller` that a region of a procedure is which it calls with these arguments ([`handed_region`]).
    pub fn handed_region(
        &self,
        caller: ProcedureId,
        call: (ProcedureId, &[Expression]),
        region: &Region,
    ) -> Option<Region> {
        handed_region(self.procedure(caller), &self.summaries(), call, region)
    }

    /// What calls of the program's procedures do.
    pub(in crate::analysis) fn summaries(&self) -> Summaries<'program> {
        Summaries::kept(self.program, Rc::clone(&self.get::<Cache>().summaries))
    }

    /// The COMMON blocks of which some statement may write members that it does not name.
    pub fn overrun_blocks(&self) -> &BTreeSet<String> {
        &self.get::<OverrunBlocks>().0
    }
}
