//! Designators: names and what follows them. References to functions (`references`) look alike; the declarations decide.

use super::super::text::syntax_tree::Node;

use super::super::names::association::Found;
use super::super::names::members::Member;
use super::super::names::scope::DeclaredType;
use super::super::names::units::UnitIndex;
use super::super::text::tree::{all_children, child_of_kind, named_children};
use super::construct_names::{ConstructName, is_key};
use super::expressions::of_library;
use super::generics::one_of;
use super::lowering::Lowering;
use super::operations::evaluated_already;
use super::symbols::NameUse;
use crate::ir::called_name::through_object;
use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, PartForm, Shape, Span, StatementId, Storage, Subscript,
    SymbolClass, SymbolId, TypeCategory,
};

/// One step from a name to a part of what it names.
#[derive(Clone)]
pub(super) enum Step<'t> {
    /// `(…)`
    Arguments(Node<'t>),
    /// `%name`
    Member(String),
    /// `(…)`, evaluated when the construct began whose name stands for the part.
    Evaluated,
    /// The object that has been reached is of a narrower type than it was declared with.
    Typed(Narrowing),
}

/// What a branch of SELECT TYPE says of an object.
#[derive(Clone)]
pub(super) struct Narrowing {
    /// Inside this statement.
    pub inside: StatementId,
    /// By this name, that of the construct.
    pub name: String,
    /// It is of this type.
    pub declared: DeclaredType,
    /// The unit in whose scope the names in the type are meant.
    pub home: UnitIndex,
}

impl<'t> Lowering<'_, 't> {
    /// `a(…)`, `a%b`, `f(x)` and chains of them.
    pub fn designator_or_reference(&mut self, node: Node<'t>, span: Span) -> ExpressionKind {
        let Some((base, steps)) = self.steps(node) else {
            let part = self.part_of_literal(node);
            return part.unwrap_or_else(|| self.opaque(span, "a designator that can't be read"));
        };
        if let Some(call) = self.bound_reference(node, span) {
            return call;
        }
        let name = self.source.lower(base);
        if let Some(value) = self.statement_argument(&name) {
            let evaluated = self.evaluated_in(&steps);
            return ExpressionKind::Computed([value].into_iter().chain(evaluated).collect());
        }
        match self.construct_name(&name) {
            Some(meaning) => self.construct_reference(meaning, steps, span),
            None => self.designator(&name, steps, span),
        }
    }

    /// What `steps` lead to from something that a construct has a name for.
    pub fn construct_reference(
        &mut self,
        meaning: ConstructName<'t>,
        steps: Vec<Step<'t>>,
        span: Span,
    ) -> ExpressionKind {
        match meaning {
            ConstructName::Own(key) => self.designator(&key, steps, span),
            ConstructName::Part { variable, steps: mut way } => {
                way.extend(steps);
                self.designator(&variable, way, span)
            }
            ConstructName::Value => {
                self.note_parts_of_value(&steps);
                ExpressionKind::Computed(self.evaluated_in(&steps))
            }
            ConstructName::Some { base, through_pointer } => {
                self.note_parts_of_value(&steps);
                let selectors = self.evaluated_in(&steps);
                ExpressionKind::Part { base, component: None, form: PartForm::Unnamed, through_pointer, selectors }
            }
        }
    }

    /// What `steps` lead to from a variable of the procedure, or from what is behind a key.
    fn designator(&mut self, name: &str, mut steps: Vec<Step<'t>>, span: Span) -> ExpressionKind {
        // What type an object is of counts only for what its components are.
        if !steps.iter().any(|step| matches!(step, Step::Member(_))) {
            steps.retain(|step| !matches!(step, Step::Typed(_)));
        }
        match steps.as_slice() {
            [] => self.plain_name(name, span),
            [Step::Arguments(arguments)] => self.with_arguments(name, *arguments, span),
            _ => self.part(name, &steps, span),
        }
    }

    /// Everything that is evaluated in the subscripts of the steps.
    pub fn evaluated_in(&mut self, steps: &[Step<'t>]) -> Vec<Expression> {
        let mut found = Vec::new();
        for step in steps {
            if let Step::Arguments(list) = step {
                found.extend(self.bounds_in(*list));
            }
        }
        found
    }

    /// `"text"(2:n)`, a part of a character literal (Fortran 2018, 9.4.1).
    fn part_of_literal(&mut self, node: Node<'t>) -> Option<ExpressionKind> {
        match named_children(node).as_slice() {
            [text, bounds] if text.kind() == "string_literal" && node.kind() == "call_expression" => {
                Some(ExpressionKind::Computed(self.bounds_in(*bounds)))
            }
            _ => None,
        }
    }

    /// The name at the beginning, and what follows it.
    pub fn steps(&self, node: Node<'t>) -> Option<(Node<'t>, Vec<Step<'t>>)> {
        let mut steps = Vec::new();
        let mut node = node;
        loop {
            let children = named_children(node);
            match node.kind() {
                "identifier" => {
                    steps.reverse();
                    return Some((node, steps));
                }
                "call_expression" => {
                    steps.extend(children.iter().skip(1).rev().map(|list| Step::Arguments(*list)));
                }
                "derived_type_member_expression" => {
                    steps.push(Step::Member(self.source.lower(*children.get(1)?)));
                }
                _ => return None,
            }
            node = *children.first()?;
        }
    }

    /// `name(…)`: an element, a section, a substring, a function's value or a value of a derived type.
    fn with_arguments(&mut self, name: &str, arguments: Node<'t>, span: Span) -> ExpressionKind {
        if let Some(value) = self.statement_function_reference(name, arguments, span) {
            return value;
        }
        match self.name_use(name) {
            NameUse::Object(symbol) => self.object_with_arguments(name, symbol, arguments, span),
            NameUse::Procedure(callee) => self.function_reference(callee, arguments, span),
            NameUse::Indirect => self.indirect_function(name, arguments, span),
            NameUse::Generic => self.generic_reference(name, arguments, span),
            NameUse::PureFunction => self.function_reference(Callee::PureIntrinsic(name.to_string()), arguments, span),
            NameUse::Messaging(original) => self.messaging_function(&original, arguments, span),
            NameUse::Structure => {
                self.note_construction(name, span);
                ExpressionKind::Computed(self.argument_values(arguments))
            }
            NameUse::Library(name) => self.function_reference(Callee::Unknown(name), arguments, span),
            NameUse::OwnOrLibrary(own, library) => {
                match self.function_reference(Callee::Procedure(own), arguments, span) {
                    ExpressionKind::Call { callee, arguments } => {
                        let again = arguments.iter().map(evaluated_already).collect();
                        one_of(vec![ExpressionKind::Call { callee, arguments }, of_library(library, again)], span)
                    }
                    other => other,
                }
            }
            NameUse::Unknown(why) => self.opaque(span, &format!("a name that may come from {why}")),
            NameUse::Undeclared => self.undeclared_function(name, arguments, span),
        }
    }

    /// The steps lead to a part of what may be the value of an expression.
    pub fn note_parts_of_value(&mut self, steps: &[Step<'t>]) {
        self.parts_of_values.extend(steps.iter().filter_map(|step| match step {
            Step::Member(name) => Some(name.clone()),
            Step::Arguments(_) | Step::Evaluated | Step::Typed(_) => None,
        }));
    }

    /// A value of the type `name` is made from those of its components.
    pub fn note_construction(&mut self, name: &str, span: Span) {
        if let Some((_, definition)) = self.scopes.find_type(self.unit, name) {
            self.constructed.entry(definition.name.clone()).or_insert(span);
        }
    }

    fn object_with_arguments(
        &mut self,
        name: &str,
        symbol: SymbolId,
        arguments: Node<'t>,
        span: Span,
    ) -> ExpressionKind {
        // Only inside SELECT RANK it has subscripts, and there its name means something else.
        if self.symbols[symbol.0].class == SymbolClass::Unknown || self.has_any_rank(symbol) {
            return self.opaque(span, "a variable of any rank");
        }
        if self.symbols[symbol.0].rank() > 0 {
            return self.element_or_section(symbol, arguments, span);
        }
        let has_range = child_of_kind(arguments, "extent_specifier").is_some();
        // Of CLASS(*) SELECT TYPE tells that it is a string. No argument of a function is a range.
        let category = self.symbols[symbol.0].element.category;
        if has_range && matches!(category, TypeCategory::Character | TypeCategory::Unknown) {
            let selectors = self.bounds_in(arguments);
            let through_pointer = self.symbols[symbol.0].storage == Storage::Pointer;
            return ExpressionKind::Part {
                base: symbol,
                component: None,
                form: PartForm::Unnamed,
                through_pointer,
                selectors,
            };
        }
        if is_key(name) {
            return self.opaque(span, "arguments of something that a construct has a name for");
        }
        // A type alone leaves an intrinsic function what it is; else a typed name with arguments is a function.
        let Found::Entity { unit, entity } = self.find(name) else {
            return self.opaque(span, "arguments of something that is no function");
        };
        let is_dummy = entity.attributes.dummy || entity.attributes.pointer;
        let own = (unit == self.unit).then(|| self.units.function_called(unit, name)).flatten();
        let is_own_result = own.is_some();
        self.symbols[symbol.0].class = if is_own_result { SymbolClass::Variable } else { SymbolClass::Procedure };
        if is_dummy {
            return self.indirect_function(name, arguments, span);
        }
        match own {
            Some(this) => self.function_reference(Callee::Procedure(this), arguments, span),
            _ => self.undeclared_function(name, arguments, span),
        }
    }

    fn element_or_section(&mut self, array: SymbolId, arguments: Node<'t>, span: Span) -> ExpressionKind {
        let items = named_children(arguments);
        if items.len() != self.symbols[array.0].rank() || items.iter().any(|item| item.kind() == "keyword_argument") {
            return self.opaque(span, "subscripts that do not fit the declaration");
        }
        // The variable of an implied loop is no variable of the procedure: some elements are meant.
        if items.iter().any(|item| self.mentions_scoped_name(*item)) {
            let selectors = self.bounds_in(arguments);
            let through_pointer = self.symbols[array.0].storage == Storage::Pointer;
            return ExpressionKind::Part {
                base: array,
                component: None,
                form: PartForm::Unnamed,
                through_pointer,
                selectors,
            };
        }
        let mut subscripts = Vec::with_capacity(items.len());
        for item in items {
            subscripts.push(match item.kind() {
                "extent_specifier" => self.range(item),
                "multiple_subscript" | "multiple_subscript_triplet" | "assumed_size" => {
                    return self.opaque(span, "subscripts that can't be read");
                }
                _ => {
                    let index = self.expression(item);
                    if self.may_be_array(&index) { Subscript::Vector(index) } else { Subscript::Index(index) }
                }
            });
        }
        if subscripts.iter().all(|subscript| matches!(subscript, Subscript::Index(_))) {
            let index = |subscript| match subscript {
                Subscript::Index(index) => Some(index),
                Subscript::Range { .. } | Subscript::Vector(_) => None,
            };
            return ExpressionKind::Element { array, subscripts: subscripts.into_iter().filter_map(index).collect() };
        }
        ExpressionKind::Section { array, subscripts }
    }

    /// `lower:upper:stride`
    fn range(&mut self, node: Node<'t>) -> Subscript {
        let mut parts: [Option<Expression>; 3] = [None, None, None];
        let mut position = 0;
        for child in all_children(node) {
            if child.kind() == ":" {
                position += 1;
            } else if child.is_named() && position < parts.len() {
                parts[position] = Some(self.expression(child));
            }
        }
        let [lower, upper, stride] = parts;
        Subscript::Range { lower, upper, stride }
    }

    /// Everything that is evaluated in a list of subscripts.
    pub fn bounds_in(&mut self, arguments: Node<'t>) -> Vec<Expression> {
        let mut found = Vec::new();
        for item in named_children(arguments) {
            if item.kind() == "extent_specifier" {
                found.extend(named_children(item).into_iter().map(|bound| self.expression(bound)));
            } else {
                found.push(self.argument_value(item));
            }
        }
        found
    }

    /// May the value have more than one element?
    pub fn may_be_array(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Symbol(symbol) => self.symbols[symbol.0].shape != Shape::Scalar,
            ExpressionKind::Integer(_)
            | ExpressionKind::Logical(_)
            | ExpressionKind::Literal
            | ExpressionKind::Element { .. }
            | ExpressionKind::Part { form: PartForm::Element, .. } => false,
            ExpressionKind::Unary { operand, .. } => self.may_be_array(operand),
            ExpressionKind::Binary { left, right, .. } => self.may_be_array(left) || self.may_be_array(right),
            ExpressionKind::Call { callee: Callee::PureIntrinsic(_), arguments } => {
                arguments.iter().any(|argument| self.may_be_array(argument))
            }
            ExpressionKind::Part { base, .. } => {
                let symbol = &self.symbols[base.0];
                // The components of a structure may be arrays.
                symbol.shape != Shape::Scalar || symbol.element.category == TypeCategory::Derived
            }
            ExpressionKind::Section { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::ArrayConstructor(_)
            | ExpressionKind::Computed(_)
            | ExpressionKind::Opaque(_) => true,
        }
    }

    /// A chain of components and subscripts.
    ///
    /// Numbers, and arrays of them, that lie at one place in an object are variables of their own ([`super::components`]);
    /// everything else is a part of the variable at the beginning.
    fn part(&mut self, name: &str, steps: &[Step<'t>], span: Span) -> ExpressionKind {
        let symbol = match self.name_use(name) {
            NameUse::Object(symbol) if self.symbols[symbol.0].class != SymbolClass::Unknown => symbol,
            NameUse::Undeclared => match self.implicit_symbol(name) {
                Some(symbol) => symbol,
                None => return self.opaque(span, "a name that is not declared"),
            },
            NameUse::Library(name) => return of_library(name, self.evaluated_in(steps)),
            NameUse::Unknown(why) => return self.opaque(span, &format!("a name that may come from {why}")),
            _ => return self.opaque(span, "a part of something that is no variable"),
        };
        let is_scalar = self.symbols[symbol.0].rank() == 0;
        if is_scalar && matches!(steps.first(), Some(Step::Arguments(_))) {
            return self.opaque(span, "a part of a function's value");
        }
        if let Some(component) = self.component_of(name, symbol, steps, span) {
            return match steps.last() {
                Some(Step::Arguments(arguments)) => self.element_or_section(component, *arguments, span),
                _ => ExpressionKind::Symbol(component),
            };
        }
        let selectors = self.evaluated_in(steps);
        if let Some(array) = self.component_with_part(name, symbol, steps, span) {
            return ExpressionKind::Part {
                base: array,
                component: None,
                form: PartForm::Unnamed,
                through_pointer: false,
                selectors,
            };
        }
        let arguments_of_call = steps.iter().rev().find_map(|step| match step {
            Step::Arguments(list) => Some(*list),
            _ => None,
        });
        let mut through_pointer = self.symbols[symbol.0].storage == Storage::Pointer;
        let mut current = self.type_of(name);
        let mut component = None;
        for step in steps {
            let member = match step {
                Step::Member(member) => member,
                Step::Typed(narrowing) => {
                    current = Some((narrowing.home, narrowing.declared.clone()));
                    continue;
                }
                Step::Arguments(_) | Step::Evaluated => continue,
            };
            let (home, declared) = match current {
                // Parts of complex numbers and type parameters.
                Some((_, ref declared)) if declared.derived.is_none() && is_intrinsic_part(member) => {
                    component = None;
                    break;
                }
                Some((home, declared)) => (home, declared),
                None => return self.opaque(span, "a component of an unknown type"),
            };
            let Some(type_name) = declared.derived.clone() else {
                return self.opaque(span, "a component of something that has none");
            };
            if self.scopes.is_standard_type(home, &type_name) {
                current = Some((home, DeclaredType::unknown()));
                component = None;
                break;
            }
            match self.scopes.member(home, &type_name, member) {
                Member::Component { unit, structure, component: declared } => {
                    through_pointer |= declared.pointer;
                    let (structure, name) = (structure.to_string(), member.clone());
                    component = Some(Box::new(ComponentName { structure, name }));
                    current = Some((unit, declared.declared_type.clone()));
                }
                Member::Ancestor(unit, parent) => {
                    let mut declared = DeclaredType::intrinsic(TypeCategory::Derived, None);
                    declared.derived = Some(parent.to_string());
                    component = None;
                    current = Some((unit, declared));
                }
                // A pointer to procedures that is associated or handed on.
                Member::ProcedurePointer(..) if matches!(steps.last(), Some(Step::Member(_))) => {
                    (component, current, through_pointer) = (None, None, true);
                    break;
                }
                Member::ProcedurePointer(..) | Member::Procedure => {
                    let mut arguments = vec![Expression::new(ExpressionKind::Symbol(symbol), span)];
                    arguments.extend(arguments_of_call.map(|list| self.argument_values(list)).unwrap_or_default());
                    return ExpressionKind::Call { callee: Callee::Unknown(through_object(name, member)), arguments };
                }
                Member::Unknown => return self.opaque(span, "a component that is not declared"),
            }
        }
        if let Some((home, declared)) = current
            && let Some(type_name) = declared.derived
        {
            through_pointer |= self.scopes.type_has_pointers(home, &type_name);
        }
        let form = match &component {
            Some(last) => self.form_of_part((name, symbol), steps, &last.name, span),
            None => PartForm::Unnamed,
        };
        ExpressionKind::Part { base: symbol, component, form, through_pointer, selectors }
    }

    /// The component that a chain leads to, all of it or elements of it, if it has a symbol of its own.
    fn component_of(&mut self, name: &str, object: SymbolId, steps: &[Step<'t>], span: Span) -> Option<SymbolId> {
        let chain = match steps {
            [chain @ .., Step::Arguments(_)] => chain,
            _ => steps,
        };
        self.component_symbol(name, object, chain, span)
    }

    /// The array with a symbol of its own of which the steps lead to a part that is not described.
    fn component_with_part(
        &mut self,
        name: &str,
        object: SymbolId,
        steps: &[Step<'t>],
        span: Span,
    ) -> Option<SymbolId> {
        let first = steps.iter().position(|step| matches!(step, Step::Evaluated))?;
        let (chain, rest) = steps.split_at(first);
        let is_whole_element = rest.iter().all(|step| matches!(step, Step::Evaluated | Step::Arguments(_)));
        if is_whole_element { self.component_symbol(name, object, chain, span) } else { None }
    }

    /// The type of the variable `name` and the unit in whose scope the names of types are meant.
    pub fn type_of(&self, name: &str) -> Option<(UnitIndex, DeclaredType)> {
        if is_key(name) {
            return self.type_of_key(name);
        }
        match self.find(name) {
            Found::Entity { unit, entity } => Some((unit, entity.declared_type.clone()?)),
            Found::Nothing => Some((self.unit, self.scope.implicit_type(name)?)),
            Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) => None,
        }
    }
}

fn is_intrinsic_part(member: &str) -> bool {
    matches!(member, "re" | "im" | "kind" | "len")
}
