//! How large a plan is, by the files it touches and the number of its tasks. The planner's own opinion is in the plan's
//! `analysis`.

use crate::model::{Plan, text_enum};

text_enum!(
    /// How large a plan is, smallest first.
    Complexity {
        /// At most 2 files and 3 tasks.
        Low = "low",
        /// At most 5 files and 6 tasks.
        Medium = "medium",
        /// More.
        High = "high",
    }
);

/// The greater of the two sizes by files and by tasks: up to 2 files or 3 tasks are low, up to 5 files or 6 tasks are
/// medium.
pub(crate) fn by_size(files: usize, tasks: usize) -> Complexity {
    level(files, 2, 5).max(level(tasks, 3, 6))
}

fn level(number: usize, low: usize, medium: usize) -> Complexity {
    match number {
        n if n <= low => Complexity::Low,
        n if n <= medium => Complexity::Medium,
        _ => Complexity::High,
    }
}

/// How large this plan is.
pub(crate) fn of_plan(plan: &Plan) -> Complexity {
    by_size(plan.touches().len(), plan.tasks.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_of_the_rule() {
        use Complexity::{High, Low, Medium};
        for (files, tasks, complexity) in [
            (0, 1, Low),
            (1, 1, Low),
            (2, 3, Low),
            (2, 4, Medium),
            (3, 3, Medium),
            (5, 6, Medium),
            (6, 5, High),
            (5, 7, High),
            (1, 10, High),
            (20, 1, High),
        ] {
            assert_eq!(by_size(files, tasks), complexity, "{files} files, {tasks} tasks");
        }
    }
}
