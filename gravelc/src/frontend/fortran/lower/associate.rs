//! ASSOCIATE and SELECT TYPE: names for variables, parts of variables and values (Fortran 2018, 11.1.3 and 11.1.11).
//!
//! A name for a variable, or for a component without subscripts on the way, is that variable: what is done with the name is
//! lowered as if the selector stood there. Subscripts are evaluated once, when the construct begins; a name for an element or
//! a section is some part of the array from then on. So is a pointer, which may point elsewhere later: its name gets a symbol
//! of its own. A name for an integer is a variable that an assignment sets where the construct begins; of other values only
//! that they are read matters, for nothing changes them.

use std::collections::HashMap;

use super::super::text::syntax_tree::Node;

use super::super::names::members::Member;
use super::super::names::scope::DeclaredType;
use super::super::names::types::declared_type;
use super::super::names::units::UnitIndex;
use super::super::text::tree::{child_of_kind, named_children};
use super::construct_names::{ConstructName, OpenNames, is_key, key_of};
use super::constructs::cases_of;
use super::designators::{Narrowing, Step};
use super::lowering::{ConstructKind, Lowering};
use super::symbols::NameUse;
use crate::frontend::fortran::names::constants_in_scope::NamesOf;
use crate::ir::{
    ArrayDimension, BinaryOperator, Block, Callee, ElementType, Expression, ExpressionKind, Room, Scope, Shape, Span,
    StatementId, StatementKind, Storage, Symbol, SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};

/// Functions of numbers, or about arrays, whose values are no objects whatever their arguments are.
const PLAIN_FUNCTIONS: [&str; 45] = [
    "abs",
    "acos",
    "aint",
    "all",
    "allocated",
    "anint",
    "any",
    "asin",
    "associated",
    "atan",
    "atan2",
    "ceiling",
    "cos",
    "cosh",
    "count",
    "dble",
    "dot_product",
    "epsilon",
    "exp",
    "floor",
    "huge",
    "index",
    "int",
    "kind",
    "lbound",
    "len",
    "len_trim",
    "log",
    "log10",
    "matmul",
    "maxval",
    "minval",
    "nint",
    "norm2",
    "present",
    "product",
    "real",
    "shape",
    "sign",
    "sin",
    "size",
    "sqrt",
    "sum",
    "tiny",
    "ubound",
];

/// The size in bytes of default integers when no compiler flag changes it.
const DEFAULT_INTEGER: Option<u32> = Some(4);

/// What a selector gives a name to.
struct Selected<'t> {
    meaning: ConstructName<'t>,
    /// What is evaluated when the construct begins.
    evaluated: Vec<Expression>,
    /// The integer that is stored to the name's own variable then.
    stored: Option<(SymbolId, Expression)>,
}

/// The construct that a name belongs to.
#[derive(Clone, Copy)]
struct Home {
    /// The statement inside which the name means what it means.
    statement: StatementId,
    /// Where the construct begins in its file.
    place: usize,
}

/// Is the name one for the variable of this name?
fn is_same(name: &str, meaning: &ConstructName<'_>) -> bool {
    matches!(meaning, ConstructName::Part { variable, steps } if variable == name && steps.is_empty())
}

impl<'t> Lowering<'_, 't> {
    /// ASSOCIATE.
    pub fn associate_construct(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let list = child_of_kind(node, "association_list").filter(|list| !list.has_error());
        let Some(list) = list else { return self.opaque_statement(span, "an ASSOCIATE that can't be read") };
        let home = Home { statement: id, place: node.start_byte() };
        let mut names = HashMap::new();
        let mut evaluated = Vec::new();
        let mut stored = Vec::new();
        for association in named_children(list) {
            let parts = (association.child_by_field_name("name"), association.child_by_field_name("selector"));
            let (Some(name), Some(selector)) = parts else {
                return self.opaque_statement(span, "an ASSOCIATE that can't be read");
            };
            let name = self.source.lower(name);
            // Selectors don't see the other names of their construct.
            let Some(selected) = self.selected(selector, &name, home) else {
                return self.opaque_statement(span, "an ASSOCIATE with a selector that can't be read");
            };
            evaluated.extend(selected.evaluated);
            stored.extend(selected.stored.map(|(symbol, value)| (symbol, value, self.source.span_of(association))));
            names.insert(name, selected.meaning);
        }
        let mut body = Block::new();
        // Arithmetic on integers gives integers; here it counts as a number of any kind.
        let uncertain: Vec<SymbolId> = stored.iter().map(|(symbol, ..)| *symbol).collect();
        let uncertain =
            uncertain.into_iter().filter(|it| self.symbols[it.0].element.category != TypeCategory::Integer).collect();
        for (symbol, value, span) in stored {
            let target = Expression::new(ExpressionKind::Symbol(symbol), span);
            let store = self.add(span, Some(id), StatementKind::Assign { target, value, may_reallocate: false });
            // It is a part of the construct's first statement.
            self.statements[store.0].room = Room::Inside;
            body.push(store);
        }
        let mut hidden: Vec<String> =
            names.iter().filter(|(name, meaning)| !is_same(name, meaning)).map(|(name, _)| name.clone()).collect();
        hidden.sort();
        self.open(node, id, ConstructKind::Scope);
        self.open_names.push(OpenNames { statement: id, names, uncertain });
        body.extend(self.body(node, list.end_byte(), node.end_byte(), id));
        self.open_names.pop();
        self.constructs.pop();
        StatementKind::Scope(Scope { names: hidden, evaluated, body })
    }

    /// SELECT TYPE, with a new name for the selector or without.
    pub fn select_type(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let unread = "a SELECT TYPE that can't be read";
        let inner = child_of_kind(node, "selector").and_then(|selector| named_children(selector).first().copied());
        let (name, selector) = match inner {
            Some(name) if name.kind() == "identifier" => (name, name),
            Some(association) if association.kind() == "pointer_association_statement" => {
                match named_children(association).as_slice() {
                    [name, selector] if name.kind() == "identifier" => (*name, *selector),
                    _ => return self.opaque_statement(span, unread),
                }
            }
            _ => return self.opaque_statement(span, unread),
        };
        let name = self.source.lower(name);
        let home = Home { statement: id, place: node.start_byte() };
        let Some(Selected { meaning, evaluated: mut selectors, stored: None }) = self.selected(selector, &name, home)
        else {
            return self.opaque_statement(span, unread);
        };
        let object = match &meaning {
            ConstructName::Part { variable, steps } => {
                let object = self.by_name.get(variable).copied();
                // Of a pointer or an allocatable object the type is where the object is.
                let is_fixed = object
                    .is_some_and(|it| !matches!(self.symbols[it.0].storage, Storage::Pointer | Storage::Allocatable));
                if !is_fixed || !steps.is_empty() {
                    selectors.push(self.expression(selector));
                }
                object.filter(|_| steps.is_empty())
            }
            _ => None,
        };
        let hidden = if is_same(&name, &meaning) { Vec::new() } else { vec![name.clone()] };
        self.open(node, id, ConstructKind::Other);
        let home = self.unit;
        let mut cases = Vec::new();
        for (case, end) in cases_of(node, "type_statement") {
            let declared = self.type_of_case(case);
            let names = |scope: StatementId| {
                let mut meaning = meaning.clone();
                if let (ConstructName::Part { steps, .. }, Some(declared)) = (&mut meaning, declared) {
                    let narrowing = Narrowing { inside: scope, name: name.clone(), declared, home };
                    steps.push(Step::Typed(narrowing));
                }
                let names = HashMap::from([(name.clone(), meaning)]);
                OpenNames { statement: scope, names, uncertain: object.into_iter().collect() }
            };
            cases.push(self.case_with_names((case, end), id, &hidden, names));
        }
        self.constructs.pop();
        StatementKind::Select { selectors, cases }
    }

    /// The type behind `type is (…)` or `class is (…)`.
    fn type_of_case(&self, case: Node<'t>) -> Option<DeclaredType> {
        let named = case.child_by_field_name("type")?;
        if named.kind() != "identifier" {
            let names = NamesOf { scopes: self.scopes, scope: self.scope };
            return Some(declared_type(self.source.original, named, &names));
        }
        let mut declared = DeclaredType::intrinsic(TypeCategory::Derived, None);
        declared.derived = Some(self.source.lower(named));
        declared.polymorphic = self.source.lower(case).starts_with("class");
        Some(declared)
    }

    /// What a selector gives the name `name` to; `None` if it can't be read.
    fn selected(&mut self, selector: Node<'t>, name: &str, home: Home) -> Option<Selected<'t>> {
        match self.selected_variable(selector, name, home) {
            Some(selected) => Some(selected),
            None => self.selected_value(selector, name, home),
        }
    }

    /// A selector that is a variable or a part of one.
    fn selected_variable(&mut self, selector: Node<'t>, name: &str, home: Home) -> Option<Selected<'t>> {
        if !matches!(selector.kind(), "identifier" | "call_expression" | "derived_type_member_expression") {
            return None;
        }
        let (base, steps) = self.steps(selector)?;
        let base = self.source.lower(base);
        let (variable, steps) = match self.construct_name(&base) {
            _ if self.scoped_names.contains(&base) => return None,
            None => (base, steps),
            Some(ConstructName::Own(key)) => (key, steps),
            Some(ConstructName::Part { variable, steps: way }) => (variable, [way, steps].concat()),
            Some(meaning @ (ConstructName::Value | ConstructName::Some { .. })) => {
                self.note_parts_of_value(&steps);
                return Some(Selected { meaning, evaluated: self.evaluated_in(&steps), stored: None });
            }
        };
        let begins_with_arguments = matches!(steps.first(), Some(Step::Arguments(_)));
        let symbol = match self.name_use(&variable) {
            NameUse::Object(symbol) => symbol,
            NameUse::Messaging(_) if steps.is_empty() => {
                let meaning = ConstructName::Part { variable, steps };
                return Some(Selected { meaning, evaluated: Vec::new(), stored: None });
            }
            NameUse::Undeclared if !begins_with_arguments => self.implicit_symbol(&variable)?,
            _ => return None,
        };
        let found = &self.symbols[symbol.0];
        let is_known = match found.class {
            SymbolClass::Variable => true,
            SymbolClass::Constant(_) | SymbolClass::MessagingConstant => steps.is_empty(),
            SymbolClass::Procedure | SymbolClass::Unknown => false,
        };
        // A name that is no array has arguments as a function, or as a part of a string.
        let is_function = begins_with_arguments && found.rank() == 0;
        if !is_known || is_function || !self.leads_to_variable(&variable, &steps) {
            return None;
        }
        let is_pointer = found.storage == Storage::Pointer;
        let evaluated = self.evaluated_in(&steps);
        let is_array = |step: Step<'t>| if matches!(step, Step::Arguments(_)) { Step::Evaluated } else { step };
        let steps: Vec<Step<'t>> = steps.into_iter().map(is_array).collect();
        // What constructs have of their own is never made to point elsewhere.
        let is_fixed = is_key(&variable) && self.entity_of_block(&variable).is_none();
        if !is_pointer || is_fixed {
            let meaning = ConstructName::Part { variable, steps };
            return Some(Selected { meaning, evaluated, stored: None });
        }
        let target = self.target_symbol(&variable, symbol, name, home);
        let pointer = Expression::new(ExpressionKind::Symbol(symbol), self.source.span_of(selector));
        let meaning = ConstructName::Part { variable: target, steps };
        Some(Selected { meaning, evaluated: evaluated.into_iter().chain([pointer]).collect(), stored: None })
    }

    /// Do the steps lead through components to something in memory, rather than to what a procedure returns?
    fn leads_to_variable(&self, variable: &str, steps: &[Step<'t>]) -> bool {
        let has_members = steps.iter().any(|step| matches!(step, Step::Member(_)));
        let mut current: Option<(UnitIndex, DeclaredType)> = self.type_of(variable);
        for step in steps.iter().filter(|_| has_members) {
            match step {
                Step::Typed(narrowing) => current = Some((narrowing.home, narrowing.declared.clone())),
                Step::Arguments(_) | Step::Evaluated => {}
                Step::Member(member) => {
                    let Some((home, declared)) = current else { return false };
                    let Some(type_name) = declared.derived else { return false };
                    current = match self.scopes.member(home, &type_name, member) {
                        Member::Component { unit, component, .. } => Some((unit, component.declared_type.clone())),
                        Member::Ancestor(unit, parent) => {
                            let mut declared = DeclaredType::intrinsic(TypeCategory::Derived, None);
                            declared.derived = Some(parent.to_string());
                            Some((unit, declared))
                        }
                        Member::ProcedurePointer(..) | Member::Procedure | Member::Unknown => return false,
                    };
                }
            }
        }
        true
    }

    /// The key of what a pointer points to when the construct begins.
    fn target_symbol(&mut self, variable: &str, pointer: SymbolId, name: &str, home: Home) -> String {
        let key = key_of(name, home.place);
        self.types_of_keys.extend(self.type_of(variable).map(|known| (key.clone(), known)));
        let found = &self.symbols[pointer.0];
        let shape = match &found.shape {
            Shape::Scalar => Shape::Scalar,
            Shape::Array(dimensions) => {
                Shape::Array(vec![ArrayDimension { lower: None, upper: None }; dimensions.len()])
            }
        };
        let symbol = Symbol {
            name: name.to_string(),
            declaration: None,
            shape,
            target: true,
            initialised: false,
            initial_values: None,
            initial_constant: None,
            place: None,
            scope: Some(home.statement),
            ..found.clone()
        };
        self.add_symbol(&key, symbol, None);
        key
    }

    /// A selector that is a value.
    fn selected_value(&mut self, selector: Node<'t>, name: &str, home: Home) -> Option<Selected<'t>> {
        let value = self.expression(selector);
        if matches!(value.kind, ExpressionKind::Opaque(_)) {
            return None;
        }
        // A part of a variable that no steps describe (of a complex number, of a string): it can be assigned to.
        if let Some(base) = value.designated().filter(|it| self.symbols[it.0].class == SymbolClass::Variable) {
            let meaning = ConstructName::Some { base, through_pointer: true };
            return Some(Selected { meaning, evaluated: vec![value], stored: None });
        }
        let own = |element| Symbol {
            storage: Storage::Local,
            scope: Some(home.statement),
            ..Symbol::new(name, SymbolClass::Variable, element)
        };
        if let Some(bytes) = self.bytes_of_integer(&value) {
            let key = key_of(name, home.place);
            let symbol = own(ElementType { category: TypeCategory::Integer, bytes });
            let symbol = self.add_symbol(&key, symbol, None);
            let meaning = ConstructName::Own(key);
            return Some(Selected { meaning, evaluated: Vec::new(), stored: Some((symbol, value)) });
        }
        let key = key_of(name, home.place);
        let category = self.category(&value);
        if !self.has_no_pointers(&value) {
            let unknown = own(ElementType { category: TypeCategory::Unknown, bytes: None });
            let symbol = Symbol { storage: Storage::Pointer, target: true, ..unknown };
            let base = self.add_symbol(&key, symbol, None);
            let meaning = ConstructName::Some { base, through_pointer: true };
            return Some(Selected { meaning, evaluated: vec![value], stored: None });
        }
        if matches!(category, TypeCategory::Derived | TypeCategory::Unknown) {
            return Some(Selected { meaning: ConstructName::Value, evaluated: vec![value], stored: None });
        }
        let symbol = own(ElementType { category, bytes: None });
        if self.may_be_array(&value) {
            let dimension = ArrayDimension { lower: None, upper: None };
            let base = self.add_symbol(&key, Symbol { shape: Shape::Array(vec![dimension]), ..symbol }, None);
            let meaning = ConstructName::Some { base, through_pointer: false };
            return Some(Selected { meaning, evaluated: vec![value], stored: None });
        }
        let symbol = self.add_symbol(&key, symbol, None);
        Some(Selected { meaning: ConstructName::Own(key), evaluated: Vec::new(), stored: Some((symbol, value)) })
    }

    /// Of an expression that is certainly a single integer its size in bytes, which need not be known.
    fn bytes_of_integer(&self, value: &Expression) -> Option<Option<u32>> {
        match &value.kind {
            ExpressionKind::Integer(_) => {
                let is_default = !self.quote(value.span).contains('_');
                Some(DEFAULT_INTEGER.filter(|_| is_default))
            }
            ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => {
                let symbol = &self.symbols[id.0];
                let is_scalar = symbol.rank() == 0 || matches!(value.kind, ExpressionKind::Element { .. });
                let has_value = matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_));
                let is_integer = symbol.element.category == TypeCategory::Integer;
                (is_scalar && has_value && is_integer).then_some(symbol.element.bytes)
            }
            ExpressionKind::Unary { operator: UnaryOperator::Negate | UnaryOperator::Identity, operand } => {
                self.bytes_of_integer(operand)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let is_arithmetic = matches!(
                    operator,
                    BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply | BinaryOperator::Divide
                );
                let bytes = (self.bytes_of_integer(left)?, self.bytes_of_integer(right)?);
                is_arithmetic.then(|| bytes.0.filter(|_| bytes.0 == bytes.1))
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(function), arguments } => {
                self.bytes_of_function(function, arguments)
            }
            _ => None,
        }
    }

    fn bytes_of_function(&self, function: &str, arguments: &[Expression]) -> Option<Option<u32>> {
        match (function, arguments) {
            ("size", [_] | [_, _]) => Some(DEFAULT_INTEGER),
            ("lbound" | "ubound", [_, dimension]) => self.bytes_of_integer(dimension).map(|_| DEFAULT_INTEGER),
            ("mod" | "modulo" | "min" | "max" | "abs", [_, ..]) => {
                let bytes: Option<Vec<Option<u32>>> =
                    arguments.iter().map(|argument| self.bytes_of_integer(argument)).collect();
                let bytes = bytes?;
                Some(bytes[0].filter(|_| bytes.iter().all(|other| *other == bytes[0])))
            }
            ("int" | "nint" | "floor" | "ceiling", [argument]) => {
                (!self.may_be_array(argument)).then_some(DEFAULT_INTEGER)
            }
            _ => None,
        }
    }

    /// Is it certainly of an intrinsic type, a value that stays what it is?
    fn has_no_pointers(&self, value: &Expression) -> bool {
        match &value.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Literal => true,
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. } => {
                let symbol = &self.symbols[id.0];
                let is_value = !matches!(symbol.class, SymbolClass::Procedure | SymbolClass::Unknown);
                let is_object = matches!(symbol.element.category, TypeCategory::Derived | TypeCategory::Unknown);
                is_value && !is_object
            }
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => self.has_no_pointers(operand),
            // Where the program defines operators, operands that may be objects have made the expression opaque.
            ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } => true,
            ExpressionKind::Call { callee: Callee::PureIntrinsic(function), arguments } => {
                PLAIN_FUNCTIONS.binary_search(&function.as_str()).is_ok()
                    || arguments.iter().all(|argument| self.has_no_pointers(argument))
            }
            ExpressionKind::ArrayConstructor(values) => values.iter().all(|value| self.has_no_pointers(value)),
            ExpressionKind::Part { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::Computed(_)
            | ExpressionKind::Opaque(_) => false,
        }
    }
}
