//! Plans as files: what was decided about a whole program, for builds that compile its files one by one.
//!
//! A plan holds for the sources that it was made from and for no others: a send is converted only because of what all
//! the other files say. So any change of any of them, and of what they include, is an error.
//!
//! There are two ways to carry a plan out. A build needs the text of a file or two for each of its commands: the plan has it, and
//! nothing is read but the files' bytes ([`build`]). Whoever wants to see what was decided needs the program, too, which is
//! read again ([`program`]). What a file says is in [`document`].

mod build;
mod document;
mod program;

pub(super) use self::build::PlannedBuild;
pub(super) use self::document::text_of;
pub(super) use self::program::PlannedProgram;
