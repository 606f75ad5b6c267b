//! Shapes of sweeps over grids with halos.

use super::*;
use crate::analysis::memory::arrays::Layouts;
use crate::analysis::testing::{Builder, INTEGER, ONLY, add, element, int, less, subtract, var};
use crate::ir::{AssertedIndependence, Expression, ExpressionKind, Polynomial, Shape, Storage, Subscript};

use AccessKind::{Read, Write};

/// Grids of `n` rows and `m` columns with halos of two, and such of `l` layers with halos of one.
struct Names {
    n: SymbolId,
    m: SymbolId,
    l: SymbolId,
    i: SymbolId,
    j: SymbolId,
    k: SymbolId,
    scalar: SymbolId,
    count: SymbolId,
    old: SymbolId,
    new: SymbolId,
    old_layers: SymbolId,
    new_layers: SymbolId,
}

fn names(builder: &mut Builder) -> Names {
    let [n, m, l, i, j, k, count] = ["n", "m", "l", "i", "j", "k", "count"].map(|name| builder.integer(name));
    let scalar = builder.real("scalar");
    let with_halo = |size, halo| (int(1 - halo), add(var(size), int(halo)));
    let [old, new] = ["old", "new"].map(|name| builder.array(name, vec![with_halo(n, 2), with_halo(m, 2)]));
    let [old_layers, new_layers] = ["old_layers", "new_layers"]
        .map(|name| builder.array(name, vec![with_halo(n, 1), with_halo(m, 1), with_halo(l, 1)]));
    Names { n, m, l, i, j, k, scalar, count, old, new, old_layers, new_layers }
}

/// The element of the grid so many rows and columns away from the iteration's own.
fn at(names: &Names, array: SymbolId, (row, column): (i64, i64)) -> Expression {
    element(array, vec![add(var(names.i), int(row)), add(var(names.j), int(column))])
}

fn stencil(builder: &mut Builder, names: &Names, shifts: &[(i64, i64)]) {
    let value = shifts.iter().map(|&shift| at(names, names.old, shift)).reduce(add);
    builder.assign(at(names, names.new, (0, 0)), value.expect("an element"));
}

const CROSS: [(i64, i64); 5] = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
const SQUARE: [(i64, i64); 9] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

fn range(lower: Expression, upper: Expression) -> Subscript {
    Subscript::Range { lower: Some(lower), upper: Some(upper), stride: None }
}

fn section(array: SymbolId, subscripts: Vec<Subscript>) -> Expression {
    crate::analysis::testing::expression(ExpressionKind::Section { array, subscripts })
}

/// Rows of the grid with the corners, and columns of it without.
fn row(names: &Names, array: SymbolId, first: Expression, last: Expression) -> Expression {
    section(array, vec![range(first, last), range(int(0), add(var(names.m), int(1)))])
}

fn column(names: &Names, array: SymbolId, number: Expression) -> Expression {
    section(array, vec![range(int(1), var(names.n)), Subscript::Index(number)])
}

type Footprint = Vec<(Expression, AccessKind)>;

fn front_row(names: &Names) -> Footprint {
    vec![(row(names, names.old, int(0), int(0)), Write)]
}

/// The halo of one row and column on each side.
fn frame(names: &Names) -> Footprint {
    let [below, right] = [names.n, names.m].map(|size| add(var(size), int(1)));
    let rows = [row(names, names.old, int(0), int(0)), row(names, names.old, below.clone(), below)];
    let columns = [column(names, names.old, int(0)), column(names, names.old, right)];
    rows.into_iter().chain(columns).map(|part| (part, Write)).collect()
}

/// The margins of what `fill` builds; the counters are dead, and the scalars are not.
fn ask(
    footprint: impl Fn(&Names) -> Footprint,
    fill: impl FnOnce(&mut Builder, &Names) -> StatementId,
) -> Result<Vec<(u8, u8)>, Dependent> {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let nest = fill(&mut builder, &names);
    answer(builder.program(), &names, footprint, nest, &|symbol| [names.i, names.j, names.k].contains(&symbol))
}

fn answer(
    program: Program,
    names: &Names,
    footprint: impl Fn(&Names) -> Footprint,
    nest: StatementId,
    is_dead: &dyn Fn(SymbolId) -> bool,
) -> Result<Vec<(u8, u8)>, Dependent> {
    let layouts = Layouts::new(program.procedure(ONLY));
    let as_now = |symbol| Some(Polynomial::variable(symbol));
    let region = |part: &Expression| layouts.region_of(part, &as_now).expect("an array").0;
    let footprint: Vec<(Region, AccessKind)> =
        footprint(names).iter().map(|(part, kind)| (region(part), *kind)).collect();
    let found = inside_box((&program, &program), ONLY, nest, &footprint, is_dead)?;
    Ok(found.loops.iter().map(|cut| (cut.margin.first, cut.margin.last)).collect())
}

/// `do j = 1, m; do i = 1, n` around what `fill` makes.
fn sweep(
    builder: &mut Builder,
    names: &Names,
    (columns, rows): (Expression, Expression),
    fill: impl FnOnce(&mut Builder),
) -> StatementId {
    builder.do_loop(names.j, (int(1), columns), None, |builder, _| {
        builder.do_loop(names.i, (int(1), rows), None, |builder, _| fill(builder));
    })
}

fn ask_of_sweep(
    footprint: impl Fn(&Names) -> Footprint,
    fill: impl FnOnce(&mut Builder, &Names),
) -> Result<Vec<(u8, u8)>, Dependent> {
    ask(footprint, |builder, names| sweep(builder, names, (var(names.m), var(names.n)), |builder| fill(builder, names)))
}

#[test]
fn stencils_need_one_row_and_column_on_each_side() {
    for shifts in [&CROSS[..], &SQUARE] {
        let found = ask_of_sweep(frame, |builder, names| stencil(builder, names, shifts));
        assert_eq!(found, Ok(vec![(1, 1), (1, 1)]));
    }
}

#[test]
fn only_the_sides_that_are_touched_have_margins() {
    assert_eq!(ask_of_sweep(front_row, |builder, names| stencil(builder, names, &CROSS)), Ok(vec![(0, 0), (1, 0)]));
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    assert_eq!(ask_of_sweep(left, |builder, names| stencil(builder, names, &SQUARE)), Ok(vec![(1, 0)]));
    assert_eq!(ask_of_sweep(left, |builder, names| stencil(builder, names, &[(-1, 0), (0, 1)])), Ok(Vec::new()));
    // One side of either loop would do for a corner: the outer one is cut, unless others need the inner one anyway.
    let corner = |names: &Names| vec![(element(names.old, vec![int(0), int(0)]), Write)];
    assert_eq!(ask_of_sweep(corner, |builder, names| stencil(builder, names, &SQUARE)), Ok(vec![(1, 0)]));
    let both = |names: &Names| [corner(names), front_row(names)].concat();
    assert_eq!(ask_of_sweep(both, |builder, names| stencil(builder, names, &SQUARE)), Ok(vec![(0, 0), (1, 0)]));
}

#[test]
fn deep_halos_need_deep_margins() {
    let rows = |names: &Names| vec![(row(names, names.old, int(-1), int(0)), Write)];
    let reach = |shifts: &'static [(i64, i64)]| ask_of_sweep(rows, |builder, names| stencil(builder, names, shifts));
    assert_eq!(reach(&[(-1, 0)]), Ok(vec![(0, 0), (1, 0)]));
    assert_eq!(reach(&[(-2, 0), (2, 0)]), Ok(vec![(0, 0), (2, 0)]));
    // Two rows away from the nearest of them, and the farthest one is not there.
    let far = |names: &Names| vec![(row(names, names.old, int(-1), int(-1)), Write)];
    assert_eq!(ask_of_sweep(far, |builder, names| stencil(builder, names, &[(-1, 0)])), Ok(Vec::new()));
    let deepest = i64::from(Depth::MAX);
    let at_depth = |depth: i64| ask_of_sweep(front_row, |builder, names| stencil(builder, names, &[(-depth, 0)]));
    assert_eq!(at_depth(deepest), Ok(vec![(0, 0), (Depth::MAX, 0)]));
    assert!(matches!(at_depth(deepest + 1), Err(Dependent::TouchedInside { .. })));
}

/// Loops that need no margin are named if one inside of them does.
#[test]
fn three_loops() {
    let shifts = [(0, 0, 0), (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)];
    let fill = |builder: &mut Builder, names: &Names| {
        let at = |array, (row, column, layer)| {
            let own = [(names.i, row), (names.j, column), (names.k, layer)];
            element(array, own.map(|(variable, shift)| add(var(variable), int(shift))).to_vec())
        };
        builder.do_loop(names.k, (int(1), var(names.l)), None, |builder, _| {
            sweep(builder, names, (var(names.m), var(names.n)), |builder| {
                let value = shifts.iter().map(|&shift| at(names.old_layers, shift)).reduce(add);
                builder.assign(at(names.new_layers, (0, 0, 0)), value.expect("an element"));
            });
        })
    };
    let all = |size| range(int(1), var(size));
    let ends = |size| [Subscript::Index(int(0)), Subscript::Index(add(var(size), int(1)))];
    let faces = |names: &Names| -> Vec<Vec<Subscript>> {
        let (n, m, l) = (names.n, names.m, names.l);
        let rows = ends(n).map(|end| vec![end, all(m), all(l)]);
        let columns = ends(m).map(|end| vec![all(n), end, all(l)]);
        let layers = ends(l).map(|end| vec![all(n), all(m), end]);
        rows.into_iter().chain(columns).chain(layers).collect()
    };
    let some = |wanted: &'static [usize]| {
        move |names: &Names| {
            let faces = faces(names);
            let part = |face: &usize| (section(names.old_layers, faces[*face].clone()), Write);
            wanted.iter().map(part).collect()
        }
    };
    assert_eq!(ask(some(&[0, 1, 2, 3, 4, 5]), fill), Ok(vec![(1, 1), (1, 1), (1, 1)]));
    assert_eq!(ask(some(&[5, 2, 3]), fill), Ok(vec![(0, 1), (1, 1)]));
    assert_eq!(ask(some(&[1]), fill), Ok(vec![(0, 0), (0, 0), (0, 1)]));
}

#[test]
fn a_sweep_in_place_has_no_inside() {
    for shift in [(0, -1), (0, 1), (1, 1)] {
        let found = ask_of_sweep(frame, |builder, names| {
            builder.assign(at(names, names.new, (0, 0)), at(names, names.new, shift));
        });
        assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}");
    }
    // Columns are swept in place one by one: those can change places, and rows can not.
    let in_columns = |builder: &mut Builder, names: &Names| {
        let value = add(at(names, names.new, (-1, 0)), at(names, names.old, (0, -1)));
        builder.assign(at(names, names.new, (0, 0)), value);
    };
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    assert_eq!(ask_of_sweep(left, in_columns), Ok(vec![(1, 0)]));
    let above = |names: &Names| vec![(row(names, names.new, int(0), int(0)), Write)];
    assert!(matches!(ask_of_sweep(above, in_columns), Err(Dependent::TouchedInside { .. })));
}

#[test]
fn a_triangle_is_cut_in_its_outer_loop() {
    let triangle = |builder: &mut Builder, names: &Names| {
        sweep(builder, names, (var(names.m), var(names.j)), |builder| stencil(builder, names, &CROSS))
    };
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    assert_eq!(ask(left, triangle), Ok(vec![(1, 0)]));
    assert!(matches!(ask(front_row, triangle), Err(Dependent::TouchedInside { .. })));
}

#[test]
fn what_stands_beside_a_loop_stays_with_it() {
    let imperfect = |builder: &mut Builder, names: &Names| {
        builder.do_loop(names.j, (int(1), var(names.m)), None, |builder, _| {
            builder.assign(var(names.scalar), element(names.old, vec![int(1), var(names.j)]));
            builder.do_loop(names.i, (int(1), var(names.n)), None, |builder, _| {
                let value = add(at(names, names.old, (-1, -1)), var(names.scalar));
                builder.assign(at(names, names.new, (0, 0)), value);
            });
        })
    };
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    assert_eq!(ask(left, imperfect), Ok(vec![(1, 0)]));
    assert!(matches!(ask(front_row, imperfect), Err(Dependent::TouchedInside { .. })));
}

#[test]
fn steps_that_are_not_one() {
    let with_steps = |outer: Option<i64>, inner: Option<i64>| {
        move |builder: &mut Builder, names: &Names| {
            builder.do_loop(names.j, (int(1), var(names.m)), outer, |builder, _| {
                builder.do_loop(names.i, (int(1), var(names.n)), inner, |builder, _| stencil(builder, names, &CROSS));
            })
        }
    };
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    for step in [Some(-1), Some(2)] {
        assert_eq!(ask(left, with_steps(None, step)), Ok(vec![(1, 0)]));
        assert!(matches!(ask(front_row, with_steps(None, step)), Err(Dependent::TouchedInside { .. })));
        let found = ask(left, with_steps(step, None));
        assert!(matches!(found, Err(Dependent::NotCuttable(NotProduced::NotUnitStep { .. }))), "{found:?}");
    }
}

#[test]
fn iterations_accumulate_in_any_order() {
    let found = ask_of_sweep(front_row, |builder, names| {
        stencil(builder, names, &CROSS);
        builder.assign(var(names.count), add(var(names.count), int(1)));
    });
    assert_eq!(found, Ok(vec![(0, 0), (1, 0)]));
    // Sums of real numbers round.
    let found = ask_of_sweep(front_row, |builder, names| {
        builder.assign(var(names.scalar), add(var(names.scalar), at(names, names.old, (0, 0))));
    });
    assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}");
}

#[test]
fn the_last_iteration_does_not_stay_the_last_one() {
    for is_used in [false, true] {
        let found = ask(front_row, |builder, names| {
            let nest = sweep(builder, names, (var(names.m), var(names.n)), |builder| {
                builder.assign(var(names.scalar), at(names, names.old, (-1, 0)));
                builder.assign(at(names, names.new, (0, 0)), var(names.scalar));
            });
            if is_used {
                builder.assign(element(names.new, vec![int(1), int(1)]), var(names.scalar));
            }
            nest
        });
        match found {
            Ok(margins) => assert!(!is_used && margins == [(0, 0), (1, 0)]),
            Err(why) => assert!(is_used && matches!(why, Dependent::Carried { .. }), "{why:?}"),
        }
    }
    // Nobody looks at the last value, although the variable is used elsewhere. Nor at that of a counter, or somebody does.
    let ask = |dead: &dyn Fn(&Names) -> Vec<SymbolId>| {
        let mut builder = Builder::new();
        let names = names(&mut builder);
        builder.assign(var(names.scalar), int(0));
        let nest = sweep(&mut builder, &names, (var(names.m), var(names.n)), |builder| {
            builder.assign(var(names.scalar), at(&names, names.old, (-1, 0)));
            builder.assign(at(&names, names.new, (0, 0)), var(names.scalar));
        });
        let dead = dead(&names);
        answer(builder.program(), &names, front_row, nest, &|symbol| dead.contains(&symbol))
    };
    assert_eq!(ask(&|names| vec![names.i, names.j, names.scalar]), Ok(vec![(0, 0), (1, 0)]));
    assert!(matches!(ask(&|names| vec![names.i, names.j]), Err(Dependent::Carried { .. })));
    assert!(matches!(ask(&|names| vec![names.i, names.scalar]), Err(Dependent::Outlives { .. })));
    assert!(ask(&|names| vec![names.j, names.scalar]).is_err());
}

#[test]
fn what_an_iteration_finds_of_another_one_is_not_its_own() {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let nest = sweep(&mut builder, &names, (var(names.m), var(names.n)), |builder| {
        builder.assign(at(&names, names.new, (0, 0)), add(var(names.scalar), at(&names, names.old, (-1, 0))));
        builder.assign(var(names.scalar), at(&names, names.old, (0, 0)));
    });
    let is_dead = |symbol| [names.i, names.j, names.scalar].contains(&symbol);
    let found = answer(builder.program(), &names, front_row, nest, &is_dead);
    assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}");
}

#[test]
fn some_iterations_are_left_inside() {
    // A row in front and a column beside; the stencil reaches two rows and one column far.
    let halo = |names: &Names| [front_row(names), vec![(column(names, names.old, int(0)), Write)]].concat();
    for (columns, rows) in (0..6).flat_map(|columns| (0..6).map(move |rows| (columns, rows))) {
        let found = ask(halo, |builder, names| {
            let sizes = (int(columns), int(rows));
            sweep(builder, names, sizes, |builder| stencil(builder, names, &[(-2, 0), (-1, 0), (0, -1)]))
        });
        let has_inside = columns > 1 && rows > 2;
        match found {
            Ok(margins) if has_inside => assert_eq!(margins, [(1, 0), (2, 0)]),
            // In a loop without iterations nothing is touched.
            Ok(margins) => assert!(margins.is_empty() && columns * rows == 0, "{columns} {rows}: {margins:?}"),
            Err(why) => assert!(!has_inside && matches!(why, Dependent::TouchedInside { .. }), "{why:?}"),
        }
    }
}

#[test]
fn what_all_iterations_touch_has_no_inside() {
    let whole = |names: &Names| vec![(var(names.old), Write)];
    let found = ask_of_sweep(whole, |builder, names| stencil(builder, names, &CROSS));
    assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{found:?}");
    let fixed = |builder: &mut Builder, names: &Names| {
        builder.assign(at(names, names.new, (0, 0)), element(names.old, vec![int(0), int(1)]));
    };
    assert!(matches!(ask_of_sweep(frame, fixed), Err(Dependent::TouchedInside { .. })));
}

#[test]
fn what_is_only_read_may_be_read() {
    let lent = |names: &Names| vec![(row(names, names.old, int(1), int(1)), Read), (var(names.old), Read)];
    assert_eq!(ask_of_sweep(lent, |builder, names| stencil(builder, names, &CROSS)), Ok(Vec::new()));
    let lent = |names: &Names| vec![(row(names, names.new, int(1), int(1)), Read)];
    assert_eq!(ask_of_sweep(lent, |builder, names| stencil(builder, names, &CROSS)), Ok(vec![(0, 0), (1, 0)]));
}

/// The bounds are worked out before the footprint is left alone.
#[test]
fn the_heads_of_loops_keep_off_too() {
    let sizes: [fn(&Names) -> SymbolId; 4] = [|names| names.n, |names| names.m, |names| names.i, |names| names.j];
    for (number, part) in sizes.into_iter().enumerate() {
        let found = ask_of_sweep(
            |names| vec![(var(part(names)), Write)],
            |builder, names| {
                builder.assign(element(names.new, vec![int(1), var(names.j)]), int(0));
            },
        );
        assert!(found.is_err(), "{number}: {found:?}");
        // Who reads the sizes disturbs no one.
        let lent = |names: &Names| vec![(var(part(names)), Read)];
        let found = ask_of_sweep(lent, |builder, names| stencil(builder, names, &CROSS));
        assert_eq!(found.is_ok(), number < 2, "{number}: {found:?}");
    }
    let received = |names: &Names| vec![(var(names.n), Write)];
    let found = ask_of_sweep(received, |builder, names| stencil(builder, names, &CROSS));
    assert!(matches!(found, Err(Dependent::CountsWith { .. })), "{found:?}");
}

#[test]
fn what_changes_ends_the_loops_that_are_cut() {
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    // The size of a column is found while sweeping.
    let found = ask_of_sweep(left, |builder, names| {
        stencil(builder, names, &CROSS);
        builder.assign(var(names.n), int(3));
    });
    assert!(found.is_err(), "{found:?}");
    // Where the footprint is, too.
    let by_count = |names: &Names| vec![(column(names, names.old, var(names.count)), Write)];
    let found = ask_of_sweep(by_count, |builder, names| {
        builder.assign(at(names, names.new, (0, 0)), int(0));
        builder.assign(var(names.count), add(var(names.count), int(1)));
    });
    assert!(matches!(found, Err(Dependent::NotCuttable(NotProduced::MessageChanges { .. }))), "{found:?}");
}

/// CYCLE of the outer loop leaves out iterations of the inner one.
#[test]
fn an_inner_loop_that_may_end_early_is_not_cut() {
    let cycles = |builder: &mut Builder, names: &Names| {
        builder.do_loop(names.j, (int(1), var(names.m)), None, |builder, outer| {
            builder.do_loop(names.i, (int(1), var(names.n)), None, |builder, _| {
                builder.branch(
                    less(var(names.n), add(var(names.i), var(names.j))),
                    |builder| {
                        builder.add(StatementKind::Cycle(Some(outer)));
                    },
                    None,
                );
                stencil(builder, names, &CROSS);
            });
        })
    };
    let left = |names: &Names| vec![(column(names, names.old, int(0)), Write)];
    assert_eq!(ask(left, cycles), Ok(vec![(1, 0)]));
    assert!(matches!(ask(front_row, cycles), Err(Dependent::TouchedInside { .. })));
}

/// What is asserted of one loop is not said of those inside of it.
#[test]
fn assertions_count_for_their_loop() {
    for (of_outer, of_inner) in [(false, false), (true, false), (true, true)] {
        let found = ask(front_row, |builder, names| {
            let table = builder.symbol(
                "table",
                INTEGER,
                Shape::Array(vec![crate::ir::ArrayDimension { lower: Some(int(0)), upper: Some(int(9)) }]),
                Storage::Local,
            );
            let assert = |builder: &mut Builder, id: StatementId, is_asserted: bool| {
                if is_asserted {
                    builder.assert_independent(id, AssertedIndependence::By(vec![table]));
                }
            };
            let mut inner = StatementId(0);
            let outer = builder.do_loop(names.j, (int(1), var(names.m)), None, |builder, _| {
                inner = builder.do_loop(names.i, (int(1), var(names.n)), None, |builder, _| {
                    let place = || element(table, vec![subtract(var(names.i), var(names.j))]);
                    builder.assign(place(), add(place(), int(1)));
                    let other = element(table, vec![int(0)]);
                    builder.assign(other.clone(), add(other, int(1)));
                    stencil(builder, names, &CROSS);
                });
            });
            assert(builder, outer, of_outer);
            assert(builder, inner, of_inner);
            outer
        });
        match (of_outer, of_inner) {
            (true, true) => assert_eq!(found, Ok(vec![(0, 0), (1, 0)])),
            (true, false) => assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{found:?}"),
            _ => assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}"),
        }
    }
}
