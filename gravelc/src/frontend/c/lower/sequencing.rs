//! In which order C evaluates the parts of an expression, and which of its effects can become statements of their own.
//!
//! `(p = next(q)) && p->n > 0`: the store comes before the right operand, as `&&`, `||`, `?:` and the comma order what they stand
//! between (C11 6.5.13 to 6.5.17); an operand comes before what is done with it. All other parts are unsequenced: C leaves their
//! order open, and a program undefined in which one of them stores what another one reads or stores (C11 6.5p2). Of names that
//! is looked at here, so that it need not be trusted. Functions that are called run one after the other, in an order that is
//! open but defined: where that shows, nothing becomes a statement.

use std::collections::HashMap;

use super::library::{self, Use};
use super::lowering::Lowering;
use super::unread::{initial_values, parts_of};
use crate::frontend::c::types::Qualifiers;
use crate::frontend::c::unit::{BinaryOperator, Conversion, ExpressionId, Operation, SymbolId, SymbolKind};

/// Nothing deeper is looked at: it is not understood.
const DEEPEST: usize = 200;

/// The effects of expressions that become statements of their own; of each, whether the expressions name what it stores once.
pub type Hoisted = HashMap<ExpressionId, bool>;

/// A part of an expression.
struct Part {
    /// What it is an operand of.
    around: Option<usize>,
    /// Are that one's operands evaluated one after the other?
    is_sequenced: bool,
    /// It is a call of a function: all effects of its operands come before what the function does.
    is_call: bool,
    /// It is the name of the variable in which the value of all others is stored.
    is_stored_in: bool,
}

/// What matters of a part.
enum Act {
    /// A variable is named.
    Names(SymbolId),
    /// Memory is read that a function may write.
    Reads,
    /// A function is called that may read and write memory.
    Calls,
    /// A store, or a call of MPI.
    Effect(ExpressionId),
}

/// What the effects of an expression may meet.
#[derive(Default)]
struct Survey {
    parts: Vec<Part>,
    /// With the part that each belongs to.
    acts: Vec<(usize, Act)>,
    /// Something has effects that are not followed.
    has_others: bool,
}

impl Survey {
    fn add(&mut self, around: Option<usize>, is_sequenced: bool) -> usize {
        self.parts.push(Part { around, is_sequenced, is_call: false, is_stored_in: false });
        self.parts.len() - 1
    }

    fn around(&self, part: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(part), |part| self.parts[*part].around)
    }

    fn is_inside(&self, part: usize, of: usize) -> bool {
        self.around(part).any(|around| around == of)
    }

    /// Does C leave open which of the two comes first?
    fn are_unsequenced(&self, one: usize, other: usize) -> bool {
        if self.is_inside(one, other) || self.is_inside(other, one) {
            return false;
        }
        // `q = strchr(++q, c)`: what the function returns is stored behind all that it is handed (C11 6.5.2.2p10).
        let is_handed = |part: usize| self.around(part).skip(1).any(|around| self.parts[around].is_call);
        if self.parts[other].is_stored_in && is_handed(one) || self.parts[one].is_stored_in && is_handed(other) {
            return false;
        }
        let common = self.around(one).find(|around| self.is_inside(other, *around));
        common.is_none_or(|common| !self.parts[common].is_sequenced)
    }

    /// What may come before the part, or behind it.
    fn beside(&self, part: usize) -> impl Iterator<Item = &Act> {
        self.acts.iter().filter(move |(other, _)| self.are_unsequenced(part, *other)).map(|(_, act)| act)
    }
}

impl Lowering<'_> {
    /// The parts of expressions that become statements of their own, where the expressions are evaluated together with the lvalue
    /// `target`, in which something is stored behind them.
    pub fn hoistable(&self, roots: &[ExpressionId], target: Option<ExpressionId>) -> Hoisted {
        let mut survey = Survey::default();
        if let Some(target) = target {
            let part = survey.add(None, false);
            self.survey_target(target, part, 0, &mut survey);
            survey.parts[part].is_stored_in = matches!(self.unit.expression(target).operation, Operation::Symbol(_));
        }
        for &root in roots {
            let part = survey.add(None, false);
            self.survey(root, part, 0, &mut survey);
        }
        if survey.has_others {
            return Hoisted::new();
        }
        let mut found = Hoisted::new();
        for (part, act) in &survey.acts {
            let Act::Effect(id) = act else { continue };
            if !self.can_be_ordered(*id, *part, &survey) {
                return Hoisted::new();
            }
            let stored = self.variable_stored(*id);
            let mentions = survey.acts.iter().filter(|(_, act)| matches!(act, Act::Names(it) if Some(*it) == stored));
            found.insert(*id, stored.is_some() && mentions.count() == 1);
        }
        found
    }

    /// Would something in the expression become a statement of its own?
    pub fn has_hoisted(&self, root: ExpressionId) -> bool {
        !self.hoistable(&[root], None).is_empty()
    }

    /// May the effect come before all that C leaves it unsequenced with?
    fn can_be_ordered(&self, id: ExpressionId, part: usize, survey: &Survey) -> bool {
        let beside: Vec<&Act> = survey.beside(part).collect();
        let runs_code = |act: &Act| match act {
            Act::Calls => true,
            Act::Effect(id) => self.is_messaging(*id),
            Act::Reads | Act::Names(_) => false,
        };
        let is_alone = || {
            beside.iter().all(|act| match act {
                Act::Calls | Act::Reads => false,
                Act::Effect(id) => self.variable_stored(*id).is_some(),
                Act::Names(_) => true,
            })
        };
        let is_beside_code = beside.iter().any(|act| runs_code(act));
        let inside = survey.acts.iter().filter(|(other, _)| *other != part && survey.is_inside(*other, part));
        let (calls_inside, reads_inside) = inside.fold((false, false), |(calls, reads), (_, act)| {
            (calls || runs_code(act), reads || matches!(act, Act::Reads))
        });
        if self.is_messaging(id) {
            let Operation::Call { arguments, .. } = &self.unit.expression(id).operation else { return false };
            let handed = parts_of(self.unit, arguments);
            let is_handed = |symbol: &SymbolId| {
                handed.iter().any(|part| self.unit.expression(*part).operation == Operation::Symbol(*symbol))
            };
            return is_alone()
                && beside.iter().all(|act| match act {
                    Act::Effect(_) => false,
                    Act::Names(symbol) => self.messaging_constant(*symbol).is_some() || !is_handed(symbol),
                    _ => true,
                });
        }
        let is_named_beside = |stored| beside.iter().any(|act| matches!(act, Act::Names(named) if *named == stored));
        // A function may read what is not private, and write.
        let is_private = self.variable_stored(id).is_some();
        let is_distinct = self.name_stored(id).is_none_or(|stored| !is_named_beside(stored));
        is_distinct
            && (is_private || !is_beside_code)
            && (!calls_inside || is_alone())
            && !(reads_inside && is_beside_code)
    }

    /// Is the effect a call of MPI?
    fn is_messaging(&self, id: ExpressionId) -> bool {
        matches!(self.unit.expression(id).operation, Operation::Call { .. })
    }

    /// The variable that the effect stores, if it has a name.
    fn name_stored(&self, id: ExpressionId) -> Option<SymbolId> {
        let stored = match self.unit.expression(id).operation {
            Operation::Assign { left, .. } | Operation::AssignOperation { left, .. } => left,
            Operation::Step { operand, .. } => operand,
            Operation::VariadicArgument(list) => return self.variable_in(list).map(|(_, list)| list),
            _ => return None,
        };
        match self.unit.expression(stored).operation {
            Operation::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The private variable that the effect stores. A list of arguments is one to those that ask here.
    fn variable_stored(&self, id: ExpressionId) -> Option<SymbolId> {
        let is_list = matches!(self.unit.expression(id).operation, Operation::VariadicArgument(_));
        self.name_stored(id).filter(|symbol| is_list || self.is_private(*symbol))
    }

    /// The variable that an lvalue is, if it is a private one.
    pub fn private_variable(&self, lvalue: ExpressionId) -> Option<SymbolId> {
        match self.unit.expression(lvalue).operation {
            Operation::Symbol(symbol) if self.is_private(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Is the same object named when the lvalue is evaluated again, behind a store in it?
    pub fn is_stable(&self, lvalue: ExpressionId) -> bool {
        let mut survey = Survey::default();
        let part = survey.add(None, false);
        self.survey_target(lvalue, part, 0, &mut survey);
        !survey.has_others && survey.acts.iter().all(|(_, act)| matches!(act, Act::Names(_)))
    }

    /// An lvalue that is not read.
    fn survey_target(&self, id: ExpressionId, part: usize, depth: usize, survey: &mut Survey) {
        match &self.unit.expression(id).operation {
            Operation::Symbol(symbol) => survey.acts.push((part, Act::Names(*symbol))),
            Operation::Member { base, .. } if depth <= DEEPEST => self.survey_target(*base, part, depth + 1, survey),
            Operation::Subscript { pointer, index, .. } => {
                self.survey_inside(&[*pointer, *index], (part, false), depth, survey);
            }
            Operation::Dereference(pointer) => self.survey_inside(&[*pointer], (part, false), depth, survey),
            _ => self.survey(id, part, depth, survey),
        }
    }

    fn survey_inside(&self, ids: &[ExpressionId], around: (usize, bool), depth: usize, survey: &mut Survey) {
        let (part, is_sequenced) = around;
        survey.parts[part].is_sequenced = is_sequenced;
        for id in ids {
            let inside = survey.add(Some(part), false);
            self.survey(*id, inside, depth + 1, survey);
        }
    }

    fn survey(&self, id: ExpressionId, part: usize, depth: usize, survey: &mut Survey) {
        if depth > DEEPEST {
            survey.has_others = true;
            return;
        }
        match &self.unit.expression(id).operation {
            Operation::Symbol(symbol) => {
                survey.acts.push((part, Act::Names(*symbol)));
                let is_object = matches!(self.unit.symbol(*symbol).kind, SymbolKind::Object | SymbolKind::Parameter);
                if is_object && !self.is_private(*symbol) && self.messaging_constant(*symbol).is_none() {
                    survey.acts.push((part, Act::Reads));
                }
            }
            Operation::SizeOf { of, operand } => {
                if self.unit.types.is_variable(of.id) {
                    let operand: Vec<ExpressionId> = operand.iter().copied().collect();
                    self.survey_inside(&operand, (part, false), depth, survey);
                }
            }
            Operation::Binary(BinaryOperator::And | BinaryOperator::Or, left, right)
            | Operation::Comma(left, right) => {
                self.survey_inside(&[*left, *right], (part, true), depth, survey);
            }
            Operation::Conditional { condition, then, otherwise } => {
                let before = survey.acts.len();
                let operands: Vec<ExpressionId> = [*condition].into_iter().chain(*then).chain([*otherwise]).collect();
                self.survey_inside(&operands, (part, true), depth, survey);
                // What stands for both, the condition and its value, is not lowered in parts.
                let has_effects = survey.acts[before..].iter().any(|(_, act)| matches!(act, Act::Effect(_)));
                survey.has_others |= then.is_none() && has_effects;
            }
            Operation::Step { operand, .. } => self.survey_store(id, *operand, &[], part, depth, survey),
            Operation::Assign { left, right } | Operation::AssignOperation { left, right, .. } => {
                self.survey_store(id, *left, &[*right], part, depth, survey);
            }
            Operation::Call { callee, arguments } => {
                if self.messaging_call_in(id).is_some() {
                    // What is handed over is evaluated with the call.
                    for inside in parts_of(self.unit, arguments) {
                        if let Operation::Symbol(symbol) = self.unit.expression(inside).operation {
                            survey.acts.push((part, Act::Names(symbol)));
                        }
                    }
                    survey.acts.push((part, Act::Effect(id)));
                    return;
                }
                let all: Vec<ExpressionId> = [*callee].into_iter().chain(arguments.iter().copied()).collect();
                let before = survey.acts.len();
                survey.parts[part].is_call = true;
                self.survey_inside(&all, (part, false), depth, survey);
                // Perhaps nothing of it is evaluated.
                let has_effects = survey.acts[before..].iter().any(|(_, act)| matches!(act, Act::Effect(_)));
                survey.has_others |= has_effects && self.is_assertion(*callee);
                survey.acts.extend(self.act_of_call(*callee).map(|act| (part, act)));
            }
            Operation::CompoundLiteral(symbol) => {
                self.survey_inside(&initial_values(self.unit, *symbol), (part, false), depth, survey);
            }
            Operation::Dereference(_) | Operation::Subscript { .. } => {
                self.survey_target(id, part, depth, survey);
                survey.acts.push((part, Act::Reads));
            }
            // Where an object is, not what it holds.
            Operation::Convert { conversion: Conversion::Decay, operand, .. } | Operation::AddressOf(operand) => {
                self.survey_target(*operand, part, depth + 1, survey);
            }
            Operation::VariadicArgument(list) => {
                self.survey_inside(&[*list], (part, false), depth, survey);
                survey.has_others |= self.variable_in(*list).is_none();
                survey.acts.push((part, Act::Effect(id)));
            }
            Operation::StatementExpression(_) | Operation::Builtin(_) | Operation::Unknown(..) => {
                survey.has_others = true;
            }
            operation => self.survey_inside(&operation.operands(), (part, false), depth, survey),
        }
    }

    fn survey_store(
        &self,
        id: ExpressionId,
        left: ExpressionId,
        right: &[ExpressionId],
        part: usize,
        depth: usize,
        survey: &mut Survey,
    ) {
        self.survey_inside(right, (part, false), depth, survey);
        let target = survey.add(Some(part), false);
        self.survey_target(left, target, depth + 1, survey);
        let qualifiers = self.unit.type_of(left).qualifiers;
        survey.has_others |= qualifiers.has(Qualifiers::VOLATILE) || qualifiers.has(Qualifiers::ATOMIC);
        survey.acts.push((part, Act::Effect(id)));
    }

    /// What a call of the function does; nothing, if it is one of a library that computes a value of its arguments.
    fn act_of_call(&self, callee: ExpressionId) -> Option<Act> {
        let Some(function) = self.function_of_others(callee) else { return Some(Act::Calls) };
        match self.unit.name_in_library(function) {
            // What `malloc` gives was nobody's before.
            Some(name) if matches!(library::known(name), Some(Use::Value | Use::Fresh)) => None,
            None if library::reads_vectors(self.spelling(function), self.input.is_in_c_alone) => Some(Act::Reads),
            _ => Some(Act::Calls),
        }
    }
}
