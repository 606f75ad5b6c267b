//! Statements: blocks, declarations, branches, loops without a count, jumps.

use super::communication::without_parentheses;
use super::lowering::Lowering;
use crate::frontend::c::unit::{
    self, BinaryOperator, ExpressionId, ForStart, Initialiser, Operation, StatementKind as Kind, SymbolKind,
};
use crate::ir::{
    Arm, Expression, ExpressionKind, Opacity, Operation as Meaning, Room, Scope, StatementId, StatementKind,
    SymbolClass, UnaryOperator, Unread,
};

/// Where the jumps of a loop, or of a `switch`, go.
#[derive(Debug, Clone, Copy)]
pub struct JumpTarget {
    /// Of `break`.
    pub breaks: StatementId,
    /// Of `continue`; none of a `switch`.
    pub continues: Option<Continue>,
}

/// What `continue` does.
#[derive(Debug, Clone, Copy)]
pub enum Continue {
    /// It begins the next iteration of this loop.
    Cycle(StatementId),
    /// It leaves this block, which the end of an iteration follows.
    Exit(StatementId),
}

impl Lowering<'_> {
    /// The statements of a block, in the block at hand.
    pub fn add_items(&mut self, items: &[unit::StatementId]) {
        let mut behind = None;
        for item in items {
            let span = self.span(&self.unit.statement(*item).range);
            if let Some(directive) = behind.and_then(|end| self.input.places.change_of_macros(end, span.start)) {
                let id = self.add(StatementKind::Nothing, directive);
                self.statements[id.0].changes_names = true;
            }
            let before = self.block.len();
            self.add_statement(*item);
            if let Some(hint) = self.hint_above(*item) {
                self.block[before..].iter().for_each(|id| self.statements[id.0].hint = Some(hint));
            }
            if self.input.places.change_of_macros(span.start, span.end).is_some() {
                self.block[before..].iter().for_each(|id| self.statements[id.0].changes_names = true);
            }
            behind = Some(span.end);
        }
    }

    /// A statement, with all that it holds.
    pub fn add_statement(&mut self, id: unit::StatementId) {
        let unit = self.unit;
        let statement = unit.statement(id);
        let range = &statement.range;
        let span = self.span(range);
        match &statement.kind {
            Kind::Block(items) => self.add_block(items, range),
            Kind::Declaration { symbols, bounds, changes_names } => {
                let first = self.statements.len();
                self.add_declaration(symbols, bounds, range);
                if *changes_names {
                    self.note_change_of_names(first, span);
                }
            }
            Kind::Expression(expression) => {
                let outer = std::mem::replace(&mut self.carrier, span);
                let first = self.statements.len();
                self.add_expression(*expression);
                self.carrier = outer;
                self.see_to_room(first, *expression, range);
            }
            Kind::Empty => {
                if self.is_labelled {
                    self.add(StatementKind::Nothing, span);
                }
            }
            Kind::If { condition, then, otherwise } => self.add_if(*condition, *then, *otherwise, range),
            Kind::While { condition, body } => self.add_while(Some(*condition), None, *body, range),
            Kind::DoWhile { body, condition } => self.add_do_while(*body, *condition, range),
            Kind::For { start, condition, update, body } => self.add_for(start, *condition, *update, *body, range),
            Kind::Switch { value, body } => self.add_switch(*value, *body, range),
            // Labels of a `switch` that is not followed.
            Kind::Case { body, .. } | Kind::Default(body) => {
                self.is_labelled = true;
                self.add_statement(*body);
                self.end_label(span);
            }
            Kind::Labelled(_, body) => {
                self.is_labelled = true;
                self.add_statement(*body);
                self.end_label(span);
            }
            Kind::Goto(_) => {
                self.add_own(StatementKind::Jump, range);
            }
            Kind::ComputedGoto(target) => self.as_one(range, |this| {
                this.full(&[*target], false, |this| this.add_evaluation(*target));
                this.add(StatementKind::Jump, span);
            }),
            Kind::Break => {
                let target = self.targets.last().map(|target| target.breaks);
                self.add_own(StatementKind::Exit(target), range);
            }
            Kind::Continue => {
                let kind = match self.targets.iter().rev().find_map(|target| target.continues) {
                    Some(Continue::Cycle(target)) => StatementKind::Cycle(Some(target)),
                    Some(Continue::Exit(target)) => StatementKind::Exit(Some(target)),
                    None => StatementKind::Cycle(None),
                };
                self.add_own(kind, range);
            }
            Kind::Return(value) => self.as_one(range, |this| this.add_return(*value)),
            Kind::Assembler => self.add_unread(Unread::unknown("assembler"), range),
            Kind::NestedFunction(_) => self.add_unread(Unread::unknown("a function inside of a function"), range),
            Kind::Hole(_) => {
                let unread = Unread { opacity: Opacity::Syntax, ..Unread::unknown("text that is not C") };
                self.add_unread(unread, range);
            }
        }
    }

    /// A label in front of nothing.
    fn end_label(&mut self, span: crate::ir::Span) {
        if self.is_labelled {
            self.add(StatementKind::Nothing, span);
        }
    }

    /// A statement of its own.
    fn add_own(&mut self, kind: StatementKind, range: &unit::Span) {
        let span = self.span(range);
        self.as_one(range, |this| {
            this.add(kind, span);
        });
    }

    fn add_unread(&mut self, unread: Unread, range: &unit::Span) {
        self.add_own(StatementKind::Opaque(Box::new(unread)), range);
    }

    fn add_block(&mut self, items: &[unit::StatementId], range: &unit::Span) {
        let names = self.names_declared(items);
        if names.is_empty() {
            self.add_items(items);
            return;
        }
        let span = self.span(range);
        self.add_scope(names, span, |this, _| this.add_items(items));
    }

    /// The names that a block declares: of objects, and of constants, types and functions that mean something else around it.
    fn names_declared(&self, items: &[unit::StatementId]) -> Vec<String> {
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

    /// A block with names of its own, or one that can be left.
    pub fn add_scope(
        &mut self,
        names: Vec<String>,
        span: crate::ir::Span,
        fill: impl FnOnce(&mut Self, StatementId),
    ) -> StatementId {
        let declares = !names.is_empty();
        let id = self.add(StatementKind::Scope(Scope { names, evaluated: Vec::new(), body: Vec::new() }), span);
        let outer = if declares { self.scope.replace(id) } else { self.scope };
        let body = self.inside(id, |this| fill(this, id));
        self.scope = outer;
        if let StatementKind::Scope(scope) = &mut self.statements[id.0].kind {
            scope.body = body;
        }
        id
    }

    /// Notes where names are declared.
    pub fn declare(&mut self, symbols: &[unit::SymbolId]) {
        if let Some(scope) = self.scope {
            self.scopes.extend(symbols.iter().map(|symbol| (*symbol, scope)));
        }
    }

    fn add_declaration(&mut self, symbols: &[unit::SymbolId], bounds: &[ExpressionId], range: &unit::Span) {
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
    fn note_change_of_names(&mut self, first: usize, span: crate::ir::Span) {
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

    fn add_return(&mut self, value: Option<ExpressionId>) {
        let span = self.carrier;
        match (value, self.result) {
            (Some(value), Some(result)) => {
                let target = Expression::new(ExpressionKind::Symbol(result), span);
                let handed = self.arguments_of(value);
                if self.messaging_call_in(value).is_some() {
                    self.full(&handed, false, |this| this.add_messaging_call(value, Some(target)));
                } else {
                    self.full(&[value], false, |this| {
                        let value = this.value(value);
                        this.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
                    });
                }
            }
            (Some(value), None) => self.add_expression(value),
            (None, _) => {}
        }
        self.add(StatementKind::Return, span);
    }

    fn add_if(
        &mut self,
        condition: ExpressionId,
        then: unit::StatementId,
        otherwise: Option<unit::StatementId>,
        range: &unit::Span,
    ) {
        self.as_compound(range, |this| {
            let tells_of_place = this.input.places.tells_of_place(&this.unit.expression(condition).range);
            let id = this.add_with_condition(condition, |condition| {
                let kind = match tells_of_place {
                    // It is not evaluated anywhere else.
                    true => ExpressionKind::Opaque(Box::new(Unread::unknown("a condition that tells where it stands"))),
                    false => condition.kind,
                };
                let arm = Arm { condition: Expression::new(kind, condition.span), body: Vec::new() };
                StatementKind::If { arms: vec![arm], otherwise: None, one_line: false }
            });
            let body = this.inside(id, |this| this.add_governed(then));
            let other = otherwise.map(|other| this.inside(id, |this| this.add_governed(other)));
            if let StatementKind::If { arms, otherwise, .. } = &mut this.statements[id.0].kind {
                arms[0].body = body;
                *otherwise = other;
            }
        });
    }

    /// A loop that goes on while something holds; `update` is evaluated behind each iteration.
    pub fn add_while(
        &mut self,
        condition: Option<ExpressionId>,
        update: Option<ExpressionId>,
        body: unit::StatementId,
        range: &unit::Span,
    ) {
        let span = self.span(range);
        let is_plain = condition.is_none_or(|condition| !self.has_hoisted(condition));
        self.as_compound(range, |this| {
            let mut plain = None;
            if let Some(condition) = condition.filter(|_| is_plain) {
                this.full(&[condition], false, |this| plain = Some(this.condition(condition)));
            }
            let id = this.add(StatementKind::While { changes: Vec::new(), condition: plain, body: Vec::new() }, span);
            let inside = this.inside(id, |this| {
                if let Some(condition) = condition.filter(|_| !is_plain) {
                    this.add_leaving(condition, id);
                }
                if update.is_some() && this.has_continue(body) {
                    let at = this.unit.statement(body).range.clone();
                    let span = this.span(&at);
                    this.add_scope(Vec::new(), span, |this, scope| {
                        this.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Exit(scope)) });
                    });
                } else {
                    this.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Cycle(id)) });
                }
                if let Some(update) = update {
                    let first = this.statements.len();
                    this.add_expression(update);
                    // It stands in front of the body, and happens behind it.
                    let last = crate::ir::Span { start: span.end.saturating_sub(1).max(span.start), ..span };
                    for statement in &mut this.statements[first..] {
                        statement.span = last;
                        statement.room = Room::Inside;
                    }
                }
            });
            if let StatementKind::While { body, .. } = &mut this.statements[id.0].kind {
                *body = inside;
            }
        });
    }

    /// Lets `fill` add what the head of a loop does, which has no room for more.
    fn in_head(&mut self, fill: impl FnOnce(&mut Self)) {
        let first = self.statements.len();
        fill(self);
        let added = &mut self.statements[first..];
        added.iter_mut().filter(|it| it.room == Room::OwnLines).for_each(|it| it.room = Room::Inside);
    }

    /// Leaves the loop unless the condition holds.
    fn add_leaving(&mut self, condition: ExpressionId, target: StatementId) {
        self.in_head(|this| this.add_exit(condition, target));
    }

    fn add_exit(&mut self, condition: ExpressionId, target: StatementId) {
        let range = self.unit.expression(condition).range.clone();
        let span = self.span(&range);
        self.as_one(&range, |this| {
            let id = this.add_with_condition(condition, |condition| {
                let operand = Box::new(condition);
                let condition = Expression::new(ExpressionKind::Unary { operator: UnaryOperator::Not, operand }, span);
                StatementKind::If { arms: vec![Arm { condition, body: Vec::new() }], otherwise: None, one_line: false }
            });
            let exit = this.inside(id, |this| {
                let exit = this.add(StatementKind::Exit(Some(target)), span);
                this.statements[exit.0].room = Room::Inside;
            });
            if let StatementKind::If { arms, .. } = &mut this.statements[id.0].kind {
                arms[0].body = exit;
            }
        });
    }

    fn add_do_while(&mut self, body: unit::StatementId, condition: ExpressionId, range: &unit::Span) {
        let span = self.span(range);
        let constant = unit::integer_value(self.unit, condition);
        if constant == Some(0) {
            // Runs once.
            if !self.has_jump(body) {
                self.add_governed(body);
                return;
            }
            self.add_scope(Vec::new(), span, |this, scope| {
                this.add_governed_body(body, JumpTarget { breaks: scope, continues: Some(Continue::Exit(scope)) });
            });
            return;
        }
        self.as_compound(range, |this| {
            let id = this.add(StatementKind::While { changes: Vec::new(), condition: None, body: Vec::new() }, span);
            let inside = this.inside(id, |this| {
                if this.has_continue(body) {
                    let at = this.unit.statement(body).range.clone();
                    let span = this.span(&at);
                    this.add_scope(Vec::new(), span, |this, scope| {
                        this.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Exit(scope)) });
                    });
                } else {
                    this.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Cycle(id)) });
                }
                if constant.is_none() {
                    this.add_leaving(condition, id);
                }
            });
            if let StatementKind::While { body, .. } = &mut this.statements[id.0].kind {
                *body = inside;
            }
        });
    }

    /// The body of a loop, or of a `switch`.
    pub fn add_body(&mut self, body: unit::StatementId, target: JumpTarget) {
        self.targets.push(target);
        self.add_statement(body);
        self.targets.pop();
    }

    /// Likewise of a loop, where braces may be missing.
    pub fn add_governed_body(&mut self, body: unit::StatementId, target: JumpTarget) {
        self.targets.push(target);
        self.add_governed(body);
        self.targets.pop();
    }

    /// What a branch or a loop governs.
    fn add_governed(&mut self, id: unit::StatementId) {
        let before = self.block.len();
        self.add_statement(id);
        if matches!(self.unit.statement(id).kind, Kind::Block(_)) {
            return;
        }
        for &added in &self.block[before..] {
            let room = &mut self.statements[added.0].room;
            if *room == Room::OwnLines {
                *room = Room::Governed;
            }
        }
    }

    /// Decides what can be put around the statements from `first` on, which an expression as a statement has become. A call of
    /// MPI can be replaced where it is all of the statement, or all that is assigned; of what only decides between expressions, or
    /// puts some behind others, nothing can.
    fn see_to_room(&mut self, first: usize, expression: ExpressionId, range: &unit::Span) {
        let unit = self.unit;
        let mut whole = expression;
        while let Operation::Convert { operand, .. } = &unit.expression(whole).operation {
            whole = *operand;
        }
        let is_one = !matches!(
            unit.expression(whole).operation,
            Operation::Comma(..)
                | Operation::Conditional { .. }
                | Operation::Binary(BinaryOperator::And | BinaryOperator::Or, ..)
        );
        let call = match unit.expression(whole).operation {
            Operation::Assign { right, .. } => self.messaging_call_in(right),
            _ => self.messaging_call_in(expression),
        };
        let ends = call.is_some_and(|call| {
            let own = without_parentheses(unit, self.input.text, call);
            let behind = &self.input.text[own.end as usize..range.end as usize];
            // Else a macro makes the statement of its argument.
            matches!(behind.trim_ascii(), b"" | b";") && self.input.places.is_own_statement(&own)
        });
        let arguments = call.map_or(Vec::new(), |call| self.arguments_of(call));
        let are_own = arguments.iter().all(|argument| self.can_be_written_elsewhere(*argument));
        let is_own = self.input.places.is_own_statement(range);
        let added = self.statements.len() - first;
        let start = self.span(range).start;
        for number in first..self.statements.len() {
            let statement = &mut self.statements[number];
            // What is put in front of a label's statement stands behind the label: only the runtime's end belongs there.
            let is_call = match &statement.kind {
                StatementKind::Communication(call) => {
                    !statement.labelled || matches!(call.operation, Meaning::Finalize)
                }
                _ => false,
            };
            match statement.room {
                Room::Inside | Room::Expression(_) if is_own && is_call && is_one && ends && added == 1 => {
                    statement.room = if are_own { Room::OwnLines } else { Room::Elsewhere };
                    // With a cast in front.
                    statement.span.start = start.min(statement.span.start);
                }
                Room::OwnLines if !is_one => statement.room = Room::Inside,
                _ => {}
            }
        }
    }

    /// Does `continue` stand in the body of a loop, for that loop?
    fn has_continue(&self, body: unit::StatementId) -> bool {
        self.has(body, &|kind| matches!(kind, Kind::Continue), &is_loop)
    }

    /// Does `break` or `continue` stand there, for what is around?
    fn has_jump(&self, body: unit::StatementId) -> bool {
        let stops = |kind: &Kind| is_loop(kind) || matches!(kind, Kind::Switch { .. });
        self.has(body, &|kind| matches!(kind, Kind::Break), &stops) || self.has_continue(body)
    }

    /// Is there such a statement inside, but for what is inside of those where it `stops`?
    pub fn has(&self, id: unit::StatementId, wanted: &dyn Fn(&Kind) -> bool, stops: &dyn Fn(&Kind) -> bool) -> bool {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let kind = &self.unit.statement(id).kind;
            if wanted(kind) {
                return true;
            }
            if !stops(kind) {
                left.extend(kind.statements());
            }
        }
        false
    }

    /// A `for` without a count.
    pub fn add_uncounted(
        &mut self,
        start: &ForStart,
        condition: Option<ExpressionId>,
        update: Option<ExpressionId>,
        body: unit::StatementId,
        range: &unit::Span,
    ) {
        match start {
            ForStart::Declaration(declaration) => {
                let names = self.names_declared(&[*declaration]);
                let span = self.span(range);
                self.add_scope(names, span, |this, _| {
                    this.in_head(|this| this.add_statement(*declaration));
                    this.add_while(condition, update, body, range);
                });
            }
            ForStart::Expression(first) => {
                self.in_head(|this| this.add_expression(*first));
                self.add_while(condition, update, body, range);
            }
            ForStart::Nothing => self.add_while(condition, update, body, range),
        }
    }
}

/// Is it a loop?
pub fn is_loop(kind: &Kind) -> bool {
    matches!(kind, Kind::While { .. } | Kind::DoWhile { .. } | Kind::For { .. })
}
