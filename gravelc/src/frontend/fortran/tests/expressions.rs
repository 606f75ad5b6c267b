//! Expressions and assignments.

use super::body;

#[test]
fn arithmetic_keeps_its_structure() {
    let out = body("integer i, j, n\nreal x", "i = (j + 1)*n - mod(j, 3)/2**n\nx = 1.5*i - .5e0_8\ni = -j\nx = +x");
    assert_eq!(out, "i = ((((j+1))*n)-($mod(j,3)/(2**n)))\nx = ((lit*i)-lit)\ni = -(j)\nx = (x)\n");
}

#[test]
fn the_declaration_decides_between_arrays_and_functions() {
    let out = body(
        "implicit none\nreal sum(3), x, f, a(2, 2)\ninteger i\ncharacter(len=9) c\nreal, external :: g",
        "x = sum(i)\nx = f(i) + g(x)\nx = maxval(a)\nx = h(a)\nc = c(2:i)\nx = a(i, 1)\na(:, 2) = a(1:2:i, i)\nsum = sum(int(sum))",
    );
    assert_eq!(
        out,
        "x = sum[i]\nx = (?f(i)+?g(x))\nx = $maxval(a)\nx = ?h(a)\nc = c%{2,i}\nx = a[i,1]\na[:,2] = a[1:2:i,i]\n\
         sum = sum[<$int(sum)>]\n"
    );
}

#[test]
fn keywords_of_intrinsic_functions_have_their_places() {
    let out = body("integer a(2, 3), i", "i = size(a, kind=2)\ni = lbound(a, kind=4, dim=1)\ni = size(dim=2, array=a)");
    assert_eq!(out, "i = $size(a,computed(),2)\ni = $lbound(a,1,4)\ni = $size(a,2)\n");
}

#[test]
fn a_name_that_is_declared_without_a_type_of_its_own_follows_the_implicit_rules() {
    assert_eq!(body("", "i = x + k2"), "i = (x+k2)\n");
    let out = body("implicit none\ninteger i", "i = j");
    assert_eq!(out, "i = OPAQUE<a name that is not declared: j>\n");
}

#[test]
fn logical_and_character_operators() {
    let out = body("logical a, b\ncharacter(8) c", "a = .not. b .and. (c // 'x' == 'y') .or. b .eqv. .TRUE.");
    assert_eq!(out, "a = (((!(b)&(((c~lit)==lit)))|b)~true)\n");
}

#[test]
fn literals_have_parts() {
    assert_eq!(body("integer :: n", "c = 'text'(2:n)"), "c = computed(2,n)\n");
    assert!(!body("integer :: n", "call s('t'//\"text\"(2:n+1), n)").contains("opaque"));
}

#[test]
fn implied_loops_have_a_variable_of_their_own() {
    let out = body("integer a(9), i, n", "a(1:n) = [(i*2, i = 1, n)]\na = (/ (a(i), i = 1, 9) /)");
    assert_eq!(out, "a[1:n] = [computed(1,n,(computed()*2))]\na = [computed(1,9,a%{computed()})]\n");
}

#[test]
fn structures_tell_where_pointers_lead_elsewhere() {
    let declarations = "type inner\n real :: x(3)\nend type\n\
                        type t\n type(inner) :: a(2)\n real, pointer :: p(:)\n contains\n procedure :: go\nend type\n\
                        type(t) :: v\ntype(missing) :: m\ninteger i\nreal y";
    let out = body(declarations, "v%a(i)%x(2) = y\nv%p(i) = y\ny = m%x\ncall v%go(i)\ny = v%a(1)%x(1)");
    assert_eq!(
        out,
        "v%{i,2} := y\nv%*{i} := y\ny = OPAQUE<a component that is not declared: m%x>\ncall ?v%go(v, i)\ny = v%{1,1}\n"
    );
}

#[test]
fn components_at_one_place_are_variables_of_their_own() {
    let declarations = "type inner\n real :: x(3)\n integer :: n, m(2)\n real :: r\n character(8) :: c\nend type\n\
                        type, extends(inner) :: t\n type(inner) :: i, many(2)\n real, allocatable :: a(:, :)\n\
                        real, pointer :: p(:)\nend type\n\
                        type(t) :: v, all(2)\ntype(t), pointer :: q\ntype(t), allocatable :: w\nreal y";
    let apart = body(
        declarations,
        "v%i%x(2) = v%a(1, v%i%n)\ny = V % I % X(2)\nv%i%x = v%a(:, 1)\nv%a = y\ny = v%i%m(1)\nv%i%r = y\nv%i%c(1:2) = v%i%c",
    );
    assert_eq!(
        apart,
        "v%i%x[2] = v%a[1,v%i%n]\ny = v%i%x[2]\nv%i%x = v%a[:,1]\nv%a := y\ny = v%i%m[1]\nv%i%r = y\nv%{1,2} := v%{}\n"
    );
    // Two spellings of what comes from the type that is extended.
    let inherited = body(declarations, "y = v%x(1)\ny = v%inner%x(1)\nv%inner = v%i");
    assert_eq!(inherited, "y = v%x[1]\ny = v%x[1]\nv%{} := v%{}\n");
    // Several objects, a pointer on the way, memory that may be given back.
    let parts = body(declarations, "y = v%many(1)%x(2)\ny = all(1)%a(1, 1)");
    assert_eq!(parts, "y = v%{1,2}\ny = all%{1,1,1}\n");
    let parts = body(declarations, "y = q%i%x(1)\ny = w%i%x(1)\ny = v%p(1)");
    assert_eq!(parts, "y = q%*{1}\ny = w%{1}\ny = v%*{1}\n");
    let shared = format!(
        "{declarations}\ntype s\n sequence\n real :: x(3)\nend type\ntype(s) :: e, c\nreal z(3)\n\
                          equivalence (e, z)\ncommon /block/ c"
    );
    assert_eq!(body(&shared, "y = e%x(1)\ny = c%x(1)"), "y = e%{1}\ny = c%{1}\n");
}

#[test]
fn assignments_that_may_move_memory_say_so() {
    let out = body("real, allocatable :: a(:), b(:)\nreal c(3)", "a = b\na(:) = b\na(1) = 2\nc = b");
    assert_eq!(out, "a := b\na[:] = b\na[1] = 2\nc = b\n");
}

#[test]
fn long_sums_become_flat() {
    let sum = vec!["x"; 200].join(" + ");
    let out = body("real x", &format!("x = {sum}"));
    assert_eq!(out.matches("computed(").count(), 1);
    assert_eq!(out.matches('x').count(), 201);
}

#[test]
fn operators_of_the_program_are_calls() {
    assert_eq!(body("real a, b", "a = a .dot. b\na = .inv. b"), "a = ?operator(.dot.)(a,b)\na = ?operator(.inv.)(b)\n");
    let text = "module m\ninterface operator(+)\n module procedure plus\nend interface\n\
                type t\n integer i\nend type\ncontains\n\
                function plus(a, b)\n type(t), intent(in) :: a, b\n type(t) plus\n plus%i = a%i\nend function\nend module\n\
                subroutine test\nuse m\ntype(t) x\nreal r\nx = x + x\nr = r + 1\nend subroutine\n";
    let program = super::program(text);
    let out = super::dump::statements(&program, super::procedure(&program, "test"));
    assert_eq!(out, "x := computed(p0(x,x),(x+x))\nr = (r+1)\n");
}

#[test]
fn constants_of_mpi_are_integers_that_no_operator_is_defined_for() {
    let text = |module: &str| {
        format!(
            "module m\ninterface assignment(=)\n module procedure set\nend interface\ntype t\n integer i\nend type\ncontains\n\
             subroutine set(a, b)\n type(t), intent(out) :: a\n integer, intent(in) :: b\n a%i = b\nend subroutine\nend module\n\
             subroutine test\nuse {module}\nuse m\ninteger comm, key\ncomm = mpi_comm_world\n\
             if (comm == mpi_comm_null) key = mpi_undefined\nend subroutine\n"
        )
    };
    let program = super::program(&text("mpi"));
    let out = super::dump::statements(&program, super::procedure(&program, "test"));
    assert!(!out.contains("opaque") && out.contains("key = "), "{out}");
    // There they are handles, and no integers; so they do not fit the second argument.
    let program = super::program(&text("mpi_f08"));
    let out = super::dump::statements(&program, super::procedure(&program, "test"));
    assert!(!out.contains("opaque"), "{out}");
}

/// A module that defines operations on two types, and what the statements of a subroutine that uses it become.
fn with_operations(statements: &str) -> String {
    let text = format!(
        "module m\ninterface operator(+)\n module procedure plus, plus_number\nend interface\n\
         interface operator(.eq.)\n module procedure same\nend interface\n\
         interface operator(.dot.)\n module procedure dot\nend interface\n\
         interface assignment(=)\n module procedure set\nend interface\n\
         type t\n integer i\nend type\ntype u\n integer j\nend type\ncontains\n\
         function plus(a, b)\n type(t), intent(in) :: a, b\n type(t) plus\n plus%i = a%i + b%i\nend function\n\
         function plus_number(a, b)\n type(t), intent(in) :: a\n integer, intent(in) :: b\n type(t) plus_number\n plus_number%i = a%i + b\nend function\n\
         logical function same(a, b)\n type(t), intent(in) :: a, b\n same = a%i == b%i\nend function\n\
         integer function dot(a, b)\n type(t), intent(in) :: a, b\n dot = a%i * b%i\nend function\n\
         subroutine set(a, b)\n type(t), intent(out) :: a\n integer, intent(in) :: b\n a%i = b\nend subroutine\nend module\n\
         subroutine test\nuse m\ntype(t) x, y\ntype(u) v, w\ninteger i\nlogical q\n{statements}\nend subroutine\n"
    );
    let program = super::program(&text);
    super::dump::statements(&program, super::procedure(&program, "test"))
}

#[test]
fn operations_of_the_program_are_calls_of_what_fits() {
    // Of which type a function's value is does not count: the assignment may be the defined one.
    let sum = "computed(p0(x,y),(x+y))";
    assert_eq!(with_operations("x = x + y"), format!("select \n case\n  ;call set(x, {sum})\n case\n  ;x := {sum}\n"));
    assert!(with_operations("x = x + 3").contains("x := computed(p1(x,3),(x+3))\n"));
    assert_eq!(with_operations("x = 3"), "select \n case\n  ;call set(x, 3)\n case\n  ;x := 3\n");
    // Nothing is defined for this type, or for numbers.
    assert_eq!(with_operations("v = w\ni = i + 1"), "v := w\ni = (i+1)\n");
    // One operator has two spellings.
    assert_eq!(with_operations("if (x == y) i = 1"), "if1\n ? computed(p2(x,y),(x==y))\n  i = 1\n");
    assert_eq!(with_operations("i = x .dot. y"), "i = p3(x,y)\n");
}

#[test]
fn operators_may_be_defined_for_numbers_of_other_ranks() {
    let text = "module m\ninterface operator(*)\n module procedure times\nend interface\n\
                interface assignment(=)\n module procedure first\nend interface\ncontains\n\
                function times(a, x)\n real, intent(in) :: a(:, :), x(:)\n real times(3)\nend function\n\
                subroutine first(s, x)\n real, intent(out) :: s\n real, intent(in) :: x(:)\nend subroutine\nend module\n\
                subroutine test\nuse m\nreal a(3, 3), x(3), s\nx = a * x\na = a * a\ns = x\nx = s * x\n\
                s = s * 2 + x(1) * x(2)\nx = (x + x) * s\nend subroutine\n";
    let program = super::program(text);
    let out = super::dump::statements(&program, super::procedure(&program, "test"));
    let (first, rest) = out.split_once("a = (a*a)\n").unwrap();
    assert!(first.contains("p0(a,x)"), "{out}");
    assert_eq!(
        rest,
        "select \n case\n  ;call first(s, x)\n case\n  ;s = x\nx = (s*x)\ns = ((s*2)+(x[1]*x[2]))\nx = (((x+x))*s)\n"
    );
}

#[test]
fn assignments_of_a_forall_to_numbers_are_no_ones_of_the_program() {
    let in_forall =
        |statement: &str| with_operations(&format!("real f(3)\ntype(t) r(3)\nforall (i = 1:3) {statement}"));
    assert_eq!(in_forall("f(i) = f(i) + 1"), "f%{computed()} := computed(1,3,(f%{computed()}+1))\n");
    assert!(in_forall("r(i) = x").starts_with("opaque an assignment that the program may define"));
}

#[test]
fn chains_of_defined_operators_stay_short() {
    for links in [20, 2_000] {
        let chain = vec!["x"; links].join(" + ");
        let out = with_operations(&format!("v = w\nx = y + {chain}"));
        // Each link is a call of one of two procedures, or the operator itself; all operands are there.
        assert!(out.len() < 200 * links, "{links}: {}", out.len());
        assert!(out.matches("p0(").count() >= links && out.matches('x').count() >= links, "{links}");
    }
}

#[test]
fn operations_that_may_mean_others_are_not_followed() {
    let text = |inside: &str, outside: &str| {
        format!(
            "module m\ntype t\n integer i\n{inside}\nend type\ncontains\n\
             subroutine set(a, b)\n class(t), intent(inout) :: a\n integer, intent(in) :: b\n a%i = b\nend subroutine\n\
             subroutine finish(a)\n type(t), intent(inout) :: a\nend subroutine\nend module\n\
             subroutine test\nuse m\n{outside}\ntype(t) x\nx = 3\nend subroutine\n"
        )
    };
    for (inside, outside) in [
        ("contains\nprocedure :: set\ngeneric :: assignment(=) => set", ""),
        ("contains\nfinal :: finish", ""),
        ("", "use not_given"),
    ] {
        let program = super::program(&text(inside, outside));
        let out = super::dump::statements(&program, super::procedure(&program, "test"));
        assert!(out.starts_with("opaque an assignment that the program may define"), "{inside}{outside}: {out}");
    }
}

#[test]
fn keywords_put_arguments_into_their_places() {
    let text =
        "subroutine s(a, b, c)\noptional a, b, c\nend subroutine\nsubroutine test\ncall s(x, c=y)\nend subroutine\n";
    let program = super::program(text);
    assert_eq!(super::dump::statements(&program, super::procedure(&program, "test")), "call s(x, computed(), y)\n");
}
