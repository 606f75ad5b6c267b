//! The calls of MPI's routines in a unit, each with how it stands in its statement and which text of a file it is.
//!
//! Every call that the text holds is found, but for those in holes, which are listed, too; and so is every other use of a
//! routine's name, since a routine whose address is taken may be called anywhere.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use super::expansion::{Expansion, NotOwn, OwnText};
use super::tokens::{TokenKind, lex};
use super::translation_unit::TranslationUnit;
use super::unit::{
    BinaryOperator, Conversion, ExpressionId, Operation, Span, StatementId, StatementKind, SymbolId, SymbolKind,
    UnaryOperator, Unit,
};
use crate::mpi::routines::{self, Routine};

/// How a call stands in its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// It is a statement of its own.
    Statement,
    /// Likewise, and its value is thrown away by a cast.
    Discarded,
    /// Its value is assigned.
    Assigned,
    /// Its value is compared, or an operand of `!`, `&&`, `||`, or of `?:` the condition.
    Tested,
    /// Its value is the condition of a statement, or what a `switch` decides by.
    Condition,
    /// Its value is returned.
    Returned,
    /// It is in an initialiser.
    Initialiser,
    /// It is an argument of another call.
    Argument,
    /// It is an operand of `,` or of `?:`, or the update or the start of a `for`.
    Operand,
    /// It is a part of another expression.
    Part,
    /// It is not evaluated: an operand of `sizeof` or of `typeof`, or what `_Generic` does not choose.
    Unevaluated,
}

/// A call of a routine of MPI.
#[derive(Debug)]
pub struct MpiCall {
    /// The routine as it is spelled, with `PMPI_` where it is that.
    pub symbol: SymbolId,
    /// What the table says of it.
    pub routine: &'static Routine,
    /// Is it a call of the profiling interface?
    pub is_profiling: bool,
    /// The call.
    pub call: ExpressionId,
    /// Its arguments, converted to the types of the parameters.
    pub arguments: Vec<ExpressionId>,
    /// The function around: its number in the unit. None in what is not evaluated, or at file scope.
    pub function: Option<usize>,
    /// The statement around.
    pub statement: Option<StatementId>,
    /// How it stands in it.
    pub standing: Standing,
    /// The bytes of a file that are the call, or why it is no own text.
    pub own_text: Result<OwnText, NotOwn>,
}

/// What a unit has of MPI's routines.
#[derive(Debug, Default)]
pub struct MpiUses {
    /// All calls, in the order of the text.
    pub calls: Vec<MpiCall>,
    /// Where else a routine is named in an expression: its address is taken.
    pub addresses: Vec<(SymbolId, Span)>,
    /// What looks like a call in text that could not be read.
    pub unread: Vec<Span>,
}

/// Is it the name of a routine of MPI, or made as one?
pub fn is_routine_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("PMPI_").or_else(|| name.strip_prefix("MPI_")) else { return false };
    if routines::is_known(&format!("mpi_{}", rest.to_ascii_lowercase())) {
        return true;
    }
    // `MPI_Xyz`: constants are written in capitals.
    rest.starts_with(|first: char| first.is_ascii_uppercase())
        && rest.chars().nth(1).is_some_and(|second| second.is_ascii_lowercase())
}

/// What stands around something.
#[derive(Debug, Clone, Copy)]
enum Around {
    Expression(ExpressionId),
    Statement(StatementId),
    Initialiser(StatementId),
    /// An initialiser at file scope.
    File,
}

/// For each expression what stands around it, and for each statement in which function it is.
struct Tree {
    around: HashMap<ExpressionId, Around>,
    functions: HashMap<StatementId, usize>,
}

impl Tree {
    fn of(unit: &Unit) -> Self {
        let mut tree = Self { around: HashMap::new(), functions: HashMap::new() };
        for (number, function) in unit.functions.iter().enumerate() {
            for bound in &function.parameter_bounds {
                tree.around.insert(*bound, Around::Statement(function.body));
            }
            tree.enter(unit, function.body, number);
        }
        for symbol in unit.globals.iter().map(|id| unit.symbol(*id)) {
            let items = symbol.initialiser.iter().flat_map(|initialiser| &initialiser.items);
            items.for_each(|item| {
                tree.around.entry(item.value).or_insert(Around::File);
            });
        }
        for number in 0..unit.expressions.len() {
            let id = ExpressionId::next(number);
            let operation = &unit.expression(id).operation;
            for operand in operation.operands() {
                tree.around.entry(operand).or_insert(Around::Expression(id));
            }
            match operation {
                Operation::CompoundLiteral(symbol) => {
                    let items = unit.symbol(*symbol).initialiser.iter().flat_map(|initialiser| &initialiser.items);
                    for item in items {
                        tree.around.entry(item.value).or_insert(Around::Expression(id));
                    }
                }
                Operation::StatementExpression(block) => tree.enter_nested(unit, *block, id),
                _ => {}
            }
        }
        tree
    }

    /// The statements of a statement expression belong to the function around.
    fn enter_nested(&mut self, unit: &Unit, block: StatementId, id: ExpressionId) {
        let mut seen = id;
        let function = loop {
            match self.around.get(&seen) {
                Some(Around::Expression(outer)) => seen = *outer,
                Some(Around::Statement(statement) | Around::Initialiser(statement)) => {
                    break self.functions.get(statement).copied();
                }
                Some(Around::File) | None => break None,
            }
        };
        let by_place = || {
            let at = unit.expression(id).range.start;
            unit.functions.iter().position(|function| function.range.contains(&at))
        };
        if let Some(function) = function.or_else(by_place) {
            self.enter(unit, block, function);
        }
    }

    fn enter(&mut self, unit: &Unit, statement: StatementId, function: usize) {
        let mut left = vec![statement];
        while let Some(id) = left.pop() {
            self.functions.insert(id, function);
            let kind = &unit.statement(id).kind;
            for expression in kind.expressions() {
                self.around.insert(expression, Around::Statement(id));
            }
            if let StatementKind::Declaration { symbols, .. } = kind {
                for symbol in symbols.iter().map(|symbol| unit.symbol(*symbol)) {
                    let items = symbol.initialiser.iter().flat_map(|initialiser| &initialiser.items);
                    items.for_each(|item| {
                        self.around.insert(item.value, Around::Initialiser(id));
                    });
                }
            }
            left.extend(kind.statements());
        }
    }

    /// How an expression stands, and in which statement.
    fn standing(&self, unit: &Unit, call: ExpressionId) -> (Standing, Option<StatementId>) {
        let mut standing = None;
        let mut id = call;
        loop {
            let found = match self.around.get(&id) {
                None => return (Standing::Unevaluated, None),
                Some(Around::File) => return (standing.unwrap_or(Standing::Initialiser), None),
                Some(Around::Initialiser(statement)) => {
                    return (standing.unwrap_or(Standing::Initialiser), Some(*statement));
                }
                Some(Around::Statement(statement)) => {
                    let own = in_statement(&unit.statement(*statement).kind, id);
                    return (standing.unwrap_or(own), Some(*statement));
                }
                Some(Around::Expression(outer)) => {
                    let found = in_expression(&unit.expression(*outer).operation, id);
                    id = *outer;
                    found
                }
            };
            if found == Some(Standing::Unevaluated) {
                return (Standing::Unevaluated, self.statement_of(id));
            }
            // A cast to void counts only as the whole statement.
            standing = standing.or(found);
        }
    }

    fn statement_of(&self, mut id: ExpressionId) -> Option<StatementId> {
        loop {
            match self.around.get(&id)? {
                Around::Expression(outer) => id = *outer,
                Around::Statement(statement) | Around::Initialiser(statement) => return Some(*statement),
                Around::File => return None,
            }
        }
    }
}

/// How an operand stands in what is around it; none, if that only passes its value on.
fn in_expression(around: &Operation, operand: ExpressionId) -> Option<Standing> {
    use BinaryOperator as B;
    Some(match around {
        Operation::Convert { conversion: Conversion::Void, is_cast: true, .. } => Standing::Discarded,
        Operation::Convert { .. } => return None,
        Operation::Assign { .. } | Operation::AssignOperation { .. } => Standing::Assigned,
        Operation::Binary(
            B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual | B::And | B::Or,
            ..,
        )
        | Operation::Unary(UnaryOperator::Not, _) => Standing::Tested,
        Operation::Conditional { condition, .. } if *condition == operand => Standing::Tested,
        Operation::Conditional { .. } | Operation::Comma(..) => Standing::Operand,
        Operation::Call { .. } | Operation::Test(_) | Operation::Builtin(_) => Standing::Argument,
        Operation::CompoundLiteral(_) => Standing::Initialiser,
        Operation::SizeOf { .. } => Standing::Unevaluated,
        _ => Standing::Part,
    })
}

fn in_statement(around: &StatementKind, id: ExpressionId) -> Standing {
    match around {
        StatementKind::Expression(_) => Standing::Statement,
        StatementKind::If { .. }
        | StatementKind::While { .. }
        | StatementKind::DoWhile { .. }
        | StatementKind::Switch { .. } => Standing::Condition,
        StatementKind::For { condition, .. } if *condition == Some(id) => Standing::Condition,
        StatementKind::For { .. } => Standing::Operand,
        StatementKind::Return(_) => Standing::Returned,
        _ => Standing::Part,
    }
}

impl MpiUses {
    /// What a unit has of MPI's routines.
    pub fn of(read: &TranslationUnit) -> Self {
        let unit = &read.unit;
        let tree = Tree::of(unit);
        let mut uses = Self::default();
        let mut called: HashSet<ExpressionId> = HashSet::new();
        for (number, expression) in unit.expressions.iter().enumerate() {
            let Operation::Call { callee, arguments } = &expression.operation else { continue };
            let Some((symbol, name)) = named_routine(unit, *callee) else { continue };
            called.insert(name);
            if is_in_hole(unit, &expression.range) {
                continue;
            }
            let call = ExpressionId::next(number);
            let spelled = spelling(unit, symbol).to_ascii_lowercase();
            let (standing, statement) = tree.standing(unit, call);
            uses.calls.push(MpiCall {
                symbol,
                routine: routines::find(&spelled),
                is_profiling: spelled.starts_with("pmpi_"),
                call,
                arguments: arguments.clone(),
                function: statement.and_then(|statement| tree.functions.get(&statement).copied()),
                statement,
                standing,
                own_text: read.expansion.own_text(expression.range.start as usize..expression.range.end as usize),
            });
        }
        for (number, expression) in unit.expressions.iter().enumerate() {
            if let Operation::Symbol(symbol) = expression.operation
                && unit.symbol(symbol).kind == SymbolKind::Function
                && is_routine_name(spelling(unit, symbol))
                && !called.contains(&ExpressionId::next(number))
                && !is_in_hole(unit, &expression.range)
            {
                uses.addresses.push((symbol, expression.range.clone()));
            }
        }
        uses.calls.sort_by_key(|call| unit.expression(call.call).range.start);
        uses.unread = unit.holes.iter().flat_map(|hole| looks_like_calls(&read.expansion, &hole.range)).collect();
        uses
    }
}

fn spelling(unit: &Unit, symbol: SymbolId) -> &str {
    unit.symbol(symbol).name.map_or("", |name| unit.names.text(name))
}

fn is_in_hole(unit: &Unit, range: &Span) -> bool {
    unit.holes.iter().any(|hole| hole.range.start <= range.start && range.end <= hole.range.end)
}

/// The routine of MPI that a call calls by its name, and the expression that names it.
fn named_routine(unit: &Unit, callee: ExpressionId) -> Option<(SymbolId, ExpressionId)> {
    let mut id = callee;
    loop {
        match &unit.expression(id).operation {
            Operation::Convert { conversion: Conversion::FunctionAddress, operand, is_cast: false } => id = *operand,
            // `(*f)(…)` and `(&f)(…)` call the same.
            Operation::Dereference(operand) | Operation::AddressOf(operand) => id = *operand,
            Operation::Symbol(symbol) => {
                let is_routine =
                    unit.symbol(*symbol).kind == SymbolKind::Function && is_routine_name(spelling(unit, *symbol));
                return is_routine.then_some((*symbol, id));
            }
            _ => return None,
        }
    }
}

/// Where in a part of the text a routine's name stands in front of a parenthesis.
fn looks_like_calls(expansion: &Expansion, range: &Span) -> Vec<Span> {
    let text = &expansion.text()[range.start as usize..range.end as usize];
    let lexed = lex(text);
    let pairs = lexed.tokens.windows(2);
    let calls = pairs.filter(|pair| match pair[0].kind {
        TokenKind::Name(name) => {
            let opens = pair[1].kind == TokenKind::Sign(super::tokens::Sign::LeftParenthesis);
            opens && is_routine_name(lexed.names.text(name))
        }
        _ => false,
    });
    calls.map(|pair| range.start + pair[0].start..range.start + pair[0].end).collect()
}
