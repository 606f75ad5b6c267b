//! Expressions as text: as they stand in the source, or anew from their parts by the names of the procedure that is written.

use super::calls::Writer;
use super::layout::text_of;
use crate::ir::{
    BinaryOperator, Callee, Expression, ExpressionKind, LINE_NUMBER, PartForm, Span, Subscript, SymbolId, UnaryOperator,
};

impl Writer<'_> {
    /// The expression as it stands in the source; what stands in another procedure by the names of this one. It is written
    /// into the output so, or with something behind its end.
    pub(super) fn text(&self, expression: &Expression) -> String {
        let text = self.text_alone(expression);
        self.note(&text, self.forms(|forms| forms.form(expression)));
        text
    }

    /// The text of an expression that is looked at, or becomes a part of another one.
    pub(super) fn text_alone(&self, expression: &Expression) -> String {
        // What was put together stands nowhere.
        let is_written = expression.span.start < expression.span.end;
        if is_written && self.is_own_text(expression.span) && !self.is_given_otherwise(expression) {
            return text_of(self.program.file(expression.span.file), expression.span);
        }
        self.written_anew(expression)
    }

    /// Does the span lie in the procedure's own text, and not in that of a procedure that it contains?
    fn is_own_text(&self, span: Span) -> bool {
        span.is_within(self.procedure.span) && !self.inner.iter().any(|inner| span.is_within(*inner))
    }

    /// The expression from its parts, each by the name that it has here.
    fn written_anew(&self, expression: &Expression) -> String {
        let list = |arguments: &[Expression]| {
            arguments.iter().map(|argument| self.text_alone(argument)).collect::<Vec<_>>().join(", ")
        };
        match &expression.kind {
            ExpressionKind::Integer(value) => value.to_string(),
            ExpressionKind::Logical(value) => format!(".{value}."),
            ExpressionKind::Symbol(symbol) => match self.given_for(*symbol) {
                Some(given) => given.to_owned(),
                None => self.procedure.symbol(*symbol).name.clone(),
            },
            ExpressionKind::Unary { operator, operand } => {
                let operand = self.operand(operand);
                match operator {
                    UnaryOperator::Negate => format!("-{operand}"),
                    UnaryOperator::Identity => operand,
                    UnaryOperator::Not => format!(".not. {operand}"),
                }
            }
            ExpressionKind::Binary { operator, left, right } => match sign(*operator) {
                Some(sign) => format!("{} {sign} {}", self.operand(left), self.operand(right)),
                None => text_of(self.program.file(expression.span.file), expression.span),
            },
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } if name != LINE_NUMBER => {
                format!("{name}({})", list(arguments))
            }
            ExpressionKind::Element { array, subscripts } => {
                format!("{}({})", self.procedure.symbol(*array).name, list(subscripts))
            }
            ExpressionKind::Section { array, subscripts } => {
                let texts: Vec<String> = subscripts.iter().map(|subscript| self.subscript(subscript)).collect();
                format!("{}({})", self.spelled(*array, expression.span), texts.join(", "))
            }
            _ => text_of(self.program.file(expression.span.file), expression.span),
        }
    }

    /// The variable's name, as it is spelled at the beginning of `span` if it stands there.
    fn spelled(&self, variable: SymbolId, span: Span) -> String {
        let name = &self.procedure.symbol(variable).name;
        let there = self.program.file(span.file).text.get(span.start..span.start + name.len());
        let there = there.map(String::from_utf8_lossy).filter(|there| there.eq_ignore_ascii_case(name));
        there.map_or_else(|| name.clone(), |there| there.into_owned())
    }

    fn subscript(&self, subscript: &Subscript) -> String {
        let bound = |bound: &Option<Expression>| bound.as_ref().map_or(String::new(), |bound| self.text_alone(bound));
        match subscript {
            Subscript::Index(value) | Subscript::Vector(value) => self.text_alone(value),
            Subscript::Range { lower, upper, stride: None } => format!("{}:{}", bound(lower), bound(upper)),
            Subscript::Range { lower, upper, stride } => format!("{}:{}:{}", bound(lower), bound(upper), bound(stride)),
        }
    }

    /// The text of an operand: in parentheses unless it is one name, number or reference.
    fn operand(&self, expression: &Expression) -> String {
        let text = self.text_alone(expression);
        if self.is_single(expression) { text } else { format!("({text})") }
    }

    /// Is the expression written as one name, number or reference, or in parentheses?
    pub(super) fn is_single(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Integer(value) => *value >= 0,
            ExpressionKind::Symbol(symbol) => !self.is_given_in_parts(*symbol),
            ExpressionKind::Element { .. } | ExpressionKind::Logical(_) | ExpressionKind::Call { .. } => true,
            ExpressionKind::Unary { operator: UnaryOperator::Identity, .. } => {
                self.text_alone(expression).starts_with('(')
            }
            _ => false,
        }
    }

    /// The text of an argument that is an array: an element stands for the elements from it on, which takes a section where
    /// the rank of the argument matters.
    pub(super) fn elements_from(&self, text: String, argument: &Expression) -> String {
        let is_element = matches!(
            argument.kind,
            ExpressionKind::Element { .. } | ExpressionKind::Part { form: PartForm::Element, .. }
        );
        let (text, argument) = match text.strip_suffix(')').filter(|_| is_element) {
            Some(open) => (format!("{}:)", open.trim_end()), from_element_on(argument)),
            None => (text, argument.clone()),
        };
        self.note(&text, self.forms(|forms| forms.form(&argument)));
        text
    }
}

/// How an operator is written.
fn sign(operator: BinaryOperator) -> Option<&'static str> {
    Some(match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Power => "**",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "/=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => ".and.",
        BinaryOperator::Or => ".or.",
        BinaryOperator::Other => return None,
    })
}

/// The elements of an array from one on.
fn from_element_on(element: &Expression) -> Expression {
    let kind = match &element.kind {
        ExpressionKind::Element { array, subscripts } => {
            let mut subscripts: Vec<Subscript> = subscripts.iter().cloned().map(Subscript::Index).collect();
            if let Some(Subscript::Index(first)) = subscripts.pop() {
                subscripts.push(Subscript::Range { lower: Some(first), upper: None, stride: None });
            }
            ExpressionKind::Section { array: *array, subscripts }
        }
        ExpressionKind::Part { base, component, form: _, through_pointer, selectors } => ExpressionKind::Part {
            base: *base,
            component: component.clone(),
            form: PartForm::Elements,
            through_pointer: *through_pointer,
            selectors: selectors.clone(),
        },
        other => other.clone(),
    };
    Expression::new(kind, element.span)
}
