//! The findings of an explorer, as planners, reviewers and later explorers get them.

use schemars::JsonSchema;
use serde::Serialize;

use super::bounded::LONGEST;
use super::{Cut, Omission};
use crate::model::exploration::RelevantFile;
use crate::model::{Depth, Explored, Extent, Other, Person, RemedyCall, Time};
use crate::rules::IssueFolder;

/// The latest exploration of an issue, as an agent gets it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ExplorationContext {
    /// How deep the explorer looked.
    pub(crate) depth: Depth,
    /// Files that matter, the most important first.
    pub(crate) relevant_files: Vec<RelevantFile>,
    /// What the work depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) dependencies: Vec<String>,
    /// How far a change reaches.
    pub(crate) impact_scope: Extent,
    /// How the code already does similar things.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) existing_patterns: Vec<String>,
    /// Commits, issues or plans that touched the same code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_changes: Vec<String>,
    /// What a planner must know.
    pub(crate) key_findings: Vec<String>,
    /// How hard the work is.
    pub(crate) complexity_assessment: Extent,
    /// Who explored.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
}

/// The latest exploration; `None` if there is none.
pub(crate) fn context_of(folder: &IssueFolder) -> Option<(ExplorationContext, Option<Omission>)> {
    let latest: &Explored = folder.explorations.last()?;
    let found = &latest.found;
    let mut cut = Cut::at(LONGEST);
    let mut texts = |list: &[String]| {
        let first = cut.first(list.iter().collect());
        first.into_iter().map(|text| cut.text(text)).collect::<Vec<String>>()
    };
    let dependencies = texts(&found.dependencies);
    let existing_patterns = texts(&found.existing_patterns);
    let related_changes = texts(&found.related_changes);
    let key_findings = texts(&found.key_findings);
    let files = cut.first(found.relevant_files.iter().collect());
    let relevant_files = files
        .into_iter()
        .map(|file| RelevantFile { rationale: cut.some(file.rationale.as_deref()), ..file.clone() })
        .collect();
    let context = ExplorationContext {
        depth: latest.depth,
        relevant_files,
        dependencies,
        impact_scope: found.impact_scope,
        existing_patterns,
        related_changes,
        key_findings,
        complexity_assessment: found.complexity_assessment,
        author: latest.author.clone(),
        created_at: latest.created_at,
    };
    let id = &folder.issue.record.id;
    Some((context, cut.left_out("exploration", RemedyCall::new(Other::Show, [id]).flag("json"))))
}
