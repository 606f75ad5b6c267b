//! One function as a procedure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::jumps::Jumps;
use super::lowering::{Input, Lowering};
use super::sequencing::Hoisted;
use super::types::element_of;
use super::unread::{expressions_in, parts_of};
use crate::frontend::c::types::TypeKind;
use crate::frontend::c::unit::{self, Function, StatementKind as Kind};
use crate::ir::{
    Aliases, Anchors, Expression, ExpressionKind, Language, MessagingNames, Procedure, ProcedureId, ProcedureKind,
    Shape, Storage, Symbol, SymbolClass, Unread, Untouchable, UntouchableCause,
};

/// Where a program begins.
const MAIN: &str = "main";

/// Functions that return more than once.
const RETURN_TWICE: [&str; 5] = ["setjmp", "_setjmp", "sigsetjmp", "vfork", "getcontext"];

/// A function that was lowered.
pub struct Lowered {
    /// The procedure.
    pub procedure: Procedure,
    /// The names under which it calls functions that are not known.
    pub indirect_names: BTreeSet<String>,
    /// The procedures that its text names.
    pub named: BTreeSet<(ProcedureId, crate::ir::Span)>,
}

/// Lowers a function.
pub fn lower_function(input: &Input<'_>, function: &Function) -> Lowered {
    let unit = input.unit;
    let span = input.places.span(&function.range);
    let mut lowering = Lowering {
        input,
        unit,
        function,
        symbols: Vec::new(),
        by_symbol: HashMap::new(),
        pointees: HashMap::new(),
        constants: HashMap::new(),
        handed_functions: HashMap::new(),
        anywhere: None,
        in_objects: HashMap::new(),
        result: None,
        statements: Vec::new(),
        block: Vec::new(),
        parent: None,
        scope: None,
        scopes: HashMap::new(),
        targets: Vec::new(),
        called_back_by_messaging: None,
        jumps: Jumps::default(),
        hoisted: Hoisted::new(),
        behind: None,
        carrier: span,
        indirect_names: BTreeSet::new(),
        named: BTreeSet::new(),
        untouchable: input.left_alone.clone(),
    };
    let name = lowering.spelling(function.symbol).to_owned();
    let body_start = input.places.behind_labels_of(&unit.statement(function.body).range);
    let dummies = function.parameters.iter().map(|parameter| lowering.symbol(*parameter)).collect();
    let result = unit.types.as_function(unit.symbol(function.symbol).ty.id).map(|function| function.result);
    let result = result.filter(|result| !matches!(unit.types.kind(result.id), TypeKind::Void));
    if let Some(result) = result {
        let symbol = Symbol {
            class: SymbolClass::Variable,
            element: element_of(&unit.types, result),
            shape: Shape::Scalar,
            storage: Storage::Local,
            ..Symbol::messaging_constant(&name)
        };
        lowering.result = Some(lowering.new_symbol(symbol));
    }
    lowering.find_obstacles(span);
    lowering.name_functions(&expressions_in(unit, function.body));
    if let Kind::Block(items) = &unit.statement(function.body).kind {
        lowering.add_items(items);
    }
    let body = std::mem::take(&mut lowering.block);
    lowering.jumps.mark_entered(&mut lowering.statements);
    let kind = match (name == MAIN, lowering.result) {
        (true, _) => ProcedureKind::Main,
        (false, Some(_)) => ProcedureKind::Function,
        (false, None) => ProcedureKind::Subroutine,
    };
    // Lengths of arrays that are parameters are evaluated there.
    let evaluated_at_entry = match function.parameter_bounds.iter().any(|bound| lowering.has_call(*bound)) {
        true => {
            vec![Expression::new(ExpressionKind::Opaque(Box::new(Unread::unknown("the length of a parameter"))), span)]
        }
        false => Vec::new(),
    };
    let procedure = Procedure {
        name,
        kind,
        language: Language::C,
        span,
        dummies,
        is_pure: false,
        is_elemental: false,
        result: lowering.result,
        symbols: lowering.symbols,
        statements: lowering.statements,
        body,
        text_parts: Err(crate::ir::Indivisible::by_language(span)),
        anchors: Anchors { imports: input.includes_behind.unwrap_or(span.start), declarations: body_start },
        messaging_names: MessagingNames::All("mpi.h"),
        evaluated_at_entry,
        redefined_functions: Vec::new(),
        declarations: Vec::new(),
        separate_requests: BTreeSet::new(),
        overridable_calls: BTreeMap::new(),
        aliases: Aliases::default(),
        untouchable: lowering.untouchable,
    };
    Lowered { procedure, indirect_names: lowering.indirect_names, named: lowering.named }
}

impl Lowering<'_> {
    /// Why nothing in the function may be touched.
    fn find_obstacles(&mut self, span: crate::ir::Span) {
        let function = self.function;
        let body = &self.unit.statement(function.body).range;
        if !self.input.places.has_own_ends(body) {
            self.keep(span, UntouchableCause::SpelledElsewhere, "a macro or an included file has the function");
        }
        if function.is_nested || function.has_computed_goto {
            self.keep(span, UntouchableCause::Unread, "jumps to computed labels, or a function inside of a function");
        }
        if let Some(at) = self.input.places.counter_in(body) {
            self.keep(
                at,
                UntouchableCause::Replaced,
                "the function counts with `__COUNTER__`, in the order of its text",
            );
        }
        let expressions = expressions_in(self.unit, function.body);
        let returns_twice =
            parts_of(self.unit, &expressions).into_iter().any(|part| match self.unit.expression(part).operation {
                unit::Operation::Symbol(symbol) => {
                    self.unit.symbol(symbol).attributes.returns_twice || RETURN_TWICE.contains(&self.spelling(symbol))
                }
                _ => false,
            });
        if returns_twice {
            self.keep(span, UntouchableCause::Unread, "a call that may return more than once");
        }
    }

    fn keep(&mut self, span: crate::ir::Span, cause: UntouchableCause, text: &str) {
        Untouchable::add(&mut self.untouchable, Untouchable { span, cause, text: text.to_owned() });
    }
}
