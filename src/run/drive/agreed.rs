//! Whether the test commands of a plan may be run here.

use super::Driver;
use crate::model::SolutionId;
use crate::ops::Refusal;
use crate::run::agreed;

impl Driver<'_> {
    /// Why the tests of a plan may not be run; none if someone agreed to all of them.
    pub(super) fn refused(&mut self, solution: &SolutionId) -> Result<Option<Refusal>, Refusal> {
        agreed::refused(self.session, self.watch, solution)
    }
}
