//! Statement functions: `name(x, y) = expression` among the declarations (Fortran 2018, 15.6.4).
//!
//! A reference is a value that is computed from its actual arguments and from what the expression names, as these are when the
//! reference is evaluated. The dummy arguments are scalars that nothing else in the procedure knows. A name in the expression
//! means what it means in the procedure, whatever construct the reference stands in.

use std::collections::HashSet;

use super::super::text::syntax_tree::Node;

use super::super::names::association::{Found, Scopes};
use super::super::names::intrinsics::is_pure_function;
use super::super::names::scope::Meaning;
use super::super::names::statement_function_parts::parts_of;
use super::super::names::units::{Source, UnitIndex, UnitKind, Units};
use super::super::text::tree::{descendants_of_kinds, named_children};
use super::lowering::Lowering;
use super::operations::evaluated_already;
use crate::ir::{Expression, ExpressionKind, Span};

/// A reference that takes more expressions than these, with what its expression refers to, is not followed.
const MOST_EXPANSIONS: usize = 200;

/// One statement function.
pub(super) struct StatementFunction<'t> {
    /// Its name.
    name: String,
    /// The names of its dummy arguments.
    dummies: Vec<String>,
    /// The expression.
    value: Node<'t>,
}

/// What is known of the statement functions of a procedure.
#[derive(Default)]
pub(super) struct StatementFunctions<'t> {
    /// In the order of their statements: each may refer to those before it.
    functions: Vec<StatementFunction<'t>>,
    /// The first statement.
    pub first: Option<Node<'t>>,
    /// Those of the procedures around this one, which its own names hide.
    of_hosts: HashSet<String>,
    /// How many of the functions may be referred to: those before the one whose expression is being lowered.
    visible: Option<usize>,
    /// The actual arguments of the reference that is being lowered, by the names of the dummy arguments.
    arguments: Vec<(String, Expression)>,
    /// The expressions so far that the reference has taken.
    expansions: usize,
}

impl<'t> StatementFunctions<'t> {
    /// Is it the name of one that can be referred to here?
    pub fn has(&self, name: &str) -> bool {
        self.of_hosts.contains(name) || self.functions.iter().any(|function| function.name == name)
    }

    /// None so far but those of the procedures around `unit`. They can be followed where nothing that they name could be something
    /// else inside.
    pub fn inside(sources: &[Source<'t>], units: &Units<'t>, scopes: &Scopes<'t>, unit: UnitIndex) -> Self {
        let host_of = |unit: UnitIndex| {
            units.list[unit].host.filter(|&host| matches!(units.list[host].kind, UnitKind::Procedure(_)))
        };
        let mut found = Self::default();
        let mut hosts: Vec<UnitIndex> = std::iter::successors(host_of(unit), |&host| host_of(host)).collect();
        hosts.reverse();
        for around in hosts {
            let source = &sources[units.list[around].source];
            for part in &units.list[around].parts {
                let Some((name, dummies, value)) = parts_of(source, *part) else { continue };
                if is_array(scopes, around, &name) {
                    continue;
                }
                let function = StatementFunction { name, dummies, value };
                let is_hidden =
                    scopes.list[unit].as_ref().is_none_or(|scope| scope.entities.contains_key(&function.name));
                let host = Declared { units, scopes, unit: around };
                if !is_hidden
                    && host.is_clear(&function, &found.functions)
                    && found.means_one_thing(source, &host, unit, &function)
                {
                    found.functions.push(function);
                } else {
                    found.of_hosts.insert(function.name);
                }
            }
        }
        found
    }

    /// Does the function name nothing but constants, intrinsic functions and other such functions, which are the same in `inside`?
    fn means_one_thing(
        &self,
        source: &Source<'t>,
        host: &Declared<'_, 't>,
        inside: UnitIndex,
        function: &StatementFunction<'t>,
    ) -> bool {
        let named = descendants_of_kinds(function.value, &["identifier", "type_member"]);
        named.into_iter().map(|node| source.lower(node)).all(|name| {
            let is_known =
                function.dummies.contains(&name) || self.functions.iter().any(|earlier| earlier.name == name);
            let is_constant = || match (host.scopes.find(host.unit, &name), host.scopes.find(inside, &name)) {
                (Found::Entity { unit, entity }, Found::Entity { unit: same, .. }) => {
                    unit == same && matches!(entity.meaning, Meaning::Constant(_))
                }
                (Found::Nothing, Found::Nothing) => {
                    is_pure_function(&name) && !host.scopes.externals.contains_key(&name)
                }
                _ => false,
            };
            is_known || is_constant()
        })
    }
}

/// A procedure that declares functions.
struct Declared<'a, 't> {
    units: &'a Units<'t>,
    scopes: &'a Scopes<'t>,
    unit: UnitIndex,
}

impl Declared<'_, '_> {
    /// Is the function, behind these, certainly one?
    fn is_clear(&self, function: &StatementFunction<'_>, before: &[StatementFunction<'_>]) -> bool {
        let name = &function.name;
        let is_variable_here = match self.scopes.find(self.unit, name) {
            Found::Entity { unit, entity } => {
                let attributes = entity.attributes;
                let is_more =
                    attributes.dummy || attributes.pointer || attributes.allocatable || entity.common.is_some();
                unit == self.unit && entity.meaning == Meaning::Variable && !is_more
            }
            _ => self.scopes.list[self.unit].as_ref().is_some_and(|scope| scope.implicit_type(name).is_some()),
        };
        is_variable_here
            && *name != self.units.list[self.unit].name
            && before.iter().all(|earlier| earlier.name != *name)
            && function.dummies.iter().collect::<HashSet<_>>().len() == function.dummies.len()
            && !function.value.has_error()
    }
}

/// Is the name that of an array, or of something that may be one?
fn is_array(scopes: &Scopes<'_>, unit: UnitIndex, name: &str) -> bool {
    match scopes.find(unit, name) {
        Found::Entity { entity, .. } => !entity.dimensions.is_empty() || entity.assumed_rank,
        Found::Nothing => false,
        Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) => true,
    }
}

impl<'t> Lowering<'_, 't> {
    /// Reads the statement `part`, if it is a statement function: no array has its name. One that could be something else
    /// (an assignment to what a function points to) keeps the procedure from being touched.
    pub fn read_statement_function(&mut self, part: Node<'t>) -> bool {
        let Some((name, dummies, value)) = parts_of(self.source, part) else { return false };
        if is_array(self.scopes, self.unit, &name) {
            return false;
        }
        let function = StatementFunction { name, dummies, value };
        let declared = Declared { units: self.units, scopes: self.scopes, unit: self.unit };
        let is_clear = declared.is_clear(&function, &self.statement_functions.functions);
        let functions = &mut self.statement_functions;
        functions.first.get_or_insert(part);
        if is_clear {
            functions.functions.push(function);
        } else {
            let span = self.source.span_of(part);
            self.mark_untouchable(span, "a statement function that may be something else");
        }
        true
    }

    /// `name(arguments)`, if that is a reference to a statement function.
    pub fn statement_function_reference(
        &mut self,
        name: &str,
        arguments: Node<'t>,
        span: Span,
    ) -> Option<ExpressionKind> {
        let Some(index) = self.statement_functions.functions.iter().position(|function| function.name == name) else {
            let is_of_host =
                self.statement_functions.of_hosts.contains(name) && !self.scope.entities.contains_key(name);
            return is_of_host.then(|| self.opaque(span, "a statement function of the procedure around"));
        };
        let nodes = named_children(arguments);
        let function = &self.statement_functions.functions[index];
        let (dummies, body) = (function.dummies.clone(), function.value);
        let outer = self.statement_functions.visible;
        if outer.is_none() {
            self.statement_functions.expansions = 0;
        }
        self.statement_functions.expansions += 1;
        if outer.is_some_and(|visible| index >= visible) || self.statement_functions.expansions > MOST_EXPANSIONS {
            return Some(self.opaque(span, "a statement function that refers to itself"));
        }
        if nodes.len() != dummies.len() || nodes.iter().any(|node| node.kind() == "keyword_argument") {
            return Some(self.opaque(span, "a statement function with other arguments"));
        }
        let mut operands: Vec<Expression> = nodes.into_iter().map(|node| self.expression(node)).collect();
        let known = dummies.into_iter().zip(operands.iter().map(evaluated_already)).collect();
        let outer_arguments = std::mem::replace(&mut self.statement_functions.arguments, known);
        let outer_names = std::mem::take(&mut self.open_names);
        let outer_scoped = std::mem::take(&mut self.scoped_names);
        self.statement_functions.visible = Some(index);
        let mut value = self.expression(body);
        self.statement_functions.visible = outer;
        self.scoped_names = outer_scoped;
        self.open_names = outer_names;
        self.statement_functions.arguments = outer_arguments;
        // It is evaluated here.
        value.rewrite(&mut |part| part.span = span);
        operands.push(value);
        Some(ExpressionKind::Computed(operands))
    }

    /// The value of the actual argument, if `name` is a dummy argument in the expression of a statement function.
    pub fn statement_argument(&self, name: &str) -> Option<Expression> {
        let arguments = &self.statement_functions.arguments;
        arguments.iter().find(|(dummy, _)| dummy == name).map(|(_, value)| value.clone())
    }
}
