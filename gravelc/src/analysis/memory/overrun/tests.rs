//! Members of a COMMON block, and regions of them.

use super::*;
use crate::analysis::testing::{Builder, REAL, int};
use crate::ir::{ArrayDimension, Dimension, Place, Shape};

struct Block {
    procedure: Procedure,
    n: SymbolId,
    first: SymbolId,
    ten: SymbolId,
    other: SymbolId,
    elsewhere: SymbolId,
}

fn block() -> Block {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let array = || Shape::Array(vec![ArrayDimension { lower: Some(int(0)), upper: Some(int(9)) }]);
    let member = |position: usize| Storage::Global(Place::Member { block: "fields".into(), position });
    let first = builder.symbol("first", REAL, Shape::Scalar, member(0));
    let ten = builder.symbol("ten", REAL, array(), member(1));
    let other = builder.symbol("other", REAL, array(), member(2));
    let elsewhere = builder.symbol("elsewhere", REAL, array(), Storage::Global(Place::Block("elsewhere".into())));
    Block { procedure: builder.finish(), n, first, ten, other, elsewhere }
}

#[test]
fn members_of_one_block_lie_beside_each_other() {
    let block = block();
    assert_eq!(beside(&block.procedure, block.ten), [block.first, block.other]);
    assert_eq!(beside(&block.procedure, block.elsewhere), []);
    assert_eq!(beside(&block.procedure, block.n), []);
}

#[test]
fn what_is_seen_to_be_longer_runs_beyond() {
    let block = block();
    let layouts = Layouts::new(&block.procedure);
    let run = |symbol, offset, count| {
        let lmad = Lmad::run(Polynomial::constant(offset), Polynomial::constant(count));
        runs_beyond(&layouts, &Region::elements(symbol, lmad))
    };
    assert!(!run(block.ten, 0, 10) && !run(block.ten, 9, 1) && !run(block.ten, 20, 0));
    assert!(run(block.ten, 0, 11) && run(block.ten, 9, 2) && run(block.ten, -1, 1));
    assert!(!run(block.first, 0, 1) && run(block.first, 0, 2));
    // Backwards.
    let stride = Polynomial::constant(-3);
    let dimension = |count| Dimension { stride: stride.clone(), count: Polynomial::constant(count) };
    let down = |count| Lmad { offset: Polynomial::constant(9), dimensions: vec![dimension(count)] };
    assert!(!runs_beyond(&layouts, &Region::elements(block.ten, down(4))));
    assert!(runs_beyond(&layouts, &Region::elements(block.ten, down(5))));
}

#[test]
fn bounds_of_arrays_are_believed_those_of_single_elements_are_not() {
    let block = block();
    let layouts = Layouts::new(&block.procedure);
    let some = |symbol| Region::elements(symbol, Lmad::run(Polynomial::default(), Polynomial::variable(block.n)));
    assert!(!runs_beyond(&layouts, &some(block.ten)));
    assert!(runs_beyond(&layouts, &some(block.first)));
    assert!(!runs_beyond(&layouts, &Region::from(block.ten, Polynomial::constant(9))));
    assert!(runs_beyond(&layouts, &Region::from(block.ten, Polynomial::constant(10))));
    assert!(runs_beyond(&layouts, &Region::from(block.first, Polynomial::default())));
    assert!(!runs_beyond(&layouts, &some(block.n)), "no member of a block");
    assert!(is_single_member(&layouts, block.first) && !is_single_member(&layouts, block.ten));
}
