//! Makes a program out of random numbers: phases in which ranks exchange messages, in the forms that MPI programs have,
//! with work around and between them that touches the same memory now and then.
//!
//! Nothing here sees to it that a program is correct: the [`interpreter`](super::interpreter) says whether it is, and what
//! would make it wrong is left out again. So the work between the calls needs no care, and comes as close to the
//! messages as a correct program's can.

mod branching;
mod completions;
mod filling;
mod halo;
mod misread;
mod noise;
mod outlining;
mod packing;
mod phase;
mod received_values;
mod rows;
mod strided;
mod sweep;
mod told;
mod transposition;

use std::collections::BTreeMap;

use fastrand::Rng;

use self::strided::Field;
use super::legality::{is_correct, is_visible, seems_correct};
use super::patterns::{Form, Pattern};
use super::program::{
    Allocation, Arguments, Array, ArrayId, Calls, Communication, Completion, CompletionKind, Condition, DatatypeCall,
    DatatypeId, DatatypeVariable, Element, Expression, HandedPart, HandedRequests, Home, Index, Interface, Layout,
    MadeOf, Message, Operator, Part, Procedure, ProcedureId, ProcedureKind, Program, RESULT_COUNT, RESULTS, Relation,
    RequestHome, RequestId, RequestPlace, RequestVariable, Scalar, ScalarId, SendMode, Statement, Style, Value,
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
    let Generator { mut random, program, checks, .. } = generator;
    let program = is_correct(&program).is_ok().then_some(program)?;
    Some(variation::vary(program, checks, &mut random))
}

/// A number.
pub fn literal(number: usize) -> Expression {
    Expression::Literal(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A loop that counts by one.
fn counted(variable: ScalarId, lower: i64, upper: i64, body: Vec<Statement>) -> Statement {
    Statement::Loop { variable, lower: Expression::Literal(lower), upper: Expression::Literal(upper), step: 1, body }
}

/// Does it, or something in it, call MPI?
fn communicates(statement: &Statement) -> bool {
    statement.any(&|inner| matches!(inner, Statement::Communicate(_)))
}

struct Generator {
    random: Rng,
    program: Program,
    /// The usual number of elements of a message.
    extent: usize,
    next_tag: i64,
    /// Arrays that messages are only copied into: nothing else touches them.
    copies: Vec<ArrayId>,
    /// Out of which field they are copied, where it has to be a certain one.
    packed_from: BTreeMap<ArrayId, ArrayId>,
    /// Fields whose rows or columns are messages.
    fields: Vec<Field>,
    /// In which mode all sends of a part of the program are.
    mode: Option<SendMode>,
    /// What messages mostly hold.
    usual_element: Element,
    /// How many statements at the end of the program add everything up: these stay as they are.
    checks: usize,
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
            allocation: [
                Allocation::Declared,
                Allocation::Declared,
                Allocation::ByVariables,
                Allocation::ByVariables,
                Allocation::ByPassingVariables,
            ][random.usize(0..5)],
            assumed_size: random.bool(),
            objects: random.usize(0..4) == 0,
            calls: [Calls::ByName, Calls::ThroughType, Calls::ThroughClass, Calls::ThroughClass][random.usize(0..4)],
            asynchronous: true,
            renames_common: random.bool(),
            one_line_if: random.bool(),
            is_main: random.usize(0..6) == 0,
            capitals: random.usize(0..8) == 0,
            short_names: !seed.is_multiple_of(3),
            forms: seed,
        };
        let results =
            Array { element: Element::Double, home: Home::Main, length: RESULT_COUNT, rows: RESULT_COUNT, first: 1 };
        let mut scalars = vec![Scalar { is_integer: true, home: Home::Main }; 12];
        for real in [WORK, FACTOR] {
            scalars[real].is_integer = false;
        }
        for shared in [EXTENT, POSITION, OTHER] {
            scalars[shared].home = [Home::Main, Home::Main, Home::Module, Home::Common][random.usize(0..4)];
        }
        let program = Program {
            arrays: vec![results],
            scalars,
            requests: Vec::new(),
            datatypes: Vec::new(),
            body: Vec::new(),
            procedures: Vec::new(),
            style,
        };
        let usual_element = if random.usize(0..5) < 2 { Element::Integer } else { Element::Double };
        Self {
            random,
            program,
            extent,
            next_tag: 1,
            copies: Vec::new(),
            packed_from: BTreeMap::new(),
            fields: Vec::new(),
            mode: None,
            usual_element,
            checks: 0,
        }
    }

    /// What a message holds.
    fn element(&mut self) -> Element {
        let usual = self.usual_element;
        self.pick(&[usual, usual, usual, Element::Double, Element::Single, Element::Integer])
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.usize(0..100) < percent
    }

    /// Where a new procedure stands. Only those of the module can be called through objects.
    fn procedure_kind(&mut self) -> ProcedureKind {
        match self.program.style.calls {
            Calls::ByName => self.pick(&[ProcedureKind::External, ProcedureKind::Module, ProcedureKind::Internal]),
            Calls::ThroughType | Calls::ThroughClass => self.pick(&[ProcedureKind::Module, ProcedureKind::Internal]),
        }
    }

    /// A new procedure that does nothing yet.
    fn new_procedure(&mut self, kind: ProcedureKind) -> ProcedureId {
        self.program.procedures.push(Procedure { kind, body: Vec::new() });
        self.program.procedures.len() - 1
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
            self.mode = if self.chance(6) { Some(SendMode::Synchronous) } else { None };
            let phase = match self.random.usize(0..100) {
                0..13 => self.sweep(),
                13..19 => self.transposition(),
                19..36 => self.strided(),
                36..52 => self.halo(),
                52..65 => self.misread(),
                65..72 => self.told(),
                72..81 => self.packing(),
                _ => self.phase(),
            };
            work.extend(phase);
        }
        let mut body = self.beginning();
        body.extend(work);
        let end = self.end();
        self.checks = end.len();
        body.extend(end);
        self.program.body = body;
        self.outline_parts();
        self.branch_calls();
        self.add_noise();
        self.depend_on_received();
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
            Statement::SetInteger(OTHER, Expression::Literal(self.random.i64(1..5))),
            Statement::SetInteger(COUNT, Expression::Literal(1)),
            Statement::SetInteger(NEXT, next),
            Statement::SetInteger(PREVIOUS, previous),
            Statement::SetReal(WORK, Value::Eighths(0)),
            Statement::SetReal(FACTOR, Value::Eighths(self.random.i32(1..8))),
        ];
        for array in 1..self.program.arrays.len() {
            if self.is_seen(array) {
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
            if !self.is_seen(array) {
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
        let mut length = (least + slack).max(1);
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

    /// An array of the main unit that messages are copied into and that nothing else touches.
    fn array_of_copies(&mut self, element: Element, least: usize) -> ArrayId {
        let home = if self.chance(70) { Home::Main } else { Home::Saved };
        let length = least.max(1) + self.random.usize(0..3);
        let first = self.pick(&[1, 1, 0]);
        self.program.arrays.push(Array { element, home, length, rows: length, first });
        self.copies.push(self.program.arrays.len() - 1);
        self.program.arrays.len() - 1
    }

    /// May any statement touch the array, as far as it lives long enough?
    fn is_seen(&self, array: ArrayId) -> bool {
        !self.copies.contains(&array)
            && !matches!(self.program.arrays[array].home, Home::Argument(..) | Home::Procedure(_))
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
        self.program.requests.push(RequestVariable { length, home: RequestHome::Unit });
        self.program.requests.len() - 1
    }

    /// The mode of a send: mostly the standard one.
    fn send_mode(&mut self) -> SendMode {
        match (self.mode, self.random.usize(0..100)) {
            (_, 0..3) => SendMode::Buffered,
            (Some(mode), _) => mode,
            (None, 3..5) => SendMode::Synchronous,
            (None, _) => SendMode::Standard,
        }
    }

    /// A new integer.
    fn integer(&mut self, home: Home) -> ScalarId {
        self.program.scalars.push(Scalar { is_integer: true, home });
        self.program.scalars.len() - 1
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
            3..=5 => {
                let vectors: Vec<ArrayId> = (1..self.program.arrays.len())
                    .filter(|&id| self.is_seen(id) && !self.program.arrays[id].is_matrix())
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
}
