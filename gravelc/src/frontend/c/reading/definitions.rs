//! Definitions of functions (C11 6.9.1).

use std::collections::HashMap;

use super::declarators::{Declarator, Part, Style};
use super::specifiers::Specifiers;
use super::{Parsed, Reader};
use crate::frontend::c::tokens::{Name, Sign};
use crate::frontend::c::types::{Type, TypeKind};
use crate::frontend::c::unit::{Doubt, ExpressionId, Function, HoleCause, Label, LabelId, StatementKind, SymbolId};

/// The function whose body is being read.
pub(super) struct Body {
    /// Its name.
    pub name: Name,
    /// What it gives.
    pub result: Type,
    /// The labels that are visible.
    pub labels: HashMap<Name, LabelId>,
    /// All labels.
    pub all_labels: Vec<LabelId>,
    /// The types of the values of the `switch`es around.
    pub switches: Vec<Type>,
    pub has_assembler: bool,
    pub has_computed_goto: bool,
}

impl Reader<'_> {
    /// Reads the rest of a definition: its number among the unit's functions.
    pub(super) fn function_definition(
        &mut self,
        specifiers: &Specifiers,
        name: Name,
        mut declarator: Declarator,
        is_nested: bool,
    ) -> Parsed<usize> {
        let outer = self.scopes.depth();
        // Names alone tell nothing of types: the declarations behind them do.
        let declared = match declarator.parts.first() {
            Some(Part::Function(parameters)) if matches!(parameters.style, Style::Names(_)) => {
                self.scopes.enter();
                let declared = self.parameter_declarations();
                self.scopes.leave_to(outer);
                declared?
            }
            _ => Vec::new(),
        };
        let base = self.with_attributes(specifiers.ty, &declarator.written);
        let ty = self.built(base, &declarator);
        let Some(Part::Function(parameters)) = (!declarator.parts.is_empty()).then(|| declarator.parts.remove(0))
        else {
            return Err(self.failure(HoleCause::Syntax));
        };
        let symbol = self.declare(name, ty, specifiers, &declarator);
        if self.unit.symbol(symbol).is_defined {
            self.doubt(declarator.range.clone(), Doubt::DefinedTwice);
        }
        self.unit.symbols[symbol.index()].is_defined = true;
        self.scopes.enter();
        let (parameters, bounds, is_old_style) = match parameters.style {
            Style::Prototype(given) => {
                for id in &given {
                    if let Some(name) = self.unit.symbol(*id).name {
                        self.scopes.declare(name, *id);
                    }
                }
                (given, parameters.bounds, false)
            }
            Style::Names(names) => (self.old_parameters(names, &declared), Vec::new(), true),
        };
        let read =
            self.function_body(symbol, name, ty, specifiers.start, (parameters, bounds), (is_old_style, is_nested));
        self.scopes.leave_to(outer);
        read
    }

    fn old_parameters(
        &mut self,
        names: Vec<(Name, std::ops::Range<u32>)>,
        declared: &[(Name, Type, std::ops::Range<u32>)],
    ) -> Vec<SymbolId> {
        let mut parameters = Vec::new();
        for (name, range) in names {
            let found = declared.iter().find(|(other, ..)| *other == name);
            let (ty, range) = match found {
                Some((_, ty, range)) => (*ty, range.clone()),
                None => (self.unit.types.int(), range),
            };
            parameters.push(self.add_parameter(Some(name), ty, range));
        }
        parameters
    }

    fn function_body(
        &mut self,
        symbol: SymbolId,
        name: Name,
        ty: Type,
        start: u32,
        (parameters, parameter_bounds): (Vec<SymbolId>, Vec<ExpressionId>),
        (is_old_style, is_nested): (bool, bool),
    ) -> Parsed<usize> {
        let result = match self.unit.types.as_function(ty.id) {
            Some(function) => function.result,
            None => self.unit.types.of(TypeKind::Void),
        };
        self.bodies.push(Body {
            name,
            result,
            labels: HashMap::new(),
            all_labels: Vec::new(),
            switches: Vec::new(),
            has_assembler: false,
            has_computed_goto: false,
        });
        let opens = self.start();
        let before = std::mem::take(&mut self.bounds);
        let depth = self.bodies.len();
        let read = self.nested(|reader| {
            reader.expect(Sign::LeftBrace)?;
            reader.block_items()
        });
        self.bounds = before;
        self.bodies.truncate(depth);
        let Some(body) = self.bodies.pop() else { return Err(self.failure(HoleCause::Syntax)) };
        let items = read?;
        let statement = self.add_statement(StatementKind::Block(items), opens);
        self.unit.functions.push(Function {
            symbol,
            parameters,
            body: statement,
            labels: body.all_labels,
            range: self.since(start),
            is_old_style,
            is_nested,
            has_assembler: body.has_assembler,
            has_computed_goto: body.has_computed_goto,
            parameter_bounds,
        });
        Ok(self.unit.functions.len() - 1)
    }

    /// The label of this name in the function around.
    pub(super) fn label(&mut self, name: Name) -> Parsed<LabelId> {
        let failure = self.failure(HoleCause::Syntax);
        let body = self.bodies.last_mut().ok_or(failure)?;
        if let Some(id) = body.labels.get(&name) {
            return Ok(*id);
        }
        self.new_label(name)
    }

    /// A label that hides another one of this name.
    pub(super) fn new_label(&mut self, name: Name) -> Parsed<LabelId> {
        let failure = self.failure(HoleCause::Syntax);
        let body = self.bodies.last_mut().ok_or(failure)?;
        let id = LabelId::next(self.unit.labels.len());
        self.unit.labels.push(Label { name, is_defined: false, is_taken: false });
        body.labels.insert(name, id);
        body.all_labels.push(id);
        Ok(id)
    }
}
