//! Findings in the words of someone who wrote the plan with options or as a text.

use super::PlanFinding;

/// The options by the fields that they fill.
const OPTIONS: [(&str, &str); 12] = [
    ("description", "-m"),
    ("analysis.risk", "--risk"),
    ("analysis.impact", "--impact"),
    ("analysis.complexity", "--complexity"),
    ("title", "--task"),
    ("implementation", "--step"),
    ("acceptance.criteria", "--done-when"),
    ("acceptance.verification", "--verify"),
    ("test.commands", "--test"),
    ("modification_points", "--path"),
    ("files", "--path"),
    ("depends_on", "--after"),
];

impl PlanFinding {
    /// The finding with the option that it is about: `T1 --step: …` instead of `tasks[0].implementation: …`.
    pub(crate) fn in_options(&self) -> String {
        let (task, field) = match self.path.strip_prefix("tasks[").and_then(|rest| rest.split_once("].")) {
            Some((number, field)) => (number.parse::<usize>().ok().map(|number| number + 1), field),
            None => (None, self.path.as_str()),
        };
        let Some((_, option)) = OPTIONS.iter().find(|(name, _)| field.starts_with(name)) else {
            return self.to_string();
        };
        let task = task.map(|number| format!("T{number} ")).unwrap_or_default();
        format!("{task}{option}: expected {}; found {}", self.allowed, self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PlanSetting;
    use crate::rules::plan_check::examine;
    use crate::rules::plan_text::{PlanText, TaskText};

    #[test]
    fn findings_name_the_options_of_the_plan() {
        let task = TaskText { title: "Split on any white space".into(), ..TaskText::default() };
        let plan = PlanText { description: "Split".into(), tasks: vec![task], ..PlanText::default() };
        let report = examine(&plan.plan(), PlanSetting::default());
        let said: Vec<String> = report.findings.iter().map(PlanFinding::in_options).collect();
        for option in ["T1 --step: ", "T1 --verify: ", "T1 --test: ", "--risk: "] {
            assert!(said.iter().any(|line| line.starts_with(option)), "{option}: {said:#?}");
        }
        assert!(said.iter().all(|line| !line.contains("tasks[")), "{said:#?}");
    }
}
