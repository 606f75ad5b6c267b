//! How a program is written in C where its meaning leaves a choice.

use fastrand::Rng;

use crate::random_programs::program::Program;
use crate::random_programs::seeds::TOGETHER;

/// The style of a program. It comes from a number of the program's own, so that a program that is made smaller, or stands in
/// other company, is still written in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// Decides about what is another one from statement to statement.
    pub seed: u64,
    /// What becomes of the codes that calls of MPI return.
    pub codes: Codes,
    /// Where counters of loops are declared.
    pub counters: Counters,
    /// Types of counters other than `int`, where that makes no difference.
    pub wide_counters: bool,
    /// How counters change.
    pub steps: Steps,
    /// Bounds are exclusive, `i < n`.
    pub exclusive: bool,
    /// Loops begin at 0 where they can.
    pub from_zero: bool,
    /// Some loops are written with `while`.
    pub while_loops: bool,
    /// How elements are named.
    pub subscripts: Subscripts,
    /// Braces stand only where they are needed.
    pub few_braces: bool,
    /// What numbers from 10 on are.
    pub numbers: Numbers,
    /// What arrays of the program's main unit are.
    pub storage: Storage,
    /// What arrays of two dimensions are.
    pub matrices: Matrices,
    /// How arrays are handed to functions.
    pub parameters: Parameters,
    /// Array arguments are `restrict`.
    pub restrict: bool,
    /// Vectors are rows of arrays with two dimensions.
    pub rows: bool,
    /// What is shared is a structure.
    pub shared_structure: bool,
    /// What requests of their own become.
    pub requests: Requests,
    /// Requests in a row are counted, `&rq[n++]`.
    pub counted_requests: bool,
    /// What takes statuses.
    pub statuses: Statuses,
    /// Names of the communicator.
    pub communicator: Communicator,
    /// Arrays have second names: pointers into them.
    pub second_names: bool,
    /// Calls of MPI that stand in functions or macros of their own.
    pub wrapped: Wrapped,
    /// Functions are called through pointers.
    pub function_pointers: bool,
    /// The larger one of two numbers is said by a function, a macro or an operator.
    pub largest: Largest,
    /// Conditional expressions, commas, `memset`, compound assignments.
    pub terse: bool,
    /// Types are converted although that is no news to the compiler.
    pub explicit_casts: bool,
    /// What is allocated is freed.
    pub frees: bool,
    /// The main unit knows the object of its arrays by a pointer.
    pub object_pointer: bool,
}

/// What becomes of the codes that calls of MPI return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codes {
    /// Nothing.
    Ignored,
    /// `(void)MPI_…`
    Void,
    /// `rc = MPI_…`
    Stored,
    /// `CHECK(MPI_…)`
    Macro,
    /// `if (MPI_… != MPI_SUCCESS) MPI_Abort(…)`
    Compared,
    /// Another thing each time.
    Mixed,
}

/// Where counters of loops are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counters {
    /// `for (int i = …`
    InLoop,
    /// At the top of the function.
    AtTop,
}

/// How counters change by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// `i++`
    Postfix,
    /// `++i`
    Prefix,
    /// `i += 1`
    Added,
}

/// How elements are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subscripts {
    /// `a[i]`
    Brackets,
    /// `*(a + i)` now and then.
    Mixed,
}

/// What numbers from 10 on are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Numbers.
    Plain,
    /// `#define N …`
    Macros,
    /// `enum { N = … };`
    Enumerators,
}

/// What arrays of the main unit are, unless more functions have to see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Variables of the function.
    Automatic,
    /// `static` ones.
    Static,
    /// Outside of all functions.
    File,
}

/// What arrays of two dimensions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrices {
    /// `double a[M][N]`
    Nested,
    /// `double a[M * N]`
    Flat,
    /// `double **a`, where they are allocated.
    Tables,
}

/// How arrays are handed to functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameters {
    /// `double *a`
    Pointers,
    /// `double a[]`
    Unsized,
    /// `double a[N]`
    Sized,
}

/// What scalar requests of a unit become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requests {
    /// Variables.
    Variables,
    /// Elements of an array.
    Elements,
    /// Members of a structure.
    Members,
}

/// What takes statuses that somebody looks at, or MPI at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statuses {
    /// A variable.
    Variable,
    /// An element of an array.
    Element,
}

/// Names of the communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Communicator {
    /// `MPI_COMM_WORLD`
    World,
    /// A macro for it.
    Macro,
    /// A variable.
    Variable,
}

/// Calls of MPI that stand in functions or macros of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapped {
    /// None.
    Nothing,
    /// Sends and receives of some kinds are statements of a macro.
    ByMacros,
    /// They stand in functions.
    ByFunctions,
}

/// How the larger one of two numbers is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Largest {
    /// By `?:`.
    Operator,
    /// By a macro.
    Macro,
    /// By a function.
    Function,
}

impl Style {
    /// The style of a program.
    pub fn of(program: &Program) -> Self {
        let seed = program.style.forms;
        let mut random = Rng::with_seed(seed ^ 0xc);
        // Most programs ignore codes and use plain forms.
        let all_codes = [
            Codes::Ignored,
            Codes::Ignored,
            Codes::Ignored,
            Codes::Ignored,
            Codes::Void,
            Codes::Stored,
            Codes::Stored,
            Codes::Macro,
            Codes::Compared,
            Codes::Mixed,
        ];
        let codes = pick(&mut random, &all_codes);
        let numbers = [Numbers::Macros, Numbers::Macros, Numbers::Enumerators];
        // What gravelc does not see through may concern all programs of a file, so such programs keep to themselves: calls that
        // macros make, counters that change inside of conditions.
        let is_dark = chance(&mut Rng::with_seed(seed / TOGETHER as u64), 25);
        let parameters = match program.style.assumed_size {
            true => [Parameters::Pointers, Parameters::Pointers, Parameters::Unsized],
            false => [Parameters::Pointers, Parameters::Sized, Parameters::Sized],
        };
        Self {
            seed,
            codes,
            counters: pick(&mut random, &[Counters::InLoop, Counters::AtTop, Counters::AtTop]),
            wide_counters: chance(&mut random, 40),
            steps: pick(&mut random, &[Steps::Postfix, Steps::Postfix, Steps::Prefix, Steps::Added]),
            exclusive: chance(&mut random, 70),
            from_zero: chance(&mut random, 70),
            while_loops: chance(&mut random, 25),
            subscripts: pick(&mut random, &[Subscripts::Brackets, Subscripts::Brackets, Subscripts::Mixed]),
            few_braces: program.style.one_line_if,
            numbers: match program.style.names_numbers {
                true => pick(&mut random, &numbers),
                false => Numbers::Plain,
            },
            storage: pick(&mut random, &[Storage::Automatic, Storage::Static, Storage::File]),
            matrices: pick(&mut random, &[Matrices::Nested, Matrices::Flat, Matrices::Tables]),
            parameters: pick(&mut random, &parameters),
            restrict: chance(&mut random, 30),
            rows: chance(&mut random, 20),
            shared_structure: program.style.renames_common,
            requests: pick(
                &mut random,
                &[Requests::Variables, Requests::Variables, Requests::Elements, Requests::Members],
            ),
            counted_requests: chance(&mut random, 40)
                && (is_dark || !matches!(codes, Codes::Macro | Codes::Compared | Codes::Mixed)),
            statuses: pick(&mut random, &[Statuses::Variable, Statuses::Variable, Statuses::Element]),
            communicator: pick(
                &mut random,
                &[Communicator::World, Communicator::World, Communicator::Macro, Communicator::Variable],
            ),
            second_names: chance(&mut random, 25),
            wrapped: match is_dark {
                true => pick(&mut random, &[Wrapped::Nothing, Wrapped::ByMacros, Wrapped::ByMacros]),
                false => pick(&mut random, &[Wrapped::Nothing, Wrapped::Nothing, Wrapped::ByFunctions]),
            },
            function_pointers: chance(&mut random, 20),
            largest: pick(&mut random, &[Largest::Operator, Largest::Macro, Largest::Function]),
            terse: chance(&mut random, 50),
            explicit_casts: chance(&mut random, 40),
            frees: chance(&mut random, 60),
            object_pointer: chance(&mut random, 40),
        }
    }
}

fn pick<T: Clone>(random: &mut Rng, items: &[T]) -> T {
    items[random.usize(0..items.len())].clone()
}

fn chance(random: &mut Rng, percent: usize) -> bool {
    random.usize(0..100) < percent
}
