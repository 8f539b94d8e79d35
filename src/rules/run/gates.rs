//! How good the work of a run is: four dimensions that can be counted, and what their scores mean.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::state::IssueStage;
use crate::model::id::SolutionId;
use crate::model::text_enum;
use crate::rules::audit;
use crate::rules::evidence;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::plan_check;

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
        /// The share of issues that were completed.
        Completeness = "completeness",
        /// The share of changed files that the plans name.
        Consistency = "consistency",
        /// The share of the plans' test commands whose last check passed.
        Correctness = "correctness",
        /// The measured quality of the plans: complete tasks, legal dependencies, testable acceptance, risks.
        Clarity = "clarity",
    }
);

/// The quality of the work of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RunQuality {
    /// The average of the known scores, rounded down; absent if nothing can be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<usize>,
    /// Whether that passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gate: Option<QualityGate>,
    /// The four dimensions.
    pub(crate) dimensions: Vec<DimensionScore>,
    #[serde(skip)]
    counts: [(usize, usize); 4],
}

/// The score of one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DimensionScore {
    /// The dimension.
    pub(crate) dimension: QualityDimension,
    /// 0 to 100, rounded down; absent if there is nothing to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<usize>,
    /// Whether that passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gate: Option<QualityGate>,
    /// What was counted.
    pub(crate) counted: String,
}

/// What counts for the quality of an issue.
pub(super) struct Seen<'a> {
    pub(super) stage: IssueStage,
    pub(super) solution: Option<(&'a IssueFolder, &'a SolutionId)>,
    /// Its last execution in the run.
    pub(super) last: Option<&'a ExecutionFolder>,
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
    pub(super) fn count(&mut self, seen: &Seen<'_>) {
        self.add(QualityDimension::Completeness, usize::from(seen.stage == IssueStage::Completed), 1);
        let Some(plan) = seen.solution.and_then(|(folder, id)| folder.solution(id)) else { return };
        let clarity = (plan_check::quality(&plan.plan).total() * 100.0).round();
        // A share of 100 is between 0 and 100.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        self.add(QualityDimension::Clarity, clarity as usize, 100);
        let Some(execution) = seen.last else { return };
        let typed = plan.typed_plan();
        let work = execution.work();
        let files: BTreeSet<&str> = work.iter().flat_map(|it| &it.link.files).map(String::as_str).collect();
        let named = files.iter().filter(|file| audit::names(&typed, file)).count();
        self.add(QualityDimension::Consistency, named, files.len());
        let checks = execution.last_checks();
        let has_passed = |(task, command): &&(&str, &str)| {
            checks.iter().any(|(check, _)| {
                check.exit_code == Some(0)
                    && check.command == *command
                    && check.task_id.as_deref().is_none_or(|id| id == *task)
            })
        };
        let commands = evidence::commands(&typed);
        self.add(QualityDimension::Correctness, commands.iter().filter(has_passed).count(), commands.len());
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
                QualityDimension::Completeness => format!("{good} of {all} issues were completed"),
                QualityDimension::Consistency => {
                    format!("{good} of {all} changed files are named by their plan")
                }
                QualityDimension::Correctness => format!("{good} of {all} test commands passed"),
                QualityDimension::Clarity => match all / 100 {
                    1 => "the measured quality of 1 plan".to_owned(),
                    plans => format!("the measured quality of {plans} plans"),
                },
            };
            DimensionScore { dimension: *dimension, score, gate: score.map(gate), counted }
        };
        let dimensions: Vec<DimensionScore> = QualityDimension::ALL.iter().map(score).collect();
        let known: Vec<usize> = dimensions.iter().filter_map(|it| it.score).collect();
        let score = known.iter().sum::<usize>().checked_div(known.len());
        Self { score, gate: score.map(gate), dimensions, counts: self.counts }
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
    fn what_cannot_be_counted_does_not_count() {
        let mut quality = RunQuality::default();
        for stage in [IssueStage::Completed, IssueStage::Completed, IssueStage::Failed] {
            quality.count(&Seen { stage, solution: None, last: None });
        }
        let judged = quality.judged();
        assert_eq!((judged.score, judged.gate), (Some(66), Some(QualityGate::Review)));
        let scores: Vec<Option<usize>> = judged.dimensions.iter().map(|it| it.score).collect();
        assert_eq!(scores, [Some(66), None, None, None]);
        assert_eq!(judged.dimensions[0].counted, "2 of 3 issues were completed");
        assert_eq!(RunQuality::default().judged().score, None);
    }
}
