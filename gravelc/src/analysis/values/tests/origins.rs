//! Where what is not known comes from.

use super::*;

/// The text of what makes the communicator unknown that `exchange` sends on, and what is said of it.
fn origin(declarations: &str, statements: &str, more: &str) -> Option<(String, Option<String>)> {
    let found = with_exchange(declarations, &format!("{statements}\ncall exchange(u, comm, 1)"), more);
    let (id, body) = found.procedures().find(|(_, procedure)| procedure.name == "exchange").unwrap();
    let message = body.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => communication.sent(),
        _ => None,
    });
    let values = Values::of(&Facts::with_outside(Outside { program: &found, is_closed: true }));
    let origin = values.origin_of_unknown(&found, id, &message.unwrap().communicator)?;
    Some((found.text(origin.span), origin.why))
}

#[test]
fn the_way_back_ends_at_the_first_store() {
    let declarations = "integer :: comm, first, second";
    let named = |statements: &str| origin(declarations, statements, "");
    assert_eq!(named("comm = mpi_comm_world"), None);
    let read = Some(("first".to_owned(), None));
    assert_eq!(named("read (*, *) first\nsecond = first\ncomm = second"), read);
    assert_eq!(named("read (*, *) first\ncomm = first\nfirst = comm"), read, "around in a circle");
    let computed = Some(("mod(first, 2)".to_owned(), None));
    assert_eq!(named("call mpi_comm_rank(mpi_comm_world, first, ierr)\ncomm = mod(first, 2)"), computed);
}

#[test]
fn what_is_not_followed_is_named() {
    let pointed = origin("integer, target :: own\ninteger :: comm", "comm = own", "");
    assert_eq!(pointed, Some(("own".to_owned(), Some("pointers may lead to it".to_owned()))));
    let change = "subroutine change(it)\ninteger, volatile :: it\nit = 1\nend subroutine";
    let left = origin("integer :: comm", "call change(comm)", change);
    assert_eq!(left.unwrap().1.as_deref(), Some("it is VOLATILE"));
    // Seen as other numbers: the call is to blame.
    let wide = "subroutine change(it)\ninteger(8) :: it(*)\nit(1) = 1\nend subroutine";
    let left = origin("integer :: comm", "call change(comm)", wide);
    assert_eq!(left, Some(("comm".to_owned(), None)));
}

#[test]
fn calls_that_are_not_known_name_what_leads_out() {
    let found = program(
        "subroutine test(given)\nuse mpi\nimplicit none\ninteger :: given, comm, ierr\nreal :: u(4)\ncomm = given\n\
         call mpi_send(u, 4, mpi_real, 1, 1, comm, ierr)\nend subroutine\n",
    );
    let (id, body) = found.procedures().next().unwrap();
    let comm = Expression::new(ExpressionKind::Symbol(body.find_symbol("comm").unwrap()), body.span);
    let values = Values::of(&Facts::with_outside(Outside { program: &found, is_closed: true }));
    let origin = values.origin_of_unknown(&found, id, &comm).unwrap();
    assert_eq!(found.text(origin.span), "given");
    let why = "not all calls of `test` are known (no main program is among the given files)";
    assert_eq!(origin.why.as_deref(), Some(why));
}
