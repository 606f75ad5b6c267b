//! Procedures with ENTRY statements, and their entries.

use super::{dump, obstacle, procedure, program, statements_of, symbol_in};
use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::ir::{Overridable, UntouchableCause};

/// What leads out of the program, each thing as a clause.
fn openings(text: &str) -> Vec<String> {
    let program = program(text);
    let world = OpenWorld::of(Outside { program: &program, is_closed: false });
    world.iter().flat_map(OpenWorld::openings).map(|opening| opening.why.clone()).collect()
}

const TWO: &str = "subroutine first(a, n)\ninteger :: n, m\nreal :: a(n), b(n, m)\nk = 1\na(1) = k\ngo to 10\n\
                   entry other(m, b, n)\nk = 2\nb(1, 1) = k\n10 continue\nend subroutine\n";

#[test]
fn a_procedure_may_begin_at_each_entry() {
    assert_eq!(
        statements_of(TWO, "first"),
        ";if1\n ? computed()\n  ;jump\nk = 1\na[1] = k\njump\nnothing\nk = 2\nb[1,1] = k\n@nothing\n"
    );
    let program = program(TWO);
    let first = procedure(&program, "first");
    let dummies: Vec<&str> = first.dummies.iter().map(|&dummy| first.symbol(dummy).name.as_str()).collect();
    assert_eq!(dummies, ["a", "n", "m", "b"]);
    let is_target = |text: &str| {
        let of_text = |span: crate::ir::Span| &program.files[0].text[span.start..span.end] == text.as_bytes();
        first.statements.iter().any(|statement| statement.jump_target && of_text(statement.span))
    };
    assert!(is_target("entry other(m, b, n)") && is_target("continue"));
}

#[test]
fn an_entry_calls_the_procedure_around_it() {
    assert_eq!(statements_of(TWO, "other"), ";call first(computed(), n, m, b)\n");
    let program = program(TWO);
    let other = procedure(&program, "other");
    let dummies: Vec<&str> = other.dummies.iter().map(|&dummy| other.symbol(dummy).name.as_str()).collect();
    assert_eq!(dummies, ["m", "b", "n"]);
    let b = other.find_symbol("b").unwrap();
    let shown = dump::symbol(other, other.symbol(b));
    assert!(shown.contains("1:n") && shown.contains("1:m") && shown.contains("Dummy"), "{shown}");
}

#[test]
fn entries_lead_nowhere_out_of_the_program() {
    assert_eq!(
        openings(&format!("program p\nreal :: a(3), b(3, 4)\ncall first(a, 3)\ncall other(4, b, 3)\nend\n{TWO}")),
        [""; 0]
    );
    // By the names of arguments, by a generic name, and by another name for the entry.
    let module = TWO.replace("subroutine first", "contains\nsubroutine first");
    let text = format!(
        "module m\ninterface any\nmodule procedure first, other\nend interface\nprivate :: other\n{module}end module\n\
         module n\nuse m, only: one => first, any\nend module\n\
         program p\nuse n\nreal :: a(3), b(3, 4)\ncall one(n=3, a=a)\ncall any(a, 3)\ncall any(b=b, m=4, n=3)\nend\n"
    );
    assert_eq!(openings(&text), [""; 0]);
    assert_eq!(statements_of(&text, "p"), "call first(a, 3)\ncall first(a, 3)\ncall other(4, b, 3)\n");
}

#[test]
fn calls_go_to_the_entry_of_their_scope() {
    let text = "module m\ncontains\nsubroutine s(a)\na = 1\nentry act(a)\na = 2\nend subroutine\nend module\n\
                subroutine act(a)\na = 3\nend subroutine\n\
                subroutine one\nuse m, only: s\ncall act(x)\nend subroutine\n\
                subroutine two\nuse m\ncall act(x)\nend subroutine\n";
    let program = program(text);
    let called = |name: &str| match &procedure(&program, name).statements[0].kind {
        crate::ir::StatementKind::Call { callee: crate::ir::Callee::Procedure(id), .. } => {
            program.procedure(*id).statements[0].span
        }
        other => panic!("{other:?}"),
    };
    let text_of = |name: &str| {
        let span = called(name);
        std::str::from_utf8(&program.files[0].text[span.start..span.end]).unwrap().to_owned()
    };
    assert_eq!((text_of("one"), text_of("two")), ("a = 3".to_owned(), "entry act(a)".to_owned()));
}

#[test]
fn an_entry_among_the_declarations_begins_where_the_procedure_does() {
    let text = "subroutine first(a)\nreal :: a, b\nentry other(a, b)\ninteger :: k\nk = 1\nend subroutine\n";
    assert_eq!(statements_of(text, "first"), "k = 1\n");
    assert_eq!(statements_of(text, "other"), ";call first(a, b)\n");
}

#[test]
fn results_of_a_function_and_its_entries_share_memory() {
    let text = "integer function f(x)\nreal :: r\nf = x\nreturn\nentry g(x)\ng = x + 1\nentry h(x) result (r)\nr = x\nend function\n";
    assert_eq!(openings(&format!("program p\nprint *, f(1.) + g(2.) + h(3.)\nend\n{text}")), [""; 0]);
    assert_eq!(statements_of(text, "g"), ";g = computed(p0(x))\n");
    assert_eq!(statements_of(text, "h"), ";r = computed(p0(x))\n");
    for name in ["f", "g", "r"] {
        assert!(symbol_in(text, name).contains("overlay"), "{}", symbol_in(text, name));
    }
    // As pointers they share more.
    let text = "function f(x) result (r)\nreal, pointer :: r, s\nr => x\nentry g(x) result (s)\ns => x\nend function\n";
    assert_eq!(obstacle(text, "f").as_deref(), Some("an ENTRY statement"));
}

#[test]
fn functions_call_their_entries_by_name() {
    let text = "recursive integer function f(n) result (r)\ninteger :: n\ninteger :: s\nr = n\nif (n > 0) r = g(n - 1)\n\
                return\nentry g(n) result (s)\ns = f(n)\nend function\n";
    let shown = statements_of(text, "f");
    assert!(shown.contains("r = p1((n-1))") && shown.contains("s = p0(n)"), "{shown}");
}

#[test]
fn what_entries_hand_over_is_known() {
    let text = "program p\nexternal one, two\ncall first(one)\ncall other(1, two)\nend\n\
                subroutine first(f)\nexternal f, g\ncall f\nreturn\nentry other(k, g)\ncall g\nend subroutine\n\
                subroutine one\nend subroutine\nsubroutine two\nend subroutine\n";
    let program = program(text);
    let meant: Vec<&str> = procedure(&program, "first")
        .overridable_calls
        .values()
        .map(|meaning| match meaning {
            Overridable::Means(id) => program.procedure(*id).name.as_str(),
            Overridable::Beside => "another one",
        })
        .collect();
    assert_eq!(meant, ["one", "two"]);
}

#[test]
fn only_calls_change_around_entries() {
    for (name, text) in [("first", TWO), ("other", TWO)] {
        let program = program(text);
        let cause = procedure(&program, name).untouchable.as_ref().map(|found| found.cause);
        assert_eq!(cause, Some(UntouchableCause::SeveralEntries));
    }
}

#[test]
fn prefixes_hold_for_entries() {
    let text = "elemental subroutine s(a)\nreal, intent(out) :: a\na = 1\nentry t(a)\na = 2\nend subroutine\n";
    let program = program(text);
    assert!(procedure(&program, "t").is_elemental && procedure(&program, "t").is_pure);
}

#[test]
fn what_can_not_be_told_is_not_understood() {
    for text in [
        // In constructs no ENTRY may stand.
        "subroutine s(a)\nif (a > 0) then\nentry t(a)\nend if\nend subroutine\n",
        "subroutine s(a)\na = 1\nentry t(a)\na = = 1\nend subroutine\n",
        "subroutine s(a, *)\na = 1\nreturn 1\nentry t(a, *)\na = 1\nend subroutine\n",
        "subroutine s(a)\n#ifdef WITH\nentry t(a)\n#endif\na = 1\nend subroutine\n",
        "program s\na = 1\nentry t(a)\nend program\n",
        "subroutine u\ncontains\nsubroutine s(a)\na = 1\nentry t(a)\nend subroutine\nend subroutine\n",
    ] {
        let program = crate::frontend::parse_text(
            std::path::Path::new("test.F90"),
            text.as_bytes().to_vec(),
            &crate::frontend::FrontendOptions::default(),
        )
        .unwrap();
        assert!(program.procedures.iter().all(|procedure| procedure.name != "t"), "{text}");
        let world = OpenWorld::of(Outside { program: &program, is_closed: true }).expect(text);
        assert!(
            world.openings().iter().any(|opening| opening.why != "no main program is among the given files"),
            "{text}"
        );
    }
}
