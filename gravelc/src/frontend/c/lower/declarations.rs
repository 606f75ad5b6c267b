//! Declarations: the names of a block, and the values that objects begin with.

use super::lowering::Lowering;
use crate::frontend::c::unit::{self, ExpressionId, Initialiser, StatementKind as Kind, SymbolKind};
use crate::ir::{Expression, ExpressionKind, Room, StatementKind, SymbolClass, Unread};

impl Lowering<'_> {
    /// The names that a block declares: of objects, and of constants, types and functions that mean something else around it.
    pub fn names_declared(&self, items: &[unit::StatementId]) -> Vec<String> {
        let mut names = Vec::new();
        for item in items {
            let statement = self.unit.statement(*item);
            let Kind::Declaration { symbols, changes_names, .. } = &statement.kind else { continue };
            let is_object = |id: &&unit::SymbolId| self.unit.symbol(**id).kind == SymbolKind::Object;
            names.extend(symbols.iter().filter(is_object).map(|id| self.spelling(*id).to_owned()));
            if *changes_names {
                let declared = (0..self.unit.symbols.len()).map(unit::SymbolId::next).filter(|id| {
                    let symbol = self.unit.symbol(*id);
                    let is_inside =
                        statement.range.start <= symbol.range.start && symbol.range.end <= statement.range.end;
                    is_inside && symbol.kind != SymbolKind::Object
                });
                names.extend(declared.map(|id| self.spelling(id).to_owned()));
            }
        }
        names.retain(|name| !name.is_empty());
        names
    }

    /// Notes where names are declared.
    pub fn declare(&mut self, symbols: &[unit::SymbolId]) {
        if let Some(scope) = self.scope {
            self.scopes.extend(symbols.iter().map(|symbol| (*symbol, scope)));
        }
    }

    pub fn add_declaration(&mut self, symbols: &[unit::SymbolId], bounds: &[ExpressionId], range: &unit::Span) {
        self.declare(symbols);
        if bounds.iter().any(|bound| self.has_call(*bound)) {
            let unread = self.unread_expressions(bounds, "the length of an array");
            self.add_unread(unread, range);
        }
        let unit = self.unit;
        let first = self.statements.len();
        for &id in symbols {
            let declared = unit.symbol(id);
            if declared.attributes.has_cleanup {
                let unread = Unread::unknown("a variable at whose end a function runs");
                self.add_unread(unread, range);
            }
            if declared.kind != SymbolKind::Object || declared.storage != unit::Storage::Automatic {
                continue;
            }
            if let Some(initialiser) = &declared.initialiser {
                self.as_one(range, |this| this.add_initialiser(id, initialiser));
            }
        }
        // Nothing comes between the names of one declaration.
        let added = &mut self.statements[first..];
        if added.len() > 1 {
            added.iter_mut().filter(|it| it.room == Room::OwnLines).for_each(|it| it.room = Room::Inside);
        }
    }

    /// Some names mean something else behind the declaration whose statements begin with `first`, if it has any.
    pub fn note_change_of_names(&mut self, first: usize, span: crate::ir::Span) {
        if first == self.statements.len() && !self.block.is_empty() {
            self.add(StatementKind::Nothing, span);
        }
        self.statements[first..].iter_mut().for_each(|it| it.changes_names = true);
    }

    fn add_initialiser(&mut self, id: unit::SymbolId, initialiser: &Initialiser) {
        let span = self.carrier;
        let values: Vec<ExpressionId> = initialiser.items.iter().map(|item| item.value).collect();
        let symbol = self.symbol(id);
        let target = Expression::new(ExpressionKind::Symbol(symbol), span);
        let of_whole = match initialiser.items.as_slice() {
            [only] if only.path.is_empty() => Some(only.value),
            _ => None,
        };
        if let Some(call) = of_whole.filter(|value| self.messaging_call_in(*value).is_some())
            && self.unit.types.as_integer(self.unit.symbol(id).ty.id).is_some()
        {
            let handed = self.arguments_of(call);
            self.full(&handed, true, |this| this.add_messaging_call(call, Some(target)));
            return;
        }
        self.full(&values, true, |this| {
            let value = match of_whole {
                Some(value) => this.initial_value(value),
                None => {
                    let values: Vec<Expression> = values.iter().map(|value| this.initial_value(*value)).collect();
                    let handle = this.handle_of_all(&values).filter(|_| this.holds_handles(id));
                    Expression::new(handle.unwrap_or(ExpressionKind::Computed(values)), span)
                }
            };
            this.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
            if this.pointee(id).is_some() {
                this.add_new_target(id, Vec::new());
            }
        });
    }

    /// The constant of MPI that all are. Of handles it is that of a whole array: the zeros that a list leaves to the rest are none.
    fn handle_of_all(&self, values: &[Expression]) -> Option<ExpressionKind> {
        let ExpressionKind::Symbol(first) = values.first()?.kind else { return None };
        let is_same = |value: &Expression| matches!(value.kind, ExpressionKind::Symbol(one) if one == first);
        let is_handle = self.symbols[first.0].class == SymbolClass::MessagingConstant;
        (is_handle && values.iter().all(is_same)).then_some(ExpressionKind::Symbol(first))
    }
}
