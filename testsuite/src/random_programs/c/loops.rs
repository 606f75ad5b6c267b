//! Loops as C.

use super::counters::{CounterType, changes, has_cycle};
use super::statements::{Block, Shape};
use super::style::{Counters, Steps};
use crate::random_programs::program::{ArrayId, Element, Expression, ScalarId, Statement, Value};

/// A loop of a program.
pub(super) struct Counted<'s> {
    pub variable: ScalarId,
    pub lower: &'s Expression,
    pub upper: &'s Expression,
    pub step: i64,
    pub body: &'s [Statement],
}

impl Block<'_, '_> {
    pub(super) fn counted_loop(&mut self, found: &Counted) {
        let style = &self.writer.style;
        let counter = self.writer.memory.counters.get(&found.variable).copied();
        // A counter of its own may begin at 0, and stand for the number that many above.
        let shift = match (counter, found.lower) {
            (Some(_), Expression::Literal(lower)) if style.from_zero && found.step > 0 => *lower,
            _ => 0,
        };
        let is_moving = changes(self.writer.program, found.upper, found.variable, found.body);
        let name = self.scalar(found.variable);
        let lower = self.shifted(found.lower, -shift);
        let (relation, past) = match (found.step > 0, style.exclusive) {
            (true, true) => ("<", 1),
            (true, false) => ("<=", 0),
            (false, true) => (">", -1),
            (false, false) => (">=", 0),
        };
        let upper = self.shifted(found.upper, past - shift);
        let type_name = counter.map_or("int", CounterType::name);
        let in_loop = counter.is_some() && style.counters == Counters::InLoop;
        let by_while = style.while_loops && !has_cycle(found.body) && self.chance(40);
        let change = self.change(&name, found.step);
        if counter.is_some() && !in_loop {
            self.needs.counters.insert(found.variable);
        }
        // A bound that changes on the way is kept.
        let keeps_in_head = is_moving && in_loop && !by_while && counter == Some(CounterType::Int);
        let opens = is_moving && !keeps_in_head || by_while && in_loop;
        if opens {
            self.open("{");
        }
        if is_moving && !keeps_in_head {
            self.line(&format!("const int last = {upper};"));
        }
        let bound = if is_moving { "last" } else { &upper };
        let first = match in_loop {
            true => format!("{type_name} {name} = {lower}"),
            false => format!("{name} = {lower}"),
        };
        self.shifts.push((found.variable, shift));
        if by_while {
            self.line(&format!("{first};"));
            self.open(&format!("while ({name} {relation} {bound}) {{"));
            self.statements(found.body);
            self.line(&format!("{change};"));
            self.close("}");
        } else {
            let first = if keeps_in_head { format!("{first}, last = {upper}") } else { first };
            self.governed(&format!("for ({first}; {name} {relation} {bound}; {change})"), found.body, false);
        }
        self.shifts.pop();
        if opens {
            self.close("}");
        }
        self.end_statement(if by_while && !opens { Shape::Several } else { Shape::Compound });
    }

    /// What changes a counter.
    fn change(&self, name: &str, step: i64) -> String {
        match (step, self.writer.style.steps) {
            (1, Steps::Postfix) => format!("{name}++"),
            (1, Steps::Prefix) => format!("++{name}"),
            (-1, Steps::Postfix) => format!("{name}--"),
            (-1, Steps::Prefix) => format!("--{name}"),
            (step, _) if step < 0 => format!("{name} -= {}", -step),
            (step, _) => format!("{name} += {step}"),
        }
    }

    /// Sets elements of an array with one dimension to one value.
    pub(super) fn fill(&mut self, array: ArrayId, lower: &Expression, upper: &Expression, value: &Value) {
        let found = &self.writer.program.arrays[array];
        let name = self.array(array);
        let (first, past) = (self.shifted(lower, -found.first), self.shifted(upper, 1 - found.first));
        // It may read what is set, or what the subscripts come from.
        let keeps = reads_elements(value);
        if keeps {
            let of = if found.element == Element::Integer { "int" } else { "double" };
            let kept = self.value(value);
            self.open("{");
            self.line(&format!("const {of} filled = {kept};"));
        }
        let shown = if keeps { "filled".to_owned() } else { self.stored(found.element, value) };
        let is_moving = [lower, upper].iter().any(|bound| {
            let mut reads = false;
            bound.visit(&mut |part| reads |= matches!(part, Expression::Element(..)));
            reads
        });
        let (counting, bound) = match is_moving {
            true => (format!("at = {first}, end = {past}"), "end".to_owned()),
            false => (format!("at = {first}"), past),
        };
        let change = self.change("at", 1);
        self.line(&format!("for (int {counting}; at < {bound}; {change})"));
        self.depth += 1;
        self.line(&format!("{name}[at] = {shown};"));
        self.depth -= 1;
        if keeps {
            self.close("}");
        }
        self.end_statement(Shape::Compound);
    }
}

fn reads_elements(value: &Value) -> bool {
    match value {
        Value::Element(..) => true,
        Value::Binary(left, _, right) | Value::Largest(left, right) => reads_elements(left) || reads_elements(right),
        Value::Absolute(inner) => reads_elements(inner),
        Value::Integer(expression) => {
            let mut reads = false;
            expression.visit(&mut |part| reads |= matches!(part, Expression::Element(..)));
            reads
        }
        Value::Eighths(_) | Value::Scalar(_) => false,
    }
}
