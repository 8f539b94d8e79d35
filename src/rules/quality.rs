//! The quality of a plan, as far as it can be counted: four parts with the weights below, each the share of the checked
//! fields, tasks or criteria that have no finding. Whether the plan is right is for a reviewer to judge.

use schemars::JsonSchema;
use serde::Serialize;

/// A plan below this can be bound only with `--force`.
pub(crate) const LEAST: f64 = 0.8;

/// One part of the quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QualityPart {
    /// The tasks are complete.
    CompleteTasks,
    /// Tasks depend only on existing tasks, and not on themselves.
    LegalDependencies,
    /// Whether a task is done can be checked.
    TestableAcceptance,
    /// The planner considered the risks.
    RiskImpactComplexity,
}

impl QualityPart {
    /// All parts, in the order in which they are shown.
    pub(crate) const ALL: [Self; 4] =
        [Self::CompleteTasks, Self::LegalDependencies, Self::TestableAcceptance, Self::RiskImpactComplexity];

    /// Its weight; all weights add up to 1.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Self::CompleteTasks | Self::TestableAcceptance => 0.3,
            Self::LegalDependencies | Self::RiskImpactComplexity => 0.2,
        }
    }

    /// A description.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CompleteTasks => "complete tasks",
            Self::LegalDependencies => "valid dependencies",
            Self::TestableAcceptance => "testable criteria",
            Self::RiskImpactComplexity => "risk, impact, complexity",
        }
    }

    /// What is counted, for the documentation.
    #[cfg(test)]
    pub(crate) fn counted(self) -> &'static str {
        match self {
            Self::CompleteTasks => {
                "five fields of each task: title, action, implementation, test, and acceptance or convergence"
            }
            Self::LegalDependencies => "depends_on of each task",
            Self::TestableAcceptance => {
                "each criterion; a task without criteria, or whose verification is missing or too short, counts as one \
                 more with a finding"
            }
            Self::RiskImpactComplexity => "risk, impact and complexity of the analysis",
        }
    }
}

/// The counts: for each part, everything that was checked, with the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Quality {
    counted: [Vec<QualityResult>; QualityPart::ALL.len()],
}

/// The result for one field, task or criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QualityResult {
    /// No finding.
    Sound,
    /// A finding, by its number; none if it is beyond the list.
    Spoilt(Option<usize>),
}

/// One part, as shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PartScore {
    /// The part.
    pub(crate) part: QualityPart,
    /// Its weight.
    pub(crate) weight: f64,
    /// The share without findings, 0 to 1; 0 if there is nothing to check.
    pub(crate) share: f64,
    /// The weight times the share.
    pub(crate) score: f64,
}

impl Quality {
    /// Counts one thing.
    pub(crate) fn count(&mut self, part: QualityPart, seen: QualityResult) {
        self.counted[part as usize].push(seen);
    }

    fn share(&self, part: QualityPart) -> f64 {
        let all = &self.counted[part as usize];
        let sound = all.iter().filter(|seen| **seen == QualityResult::Sound).count();
        if all.is_empty() { 0.0 } else { sound as f64 / all.len() as f64 }
    }

    /// 0 to 1, rounded down to hundredths, so that what is shown is what the gate compares.
    pub(crate) fn total(&self) -> f64 {
        let exact: f64 = QualityPart::ALL.iter().map(|part| part.weight() * self.share(*part)).sum();
        ((exact + 1e-9) * 100.0).floor() / 100.0
    }

    /// Whether it is enough to bind the plan.
    pub(crate) fn suffices(&self) -> bool {
        self.total() >= LEAST
    }

    /// The parts, rounded to thousandths.
    pub(crate) fn parts(&self) -> Vec<PartScore> {
        QualityPart::ALL
            .iter()
            .map(|part| PartScore {
                part: *part,
                weight: part.weight(),
                share: rounded(self.share(*part)),
                score: rounded(part.weight() * self.share(*part)),
            })
            .collect()
    }

    /// What each of `findings` findings takes from the total.
    pub(crate) fn costs(&self, findings: usize) -> Vec<f64> {
        let mut costs = vec![0.0; findings];
        for part in QualityPart::ALL {
            let all = &self.counted[part as usize];
            for seen in all {
                if let QualityResult::Spoilt(Some(finding)) = seen
                    && let Some(cost) = costs.get_mut(*finding)
                {
                    *cost += part.weight() / all.len() as f64;
                }
            }
        }
        costs
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_one_whole() {
        assert!((QualityPart::ALL.iter().map(|part| part.weight()).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(Quality::default().total(), 0.0);
    }

    #[test]
    fn what_findings_cost_and_what_is_left_make_one() {
        let mut quality = Quality::default();
        for part in QualityPart::ALL {
            quality.count(part, QualityResult::Sound);
            quality.count(part, QualityResult::Sound);
        }
        assert_eq!(quality.total(), 1.0);
        quality.count(QualityPart::TestableAcceptance, QualityResult::Spoilt(Some(1)));
        assert_eq!(quality.total(), 0.9);
        quality.count(QualityPart::CompleteTasks, QualityResult::Spoilt(Some(0)));
        quality.count(QualityPart::CompleteTasks, QualityResult::Spoilt(Some(1)));
        let costs = quality.costs(2);
        assert!((costs[0] - 0.075).abs() < 1e-9 && (costs[1] - 0.175).abs() < 1e-9);
        assert_eq!(quality.total(), 0.75);
        assert!(!quality.suffices());
    }

    /// Losing a third of 0.3 leaves exactly 0.9 despite floating point, and the threshold is exactly 0.8.
    #[test]
    fn thirds_do_not_cost_a_hundredth_more() {
        let mut quality = Quality::default();
        for part in QualityPart::ALL {
            quality.count(part, QualityResult::Sound);
            quality.count(part, QualityResult::Sound);
            let last = if part == QualityPart::TestableAcceptance {
                QualityResult::Spoilt(None)
            } else {
                QualityResult::Sound
            };
            quality.count(part, last);
        }
        assert_eq!(quality.total(), 0.9);
        quality.count(QualityPart::TestableAcceptance, QualityResult::Spoilt(None));
        quality.count(QualityPart::TestableAcceptance, QualityResult::Spoilt(None));
        quality.count(QualityPart::TestableAcceptance, QualityResult::Spoilt(None));
        assert_eq!(quality.total(), 0.8);
        assert!(quality.suffices());
    }
}
