//! Calls that make datatypes, and end them, as Fortran.

use super::datatype;
use super::statements::Block;
use crate::random_programs::program::{DatatypeCall, Element, Expression, Layout, MadeOf, Operator};

impl Block<'_, '_> {
    pub(super) fn datatype_call(&self, call: &DatatypeCall) -> String {
        let error = self.error();
        match call {
            DatatypeCall::Make(variable, layout, of) => {
                let name = self.writer.datatype_name(*variable);
                let of = match of {
                    MadeOf::Elements(element) => datatype(*element).to_owned(),
                    MadeOf::Datatype(of) => self.writer.datatype_name(*of),
                };
                let (routine, arguments) = self.layout(layout, &of);
                format!("call mpi_type_{routine}({arguments}, {name}{error})")
            }
            DatatypeCall::Commit(variable) => {
                format!("call mpi_type_commit({}{error})", self.writer.datatype_name(*variable))
            }
            DatatypeCall::Free(variable) => {
                format!("call mpi_type_free({}{error})", self.writer.datatype_name(*variable))
            }
        }
    }

    /// The routine, and what it is told.
    fn layout(&self, layout: &Layout, of: &str) -> (&'static str, String) {
        let show = |number: &Expression| self.expression(number);
        let list = |numbers: &[Expression]| format!("[{}]", numbers.iter().map(show).collect::<Vec<_>>().join(", "));
        match layout {
            Layout::Contiguous(count) => ("contiguous", format!("{}, {of}", show(count))),
            Layout::Vector { blocks, length, stride } => {
                ("vector", format!("{}, {}, {}, {of}", show(blocks), show(length), show(stride)))
            }
            Layout::VectorOfBytes { blocks, length, stride, element } => {
                let stride = self.bytes(stride, *element);
                ("create_hvector", format!("{}, {}, {stride}, {of}", show(blocks), show(length)))
            }
            Layout::Indexed(blocks) => {
                let (lengths, places): (Vec<Expression>, Vec<Expression>) = blocks.iter().cloned().unzip();
                ("indexed", format!("{}, {}, {}, {of}", blocks.len(), list(&lengths), list(&places)))
            }
            Layout::IndexedBlocks(length, places) => {
                ("create_indexed_block", format!("{}, {}, {}, {of}", places.len(), show(length), list(places)))
            }
            Layout::Subarray { sizes, parts, starts } => {
                let numbers = format!("{}, {}, {}", list(sizes), list(parts), list(starts));
                ("create_subarray", format!("2, {numbers}, mpi_order_fortran, {of}"))
            }
            Layout::Resized(extent, element) => {
                let extent = self.bytes(extent, *element);
                ("create_resized", format!("{of}, 0_mpi_address_kind, {extent}"))
            }
        }
    }

    /// So many elements, in bytes.
    fn bytes(&self, elements: &Expression, element: Element) -> String {
        let bytes = Expression::Literal(i64::try_from(element.bytes()).unwrap_or(0));
        let product = Expression::binary(bytes, Operator::Multiply, elements.clone());
        format!("int({}, mpi_address_kind)", self.expression(&product))
    }
}
