//! What is written, and what was meant by it.
//!
//! The emitter writes an expression as it stands in the source where it can. That is right only where the text stands for the
//! expression: not where the expression was put together or taken from a declaration, not where names mean something else,
//! and not where an operand lost its parentheses. So each expression that is written is noted here in a [`Form`], which says
//! what it means in names and operators, and the output, read again, is compared with that ([`first_mistake`]).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::ir::{
    BinaryOperator, Callee, Expression, ExpressionKind, Monomial, Polynomial, Procedure, ProcedureId, Program, Shape,
    Span, Subscript, SymbolId, UnaryOperator,
};

use super::layout::text_of;

/// What an expression means, in a notation in which there is one way to say it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form(String);

impl Form {
    /// That of a variable.
    pub fn of_name(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// A text that was written in a procedure, and what it should mean there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meaning {
    procedure: ProcedureId,
    text: String,
    form: Form,
}

/// What was written so far.
#[derive(Debug, Default)]
pub struct Meanings(RefCell<BTreeSet<Meaning>>);

impl Meanings {
    /// Notes that `text` was written in the procedure for an expression of this form.
    pub fn note(&self, procedure: ProcedureId, text: &str, form: Form) {
        self.0.borrow_mut().insert(Meaning { procedure, text: compared(text), form });
    }

    /// All of them.
    pub fn into_all(self) -> BTreeSet<Meaning> {
        self.0.into_inner()
    }
}

/// A text that does not mean what it was written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The file that holds the procedure.
    pub path: String,
    /// Name of the procedure.
    pub procedure: String,
    /// What was written.
    pub text: String,
    /// What it should mean.
    pub meant: Form,
    /// What it means; nothing if no expression of the procedure has this text.
    pub found: Vec<Form>,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, procedure, text, meant, found } = self;
        write!(formatter, "{path}: what is written in `{procedure}` as `{text}` should mean `{}`", meant.0)?;
        match found.as_slice() {
            [] => write!(formatter, " and is no expression"),
            [first, ..] => write!(formatter, " and means `{}`", first.0),
        }
    }
}

/// How many procedures the output has for each of these of the program; one for each of the others.
pub type Parts = BTreeMap<ProcedureId, usize>;

/// The first of the texts that does not mean in `output`, which was made of the program, what it was written for.
pub fn first_mistake(meanings: &BTreeSet<Meaning>, parts: &Parts, output: &Program) -> Option<Mistake> {
    let mut known: BTreeMap<ProcedureId, BTreeMap<String, BTreeSet<Form>>> = BTreeMap::new();
    meanings.iter().find_map(|meaning| {
        let forms = known.entry(meaning.procedure).or_insert_with(|| {
            let mut forms: BTreeMap<String, BTreeSet<Form>> = BTreeMap::new();
            for part in made_of(meaning.procedure, parts) {
                for (text, more) in forms_by_text(output, output.procedure(part)) {
                    forms.entry(text).or_default().extend(more);
                }
            }
            forms
        });
        let found = forms.get(&meaning.text);
        if found.is_some_and(|found| found.contains(&meaning.form)) {
            return None;
        }
        let procedure = output.procedure(made_of(meaning.procedure, parts).next()?);
        Some(Mistake {
            path: output.file(procedure.span.file).path.display().to_string(),
            procedure: procedure.name.clone(),
            text: meaning.text.clone(),
            meant: meaning.form.clone(),
            found: found.into_iter().flatten().cloned().collect(),
        })
    })
}

/// The procedures of the output that stand for one of the program: all are in the order of the text.
fn made_of(procedure: ProcedureId, parts: &Parts) -> impl Iterator<Item = ProcedureId> {
    let more: usize = parts.range(..procedure).map(|(_, count)| count - 1).sum();
    let first = procedure.0 + more;
    (first..first + parts.get(&procedure).copied().unwrap_or(1)).map(ProcedureId)
}

/// What each text means that is an expression in a statement of the procedure, or a bound of one of its variables.
fn forms_by_text(program: &Program, procedure: &Procedure) -> BTreeMap<String, BTreeSet<Form>> {
    let mut found: BTreeMap<String, BTreeSet<Form>> = BTreeMap::new();
    let scope = FormsIn { program, procedure, given: &|_| None };
    let statements = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    let dimensions = procedure.symbols.iter().filter_map(|symbol| match &symbol.shape {
        Shape::Array(dimensions) => Some(dimensions),
        Shape::Scalar => None,
    });
    let bounds = dimensions.flatten().flat_map(|dimension| dimension.lower.iter().chain(&dimension.upper));
    for part in statements.chain(bounds).flat_map(Expression::walk) {
        let forms = found.entry(scope.text(part.span)).or_default();
        forms.insert(scope.form(part));
        forms.extend(polynomial_of(procedure, part).map(|value| scope.value(&value, &[])));
    }
    found
}

/// A text without what may differ between two places: blanks, breaks of lines, and case.
fn compared(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_whitespace())
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// What expressions of a procedure mean.
pub struct FormsIn<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure.
    pub procedure: &'a Procedure,
    /// What stands in the place of a variable, if it is something else.
    pub given: &'a dyn Fn(SymbolId) -> Option<Form>,
}

impl FormsIn<'_> {
    /// The form of an expression.
    pub fn form(&self, expression: &Expression) -> Form {
        Form(self.written(expression))
    }

    /// The form of a value that is computed in any way, with names for variables that are new.
    pub fn value(&self, value: &Polynomial, new: &[(SymbolId, &str)]) -> Form {
        let name = |symbol: SymbolId| match new.iter().find(|(it, _)| *it == symbol) {
            Some((_, name)) => name,
            None => self.procedure.symbol(symbol).name.as_str(),
        };
        let term = |(monomial, coefficient): (&Monomial, i64)| {
            let mut factors: Vec<(&str, u32)> =
                monomial.iter().map(|(&symbol, &power)| (name(symbol), power)).collect();
            factors.sort_unstable();
            (factors, coefficient)
        };
        let mut terms: Vec<_> = value.terms().map(term).collect();
        terms.sort_unstable();
        Form(format!("the value {terms:?}"))
    }

    fn text(&self, span: Span) -> String {
        compared(&text_of(self.program.file(span.file), span))
    }

    fn written(&self, expression: &Expression) -> String {
        let inner = |part: &Expression| self.written(part);
        let list = |parts: &[Expression]| parts.iter().map(inner).collect::<Vec<_>>().join(", ");
        let named = |symbol: SymbolId| match (self.given)(symbol) {
            Some(Form(given)) => given,
            None => self.procedure.symbol(symbol).name.clone(),
        };
        match &expression.kind {
            ExpressionKind::Integer(value) => value.to_string(),
            ExpressionKind::Logical(value) => format!(".{value}."),
            ExpressionKind::Symbol(symbol) => named(*symbol),
            ExpressionKind::Element { array, subscripts } => format!("{}[{}]", named(*array), list(subscripts)),
            ExpressionKind::Section { array, subscripts } => {
                let subscripts: Vec<String> = subscripts.iter().map(|it| self.subscript(it)).collect();
                format!("{}[{}]", named(*array), subscripts.join(", "))
            }
            ExpressionKind::Part { base, component, form, selectors, .. } => {
                let last = component.as_ref().map_or("", |component| component.name.as_str());
                let base = &self.procedure.symbol(*base).name;
                format!("part of {base}: {} {form:?} [{}]", last, list(selectors))
            }
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => inner(operand),
            ExpressionKind::Unary { operator: UnaryOperator::Negate, operand } => match operand.kind {
                ExpressionKind::Integer(value) => value.wrapping_neg().to_string(),
                _ => format!("-({})", inner(operand)),
            },
            ExpressionKind::Unary { operator: UnaryOperator::Not, operand } => format!("not ({})", inner(operand)),
            ExpressionKind::Binary { operator: BinaryOperator::Other, left, right } => {
                format!("{}: ({}), ({})", self.text(expression.span), inner(left), inner(right))
            }
            ExpressionKind::Binary { operator, left, right } => {
                format!("({}) {operator:?} ({})", inner(left), inner(right))
            }
            ExpressionKind::Call { callee, arguments } => {
                let callee = match callee {
                    Callee::PureIntrinsic(name) | Callee::Unknown(name) => name.clone(),
                    Callee::Procedure(id) => self.program.procedure(*id).name.clone(),
                };
                // What a call through an object means depends on what else is known of the program.
                let through_object =
                    self.text(expression.span).split('(').next().filter(|it| it.contains('%')).map(str::to_owned);
                format!("{}({})", through_object.unwrap_or(callee), list(arguments))
            }
            // A constant of MPI that the procedure does not know yet: its text is its name.
            ExpressionKind::Computed(operands) if operands.is_empty() => self.text(expression.span),
            ExpressionKind::Computed(operands) => format!("computed from {}", list(operands)),
            ExpressionKind::ArrayConstructor(values) => format!("values {}", list(values)),
            ExpressionKind::Literal | ExpressionKind::Opaque(_) => self.text(expression.span),
        }
    }

    fn subscript(&self, subscript: &Subscript) -> String {
        let inner = |part: &Expression| self.written(part);
        let bound = |bound: &Option<Expression>| bound.as_ref().map_or(String::new(), inner);
        match subscript {
            Subscript::Index(value) | Subscript::Vector(value) => inner(value),
            Subscript::Range { lower, upper, stride } => {
                format!("{}:{}:{}", bound(lower), bound(upper), bound(stride))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};
    use crate::ir::StatementKind;

    const TEXT: &str = "subroutine s(a, b, i, x)\n\
                        integer :: a(5, 4), b, i\n\
                        real :: x(2*i)\n\
                        call t(a(:, a(5, 4)), 2 * b + i, x(2 * &\n  i - 1:), (b), -3)\n\
                        end subroutine\n";

    fn program() -> Program {
        parse_text("s.f90".as_ref(), TEXT.into(), &FrontendOptions::default()).unwrap()
    }

    fn arguments(program: &Program) -> Vec<Expression> {
        let statement = &program.procedures[0].statement(program.procedures[0].body[0]).kind;
        let StatementKind::Call { arguments, .. } = statement else { panic!("{statement:?}") };
        arguments.clone()
    }

    fn mistake(text: &str, form: Form) -> Option<Mistake> {
        let meanings = Meanings::default();
        meanings.note(ProcedureId(0), text, form);
        first_mistake(&meanings.into_all(), &Parts::new(), &program())
    }

    #[test]
    fn what_is_written_as_it_stands_means_itself() {
        let program = program();
        let scope = FormsIn { program: &program, procedure: &program.procedures[0], given: &|_| None };
        for argument in arguments(&program) {
            let text = text_of(program.file(argument.span.file), argument.span);
            assert_eq!(mistake(&text, scope.form(&argument)), None, "{text}");
        }
        // Blanks, case and parentheses tell nothing.
        assert_eq!(mistake("A( :,a(5,4) )", scope.form(&arguments(&program)[0])), None);
        assert_eq!(mistake("b", scope.form(&arguments(&program)[3])), None);
        assert_eq!(mistake("-3", Form("-3".to_string())), None);
        assert_eq!(mistake("2*i", Form("(2) Multiply (i)".to_string())), None);
    }

    #[test]
    fn a_text_that_means_something_else_is_a_mistake() {
        let program = program();
        let arguments = arguments(&program);
        let procedure = &program.procedures[0];
        let scope = FormsIn { program: &program, procedure, given: &|_| None };
        // A column by its number, which stands nowhere: its text was that of the array's declaration.
        let (array, all) =
            (arguments[0].designated().unwrap(), Subscript::Range { lower: None, upper: None, stride: None });
        let one = Subscript::Index(Expression::new(ExpressionKind::Integer(1), arguments[0].span));
        let column = ExpressionKind::Section { array, subscripts: vec![all, one] };
        let found = mistake("a(:, a(5, 4))", scope.form(&Expression::new(column, arguments[0].span))).unwrap();
        assert_eq!(found.meant, Form("a[::, 1]".to_string()));
        assert_eq!(found.found, [Form("a[::, a[5, 4]]".to_string())]);
        // A sum in the place of a variable, without parentheses.
        let b = procedure.find_symbol("b").unwrap();
        let given = |symbol| (symbol == b).then(|| Form("(b) Add (i)".to_string()));
        let product = ExpressionKind::Binary {
            operator: BinaryOperator::Multiply,
            left: Box::new(Expression::new(ExpressionKind::Integer(2), arguments[1].span)),
            right: Box::new(Expression::new(ExpressionKind::Symbol(b), arguments[1].span)),
        };
        let meant = FormsIn { given: &given, ..scope }.form(&Expression::new(product, arguments[1].span));
        assert!(mistake("2 * b + i", meant).is_some_and(|mistake| !mistake.found.is_empty()));
        // What is no expression of the procedure.
        assert_eq!(mistake("c", Form::of_name("c")).map(|mistake| mistake.found), Some(Vec::new()));
    }
}
