//! How good the work of a run is: four dimensions that can be counted, and what their scores mean.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{ExecutionStatus, SolutionId, text_enum};
use crate::rules::{ExecutionFolder, IssueFolder, audit, evidence, plan_check};

/// From this score on, work passes.
const PASS: usize = 80;
/// From this score on, a person should look at it; below, it fails.
const REVIEW: usize = 60;

text_enum!(
    /// Whether a score passes.
    QualityGate {
        /// 80 or more.
        Pass = "pass",
        /// 60 to 79: a person should look at it.
        Review = "review",
        /// Less than 60.
        Fail = "fail",
    }
);

text_enum!(
    /// One side of quality.
    QualityDimension {
        /// The share of issues that reached the goal of the run.
        Completeness = "completeness",
        /// The share of changed files that the plans name.
        Consistency = "consistency",
        /// The share of the plans' test commands whose last check passed, of those that were due.
        Correctness = "correctness",
        /// The measured quality of the plans: complete tasks, valid dependencies, testable criteria, risks.
        Clarity = "clarity",
    }
);

/// The quality of the work of a run.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RunQuality {
    /// The average of the known scores, rounded down; absent if nothing can be counted.
    pub(crate) score: Option<usize>,
    /// Whether the work passes: never better than the worst dimension, since three good ones do not make up for it.
    pub(crate) gate: Option<QualityGate>,
    /// The four dimensions.
    pub(crate) dimensions: Vec<DimensionScore>,
    #[serde(skip)]
    counts: [(usize, usize); 4],
}

/// The score of one dimension.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DimensionScore {
    /// The dimension.
    pub(crate) dimension: QualityDimension,
    /// 0 to 100, rounded down; absent if there is nothing to count.
    pub(crate) score: Option<usize>,
    /// Whether that passes.
    pub(crate) gate: Option<QualityGate>,
    /// What was counted.
    pub(crate) counted: String,
}

/// What counts for the quality of an issue.
pub(super) struct GateFacts<'a> {
    /// Whether it came as far as the run was to bring it.
    pub(super) has_arrived: bool,
    pub(super) solution: Option<(&'a IssueFolder, &'a SolutionId)>,
    /// Its last execution in the run.
    pub(super) last: Option<&'a ExecutionFolder>,
}

/// `1 issue`, `2 issues`.
fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// Whether a score passes.
fn gate(score: usize) -> QualityGate {
    match score {
        PASS.. => QualityGate::Pass,
        REVIEW.. => QualityGate::Review,
        _ => QualityGate::Fail,
    }
}

impl RunQuality {
    /// Counts an issue.
    pub(super) fn count(&mut self, seen: &GateFacts<'_>) {
        self.add(QualityDimension::Completeness, usize::from(seen.has_arrived), 1);
        let Some(plan) = seen.solution.and_then(|(folder, id)| folder.solution(id)) else { return };
        let clarity = (plan_check::quality(&plan.plan).total() * 100.0).round();
        // A share of 100 is between 0 and 100.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        self.add(QualityDimension::Clarity, clarity as usize, 100);
        let Some(execution) = seen.last else { return };
        let typed = plan.typed_plan();
        let work = execution.work();
        let files: BTreeSet<&str> =
            work.iter().flat_map(|work| &work.link.files).map(String::as_str).collect();
        let paths = audit::named(&typed);
        let named = files.iter().filter(|file| paths.holds(file)).count();
        self.add(QualityDimension::Consistency, named, files.len());
        let checks = execution.last_checks();
        // If the work failed before its tests, they say nothing about it.
        if checks.is_empty() && execution.outcome() != ExecutionStatus::Completed {
            return;
        }
        let commands = evidence::commands(&typed);
        self.add(
            QualityDimension::Correctness,
            commands
                .iter()
                .filter(|(task, command)| {
                    checks.iter().any(|(check, _)| {
                        check.has_passed()
                            && check.command == *command
                            && check.task_id.as_ref().is_none_or(|id| id == *task)
                    })
                })
                .count(),
            commands.len(),
        );
    }

    fn add(&mut self, dimension: QualityDimension, good: usize, all: usize) {
        let count = &mut self.counts[dimension as usize];
        count.0 += good;
        count.1 += all;
    }

    /// The scores of what was counted.
    pub(super) fn judged(self) -> Self {
        let score = |dimension: &QualityDimension| {
            let (good, all) = self.counts[*dimension as usize];
            let score = (good * 100).checked_div(all);
            let counted = match dimension {
                QualityDimension::Completeness => format!("{good} of {} completed", count(all, "issue")),
                QualityDimension::Consistency => {
                    format!("{good} of {} named by the plans", count(all, "changed file"))
                }
                QualityDimension::Correctness => format!("{good} of {} passed", count(all, "test command")),
                QualityDimension::Clarity => format!("the measured quality of {}", count(all / 100, "plan")),
            };
            DimensionScore { dimension: *dimension, score, gate: score.map(gate), counted }
        };
        let dimensions: Vec<DimensionScore> = QualityDimension::ALL.iter().map(score).collect();
        let known: Vec<usize> = dimensions.iter().filter_map(|dimension| dimension.score).collect();
        let score = known.iter().sum::<usize>().checked_div(known.len());
        let worst = known.iter().min().copied();
        Self { score, gate: worst.map(gate), dimensions, counts: self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gates_are_at_80_and_60() {
        for (score, word) in
            [(100, "pass"), (80, "pass"), (79, "review"), (60, "review"), (59, "fail"), (0, "fail")]
        {
            assert_eq!(gate(score).as_str(), word, "{score}");
        }
    }

    #[test]
    fn the_worst_dimension_decides_the_gate() {
        let mut quality = RunQuality::default();
        quality.add(QualityDimension::Completeness, 1, 2);
        quality.add(QualityDimension::Correctness, 3, 3);
        quality.add(QualityDimension::Clarity, 200, 200);
        let judged = quality.judged();
        assert_eq!((judged.score, judged.gate), (Some(83), Some(QualityGate::Fail)));
    }

    #[test]
    fn what_cannot_be_counted_does_not_count() {
        let mut quality = RunQuality::default();
        for has_arrived in [true, true, false] {
            quality.count(&GateFacts { has_arrived, solution: None, last: None });
        }
        let judged = quality.judged();
        assert_eq!((judged.score, judged.gate), (Some(66), Some(QualityGate::Review)));
        let scores: Vec<Option<usize>> = judged.dimensions.iter().map(|dimension| dimension.score).collect();
        assert_eq!(scores, [Some(66), None, None, None]);
        assert_eq!(judged.dimensions[0].counted, "2 of 3 issues completed");
        assert_eq!(RunQuality::default().judged().score, None);
    }
}
