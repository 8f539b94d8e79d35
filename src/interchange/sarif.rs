//! SARIF 2.1.0, the format in which code-scanning pages read findings: the part of it that an audit needs.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;

use crate::model::text_enum::text_enum;
use crate::model::{CommitHash, ExecutionId, IssueId, SolutionId};

/// The address by which editors recognize the format.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const VERSION: &str = "2.1.0";

/// What a path must not have unencoded as a relative reference: everything that RFC 3986 does not allow in a segment, and
/// the colon, before which a scheme would be read.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A file with the results of one run of this program.
#[derive(Debug, Serialize)]
pub(crate) struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: Identified,
    invocations: [Invocation; 1],
    original_uri_base_ids: BTreeMap<Base, UriBase>,
    column_kind: &'static str,
    results: Vec<Result>,
    properties: RunProperties,
}

/// The counts of an audit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunProperties {
    /// The range that was audited.
    pub(crate) range: String,
    /// Its commits.
    pub(crate) commit_count: usize,
    /// How many of them an execution links.
    pub(crate) bound_count: usize,
    /// The tasks of the plans that were executed in it.
    pub(crate) task_count: usize,
    /// How many of them have evidence.
    pub(crate) evidenced_count: usize,
}

/// What paths are relative to.
#[derive(Debug, Serialize)]
struct UriBase {
    description: SarifMessage,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<SarifRule>,
}

#[derive(Debug, Serialize)]
struct Identified {
    id: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
}

/// A kind of finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifRule {
    id: &'static str,
    short_description: SarifMessage,
}

/// A finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Result {
    /// The id of its rule.
    pub(crate) rule_id: &'static str,
    /// The index of the rule in the list.
    pub(crate) rule_index: usize,
    /// How bad it is.
    pub(crate) level: Level,
    /// What was found.
    pub(crate) message: SarifMessage,
    /// The locations. Code-scanning pages show nothing without one.
    pub(crate) locations: Vec<SarifLocation>,
    /// Equal in two runs for the same finding.
    pub(crate) partial_fingerprints: Fingerprints,
    /// What has no field of its own.
    pub(crate) properties: ResultProperties,
}

/// Hashes that identify a finding.
#[derive(Debug, Serialize)]
pub(crate) struct Fingerprints {
    /// Over what it says and is about.
    #[serde(rename = "gitWfFinding/v1")]
    pub(crate) finding: String,
}

#[serde_with::skip_serializing_none]
/// What a finding is about.
#[derive(Debug, Serialize)]
pub(crate) struct ResultProperties {
    /// The commit.
    pub(crate) commit: Option<CommitHash>,
    /// The issue.
    pub(crate) issue: Option<IssueId>,
    /// The plan.
    pub(crate) solution: Option<SolutionId>,
    /// The execution.
    pub(crate) execution: Option<ExecutionId>,
}

text_enum!(
    /// How bad a finding is.
    Level {
        /// It must not be so.
        Error = "error",
        /// It is worth knowing.
        Note = "note",
    }
);

/// A text.
#[derive(Debug, Serialize)]
pub(crate) struct SarifMessage {
    text: String,
}

impl<T: Into<String>> From<T> for SarifMessage {
    fn from(text: T) -> Self {
        Self { text: text.into() }
    }
}

text_enum!(
    /// What paths are relative to.
    Base {
        /// The top of the work tree, under the name that code-scanning pages know.
        WorkTree = "%SRCROOT%",
        /// The tree of the ref of the store.
        Store = "WFREF",
    }
);

impl Base {
    fn about(self) -> &'static str {
        match self {
            Self::WorkTree => "The top of the work tree.",
            Self::Store => "The tree of the ref that holds issues and plans.",
        }
    }
}

/// A file that a result is about.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifLocation {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    uri_base_id: Base,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

impl SarifRule {
    /// A rule and what it finds.
    pub(crate) fn new(id: &'static str, about: &'static str) -> Self {
        Self { id, short_description: about.into() }
    }
}

impl SarifLocation {
    /// A whole file. Code-scanning pages need a line, so it is the first.
    pub(crate) fn file(base: Base, path: &str) -> Self {
        let uri = utf8_percent_encode(path, NOT_IN_PATHS).to_string();
        let artifact_location = ArtifactLocation { uri, uri_base_id: base };
        Self { physical_location: PhysicalLocation { artifact_location, region: Region { start_line: 1 } } }
    }
}

impl SarifLog {
    /// The results of a run, with all rules.
    pub(crate) fn new(rules: Vec<SarifRule>, results: Vec<Result>, properties: RunProperties) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let run = Run {
            tool: Tool { driver: Driver { name: "git-wf", version, semantic_version: version, rules } },
            automation_details: Identified { id: "git-wf/audit/" },
            invocations: [Invocation { execution_successful: true }],
            original_uri_base_ids: Base::ALL
                .iter()
                .map(|base| (*base, UriBase { description: base.about().into() }))
                .collect(),
            column_kind: "unicodeCodePoints",
            results,
            properties,
        };
        Self { schema: SCHEMA, version: VERSION, runs: [run] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_reference() {
        let uri =
            |path: &str| SarifLocation::file(Base::WorkTree, path).physical_location.artifact_location.uri;
        assert_eq!(uri("src/my file#1.rs"), "src/my%20file%231.rs");
        assert_eq!(uri("c:/100%/ü?.rs"), "c%3A/100%25/%C3%BC%3F.rs");
    }
}
