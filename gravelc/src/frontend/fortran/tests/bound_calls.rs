//! References to procedures through objects.

use std::collections::BTreeMap;

use super::{dump, obstacle, procedure, program};
use crate::ir::Overridable;

/// Types of which one extends the other, with their procedures.
const TYPES: &str = "module shapes\nimplicit none\n\
    type :: shape\nreal :: size\ncontains\n\
    procedure :: grow => grow_shape\nprocedure, pass(self) :: put\nprocedure, nopass :: count\nprocedure :: area\n\
    procedure, non_overridable :: seal\nprocedure, private :: by_real, by_integer\n\
    generic :: by => by_real, by_integer\nend type\n\
    type, extends(shape) :: disc\ncontains\nprocedure :: grow => grow_disc\nprocedure :: area => area_disc\nend type\n\
    type, abstract :: runner\ncontains\nprocedure(go), deferred :: run\nend type\n\
    type, extends(runner) :: fast\ncontains\nprocedure :: run => run_fast\nend type\n\
    abstract interface\nsubroutine go(this)\nimport runner\nclass(runner) :: this\nend subroutine\nend interface\n\
    contains\n\
    subroutine grow_shape(this, factor)\nclass(shape) :: this\nreal, optional :: factor\nend subroutine\n\
    subroutine grow_disc(this, factor)\nclass(disc) :: this\nreal, optional :: factor\nend subroutine\n\
    subroutine put(values, self, k)\nreal :: values(:)\nclass(shape) :: self\ninteger :: k\nend subroutine\n\
    integer function count()\ncount = 1\nend function\n\
    real function area(this)\nclass(shape) :: this\narea = this%size\nend function\n\
    real function area_disc(this)\nclass(disc) :: this\narea_disc = this%size\nend function\n\
    subroutine seal(this)\nclass(shape) :: this\nend subroutine\n\
    subroutine by_real(this, x)\nclass(shape) :: this\nreal :: x\nend subroutine\n\
    subroutine by_integer(this, x)\nclass(shape) :: this\ninteger :: x\nend subroutine\n\
    subroutine run_fast(this)\nclass(fast) :: this\nend subroutine\n\
    end module\n";

fn text(declarations: &str, statements: &str) -> String {
    format!(
        "{TYPES}subroutine test(any)\nuse shapes\nclass(shape) :: any\n{declarations}\n{statements}\nend subroutine\n"
    )
}

fn lowered(declarations: &str, statements: &str) -> String {
    let program = program(&text(declarations, statements));
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    dump::statements(&program, procedure(&program, "test"))
}

/// What the names of calls that could be overridden mean, by the names of the procedures.
fn overridable(text: &str) -> BTreeMap<String, Option<String>> {
    let program = program(text);
    let calls = procedure(&program, "test").overridable_calls.clone();
    let meaning = |meaning| match meaning {
        Overridable::Means(id) => Some(program.procedure(id).name.clone()),
        Overridable::Beside => None,
    };
    calls.into_iter().map(|(name, what)| (name, meaning(what))).collect()
}

#[test]
fn objects_of_a_type_call_its_own_procedure_or_the_inherited_one() {
    let declared = "type(shape) :: s\ntype(disc) :: d(2)\nreal :: x, v(3)";
    assert_eq!(lowered(declared, "call s%grow(x)"), "call grow_shape(s, x)\n");
    assert_eq!(lowered(declared, "call d(2)%grow()"), "call grow_disc(d[2])\n");
    assert_eq!(lowered(declared, "call d(1)%shape%grow"), "call grow_shape(d%{1})\n");
    assert_eq!(lowered(declared, "call d(1)%put(v, 2)"), "call put(v, d[1], 2)\n");
    assert_eq!(lowered(declared, "call s%put(k=2, values=v)"), "call put(v, s, 2)\n");
    assert_eq!(lowered(declared, "x = s%area() + s%count()"), "x = (p4(s)+p3())\n");
}

#[test]
fn objects_of_a_class_may_call_what_extensions_have() {
    let all = "select \n case\n  ;call grow_shape(any, x)\n case\n  ;call grow_disc(any, x)\n case\n  \
               ;call ?any%grow of another type(any, x)\n";
    assert_eq!(lowered("real x", "call any%grow(x)"), all);
    assert_eq!(lowered("real x", "x = any%area()"), "x = computed(p4(any),p5(any),?any%area of another type(any))\n");
    assert_eq!(lowered("real v(3)", "call any%put(v, 1)"), "call ?any%put(v, any, 1)\n");
    assert_eq!(lowered("", "call any%seal"), "call seal(any)\n");
    let text = text("real v(3), x", "call any%put(v, 1)\ncall any%grow(x)\ncall any%seal");
    let put = ("any%put".to_string(), Some("put".to_string()));
    assert_eq!(overridable(&text), BTreeMap::from([put, ("any%grow of another type".to_string(), None)]));
}

#[test]
fn deferred_procedures_are_those_of_extensions() {
    assert_eq!(lowered("class(runner), pointer :: r", "call r%run"), "call ?r%run(r)\n");
    let text = text("class(runner), pointer :: r", "call r%run");
    assert_eq!(overridable(&text), BTreeMap::from([("r%run".to_string(), Some("run_fast".to_string()))]));
}

#[test]
fn generic_names_mean_what_fits() {
    let declared = "type(shape) :: s\nreal :: x\ninteger :: k";
    assert_eq!(lowered(declared, "call s%by(x)"), "call by_real(s, x)\n");
    assert_eq!(lowered(declared, "call s%by(k)"), "call by_integer(s, k)\n");
    // One text with two meanings.
    let text = text(declared, "call any%by(k)\ncall any%by(x)\ncall any%by(k)");
    assert_eq!(
        overridable(&text),
        BTreeMap::from([
            ("any%by".to_string(), Some("by_integer".to_string())),
            ("any%by (2)".to_string(), Some("by_real".to_string()))
        ])
    );
}

#[test]
fn only_what_is_compiled_extends_a_type() {
    let put = BTreeMap::from([("any%put".to_string(), Some("put".to_string()))]);
    let asked = text("real v(3)", "call any%put(v, 1)");
    for other in [
        "! extends(shape)\n",
        "subroutine other\nprint *, 'extends nothing'\nend subroutine\n",
        "#if 0\nmodule other\nuse missing\ntype, extends(base) :: t\nend type\nend module\n#endif\n",
    ] {
        assert_eq!(overridable(&format!("{asked}{other}")), put, "{other}");
    }
    for other in [
        "#ifdef OPEN\nmodule other\nuse missing\ntype, extends(base) :: t\nend type\nend module\n#endif\n",
        "#define LIKE_SHAPE extends(shape)\n",
    ] {
        assert_eq!(overridable(&format!("{asked}{other}")), BTreeMap::new(), "{other}");
    }
}

#[test]
fn what_may_be_missing_is_not_guessed() {
    // A type that could not be read, one whose parent is not given, one with a procedure that is not given.
    let unread = text("real v(3)", "call any%put(v, 1)")
        .replace("subroutine test(any)", "block data\n??? extends(shape)\nend\nsubroutine test(any)");
    assert_eq!(overridable(&unread), BTreeMap::new());
    let other = "module other\nuse missing\ntype, extends(base) :: t\nend type\nend module\n";
    assert_eq!(overridable(&format!("{}{other}", text("real v(3)", "call any%put(v, 1)"))), BTreeMap::new());
    let missing = TYPES.replace("grow => grow_disc", "grow => grow_elsewhere");
    let text = text("real x", "call any%grow(x)").replace(TYPES, &missing);
    assert_eq!(overridable(&text), BTreeMap::new());
}

#[test]
fn parallel_regions_call_through_objects_too() {
    let region = |call: &str| {
        text("real v(3)\nprocedure(), pointer :: p", &format!("!$omp parallel\n{call}\n!$omp end parallel"))
    };
    let reason = Some("called from a parallel region".to_string());
    assert_eq!(obstacle(&region("call any%put(v, 1)"), "put"), reason);
    assert_eq!(obstacle(&region("call any%put(v, 1)"), "grow_disc"), None);
    assert_eq!(obstacle(&region("call any%grow()"), "grow_disc"), reason);
    // It may be any of them.
    assert_eq!(obstacle(&region("call p(v)"), "grow_disc"), reason);
}
