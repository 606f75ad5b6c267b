//! Generic names: which of the procedures behind one a reference means (Fortran 2018, 15.5.5.2).
//!
//! A procedure is ruled out where an argument certainly does not fit its dummy argument. Kinds rule out nothing, for
//! compiler flags change those of default types. What is left may be meant; in a valid program one of them is, and that is
//! the one that certainly fits, if one does ([`super::certain_references`]).

use std::collections::HashSet;

use super::super::text::syntax_tree::Node;

use super::super::names::association::{Found, Scopes};
use super::super::names::intrinsics;
use super::super::names::scope::{Entity, Meaning};
use super::super::names::standard_modules;
use super::super::names::units::UnitIndex;
use super::super::text::tree::named_children;
use super::lowering::Lowering;
use super::symbols::NameUse;
use crate::ir::called_name::in_library;
use crate::ir::{
    Callee, Expression, ExpressionKind, ProcedureId, Room, Span, StatementId, StatementKind, Subscript, SymbolClass,
    TypeCategory, UnaryOperator,
};
use crate::known_libraries::may_export;

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

/// What a generic name may mean.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Candidate {
    /// A procedure of the program.
    Given(ProcedureId),
    /// An external procedure of this name that was not given; MPI's, too.
    External(String),
    /// A procedure in another language that was not given.
    Foreign(String),
    /// What a module of a library may have behind the name.
    Library(String),
    /// The intrinsic function that the generic name extends.
    IntrinsicFunction,
    /// The intrinsic subroutine that the generic name extends.
    IntrinsicSubroutine,
    /// The constructor of the type of the same name.
    Constructor,
}

/// Procedures behind a generic name.
#[derive(Default)]
struct Specifics<'n> {
    /// Their names, each with the unit that calls them so.
    list: Vec<(UnitIndex, String)>,
    /// What modules of libraries may add.
    of_libraries: Vec<String>,
    /// The units that have been asked for a name, whose answers are in the list: chains of USE meet again.
    asked: HashSet<(UnitIndex, &'n str)>,
}

impl<'t> Scopes<'t> {
    /// What may be behind the generic `name`; `None` if that can't be told.
    pub fn candidates(&self, unit: UnitIndex, name: &str) -> Option<Vec<Candidate>> {
        let mut specifics = Specifics::default();
        // What takes the address of its argument is not followed here.
        if matches!(name, "loc" | "c_loc") || !self.collect_specifics(unit, name, true, 0, &mut specifics) {
            return None;
        }
        let mut found: Vec<Candidate> =
            specifics.list.iter().map(|(unit, specific)| self.candidate(*unit, specific)).collect::<Option<_>>()?;
        found.extend(specifics.of_libraries.into_iter().map(Candidate::Library));
        found.extend(intrinsics::is_pure_function(name).then_some(Candidate::IntrinsicFunction));
        found.extend(intrinsics::subroutine(name).map(|_| Candidate::IntrinsicSubroutine));
        found.extend(self.find_type(unit, name).map(|_| Candidate::Constructor));
        found.sort();
        found.dedup();
        Some(found)
    }

    /// How many procedures `unit` may list behind the generic `name`, with the modules that it uses; `None` if that can't be
    /// told.
    pub fn specifics_without_host(&self, unit: UnitIndex, name: &str) -> Option<usize> {
        let mut found = Specifics::default();
        let is_read = self.collect_specifics(unit, name, false, 0, &mut found);
        is_read.then_some(found.list.len() + found.of_libraries.len())
    }

    /// What `unit` calls `name`.
    fn candidate(&self, unit: UnitIndex, name: &str) -> Option<Candidate> {
        let Found::Entity { entity, .. } = self.find(unit, name) else { return None };
        match entity.meaning {
            Meaning::Foreign => Some(Candidate::Foreign(entity.name.clone())),
            Meaning::External if entity.attributes.pointer => None,
            Meaning::External if !self.externals.contains_key(&entity.name) => {
                Some(Candidate::External(entity.name.clone()))
            }
            _ => self.specific(unit, name).map(Candidate::Given),
        }
    }

    fn collect_specifics<'a: 'n, 'n>(
        &'a self,
        unit: UnitIndex,
        name: &'n str,
        with_host: bool,
        depth: usize,
        found: &mut Specifics<'n>,
    ) -> bool {
        let Some(scope) =
            self.list[unit].as_ref().filter(|scope| !scope.may_declare_unread(name) && depth < MOST_MODULES)
        else {
            return false;
        };
        if !found.asked.insert((unit, name)) {
            return true;
        }
        match scope.entities.get(name).map(|entity| &entity.specifics) {
            Some(Some(specifics)) => found.list.extend(specifics.iter().map(|specific| (unit, specific.clone()))),
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
                    None if !may_export(&clause.module, original) => true,
                    None if self.is_of_library(&clause.module) => {
                        found.of_libraries.push(in_library(&clause.module, original));
                        true
                    }
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
                Meaning::External if !entity.attributes.pointer => *self.externals.get(name)?,
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
        let mut candidates = self.scopes.candidates(self.unit, name).unwrap_or_default();
        candidates.retain(|candidate| !matches!(candidate, Candidate::IntrinsicFunction | Candidate::Constructor));
        // The only procedure behind the name is called like any other.
        match candidates.as_slice() {
            [Candidate::External(own)] => return self.external_call(own, nodes, span),
            [Candidate::Foreign(own)] => {
                self.doubtful_names.insert(own.clone());
                return self.call(Callee::Unknown(own.clone()), nodes, span);
            }
            _ => {}
        }
        let actuals = self.actuals(nodes);
        if let Some(id) = self.certainly_meant(name, &candidates, &actuals)
            && let Some(arguments) = self.in_order_of(id, &actuals, span)
        {
            return StatementKind::Call { callee: Callee::Procedure(id), arguments };
        }
        let mut calls: Vec<StatementKind> = self
            .meant(name, candidates, &actuals, span)
            .unwrap_or_default()
            .into_iter()
            .map(|(callee, arguments)| StatementKind::Call { callee, arguments })
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
            self.statements[case.0].room = Room::Inside;
            vec![case]
        });
        StatementKind::Select { selectors: Vec::new(), cases: cases.collect() }
    }

    /// `name(arguments)` of the generic `name`.
    pub fn generic_reference(&mut self, name: &str, list: Node<'t>, span: Span) -> ExpressionKind {
        let mut candidates = self.scopes.candidates(self.unit, name).unwrap_or_default();
        candidates.retain(|candidate| *candidate != Candidate::IntrinsicSubroutine);
        if let [Candidate::External(own)] = candidates.as_slice()
            && let NameUse::Messaging(original) = self.external(own)
        {
            return self.messaging_function(&original, list, span);
        }
        let actuals = self.actuals(&named_children(list));
        if let Some(id) = self.certainly_meant(name, &candidates, &actuals)
            && let Some(arguments) = self.in_order_of(id, &actuals, span)
        {
            return ExpressionKind::Call { callee: Callee::Procedure(id), arguments };
        }
        let may_construct = candidates.contains(&Candidate::Constructor);
        candidates.retain(|candidate| *candidate != Candidate::Constructor);
        let meant = self.meant(name, candidates, &actuals, span);
        let may_construct = may_construct && meant.is_some();
        let calls = meant.unwrap_or_default().into_iter();
        let mut references: Vec<ExpressionKind> =
            calls.map(|(callee, arguments)| ExpressionKind::Call { callee, arguments }).collect();
        if may_construct {
            self.note_construction(name, span);
            references.push(ExpressionKind::Computed(actuals.iter().map(|actual| actual.value.clone()).collect()));
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

    /// The procedures that a reference with these arguments may mean, each with its arguments in order; `None` if that can't
    /// be told.
    fn meant(
        &mut self,
        name: &str,
        candidates: Vec<Candidate>,
        actuals: &[Actual],
        span: Span,
    ) -> Option<Vec<(Callee, Vec<Expression>)>> {
        let mut meant = Vec::new();
        for candidate in candidates {
            let callee = match candidate {
                Candidate::Given(id) => {
                    if self.may_be_meant(id, actuals) {
                        let arguments = self.in_order_of(id, actuals, span);
                        meant.extend(arguments.map(|arguments| (Callee::Procedure(id), arguments)));
                    }
                    continue;
                }
                Candidate::Library(own) => Callee::Unknown(own),
                // Nothing tells which of their arguments a keyword names.
                _ if actuals.iter().any(|actual| actual.keyword.is_some()) => return None,
                Candidate::External(own) => match self.external(&own) {
                    NameUse::Procedure(callee) => callee,
                    _ => return None,
                },
                Candidate::Foreign(own) => {
                    self.doubtful_names.insert(own.clone());
                    Callee::Unknown(own)
                }
                Candidate::IntrinsicFunction => Callee::PureIntrinsic(name.to_string()),
                Candidate::IntrinsicSubroutine | Candidate::Constructor => return None,
            };
            meant.push((callee, actuals.iter().map(|actual| actual.value.clone()).collect()));
        }
        Some(meant)
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
    pub fn is_elemental(&self, unit: UnitIndex) -> bool {
        self.units.prefixes(self.sources, unit).iter().any(|prefix| prefix == "elemental")
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
                (!self.has_any_rank(*id)).then(|| self.symbols[id.0].rank())
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
        let mut ordered = vec![Expression::absent(span); count];
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
pub(super) fn positions(dummies: &[String], actuals: &[Actual]) -> Option<Vec<usize>> {
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
