//! Where a message can be received without a call that can be seen.

/// One of them. `RECEIVE` in the text stands for the receive into `got`, `STATE` for the declarations that it needs.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its name.
    pub name: &'static str,
    /// The declarations of the module with what receives.
    pub specification: &'static str,
    /// The procedures of that module, or external ones.
    pub procedures: &'static str,
    /// Declarations of the main program.
    pub declarations: &'static str,
    /// What hides the receive and sets `y`.
    pub statement: &'static str,
    /// Behind the statements of the main program.
    pub behind: &'static str,
    /// In front of the main program.
    pub before: &'static str,
    /// A file that gravelc does not find.
    pub included: &'static str,
    /// The procedures are external ones.
    pub is_external: bool,
    /// The main program receives itself.
    pub is_in_program: bool,
    /// The file is preprocessed.
    pub is_preprocessed: bool,
}

const NOWHERE: Place = Place {
    name: "",
    specification: "",
    procedures: "",
    declarations: "",
    statement: "",
    behind: "",
    before: "",
    included: "",
    is_external: false,
    is_in_program: false,
    is_preprocessed: false,
};

const FETCH: &str = "double precision function fetch(k)\n  integer, intent(in) :: k\nRECEIVE\n  fetch = got(1) + k\nend function fetch\n";
const COUNT: &str = "integer function fetch(k)\n  integer, intent(in) :: k\nRECEIVE\n  fetch = 2\nend function fetch\n";
const EXTERNAL: &str = "double precision function fetch(k)\nSTATE  integer, intent(in) :: k\nRECEIVE\n  fetch = got(1) + k\nend function fetch\n";
const OF_BOX: &str = "double precision function of_box(one)\n  type(box), intent(in) :: one\nRECEIVE\n  of_box = got(1) + one%v\n\
                      end function of_box\n";
const OF_BOXES: &str = "double precision function of_boxes(one, two)\n  type(box), intent(in) :: one, two\nRECEIVE\n\
                        \x20 of_boxes = got(1) + one%v + two%v\nend function of_boxes\n";
const OF_RANKS: &str = "function of_ranks(one, two) result(all)\n  double precision, intent(in) :: one(:, :), two(:)\n\
                        \x20 double precision :: all(size(two))\nRECEIVE\n  all = got(1) + two + one(1, 1)\nend function of_ranks\n";
const BOX_WITH_BINDINGS: &str = "  type box\n    double precision :: v = 0\n  contains\n    procedure :: get\n    procedure :: go\n\
                                 \x20 end type box\n";
const BINDINGS: &str = "double precision function get(this, k)\n  class(box), intent(in) :: this\n  integer, intent(in) :: k\nRECEIVE\n\
                        \x20 get = got(1) + this%v + k\nend function get\nsubroutine go(this)\n  class(box), intent(inout) :: this\nRECEIVE\n\
                        \x20 this%v = got(1)\nend subroutine go\n";
const FINAL: &str = "  type box\n    double precision :: v = 0\n  contains\n    final :: done\n  end type box\n";
const DONE: &str = "subroutine done(this)\n  type(box), intent(inout) :: this\n  if (this%v > 5) then\nRECEIVE\n  end if\nend subroutine done\n";
const IN_PROGRAM: &str = "call mpi_recv(arrived, n, mpi_double_precision, 0, 7, mpi_comm_world, state, code)\n";

/// All of them.
pub const PLACES: [Place; 36] = [
    Place {
        name: "assignment",
        specification: "  type box\n    double precision :: v = 0\n  end type box\n  interface assignment(=)\n    module procedure put\n\
                        \x20 end interface\n",
        procedures: "subroutine put(this, x)\n  type(box), intent(out) :: this\n  double precision, intent(in) :: x\nRECEIVE\n\
                     \x20 this%v = got(1) + x\nend subroutine put\n",
        declarations: "  type(box) :: it",
        statement: "      it = 1d0\n      y = it%v",
        ..NOWHERE
    },
    Place {
        name: "assignment-of-intrinsic-types",
        specification: "  interface assignment(=)\n    module procedure put\n  end interface\n",
        procedures: "subroutine put(k, l)\n  integer, intent(out) :: k\n  logical, intent(in) :: l\nRECEIVE\n  k = 3\n  if (l) k = 4\n\
                     end subroutine put\n",
        declarations: "  type parts\n    integer :: k(3)\n    logical :: l = .true.\n  end type parts\n  type(parts) :: it(2)",
        statement: "      it(1)%k(2) = it(2)%l\n      y = it(1)%k(2)",
        ..NOWHERE
    },
    Place {
        name: "operator",
        specification: "  type box\n    double precision :: v = 0\n  end type box\n  interface operator(+)\n    module procedure of_boxes\n\
                        \x20 end interface\n",
        procedures: OF_BOXES,
        declarations: "  type(box) :: it",
        statement: "      y = it + it",
        ..NOWHERE
    },
    Place {
        name: "operator-of-one",
        specification: "  type box\n    double precision :: v = 0\n  end type box\n  interface operator(-)\n    module procedure of_box\n\
                        \x20 end interface\n",
        procedures: OF_BOX,
        declarations: "  type(box) :: it",
        statement: "      y = -it",
        ..NOWHERE
    },
    Place {
        name: "named-operator",
        specification: "  type box\n    double precision :: v = 0\n  end type box\n  interface operator(.get.)\n    module procedure of_box\n\
                        \x20 end interface\n",
        procedures: OF_BOX,
        declarations: "  type(box) :: it",
        statement: "      y = .get. it",
        ..NOWHERE
    },
    Place {
        name: "operator-of-intrinsic-types",
        specification: "  interface operator(+)\n    module procedure of_truth\n  end interface\n",
        procedures: "double precision function of_truth(l, x)\n  logical, intent(in) :: l\n  double precision, intent(in) :: x\nRECEIVE\n\
                     \x20 of_truth = got(1) + x\n  if (l) of_truth = of_truth + 1\nend function of_truth\n",
        declarations: "  logical :: l = .true.",
        statement: "      y = l + 2d0",
        ..NOWHERE
    },
    Place {
        name: "operator-of-other-ranks",
        specification: "  interface operator(+)\n    module procedure of_ranks\n  end interface\n",
        procedures: OF_RANKS,
        declarations: "  double precision :: a(2, 2) = 1, b(2) = 2, c(2)",
        statement: "      c = a + b\n      y = c(1)",
        ..NOWHERE
    },
    Place {
        name: "operator-of-a-function's-rank",
        specification: "  interface operator(+)\n    module procedure of_ranks\n  end interface\n",
        procedures: OF_RANKS,
        declarations: "  double precision :: a(2, 2) = 1, c(2)",
        statement: "      c = a + vector()\n      y = c(1)",
        behind: "contains\n  function vector()\n    double precision :: vector(2)\n    vector = 3\n  end function vector\n",
        ..NOWHERE
    },
    Place {
        name: "operator-of-components",
        specification: "  interface operator(+)\n    module procedure of_ranks\n  end interface\n",
        procedures: OF_RANKS,
        declarations: "  type parts\n    double precision :: a(2, 2) = 1, b(2) = 2\n  end type parts\n  type(parts) :: it(2)\n\
                       \x20 double precision :: c(2)",
        statement: "      c = it(2)%a + it(1)%b\n      y = c(1)",
        ..NOWHERE
    },
    Place { name: "function", procedures: FETCH, statement: "      y = fetch(step)", ..NOWHERE },
    Place {
        name: "function-in-condition",
        procedures: FETCH,
        statement: "      if (fetch(step) > 0) y = y + 1",
        ..NOWHERE
    },
    Place { name: "function-in-subscript", procedures: COUNT, statement: "      y = field(fetch(step))", ..NOWHERE },
    Place {
        name: "function-in-loop",
        procedures: COUNT,
        statement: "      do i = 1, fetch(step)\n        y = y + 1\n      end do",
        ..NOWHERE
    },
    Place {
        name: "function-in-argument",
        procedures: FETCH,
        statement: "      call take(fetch(step))",
        behind: "contains\n  subroutine take(x)\n    double precision, intent(in) :: x\n    y = x\n  end subroutine take\n",
        ..NOWHERE
    },
    Place {
        name: "function-in-allocation",
        procedures: COUNT,
        declarations: "  double precision, allocatable :: room(:)",
        statement: "      allocate(room(fetch(step)))\n      y = size(room)\n      deallocate(room)",
        ..NOWHERE
    },
    Place {
        name: "name-of-an-intrinsic",
        specification: "  private\n  public :: abs\n  interface abs\n    module procedure fetch\n  end interface\n",
        procedures: FETCH,
        statement: "      y = abs(step)",
        ..NOWHERE
    },
    Place {
        name: "generic-that-two-modules-share",
        specification: "  interface grab\n    module procedure fetch\n  end interface\n",
        procedures: FETCH,
        before: "module own_names\n  implicit none\n  interface grab\n    module procedure grab_real\n  end interface\ncontains\n\
                 \x20 double precision function grab_real(x)\n    double precision, intent(in) :: x\n    grab_real = x\n\
                 \x20 end function grab_real\nend module own_names\n",
        declarations: "",
        statement: "      call inner",
        behind: "contains\n  subroutine inner\n    use own_names\n    y = grab(step)\n  end subroutine inner\n",
        ..NOWHERE
    },
    Place {
        name: "function-on-the-left",
        procedures: "function slot(k) result(place)\n  integer, intent(in) :: k\n  double precision, pointer :: place\n\
                     \x20 double precision, target, save :: room\nRECEIVE\n  room = k\n  place => room\nend function slot\n",
        statement: "      slot(1) = 2d0\n      y = 1",
        ..NOWHERE
    },
    Place {
        name: "finaliser-at-deallocation",
        specification: FINAL,
        procedures: DONE,
        declarations: "  type(box), allocatable :: it",
        statement: "      allocate(it)\n      it%v = 6\n      deallocate(it)",
        ..NOWHERE
    },
    Place {
        name: "finaliser-at-the-end-of-a-block",
        specification: FINAL,
        procedures: DONE,
        statement: "      block\n        type(box) :: it\n        it%v = 6\n      end block",
        ..NOWHERE
    },
    Place {
        name: "finaliser-at-the-end-of-a-procedure",
        specification: FINAL,
        procedures: DONE,
        statement: "      call inner",
        behind: "contains\n  subroutine inner\n    type(box) :: it\n    it%v = 6\n  end subroutine inner\n",
        ..NOWHERE
    },
    Place {
        name: "output",
        specification: "  type box\n    double precision :: v = 0\n  contains\n    procedure :: show\n    generic :: write(formatted) => show\n\
                        \x20 end type box\n",
        procedures: "subroutine show(dtv, unit, iotype, v_list, iostat, iomsg)\n  class(box), intent(in) :: dtv\n  integer, intent(in) :: unit\n\
                     \x20 character(*), intent(in) :: iotype\n  integer, intent(in) :: v_list(:)\n  integer, intent(out) :: iostat\n\
                     \x20 character(*), intent(inout) :: iomsg\nRECEIVE\n  write(unit, *, iostat=iostat) dtv%v\nend subroutine show\n",
        declarations: "  type within\n    type(box) :: it\n  end type within\n  type(within) :: all(2)\n  character(80) :: line",
        statement: "      write(line, *) all(1)%it",
        ..NOWHERE
    },
    Place {
        name: "constructor",
        specification: "  type box\n    double precision :: v = 0\n  end type box\n  interface box\n    module procedure make\n  end interface\n",
        procedures: "function make(k) result(made)\n  integer, intent(in) :: k\n  type(box) :: made\nRECEIVE\n  made%v = got(1) + k\n\
                     end function make\n",
        declarations: "  type(box) :: it",
        statement: "      it = box(step)\n      y = it%v",
        ..NOWHERE
    },
    Place {
        name: "binding",
        specification: BOX_WITH_BINDINGS,
        procedures: BINDINGS,
        declarations: "  type(box) :: it",
        statement: "      y = it%get(step)",
        ..NOWHERE
    },
    Place {
        name: "binding-called",
        specification: BOX_WITH_BINDINGS,
        procedures: BINDINGS,
        declarations: "  type(box) :: it(2)",
        statement: "      call it(2)%go\n      y = it(2)%v",
        ..NOWHERE
    },
    Place {
        name: "binding-of-the-parent",
        specification: BOX_WITH_BINDINGS,
        procedures: BINDINGS,
        declarations: "  type, extends(box) :: child\n    integer :: w = 1\n  end type child\n  type(child) :: it",
        statement: "      y = it%get(step)",
        ..NOWHERE
    },
    Place {
        name: "binding-of-a-component",
        specification: BOX_WITH_BINDINGS,
        procedures: BINDINGS,
        declarations: "  type within\n    type(box) :: parts(2)\n  end type within\n  type(within) :: it",
        statement: "      y = it%parts(2)%get(step)",
        ..NOWHERE
    },
    Place {
        name: "pointer-in-object",
        specification: "  abstract interface\n    double precision function gives(k)\n      integer, intent(in) :: k\n    end function gives\n\
                        \x20 end interface\n  type box\n    procedure(gives), pointer, nopass :: f => fetch\n  end type box\n",
        procedures: FETCH,
        declarations: "  type(box) :: it",
        statement: "      y = it%f(step)",
        ..NOWHERE
    },
    Place {
        name: "external-function",
        procedures: EXTERNAL,
        is_external: true,
        declarations: "  double precision :: fetch",
        statement: "      y = fetch(step)",
        ..NOWHERE
    },
    Place {
        name: "statement-function",
        procedures: EXTERNAL,
        is_external: true,
        declarations: "  integer :: k\n  double precision :: short, fetch\n  short(k) = fetch(k)",
        statement: "      y = short(step)",
        ..NOWHERE
    },
    Place {
        name: "handed-over",
        procedures: EXTERNAL,
        is_external: true,
        declarations: "  double precision, external :: fetch",
        statement: "      call apply(fetch)",
        behind: "contains\n  subroutine apply(f)\n    double precision, external :: f\n    y = f(step)\n  end subroutine apply\n",
        ..NOWHERE
    },
    Place {
        name: "block-with-a-function-named-like-an-array",
        procedures: EXTERNAL,
        is_external: true,
        declarations: "  double precision :: fetch(10)",
        statement: "      block\n        double precision, external :: fetch\n        y = fetch(step)\n      end block",
        ..NOWHERE
    },
    Place {
        name: "macro",
        is_in_program: true,
        is_preprocessed: true,
        before: "#define TAKE(B) call mpi_recv(B, n, mpi_double_precision, 0, 7, mpi_comm_world, state, code)\n",
        statement: "      TAKE(arrived)\n      y = arrived(1)",
        ..NOWHERE
    },
    Place {
        name: "included-statement",
        is_in_program: true,
        statement: "      include 'text.inc'\n      y = arrived(1)",
        included: IN_PROGRAM,
        ..NOWHERE
    },
    Place {
        name: "included-behind-declarations",
        is_in_program: true,
        statement: "      call inner\n      y = arrived(1)",
        behind: "contains\n  subroutine inner\n    integer :: unused\n    include 'text.inc'\n  end subroutine inner\n",
        included: IN_PROGRAM,
        ..NOWHERE
    },
    Place {
        name: "name-on-two-lines",
        is_in_program: true,
        statement: "      call mpi_re&\n&cv(arrived, n, mpi_double_precision, 0, 7, mpi_comm_world, state, code)\n      y = arrived(1)",
        ..NOWHERE
    },
];
