//! Statements that do nothing but copy one array into another: a nest of counted loops around one assignment, or an
//! assignment of arrays. What they copy into a message's buffer can be sent from where it lies.
//!
//! A copy is a *translation* if every element goes as far in memory as every other one: then elements that are neighbours
//! in the buffer are neighbours in the array, in the same order, and the message is a section of the array. What that section
//! is called is made of the statement's own expressions, so that whoever writes it asks again ([`with_packs_dropped`])
//! and gets the same.

use std::collections::BTreeSet;

use super::super::algebra::lmad::{Run, as_run};
use super::super::algebra::prover::{Assumptions, is_nonnegative};
use super::super::algebra::symbolic::polynomial_of;
use super::super::facts::SiteId;
use super::arrays::Layouts;
use super::effects::{AccessKind, Effects};
use super::message::message_region;
use crate::ir::{
    BinaryOperator, Certainty, Direction, Expression, ExpressionKind, Loop, Message, Operation, Polynomial, Procedure,
    Program, Region, Span, StatementId, StatementKind, Subscript, SymbolId, TypeCategory, UnaryOperator,
};
use crate::mutations::Clause;

/// A statement that does nothing but copy.
#[derive(Debug, Clone)]
pub struct Copying<'p> {
    /// The array that is filled.
    pub target: SymbolId,
    /// The array that is read.
    pub source: SymbolId,
    /// The loops around the assignment, the outermost first; none around an assignment of arrays.
    pub loops: Vec<&'p Loop>,
    /// The assignment.
    pub assignment: StatementId,
    to: &'p Expression,
    from: &'p Expression,
}

/// Where a message lies that is copied into its buffer before it is sent.
#[derive(Debug, Clone)]
pub struct Original {
    /// The buffer argument of a call that sends it from there.
    pub section: Expression,
    /// Its elements, over the values at the call.
    pub region: Region,
}

/// The statement as one that only copies; `None` if it does anything else.
pub fn copying(procedure: &Procedure, statement: StatementId) -> Option<Copying<'_>> {
    let mut loops = Vec::new();
    let mut current = statement;
    let (to, from) = loop {
        match &procedure.statement(current).kind {
            StatementKind::Loop(counted) if !counted.concurrent => {
                loops.push(counted);
                let does_something =
                    |id: &&StatementId| !matches!(procedure.statement(**id).kind, StatementKind::Nothing);
                let mut inner = counted.body.iter().filter(does_something);
                current = *inner.next()?;
                if inner.next().is_some() {
                    return None;
                }
            }
            StatementKind::Assign { target, value, may_reallocate: false } => break (target, value),
            _ => return None,
        }
    };
    let is_array = |expression: &Expression| match &expression.kind {
        ExpressionKind::Element { .. } => !loops.is_empty(),
        ExpressionKind::Section { .. } | ExpressionKind::Symbol(_) => loops.is_empty(),
        _ => false,
    };
    let (target, source) = (to.designated()?, from.designated()?);
    let are_arrays = [target, source].iter().all(|&id| procedure.symbol(id).rank() > 0);
    let copies = is_array(to) && is_array(from) && are_arrays && target != source;
    copies.then_some(Copying { target, source, loops, assignment: current, to, from })
}

impl Copying<'_> {
    /// Where `message` lies, whose buffer the statement fills. The statement has these `effects`.
    ///
    /// Nothing is said about what happens between the copy and the message: that everything that decides about both
    /// ([`Original::region`], the message's arguments) stays the same has to be seen elsewhere.
    ///
    /// # Errors
    /// Why it is not known to lie in one piece of the array, element for element.
    pub fn original(&self, procedure: &Procedure, effects: &Effects, message: &Message) -> Result<Original, String> {
        let name = |id: SymbolId| procedure.symbol(id).name.as_str();
        let (target, source) = (name(self.target), name(self.source));
        if !self.is_of_one_type(procedure) && !Clause::CopiesConvertNothing.is_off() {
            return Err(format!("the elements of `{target}` and `{source}` are not declared alike"));
        }
        let sent = run_of(procedure, message)
            .ok_or_else(|| format!("which elements of `{target}` the message consists of is not known"))?;
        let written = self.written(effects).ok_or_else(|| format!("what is copied into `{target}` has gaps"))?;
        // Where two counts are negative nothing is copied, although their product is positive.
        let doubtful = written.factors.iter().filter(|factor| !is_nonnegative(&Assumptions::new(), factor)).count();
        let is_all = written.offset == sent.offset && written.length == sent.length && doubtful < 2;
        if !is_all && !Clause::CopiesCover.is_off() {
            return Err(format!("what is copied into `{target}` is not known to be exactly the message"));
        }
        let apart =
            || format!("what is copied from `{source}` does not lie there in one piece, in the order of the message");
        let shift = self.shift(procedure).ok_or_else(apart)?;
        let section = self.section(procedure).ok_or_else(apart)?;
        let from_there = Message { buffer: section.clone(), ..message.clone() };
        let region = message_region(procedure, &from_there)?;
        let found = region.lmad().and_then(|lmad| as_run(lmad, &Assumptions::new())).ok_or_else(apart)?;
        if found.length != sent.length || sent.offset.checked_add(&shift).as_ref() != Some(&found.offset) {
            return Err(apart());
        }
        Ok(Original { section, region })
    }

    /// Are the elements of both arrays declared by the same words? Flags of compilers change the sizes of default types, so
    /// sizes that are equal as such may differ.
    fn is_of_one_type(&self, procedure: &Procedure) -> bool {
        let (target, source) = (procedure.symbol(self.target), procedure.symbol(self.source));
        let is_plain = matches!(
            target.element.category,
            TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex | TypeCategory::Logical
        );
        is_plain
            && target.element.bytes.is_some()
            && target.element == source.element
            && target.type_spelling.is_some()
            && target.type_spelling == source.type_spelling
    }

    /// The elements of the target that are written, if they are neighbours and all of them are.
    fn written(&self, effects: &Effects) -> Option<Run> {
        let mut writes = effects
            .accesses
            .iter()
            .filter(|access| access.kind == AccessKind::Write && access.region.symbol == self.target);
        let only = writes.next().filter(|_| writes.next().is_none())?;
        let is_certain = only.certainty == Certainty::Must;
        as_run(only.region.lmad()?, &Assumptions::new()).filter(|_| is_certain)
    }

    /// How much further an element lies in the source than in the target, the same for all of them.
    fn shift(&self, procedure: &Procedure) -> Option<Polynomial> {
        let layouts = Layouts::new(procedure);
        let values = |symbol| Some(Polynomial::variable(symbol));
        let exact = |expression: &Expression| {
            let (region, is_exact) = layouts.region_of(expression, &values)?;
            region.lmad().filter(|_| is_exact).cloned()
        };
        let (to, from) = (exact(self.to)?, exact(self.from)?);
        if self.loops.is_empty() {
            // Elements are taken in the order of the subscripts, which is that of memory where no subscript goes down.
            let ascends = [self.to, self.from].into_iter().all(is_ascending);
            let (to, from) = (as_run(&to, &Assumptions::new())?, as_run(&from, &Assumptions::new())?);
            return from.offset.checked_subtract(&to.offset).filter(|_| ascends);
        }
        let shift = from.offset.checked_subtract(&to.offset)?;
        shift.variables().is_disjoint(&self.variables()).then_some(shift)
    }

    fn variables(&self) -> BTreeSet<SymbolId> {
        self.loops.iter().map(|counted| counted.variable).collect()
    }

    /// The part of the source that is read, as a section whose elements compilers see to be neighbours: the whole of the
    /// first dimensions, a range of the next one, single values of the others. Others might be passed as copies.
    fn section(&self, procedure: &Procedure) -> Option<Expression> {
        let (array, subscripts) = match &self.from.kind {
            ExpressionKind::Symbol(_) => return Some(self.from.clone()),
            ExpressionKind::Section { subscripts, .. } => {
                return is_simply_contiguous(subscripts).then(|| self.from.clone());
            }
            ExpressionKind::Element { array, subscripts } => (*array, subscripts),
            _ => return None,
        };
        let variables = self.variables();
        let mut counting = Vec::with_capacity(subscripts.len());
        for subscript in subscripts {
            let value = polynomial_of(procedure, subscript)?;
            let mut found = value.variables().into_iter().filter(|variable| variables.contains(variable));
            let counted = match (found.next(), found.next()) {
                (None, _) => None,
                (Some(variable), None) => {
                    let (slope, _) = value.linear_in(variable)?;
                    Some(variable).filter(|_| slope == Polynomial::constant(1)).map(Some)?
                }
                _ => return None,
            };
            counting.push(counted);
        }
        let ranges: Vec<SymbolId> = counting.iter().copied().flatten().collect();
        let lead = counting.iter().take_while(|counted| counted.is_some()).count();
        let is_each_once = ranges.iter().collect::<BTreeSet<_>>().len() == self.loops.len();
        if ranges.len() != self.loops.len() || !is_each_once || lead != ranges.len() {
            return None;
        }
        let at = Span { end: self.from.span.start, ..self.from.span };
        let subscript = |(index, (subscript, counted)): (usize, (&Expression, &Option<SymbolId>))| {
            let Some(variable) = counted else { return Some(Subscript::Index(subscript.clone())) };
            let counted = self.loops.iter().find(|counted| counted.variable == *variable)?;
            let is_step_one = |step: &Expression| polynomial_of(procedure, step) == Some(Polynomial::constant(1));
            let is_plain = counted.step.as_ref().is_none_or(is_step_one);
            let of_loops =
                |bound: &Expression| bound.any(&|part| part.designated().is_some_and(|id| variables.contains(&id)));
            if !is_plain || of_loops(&counted.lower) || of_loops(&counted.upper) {
                return None;
            }
            if index + 1 < lead {
                // That it is the whole of the dimension follows from the elements being neighbours.
                return Some(Subscript::Range { lower: None, upper: None, stride: None });
            }
            let lower = substituted(subscript, *variable, &counted.lower, at)?;
            let upper = substituted(subscript, *variable, &counted.upper, at)?;
            Some(Subscript::Range { lower: Some(lower), upper: Some(upper), stride: None })
        };
        let subscripts = subscripts.iter().zip(&counting).enumerate().map(subscript).collect::<Option<Vec<_>>>()?;
        Some(Expression::new(ExpressionKind::Section { array, subscripts }, at))
    }
}

/// The elements of the message's buffer, if they are known.
fn run_of(procedure: &Procedure, message: &Message) -> Option<Run> {
    as_run(message_region(procedure, message).ok()?.lmad()?, &Assumptions::new())
}

/// Does no subscript go down, or jump?
fn is_ascending(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Section { subscripts, .. } => {
            subscripts.iter().all(|it| matches!(it, Subscript::Index(_) | Subscript::Range { stride: None, .. }))
        }
        _ => true,
    }
}

/// The whole of the first dimensions, a range of the next one, single values of the others (Fortran 2018, 9.5.4).
fn is_simply_contiguous(subscripts: &[Subscript]) -> bool {
    let is_all =
        |subscript: &&Subscript| matches!(subscript, Subscript::Range { lower: None, upper: None, stride: None });
    match &subscripts[subscripts.iter().take_while(is_all).count()..] {
        [] => true,
        [first, others @ ..] => {
            matches!(first, Subscript::Range { stride: None, .. } | Subscript::Index(_))
                && others.iter().all(|other| matches!(other, Subscript::Index(_)))
        }
    }
}

/// The expression with `value` in the place of `variable`. What changes stands nowhere in the text: it is `at` an empty span.
fn substituted(expression: &Expression, variable: SymbolId, value: &Expression, at: Span) -> Option<Expression> {
    let is_variable = |part: &Expression| part.designated() == Some(variable);
    if !expression.any(&is_variable) {
        return Some(expression.clone());
    }
    let inner = |part: &Expression| substituted(part, variable, value, at);
    let kind = match &expression.kind {
        ExpressionKind::Symbol(_) => return Some(value.clone()),
        ExpressionKind::Unary { operator: operator @ UnaryOperator::Identity, operand } => {
            ExpressionKind::Unary { operator: *operator, operand: Box::new(inner(operand)?) }
        }
        ExpressionKind::Binary { operator, left, right } => {
            let (left, right) = (inner(left)?, inner(right)?);
            match (operator, &left.kind, &right.kind) {
                (BinaryOperator::Add, ExpressionKind::Integer(one), ExpressionKind::Integer(other)) => {
                    ExpressionKind::Integer(one.checked_add(*other)?)
                }
                (BinaryOperator::Subtract, ExpressionKind::Integer(one), ExpressionKind::Integer(other)) => {
                    ExpressionKind::Integer(one.checked_sub(*other)?)
                }
                (BinaryOperator::Add | BinaryOperator::Subtract, ..) => {
                    ExpressionKind::Binary { operator: *operator, left: Box::new(left), right: Box::new(right) }
                }
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Expression::new(kind, at))
}

/// A copy that is dropped: the messages that it was made for are sent from where they lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedPack {
    /// The statement that only copies.
    pub pack: SiteId,
    /// The calls that send what it copies, in the same procedure.
    pub sends: Vec<StatementId>,
}

/// The program without these copies: the calls that send what they copy send it from where it lies. `None` if one of them
/// is no copy of which that can be said.
pub fn with_packs_dropped<'a>(program: &Program, packs: impl IntoIterator<Item = &'a DroppedPack>) -> Option<Program> {
    let mut changed = program.clone();
    for DroppedPack { pack, sends } in packs {
        let original = program.procedure(pack.procedure);
        let section = copying(original, pack.statement)?.section(original)?;
        let statements = &mut changed.procedure_mut(pack.procedure).statements;
        statements[pack.statement.0].kind = StatementKind::Nothing;
        for send in sends {
            let StatementKind::Communication(communication) = &mut statements[send.0].kind else { return None };
            match &mut communication.operation {
                Operation::Send { message, .. } | Operation::SendReceive { send: message, .. } => {
                    message.buffer = section.clone();
                }
                _ => return None,
            }
        }
    }
    Some(changed)
}

/// How often the statement uses the variable as the buffer of what it sends, and how often as anything else; questions
/// about its shape do not count.
pub fn uses_in(procedure: &Procedure, statement: StatementId, variable: SymbolId) -> (usize, usize) {
    let kind = &procedure.statement(statement).kind;
    let mut all = 0;
    let mut pending = kind.expressions();
    while let Some(part) = pending.pop() {
        let children = part.children();
        let is_question = matches!(
            &part.kind,
            ExpressionKind::Call { callee: crate::ir::Callee::PureIntrinsic(name), .. }
                if ["size", "lbound", "ubound"].contains(&name.as_str())
        );
        let is_shape = |index: usize, child: &Expression| {
            is_question && index == 0 && matches!(child.kind, ExpressionKind::Symbol(_))
        };
        all += usize::from(part.designated() == Some(variable));
        pending
            .extend(children.into_iter().enumerate().filter(|(index, child)| !is_shape(*index, child)).map(|it| it.1));
    }
    let sent = match kind {
        StatementKind::Communication(communication) => {
            communication.message(Direction::Sent).is_some_and(|message| message.buffer.designated() == Some(variable))
        }
        _ => false,
    };
    (usize::from(sent), all - usize::from(sent))
}
