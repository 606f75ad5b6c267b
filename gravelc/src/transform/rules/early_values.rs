//! Values that a call needs and that the program computes only right before it.
//!
//! Programs work out ranks and tags where they need them: behind the loop that fills the message, right above the call
//! (`next = rank + 1`, `if (rank == last) next = 0`). What moves above such statements is given their values there: the
//! statements stay, and their computation is done once more further up, into new variables, or in the call itself where one
//! assignment says it all. The program's own variables are touched by nobody, so it does not matter who reads or sets them
//! on the way (a tag variable that serves one call after the other).
//!
//! Precondition (contract): what the statements compute the value from is the same further up. It is followed backwards:
//! above `next = rank + 1` the call needs `rank` and no longer `next`; above a branch that sets `next` it needs the condition's
//! variables, and `next` still where a branch leaves it as it was (then the new variable begins as a copy, which takes one that
//! has a value by then). Whatever else
//! writes one of these variables is in the way as before. Only integers are computed, of integers and truth values: they
//! come out alike wherever that is done. The computation takes place exactly if the call does, for what moves passes nothing
//! that control could leave; so it fails only where the program's own would have failed.
//!
//! Variables that also say where the message lies, how long it is, or which request is used keep to their place.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::repeatable::values_needed;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{
    BinaryOperator, Callee, Certainty, Expression, ExpressionKind, Form, Message, Partner, Procedure, Span,
    StatementId, StatementKind, Storage, SymbolClass, SymbolId, TypeCategory, Unread,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::EarlyValues;

use super::footprint::Footprint;
use super::movement::Surroundings;

/// How much longer than the name of a variable that of its early value is (`gravel_early1_` in front of it, and some digits more).
const ADDED: usize = 18;

/// Longer expressions are computed once, not written into each call.
const LONGEST_TEXT: usize = 40;

/// Functions of the language that make integers or truth values of such, and that can be written anew.
const EXACT_FUNCTIONS: &[&str] = &[
    "abs", "iabs", "iand", "ieor", "ior", "ishft", "isign", "max", "max0", "merge", "min", "min0", "mod", "modulo",
    "not", "sign",
];

/// A call on its way up, with the values that it needs.
pub struct ValuesOnTheWay<'a> {
    surroundings: Surroundings<'a>,
    /// The message by the values that variables have where the call has come to.
    message: Message,
    /// The variables whose values are needed from here on, and that may be computed.
    needed: BTreeSet<SymbolId>,
    /// What was passed and computes some of them, the last one first.
    statements: Vec<StatementId>,
    assignments: BTreeSet<StatementId>,
}

impl<'a> ValuesOnTheWay<'a> {
    /// Nothing has been passed. Takes the variables that may be computed out of those whose values have to stay; `others` is
    /// evaluated at the new place besides the message.
    pub fn of(
        surroundings: Surroundings<'a>,
        message: &Message,
        others: &[&Expression],
        footprint: &mut Footprint,
    ) -> Self {
        let needed = variables_of_partner(surroundings, message, others, footprint).unwrap_or_default();
        footprint.values.retain(|symbol| !needed.contains(symbol));
        Self { surroundings, message: message.clone(), needed, statements: Vec::new(), assignments: BTreeSet::new() }
    }

    /// The message by the values that variables have where the call has come to.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The variables whose values are needed from here on, besides those that have to stay.
    pub fn needed(&self) -> &BTreeSet<SymbolId> {
        &self.needed
    }

    /// Was nothing passed that has to be computed further up?
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Goes above the statement.
    ///
    /// # Errors
    /// It changes a value in a way that can't be computed further up.
    pub fn pass(&mut self, statement: StatementId) -> Result<(), Reason> {
        if Clause::ArgumentsUnchanged.is_off() {
            return Ok(());
        }
        let Some((symbol, span)) = self.changes(statement) else { return Ok(()) };
        let (mut needed, mut assignments) = (self.needed.clone(), BTreeSet::new());
        let body = self.surroundings.body();
        let is_plain = self.is_plain(statement) && body.dialect().writes(Form::EarlyComputation);
        if is_plain && self.follow(&[statement], &mut needed, &mut assignments).is_some() {
            self.describe_above(statement, &assignments);
            self.needed = needed;
            self.statements.push(statement);
            self.assignments.extend(assignments);
            return Ok(());
        }
        let name = &body.symbol(symbol).name;
        let line = self.surroundings.line_of(span);
        let message = format!("`{name}`, which the call needs, may change at line {line}");
        Err(Reason::at(ReasonCode::AccessInBetween, span, message))
    }

    /// The first of the needed variables that the statement may change, and where.
    pub fn changes(&self, statement: StatementId) -> Option<(SymbolId, Span)> {
        let (body, effects) = (self.surroundings.body(), self.surroundings.effects(statement));
        let access = |&symbol: &SymbolId| effects.writes_symbol(body, symbol).map(|access| (symbol, access.span));
        self.needed.iter().find_map(access)
    }

    /// What the call has to be given if it stands just before `place`.
    ///
    /// # Errors
    /// A new variable would begin as a copy of one that may have no value there.
    pub fn at(&self, place: StatementId) -> Result<EarlyValues, Reason> {
        let body = self.surroundings.body();
        let found = self.so_far();
        match found.copied.iter().find(|&&symbol| !self.may_be_read(symbol, place)) {
            None => Ok(found),
            Some(&symbol) => {
                let span = body.statement(place).span;
                let (name, line) = (&body.symbol(symbol).name, self.surroundings.line(place));
                let message = format!("`{name}`, which the call needs, may have no value yet at line {line}");
                Err(Reason::at(ReasonCode::AccessInBetween, span, message))
            }
        }
    }

    /// May the variable be copied just before `place`, although the program does not look at it there? One that begins with
    /// the procedure has to have been set: compilers warn of others.
    fn may_be_read(&self, symbol: SymbolId, place: StatementId) -> bool {
        let body = self.surroundings.body();
        let variable = body.symbol(symbol);
        let begins_here = variable.storage == Storage::Local || variable.undefined_at_entry;
        if !begins_here || variable.initialised {
            return true;
        }
        let sets = |&statement: &StatementId| {
            self.surroundings.effects(statement).accesses.iter().any(|access| {
                let is_set = access.kind == AccessKind::Write && access.certainty == Certainty::Must;
                is_set && access.region.symbol == symbol
            })
        };
        std::iter::successors(Some(place), |&inner| body.statement(inner).parent).any(|inner| {
            let (block, index) = body.siblings(inner);
            block[..index].iter().any(sets)
        })
    }

    /// What has to be computed of what was passed.
    fn so_far(&self) -> EarlyValues {
        let body = self.surroundings.body();
        let mut assigned: BTreeMap<SymbolId, Vec<StatementId>> = BTreeMap::new();
        for &assignment in &self.assignments {
            if let Some((target, _)) = assignment_at(body, assignment) {
                assigned.entry(target).or_default().push(assignment);
            }
        }
        let program = self.surroundings.facts.program;
        let says_it_all = |assignment: StatementId| {
            assignment_at(body, assignment).is_some_and(|(_, value)| {
                let text = program.text(value.span);
                let has_kind = |part: &Expression| {
                    matches!(part.kind, ExpressionKind::Integer(_)) && program.text(part.span).contains('_')
                };
                let is_other_by_then =
                    |part: &Expression| part.designated().is_some_and(|it| assigned.contains_key(&it));
                is_default_integer(body, value)
                    && text.len() <= LONGEST_TEXT
                    && !text.contains('\n')
                    && !value.walk().into_iter().any(|part| has_kind(part) || is_other_by_then(part))
            })
        };
        let mut found = EarlyValues::default();
        for (&symbol, assignments) in &assigned {
            match assignments[..] {
                // Where it is needed above its assignment, too, it is another value there.
                [only] if self.statements.contains(&only) && !self.needed.contains(&symbol) && says_it_all(only) => {
                    found.written.insert(symbol, only);
                }
                _ => {
                    found.computed.insert(symbol);
                    found.assignments.extend(assignments);
                }
            }
        }
        found.copied = found.computed.intersection(&self.needed).copied().collect();
        let holds_some = |&&statement: &&StatementId| {
            body.with_descendants(statement).iter().any(|inner| found.assignments.contains(inner))
        };
        found.statements = self.statements.iter().rev().filter(holds_some).copied().collect();
        found
    }

    /// May the statement be looked into? Control runs through it from its beginning to its end, and what it does besides
    /// computing is no call of MPI, with which the message would have to be compared by the values inside.
    fn is_plain(&self, statement: StatementId) -> bool {
        let body = self.surroundings.body();
        body.with_descendants(statement).into_iter().all(|inner| {
            let found = body.statement(inner);
            let is_target = found.jump_target && inner != statement;
            let leads_elsewhere = matches!(
                found.kind,
                StatementKind::Communication(_)
                    | StatementKind::Jump
                    | StatementKind::Exit(_)
                    | StatementKind::Cycle(_)
                    | StatementKind::Return
                    | StatementKind::Stop
            );
            !is_target && !leads_elsewhere
        })
    }

    /// Follows the needed variables backwards through the statements of a block; `None` where one of them gets a value that
    /// can't be computed elsewhere.
    fn follow(
        &self,
        block: &[StatementId],
        needed: &mut BTreeSet<SymbolId>,
        assignments: &mut BTreeSet<StatementId>,
    ) -> Option<()> {
        let body = self.surroundings.body();
        for &statement in block.iter().rev() {
            let effects = self.surroundings.effects(statement);
            if !needed.iter().any(|&symbol| effects.writes_symbol(body, symbol).is_some()) {
                continue;
            }
            match &body.statement(statement).kind {
                StatementKind::Assign { may_reallocate: false, .. } => {
                    let (target, value) = assignment_at(body, statement)?;
                    let is_other_name = |&other: &SymbolId| other != target && may_share_memory(body, other, target);
                    if !needed.remove(&target) || needed.iter().any(is_other_name) || !can_be_copied(body, target) {
                        return None;
                    }
                    needed.extend(self.operands(value)?);
                    assignments.insert(statement);
                }
                StatementKind::If { arms, otherwise, .. } => {
                    let mut before = BTreeSet::new();
                    for arm in arms {
                        let mut inside = needed.clone();
                        self.follow(&arm.body, &mut inside, assignments)?;
                        before.append(&mut inside);
                        before.extend(self.operands(&arm.condition)?);
                    }
                    // Where no condition holds and nothing is said for that, everything stays as it was.
                    if let Some(block) = otherwise {
                        self.follow(block, needed, assignments)?;
                    }
                    needed.append(&mut before);
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// The variables that an expression is computed of, if it is one that can be computed elsewhere and written anew.
    fn operands(&self, expression: &Expression) -> Option<BTreeSet<SymbolId>> {
        let Surroundings { facts, procedure } = self.surroundings;
        if !is_exact(facts.procedure(procedure), expression) || !can_be_written_anew(self.surroundings, expression) {
            return None;
        }
        let operands = values_needed(facts, procedure, &[expression]).ok()?;
        Some(if Clause::EarlyValues.is_off() { BTreeSet::new() } else { operands })
    }

    /// Says the message by the values above `statement`.
    fn describe_above(&mut self, statement: StatementId, assignments: &BTreeSet<StatementId>) {
        if Clause::EarlyMessages.is_off() {
            return;
        }
        let body = self.surroundings.body();
        let values: BTreeMap<SymbolId, ExpressionKind> = assignments
            .iter()
            .filter_map(|&assignment| {
                let (target, value) = assignment_at(body, assignment)?;
                let is_it = assignment == statement && is_integer(body, value);
                let unknown = || ExpressionKind::Opaque(Box::new(Unread::unknown("it depends on a branch")));
                Some((target, if is_it { value.kind.clone() } else { unknown() }))
            })
            .collect();
        let Partner::Process { peer, tag } = &mut self.message.partner else { return };
        for argument in [peer, tag] {
            argument.rewrite(&mut |part| {
                if let ExpressionKind::Symbol(symbol) = part.kind
                    && let Some(value) = values.get(&symbol)
                {
                    part.kind = value.clone();
                }
            });
        }
    }
}

/// The variables that say to or from whom the message goes, and nothing else of what the call needs.
fn variables_of_partner(
    surroundings: Surroundings,
    message: &Message,
    others: &[&Expression],
    footprint: &Footprint,
) -> Option<BTreeSet<SymbolId>> {
    let Surroundings { facts, procedure } = surroundings;
    let Partner::Process { peer, tag } = &message.partner else { return None };
    let is_of_partner = |value: &&Expression| std::ptr::eq(*value, peer) || std::ptr::eq(*value, tag);
    let mut fixed: Vec<&Expression> = message.values().into_iter().filter(|value| !is_of_partner(value)).collect();
    fixed.extend(message.buffer.children());
    fixed.extend(others);
    let mut staying = values_needed(facts, procedure, &fixed).ok()?;
    staying.extend([&footprint.buffer].into_iter().chain(&footprint.outputs).flat_map(|region| region.variables()));
    let mut found = BTreeSet::new();
    for argument in [peer, tag] {
        let values = values_needed(facts, procedure, &[argument]).ok()?;
        match can_be_written_anew(surroundings, argument) {
            true => found.extend(values),
            false => staying.extend(values),
        }
    }
    Some(found.difference(&staying).copied().collect())
}

/// Target and value of an assignment to a variable as a whole.
fn assignment_at(body: &Procedure, statement: StatementId) -> Option<(SymbolId, &Expression)> {
    match &body.statement(statement).kind {
        StatementKind::Assign { target: Expression { kind: ExpressionKind::Symbol(target), .. }, value, .. } => {
            Some((*target, value))
        }
        _ => None,
    }
}

/// Can a new variable stand for this one?
fn can_be_copied(body: &Procedure, id: SymbolId) -> bool {
    let symbol = body.symbol(id);
    symbol.is_integer_scalar()
        && symbol.element.bytes == Some(body.dialect().integer_bytes())
        && !symbol.volatile
        && matches!(symbol.storage, Storage::Static | Storage::Local | Storage::Dummy | Storage::Global(_))
        && symbol.name.len() + ADDED <= body.dialect().longest_name()
}

/// Has the expression the same value wherever it is computed from the same operands? Of integers and truth values, yes; compilers
/// may round numbers otherwise at another place.
fn is_exact(body: &Procedure, expression: &Expression) -> bool {
    expression.walk().into_iter().all(|part| match &part.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Unary { .. } => true,
        ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => {
            let symbol = body.symbol(*id);
            let is_value = matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_));
            let is_of_exact_type = matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Logical);
            symbol.class == SymbolClass::MessagingConstant || is_value && is_of_exact_type && !symbol.volatile
        }
        ExpressionKind::Binary { operator, .. } => *operator != BinaryOperator::Other,
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => EXACT_FUNCTIONS.contains(&name.as_str()),
        _ => false,
    })
}

/// Can the expression be written from its parts, with other names for some of them? Keywords of arguments are not among these.
fn can_be_written_anew(surroundings: Surroundings, expression: &Expression) -> bool {
    let program = surroundings.facts.program;
    expression.walk().into_iter().all(|part| match &part.kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Logical(_)
        | ExpressionKind::Symbol(_)
        | ExpressionKind::Element { .. }
        | ExpressionKind::Unary { .. } => true,
        ExpressionKind::Binary { operator, .. } => *operator != BinaryOperator::Other,
        ExpressionKind::Call { callee: Callee::PureIntrinsic(_), .. } => {
            let text = program.text(part.span).replace("==", "").replace("<=", "").replace(">=", "").replace("/=", "");
            !text.contains('=')
        }
        _ => false,
    })
}

/// Is the value certainly an integer, whichever one?
fn is_integer(body: &Procedure, value: &Expression) -> bool {
    let has_integers_only = |part: &Expression| match &part.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Unary { .. } => true,
        ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => {
            let symbol = body.symbol(*id);
            symbol.class == SymbolClass::MessagingConstant || symbol.element.category == TypeCategory::Integer
        }
        ExpressionKind::Binary { operator, .. } => is_arithmetic(*operator),
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => name != "merge",
        _ => false,
    };
    is_exact(body, value) && value.walk().into_iter().all(has_integers_only)
}

/// Is the value certainly a default integer? Constants of MPI are.
fn is_default_integer(body: &Procedure, value: &Expression) -> bool {
    let is_of_default_kind = |part: &Expression| match &part.kind {
        ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => {
            let symbol = body.symbol(*id);
            symbol.class == SymbolClass::MessagingConstant
                || symbol.element.bytes == Some(body.dialect().integer_bytes())
        }
        ExpressionKind::Integer(value) => i32::try_from(*value).is_ok(),
        _ => true,
    };
    is_integer(body, value) && value.walk().into_iter().all(is_of_default_kind)
}

fn is_arithmetic(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Add, Divide, Multiply, Power, Subtract};
    matches!(operator, Add | Subtract | Multiply | Divide | Power)
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
