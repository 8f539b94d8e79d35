//! The words for output settings on the command line.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::ui::Color;

impl ValueEnum for Color {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Auto, Self::Always, Self::Never]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }))
    }
}
