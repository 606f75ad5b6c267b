//! The classical shapes of loops that fill messages, and of those that don't.

use super::*;
use crate::analysis::testing::{Builder, ONLY, SPAN, add, element, expression, int, less, multiply, subtract, var};
use crate::ir::Lmad;

mod random_loops;
mod side_by_side;

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn product(one: SymbolId, other: SymbolId) -> Polynomial {
    Polynomial::variable(one).checked_multiply(&Polynomial::variable(other)).expect("small")
}

fn literal() -> Expression {
    expression(ExpressionKind::Literal)
}

/// The variables of the tests.
struct Names {
    nx: SymbolId,
    ny: SymbolId,
    i: SymbolId,
    j: SymbolId,
    position: SymbolId,
    buffer: SymbolId,
    field: SymbolId,
    scalar: SymbolId,
}

fn names(builder: &mut Builder) -> Names {
    let [nx, ny, i, j, position] = ["nx", "ny", "i", "j", "position"].map(|name| builder.integer(name));
    let buffer = builder.array("buffer", vec![(int(1), int(4096))]);
    let field = builder.array("field", vec![(int(0), int(65)), (int(0), int(65))]);
    let scalar = builder.real("scalar");
    Names { nx, ny, i, j, position, buffer, field, scalar }
}

/// Asks about the outermost loop that `fill` makes, for a message of `count` elements from the buffer's first one on.
fn ask(
    count: impl FnOnce(&Names) -> Polynomial,
    fill: impl FnOnce(&mut Builder, &Names) -> StatementId,
) -> (Result<Production, NotProduced>, Names) {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = fill(&mut builder, &names);
    let message = Region::elements(names.buffer, Lmad::run(constant(0), count(&names)));
    let program = builder.program();
    (production(&program, ONLY, found, &message, &Assumptions::new()), names)
}

/// As [`ask`], for a message from position `start` of the buffer on whose length is not known.
fn ask_without_length(
    start: i64,
    fill: impl FnOnce(&mut Builder, &Names) -> StatementId,
) -> Result<Production, NotProduced> {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = fill(&mut builder, &names);
    let message = Region::from(names.buffer, constant(start));
    production(&builder.program(), ONLY, found, &message, &Assumptions::new())
}

fn nx(names: &Names) -> Polynomial {
    Polynomial::variable(names.nx)
}

fn store(builder: &mut Builder, names: &Names, subscript: Expression) {
    builder.assign(element(names.buffer, vec![subscript]), literal());
}

fn simple_loop(builder: &mut Builder, names: &Names, fill: impl FnOnce(&mut Builder, StatementId)) -> StatementId {
    builder.do_loop(names.i, (int(1), var(names.nx)), None, fill)
}

#[test]
fn a_plain_loop_produces_an_element_per_iteration() {
    let (found, _) =
        ask(nx, |builder, names| simple_loop(builder, names, |builder, _| store(builder, names, var(names.i))));
    assert_eq!(found.map(|found| found.elements_per_iteration), Ok(constant(1)));
}

#[test]
fn of_a_message_without_a_known_end_the_runs_begin_where_it_does() {
    let store_up = |builder: &mut Builder, names: &Names| {
        let i = names.i;
        simple_loop(builder, names, |builder, _| store(builder, names, var(i)))
    };
    let found = ask_without_length(0, store_up);
    assert_eq!(found.map(|found| found.elements_per_iteration), Ok(constant(1)));
    let found = ask_without_length(1, store_up);
    assert!(matches!(found, Err(NotProduced::DoesNotCoverMessage { .. })), "{found:?}");
    let downwards = |builder: &mut Builder, names: &Names| {
        let i = names.i;
        simple_loop(builder, names, |builder, _| store(builder, names, subtract(int(4096), var(i))))
    };
    assert!(matches!(ask_without_length(4095, downwards), Err(NotProduced::NotAscending { .. })));
}

/// `buffer((i-1)*ny + j)` over `j`, `i`, with the subscript in a temporary or not.
fn linearised_nest(through_temporary: bool) -> (Result<Production, NotProduced>, Names) {
    ask(
        |names| product(names.nx, names.ny),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
                    let subscript = add(multiply(subtract(var(names.i), int(1)), var(names.ny)), var(names.j));
                    if through_temporary {
                        builder.assign(var(names.position), subscript);
                        store(builder, names, var(names.position));
                    } else {
                        store(builder, names, subscript);
                    }
                });
            })
        },
    )
}

#[test]
fn a_linearised_nest_produces_a_row_per_iteration() {
    for through_temporary in [false, true] {
        let (found, names) = linearised_nest(through_temporary);
        let found = found.expect("it does");
        let ny = Polynomial::variable(names.ny);
        assert_eq!(found.elements_per_iteration, ny);
        // Both could be negative at once, as far as the loop knows.
        assert_eq!(found.factors, vec![ny, Polynomial::variable(names.nx)]);
    }
}

#[test]
fn unrolled_stores_are_taken_together() {
    let (found, _) = ask(
        |names| nx(names).checked_multiply(&constant(3)).expect("small"),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                for number in [2, 0, 1] {
                    let first = multiply(int(3), subtract(var(names.i), int(1)));
                    store(builder, names, add(first, int(1 + number)));
                }
            })
        },
    );
    let found = found.expect("it does");
    assert_eq!((found.elements_per_iteration, found.factors.len()), (constant(3), 1));
}

#[test]
fn inner_loops_may_run_in_any_order_and_downwards() {
    let (found, names) = ask(
        |names| product(names.nx, names.ny).checked_multiply(&constant(5)).expect("small"),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                builder.do_loop(names.position, (int(1), int(5)), None, |builder, _| {
                    builder.do_loop(names.j, (var(names.ny), int(1)), Some(-1), |builder, _| {
                        // buffer(5*ny*(i-1) + 5*(j-1) + m)
                        let block = multiply(multiply(int(5), var(names.ny)), subtract(var(names.i), int(1)));
                        let row = multiply(int(5), subtract(var(names.j), int(1)));
                        store(builder, names, add(add(block, row), var(names.position)));
                    });
                });
            })
        },
    );
    let row = Polynomial::variable(names.ny).checked_multiply(&constant(5)).expect("small");
    assert_eq!(found.map(|found| found.elements_per_iteration), Ok(row));
}

#[test]
fn an_order_across_the_message_is_not_ascending() {
    // The outer loop runs along the fast direction: buffer(i + (j-1)*nx).
    let (found, _) = ask(
        |names| product(names.nx, names.ny),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
                    let first = multiply(subtract(var(names.j), int(1)), var(names.nx));
                    store(builder, names, add(first, var(names.i)));
                });
            })
        },
    );
    assert!(matches!(found, Err(NotProduced::NotContiguous { .. })), "{found:?}");
    // Downwards through the message.
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            store(builder, names, subtract(add(var(names.nx), int(1)), var(names.i)));
        })
    });
    assert!(matches!(found, Err(NotProduced::NotAscending { .. })), "{found:?}");
    // With gaps.
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| store(builder, names, multiply(int(2), var(names.i))))
    });
    assert!(matches!(found, Err(NotProduced::NotAscending { .. })), "{found:?}");
}

#[test]
fn triangles_have_no_even_runs() {
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.do_loop(names.j, (int(1), var(names.i)), None, |builder, _| {
                store(builder, names, add(multiply(var(names.i), int(8)), var(names.j)));
            });
        })
    });
    assert!(matches!(found, Err(NotProduced::RunChanges { .. })), "{found:?}");
}

#[test]
fn the_loop_must_fill_the_message_exactly() {
    let shifted = |by: i64| {
        ask(nx, move |builder, names| {
            simple_loop(builder, names, |builder, _| store(builder, names, add(var(names.i), int(by))))
        })
        .0
    };
    assert!(shifted(0).is_ok());
    assert!(matches!(shifted(1), Err(NotProduced::DoesNotCoverMessage { .. })));
    let (longer, _) = ask(
        |names| nx(names).checked_add(&constant(1)).expect("small"),
        |builder, names| simple_loop(builder, names, |builder, _| store(builder, names, var(names.i))),
    );
    assert!(matches!(longer, Err(NotProduced::DoesNotCoverMessage { .. })));
}

#[test]
fn conditional_repeated_and_stray_writes_are_refused() {
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.branch(less(var(names.i), int(7)), |builder| store(builder, names, var(names.i)), None);
        })
    });
    assert!(matches!(found, Err(NotProduced::ConditionalWrite { .. })), "{found:?}");
    let (found, _) =
        ask(|_| constant(1), |builder, names| simple_loop(builder, names, |builder, _| store(builder, names, int(1))));
    assert!(matches!(found, Err(NotProduced::WrittenTwice { .. })), "{found:?}");
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            store(builder, names, var(names.i));
            builder.branch(less(var(names.i), int(7)), |builder| store(builder, names, int(1)), None);
        })
    });
    assert!(matches!(found, Err(NotProduced::WritesOutsideRun { .. })), "{found:?}");
}

#[test]
fn a_cycle_makes_what_follows_conditional_and_an_exit_leaves() {
    let with_jump = |is_exit: bool| {
        ask(nx, move |builder, names| {
            simple_loop(builder, names, |builder, id| {
                builder.branch(
                    less(var(names.i), int(7)),
                    |builder| {
                        builder.add(if is_exit {
                            StatementKind::Exit(Some(id))
                        } else {
                            StatementKind::Cycle(Some(id))
                        });
                    },
                    None,
                );
                store(builder, names, var(names.i));
            })
        })
        .0
    };
    assert!(matches!(with_jump(false), Err(NotProduced::ConditionalWrite { .. })));
    assert!(matches!(with_jump(true), Err(NotProduced::LeavesLoop { .. })));
}

#[test]
fn the_loop_itself_must_be_regular() {
    let with_bounds = |lower: fn(&Names) -> Expression, upper: fn(&Names) -> Expression, step: Option<i64>| {
        ask(nx, move |builder, names| {
            builder.do_loop(names.i, (lower(names), upper(names)), step, |builder, _| {
                store(builder, names, var(names.i));
                builder.assign(var(names.ny), int(3));
            })
        })
        .0
    };
    let one = |_: &Names| int(1);
    assert!(with_bounds(one, |names| var(names.nx), Some(1)).is_ok());
    assert!(matches!(with_bounds(one, |names| var(names.nx), Some(2)), Err(NotProduced::NotUnitStep { .. })));
    assert!(matches!(with_bounds(one, |names| var(names.ny), None), Err(NotProduced::BoundsChange { .. })));
    assert!(matches!(
        with_bounds(|names| var(names.i), |names| var(names.nx), None),
        Err(NotProduced::LoopVariableInBounds { .. })
    ));
    assert!(matches!(with_bounds(one, |_| literal(), None), Err(NotProduced::BoundsNotUnderstood { .. })));
}

#[test]
fn calls_and_effects_inside_are_refused() {
    let with = |kind: fn(&Names) -> StatementKind| {
        ask(nx, move |builder, names| {
            simple_loop(builder, names, |builder, _| {
                store(builder, names, var(names.i));
                builder.add(kind(names));
            })
        })
        .0
    };
    let call = |_: &Names| StatementKind::Call { callee: Callee::Unknown("mystery".to_owned()), arguments: vec![] };
    assert!(matches!(with(call), Err(NotProduced::CallInside { callee, .. }) if callee == "`mystery`"));
    let print =
        |names: &Names| StatementKind::InputOutput { reads: vec![var(names.scalar)], writes: vec![], may_leave: false };
    assert!(matches!(with(print), Err(NotProduced::ExternalEffect { .. })));
    assert!(matches!(with(|_| StatementKind::Return), Err(NotProduced::LeavesLoop { .. })));
}

#[test]
fn scalars_and_recurrences_are_carried_but_temporaries_are_not() {
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.assign(var(names.scalar), add(var(names.scalar), literal()));
            store(builder, names, var(names.i));
        })
    });
    assert!(matches!(found, Err(NotProduced::CarriesFloatingPoint { ref name, .. }) if name == "scalar"), "{found:?}");
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.assign(var(names.scalar), element(names.field, vec![var(names.i), int(3)]));
            builder.assign(element(names.buffer, vec![var(names.i)]), var(names.scalar));
        })
    });
    assert!(found.is_ok(), "{found:?}");
    let recurrence = |read_at: i64| {
        ask(nx, move |builder, names| {
            simple_loop(builder, names, |builder, _| {
                let value = element(names.field, vec![add(var(names.i), int(read_at)), int(3)]);
                builder.assign(element(names.field, vec![var(names.i), int(3)]), value);
                store(builder, names, var(names.i));
            })
        })
        .0
    };
    assert!(matches!(recurrence(-1), Err(NotProduced::CarriesFloatingPoint { .. })));
    assert!(recurrence(0).is_ok());
    // An anti-dependence carries no value.
    assert!(recurrence(1).is_ok());
}

#[test]
fn a_temporary_of_an_inner_loop_is_not_carried() {
    let (found, _) = ask(
        |names| product(names.nx, names.ny),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
                    builder.assign(var(names.scalar), element(names.field, vec![var(names.i), var(names.j)]));
                    let subscript = add(multiply(subtract(var(names.i), int(1)), var(names.ny)), var(names.j));
                    builder.assign(element(names.buffer, vec![subscript]), var(names.scalar));
                });
            })
        },
    );
    assert!(found.is_ok(), "{found:?}");
}

/// `t(j)` is written while `t(k)` is read in the same nest: the regions are the same, the order is not.
#[test]
fn an_array_that_is_filled_while_it_is_read_is_carried() {
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.do_loop(names.j, (int(1), int(3)), None, |builder, _| {
                builder.do_loop(names.position, (int(1), int(3)), None, |builder, _| {
                    builder.assign(element(names.field, vec![var(names.j), int(1)]), literal());
                    let value = element(names.field, vec![var(names.position), int(1)]);
                    builder.assign(var(names.scalar), value);
                });
            });
            store(builder, names, var(names.i));
        })
    });
    assert!(matches!(found, Err(NotProduced::CarriesFloatingPoint { .. })), "{found:?}");
}

#[test]
fn a_private_array_is_not_carried() {
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            for _ in 0..1 {
                builder.do_loop(names.j, (int(1), int(3)), None, |builder, _| {
                    builder.assign(element(names.field, vec![var(names.j), int(1)]), literal());
                });
                builder.do_loop(names.j, (int(1), int(3)), None, |builder, _| {
                    let value = element(names.field, vec![var(names.j), int(1)]);
                    builder.assign(var(names.scalar), value);
                });
            }
            store(builder, names, var(names.i));
        })
    });
    assert!(found.is_ok(), "{found:?}");
}

#[test]
fn aliases_of_the_buffer_are_refused() {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let alias = builder.array("alias", vec![(int(1), int(10))]);
    builder.symbol_mut(names.buffer).overlay = Some(1);
    builder.symbol_mut(alias).overlay = Some(1);
    let found = simple_loop(&mut builder, &names, |builder, _| {
        store(builder, &names, var(names.i));
        builder.assign(element(alias, vec![int(1)]), literal());
    });
    let program = builder.program();
    let message = Region::elements(names.buffer, Lmad::run(constant(0), nx(&names)));
    let answer = production(&program, ONLY, found, &message, &Assumptions::new());
    assert!(matches!(&answer, Err(NotProduced::AliasedWrite { name, .. }) if name == "alias"), "{answer:?}");
    assert_eq!(answer.err().and_then(|reason| reason.span()), Some(SPAN));
}

#[test]
fn the_message_must_be_known_and_stay_what_it_is() {
    let (found, _) = ask(
        |names| Polynomial::variable(names.ny),
        |builder, names| {
            simple_loop(builder, names, |builder, _| {
                store(builder, names, var(names.i));
                builder.assign(var(names.ny), var(names.nx));
            })
        },
    );
    assert!(matches!(found, Err(NotProduced::MessageChanges { .. })), "{found:?}");
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = simple_loop(&mut builder, &names, |builder, _| store(builder, &names, var(names.i)));
    let program = builder.program();
    let whole = Region::whole(names.buffer);
    let answer = production(&program, ONLY, found, &whole, &Assumptions::new());
    assert!(matches!(answer, Err(NotProduced::MessageNotKnown { .. })));
}

#[test]
fn a_run_that_moves_with_a_changing_variable_is_refused() {
    // position = position + 1; buffer(position) = ...
    let (found, _) = ask(nx, |builder, names| {
        simple_loop(builder, names, |builder, _| {
            builder.assign(var(names.position), add(var(names.position), int(1)));
            store(builder, names, var(names.position));
        })
    });
    let is_right = matches!(&found, Err(NotProduced::RunChanges { variable, .. }) if variable == "position");
    assert!(is_right, "{found:?}");
}

/// What holds of a variable before the loop need not hold in it.
#[test]
fn assumptions_about_changing_variables_are_not_used() {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = simple_loop(&mut builder, &names, |builder, _| {
        store(builder, &names, var(names.i));
        builder.branch(
            less(var(names.i), int(7)),
            |builder| store(builder, &names, subtract(var(names.i), var(names.position))),
            None,
        );
        builder.assign(var(names.position), int(1));
    });
    let mut assumptions = Assumptions::new();
    let position = Polynomial::variable(names.position);
    assumptions.assume_nonnegative(position.clone());
    assumptions.assume_nonnegative(position.checked_negate().expect("small"));
    let message = Region::elements(names.buffer, Lmad::run(constant(0), nx(&names)));
    let program = builder.program();
    let answer = production(&program, ONLY, found, &message, &assumptions);
    assert!(matches!(answer, Err(NotProduced::WritesOutsideRun { .. })), "{answer:?}");
}
