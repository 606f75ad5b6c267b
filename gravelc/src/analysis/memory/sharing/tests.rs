//! Pairs of variables.

use std::sync::Arc;

use super::*;
use crate::analysis::testing::{Builder, REAL, int};
use crate::ir::{ComponentName, ComponentPath, FileId, Language, Place, Shape, Span};

/// A procedure with two scalars that `prepare` gives their properties.
fn shares(storages: [Storage; 2], prepare: impl Fn(&mut Symbol, &mut Symbol)) -> bool {
    shares_in(Language::Fortran, storages, prepare)
}

fn shares_in(language: Language, storages: [Storage; 2], prepare: impl Fn(&mut Symbol, &mut Symbol)) -> bool {
    let mut builder = Builder::subroutine("test");
    let ids = storages.map(|storage| {
        let is_dummy = storage == Storage::Dummy;
        if is_dummy {
            builder.dummy("x", REAL, Shape::Scalar)
        } else {
            builder.symbol("x", REAL, Shape::Scalar, storage)
        }
    });
    let mut procedure = builder.finish();
    procedure.language = language;
    let (first, second) = procedure.symbols.split_at_mut(1);
    prepare(&mut first[0], &mut second[0]);
    let answer = may_share_memory(&procedure, ids[0], ids[1]);
    assert_eq!(answer, may_share_memory(&procedure, ids[1], ids[0]), "the question has no direction");
    answer
}

fn nothing(_: &mut Symbol, _: &mut Symbol) {}

fn targets(one: &mut Symbol, two: &mut Symbol) {
    one.target = true;
    two.target = true;
}

fn common() -> Storage {
    Storage::Global(Place::Block("c".into()))
}

/// Two objects, of which the first has two components, the second one.
#[test]
fn components_are_where_their_object_is_and_apart_from_one_another() {
    let mut builder = Builder::subroutine("test");
    let [one, two] = ["one", "two"].map(|name| builder.dummy(name, REAL, Shape::Scalar));
    let [first, second, other] = [(one, "x"), (one, "y"), (two, "x")].map(|(holder, name)| {
        let path = Arc::new(ComponentPath { object: "object".to_owned(), members: vec![name.to_owned()] });
        let name = ComponentName { structure: "field".to_owned(), name: name.to_owned() };
        builder.symbol("component", REAL, Shape::Scalar, Storage::Component { holder, name, path, allocatable: false })
    });
    let mut procedure = builder.finish();
    let share = |procedure: &Procedure, a, b| {
        let answer = may_share_memory(procedure, a, b);
        assert_eq!(answer, may_share_memory(procedure, b, a), "the question has no direction");
        answer
    };
    assert!(share(&procedure, first, one) && share(&procedure, first, first) && !share(&procedure, first, second));
    assert!(!share(&procedure, first, other) && !share(&procedure, other, one));
    // One object by two names.
    for dummy in [one, two] {
        procedure.symbols[dummy.0].target = true;
    }
    assert!(share(&procedure, first, other) && share(&procedure, second, other) && share(&procedure, first, two));
    assert!(is_reachable(&procedure, first));
}

#[test]
fn variables_with_names_of_their_own_are_apart() {
    assert!(!shares([Storage::Local, Storage::Local], nothing));
    assert!(!shares([Storage::Local, Storage::Static], targets));
    assert!(!shares([Storage::Dummy, Storage::Dummy], nothing));
    assert!(!shares([Storage::Dummy, common()], nothing));
    assert!(!shares([common(), common()], nothing));
}

#[test]
fn arguments_are_apart_only_where_the_language_says_so() {
    let share = |storages| shares_in(Language::Opposite, storages, nothing);
    assert!(share([Storage::Dummy, Storage::Dummy]));
    assert!(share([Storage::Dummy, common()]));
    assert!(share([Storage::Dummy, Storage::Static]));
    assert!(share([Storage::Dummy, Storage::Pointer]));
    assert!(!share([Storage::Dummy, Storage::Local]));
    assert!(!share([Storage::Local, Storage::Static]));
    assert!(!shares_in(Language::Opposite, [Storage::Dummy, Storage::Dummy], |one, _| one.asserted_apart = true));
}

#[test]
fn pointers_reach_pointers_and_targets() {
    assert!(shares([Storage::Pointer, Storage::Pointer], nothing));
    assert!(!shares([Storage::Pointer, Storage::Local], nothing));
    assert!(shares([Storage::Pointer, Storage::Local], targets));
    assert!(shares([Storage::Dummy, Storage::Dummy], targets));
    assert!(shares([Storage::Dummy, common()], targets));
    assert!(!shares([Storage::Dummy, Storage::Local], targets));
    assert!(!shares([Storage::Dummy, Storage::Dummy], |one, _| one.target = true));
}

#[test]
fn overlays_share() {
    let overlaid = |one: &mut Symbol, two: &mut Symbol| {
        one.overlay = Some(3);
        two.overlay = Some(3);
    };
    assert!(shares([Storage::Local, Storage::Local], overlaid));
    assert!(!shares([Storage::Local, Storage::Local], |one, two| {
        one.overlay = Some(3);
        two.overlay = Some(4);
    }));
}

#[test]
fn one_variable_under_two_names_shares() {
    let module = |name: &str| Storage::Global(Place::Module { module: "m".into(), name: name.into() });
    assert!(shares([module("a"), module("a")], nothing));
    assert!(!shares([module("a"), module("b")], nothing));
    // The host's declaration of a COMMON block beside the procedure's own.
    let elsewhere = Span { file: FileId(0), start: 5000, end: 5001 };
    assert!(shares([common(), common()], |one, _| one.declaration = Some(elsewhere)));
}

#[test]
fn constants_have_no_memory_and_unknown_names_may_have_any() {
    assert!(!shares([Storage::Local, Storage::Local], |one, _| one.class = SymbolClass::Constant(Some(1))));
    assert!(shares([Storage::Local, Storage::Local], |one, _| one.class = SymbolClass::Unknown));
}

#[test]
fn calls_reach_what_is_visible_elsewhere() {
    let reachable = |storage: Storage, is_main: bool| {
        let mut builder = if is_main { Builder::new() } else { Builder::subroutine("test") };
        let id = builder.array("a", vec![(int(1), int(2))]);
        builder.symbol_mut(id).storage = storage;
        is_reachable(&builder.finish(), id)
    };
    assert!(reachable(common(), true) && reachable(Storage::Pointer, true));
    assert!(!reachable(Storage::Local, false) && !reachable(Storage::Static, true));
    // A recursive call would find the saved variable again.
    assert!(reachable(Storage::Static, false));
    assert!(!reachable(Storage::Allocatable, true));
}
