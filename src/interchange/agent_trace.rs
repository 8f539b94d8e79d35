//! Agent Trace 0.1, an open format that says which lines an agent wrote: <https://agent-trace.dev>.

use std::ops::RangeInclusive;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::model::{
    CommitHash, ExecutionId, IssueId, LinkedBy, MadeBy, Person, SolutionId, TaskId, Time, typed,
};

/// The schema requires exactly two numbers.
const VERSION: &str = "0.1";
/// The longest name of a model that the schema allows, in characters.
const LONGEST_MODEL: usize = 250;

/// The lines that one commit added, and who wrote them.
#[derive(Debug, Serialize)]
pub(crate) struct TraceRecord {
    version: &'static str,
    id: String,
    timestamp: String,
    vcs: Vcs,
    tool: Tool,
    files: Vec<File>,
    metadata: TraceMetadata,
}

/// What other programs may add to a record.
#[derive(Debug, Serialize)]
struct TraceMetadata {
    #[serde(rename = "git-wf")]
    work: Vec<TracedWork>,
}

#[serde_with::skip_serializing_none]
/// What the store knows about the work, and the format has no fields for.
#[derive(Debug, Serialize)]
pub(crate) struct TracedWork {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The task, if it is known.
    pub(crate) task_id: Option<TaskId>,
    /// The execution that links the commit.
    pub(crate) execution_id: ExecutionId,
    /// Who executed it.
    pub(crate) actor: Person,
    /// How the commit was linked.
    pub(crate) linked_by: Option<LinkedBy>,
    /// The agent at work when the commit was linked.
    pub(crate) made_by: Option<MadeBy>,
}

#[derive(Debug, Serialize)]
struct Vcs {
    r#type: &'static str,
    revision: String,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// A file, with the executions that added lines to it.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    /// The path, from the top of the work tree.
    pub(crate) path: String,
    /// One for each execution that links the commit.
    pub(crate) conversations: Vec<TraceConversation>,
}

/// Lines that one execution added.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TraceConversation {
    contributor: Contributor,
    ranges: Vec<Range>,
    related: Vec<Related>,
}

#[derive(Debug, Clone, Serialize)]
struct Contributor {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Range {
    start_line: u64,
    end_line: u64,
}

#[derive(Debug, Clone, Serialize)]
struct Related {
    r#type: &'static str,
    url: String,
}

impl TraceRecord {
    /// Equal commits with equal work get equal records.
    pub(crate) fn new(commit: &CommitHash, at: Time, files: Vec<File>, work: Vec<TracedWork>) -> Self {
        let metadata = TraceMetadata { work };
        let vcs = Vcs { r#type: "git", revision: commit.to_string() };
        let tool = Tool { name: "git-wf", version: env!("CARGO_PKG_VERSION") };
        let id = id(&format!("{commit}\0{}", typed::own_json(&metadata)));
        Self { version: VERSION, id, timestamp: at.to_string(), vcs, tool, files, metadata }
    }
}

/// Who wrote lines.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TracedWriter<'a> {
    /// An agent, with its model if that is known.
    Agent { model: Option<&'a str> },
    /// A person, or an agent that did not say so.
    Unknown,
}

impl TraceConversation {
    /// Lines written for an issue and a plan.
    pub(crate) fn new(
        writer: TracedWriter<'_>,
        ranges: &[RangeInclusive<u64>],
        issue: &IssueId,
        plan: &SolutionId,
    ) -> Self {
        let (r#type, model) = match writer {
            TracedWriter::Agent { model } => ("ai", model),
            TracedWriter::Unknown => ("unknown", None),
        };
        let model = model.filter(|model| model.chars().count() <= LONGEST_MODEL);
        let related = |r#type, url| Related { r#type, url };
        Self {
            contributor: Contributor { r#type, model_id: model.map(str::to_owned) },
            ranges: ranges
                .iter()
                .map(|range| Range { start_line: *range.start(), end_line: *range.end() })
                .collect(),
            // URIs of resources that `git wf mcp` serves.
            related: vec![
                related("issue", format!("wf://issue/{issue}")),
                related("plan", format!("wf://plan/{plan}")),
            ],
        }
    }
}

/// A version 8 UUID, made from a hash, so that the same input always gives the same id.
fn id(of: &str) -> String {
    let hash = Sha256::digest(format!("git-wf agent-trace {VERSION}\0{of}"));
    let mut bytes: Vec<u8> = hash.iter().take(16).copied().collect();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = crate::model::digest::hex(&bytes);
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_uuid_that_depends_on_the_content() {
        let one = id("a");
        assert_eq!((one.len(), one.as_bytes()[14], id("a") == one, id("b") == one), (36, b'8', true, false));
        assert!(matches!(one.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{one}");
        assert!([8, 13, 18, 23].iter().all(|at| one.as_bytes()[*at] == b'-'), "{one}");
    }
}
