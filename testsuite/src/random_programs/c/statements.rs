//! Statements of one unit as C.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fastrand::Rng;

use super::Writer;
use super::loops::Counted;
use super::posts::{self, Posts};
use crate::configuration::fnv1a;
use crate::random_programs::program::{
    ArrayId, Condition, Element, Operator, ProcedureId, RequestId, ScalarId, Statement, Value,
};

/// What the statements of a unit need declared besides the variables of the program.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Counters that no loop declares.
    pub counters: BTreeSet<ScalarId>,
    /// Counts of requests that were posted.
    pub posted: BTreeSet<RequestId>,
    /// `rc`
    pub code: bool,
    /// `flag`
    pub flag: bool,
    /// `index`
    pub index: bool,
    /// A status.
    pub status: bool,
    /// Statuses of a wait for all.
    pub all_statuses: usize,
    /// A name for the communicator.
    pub communicator: bool,
    /// The label at the end.
    pub end: bool,
}

/// What a statement is where braces may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// It ends with its semicolon.
    Simple,
    /// It may end with a condition to which an `else` would belong.
    Compound,
    /// It is several statements.
    Several,
}

/// Writes statements of one unit.
pub(super) struct Block<'w, 'p> {
    pub(super) writer: &'w Writer<'p>,
    pub(super) unit: Option<ProcedureId>,
    pub(super) needs: Needs,
    /// Counters of the loops around, and how far what they count is above them.
    pub(super) shifts: Vec<(ScalarId, i64)>,
    /// Arrays with second names: pointers to so far behind their beginnings.
    pub(super) second_names: BTreeMap<ArrayId, i64>,
    /// The statement takes the next request of those that are counted.
    pub(super) posts_next: bool,
    pub(super) depth: usize,
    random: RefCell<Rng>,
    text: String,
    shapes: Vec<Shape>,
}

impl<'w, 'p> Block<'w, 'p> {
    pub(super) fn new(writer: &'w Writer<'p>, unit: Option<ProcedureId>, second_names: BTreeMap<ArrayId, i64>) -> Self {
        Self {
            writer,
            unit,
            needs: Needs::default(),
            shifts: Vec::new(),
            second_names,
            posts_next: false,
            depth: 1,
            random: RefCell::new(Rng::with_seed(writer.style.seed)),
            text: String::new(),
            shapes: Vec::new(),
        }
    }

    /// What was written, and what it needs.
    pub(super) fn end(self) -> (String, Needs) {
        (self.text, self.needs)
    }

    /// A choice that this statement always makes in the same way.
    pub(super) fn chance(&self, percent: usize) -> bool {
        self.pick(100) < percent
    }

    pub(super) fn pick(&self, choices: usize) -> usize {
        self.random.borrow_mut().usize(0..choices)
    }

    pub(super) fn line(&mut self, line: &str) {
        const WIDTH: usize = 110;
        let mut rest = format!("{}{line}", "    ".repeat(self.depth));
        // Long lines go on behind a blank; there are no strings in them.
        while rest.len() > WIDTH {
            let Some(cut) = rest[..WIDTH].rfind(' ').filter(|&cut| !rest[..cut].trim().is_empty()) else { break };
            let _ = writeln!(self.text, "{}", &rest[..cut]);
            rest = format!("{}        {}", "    ".repeat(self.depth), rest[cut..].trim_start());
        }
        self.text.push_str(&rest);
        self.text.push('\n');
    }

    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    pub(super) fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }

    /// A statement of one line, without its semicolon.
    pub(super) fn simple(&mut self, text: &str) {
        self.line(&format!("{text};"));
        self.end_statement(Shape::Simple);
    }

    pub(super) fn end_statement(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Statements inside of another one; says what they are.
    pub(super) fn inner(&mut self, statements: &[Statement]) -> Vec<Shape> {
        let outer = std::mem::take(&mut self.shapes);
        self.statements(statements);
        std::mem::replace(&mut self.shapes, outer)
    }

    /// Statements that this line governs, in braces where they are needed: perhaps an `else` follows.
    pub(super) fn governed(&mut self, head: &str, statements: &[Statement], before_else: bool) {
        let outer = std::mem::take(&mut self.text);
        self.depth += 1;
        let shapes = self.inner(statements);
        self.depth -= 1;
        let body = std::mem::replace(&mut self.text, outer);
        let is_bare = self.writer.style.few_braces
            && match shapes[..] {
                [Shape::Simple] => true,
                [Shape::Compound] => !before_else,
                _ => false,
            };
        self.line(&format!("{head}{}", if is_bare { "" } else { " {" }));
        self.text.push_str(&body);
        if !is_bare {
            self.line("}");
        }
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        let posts = match self.writer.style.counted_requests {
            true => posts::counted(statements, &|request| self.writer.program.requests[request].length.is_some()),
            false => Vec::new(),
        };
        let mut number = 0;
        while let Some(statement) = statements.get(number) {
            let next = statements.get(number + 1);
            if self.writer.style.terse
                && let Some(next) = next
                && self.both(statement, next)
            {
                number += 2;
                continue;
            }
            for found in posts.iter().filter(|found| found.first() == number) {
                self.needs.posted.insert(found.requests);
                self.simple(&format!("posted{} = 0", found.requests));
            }
            self.statement(statement, posts.iter().find(|found| found.includes(number)));
            number += 1;
        }
    }

    /// Two assignments with a comma between them, if they are that.
    fn both(&mut self, one: &Statement, other: &Statement) -> bool {
        let outer = self.begin(one);
        let wanted = self.chance(12);
        let texts = if wanted { self.assignment(one).zip(self.assignment(other)) } else { None };
        self.random.replace(outer);
        let Some((one, other)) = texts else { return false };
        self.simple(&format!("{one}, {other}"));
        true
    }

    /// From here on choices are those of this statement.
    fn begin(&self, statement: &Statement) -> Rng {
        let hash = fnv1a(&format!("{statement:?}")) as u64;
        self.random.replace(Rng::with_seed(self.writer.style.seed ^ (hash << 16)))
    }

    fn statement(&mut self, statement: &Statement, posts: Option<&Posts>) {
        let outer = self.begin(statement);
        match statement {
            Statement::Loop { variable, lower, upper, step, body } => {
                self.counted_loop(&Counted { variable: *variable, lower, upper, step: *step, body });
            }
            Statement::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Statement::SetInteger(..) | Statement::SetReal(..) | Statement::Store(..) => {
                if let Some(text) = self.assignment(statement) {
                    self.simple(&text);
                }
            }
            Statement::Fill(array, lower, upper, value) => self.fill(*array, lower, upper, value),
            Statement::Exit(condition) => self.jump(condition, "break"),
            Statement::Cycle(condition) => self.jump(condition, "continue"),
            Statement::Return(condition) => {
                self.needs.end |= self.ends_at_label();
                self.jump(condition, if self.ends_at_label() { "goto end" } else { "return" });
            }
            Statement::Call(procedure, arguments) => self.call(*procedure, arguments),
            Statement::Print(value) => {
                let note = format!("note({}, {})", self.writer.number, self.value(value));
                self.line("if (rank == 0)");
                self.depth += 1;
                self.line(&format!("{note};"));
                self.depth -= 1;
                self.end_statement(Shape::Compound);
            }
            Statement::Communicate(communication) => self.communicate(communication, posts),
        }
        self.random.replace(outer);
    }

    /// Does the unit end with what frees its memory?
    fn ends_at_label(&self) -> bool {
        self.unit.is_none() && self.writer.frees_memory()
    }

    fn jump(&mut self, condition: &Condition, how: &str) {
        let condition = self.condition(condition);
        if self.writer.style.few_braces {
            self.line(&format!("if ({condition})"));
            self.depth += 1;
            self.line(&format!("{how};"));
            self.depth -= 1;
        } else {
            self.open(&format!("if ({condition}) {{"));
            self.line(&format!("{how};"));
            self.close("}");
        }
        self.end_statement(Shape::Compound);
    }

    /// The text of an assignment, without a semicolon.
    fn assignment(&self, statement: &Statement) -> Option<String> {
        Some(match statement {
            Statement::SetInteger(scalar, value) => format!("{} = {}", self.scalar(*scalar), self.expression(value)),
            Statement::SetReal(scalar, value) => match value {
                Value::Binary(left, operator, right) if self.adds(operator) && **left == Value::Scalar(*scalar) => {
                    format!("{} {} {}", self.scalar(*scalar), compound(*operator), self.value(right))
                }
                value => format!("{} = {}", self.scalar(*scalar), self.stored(Element::Double, value)),
            },
            Statement::Store(array, index, value) => {
                let element = self.writer.program.arrays[*array].element;
                let target = self.element(*array, index);
                match value {
                    Value::Binary(left, operator, right)
                        if self.adds(operator)
                            && element == Element::Double
                            && **left == Value::Element(*array, index.clone()) =>
                    {
                        format!("{target} {} {}", compound(*operator), self.value(right))
                    }
                    value => format!("{target} = {}", self.stored(element, value)),
                }
            }
            _ => return None,
        })
    }

    /// Is `a = a + b` written as `a += b`?
    fn adds(&self, operator: &Operator) -> bool {
        self.writer.style.terse && *operator != Operator::Modulo
    }

    fn choice(&mut self, condition: &Condition, then: &[Statement], otherwise: &[Statement]) {
        // One variable gets one of two values.
        if let ([Statement::SetInteger(one, then)], [Statement::SetInteger(other, otherwise)]) = (then, otherwise)
            && one == other
            && self.writer.style.terse
        {
            let (condition, then, otherwise) =
                (self.condition(condition), self.expression(then), self.expression(otherwise));
            return self.simple(&format!("{} = {condition} ? {then} : {otherwise}", self.scalar(*one)));
        }
        let condition = self.condition(condition);
        self.governed(&format!("if ({condition})"), then, !otherwise.is_empty());
        if !otherwise.is_empty() {
            self.governed("else", otherwise, false);
        }
        self.end_statement(Shape::Compound);
    }
}

fn compound(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+=",
        Operator::Subtract => "-=",
        Operator::Multiply | Operator::Modulo => "*=",
    }
}
