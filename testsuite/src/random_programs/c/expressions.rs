//! Expressions as C. Sums of integers are put together anew: arrays begin at 0 here, and counters may begin elsewhere.

use super::memory::Form;
use super::statements::Block;
use super::style::{Largest, Subscripts};
use crate::random_programs::program::{
    ArrayId, Condition, Element, Expression, Index, Operator, Relation, ScalarId, Value,
};

/// What a sum consists of.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    terms: Vec<Term>,
    constant: i64,
}

#[derive(Debug, Clone)]
struct Term {
    is_negative: bool,
    text: String,
    /// It needs no parentheses anywhere.
    is_primary: bool,
}

/// What an integer is for: counters without a sign may wrap around on the way to an element, but not elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Subscript,
    Number,
}

impl Sum {
    fn of_constant(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn of_term(text: String, is_primary: bool) -> Self {
        Self { terms: vec![Term { is_negative: false, text, is_primary }], constant: 0 }
    }

    fn plus(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self.constant += other.constant;
        self
    }

    fn minus(self, mut other: Self) -> Self {
        other.terms.iter_mut().for_each(|term| term.is_negative ^= true);
        other.constant = -other.constant;
        self.plus(other)
    }

    fn shifted(mut self, by: i64) -> Self {
        self.constant += by;
        self
    }

    fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant == 0
    }

    /// Without parentheses; `number` writes numbers.
    fn text(&self, number: &dyn Fn(i64) -> String) -> String {
        let mut text = String::new();
        let mut add = |is_negative: bool, part: &str| {
            let sign = match (text.is_empty(), is_negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text.push_str(sign);
            text.push_str(part);
        };
        // A number comes first where something would begin with a sign without it.
        let leads = self.constant > 0 && self.terms.first().is_some_and(|term| term.is_negative);
        if leads || self.terms.is_empty() {
            add(self.constant < 0, &number(self.constant.abs()));
        }
        self.terms.iter().for_each(|term| add(term.is_negative, &term.text));
        if !leads && !self.terms.is_empty() && self.constant != 0 {
            add(self.constant < 0, &number(self.constant.abs()));
        }
        text
    }

    /// As an operand of a product or a conversion.
    fn operand(&self, number: &dyn Fn(i64) -> String) -> String {
        let text = self.text(number);
        let is_alone = match &self.terms[..] {
            [] => self.constant >= 0,
            [term] => self.constant == 0 && !term.is_negative && term.is_primary,
            _ => false,
        };
        if is_alone { text } else { format!("({text})") }
    }
}

/// The text of a value.
struct Written {
    text: String,
    /// It needs no parentheses as an operand.
    is_operand: bool,
    /// It is a number with an exponent already, not an integer.
    is_double: bool,
}

impl Written {
    fn new(text: String, is_operand: bool) -> Self {
        Self { text, is_operand, is_double: true }
    }

    fn operand(self) -> String {
        if self.is_operand { self.text } else { format!("({})", self.text) }
    }
}

impl Block<'_, '_> {
    /// An integer, where operators of any kind may not follow.
    pub(super) fn expression(&self, expression: &Expression) -> String {
        self.sum_text(&self.sum(expression, Purpose::Number))
    }

    /// The same, as an operand.
    pub(super) fn integer_operand(&self, expression: &Expression) -> String {
        self.sum(expression, Purpose::Number).operand(&|number| self.writer.number_of(number))
    }

    fn sum_text(&self, sum: &Sum) -> String {
        sum.text(&|number| self.writer.number_of(number))
    }

    /// An integer with a number added.
    pub(super) fn shifted(&self, expression: &Expression, by: i64) -> String {
        self.sum_text(&self.sum(expression, Purpose::Number).shifted(by))
    }

    fn counter(&self, id: ScalarId, purpose: Purpose) -> Sum {
        let name = self.scalar(id);
        let Some(counter) = self.writer.memory.counters.get(&id) else { return Sum::of_term(name, true) };
        let shift = self.shifts.iter().rev().find(|(of, _)| *of == id).map_or(0, |(_, shift)| *shift);
        match counter.is_unsigned() && purpose == Purpose::Number {
            true => Sum::of_term(format!("(int){name}"), false).shifted(shift),
            false => Sum::of_term(name, true).shifted(shift),
        }
    }

    fn sum(&self, expression: &Expression, purpose: Purpose) -> Sum {
        match expression {
            Expression::Literal(number) => Sum::of_constant(*number),
            Expression::Tag(tag) => Sum::of_term(self.writer.tag(*tag), true),
            Expression::Scalar(id) => self.counter(*id, purpose),
            Expression::Rank => Sum::of_term("rank".to_owned(), true),
            Expression::Ranks => Sum::of_term("ranks".to_owned(), true),
            Expression::NoProcess => Sum::of_term("MPI_PROC_NULL".to_owned(), true),
            Expression::Element(array, index) => Sum::of_term(self.element(*array, index), true),
            Expression::Binary(left, Operator::Add, right) => self.sum(left, purpose).plus(self.sum(right, purpose)),
            Expression::Binary(left, Operator::Subtract, right) => {
                self.sum(left, purpose).minus(self.sum(right, purpose))
            }
            Expression::Binary(left, Operator::Multiply, right) => {
                let (left, right) = (self.sum(left, purpose), self.sum(right, purpose));
                match (left.terms.is_empty(), right.terms.is_empty()) {
                    (true, true) => Sum::of_constant(left.constant * right.constant),
                    _ => self.product(&left, "*", &right),
                }
            }
            // Remainders of numbers that have wrapped around are others.
            Expression::Binary(left, Operator::Modulo, right) => {
                self.product(&self.sum(left, Purpose::Number), "%", &self.sum(right, Purpose::Number))
            }
        }
    }

    fn product(&self, left: &Sum, sign: &str, right: &Sum) -> Sum {
        let show = |sum: &Sum| sum.operand(&|number| self.writer.number_of(number));
        Sum::of_term(format!("{} {sign} {}", show(left), show(right)), false)
    }

    /// The subscripts of an element in C, the first one varying slowest; one, if the array has no such dimensions.
    fn subscripts(&self, array: ArrayId, index: &Index, purpose: Purpose) -> Vec<Sum> {
        let found = &self.writer.program.arrays[array];
        let row = |row: &Expression| self.sum(row, purpose).shifted(-found.first);
        match (index.as_slice(), self.writer.memory.holdings[array].form) {
            ([row_number, column], Form::Flat | Form::Vector) => {
                let column = self.sum(column, purpose).shifted(-1);
                let rows = Sum::of_constant(i64::try_from(found.rows).unwrap_or(0));
                let before = match column.terms.is_empty() {
                    true => Sum::of_constant(column.constant * rows.constant),
                    false => self.product(&column, "*", &rows),
                };
                vec![before.plus(row(row_number))]
            }
            ([row_number, column], Form::Nested | Form::Table) => {
                vec![self.sum(column, purpose).shifted(-1), row(row_number)]
            }
            ([position], _) => vec![row(position)],
            _ => Vec::new(),
        }
    }

    /// The base and the subscripts with which an element is named: perhaps those of a pointer into the array.
    fn named(&self, array: ArrayId, index: &Index) -> (String, Vec<Sum>) {
        match self.second_names.get(&array) {
            Some(&offset) if self.chance(50) => {
                let mut subscripts = self.subscripts(array, index, Purpose::Number);
                subscripts.iter_mut().for_each(|sum| sum.constant -= offset);
                (format!("p{array}"), subscripts)
            }
            _ => (self.array(array), self.subscripts(array, index, Purpose::Subscript)),
        }
    }

    pub(super) fn array(&self, id: ArrayId) -> String {
        self.writer.array_name(self.unit, id)
    }

    pub(super) fn scalar(&self, id: ScalarId) -> String {
        self.writer.scalar_name(self.unit, id)
    }

    /// An element: something that can be set, and is an operand of anything.
    pub(super) fn element(&self, array: ArrayId, index: &Index) -> String {
        let (name, subscripts) = self.named(array, index);
        let by_pointer = self.writer.style.subscripts == Subscripts::Mixed && self.chance(30);
        match (&subscripts[..], by_pointer) {
            ([one], true) if one.is_zero() => format!("*{name}"),
            ([one], true) => format!("*({name}{})", self.added(one)),
            _ => {
                let shown: String = subscripts.iter().map(|sum| format!("[{}]", self.sum_text(sum))).collect();
                name + &shown
            }
        }
    }

    /// The sum behind a pointer.
    fn added(&self, sum: &Sum) -> String {
        let text = self.sum_text(sum);
        match text.strip_prefix('-') {
            Some(rest) => format!(" - {rest}"),
            None => format!(" + {text}"),
        }
    }

    /// The address of an element; of the first one without subscripts.
    pub(super) fn start(&self, array: ArrayId, index: &Index) -> String {
        let form = self.writer.memory.holdings[array].form;
        let name = self.array(array);
        if index.is_empty() {
            return match form {
                Form::Vector | Form::Flat => name,
                Form::Nested | Form::Table if self.chance(50) => format!("{name}[0]"),
                Form::Nested | Form::Table => format!("&{name}[0][0]"),
            };
        }
        let (name, subscripts) = self.named(array, index);
        match &subscripts[..] {
            [one] if one.is_zero() && self.chance(70) => name,
            [one] if self.chance(50) => format!("{name}{}", self.added(one)),
            [column, row] if row.is_zero() && self.chance(60) => format!("{name}[{}]", self.sum_text(column)),
            _ => {
                let shown: String = subscripts.iter().map(|sum| format!("[{}]", self.sum_text(sum))).collect();
                format!("&{name}{shown}")
            }
        }
    }

    pub(super) fn condition(&self, condition: &Condition) -> String {
        let (left, right) = (self.expression(&condition.left), self.expression(&condition.right));
        let (sign, turned) = match condition.relation {
            Relation::Equal => ("==", "=="),
            Relation::Different => ("!=", "!="),
            Relation::Less => ("<", ">"),
            Relation::NotLess => (">=", "<="),
        };
        if self.chance(15) { format!("{right} {turned} {left}") } else { format!("{left} {sign} {right}") }
    }

    /// What is stored into an array, or into a scalar of 8 bytes (`element`).
    pub(super) fn stored(&self, element: Element, value: &Value) -> String {
        match (element, value) {
            (Element::Integer, Value::Integer(expression)) => self.expression(expression),
            (element, Value::Element(copied, index)) if self.writer.program.arrays[*copied].element == element => {
                self.element(*copied, index)
            }
            (Element::Single, value) if self.writer.style.explicit_casts => {
                format!("(float){}", self.written(value).operand())
            }
            (_, value) => self.value(value),
        }
    }

    /// A value; it may be an integer, where a conversion is certain.
    pub(super) fn value(&self, value: &Value) -> String {
        self.written(value).text
    }

    /// A value that is a number of 8 bytes in any case.
    pub(super) fn double(&self, value: &Value) -> String {
        let written = self.written(value);
        if written.is_double { written.text } else { format!("(double){}", written.operand()) }
    }

    /// Every operation in parentheses: the order decides about the last bits.
    fn written(&self, value: &Value) -> Written {
        match value {
            Value::Eighths(eighths) => {
                let text = format!("{:.3}", f64::from(*eighths) / 8.0);
                let text = text.trim_end_matches('0');
                let text = if text.ends_with('.') { format!("{text}0") } else { text.to_owned() };
                Written::new(text, *eighths >= 0)
            }
            Value::Scalar(id) => Written::new(self.scalar(*id), true),
            Value::Integer(expression) => match self.writer.style.explicit_casts {
                true => Written::new(format!("(double){}", self.integer_operand(expression)), true),
                false => {
                    let sum = self.sum(expression, Purpose::Number);
                    let number = |number| self.writer.number_of(number);
                    let is_operand = sum.operand(&number) == sum.text(&number);
                    Written { text: sum.text(&number), is_operand, is_double: false }
                }
            },
            Value::Element(array, index) => match self.writer.program.arrays[*array].element {
                Element::Double => Written::new(self.element(*array, index), true),
                Element::Single | Element::Integer => {
                    Written::new(format!("(double){}", self.element(*array, index)), true)
                }
            },
            Value::Binary(left, operator, right) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply | Operator::Modulo => "*",
                };
                let (left, right) = (self.written(left), self.written(right));
                // Of two integers one has to say that this is no arithmetic of integers.
                let left = match left.is_double || right.is_double {
                    true => left.operand(),
                    false => format!("(double){}", left.operand()),
                };
                Written::new(format!("{left} {sign} {}", right.operand()), false)
            }
            Value::Largest(left, right) => self.largest(self.double(left), self.double(right)),
            Value::Absolute(inner) => Written::new(format!("fabs({})", self.value(inner)), true),
        }
    }

    fn largest(&self, left: String, right: String) -> Written {
        match self.writer.style.largest {
            Largest::Operator => Written::new(format!("({left}) > ({right}) ? ({left}) : ({right})"), false),
            Largest::Macro => Written::new(format!("LARGER({left}, {right})"), true),
            Largest::Function => Written::new(format!("larger({left}, {right})"), true),
        }
    }
}
