//! What an error tells a user beyond its message.

use super::Remedies;
use crate::model::Code;

/// Every error that can reach a user has a code and, if anything can be done, a hint.
pub(crate) trait Explain: std::error::Error {
    /// A stable word for scripts, in kebab case: `not-found`, `ambiguous-id`.
    fn code(&self) -> Code;

    /// What to do about it.
    fn remedies(&self) -> Remedies {
        Remedies::none()
    }
}
