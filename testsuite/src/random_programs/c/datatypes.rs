//! Calls that make datatypes, and end them, as C.

use super::statements::{Block, Shape};
use super::{datatype, type_name};
use crate::random_programs::program::{DatatypeCall, Element, Expression, Layout, MadeOf};

impl Block<'_, '_> {
    pub(super) fn datatype_call(&mut self, call: &DatatypeCall) {
        match call {
            DatatypeCall::Make(variable, layout, of) => {
                let name = self.writer.datatype_name(*variable);
                let of = match of {
                    MadeOf::Elements(element) => datatype(*element).to_owned(),
                    MadeOf::Datatype(of) => self.writer.datatype_name(*of),
                };
                self.make(&name, layout, &of);
            }
            DatatypeCall::Commit(variable) => {
                let name = self.writer.datatype_name(*variable);
                self.mpi(&format!("MPI_Type_commit(&{name})"));
            }
            DatatypeCall::Free(variable) => {
                let name = self.writer.datatype_name(*variable);
                self.mpi(&format!("MPI_Type_free(&{name})"));
            }
        }
    }

    fn make(&mut self, name: &str, layout: &Layout, of: &str) {
        let show = |number: &Expression| self.expression(number);
        let (call, lists) = match layout {
            Layout::Contiguous(count) => (format!("MPI_Type_contiguous({}, {of}, &{name})", show(count)), Vec::new()),
            Layout::Vector { blocks, length, stride } => {
                let numbers = format!("{}, {}, {}", show(blocks), show(length), show(stride));
                (format!("MPI_Type_vector({numbers}, {of}, &{name})"), Vec::new())
            }
            Layout::VectorOfBytes { blocks, length, stride, element } => {
                let numbers = format!("{}, {}, {}", show(blocks), show(length), self.bytes(stride, *element));
                (format!("MPI_Type_create_hvector({numbers}, {of}, &{name})"), Vec::new())
            }
            Layout::Indexed(blocks) => {
                let (lengths, places): (Vec<Expression>, Vec<Expression>) = blocks.iter().cloned().unzip();
                let call = format!("MPI_Type_indexed({}, lengths, places, {of}, &{name})", blocks.len());
                (call, vec![("lengths", lengths), ("places", places)])
            }
            Layout::IndexedBlocks(length, places) => {
                let numbers = format!("{}, {}, places", places.len(), show(length));
                let call = format!("MPI_Type_create_indexed_block({numbers}, {of}, &{name})");
                (call, vec![("places", places.clone())])
            }
            Layout::Subarray { sizes, parts, starts } => {
                // Either the first dimension varies fastest, or the list is turned round.
                let turns = self.chance(50);
                let list = |numbers: &[Expression; 2]| match (turns, numbers.clone()) {
                    (true, [one, two]) => vec![two, one],
                    (false, numbers) => numbers.to_vec(),
                };
                let order = if turns { "MPI_ORDER_C" } else { "MPI_ORDER_FORTRAN" };
                let call = format!("MPI_Type_create_subarray(2, sizes, parts, starts, {order}, {of}, &{name})");
                (call, vec![("sizes", list(sizes)), ("parts", list(parts)), ("starts", list(starts))])
            }
            Layout::Resized(extent, element) => {
                let extent = self.bytes(extent, *element);
                (format!("MPI_Type_create_resized({of}, 0, {extent}, &{name})"), Vec::new())
            }
        };
        self.with_lists(call, &lists);
    }

    /// A call with lists of numbers: they stand in it, or in variables in front of it.
    fn with_lists(&mut self, mut call: String, lists: &[(&str, Vec<Expression>)]) {
        let shown = |numbers: &[Expression]| {
            numbers.iter().map(|number| self.expression(number)).collect::<Vec<_>>().join(", ")
        };
        let lists: Vec<(&str, usize, String)> =
            lists.iter().map(|(list, numbers)| (*list, numbers.len(), shown(numbers))).collect();
        // What stands in a macro's argument must not have commas outside of parentheses, and `{1, 2}` has.
        if lists.is_empty() {
            return self.mpi(&call);
        }
        if self.chance(30) && !self.checks_by_macro() {
            for (list, _, numbers) in &lists {
                call = call.replacen(&format!(" {list},"), &format!(" (int[]){{{numbers}}},"), 1);
            }
            return self.mpi(&call);
        }
        self.open("{");
        for (list, length, numbers) in &lists {
            self.line(&format!("int {list}[{length}] = {{{numbers}}};"));
        }
        self.mpi(&call);
        self.close("}");
        self.end_statement(Shape::Several);
    }

    /// So many elements, in bytes.
    fn bytes(&self, elements: &Expression, element: Element) -> String {
        let size = format!("(MPI_Aint)sizeof({})", type_name(element));
        format!("{} * {size}", self.integer_operand(elements))
    }
}
