//! The state of lowering one procedure.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::names::association::Scopes;
use super::super::names::bindings::Extensions;
use super::super::names::common_blocks::CommonBlocks;
use super::super::names::scope::{DeclaredType, Scope};
use super::super::names::units::{Source, UnitIndex, UnitKind, Units};
use super::super::text::directives::Unused;
use super::super::text::parse::Hole;
use super::construct_names::OpenNames;
use super::handed_over::{AllHandedOver, HandedOver};
use super::hints::statement_below_hint;
use super::jumps::JumpLabels;
use super::operations::Operations;
use super::statement_functions::StatementFunctions;
use crate::ir::{
    Overridable, Room, Span, Statement, StatementId, StatementKind, Symbol, SymbolId, Untouchable, UntouchableCause,
};

/// Expressions and blocks that nest deeper are opaque: no stack may overflow, here or in what comes after.
pub(super) const MAX_DEPTH: usize = 120;

/// What is the same for all procedures.
pub struct Input<'a, 't> {
    /// The files.
    pub sources: &'a [Source<'t>],
    /// The units.
    pub units: &'a Units<'t>,
    /// Their declarations.
    pub scopes: &'a Scopes<'t>,
    /// Which of their types extend which.
    pub extensions: &'a Extensions,
    /// Per file: for each line, how many statements touch it.
    pub statements_on_line: &'a [LineUse],
    /// The operators and assignments that units define.
    pub operations: &'a Operations,
    /// Some unit defines operators, assignments, finalisers or input and output of its own types.
    pub defines_operations: bool,
    /// Some unit defines finalisers.
    pub defines_finalisers: bool,
    /// Some unit defines procedures that read or write objects.
    pub defines_input_output: bool,
    /// The COMMON blocks that have initial values somewhere.
    pub initialised_blocks: &'a HashSet<String>,
    /// Which COMMON blocks all units see alike.
    pub common_blocks: &'a CommonBlocks,
    /// The names that may stand for something else in some file.
    pub macros: &'a HashSet<String>,
    /// The directives that the program is compiled without.
    pub without: Unused,
    /// What is handed over in the program, once that is known.
    pub all_handed_over: Option<&'a AllHandedOver>,
}

/// How many statements touch each line of a file, and which hints to compilers belong to those that begin there.
pub struct LineUse {
    line_starts: Vec<usize>,
    counts: Vec<u32>,
    /// By line, where the first of them begins.
    hints: HashMap<usize, usize>,
}

impl LineUse {
    /// Counts the statements of `source`.
    pub fn new(source: &Source<'_>) -> Self {
        let text = source.original;
        let mut line_starts = vec![0];
        line_starts.extend(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1));
        let mut line_use = Self { counts: vec![0; line_starts.len()], line_starts, hints: HashMap::new() };
        for statement in &source.parsed.lexed.statements {
            let first = line_use.line_of(statement.start);
            let last = line_use.line_of(statement.end.saturating_sub(1).max(statement.start));
            for count in &mut line_use.counts[first..=last] {
                *count += 1;
            }
        }
        for comment in &source.parsed.lexed.comments {
            if let Some(below) = statement_below_hint(source, comment) {
                line_use.hints.entry(line_use.line_of(below)).or_insert(comment.start);
            }
        }
        line_use
    }

    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Where the hints begin that belong to what begins on the line of `offset`.
    pub fn hint_above(&self, offset: usize) -> Option<usize> {
        self.hints.get(&self.line_of(offset)).copied()
    }

    /// Does another statement touch the first or the last line of `start..end`?
    pub fn is_shared(&self, start: usize, end: usize) -> bool {
        let last = self.line_of(end.saturating_sub(1).max(start));
        self.counts[self.line_of(start)] > 1 || self.counts[last] > 1
    }
}

/// A construct whose statements are being lowered.
pub(super) struct OpenConstruct {
    /// Its name.
    pub name: Option<String>,
    /// Its statement.
    pub statement: StatementId,
    /// What EXIT with its name does.
    pub kind: ConstructKind,
}

/// What EXIT can leave, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstructKind {
    /// A loop: CYCLE can name it, too, and without a name the innermost one is meant.
    Loop,
    /// A block with names of its own.
    Scope,
    /// Anything else.
    Other,
}

/// A procedure on its way into the program.
pub(super) struct Lowering<'a, 't> {
    /// The files.
    pub sources: &'a [Source<'t>],
    /// The units.
    pub units: &'a Units<'t>,
    /// Their declarations.
    pub scopes: &'a Scopes<'t>,
    /// Which of their types extend which.
    pub extensions: &'a Extensions,
    /// The procedure's file.
    pub source: &'a Source<'t>,
    /// Which lines of the file have several statements.
    pub line_use: &'a LineUse,
    /// The procedure's unit.
    pub unit: UnitIndex,
    /// What the unit is.
    pub unit_kind: UnitKind,
    /// The procedure's declarations.
    pub scope: &'a Scope<'t>,
    /// Operators and assignments of types that are not intrinsic may call procedures.
    pub operations_may_call: bool,
    /// What ends a variable may call finalisers.
    pub finalisers_may_call: bool,
    /// What reads or writes objects may call procedures.
    pub input_output_may_call: bool,
    /// The operators and assignments that units of the program define.
    pub operations: &'a Operations,
    /// Others may define some, too: modules that were not given, declarations that could not be read.
    pub sees_unknown_modules: bool,
    /// The COMMON blocks that have initial values somewhere.
    pub initialised_blocks: &'a HashSet<String>,
    /// Which COMMON blocks all units see alike.
    pub common_blocks: &'a CommonBlocks,
    /// The symbols so far.
    pub symbols: Vec<Symbol>,
    /// For each symbol the unit that declares it and its name there.
    pub origins: Vec<Option<(UnitIndex, String)>>,
    /// The symbols by their names here.
    pub by_name: HashMap<String, SymbolId>,
    /// Names of this procedure that procedures inside it use.
    pub shared_names: HashSet<String>,
    /// Words of the host, where it is a procedure: what is implicit there and here is one variable.
    pub host_words: HashSet<String>,
    /// The statements so far.
    pub statements: Vec<Statement>,
    /// The constructs around the statement, outermost first.
    pub constructs: Vec<OpenConstruct>,
    /// Variables whose scope is the expression or statement around (implied loops): they have no symbol.
    pub scoped_names: Vec<String>,
    /// Its statement functions.
    pub statement_functions: StatementFunctions<'t>,
    /// The names of the constructs around the statement, outermost first.
    pub open_names: Vec<OpenNames<'t>>,
    /// The types of what is behind keys (see [`super::construct_names`]) and not declared in a BLOCK.
    pub types_of_keys: HashMap<String, (UnitIndex, DeclaredType)>,
    /// Nesting of what is being lowered.
    pub depth: usize,
    /// The stretches of this unit that the tree does not show, with a mark for those that have become statements.
    pub holes: Vec<(&'a Hole, bool)>,
    /// Labels that a jump names.
    pub jump_labels: JumpLabels,
    /// The statements with labels, and these.
    pub targets: Vec<(StatementId, String)>,
    /// Statements that became opaque because of a syntax error, for the report.
    pub unread: Vec<(Span, String)>,
    /// Names of procedures that it calls and that may come from something that is not known.
    pub doubtful_names: BTreeSet<String>,
    /// Names under which it calls procedures that can't be told.
    pub indirect_names: BTreeSet<String>,
    /// Types of which it makes values from those of their components, by the names that they are defined with.
    pub constructed: BTreeMap<String, Span>,
    /// Components that it names of objects which are values of expressions.
    pub parts_of_values: BTreeSet<String>,
    /// What its names of procedures hand over.
    pub handed_over: BTreeMap<SymbolId, BTreeSet<HandedOver>>,
    /// Some reference goes through a dummy procedure or a procedure pointer.
    pub calls_indirectly: bool,
    /// What is handed over in the program, once that is known.
    pub all_handed_over: Option<&'a AllHandedOver>,
    /// What [`Procedure::overridable_calls`](crate::ir::Procedure::overridable_calls) will be.
    pub overridable_calls: BTreeMap<String, Overridable>,
    /// Why the procedure must not be touched.
    pub untouchable: Option<Untouchable>,
}

impl Lowering<'_, '_> {
    /// Remembers the first reason why the procedure must not be touched: something was not understood.
    pub fn mark_untouchable(&mut self, span: Span, why: impl Into<String>) {
        self.mark_untouchable_for(UntouchableCause::Unread, span, why);
    }

    /// Likewise, for another cause.
    pub fn mark_untouchable_for(&mut self, cause: UntouchableCause, span: Span, why: impl Into<String>) {
        Untouchable::add(&mut self.untouchable, Untouchable { span, cause, text: why.into() });
    }

    /// Adds a statement whose kind is not known yet, so that its parts can refer to it.
    pub fn reserve(&mut self, span: Span, parent: Option<StatementId>) -> StatementId {
        let id = StatementId(self.statements.len());
        let room = if self.line_use.is_shared(span.start, span.end) { Room::SharedLine } else { Room::OwnLines };
        self.statements.push(Statement {
            span,
            kind: StatementKind::Nothing,
            parent,
            jump_target: false,
            changes_names: false,
            labelled: false,
            room,
            hint: self.line_use.hint_above(span.start),
        });
        id
    }

    /// Adds a statement.
    pub fn add(&mut self, span: Span, parent: Option<StatementId>, kind: StatementKind) -> StatementId {
        let id = self.reserve(span, parent);
        self.statements[id.0].kind = kind;
        id
    }

    /// `span` as `row: text`, short, for messages.
    pub fn quote(&self, span: Span) -> String {
        let mut text = String::from_utf8_lossy(&self.source.original[span.start..span.end]).into_owned();
        if self.source.parsed.free_form.is_some() {
            // Blanks stand for what was between the lines.
            text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let line = text.lines().next().unwrap_or_default().trim_end();
        match line.char_indices().nth(60) {
            Some((cut, _)) => format!("{}...", &line[..cut]),
            None => line.to_string(),
        }
    }
}
