//! Builds small procedures for tests. [`machine`] runs them: the brute force that the analyses are held against.

pub(super) mod machine;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Anchors, Arm, ArrayDimension, BinaryOperator, Block, Communication, ElementType, Expression, ExpressionKind,
    FileId, Lmad, Loop, LoopBound, Polynomial, Procedure, ProcedureId, ProcedureKind, Program, Shape, Span, Statement,
    StatementId, StatementKind, Storage, Symbol, SymbolClass, SymbolId, TypeCategory,
};

/// Nowhere in particular.
pub(super) const SPAN: Span = Span { file: FileId(0), start: 1, end: 2 };

/// Double precision.
pub(super) const REAL: ElementType = ElementType { category: TypeCategory::Real, bytes: Some(8) };
/// Default integers.
pub(super) const INTEGER: ElementType = ElementType { category: TypeCategory::Integer, bytes: Some(4) };

pub(super) fn expression(kind: ExpressionKind) -> Expression {
    Expression::new(kind, SPAN)
}

pub(super) fn int(value: i64) -> Expression {
    expression(ExpressionKind::Integer(value))
}

pub(super) fn var(symbol: SymbolId) -> Expression {
    expression(ExpressionKind::Symbol(symbol))
}

pub(super) fn element(array: SymbolId, subscripts: Vec<Expression>) -> Expression {
    expression(ExpressionKind::Element { array, subscripts })
}

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    expression(ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) })
}

pub(super) fn add(left: Expression, right: Expression) -> Expression {
    binary(BinaryOperator::Add, left, right)
}

pub(super) fn subtract(left: Expression, right: Expression) -> Expression {
    binary(BinaryOperator::Subtract, left, right)
}

pub(super) fn multiply(left: Expression, right: Expression) -> Expression {
    binary(BinaryOperator::Multiply, left, right)
}

/// `left < right`
pub(super) fn less(left: Expression, right: Expression) -> Expression {
    binary(BinaryOperator::Less, left, right)
}

/// What makes the statements of a block.
pub(super) type Fill<'f> = Box<dyn FnOnce(&mut Builder) + 'f>;

/// A procedure in the making. Statements are added to the innermost open block.
pub(super) struct Builder {
    procedure: Procedure,
    blocks: Vec<(Option<StatementId>, Block)>,
}

impl Builder {
    pub fn new() -> Self {
        let procedure = Procedure {
            name: "test".to_owned(),
            kind: ProcedureKind::Main,
            language: crate::ir::Language::Fortran,
            span: Span { file: FileId(0), start: 0, end: 100 },
            dummies: Vec::new(),
            is_pure: false,
            is_elemental: false,
            result: None,
            symbols: Vec::new(),
            statements: Vec::new(),
            body: Vec::new(),
            text_parts: Err(crate::ir::Indivisible::by_language(Span { file: FileId(0), start: 0, end: 0 })),
            anchors: Anchors { imports: 0, declarations: 0 },
            declarations: Vec::new(),
            messaging_names: crate::ir::MessagingNames::Unseen,
            evaluated_at_entry: Vec::new(),
            overridable_calls: BTreeMap::new(),
            redefined_functions: Vec::new(),
            separate_requests: BTreeSet::new(),
            aliases: crate::ir::Aliases::default(),
            untouchable: None,
        };
        Self { procedure, blocks: vec![(None, Vec::new())] }
    }

    /// A subroutine instead of a main program.
    pub fn subroutine(name: &str) -> Self {
        let mut builder = Self::new();
        builder.procedure.kind = ProcedureKind::Subroutine;
        builder.procedure.name = name.to_owned();
        builder
    }

    pub fn symbol(&mut self, name: &str, element: ElementType, shape: Shape, storage: Storage) -> SymbolId {
        let plain = Symbol::new(name, SymbolClass::Variable, element);
        self.procedure.symbols.push(Symbol { declaration: Some(SPAN), shape, storage, ..plain });
        SymbolId(self.procedure.symbols.len() - 1)
    }

    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.procedure.symbols[id.0]
    }

    /// A local integer.
    pub fn integer(&mut self, name: &str) -> SymbolId {
        self.symbol(name, INTEGER, Shape::Scalar, Storage::Local)
    }

    /// A local real scalar.
    pub fn real(&mut self, name: &str) -> SymbolId {
        self.symbol(name, REAL, Shape::Scalar, Storage::Local)
    }

    /// A local real array with these bounds.
    pub fn array(&mut self, name: &str, bounds: Vec<(Expression, Expression)>) -> SymbolId {
        let dimensions = bounds
            .into_iter()
            .map(|(lower, upper)| ArrayDimension { lower: Some(lower), upper: Some(upper) })
            .collect();
        self.symbol(name, REAL, Shape::Array(dimensions), Storage::Local)
    }

    /// A dummy argument in the next position.
    pub fn dummy(&mut self, name: &str, element: ElementType, shape: Shape) -> SymbolId {
        let id = self.symbol(name, element, shape, Storage::Dummy);
        self.procedure.dummies.push(id);
        id
    }

    pub fn add(&mut self, kind: StatementKind) -> StatementId {
        let (parent, block) = self.blocks.last_mut().expect("a block is open");
        let id = StatementId(self.procedure.statements.len());
        block.push(id);
        let parent = *parent;
        self.procedure.statements.push(Statement {
            span: SPAN,
            kind,
            parent,
            jump_target: false,
            changes_names: false,
            labelled: false,
            room: crate::ir::Room::OwnLines,
            hint: None,
        });
        id
    }

    pub fn assign(&mut self, target: Expression, value: Expression) -> StatementId {
        self.add(StatementKind::Assign { target, value, may_reallocate: false })
    }

    pub fn call(&mut self, callee: crate::ir::Callee, arguments: Vec<Expression>) -> StatementId {
        self.add(StatementKind::Call { callee, arguments })
    }

    pub fn communicate(&mut self, routine: &str, operation: crate::ir::Operation) -> StatementId {
        let communication = Communication {
            routine: routine.to_owned(),
            operation,
            error: None,
            wrapper: None,
            is_counted_at_callers: false,
        };
        self.add(StatementKind::Communication(Box::new(communication)))
    }

    pub fn mark_jump_target(&mut self, id: StatementId) {
        self.procedure.statements[id.0].jump_target = true;
    }

    /// The block that `fill` makes, inside of the statement `id`.
    pub fn nested(&mut self, id: StatementId, fill: impl FnOnce(&mut Self)) -> Block {
        self.blocks.push((Some(id), Vec::new()));
        fill(self);
        self.blocks.pop().expect("the block that was opened").1
    }

    /// Makes another statement of `id`.
    pub fn replace(&mut self, id: StatementId, kind: StatementKind) {
        self.procedure.statements[id.0].kind = kind;
    }

    /// A loop with step 1 (`None`) or another.
    pub fn do_loop(
        &mut self,
        variable: SymbolId,
        bounds: (Expression, Expression),
        step: Option<i64>,
        fill: impl FnOnce(&mut Self, StatementId),
    ) -> StatementId {
        let id = self.add(StatementKind::Nothing);
        let body = self.nested(id, |builder| fill(builder, id));
        self.procedure.statements[id.0].kind = StatementKind::Loop(Loop {
            variable,
            lower: bounds.0,
            upper: bounds.1,
            step: step.map(int),
            body,
            concurrent: false,
            bound: LoopBound::Last,
            counts_plainly: true,
            asserted: Default::default(),
        });
        id
    }

    /// Asserts of a loop that its iterations give the same in any order.
    pub fn assert_independent(&mut self, id: StatementId, asserted: crate::ir::AssertedIndependence) {
        if let StatementKind::Loop(counted) = &mut self.procedure.statements[id.0].kind {
            counted.asserted = asserted;
        }
    }

    pub fn branch(
        &mut self,
        condition: Expression,
        fill: impl FnOnce(&mut Self),
        otherwise: Option<Fill<'_>>,
    ) -> StatementId {
        let id = self.add(StatementKind::Nothing);
        let body = self.nested(id, fill);
        let otherwise = otherwise.map(|fill| self.nested(id, fill));
        self.procedure.statements[id.0].kind =
            StatementKind::If { arms: vec![Arm { condition, body }], otherwise, one_line: false };
        id
    }

    pub fn finish(mut self) -> Procedure {
        self.procedure.body = self.blocks.pop().expect("the body").1;
        self.procedure
    }

    /// The program that consists of this procedure alone.
    pub fn program(self) -> Program {
        Program { procedures: vec![self.finish().into()], ..Program::default() }
    }
}

/// The procedure of a program that consists of one.
pub(super) const ONLY: ProcedureId = ProcedureId(0);

/// The offsets of a region's elements for these values of the variables.
pub(super) fn elements_of(lmad: &Lmad, values: &dyn Fn(SymbolId) -> i64) -> BTreeSet<i64> {
    let evaluate = |polynomial: &Polynomial| polynomial.evaluate(values).expect("small numbers");
    let mut found = BTreeSet::from([evaluate(&lmad.offset)]);
    for dimension in &lmad.dimensions {
        let (stride, count) = (evaluate(&dimension.stride), evaluate(&dimension.count));
        found = (0..count)
            .flat_map(|step| found.iter().map(move |offset| offset + step * stride).collect::<Vec<_>>())
            .collect();
    }
    found
}

/// The number of cases of a property test: `GRAVEL_PROPTEST_CASES`, or this many.
pub(super) fn cases(usual: u32) -> u32 {
    std::env::var("GRAVEL_PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
