//! Makes a program out of random numbers: phases in which ranks exchange messages, in the forms that MPI programs have,
//! with work around and between them that touches the same memory now and then.
//!
//! Nothing here sees to it that a program is correct: the [`interpreter`](super::interpreter) says whether it is, and what
//! would make it wrong is left out again. So the work between the calls needs no care, and comes as close to the
//! messages as a correct program's can.

use fastrand::Rng;

use super::legality::{is_correct, seems_correct};
use super::patterns::{Form, Pattern};
use super::program::{
    Array, ArrayId, Communication, Condition, Element, Expression, Home, Index, Interface, Message, Operator, Procedure,
    ProcedureKind, Program, RESULT_COUNT, RESULTS, Relation, RequestPlace, RequestVariable, Scalar, ScalarId,
    Statement, Style, Value,
};
use super::variation;

/// Scalars that every program has: loop variables, and what it counts with.
pub const LOOP_VARIABLES: [ScalarId; 3] = [0, 1, 2];
const TIME: ScalarId = 3;
const EXTENT: ScalarId = 4;
const POSITION: ScalarId = 5;
const NEXT: ScalarId = 6;
const PREVIOUS: ScalarId = 7;
const COUNT: ScalarId = 8;
const OTHER: ScalarId = 9;
const WORK: ScalarId = 10;
const FACTOR: ScalarId = 11;

/// The program with this number.
pub fn generate(seed: u64) -> Program {
    // A seed whose program can't be made correct at all gives the next one's; that is rare.
    (0..).map(|attempt: u64| seed ^ (attempt << 48)).find_map(try_generate).unwrap_or_else(|| unreachable!())
}

fn try_generate(seed: u64) -> Option<Program> {
    let mut generator = Generator::new(seed);
    generator.write();
    let Generator { mut random, program, .. } = generator;
    let program = is_correct(&program).is_ok().then_some(program)?;
    Some(variation::vary(program, &mut random))
}

/// A number.
pub fn literal(number: usize) -> Expression {
    Expression::Literal(i64::try_from(number).unwrap_or(i64::MAX))
}

struct Generator {
    random: Rng,
    program: Program,
    /// The usual number of elements of a message.
    extent: usize,
    next_tag: i64,
}

/// A message of a phase: what is sent, from where on, and where it is received.
#[derive(Debug, Clone)]
struct Exchange {
    sent: ArrayId,
    received: ArrayId,
    sent_offset: usize,
    received_offset: usize,
    count: usize,
    /// How many elements the receive has room for.
    room: usize,
    tag: Expression,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let extent = match random.usize(0..100) {
            0..60 => random.usize(12..100),
            60..75 => random.usize(100..300),
            75..96 => random.usize(1026..1150),
            _ => random.usize(8200..8600),
        };
        let style = Style {
            interface: [Interface::IncludeFile, Interface::Module, Interface::Module2008][random.usize(0..3)],
            names_numbers: random.bool(),
            names_tags: random.usize(0..4) == 0,
            has_status: random.bool(),
            assumed_size: random.bool(),
            asynchronous: true,
            renames_common: random.bool(),
            one_line_if: random.bool(),
            is_main: random.usize(0..6) == 0,
            capitals: random.usize(0..8) == 0,
        };
        let results = Array {
            element: Element::Double,
            home: Home::Main,
            length: RESULT_COUNT,
            rows: RESULT_COUNT,
            first: 1,
        };
        let mut scalars = vec![Scalar { is_integer: true, home: Home::Main }; 12];
        for real in [WORK, FACTOR] {
            scalars[real].is_integer = false;
        }
        for shared in [EXTENT, POSITION, OTHER] {
            scalars[shared].home =
                [Home::Main, Home::Main, Home::Module, Home::Common][random.usize(0..4)];
        }
        let program = Program {
            arrays: vec![results],
            scalars,
            requests: Vec::new(),
            body: Vec::new(),
            procedures: Vec::new(),
            style,
        };
        Self { random, program, extent, next_tag: 1 }
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.usize(0..100) < percent
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.random.usize(0..items.len())].clone()
    }

    fn write(&mut self) {
        let fields = self.random.usize(2..4);
        for _ in 0..fields {
            self.array(Element::Double, self.extent);
        }
        if self.chance(50) {
            self.array(Element::Integer, self.extent);
        }
        let phases = self.random.usize(1..4);
        let mut work = Vec::new();
        for _ in 0..phases {
            let phase = self.phase();
            work.extend(phase);
        }
        let mut body = self.beginning();
        body.extend(work);
        body.extend(self.end());
        self.program.body = body;
        self.add_noise();
    }

    /// Gives everything a value.
    fn beginning(&mut self) -> Vec<Statement> {
        use Expression::{Rank, Ranks};
        use Operator::{Add, Subtract};
        let next = Expression::Binary(Box::new(Rank.plus(1)), Operator::Modulo, Box::new(Ranks));
        let before = Expression::binary(Expression::binary(Rank, Add, Ranks), Subtract, Expression::Literal(1));
        let previous = Expression::Binary(Box::new(before), Operator::Modulo, Box::new(Ranks));
        let mut body = vec![
            Statement::SetInteger(EXTENT, literal(self.extent)),
            Statement::SetInteger(POSITION, Expression::Literal(1)),
            Statement::SetInteger(OTHER, Expression::Literal(self.random.i64(1..8))),
            Statement::SetInteger(COUNT, Expression::Literal(1)),
            Statement::SetInteger(NEXT, next),
            Statement::SetInteger(PREVIOUS, previous),
            Statement::SetReal(WORK, Value::Eighths(0)),
            Statement::SetReal(FACTOR, Value::Eighths(self.random.i32(1..8))),
        ];
        for array in 1..self.program.arrays.len() {
            if !matches!(self.program.arrays[array].home, Home::Argument(..) | Home::Procedure(_)) {
                let (a, b, c) = (self.random.i64(3..20), self.random.i64(1..9), self.random.i64(7..30));
                body.push(self.whole_loop(array, &|position| {
                    let product = Expression::binary(position, Operator::Multiply, Expression::Literal(a));
                    let shifted = Expression::binary(Rank, Operator::Multiply, Expression::Literal(b));
                    Value::Integer(Expression::binary(product, Add, shifted).modulo(c))
                }));
            }
        }
        body
    }

    /// Adds everything up.
    fn end(&mut self) -> Vec<Statement> {
        let slot = |number: usize| vec![Expression::Literal(1 + (number % (RESULT_COUNT - 1)) as i64)];
        let mut body = Vec::new();
        for array in 1..self.program.arrays.len() {
            if matches!(self.program.arrays[array].home, Home::Argument(..) | Home::Procedure(_)) {
                continue;
            }
            let weight = self.random.i64(3..14);
            let index = slot(array);
            body.push(self.whole_use(array, &|position, element| {
                let weight = Value::Integer(position.modulo(weight).plus(1));
                let product = Value::binary(element, Operator::Multiply, weight);
                let sum = Value::binary(Value::Element(RESULTS, index.clone()), Operator::Add, product);
                Statement::Store(RESULTS, index.clone(), sum)
            }));
        }
        let last = vec![literal(RESULT_COUNT)];
        let scalars = Value::binary(
            Value::binary(Value::Scalar(WORK), Operator::Add, Value::Scalar(FACTOR)),
            Operator::Add,
            Value::Integer(Expression::binary(
                Expression::Scalar(POSITION),
                Operator::Add,
                Expression::binary(Expression::Scalar(COUNT), Operator::Add, Expression::Scalar(OTHER)),
            )),
        );
        body.push(Statement::Store(RESULTS, last, scalars));
        body
    }

    /// A loop, or a nest, that sets all elements, by their position from 1.
    fn whole_loop(&self, array: ArrayId, value: &dyn Fn(Expression) -> Value) -> Statement {
        self.whole(array, &|position, index| Statement::Store(array, index, value(position)))
    }

    fn whole_use(&self, array: ArrayId, each: &dyn Fn(Expression, Value) -> Statement) -> Statement {
        self.whole(array, &|position, index| each(position, Value::Element(array, index)))
    }

    fn whole(&self, array: ArrayId, each: &dyn Fn(Expression, Index) -> Statement) -> Statement {
        let found = &self.program.arrays[array];
        let [inner, outer, _] = LOOP_VARIABLES;
        let last = found.first + found.rows as i64 - 1;
        let counted = |variable, lower, upper, body| Statement::Loop {
            variable,
            lower: Expression::Literal(lower),
            upper: Expression::Literal(upper),
            step: 1,
            body,
        };
        let row = Expression::Scalar(inner);
        if !found.is_matrix() {
            let statement = each(row.clone().plus(1 - found.first), vec![row]);
            return counted(inner, found.first, last, vec![statement]);
        }
        let column = Expression::Scalar(outer);
        let before = Expression::binary(column.clone().plus(-1), Operator::Multiply, literal(found.rows));
        let position = Expression::binary(before, Operator::Add, row.clone().plus(1 - found.first));
        let statement = each(position, vec![row, column]);
        let columns = (found.length / found.rows) as i64;
        counted(outer, 1, columns, vec![counted(inner, found.first, last, vec![statement])])
    }

    fn array(&mut self, element: Element, least: usize) -> ArrayId {
        let slack = self.random.usize(0..6);
        let mut length = least + slack;
        let mut rows = length;
        let mut first = self.pick(&[1, 1, 1, 0, -2]);
        if self.chance(15) {
            rows = self.random.usize(3..9);
            length = length.next_multiple_of(rows) + rows;
            first = 1;
        }
        let id = self.program.arrays.len();
        let mut home = match self.random.usize(0..100) {
            0..45 => Home::Main,
            45..52 => Home::Saved,
            52..68 => Home::Module,
            68..88 => Home::Common,
            _ => Home::Over(0, 0),
        };
        if let Home::Over(..) = home {
            let fits = |&other: &ArrayId| {
                let base = &self.program.arrays[other];
                other != RESULTS && base.home == Home::Main && base.element == element && base.length >= length
            };
            let candidates: Vec<ArrayId> = (1..id).filter(fits).collect();
            home = Home::Main;
            if !candidates.is_empty() {
                let base = self.pick(&candidates);
                let offset = self.random.usize(0..=self.program.arrays[base].length - length);
                home = Home::Over(base, offset);
            }
        }
        self.program.arrays.push(Array { element, home, length, rows, first });
        id
    }

    /// The subscripts of an element by its position from 0; of a vector any position, of a matrix a known one.
    fn at(&self, array: ArrayId, position: Expression, known: usize) -> Index {
        let found = &self.program.arrays[array];
        if found.is_matrix() {
            let row = found.first + (known % found.rows) as i64;
            return vec![Expression::Literal(row), literal(1 + known / found.rows)];
        }
        vec![position.plus(found.first)]
    }

    fn request(&mut self, length: Option<usize>) -> usize {
        self.program.requests.push(RequestVariable { length });
        self.program.requests.len() - 1
    }

    fn tag(&mut self) -> Expression {
        self.next_tag += 1;
        Expression::Tag(self.next_tag - 1)
    }

    /// A number of elements, as a program would write it.
    fn counted(&mut self, count: usize) -> Expression {
        if self.chance(50) {
            let difference = count as i64 - self.extent as i64;
            if difference == 0 || self.chance(30) {
                return Expression::Scalar(EXTENT).plus(difference);
            }
        }
        literal(count)
    }

    /// A value for an element at this position from 1.
    fn value(&mut self, position: &Expression, depth: usize) -> Value {
        let choice = self.random.usize(0..if depth == 0 { 6 } else { 10 });
        match choice {
            0 => Value::Eighths(self.random.i32(-20..40)),
            1 => {
                let modulus = self.random.i64(3..20);
                Value::Integer(Expression::binary(position.clone(), Operator::Add, Expression::Rank).modulo(modulus))
            }
            2 => Value::Scalar(self.pick(&[WORK, FACTOR])),
            3 | 4 | 5 => {
                let vectors: Vec<ArrayId> = (1..self.program.arrays.len())
                    .filter(|&id| {
                        let array = &self.program.arrays[id];
                        !array.is_matrix() && !matches!(array.home, Home::Argument(..) | Home::Procedure(_))
                    })
                    .collect();
                if vectors.is_empty() {
                    return Value::Eighths(3);
                }
                let array = self.pick(&vectors);
                let shift = if self.chance(25) { self.random.i64(-1..=1) } else { 0 };
                Value::Element(array, vec![position.clone().plus(shift + self.program.arrays[array].first - 1)])
            }
            6 | 7 => {
                let (left, right) = (self.value(position, depth - 1), self.value(position, depth - 1));
                let half = Value::binary(left, Operator::Multiply, Value::Eighths(self.random.i32(1..5)));
                Value::binary(half, Operator::Add, right)
            }
            8 => {
                let inner = self.value(position, depth - 1);
                Value::binary(inner, Operator::Multiply, Value::Eighths(self.random.i32(-4..6)))
            }
            _ => {
                let inner = self.value(position, depth - 1);
                Value::binary(inner, Operator::Subtract, Value::Integer(position.clone().modulo(5)))
            }
        }
    }

    fn fitting_value(&mut self, array: ArrayId, position: &Expression) -> Value {
        if self.program.arrays[array].element == Element::Integer {
            let (factor, modulus) = (self.random.i64(2..9), self.random.i64(5..30));
            let product = Expression::binary(position.clone(), Operator::Multiply, Expression::Literal(factor));
            return Value::Integer(Expression::binary(product, Operator::Add, Expression::Rank).modulo(modulus));
        }
        self.value(position, 2)
    }

    /// Statements that give elements `offset..offset + count` (from 0) of an array values.
    fn filling(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [i, j, k] = LOOP_VARIABLES;
        if self.program.arrays[array].is_matrix() {
            return self.filling_matrix(array, offset, count);
        }
        let first = self.program.arrays[array].first;
        let variable = Expression::Scalar(i);
        let from = offset as i64 + first;
        let store = |index: Expression, value: Value| Statement::Store(array, vec![index], value);
        let counted = |variable, lower: Expression, upper: Expression, step, body| Statement::Loop {
            variable,
            lower,
            upper,
            step,
            body,
        };
        let one = Expression::Literal(1);
        let value = self.fitting_value(array, &variable);
        let upper = self.counted(count);
        match self.random.usize(0..16) {
            0 | 1 | 2 | 3 => {
                vec![counted(i, one, upper, 1, vec![store(variable.plus(from - 1), value)])]
            }
            4 => {
                // From the array's own first subscript.
                let upper = self.counted(count).plus(from - 1);
                let value = self.fitting_value(array, &variable);
                vec![counted(i, Expression::Literal(from), upper, 1, vec![store(variable, value)])]
            }
            5 | 6 => {
                // A nest with linearised subscripts; in the order of memory, or not.
                let columns = self.random.usize(2..6).min(count);
                let rows = count / columns;
                let (inner, outer) = if self.chance(70) { (j, k) } else { (k, j) };
                let before = Expression::binary(
                    Expression::Scalar(k).plus(-1),
                    Operator::Multiply,
                    literal(rows),
                );
                let position = Expression::binary(before, Operator::Add, Expression::Scalar(j));
                let value = self.fitting_value(array, &position);
                let body = vec![store(position.plus(from - 1), value)];
                let extent = |variable| literal(if variable == j { rows } else { columns });
                let mut nest =
                    vec![counted(outer, one.clone(), extent(outer), 1, vec![counted(inner, one, extent(inner), 1, body)])];
                if rows * columns < count {
                    let lower = literal(rows * columns + 1);
                    let value = self.fitting_value(array, &variable);
                    nest.push(counted(i, lower, upper, 1, vec![store(variable.plus(from - 1), value)]));
                }
                nest
            }
            7 => {
                // A running position.
                let position = Expression::Scalar(POSITION);
                let (start, step) = if self.chance(50) { (from - 1, true) } else { (from, false) };
                let advance = Statement::SetInteger(POSITION, position.clone().plus(1));
                let set = store(position, value);
                let body = if step { vec![advance, set] } else { vec![set, advance] };
                vec![
                    Statement::SetInteger(POSITION, Expression::Literal(start)),
                    counted(i, one, upper, 1, body),
                ]
            }
            8 => vec![counted(i, upper, one, -1, vec![store(variable.plus(from - 1), value)])],
            9 => {
                // Every other element, then the rest.
                let other = self.fitting_value(array, &variable);
                let set = store(variable.clone().plus(from - 1), value);
                let set_other = store(variable.plus(from - 1), other);
                vec![
                    counted(i, Expression::Literal(1), upper.clone(), 2, vec![set]),
                    counted(i, Expression::Literal(2), upper, 2, vec![set_other]),
                ]
            }
            10 => {
                // A condition.
                let other = self.fitting_value(array, &variable);
                let condition = Condition {
                    left: variable.clone().modulo(3),
                    relation: self.pick(&[Relation::Equal, Relation::Different]),
                    right: Expression::Literal(0),
                };
                let then = vec![store(variable.clone().plus(from - 1), value)];
                let otherwise = if self.chance(60) { vec![store(variable.plus(from - 1), other)] } else { Vec::new() };
                vec![counted(i, one, upper, 1, vec![Statement::If { condition, then, otherwise }])]
            }
            11 => {
                let value = if self.program.arrays[array].element == Element::Integer {
                    Value::Integer(Expression::Rank.plus(3))
                } else {
                    Value::binary(Value::Scalar(FACTOR), Operator::Add, Value::Integer(Expression::Rank))
                };
                vec![Statement::Fill(array, Expression::Literal(from), upper.plus(from - 1), value)]
            }
            12 => {
                // Something carried from iteration to iteration.
                let mut body = vec![store(variable.clone().plus(from - 1), value)];
                if self.program.arrays[array].element == Element::Integer || self.chance(50) {
                    let next = Expression::binary(Expression::Scalar(OTHER), Operator::Add, variable).modulo(7);
                    body.push(Statement::SetInteger(OTHER, next));
                } else {
                    let own = Value::Element(array, vec![variable.plus(from - 1)]);
                    let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
                    body.push(Statement::SetReal(WORK, Value::binary(half, Operator::Add, own)));
                }
                vec![counted(i, one, upper, 1, body)]
            }
            13 => {
                // More than the message, or all of it and a correction.
                let set = store(variable.clone().plus(from - 1), value);
                let corrected = self.random.usize(1..=count);
                let again = self.fitting_value(array, &literal(corrected));
                vec![
                    counted(i, one, upper, 1, vec![set]),
                    store(Expression::Literal(corrected as i64).plus(from - 1), again),
                ]
            }
            14 => self.filling_by_call(array, offset, count),
            _ => {
                // The loop does something else as well.
                let mut body = vec![store(variable.clone().plus(from - 1), value)];
                body.extend(self.noise(1, Some(&variable)));
                if self.chance(30) {
                    body.reverse();
                }
                vec![counted(i, one, upper, 1, body)]
            }
        }
    }

    fn filling_matrix(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [_, j, k] = LOOP_VARIABLES;
        let Array { rows, first, .. } = self.program.arrays[array];
        let columns = count.div_ceil(rows);
        let before = Expression::binary(Expression::Scalar(k), Operator::Multiply, literal(rows));
        let position = Expression::binary(before, Operator::Add, Expression::Scalar(j));
        let value = self.fitting_value(array, &position);
        let column = offset / rows;
        let (first_column, last_column) = (column + 1, column + columns);
        let store = Statement::Store(array, vec![Expression::Scalar(j), Expression::Scalar(k)], value);
        let along_rows = |body| Statement::Loop {
            variable: j,
            lower: Expression::Literal(first),
            upper: Expression::Literal(first + rows as i64 - 1),
            step: 1,
            body,
        };
        let along_columns = |body| Statement::Loop {
            variable: k,
            lower: literal(first_column),
            upper: literal(last_column),
            step: 1,
            body,
        };
        if self.chance(75) {
            vec![along_columns(vec![along_rows(vec![store])])]
        } else {
            vec![along_rows(vec![along_columns(vec![store])])]
        }
    }

    /// A procedure fills the memory.
    fn filling_by_call(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let procedure = self.program.procedures.len();
        let found = self.program.arrays[array].clone();
        let kind = self.pick(&[ProcedureKind::External, ProcedureKind::Module, ProcedureKind::Internal]);
        let dummy = self.program.arrays.len();
        self.program.arrays.push(Array {
            element: found.element,
            home: Home::Argument(procedure, 0),
            length: count,
            rows: count,
            first: 1,
        });
        let scalars = self.program.scalars.len();
        let (variable, extent) = (scalars, scalars + 1);
        self.program.scalars.push(Scalar { is_integer: true, home: Home::Procedure(procedure) });
        self.program.scalars.push(Scalar { is_integer: true, home: Home::Argument(procedure, 0) });
        let position = Expression::Scalar(variable);
        let factor = Expression::Literal(self.random.i64(1..7));
        let product = Expression::binary(position.clone(), Operator::Multiply, factor).modulo(11);
        let body = vec![Statement::Loop {
            variable,
            lower: Expression::Literal(1),
            upper: Expression::Scalar(extent),
            step: 1,
            body: vec![Statement::Store(dummy, vec![position], Value::Integer(product))],
        }];
        self.program.procedures.push(Procedure { kind, body });
        let index = self.at(array, literal(offset), offset);
        let actual = if offset == 0 && self.chance(50) { Vec::new() } else { index };
        vec![Statement::Call(procedure, vec![(array, actual)], vec![self.counted(count)])]
    }

    /// Statements that look at elements of an array.
    fn using(&mut self, array: ArrayId, offset: usize, count: usize) -> Vec<Statement> {
        let [i, ..] = LOOP_VARIABLES;
        if self.program.arrays[array].is_matrix() {
            let half = Value::Eighths(4);
            return vec![self.whole_use(array, &|_, element| {
                let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, half.clone());
                Statement::SetReal(WORK, Value::binary(half, Operator::Add, element))
            })];
        }
        let from = offset as i64 + self.program.arrays[array].first;
        let variable = Expression::Scalar(i);
        let element = Value::Element(array, vec![variable.clone().plus(from - 1)]);
        let quarter = Value::binary(element, Operator::Multiply, Value::Eighths(2));
        let targets: Vec<ArrayId> = (1..self.program.arrays.len())
            .filter(|&id| {
                let other = &self.program.arrays[id];
                !other.is_matrix()
                    && other.element != Element::Integer
                    && other.length >= count
                    && !matches!(other.home, Home::Argument(..) | Home::Procedure(_))
            })
            .collect();
        let body = if targets.is_empty() || self.chance(30) {
            let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
            Statement::SetReal(WORK, Value::binary(half, Operator::Add, quarter))
        } else {
            let target = self.pick(&targets);
            let index = vec![variable.plus(self.program.arrays[target].first - 1)];
            let old = Value::binary(Value::Element(target, index.clone()), Operator::Multiply, Value::Eighths(4));
            Statement::Store(target, index, Value::binary(old, Operator::Add, quarter))
        };
        let upper = self.counted(count);
        vec![Statement::Loop { variable: i, lower: Expression::Literal(1), upper, step: 1, body: vec![body] }]
    }

    /// Something that was not asked for. `inside`: it stands in a loop over this variable.
    fn noise(&mut self, depth: usize, inside: Option<&Expression>) -> Vec<Statement> {
        let [i, ..] = LOOP_VARIABLES;
        let vectors: Vec<ArrayId> = (1..self.program.arrays.len())
            .filter(|&id| {
                let array = &self.program.arrays[id];
                !array.is_matrix() && !matches!(array.home, Home::Argument(..) | Home::Procedure(_))
            })
            .collect();
        if vectors.is_empty() {
            return Vec::new();
        }
        let array = self.pick(&vectors);
        let Array { length, first, .. } = self.program.arrays[array];
        let place = first + self.random.usize(0..length) as i64;
        if let Some(variable) = inside {
            return match self.random.usize(0..5) {
                0 | 1 | 2 => {
                    let value = self.fitting_value(array, variable);
                    vec![Statement::Store(array, vec![variable.clone().plus(first - 1)], value)]
                }
                3 => {
                    let value = self.fitting_value(array, variable);
                    vec![Statement::Store(array, vec![Expression::Literal(place)], value)]
                }
                _ => vec![Statement::SetReal(WORK, self.value(variable, 1))],
            };
        }
        match self.random.usize(0..13) {
            0 | 1 | 2 => {
                let offset = self.random.usize(0..length);
                let count = if self.chance(60) { length - offset } else { 1 + self.random.usize(0..length - offset) };
                let (offset, count) = if self.chance(50) { (0, length) } else { (offset, count) };
                let variable = Expression::Scalar(i);
                let value = self.fitting_value(array, &variable);
                let from = offset as i64 + first;
                vec![Statement::Loop {
                    variable: i,
                    lower: Expression::Literal(1),
                    upper: literal(count),
                    step: 1,
                    body: vec![Statement::Store(array, vec![variable.plus(from - 1)], value)],
                }]
            }
            3 => {
                let value = self.fitting_value(array, &Expression::Literal(1));
                vec![Statement::Store(array, vec![Expression::Literal(place)], value)]
            }
            4 | 5 => {
                let element = Value::Element(array, vec![Expression::Literal(place)]);
                let half = Value::binary(Value::Scalar(WORK), Operator::Multiply, Value::Eighths(4));
                vec![Statement::SetReal(WORK, Value::binary(half, Operator::Add, element))]
            }
            6 | 7 => self.using(array, 0, length),
            8 => vec![Statement::Print(Value::Element(array, vec![Expression::Literal(place)]))],
            9 => match self.random.usize(0..4) {
                0 => vec![Statement::SetInteger(EXTENT, Expression::Scalar(EXTENT).plus(-1))],
                1 => vec![Statement::SetInteger(OTHER, Expression::Scalar(OTHER).plus(1).modulo(9))],
                2 => vec![Statement::SetReal(FACTOR, Value::Eighths(self.random.i32(1..12)))],
                _ => vec![Statement::SetInteger(NEXT, Expression::Scalar(PREVIOUS))],
            },
            10 => vec![Statement::Communicate(Communication::Barrier)],
            11 if depth > 0 => {
                let condition = Condition {
                    left: self.pick(&[Expression::Rank, Expression::Scalar(OTHER), Expression::Rank.modulo(2)]),
                    relation: self.pick(&[Relation::Equal, Relation::Different, Relation::Less, Relation::NotLess]),
                    right: Expression::Literal(self.random.i64(0..3)),
                };
                vec![Statement::If { condition, then: self.noise(depth - 1, None), otherwise: Vec::new() }]
            }
            _ => {
                let value = if self.program.arrays[array].element == Element::Integer {
                    Value::Integer(Expression::Literal(2))
                } else {
                    Value::Scalar(FACTOR)
                };
                let upper = place + self.random.i64(0..4);
                vec![Statement::Fill(array, Expression::Literal(place), Expression::Literal(upper), value)]
            }
        }
    }

    /// Puts unasked-for statements into places where the program stays correct.
    fn add_noise(&mut self) {
        let wanted = self.random.usize(0..7);
        let attempts = if self.extent > 1000 { wanted } else { 2 * wanted };
        for _ in 0..attempts {
            let noise = self.noise(1, None);
            let mut program = self.program.clone();
            let place = self.random.usize(0..program.size().max(1));
            program.edit_statement(place, |block, at| {
                block.splice(at..at, noise);
            });
            if seems_correct(&program).is_ok() {
                self.program = program;
            }
        }
    }

    fn exchange(&mut self, tag: Expression) -> Exchange {
        let element = self.pick(&[Element::Double, Element::Double, Element::Double, Element::Single, Element::Integer]);
        let extent = self.extent;
        let mut count = match self.random.usize(0..10) {
            0..6 => extent,
            6..8 => (extent / 2).max(1),
            8 => self.random.usize(1..=extent),
            _ => extent + 2,
        };
        if self.chance(4) {
            count = 0;
        }
        let sent = self.array(element, count + 4);
        let received = if self.chance(6) { sent } else { self.array(element, count + 4) };
        let offset = |generator: &mut Self, array: ArrayId| {
            let Array { rows, length, .. } = generator.program.arrays[array];
            if rows != length {
                return 0;
            }
            if generator.chance(30) { generator.random.usize(0..=length - count) } else { 0 }
        };
        let sent_offset = offset(self, sent);
        let received_offset = offset(self, received);
        let room = if self.chance(15) {
            let most = self.program.arrays[received].length - received_offset;
            self.random.usize(count..=most)
        } else {
            count
        };
        Exchange { sent, received, sent_offset, received_offset, count, room, tag }
    }

    fn message(
        &mut self,
        (array, offset): (ArrayId, usize),
        count: usize,
        peer: Expression,
        tag: &Expression,
    ) -> Message {
        let index = if offset == 0 && self.chance(60) { Vec::new() } else { self.at(array, literal(offset), offset) };
        Message { array, index, count: self.counted(count), peer: Some(peer), tag: tag.clone() }
    }

    /// Ranks exchange messages.
    fn phase(&mut self) -> Vec<Statement> {
        let pattern = Pattern::choose(&mut self.random);
        let messages = self.pick(&[1, 1, 1, 2, 2, 3]);
        let shared_tag = self.tag();
        let shares_tag = self.chance(40);
        let exchanges: Vec<Exchange> = (0..messages)
            .map(|_| {
                let tag = if shares_tag { shared_tag.clone() } else { self.tag() };
                self.exchange(tag)
            })
            .collect();
        let form = Form::choose(&mut self.random);
        let mut body = self.in_form(pattern, form, &exchanges);
        if pattern == Pattern::OpenLine {
            let neighbour = |right: Expression, neighbour: ScalarId, value: Expression| {
                let condition = Condition { left: Expression::Rank, relation: Relation::Equal, right };
                let then = vec![Statement::SetInteger(neighbour, value)];
                Statement::If { condition, then, otherwise: Vec::new() }
            };
            let last = || Expression::Ranks.plus(-1);
            body.insert(0, neighbour(last(), NEXT, Expression::NoProcess));
            body.insert(0, neighbour(Expression::Literal(0), PREVIOUS, Expression::NoProcess));
            body.push(neighbour(last(), NEXT, Expression::Literal(0)));
            body.push(neighbour(Expression::Literal(0), PREVIOUS, last()));
        }
        let noises = self.random.usize(0..5);
        for _ in 0..noises {
            let at = self.random.usize(0..=body.len());
            let noise = self.noise(1, None);
            body.splice(at..at, noise);
        }
        if self.chance(30) {
            body = vec![Statement::Loop {
                variable: TIME,
                lower: Expression::Literal(1),
                upper: Expression::Literal(self.random.i64(2..4)),
                step: 1,
                body,
            }];
        }
        if self.chance(20) {
            let procedure = self.program.procedures.len();
            self.program.procedures.push(Procedure { kind: ProcedureKind::Internal, body });
            body = vec![Statement::Call(procedure, Vec::new(), Vec::new())];
        }
        body
    }

    fn in_form(&mut self, pattern: Pattern, form: Form, exchanges: &[Exchange]) -> Vec<Statement> {
        let (to, from) = pattern.peers(NEXT, PREVIOUS);
        let (can_send, can_receive) = pattern.conditions();
        let mut fills = Vec::new();
        let mut sends = Vec::new();
        let mut receives = Vec::new();
        let mut waits = Vec::new();
        let mut uses = Vec::new();
        let mut both = Vec::new();
        let guarded = |condition: &Option<Condition>, statement: Statement| match condition {
            Some(condition) => {
                Statement::If { condition: condition.clone(), then: vec![statement], otherwise: Vec::new() }
            }
            None => statement,
        };
        let array = (form.waits_for_all() && !exchanges.is_empty()).then(|| self.request(Some(2 * exchanges.len())));
        if let Some(array) = array
            && (can_send.is_some() || can_receive.is_some())
        {
            fills.push(vec![Statement::Communicate(Communication::Clear(array))]);
        }
        let mut posted = 0;
        let from_anybody = self.chance(6);
        for exchange in exchanges {
            fills.push(self.filling(exchange.sent, exchange.sent_offset, exchange.count));
            let sent = self.message((exchange.sent, exchange.sent_offset), exchange.count, to.clone(), &exchange.tag);
            let mut received =
                self.message((exchange.received, exchange.received_offset), exchange.room, from.clone(), &exchange.tag);
            if from_anybody {
                received.peer = None;
            }
            if form.is_both() {
                both.push(Statement::Communicate(Communication::SendReceive { sent, received }));
            } else {
                let mut place = |generator: &mut Self, blocks: bool, condition: &Option<Condition>, waits: &mut Vec<Statement>| {
                    if blocks {
                        return None;
                    }
                    if let Some(variable) = array {
                        posted += 1;
                        return Some(RequestPlace { variable, element: Some(Expression::Literal(posted)) });
                    }
                    let place = RequestPlace { variable: generator.request(None), element: None };
                    waits.push(guarded(condition, Statement::Communicate(Communication::Wait(place.clone()))));
                    Some(place)
                };
                let request = place(self, form.receive_blocks(), &can_receive, &mut waits);
                let receive = Statement::Communicate(Communication::Receive { message: received, request });
                receives.push(guarded(&can_receive, receive));
                let request = place(self, form.send_blocks(), &can_send, &mut waits);
                let is_synchronous = self.chance(3);
                let send = Communication::Send { message: sent, request, is_synchronous };
                sends.push(guarded(&can_send, Statement::Communicate(send)));
            }
            uses.push(self.using(exchange.received, exchange.received_offset, exchange.count));
            if self.chance(8) && exchanges.len() == 1 && form.receive_blocks() && can_receive.is_none() {
                let element = self.program.arrays[exchange.received].element;
                uses.push(vec![Statement::Communicate(Communication::Count(COUNT, element))]);
            }
        }
        if let Some(array) = array {
            let count = Expression::Literal(posted);
            waits.push(Statement::Communicate(Communication::WaitAll(array, Expression::Literal(1), count)));
        }
        if self.chance(30) {
            self.random.shuffle(&mut waits);
        }
        if self.chance(15) {
            self.random.shuffle(&mut sends);
        }
        let fills_and_sends = if self.chance(40) && !form.is_both() {
            // Each message is sent as soon as it is filled.
            let mut sends = sends.into_iter();
            let mut merged: Vec<Statement> = Vec::new();
            let skip = fills.len() - exchanges.len();
            for (number, fill) in fills.into_iter().enumerate() {
                merged.extend(fill);
                if number >= skip {
                    merged.extend(sends.next());
                }
            }
            merged
        } else {
            fills.into_iter().flatten().chain(sends).collect()
        };
        let uses = uses.into_iter().flatten();
        if form.receives_first() {
            receives.into_iter().chain(fills_and_sends).chain(waits).chain(uses).collect()
        } else {
            fills_and_sends.into_iter().chain(both).chain(receives).chain(waits).chain(uses).collect()
        }
    }
}
