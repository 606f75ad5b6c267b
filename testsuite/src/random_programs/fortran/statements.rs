//! Statements of one unit as Fortran.

use std::fmt::Write as _;

use super::Writer;
use crate::random_programs::program::{
    ArrayId, Condition, Element, Expression, Index, Operator, ProcedureId, ProcedureKind, Relation, ScalarId,
    Statement, Value,
};

/// The statements of a unit.
pub(super) fn written(writer: &Writer, unit: Option<ProcedureId>, statements: &[Statement]) -> String {
    let mut block = Block { writer, unit, text: String::new(), depth: 1 };
    block.statements(statements);
    block.text
}

/// Writes statements of one unit.
pub(super) struct Block<'w, 'p> {
    pub(super) writer: &'w Writer<'p>,
    pub(super) unit: Option<ProcedureId>,
    text: String,
    depth: usize,
}

impl Block<'_, '_> {
    pub(super) fn line(&mut self, line: &str) {
        const WIDTH: usize = 110;
        let line = if self.writer.program.style.capitals { capitals(line) } else { line.to_owned() };
        let mut rest = format!("{}{line}", "  ".repeat(self.depth));
        // Long lines go on behind a blank.
        while rest.len() > WIDTH {
            let Some(cut) = rest[..WIDTH].rfind(' ').filter(|&cut| !rest[..cut].trim().is_empty()) else { break };
            let _ = writeln!(self.text, "{} &", &rest[..cut]);
            rest = format!("{}      {}", "  ".repeat(self.depth), rest[cut..].trim_start());
        }
        self.text.push_str(&rest);
        self.text.push('\n');
    }

    fn block(&mut self, statements: &[Statement]) {
        self.depth += 1;
        self.statements(statements);
        self.depth -= 1;
    }

    fn construct(&mut self, name: &str, statements: &[Statement]) {
        self.depth += 1;
        self.line(name);
        self.block(statements);
        self.line(&format!("end {name}"));
        self.depth -= 1;
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Loop { variable, lower, upper, step, body } => {
                let step = if *step == 1 { String::new() } else { format!(", {step}") };
                let variable = self.scalar(*variable);
                self.line(&format!("do {variable} = {}, {}{step}", self.expression(lower), self.expression(upper)));
                match self.writer.has_short_names(self.unit) {
                    true => self.construct("block", body),
                    false => self.block(body),
                }
                self.line("end do");
            }
            Statement::If { condition, then, otherwise } => self.choice(condition, then, otherwise),
            Statement::SetInteger(scalar, value) => {
                self.line(&format!("{} = {}", self.scalar(*scalar), self.expression(value)));
            }
            Statement::SetReal(scalar, value) => {
                self.line(&format!("{} = {}", self.scalar(*scalar), self.value(value)));
            }
            Statement::Store(array, index, value) => {
                let element = self.element(*array, index);
                self.line(&format!("{element} = {}", self.stored(*array, value)));
            }
            Statement::Fill(array, lower, upper, value) => {
                let section = format!("{}:{}", self.expression(lower), self.expression(upper));
                let name = self.array(*array);
                self.line(&format!("{name}({section}) = {}", self.stored(*array, value)));
            }
            Statement::Exit(condition) => self.line(&format!("if ({}) exit", self.condition(condition))),
            Statement::Cycle(condition) => self.line(&format!("if ({}) cycle", self.condition(condition))),
            Statement::Return(condition) => self.line(&format!("if ({}) return", self.condition(condition))),
            Statement::Call(procedure, handed) => {
                let mut arguments: Vec<String> =
                    handed.arrays.iter().map(|(array, index)| self.start(*array, index)).collect();
                arguments.extend(handed.integers.iter().map(|integer| match integer {
                    Expression::Literal(_) | Expression::Scalar(_) => self.expression(integer),
                    other => format!("({})", self.expression(other)),
                }));
                arguments.extend(handed.requests.iter().map(|requests| self.handed(requests)));
                arguments.extend(handed.datatypes.iter().map(|datatype| self.writer.datatype_name(*datatype)));
                if self.writer.program.procedures[*procedure].kind != ProcedureKind::Internal {
                    arguments.extend(["rank".to_owned(), "ranks".to_owned()]);
                }
                let name = self.writer.called_name(self.unit, *procedure);
                self.line(&format!("call {name}({})", arguments.join(", ")));
            }
            Statement::Print(value) => {
                self.line("if (rank == 0) then");
                self.depth += 1;
                let line = format!(
                    "write (*, '(a,z16.16)') 'program {} note ', transfer({}, 0_8)",
                    self.writer.number,
                    self.value(value)
                );
                self.line(&line);
                self.depth -= 1;
                self.line("end if");
            }
            Statement::Communicate(communication) => self.communicate(communication),
        }
    }

    fn choice(&mut self, condition: &Condition, then: &[Statement], otherwise: &[Statement]) {
        let condition = self.condition(condition);
        let is_simple = |statement: &Statement| {
            matches!(
                statement,
                Statement::Store(..)
                    | Statement::SetInteger(..)
                    | Statement::SetReal(..)
                    | Statement::Call(..)
                    | Statement::Communicate(_)
            )
        };
        if let ([one], [], true) = (then, otherwise, self.writer.program.style.one_line_if)
            && is_simple(one)
        {
            let mut inner = Block { writer: self.writer, unit: self.unit, text: String::new(), depth: 0 };
            inner.statement(one);
            if inner.text.lines().count() == 1 {
                self.line(&format!("if ({condition}) {}", inner.text.trim()));
                return;
            }
        }
        self.line(&format!("if ({condition}) then"));
        self.block(then);
        if !otherwise.is_empty() {
            self.line("else");
            self.block(otherwise);
        }
        self.line("end if");
    }

    pub(super) fn scalar(&self, id: ScalarId) -> String {
        if self.writer.has_short_names(self.unit) && self.writer.is_scalar_component(id) {
            return self.writer.plain_scalar_name(self.unit, id);
        }
        self.writer.scalar_name(self.unit, id)
    }

    pub(super) fn array(&self, id: ArrayId) -> String {
        if self.writer.has_short_names(self.unit) && self.writer.is_component(id) {
            return self.writer.plain_array_name(self.unit, id);
        }
        self.writer.array_name(self.unit, id)
    }

    pub(super) fn start(&self, array: ArrayId, index: &Index) -> String {
        if index.is_empty() { self.array(array) } else { self.element(array, index) }
    }

    fn element(&self, array: ArrayId, index: &Index) -> String {
        let index: Vec<String> = index.iter().map(|part| self.expression(part)).collect();
        format!("{}({})", self.array(array), index.join(", "))
    }

    fn condition(&self, condition: &Condition) -> String {
        let relation = match condition.relation {
            Relation::Equal => "==",
            Relation::Different => "/=",
            Relation::Less => "<",
            Relation::NotLess => ">=",
        };
        format!("{} {relation} {}", self.expression(&condition.left), self.expression(&condition.right))
    }

    pub(super) fn expression(&self, expression: &Expression) -> String {
        let style = &self.writer.program.style;
        match expression {
            Expression::Literal(number) if *number >= 10 && style.names_numbers => format!("n{number}"),
            Expression::Literal(number) if *number < 0 => format!("({number})"),
            Expression::Literal(number) => number.to_string(),
            Expression::Tag(tag) if style.names_tags => format!("tag{tag}"),
            Expression::Tag(tag) => self.writer.tag(*tag).to_string(),
            Expression::Scalar(id) => self.scalar(*id),
            Expression::Rank => "rank".to_owned(),
            Expression::Ranks => "ranks".to_owned(),
            Expression::NoProcess => "mpi_proc_null".to_owned(),
            Expression::Element(array, index) => self.element(*array, index),
            Expression::Binary(left, operator, right) => {
                let (left, right) = (&**left, &**right);
                if *operator == Operator::Modulo {
                    return format!("mod({}, {})", self.expression(left), self.expression(right));
                }
                let sum =
                    |side: &Expression| matches!(side, Expression::Binary(_, Operator::Add | Operator::Subtract, _));
                let in_product = *operator == Operator::Multiply;
                let shown = |side: &Expression, protect: bool| {
                    let text = self.expression(side);
                    if protect && sum(side) { format!("({text})") } else { text }
                };
                let left = shown(left, in_product);
                let right = shown(right, in_product || *operator == Operator::Subtract);
                format!("{left} {} {right}", sign(*operator))
            }
        }
    }

    fn stored(&self, array: ArrayId, value: &Value) -> String {
        match (self.writer.program.arrays[array].element, value) {
            (Element::Integer, Value::Integer(expression)) => self.expression(expression),
            (element, Value::Element(copied, index)) if self.writer.program.arrays[*copied].element == element => {
                self.element(*copied, index)
            }
            (Element::Single, value) => format!("real({})", self.value(value)),
            (_, value) => self.value(value),
        }
    }

    /// Every operation in parentheses: the order decides about the last bits.
    fn value(&self, value: &Value) -> String {
        match value {
            Value::Eighths(eighths) if *eighths < 0 => format!("({:.3}d0)", f64::from(*eighths) / 8.0),
            Value::Eighths(eighths) => format!("{:.3}d0", f64::from(*eighths) / 8.0),
            Value::Scalar(id) => self.scalar(*id),
            Value::Integer(expression) => format!("dble({})", self.expression(expression)),
            Value::Element(array, index) => match self.writer.program.arrays[*array].element {
                Element::Double => self.element(*array, index),
                Element::Single | Element::Integer => format!("dble({})", self.element(*array, index)),
            },
            Value::Binary(left, operator, right) => {
                let part = |side: &Value| match side {
                    Value::Binary(..) => format!("({})", self.value(side)),
                    _ => self.value(side),
                };
                format!("{} {} {}", part(left), sign(*operator), part(right))
            }
            Value::Largest(left, right) => format!("max({}, {})", self.value(left), self.value(right)),
            Value::Absolute(inner) => format!("abs({})", self.value(inner)),
        }
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply | Operator::Modulo => "*",
    }
}

/// The line in capitals, except what is between quotes.
fn capitals(line: &str) -> String {
    let mut quoted = false;
    line.chars()
        .map(|character| {
            quoted ^= character == '\'';
            if quoted { character } else { character.to_ascii_uppercase() }
        })
        .collect()
}
