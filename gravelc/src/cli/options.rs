//! Options that several subcommands take.

use clap::builder::PossibleValue;

use crate::plan::Transformation;

// `--only` and `--skip` take transformations by the names that reports show.
impl clap::ValueEnum for Transformation {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
