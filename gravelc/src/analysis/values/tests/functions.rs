//! Values that functions of the program give.

use super::*;

/// Objects with a communicator, and functions that tell of it.
const OBJECTS: &str = "module objects\nuse mpi\nimplicit none\nprivate\ntype, public :: part\nprivate\n\
    integer :: comm_, tag_ = 3\ncontains\nprocedure, public :: make\nprocedure, public :: comm\n\
    procedure, public :: tag\nend type\ncontains\n\
    subroutine make(this, from)\nclass(part), intent(inout) :: this\ninteger, intent(in) :: from\n\
    this%comm_ = from\nend subroutine\n\
    integer pure function comm(this)\nclass(part), intent(in) :: this\ncomm = this%comm_\nend function\n\
    pure function tag(this, is_other) result(number)\nclass(part), intent(in) :: this\n\
    logical, intent(in) :: is_other\ninteger :: number\nnumber = this%tag_\nif (is_other) number = 8\n\
    end function\nend module\n";

fn with_objects(statements: &str) -> (Value, Value) {
    let program = program(&format!(
        "{OBJECTS}program main\nuse mpi\nuse objects\nimplicit none\ntype(part) :: q\nreal :: u(4)\ninteger :: c, ierr\n\
         {statements}\nend program\n"
    ));
    sent_by(&program, "main")
}

#[test]
fn a_reference_has_whatever_is_stored_to_the_result() {
    let send = "call mpi_send(u, 4, mpi_real, 1, q%tag(.false.), q%comm(), ierr)";
    assert_eq!(with_objects(&format!("call q%make(mpi_comm_world)\n{send}")), (tags([3, 8]), world()));
    let both = BTreeSet::from([CommunicatorSource::World, CommunicatorSource::OwnProcess]);
    let found = with_objects(&format!("call q%make(mpi_comm_world)\n{send}\ncall q%make(mpi_comm_self)"));
    assert_eq!(found, (tags([3, 8]), Value::Communicators(both)));
    let by_variable = "c = q%comm()\ncall mpi_send(u, 4, mpi_real, 1, q%tag(.true.) + 1, c, ierr)";
    assert_eq!(with_objects(&format!("call q%make(mpi_comm_world)\n{by_variable}")).1, world());
}

#[test]
fn results_that_are_not_followed_may_be_anything() {
    let given_by = |function: &str| {
        let program = program(&format!(
            "program main\nuse mpi\nimplicit none\nreal :: u(4)\ninteger :: ierr\n\
             call mpi_send(u, 4, mpi_real, 1, 1, f(), ierr)\ncontains\n{function}end program\n"
        ));
        sent_by(&program, "main").1
    };
    assert_eq!(given_by("integer function f()\nf = mpi_comm_world\nend function\n"), world());
    assert_eq!(
        given_by(
            "integer function f()\ncall set(f)\nend function\nsubroutine set(c)\ninteger :: c\nc = mpi_comm_world\nend subroutine\n"
        ),
        world()
    );
    assert_eq!(given_by("integer function f()\nread *, f\nend function\n"), Value::Anything);
    assert_eq!(
        given_by("function f()\ninteger, pointer :: f\nallocate (f)\nf = mpi_comm_world\nend function\n"),
        Value::Anything
    );
    let made = given_by("integer function f()\ncall mpi_comm_dup(mpi_comm_world, f, ierr)\nend function\n");
    assert!(matches!(made, Value::Communicators(_)), "{made:?}");
    assert_ne!(made, world());
    // One that calls itself.
    let recursive = "recursive integer function g(k) result(r)\ninteger, intent(in) :: k\nr = mpi_comm_world\n\
                     if (k > 0) r = g(k - 1)\nend function\ninteger function f()\nf = g(3)\nend function\n";
    assert_eq!(given_by(recursive), world());
}

#[test]
fn an_object_of_a_class_may_give_what_any_of_its_types_gives() {
    let text = "module objects\nuse mpi\nimplicit none\ntype :: part\ncontains\nprocedure :: tag => tag_of_part\nend type\n\
        type, extends(part) :: other\ncontains\nprocedure :: tag => tag_of_other\nend type\ncontains\n\
        integer function tag_of_part(this)\nclass(part), intent(in) :: this\ntag_of_part = 4\nend function\n\
        integer function tag_of_other(this)\nclass(other), intent(in) :: this\ntag_of_other = 5\nend function\n\
        subroutine exchange(q)\nclass(part), intent(in) :: q\nreal :: u(4)\ninteger :: ierr\n\
        call mpi_send(u, 4, mpi_real, 1, q%tag(), mpi_comm_world, ierr)\nend subroutine\nend module\n\
        program main\nuse objects\nimplicit none\ntype(part) :: a\ntype(other) :: b\ncall exchange(a)\ncall exchange(b)\n\
        end program\n";
    let program = program(text);
    let program = crate::passes::given_overrides::with_given_overrides(Outside { program: &program, is_closed: false })
        .unwrap_or(program);
    assert_eq!(sent_by(&program, "exchange"), (tags([4, 5]), world()));
}

#[test]
fn functions_hold_no_wildcards_where_none_is_stored() {
    let of = |value: &str| {
        let program = program(&format!(
            "program main\nuse mpi\nimplicit none\nreal :: u(4)\ninteger :: ierr\n\
             call mpi_recv(u, 4, mpi_real, f(), 1, mpi_comm_world, mpi_status_ignore, ierr)\ncontains\n\
             integer function f()\nf = {value}\nend function\nend program\n"
        ));
        let (id, body) = program.procedures().find(|(_, procedure)| procedure.name == "main").unwrap();
        let message = body.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Communication(communication) => communication.received(),
            _ => None,
        });
        let Some(Partner::Process { peer, .. }) = message.map(|message| &message.partner) else { panic!("no receive") };
        let values = Values::of(&Facts::new(&program));
        let asked = Asked { program: &program, procedure: id, name: "mpi_any_source", is_none: &|_| false };
        values.may_be_wildcard(asked, peer)
    };
    assert_eq!(of("1 + 2"), MayBeWildcard::No);
    assert_eq!(of("mpi_any_source"), MayBeWildcard::Yes);
}
