//! The language that a file is written in, and what the rest of the compiler asks about it.
//!
//! What a language says of a single program (names, types, bounds, conversions) the front end writes into the program. What it
//! says of all programs is a question here, so that no analysis, transformation or emitter takes the rules of one language for
//! granted. The answers stand in one file per language.

mod c;
mod fortran;
#[cfg(test)]
mod opposite;
mod rust;

use std::fmt::Debug;

use crate::source_layout::SourceLayout;

/// A language that programs are written in. Each has a front end and an emitter, which `frontend` and `emit` list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// Fortran 2018, with what compilers add to it.
    #[default]
    Fortran,
    /// C11, with what GNU C adds to it.
    C,
    /// Rust: functions that a procedural macro lowers and writes, no files that are given.
    Rust,
    /// No language: gives other answers than Fortran, so that tests notice who does not ask.
    #[cfg(test)]
    Opposite,
}

impl Language {
    /// Those of files that are given: each has a front end and an emitter here.
    pub const ALL: &'static [Language] = &[Language::Fortran, Language::C];

    /// What is asked about it.
    pub fn dialect(self) -> &'static dyn Dialect {
        match self {
            Language::Fortran => &fortran::Fortran,
            Language::C => &c::C,
            Language::Rust => &rust::Rust,
            #[cfg(test)]
            Language::Opposite => &opposite::Opposite,
        }
    }
}

/// What analyses, transformations and emitters ask about a language.
pub trait Dialect: Debug + Sync {
    /// What is written between an object and its component.
    fn component_separator(&self) -> &'static str;

    /// Do the two spellings stand for one name? The names of a program's symbols are in one spelling already.
    fn is_same_name(&self, one: &[u8], other: &[u8]) -> bool;

    /// May the emitter write the word of itself, besides names of the program: a keyword, a function of the language, a name of MPI
    /// or of the runtime? What replaces words in the text (a macro) would replace it there, too.
    fn may_be_written(&self, word: &str) -> bool;

    /// How many characters a name may have for all compilers to take it.
    fn longest_name(&self) -> usize;

    /// Is the line nothing but a comment?
    fn is_comment_line(&self, line: &[u8], layout: SourceLayout) -> bool;

    /// Does the line speak to compilers or to the preprocessor?
    fn is_for_compilers(&self, line: &[u8], layout: SourceLayout) -> bool;

    /// The line without what is certainly a comment.
    fn without_comment<'l>(&self, line: &'l str, layout: SourceLayout) -> &'l str;

    /// Do statements need lines of their own for something to be put before or behind them?
    fn lines_matter(&self) -> bool;

    /// How many bytes the integer has that plain numbers are of, when no compiler flag changes it. The new variables that count
    /// tiles are of that type, and so are lengths and ranks in calls of MPI.
    fn integer_bytes(&self) -> u32;

    /// The first subscript of an array whose declaration does not say it.
    fn first_subscript(&self) -> i64;

    /// Is what an argument leads to apart from all other names as soon as it is written (Fortran 2018, 15.5.2.13)? Else two arguments
    /// may be the same memory, unless all calls are known.
    fn written_arguments_are_apart(&self) -> bool;

    /// Is what is handed over for a message its address, whatever expression that is? Else a copy may be.
    fn hands_over_addresses(&self) -> bool;

    /// Does a message end with the section of an array that is handed over for it (Fortran 2018, 15.5.2.11)?
    fn message_ends_with_section(&self) -> bool;

    /// Is the last value of a counted loop computed once, before its first iteration?
    fn loop_bounds_are_read_once(&self) -> bool;

    /// Do calls of the runtime look at kind and rank of their arguments?
    fn calls_check_arguments(&self) -> bool;

    /// Do compilers compute the function, or the operator, with other last bits in vectors than one by one, with the flags that
    /// programs are built with?
    fn has_vector_version(&self, function: &str) -> bool;

    /// Has the function one value, to the last bit, for each of its arguments, whatever instructions compute it? Functions of integers
    /// have one anyway.
    fn has_one_value(&self, function: &str) -> bool;

    /// Does a loop that is computed in parts, one after the other, give the values that it gives as a whole, whatever floating-point
    /// numbers it carries from one iteration to the next, and wherever the parts end?
    fn parts_compute_alike(&self) -> bool;

    /// Has every element of an array a value before it is first read, and does an access outside of an array end the program? Then
    /// the emitted code looks at run time whether what a loop touches of a message is inside of it.
    fn has_safe_memory(&self) -> bool;

    /// Is no variable that the front end calls an integer ever negative? (They are those that count elements.)
    fn integers_are_counts(&self) -> bool;

    /// What linkers call an external procedure of this name; nothing where that is the name itself.
    fn label(&self, _external: &str) -> Option<String> {
        None
    }

    /// Has gravelc something that writes it? Else no call in a program that has files of it can convert.
    fn is_written(&self) -> bool;

    /// Does the wait for a message tell of an error that its post had, where the post stands somewhere else than the program's call?
    fn posts_keep_errors(&self) -> bool;

    /// Does what writes it write this, too?
    fn writes(&self, form: Form) -> bool;
}

/// What plans ask of those who write a language, besides calls in the places of calls and loops over tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A loop over the parts of a loop.
    SplitLoop,
    /// A variable that several procedures see.
    SharedVariable,
    /// Statements of the program once more, with other variables.
    EarlyComputation,
    /// A message from where it lies, in the place of its copy.
    DroppedCopy,
    /// The halves of an exchange of everyone with everyone.
    Exchange,
    /// A call of MPI in the place of the call of a procedure that makes it.
    UnwrappedCall,
    /// Procedures that are made of parts of others.
    PartsOfProcedures,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_answers_as_its_standard_does() {
        let fortran = Language::Fortran.dialect();
        assert!(fortran.is_same_name(b"Grid", b"gRID") && !fortran.is_same_name(b"grid", b"grids"));
        assert!(fortran.is_comment_line(b"  ! text", SourceLayout::Free));
        assert!(!fortran.is_comment_line(b"c text", SourceLayout::Free));
        assert!(fortran.is_comment_line(b"c text", SourceLayout::Fixed { columns: 72 }));
        assert!(fortran.is_for_compilers(b"!$omp do", SourceLayout::Free));
        assert!(fortran.has_vector_version("sin") && fortran.has_vector_version("**"));
        assert!(!fortran.has_vector_version("sqrt"));
        assert!(fortran.has_one_value("sqrt") && !fortran.has_one_value("max") && !fortran.has_one_value("sin"));
        assert!(["call", "min", "mpi_comm_world", "gravel_s1"].iter().all(|word| fortran.may_be_written(word)));
        assert!(["CALL", "MPI_COMM_WORLD", "rank"].iter().all(|word| !fortran.may_be_written(word)));
    }

    #[test]
    fn comments_are_left_out_where_they_are_certain() {
        let (fortran, fixed) = (Language::Fortran.dialect(), SourceLayout::Fixed { columns: 72 });
        assert_eq!(fortran.without_comment("x = y ! z", SourceLayout::Free), "x = y ");
        assert_eq!(fortran.without_comment("x = 'a!b'", SourceLayout::Free), "x = 'a!b'");
        assert_eq!(fortran.without_comment("c a comment", fixed), "");
        assert_eq!(fortran.without_comment("call f", SourceLayout::Free), "call f");
    }

    #[test]
    fn another_language_gives_other_answers() {
        let (one, other) = (Language::Fortran.dialect(), Language::Opposite.dialect());
        assert_ne!(one.component_separator(), other.component_separator());
        assert_ne!(one.is_same_name(b"a", b"A"), other.is_same_name(b"a", b"A"));
        assert_ne!(one.integer_bytes(), other.integer_bytes());
        assert_ne!(one.first_subscript(), other.first_subscript());
        type Question = fn(&dyn Dialect) -> bool;
        let questions: [Question; 7] = [
            |it| it.is_written(),
            |it| it.writes(Form::SplitLoop),
            |it| it.lines_matter(),
            |it| it.written_arguments_are_apart(),
            |it| it.message_ends_with_section(),
            |it| it.loop_bounds_are_read_once(),
            |it| it.calls_check_arguments(),
        ];
        assert!(questions.iter().all(|question| question(one) && !question(other)));
    }
}
