//! Expressions with effects: what becomes a statement of its own, in which order, and what is not understood.
//!
//! Calls of functions stay in expressions: other analyses know that C leaves their order open. A store in an expression becomes
//! a statement before it, or behind it, where that is what every order means: the variable is private and named once, and the
//! store certainly happens. A call of MPI likewise, where nothing else in the expression depends on it. Everything else is opaque.

use std::collections::{HashMap, HashSet};

use super::designators::moved;
use super::lowering::Lowering;
use crate::frontend::c::types::TypeKind;
use crate::frontend::c::unit::{
    self, BinaryOperator, Conversion, ExpressionId, Operation, StatementId, SymbolKind, Unit,
};
use crate::ir::{Expression, ExpressionKind, Opacity, OutsideCalls, StatementKind, Unread};

/// How the names begin of what makes and ends lists of arguments.
const LIST_ACTIONS: [&[u8]; 2] = [b"va_", b"__builtin_va_"];

/// Nothing deeper is looked at: it is not understood.
const DEEPEST: usize = 200;

/// What an expression has of effects.
#[derive(Debug, Default)]
struct Survey {
    /// How often each symbol is named.
    mentions: HashMap<unit::SymbolId, usize>,
    /// Stores and calls of MPI that certainly happen.
    certain: Vec<ExpressionId>,
    /// Calls of other functions.
    calls: Vec<ExpressionId>,
    /// There are effects that perhaps happen, or are not followed.
    has_others: bool,
    /// Memory is read that other functions may write.
    reads_shared: bool,
    /// What the arguments of calls of MPI name.
    handed: HashSet<unit::SymbolId>,
}

impl Lowering<'_> {
    /// Lets `lower` lower these expressions, which are evaluated together, with what of them can be statements of its own. With
    /// `can_follow` there is room for statements behind the one that `lower` adds.
    pub fn full(&mut self, roots: &[ExpressionId], can_follow: bool, lower: impl FnOnce(&mut Self)) {
        let hoisted = self.hoistable(roots);
        let outer = std::mem::replace(&mut self.hoisted, hoisted);
        let outer_behind = std::mem::replace(&mut self.behind, can_follow.then(Vec::new));
        lower(self);
        self.hoisted = outer;
        let behind = std::mem::replace(&mut self.behind, outer_behind);
        for (symbol, by) in behind.into_iter().flatten() {
            self.add_step(symbol, by);
        }
    }

    /// Would something in the expression become a statement of its own?
    pub fn has_hoisted(&self, root: ExpressionId) -> bool {
        !self.hoistable(&[root]).is_empty()
    }

    /// The parts of the expressions that become statements of their own.
    fn hoistable(&self, roots: &[ExpressionId]) -> HashSet<ExpressionId> {
        let mut survey = Survey::default();
        for &root in roots {
            self.survey(root, true, 0, &mut survey);
        }
        if survey.has_others {
            return HashSet::new();
        }
        let messaging = survey.certain.iter().filter(|id| self.messaging_call_in(**id).is_some()).count();
        let mut found = HashSet::new();
        for &id in &survey.certain {
            let is_alone = match &self.unit.expression(id).operation {
                Operation::Call { .. } => {
                    messaging == 1
                        && survey.certain.len() == 1
                        // Arguments are evaluated before the call that gets them.
                        && survey.calls.iter().all(|call| parts_of(self.unit, &[*call]).contains(&id))
                        && !survey.reads_shared
                        && survey.handed.iter().all(|symbol| !survey.mentions.contains_key(symbol))
                }
                Operation::Step { operand, .. } => self.is_named_once(*operand, &survey),
                Operation::Assign { left, right } => {
                    let calls = self.calls_others(*right);
                    self.is_named_once(*left, &survey)
                        && (!calls || survey.certain.len() == 1 && survey.calls.len() <= 1 && !survey.reads_shared)
                }
                // The list is another one behind it.
                Operation::VariadicArgument(list) => match self.variable_in(*list) {
                    Some((_, list)) => survey.certain.len() == 1 && survey.mentions.get(&list) == Some(&1),
                    None => false,
                },
                _ => false,
            };
            if !is_alone {
                return HashSet::new();
            }
            found.insert(id);
        }
        found
    }

    /// Is the lvalue a private variable that the expressions name nowhere else?
    fn is_named_once(&self, lvalue: ExpressionId, survey: &Survey) -> bool {
        match self.unit.expression(lvalue).operation {
            Operation::Symbol(symbol) => self.is_private(symbol) && survey.mentions.get(&symbol) == Some(&1),
            _ => false,
        }
    }

    /// Has the expression other effects than stores that certainly happen?
    fn calls_others(&self, root: ExpressionId) -> bool {
        let mut survey = Survey::default();
        self.survey(root, true, 0, &mut survey);
        let is_call = |id: &ExpressionId| matches!(self.unit.expression(*id).operation, Operation::Call { .. });
        survey.has_others || !survey.calls.is_empty() || survey.certain.iter().any(is_call)
    }

    /// Has the expression effects: does it call, or store?
    pub fn calls_in(&self, root: ExpressionId) -> bool {
        let mut survey = Survey::default();
        self.survey(root, true, 0, &mut survey);
        survey.has_others || !survey.calls.is_empty() || !survey.certain.is_empty()
    }

    fn survey(&self, id: ExpressionId, is_certain: bool, depth: usize, survey: &mut Survey) {
        if depth > DEEPEST {
            survey.has_others = true;
            return;
        }
        let mut inside = |ids: &[ExpressionId], is_certain: bool| {
            ids.iter().for_each(|id| self.survey(*id, is_certain, depth + 1, survey));
        };
        match &self.unit.expression(id).operation {
            Operation::Symbol(symbol) => {
                *survey.mentions.entry(*symbol).or_default() += 1;
                let kind = self.unit.symbol(*symbol).kind;
                let is_object = matches!(kind, SymbolKind::Object | SymbolKind::Parameter);
                survey.reads_shared |=
                    is_object && !self.is_private(*symbol) && self.messaging_constant(*symbol).is_none();
            }
            Operation::SizeOf { of, operand } => {
                if self.unit.types.is_variable(of.id) {
                    inside(&operand.iter().copied().collect::<Vec<_>>(), is_certain);
                }
            }
            Operation::Binary(BinaryOperator::And | BinaryOperator::Or, left, right) => {
                inside(&[*left], is_certain);
                inside(&[*right], false);
            }
            Operation::Conditional { condition, then, otherwise } => {
                inside(&[*condition], is_certain);
                inside(&then.iter().copied().chain([*otherwise]).collect::<Vec<_>>(), false);
            }
            Operation::Step { operand, .. } => {
                inside(&[*operand], is_certain);
                survey.note(id, is_certain);
            }
            Operation::Assign { left, right } => {
                inside(&[*left, *right], is_certain);
                survey.note(id, is_certain);
            }
            Operation::Call { callee, arguments } => {
                if self.messaging_call_in(id).is_some() {
                    // What is handed over is no part of what stands around.
                    survey.handed.extend(parts_of(self.unit, arguments).into_iter().filter_map(|part| {
                        match self.unit.expression(part).operation {
                            Operation::Symbol(symbol) if self.messaging_constant(symbol).is_none() => Some(symbol),
                            _ => None,
                        }
                    }));
                    survey.note(id, is_certain);
                } else {
                    inside(&[*callee], is_certain);
                    inside(arguments, is_certain);
                    survey.calls.push(id);
                }
            }
            Operation::Dereference(pointer) => {
                inside(&[*pointer], is_certain);
                survey.reads_shared = true;
            }
            Operation::Subscript { pointer, index, .. } => {
                inside(&[*pointer, *index], is_certain);
                survey.reads_shared = true;
            }
            Operation::VariadicArgument(list) => {
                inside(&[*list], is_certain);
                survey.note(id, is_certain);
            }
            Operation::AssignOperation { .. }
            | Operation::StatementExpression(_)
            | Operation::Builtin(_)
            | Operation::Unknown(..) => survey.has_others = true,
            operation => inside(&operation.operands(), is_certain),
        }
    }

    /// The value of a part that becomes a statement of its own.
    pub fn hoisted_value(&mut self, id: ExpressionId) -> Expression {
        let span = self.span_of(id);
        match self.unit.expression(id).operation.clone() {
            Operation::Call { .. } => {
                let result = self.code_variable();
                let target = Expression::new(ExpressionKind::Symbol(result), span);
                self.add_messaging_call(id, Some(target.clone()));
                target
            }
            Operation::Assign { left, right } => {
                self.add_assignment(left, right);
                self.lvalue(left)
            }
            Operation::Step { operand, is_increment, is_postfix } => {
                let Operation::Symbol(symbol) = self.unit.expression(operand).operation else {
                    return self.opaque(&[id], "a store in an expression");
                };
                let by = if is_increment { 1 } else { -1 };
                let is_exact = super::types::counts_exactly(&self.unit.types, self.unit.symbol(symbol).ty);
                if !is_postfix {
                    self.add_step(symbol, by);
                    return self.lvalue(operand);
                }
                if self.behind.is_some() {
                    self.step_behind(id);
                    return self.lvalue(operand);
                }
                if !is_exact {
                    return self.opaque(&[id], "a store in an expression");
                }
                self.add_step(symbol, by);
                let value = self.lvalue(operand);
                moved(value, -by, span)
            }
            Operation::VariadicArgument(list) => match self.variable_in(list) {
                Some((list, _)) => {
                    let list = self.lvalue(list);
                    self.add_new_list(list.clone(), vec![list.clone()]);
                    Expression::new(ExpressionKind::Computed(vec![list]), span)
                }
                None => self.opaque(&[id], "an effect in an expression"),
            },
            _ => self.opaque(&[id], "an effect in an expression"),
        }
    }

    /// The variable that an expression is, behind conversions of its value.
    fn variable_in(&self, id: ExpressionId) -> Option<(ExpressionId, unit::SymbolId)> {
        let mut id = id;
        loop {
            match self.unit.expression(id).operation {
                Operation::Convert { operand, .. } => id = operand,
                Operation::Symbol(symbol) => return Some((id, symbol)),
                _ => return None,
            }
        }
    }

    /// What a list of arguments holds from now on is computed of these.
    fn add_new_list(&mut self, list: Expression, of: Vec<Expression>) {
        let span = self.carrier;
        let value = Expression::new(ExpressionKind::Computed(of), span);
        self.add(StatementKind::Assign { target: list, value, may_reallocate: false }, span);
    }

    /// `va_start(list, last)`, `va_end(list)`, `va_copy(list, other)` as a statement; says whether it is one.
    pub fn add_list_action(&mut self, id: ExpressionId, operands: &[ExpressionId]) -> bool {
        let range = &self.unit.expression(id).range;
        let text = &self.input.text[range.start as usize..range.end as usize];
        let is_action = LIST_ACTIONS.iter().any(|start| text.starts_with(start));
        let (Some(list), true) = (operands.first(), is_action) else { return false };
        let Some((list, _)) = self.variable_in(*list) else { return false };
        let others = operands[1..].iter().filter_map(|other| self.variable_in(*other)).collect::<Vec<_>>();
        let target = self.lvalue(list);
        let of = others.into_iter().map(|(other, _)| self.lvalue(other)).collect();
        self.add_new_list(target, of);
        true
    }

    /// The store of a step follows the statement at hand.
    pub fn step_behind(&mut self, id: ExpressionId) {
        if let Operation::Step { operand, is_increment, .. } = self.unit.expression(id).operation
            && let Operation::Symbol(symbol) = self.unit.expression(operand).operation
            && let Some(behind) = &mut self.behind
        {
            behind.push((symbol, if is_increment { 1 } else { -1 }));
        }
    }

    /// One is added to the variable, or taken from it.
    pub fn add_step(&mut self, symbol: unit::SymbolId, by: i64) {
        let span = self.carrier;
        let ty = self.unit.symbol(symbol).ty;
        let variable = self.symbol(symbol);
        let target = Expression::new(ExpressionKind::Symbol(variable), span);
        let is_float = matches!(self.unit.types.kind(ty.id), TypeKind::Float(_));
        let is_exact = super::types::counts_exactly(&self.unit.types, ty);
        let value = match (is_exact, is_float) {
            (true, _) => moved(target.clone(), by, span),
            _ => Expression::new(ExpressionKind::Computed(vec![target.clone()]), span),
        };
        self.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
        self.add_new_target(symbol, Vec::new());
    }

    /// Something that is not understood, with whom its text may call and which names it has.
    pub fn opaque(&mut self, ids: &[ExpressionId], what: &str) -> Expression {
        let span = ids.first().map_or(self.carrier, |id| self.span_of(*id));
        let unread = self.unread_expressions(ids, what);
        Expression::new(ExpressionKind::Opaque(Box::new(unread)), span)
    }

    /// What is known of expressions that are not understood.
    pub fn unread_expressions(&mut self, ids: &[ExpressionId], what: &str) -> Unread {
        let mut unread =
            Unread { opacity: Opacity::Meaning, calls: Some(OutsideCalls::default()), ..Unread::unknown(what) };
        for part in parts_of(self.unit, ids) {
            match &self.unit.expression(part).operation {
                Operation::Symbol(symbol) => {
                    let kind = self.unit.symbol(*symbol).kind;
                    if matches!(kind, SymbolKind::Object | SymbolKind::Parameter) {
                        let variable = self.symbol(*symbol);
                        unread.variables.push(variable);
                        unread.variables.extend(self.pointee(*symbol));
                    }
                }
                Operation::Call { callee, .. } => {
                    if self.messaging_call_in(part).is_some() {
                        unread.calls = None;
                    }
                    if let Some(procedures) = self.input.called.get(callee) {
                        self.named.extend(procedures.iter().copied());
                        continue;
                    }
                    match self.callee(*callee) {
                        crate::ir::Callee::Unknown(name) => {
                            if let Some(calls) = &mut unread.calls {
                                calls.names.push(name);
                            }
                        }
                        crate::ir::Callee::Procedure(_) | crate::ir::Callee::PureIntrinsic(_) => {}
                    }
                }
                Operation::StatementExpression(_) | Operation::Unknown(..) => unread.calls = None,
                _ => {}
            }
        }
        self.name_functions(ids);
        unread
    }

    /// Notes the functions of the program that the expressions name.
    pub fn name_functions(&mut self, ids: &[ExpressionId]) {
        for part in parts_of(self.unit, ids) {
            if let Operation::Symbol(symbol) = self.unit.expression(part).operation
                && self.unit.symbol(symbol).kind == SymbolKind::Function
                && let Some(procedure) = self.given_procedure(symbol)
            {
                self.named.insert(procedure);
            }
        }
    }

    /// The call of MPI that the expression is, behind conversions of its value.
    pub fn messaging_call_in(&self, id: ExpressionId) -> Option<ExpressionId> {
        let mut id = id;
        loop {
            match &self.unit.expression(id).operation {
                Operation::Convert {
                    conversion: Conversion::Same | Conversion::Integer | Conversion::Void,
                    operand,
                    ..
                } => id = *operand,
                Operation::Call { callee, .. } => {
                    return self
                        .messaging_routine(*callee)
                        .filter(|name| !super::communication::is_function(name))
                        .map(|_| id);
                }
                _ => return None,
            }
        }
    }
}

impl Survey {
    fn note(&mut self, id: ExpressionId, is_certain: bool) {
        if is_certain {
            self.certain.push(id);
        } else {
            self.has_others = true;
        }
    }
}

/// The expressions and all that they consist of, statements inside of expressions and initialisers included.
pub fn parts_of(unit: &Unit, ids: &[ExpressionId]) -> Vec<ExpressionId> {
    let mut found: Vec<ExpressionId> = Vec::new();
    let mut seen: HashSet<ExpressionId> = HashSet::new();
    let mut left: Vec<ExpressionId> = ids.to_vec();
    while let Some(id) = left.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.push(id);
        let operation = &unit.expression(id).operation;
        left.extend(operation.operands());
        match operation {
            Operation::StatementExpression(block) => left.extend(expressions_in(unit, *block)),
            Operation::CompoundLiteral(symbol) => left.extend(initial_values(unit, *symbol)),
            _ => {}
        }
    }
    found
}

/// The expressions that stand in a statement and in those inside of it.
pub fn expressions_in(unit: &Unit, statement: StatementId) -> Vec<ExpressionId> {
    let mut found = Vec::new();
    let mut left = vec![statement];
    while let Some(id) = left.pop() {
        let kind = &unit.statement(id).kind;
        found.extend(kind.expressions());
        if let unit::StatementKind::Declaration { symbols, .. } = kind {
            found.extend(symbols.iter().flat_map(|symbol| initial_values(unit, *symbol)));
        }
        left.extend(kind.statements());
    }
    found
}

/// The values that the initialiser of an object has.
fn initial_values(unit: &Unit, symbol: unit::SymbolId) -> Vec<ExpressionId> {
    let items = unit.symbol(symbol).initialiser.iter().flat_map(|initialiser| &initialiser.items);
    items.map(|item| item.value).collect()
}
