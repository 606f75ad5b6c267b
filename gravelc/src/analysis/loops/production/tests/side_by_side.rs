//! Messages of several sequences of runs, which one loop fills side by side.

use super::*;

/// `buffer((i-1)*ny + j)` and `buffer((i-1)*ny + j + distance)` over `j`, `i`: two planes in one message.
fn two_planes(distance: impl FnOnce(&Names) -> Expression) -> (Result<Production, NotProduced>, Names) {
    ask(
        |names| product(names.nx, names.ny).checked_multiply(&constant(2)).expect("small"),
        |builder, names| {
            let distance = distance(names);
            simple_loop(builder, names, |builder, _| {
                builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
                    let subscript = add(multiply(subtract(var(names.i), int(1)), var(names.ny)), var(names.j));
                    store(builder, names, add(subscript.clone(), distance.clone()));
                    store(builder, names, subscript);
                });
            })
        },
    )
}

#[test]
fn planes_may_be_filled_side_by_side() {
    let (found, names) = two_planes(|names| multiply(var(names.nx), var(names.ny)));
    let found = found.expect("it does");
    assert_eq!(found.sequences, vec![constant(0), product(names.nx, names.ny)]);
    assert_eq!(found.elements_per_iteration, Polynomial::variable(names.ny));
    // One element short, or further: no two parts of the message, or not all of it.
    for change in [-1, 1] {
        let (found, _) = two_planes(|names| add(multiply(var(names.nx), var(names.ny)), int(change)));
        assert!(matches!(found, Err(NotProduced::DoesNotCoverMessage { .. })), "{found:?}");
    }
    // The second plane begins inside of the first.
    let (found, _) = two_planes(|names| var(names.nx));
    assert!(found.is_err(), "{found:?}");
}
