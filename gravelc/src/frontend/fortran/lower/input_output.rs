//! Input and output statements (Fortran 2018, clause 12).

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, named_children};
use super::lowering::Lowering;
use crate::ir::{Expression, ExpressionKind, Span, StatementKind, TypeCategory};

/// What an input or output statement touches.
#[derive(Default)]
struct Transfer {
    reads: Vec<Expression>,
    writes: Vec<Expression>,
    has_status: bool,
    has_branch: bool,
    obstacle: Option<&'static str>,
}

impl<'t> Lowering<'_, 't> {
    /// READ, WRITE, PRINT, OPEN, CLOSE, INQUIRE, REWIND, …
    pub fn input_output(&mut self, node: Node<'t>, span: Span) -> StatementKind {
        let mut transfer = Transfer::default();
        let statement = node.kind();
        let mut positional = 0;
        for child in named_children(node) {
            match child.kind() {
                "unit_identifier" => {
                    positional += 1;
                    if let Some(value) = named_children(child).first() {
                        self.unit(*value, statement, &mut transfer);
                    }
                }
                "format_identifier" => {
                    positional += 1;
                    if let Some(value) = named_children(child).first() {
                        self.format(*value, statement, &mut transfer);
                    }
                }
                "keyword_argument" => self.specifier(child, statement, &mut transfer),
                "output_item_list" | "input_item_list" => {
                    for item in named_children(child) {
                        self.item(item, statement == "read_statement", &mut transfer);
                    }
                }
                "string_literal" | "number_literal" => {}
                _ => transfer.obstacle = Some("input or output that can't be read"),
            }
        }
        if positional > 2 {
            transfer.obstacle = Some("input or output that can't be read");
        }
        if let Some(why) = transfer.obstacle {
            return self.opaque_statement(span, why);
        }
        // Derived types may be read and written by procedures of the program.
        let is_plain = |expression: &Expression| {
            let is_object = |category: TypeCategory| matches!(category, TypeCategory::Derived | TypeCategory::Unknown);
            expression.designated().is_none_or(|symbol| {
                !is_object(self.symbols[symbol.0].element.category) || !is_object(self.category(expression))
            })
        };
        if self.input_output_may_call && !transfer.reads.iter().chain(&transfer.writes).all(is_plain) {
            return self.opaque_statement(span, "input or output of a type that the program may define");
        }
        let may_leave = !transfer.has_status || transfer.has_branch;
        StatementKind::InputOutput { reads: transfer.reads, writes: transfer.writes, may_leave }
    }

    /// The unit: a number, or a character variable that is read from or written to.
    fn unit(&mut self, node: Node<'t>, statement: &str, transfer: &mut Transfer) {
        let value = self.expression(node);
        let is_internal =
            value.designated().is_some_and(|symbol| self.symbols[symbol.0].element.category == TypeCategory::Character);
        let may_be_internal = match &value.kind {
            // The component of a structure can be a character variable.
            ExpressionKind::Part { base, .. } => self.symbols[base.0].element.category != TypeCategory::Integer,
            _ => is_internal,
        };
        if may_be_internal && statement == "write_statement" {
            transfer.writes.push(value.clone());
        }
        transfer.reads.push(value);
    }

    /// The format: a value, or the name of a NAMELIST group whose members are transferred.
    fn format(&mut self, node: Node<'t>, statement: &str, transfer: &mut Transfer) {
        if node.kind() == "statement_label_reference" {
            return;
        }
        if node.kind() == "identifier" {
            let name = self.source.lower(node);
            let span = self.source.span_of(node);
            if let Some(members) = self.namelist_members(&name, span) {
                let transferred =
                    if statement == "read_statement" { &mut transfer.writes } else { &mut transfer.reads };
                transferred.extend(members);
                return;
            }
        }
        let value = self.expression(node);
        transfer.reads.push(value);
    }

    fn specifier(&mut self, node: Node<'t>, statement: &str, transfer: &mut Transfer) {
        let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
            transfer.obstacle = Some("input or output that can't be read");
            return;
        };
        let name = self.source.lower(name);
        match name.as_str() {
            "err" | "end" | "eor" => {
                transfer.has_branch = true;
                return;
            }
            "unit" if value.kind() != "assumed_size" => return self.unit(value, statement, transfer),
            "fmt" | "nml" if value.kind() != "assumed_size" && value.kind() != "number_literal" => {
                return self.format(value, statement, transfer);
            }
            // The transfer goes on behind the statement.
            "asynchronous" | "id" if statement != "inquire_statement" => {
                transfer.obstacle = Some("asynchronous input or output");
                return;
            }
            _ => {}
        }
        if value.kind() == "assumed_size" {
            return;
        }
        let value = self.expression(value);
        let is_written = match name.as_str() {
            "iostat" | "iomsg" | "size" | "newunit" => true,
            "unit" | "file" | "id" => false,
            _ => statement == "inquire_statement",
        };
        transfer.has_status |= name == "iostat";
        if is_written {
            transfer.writes.push(value);
        } else {
            transfer.reads.push(value);
        }
    }

    fn item(&mut self, node: Node<'t>, is_input: bool, transfer: &mut Transfer) {
        if node.kind() == "implied_do_loop_expression" {
            // The loop's variable is a variable of the procedure.
            let control = child_of_kind(node, "loop_control_expression");
            let variable = control.and_then(|control| named_children(control).first().copied());
            if let Some(variable) = variable {
                let written = self.expression(variable);
                transfer.writes.push(written);
            }
            let found = self.implied_loop(node);
            let bounds = control.map_or(0, |control| named_children(control).len().saturating_sub(1));
            for (index, expression) in found.into_iter().enumerate() {
                if is_input && index >= bounds {
                    self.written_item(expression, transfer);
                } else {
                    transfer.reads.push(expression);
                }
            }
            return;
        }
        let value = self.expression(node);
        if is_input {
            self.written_item(value, transfer);
        } else {
            transfer.reads.push(value);
        }
    }

    fn written_item(&mut self, expression: Expression, transfer: &mut Transfer) {
        match expression.kind {
            // A loop inside a loop: what it reads of bounds is written, too, in this view.
            ExpressionKind::Computed(items) => {
                for item in items {
                    if item.designated().is_some() {
                        transfer.writes.push(item.clone());
                    }
                    transfer.reads.push(item);
                }
            }
            _ => transfer.writes.push(expression),
        }
    }
}
