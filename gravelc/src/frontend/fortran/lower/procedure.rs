//! One procedure from its unit to the program.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::text::syntax_tree::Node;

use super::super::names::association::Found;
use super::super::names::declarations::{is_executable, result_of};
use super::super::names::included_declarations::{included_declarations, is_known_header};
use super::super::names::own_bytes::{OwnBytes, words_in};
use super::super::names::scope::Meaning;
use super::super::names::units::{Unit, UnitIndex, UnitKind};
use super::super::text::directives::{Directive, directive};
use super::super::text::lexer::TokenKind;
use super::super::text::parse::Hole;
use super::super::text::tree::child_of_kind;
use super::super::text::unclear::Unclear;
use super::anchors::find_anchors;
use super::entity_lists::declarations_of_procedure;
use super::entry_values::evaluated_at_entry;
use super::handed_over::HandedOver;
use super::hints::statement_below_hint;
use super::jumps::JumpLabels;
use super::lowering::{Input, Lowering};
use super::statement_functions::StatementFunctions;
use super::statements::Place;
use crate::ir::{
    Aliases, Anchors, Block, Language, Procedure, ProcedureKind, Span, StatementId, StatementKind, SymbolId,
    UntouchableCause,
};

/// A lowered procedure with what could not be read in it.
pub struct Lowered {
    /// The procedure.
    pub procedure: Procedure,
    /// Names under which it calls procedures that can't be told.
    pub indirect_names: BTreeSet<String>,
    /// Names of procedures that it calls and that may come from something that is not known.
    pub doubtful_names: BTreeSet<String>,
    /// The types of which it makes values from those of their components.
    pub constructed: BTreeMap<String, Span>,
    /// The components that it names of objects which are values of expressions.
    pub parts_of_values: BTreeSet<String>,
    /// What its names of procedures hand over.
    pub handed_over: BTreeMap<SymbolId, BTreeSet<HandedOver>>,
    /// Some reference goes through a dummy procedure or a procedure pointer.
    pub calls_indirectly: bool,
    /// For the report.
    pub unread: Vec<(Span, String)>,
}

/// Lowers the procedure of the unit `index`, which is of this `kind`.
pub fn lower_procedure<'a, 't>(input: &Input<'a, 't>, index: UnitIndex, kind: ProcedureKind) -> Lowered {
    let unit = &input.units.list[index];
    let source = &input.sources[unit.source];
    let scope = input.scopes.scope(index);
    let own = OwnBytes::of(input.units, index);
    // What can't be read behind CONTAINS is no statement of this procedure.
    let holes =
        source.parsed.holes.iter().filter(|hole| own.contains(hole.range.start) && hole.range.start < unit.parts_end);
    let holes: Vec<&'a Hole> = holes.collect();
    let sees_unknown_modules = input.scopes.sees_unknown_modules(index);
    let mut lowering = Lowering {
        sources: input.sources,
        units: input.units,
        scopes: input.scopes,
        extensions: input.extensions,
        source,
        line_use: &input.statements_on_line[unit.source],
        unit: index,
        unit_kind: unit.kind,
        scope,
        operations_may_call: input.defines_operations || sees_unknown_modules,
        finalisers_may_call: input.defines_finalisers || sees_unknown_modules,
        input_output_may_call: input.defines_input_output || sees_unknown_modules,
        operations: input.operations,
        sees_unknown_modules,
        initialised_blocks: input.initialised_blocks,
        common_blocks: input.common_blocks,
        symbols: Vec::new(),
        origins: Vec::new(),
        by_name: HashMap::new(),
        shared_names: shared_names(input, index),
        host_words: host_words(input, unit),
        statements: Vec::new(),
        constructs: Vec::new(),
        scoped_names: Vec::new(),
        statement_functions: StatementFunctions::inside(input.sources, input.units, input.scopes, index),
        open_names: Vec::new(),
        types_of_keys: HashMap::new(),
        depth: 0,
        jump_labels: JumpLabels::of(source, &own),
        targets: Vec::new(),
        unread: Vec::new(),
        indirect_names: BTreeSet::new(),
        doubtful_names: BTreeSet::new(),
        constructed: BTreeMap::new(),
        parts_of_values: BTreeSet::new(),
        handed_over: BTreeMap::new(),
        calls_indirectly: false,
        all_handed_over: input.all_handed_over,
        overridable_calls: BTreeMap::new(),
        untouchable: None,
        holes: holes.iter().map(|&hole| (hole, false)).collect(),
    };
    find_obstacles(&mut lowering, unit, &own, &holes, input);
    // Every declared name, in the order of the declarations.
    for name in scope.order.iter().filter(|_| unit.entry_of.is_none()) {
        let entity = &scope.entities[name];
        if matches!(entity.meaning, Meaning::Variable | Meaning::Constant(_)) && !entity.attributes.intrinsic {
            lowering.entity_symbol(name, index, entity);
        }
    }
    let dummies = input.units.all_dummy_names(input.sources, index);
    let dummies = dummies.iter().map(|name| lowering.dummy_symbol(name)).collect();
    let (body, anchors) = match unit.entry_of {
        Some(around) => lowering.entry(unit, around),
        None => lower_body(&mut lowering, unit, own.range.start),
    };
    lowering.number_overlays();
    let mut span = lowering.trimmed_span(unit.node);
    span.start = span.start.min(holes.iter().map(|hole| hole.range.start).min().unwrap_or(span.start));
    span.end = span.end.max(holes.iter().map(|hole| hole.range.end).max().unwrap_or(span.end));
    let text =
        holes.iter().fold(own.range.clone(), |all, hole| all.start.min(hole.range.start)..all.end.max(hole.range.end));
    let declarations = declarations_of_procedure(&lowering, unit, text);
    let redefined_functions = redefined_functions(&lowering, input.macros);
    // For an entry the procedure around it says that already.
    let evaluated_at_entry = match unit.entry_of {
        Some(_) => Vec::new(),
        None => evaluated_at_entry(&mut lowering, unit, input.defines_finalisers),
    };
    lowering.keep_text_around_entries(index);
    let text_parts = lowering.text_parts(unit, kind, &holes);
    let result = unit.header.and_then(|header| result_of(source, unit, header));
    let result = result.and_then(|name| lowering.by_name.get(&name).copied());
    let procedure = Procedure {
        name: unit.name.clone(),
        kind,
        language: Language::Fortran,
        span,
        dummies,
        is_pure: is_pure(&lowering.units.prefixes(lowering.sources, index)),
        is_elemental: lowering.is_elemental(index),
        result,
        symbols: lowering.symbols,
        statements: lowering.statements,
        body,
        anchors,
        text_parts,
        declarations,
        messaging_names: input.scopes.messaging_names(index),
        evaluated_at_entry,
        redefined_functions,
        separate_requests: BTreeSet::new(),
        overridable_calls: lowering.overridable_calls,
        aliases: Aliases::default(),
        untouchable: lowering.untouchable,
    };
    let Lowering { indirect_names, doubtful_names, constructed, parts_of_values, unread, .. } = lowering;
    let Lowering { handed_over, calls_indirectly, .. } = lowering;
    Lowered {
        procedure,
        indirect_names,
        doubtful_names,
        constructed,
        parts_of_values,
        handed_over,
        calls_indirectly,
        unread,
    }
}

/// The statements of a procedure, and where lines may be inserted into it.
fn lower_body<'t>(lowering: &mut Lowering<'_, 't>, unit: &Unit<'t>, own_start: usize) -> (Block, Anchors) {
    let executable = executable_parts(lowering, unit);
    let start = unit.header.map_or(own_start, |header| header.end_byte());
    let choice = lowering.choice_of_entry(&executable);
    // Holes among the declarations could be statements as well.
    let body = lowering.block(&executable, Place { start, end: unit.node.end_byte(), parent: None });
    leave_out_last_return(lowering, &body);
    for (target, number) in std::mem::take(&mut lowering.targets) {
        lowering.jump_labels.mark_entered(&mut lowering.statements, target, &number);
    }
    // Declarations come before statement functions.
    let first = lowering.statement_functions.first.or(executable.first().copied());
    let anchors = find_anchors(lowering, unit, first);
    (choice.into_iter().chain(body).collect(), anchors)
}

impl Lowering<'_, '_> {
    fn dummy_symbol(&mut self, name: &str) -> crate::ir::SymbolId {
        match self.scope.entities.get(name) {
            Some(entity) => self.entity_symbol(name, self.unit, entity),
            None => self.procedure_symbol(name),
        }
    }
}

/// The intrinsic functions that emitted code calls.
const CALLED_FUNCTIONS: [&str; 4] = ["int", "max", "min", "mod"];

/// Those of [`CALLED_FUNCTIONS`] whose names mean something else in the procedure. A module that was not given is not thought
/// to have any.
fn redefined_functions(lowering: &Lowering<'_, '_>, macros: &HashSet<String>) -> Vec<String> {
    let is_redefined = |name: &&str| match lowering.scopes.find(lowering.unit, name) {
        _ if lowering.scope.construct_names.contains(*name) => true,
        Found::Entity { entity, .. } => !entity.attributes.intrinsic,
        Found::Standard(_) => true,
        Found::Library { .. } | Found::Unknown(_) | Found::Nothing => {
            lowering.by_name.contains_key(*name) || macros.contains(*name)
        }
    };
    CALLED_FUNCTIONS.iter().copied().filter(is_redefined).map(str::to_owned).collect()
}

/// What keeps the whole procedure from being touched, apart from its statements.
fn find_obstacles(
    lowering: &mut Lowering<'_, '_>,
    unit: &Unit<'_>,
    own: &OwnBytes,
    holes: &[&Hole],
    input: &Input<'_, '_>,
) {
    let counts = |directive: &Directive| !input.without.are_comments(*directive);
    let source = lowering.source;
    // Names of macros in other files are names of the program here.
    let macros: HashSet<&str> = match source.included_at {
        None => source.macros(),
        Some(_) => input.macros.iter().map(String::as_str).collect(),
    };
    let scope = lowering.scope;
    for Unclear { range, cause, why } in scope.incomplete.iter().chain(&scope.obstacle) {
        lowering.mark_untouchable_for(*cause, source.span(range.clone()), why.clone());
    }
    if let Some(hole) = holes.iter().find(|hole| hole.structural) {
        lowering.mark_untouchable_for(hole.cause, source.span(hole.range.clone()), hole.why.clone());
    }
    let preprocessing = &source.parsed.preprocessing;
    for Unclear { range, cause, why } in preprocessing.suspect.iter().chain(&preprocessing.replaced) {
        if range.start < own.range.end && range.end > own.range.start {
            lowering.mark_untouchable_for(*cause, source.span(range.clone()), why.clone());
        }
    }
    for comment in source.parsed.lexed.comments_in(&own.range).iter().filter(|comment| own.contains(comment.start)) {
        if statement_below_hint(source, comment).is_some() {
            continue;
        }
        if let Some(found) = directive(&source.original[comment.clone()]).filter(counts) {
            lowering.mark_untouchable_for(found.cause(), source.span(comment.clone()), found.to_string());
        }
    }
    for (range, found) in source.parsed.free_form.iter().flat_map(|form| &form.directives) {
        if own.contains(range.start) && counts(found) {
            lowering.mark_untouchable_for(found.cause(), source.span(range.clone()), found.to_string());
        }
    }
    let scopes = lowering.scopes;
    let may_be_anything = |word: &str| macros.contains(word) && scopes.macro_number(source.file, word).is_none();
    if !macros.is_empty() {
        let tokens = &source.parsed.lexed.tokens;
        let first = tokens.partition_point(|token| token.start < own.range.start);
        let inside = tokens[first..].iter().take_while(|token| token.start < own.range.end);
        for token in inside.filter(|token| token.kind == TokenKind::Word) {
            let word = &source.original[token.start..token.end];
            if own.contains(token.start) && std::str::from_utf8(word).is_ok_and(&may_be_anything) {
                let word = String::from_utf8_lossy(word).into_owned();
                let (cause, place) = (UntouchableCause::UnknownText, source.span(token.start..token.end));
                lowering.mark_untouchable_for(cause, place, format!("the macro {word}"));
            }
        }
    }
    let header = unit.header.filter(|header| child_of_kind(*header, "procedure_attributes").is_some());
    if let Some(header) = header {
        lowering.mark_untouchable(source.span_of(header), "a procedure for a device");
    }
}

/// A RETURN at the end of a procedure does nothing, where it names no way to return by. One that is jumped to stays what it is: a way
/// out.
fn leave_out_last_return(lowering: &mut Lowering<'_, '_>, body: &[StatementId]) {
    let Some(last) = body.last().map(|last| &mut lowering.statements[last.0]) else { return };
    let is_in_this_file = last.span.file == lowering.source.file && lowering.source.included_at.is_none();
    let text = lowering.source.text.get(last.span.start..last.span.end).unwrap_or_default();
    if matches!(last.kind, StatementKind::Return)
        && !last.jump_target
        && is_in_this_file
        && text.trim_ascii().eq_ignore_ascii_case(b"return")
    {
        last.kind = StatementKind::Nothing;
    }
}

/// Do the prefixes of a procedure say that it has no effects: PURE, or ELEMENTAL without IMPURE?
fn is_pure(prefixes: &[String]) -> bool {
    let has = |word: &str| prefixes.iter().any(|prefix| prefix == word);
    has("pure") || has("simple") || has("elemental") && !has("impure")
}

/// The statements behind the declarations, which may have statement functions among them.
fn executable_parts<'t>(lowering: &mut Lowering<'_, 't>, unit: &Unit<'t>) -> Vec<Node<'t>> {
    let mut executable: Vec<Node<'t>> = Vec::new();
    // Files that are included among the declarations can hold statements as well.
    let mut included: Vec<Node<'t>> = Vec::new();
    let mut label: Option<Node<'t>> = None;
    for &part in &unit.parts {
        if !executable.is_empty() {
            executable.push(part);
        } else if part.kind() == "include_statement" {
            let is_read =
                is_known_header(lowering.source, part) || included_declarations(lowering.source, part).is_ok();
            included.extend((!is_read).then_some(part));
        } else if part.kind() == "statement_label" {
            label = Some(part);
        } else if is_executable(part) {
            if lowering.read_statement_function(part) {
                continue;
            }
            executable.extend(label.take());
            executable.push(part);
        } else {
            label = None;
        }
    }
    // The label of the END statement belongs to no statement of the body.
    while executable.last().is_some_and(|last| last.kind() == "statement_label") && executable.len() == 1 {
        executable.pop();
    }
    included.extend(executable);
    included
}

/// The words of the procedures inside `index` that they do not declare themselves.
fn shared_names(input: &Input<'_, '_>, index: UnitIndex) -> HashSet<String> {
    let mut names = HashSet::new();
    for (inner_index, inner) in input.units.inside(index) {
        let source = &input.sources[inner.source];
        let scope = input.scopes.list[inner_index].as_ref();
        for (_, word) in words_in(source, inner.node.start_byte()..inner.node.end_byte()) {
            if !scope.is_some_and(|scope| scope.entities.contains_key(&word)) {
                names.insert(word);
            }
        }
    }
    // A procedure that can't be read could use anything that it mentions.
    let unit = &input.units.list[index];
    let source = &input.sources[unit.source];
    let behind = unit.parts_end..unit.node.end_byte();
    for hole in source.parsed.holes.iter().filter(|hole| behind.contains(&hole.range.start)) {
        names.extend(words_in(source, hole.range.clone()).map(|(_, word)| word));
    }
    names
}

/// The words of the host of `unit`, where that is a procedure.
fn host_words(input: &Input<'_, '_>, unit: &Unit<'_>) -> HashSet<String> {
    let Some(host) = unit.host.filter(|&host| matches!(input.units.list[host].kind, UnitKind::Procedure(_))) else {
        return HashSet::new();
    };
    let own = OwnBytes::of(input.units, host);
    let source = &input.sources[input.units.list[host].source];
    words_in(source, own.range.clone()).filter(|(start, _)| own.contains(*start)).map(|(_, word)| word).collect()
}
