//! The state while one function is lowered, and how statements are put into blocks.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::jumps::Jumps;
use super::places::Places;
use super::sequencing::Hoisted;
use super::statements::JumpTarget;
use crate::frontend::c::points_to::OfUnit;
use crate::frontend::c::unit::{self, ExpressionId, Function, Unit};
use crate::ir::{Block, ProcedureId, Room, Span, Statement, StatementId, StatementKind, Symbol, SymbolId, Untouchable};

/// What all functions of a unit need.
pub struct Input<'u> {
    /// The unit.
    pub unit: &'u Unit,
    /// Its text.
    pub text: &'u [u8],
    /// Where that is.
    pub places: Places<'u>,
    /// The procedures that its own functions are.
    pub own: HashMap<unit::SymbolId, ProcedureId>,
    /// The procedures of the whole program with external linkage; none where two have a name.
    pub external: &'u HashMap<String, Option<ProcedureId>>,
    /// What its pointers may lead to.
    pub points: &'u OfUnit,
    /// The procedures that calls through pointers may call, by what says which one; where it is missing, that is not known.
    pub called: HashMap<ExpressionId, Vec<ProcedureId>>,
    /// Has the program no files in other languages?
    pub is_in_c_alone: bool,
    /// The functions that, as handlers of signals, do nothing that others would notice.
    pub quiet_handlers: &'u HashSet<ProcedureId>,
    /// The functions with which MPI may reduce as with its own.
    pub plain_reductions: &'u HashSet<ProcedureId>,
    /// The names that are macros without parameters somewhere in the unit.
    pub replaced: HashSet<&'u str>,
    /// Streams may have been given memory of the program.
    pub streams_have_memory: bool,
    /// The objects that pointers may lead to.
    pub taken: HashSet<unit::SymbolId>,
    /// Behind which byte of the file MPI's header is included by itself.
    pub includes_behind: Option<usize>,
    /// Several threads may run its functions: where that is said.
    pub left_alone: Option<Untouchable>,
}

/// A function that is being lowered.
pub struct Lowering<'u> {
    /// What all functions of the unit need.
    pub input: &'u Input<'u>,
    /// The unit.
    pub unit: &'u Unit,
    /// The function.
    pub function: &'u Function,
    /// The names of the procedure.
    pub symbols: Vec<Symbol>,
    /// Those of the unit's symbols.
    pub by_symbol: HashMap<unit::SymbolId, SymbolId>,
    /// What the function's pointers lead to.
    pub pointees: HashMap<unit::SymbolId, SymbolId>,
    /// The constants of MPI.
    pub constants: HashMap<String, SymbolId>,
    /// The functions of the program that MPI is handed.
    pub handed_functions: HashMap<SymbolId, ProcedureId>,
    /// What stands for memory that no name of the function leads to.
    pub anywhere: Option<SymbolId>,
    /// What stands for memory in these objects that no name of the function leads to.
    pub in_objects: HashMap<Vec<u32>, SymbolId>,
    /// The function's result.
    pub result: Option<SymbolId>,
    /// All statements.
    pub statements: Vec<Statement>,
    /// The block that statements are put into, and the statement that holds it.
    pub block: Block,
    /// See `block`.
    pub parent: Option<StatementId>,
    /// The statement inside which names that are declared mean something.
    pub scope: Option<StatementId>,
    /// Where names are declared that have been met.
    pub scopes: HashMap<unit::SymbolId, StatementId>,
    /// Where `break` and `continue` go.
    pub targets: Vec<JumpTarget>,
    /// The functions that the call of MPI at hand lets MPI call; `None` if there may be others.
    pub called_back_by_messaging: Option<Vec<ProcedureId>>,
    /// Labels, and what leads to them.
    pub jumps: Jumps,
    /// Parts of the expression at hand that become statements of their own.
    pub hoisted: Hoisted,
    /// What happens behind the statement at hand; none where nothing can follow it.
    pub behind: Option<Vec<(unit::SymbolId, i64)>>,
    /// The span of statements that come of parts of the one at hand.
    pub carrier: Span,
    /// The names under which functions are called that are not known.
    pub indirect_names: BTreeSet<String>,
    /// The functions that the text names.
    pub named: BTreeSet<(ProcedureId, crate::ir::Span)>,
    /// Why nothing in the function may be touched.
    pub untouchable: Option<Untouchable>,
}

impl<'u> Lowering<'u> {
    /// Where a range of the text is.
    pub fn span(&self, range: &unit::Span) -> Span {
        self.input.places.span(range)
    }

    /// Where an expression is.
    pub fn span_of(&self, id: ExpressionId) -> Span {
        self.span(&self.unit.expression(id).range)
    }

    /// Puts a statement at the end of the block.
    pub fn add(&mut self, kind: StatementKind, span: Span) -> StatementId {
        let id = StatementId(self.statements.len());
        let is_labelled = self.jumps.arrive(id);
        // What is put in front of it would stand behind its label.
        let room = if is_labelled { Room::Inside } else { Room::OwnLines };
        let statement = Statement {
            span,
            kind,
            parent: self.parent,
            jump_target: is_labelled,
            changes_names: false,
            labelled: is_labelled,
            room,
            hint: None,
        };
        self.statements.push(statement);
        self.block.push(id);
        id
    }

    /// The block of the statements that `fill` adds, inside of `parent`.
    pub fn inside(&mut self, parent: StatementId, fill: impl FnOnce(&mut Self)) -> Block {
        let outer = std::mem::take(&mut self.block);
        let outer_parent = self.parent.replace(parent);
        fill(self);
        self.parent = outer_parent;
        std::mem::replace(&mut self.block, outer)
    }

    /// Lets `fill` add what one statement of the text means. If that is more than one, nothing can come between them.
    pub fn as_one(&mut self, range: &unit::Span, fill: impl FnOnce(&mut Self)) {
        self.in_carrier(range, self.input.places.is_own_statement(range), fill);
    }

    /// The same for a statement that holds others.
    pub fn as_compound(&mut self, range: &unit::Span, fill: impl FnOnce(&mut Self)) {
        self.in_carrier(range, self.input.places.has_own_ends(range), fill);
    }

    fn in_carrier(&mut self, range: &unit::Span, is_own: bool, fill: impl FnOnce(&mut Self)) {
        let before = self.block.len();
        let span = self.span(range);
        let outer = std::mem::replace(&mut self.carrier, span);
        fill(self);
        self.carrier = outer;
        let several = self.block.len() > before + 1;
        for &id in &self.block[before..] {
            let room = &mut self.statements[id.0].room;
            if let Room::Expression(_) = room {
                // It has a place of its own.
            } else if !is_own {
                *room = Room::Elsewhere;
            } else if several {
                *room = Room::Inside;
            }
        }
    }
}
