//! Generic names: which of the procedures behind one a reference means (Fortran 2018, 15.5.5.2).
//!
//! A procedure is ruled out where an argument certainly does not fit its dummy argument. Kinds rule out nothing, for
//! compiler flags change those of default types. What is left may be meant; in a valid program one of them is.

use tree_sitter::Node;

use super::association::{Found, Scopes};
use super::intrinsics;
use super::lowering::Lowering;
use super::scope::{Entity, Meaning};
use super::standard_modules;
use super::units::UnitIndex;
use crate::ir::{
    Callee, Expression, ExpressionKind, ProcedureId, Span, StatementId, StatementKind, Subscript, SymbolClass,
    TypeCategory, UnaryOperator,
};

/// Longer chains of modules are not followed.
const MOST_MODULES: usize = 64;

/// An actual argument with its keyword.
#[derive(Clone)]
pub(super) struct Actual {
    /// The dummy argument that it names.
    pub keyword: Option<String>,
    /// What is handed over.
    pub value: Expression,
}

impl<'t> Scopes<'t> {
    /// The names of the procedures behind the generic `name` with the units that list them; `None` if there may be others.
    fn specifics(&self, unit: UnitIndex, name: &str) -> Option<Vec<(UnitIndex, String)>> {
        let mut found = Vec::new();
        // A structure constructor and an intrinsic procedure may be behind the name, too.
        let is_more = intrinsics::is_pure_function(name)
            || intrinsics::subroutine(name).is_some()
            || self.find_type(unit, name).is_some();
        let is_complete = !is_more && self.collect_specifics(unit, name, true, 0, &mut found);
        is_complete.then_some(found)
    }

    fn collect_specifics(
        &self,
        unit: UnitIndex,
        name: &str,
        with_host: bool,
        depth: usize,
        found: &mut Vec<(UnitIndex, String)>,
    ) -> bool {
        let Some(scope) = self.list[unit].as_ref().filter(|scope| scope.incomplete.is_none() && depth < MOST_MODULES)
        else {
            return false;
        };
        match scope.entities.get(name).map(|entity| &entity.specifics) {
            Some(Some(specifics)) => found.extend(specifics.iter().map(|specific| (unit, specific.clone()))),
            Some(None) => return false,
            None => {}
        }
        for clause in &scope.uses {
            let listed: Vec<&str> =
                clause.names.iter().filter(|(local, _)| local == name).map(|(_, original)| original.as_str()).collect();
            let is_renamed = clause.names.iter().any(|(_, original)| original == name);
            let originals = if listed.is_empty() && !clause.only && !is_renamed { vec![name] } else { listed };
            for original in originals {
                let is_read = match self.modules.get(&clause.module) {
                    Some(Some(module)) => match &self.list[*module] {
                        Some(scope) if !scope.is_public(original) => true,
                        Some(_) => self.collect_specifics(*module, original, false, depth + 1, found),
                        None => false,
                    },
                    Some(None) => false,
                    None => {
                        standard_modules::is_standard(&clause.module)
                            && standard_modules::find(&clause.module, original).is_none()
                    }
                };
                if !is_read {
                    return false;
                }
            }
        }
        match scope.host.filter(|_| with_host) {
            Some(host) => self.collect_specifics(host, name, true, depth + 1, found),
            None => true,
        }
    }

    /// The procedure that `unit` calls `name`, if it is one of the program.
    pub fn specific(&self, unit: UnitIndex, name: &str) -> Option<ProcedureId> {
        match self.find(unit, name) {
            Found::Entity { entity, .. } => match entity.meaning {
                Meaning::Procedure(id) => Some(id),
                Meaning::External => *self.externals.get(name)?,
                _ => None,
            },
            _ => None,
        }
    }
}

impl<'t> Lowering<'_, 't> {
    /// `call name(arguments)` of the generic `name`: a call of the procedure that is meant, or of one of several.
    pub fn generic_call(&mut self, name: &str, nodes: &[Node<'t>], id: StatementId, span: Span) -> StatementKind {
        if nodes.iter().any(|node| node.kind() == "assumed_size") {
            return self.opaque_statement(span, "a CALL with alternate returns");
        }
        let actuals = self.actuals(nodes);
        let meant = self.meant(name, &actuals);
        let mut calls: Vec<StatementKind> = meant
            .iter()
            .filter_map(|&id| {
                let arguments = self.in_order_of(id, &actuals, span)?;
                Some(StatementKind::Call { callee: Callee::Procedure(id), arguments })
            })
            .collect();
        match calls.len() {
            0 => {
                self.indirect_names.insert(name.to_string());
                let arguments = actuals.into_iter().map(|actual| actual.value).collect();
                StatementKind::Call { callee: Callee::Unknown(name.to_string()), arguments }
            }
            1 => calls.remove(0),
            _ => self.one_of(calls, id, span),
        }
    }

    /// The statement `id`, which is one of these calls.
    pub fn one_of(&mut self, calls: Vec<StatementKind>, id: StatementId, span: Span) -> StatementKind {
        let cases = calls.into_iter().map(|call| {
            let case = self.add(span, Some(id), call);
            self.statements[case.0].shares_line = true;
            vec![case]
        });
        StatementKind::Select { selectors: Vec::new(), cases: cases.collect() }
    }

    /// `name(arguments)` of the generic `name`.
    pub fn generic_reference(&mut self, name: &str, nodes: &[Node<'t>], span: Span) -> ExpressionKind {
        let actuals = self.actuals(nodes);
        let mut references: Vec<ExpressionKind> = Vec::new();
        for id in self.meant(name, &actuals) {
            let arguments = self.in_order_of(id, &actuals, span);
            references
                .extend(arguments.map(|arguments| ExpressionKind::Call { callee: Callee::Procedure(id), arguments }));
        }
        match references.len() {
            0 => {}
            1 => return references.remove(0),
            _ => return one_of(references, span),
        }
        self.indirect_names.insert(name.to_string());
        let arguments = actuals.into_iter().map(|actual| actual.value).collect();
        ExpressionKind::Call { callee: Callee::Unknown(name.to_string()), arguments }
    }

    /// The arguments as they stand in a reference.
    pub fn actuals(&mut self, nodes: &[Node<'t>]) -> Vec<Actual> {
        let mut actuals = Vec::with_capacity(nodes.len());
        for node in nodes {
            let is_keyword = node.kind() == "keyword_argument";
            let value = if is_keyword { node.child_by_field_name("value") } else { Some(*node) };
            let keyword = node.child_by_field_name("name").filter(|_| is_keyword).map(|name| self.source.lower(name));
            actuals.push(Actual { keyword, value: self.expression(value.unwrap_or(*node)) });
        }
        actuals
    }

    /// The procedures that a reference with these arguments may mean; none if that can't be told.
    fn meant(&self, name: &str, actuals: &[Actual]) -> Vec<ProcedureId> {
        let Some(specifics) = self.scopes.specifics(self.unit, name) else { return Vec::new() };
        let ids: Option<Vec<ProcedureId>> =
            specifics.iter().map(|(unit, specific)| self.scopes.specific(*unit, specific)).collect();
        let mut ids = ids.unwrap_or_default();
        ids.sort();
        ids.dedup();
        ids.retain(|&id| self.may_be_meant(id, actuals));
        ids
    }

    /// Do the arguments fit the procedure, as far as can be told?
    pub fn may_be_meant(&self, id: ProcedureId, actuals: &[Actual]) -> bool {
        let unit = self.units.of_procedure[id.0];
        let Some(scope) = self.scopes.list[unit].as_ref().filter(|scope| scope.incomplete.is_none()) else {
            return true;
        };
        let dummies = self.dummy_names(unit);
        let Some(positions) = positions(&dummies, actuals) else { return false };
        let is_elemental = self.is_elemental(unit);
        let is_unchecked = self.sources[self.units.list[unit].source].leaves_arguments_unchecked;
        dummies.iter().enumerate().all(|(index, dummy)| {
            let entity = scope.entities.get(dummy);
            match positions.iter().position(|&position| position == index) {
                Some(_) if is_unchecked => true,
                Some(actual) => entity.is_none_or(|entity| {
                    let structure = entity.declared_type.as_ref().and_then(|it| self.scopes.structure_of(unit, it));
                    self.may_fit(&actuals[actual].value, entity, structure.as_deref(), is_elemental)
                }),
                None => entity.is_some_and(|entity| entity.attributes.optional),
            }
        })
    }

    /// May the procedure of the unit be called for each element of an array?
    fn is_elemental(&self, unit: UnitIndex) -> bool {
        let unit = &self.units.list[self.units.declaring(unit)];
        let header = unit.header.map(|header| self.sources[unit.source].lower(header)).unwrap_or_default();
        header.contains("elemental")
    }

    fn may_fit(&self, actual: &Expression, dummy: &Entity<'t>, structure: Option<&str>, is_elemental: bool) -> bool {
        if dummy.meaning != Meaning::Variable {
            return true;
        }
        let expected = dummy.element().category;
        let (category, own) = self.known_type(actual);
        let is_other_category =
            category != TypeCategory::Unknown && expected != TypeCategory::Unknown && category != expected;
        let is_polymorphic = dummy.declared_type.as_ref().is_none_or(|declared| declared.polymorphic);
        let is_other_structure = !is_polymorphic && structure.is_some() && own.is_some() && own != structure;
        let is_other_rank = !is_elemental
            && !dummy.assumed_rank
            && self.known_rank(actual).is_some_and(|rank| rank != dummy.dimensions.len());
        !(is_other_category || is_other_structure || is_other_rank)
    }

    /// The type as far as it is certain, with the type of an object.
    fn known_type<'s>(&'s self, value: &'s Expression) -> (TypeCategory, Option<&'s str>) {
        match &value.kind {
            ExpressionKind::Integer(_) => (TypeCategory::Integer, None),
            ExpressionKind::Logical(_) => (TypeCategory::Logical, None),
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. } => {
                let symbol = &self.symbols[id.0];
                match symbol.class {
                    SymbolClass::Variable if self.has_uncertain_type(*id) => (TypeCategory::Unknown, None),
                    SymbolClass::Variable | SymbolClass::Constant(_) => {
                        (symbol.element.category, symbol.structure.as_deref())
                    }
                    _ => (TypeCategory::Unknown, None),
                }
            }
            ExpressionKind::Unary { operator: UnaryOperator::Identity | UnaryOperator::Negate, operand } => {
                self.known_type(operand)
            }
            _ => (TypeCategory::Unknown, None),
        }
    }

    /// The number of dimensions, where it is certain.
    pub fn known_rank(&self, value: &Expression) -> Option<usize> {
        match &value.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Literal => Some(0),
            ExpressionKind::Element { .. } => Some(0),
            ExpressionKind::Symbol(id) if self.symbols[id.0].class == SymbolClass::Variable => {
                Some(self.symbols[id.0].rank())
            }
            ExpressionKind::Section { subscripts, .. } => {
                Some(subscripts.iter().filter(|subscript| !matches!(subscript, Subscript::Index(_))).count())
            }
            ExpressionKind::Unary { operand, .. } => self.known_rank(operand),
            _ => None,
        }
    }

    /// The arguments in the order of the procedure's dummy arguments.
    pub fn in_order_of(&self, id: ProcedureId, actuals: &[Actual], span: Span) -> Option<Vec<Expression>> {
        let dummies = self.dummy_names(self.units.of_procedure[id.0]);
        let positions = positions(&dummies, actuals)?;
        let count = positions.iter().max().map_or(0, |last| last + 1);
        let absent = Expression::new(ExpressionKind::Computed(Vec::new()), Span { start: span.end, ..span });
        let mut ordered = vec![absent; count];
        for (actual, position) in actuals.iter().zip(positions) {
            ordered[position] = actual.value.clone();
        }
        Some(ordered)
    }
}

/// A reference that is one of these.
pub(super) fn one_of(references: Vec<ExpressionKind>, span: Span) -> ExpressionKind {
    ExpressionKind::Computed(references.into_iter().map(|kind| Expression::new(kind, span)).collect())
}

/// The dummy argument of each actual one; `None` if one has no dummy argument.
fn positions(dummies: &[String], actuals: &[Actual]) -> Option<Vec<usize>> {
    let mut positions = Vec::with_capacity(actuals.len());
    for (index, actual) in actuals.iter().enumerate() {
        let position = match &actual.keyword {
            Some(keyword) => dummies.iter().position(|dummy| dummy == keyword)?,
            None => index,
        };
        if position >= dummies.len() || positions.contains(&position) {
            return None;
        }
        positions.push(position);
    }
    Some(positions)
}
