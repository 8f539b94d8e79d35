//! What an explorer found out about an issue before it is planned.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::declare::once;
use super::record::Members;
use super::text_enum::text_enum;
use super::{EntryId, IssueId, Once, Person, RunId, Time, typed};

text_enum!(
    /// How far something reaches, or how hard it is.
    Extent {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
    }
);

text_enum!(
    /// How deep an explorer looks.
    Depth {
        /// Find the files that the text is about.
        Search = "search",
        /// Also what uses them and what they use.
        Hybrid = "hybrid",
        /// Also how the parts work together, and what changed there before.
        Deep = "deep",
    }
);

once! {
    /// The context document of an issue, made by an explorer for planners and reviewers.
    // Other fields are refused in an answer, by its schema, but not here: a record may have those of a later version.
    Exploration {
        /// The issue.
        fact issue_id: IssueId,
        /// The issue as the explorer read it; the store's record takes precedence.
        #[serde(deserialize_with = "typed::any_or_none")]
        text issue: Option<Value> = default,
        /// Files that matter, the most important first.
        #[schemars(length(max = MOST))]
        text relevant_files: Vec<RelevantFile>,
        /// What the work depends on: modules, libraries, services, other issues.
        #[schemars(length(max = MOST))]
        text dependencies: Vec<String>,
        /// How far a change reaches.
        #[schemars(with = "AnyCase")]
        #[serde(deserialize_with = "any_case")]
        fact impact_scope: Extent,
        /// How the code already does similar things.
        #[schemars(length(max = MOST))]
        text existing_patterns: Vec<String>,
        /// Commits, issues or plans that touched the same code.
        #[schemars(length(max = MOST))]
        text related_changes: Vec<String> = default,
        /// What a planner must know.
        #[schemars(length(min = 1, max = MOST))]
        text key_findings: Vec<String>,
        /// How hard the work is.
        #[schemars(with = "AnyCase")]
        #[serde(deserialize_with = "any_case")]
        fact complexity_assessment: Extent,
        /// The explorer's remarks on its own work: tools, time, tokens.
        #[serde(deserialize_with = "typed::any_or_none")]
        text metadata as "_metadata": Option<Value> = default,
    }
}

impl Exploration {
    /// What it says, for a search: without what it only says about the issue, or about itself.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let files = self.relevant_files.iter().flat_map(|relevant_file| {
            [Some(relevant_file.path.as_str()), relevant_file.rationale.as_deref()]
        });
        let lists = [&self.key_findings, &self.existing_patterns, &self.dependencies, &self.related_changes];
        files.flatten().chain(lists.into_iter().flatten().map(String::as_str))
    }
}

/// The maximum length of a list; a longer one does not help.
const MOST: usize = 200;

/// An exploration of an issue, as it is stored. Written once.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Explored {
    /// The entry's id.
    pub(crate) id: EntryId,
    /// How deep the explorer was asked to look.
    pub(crate) depth: Depth,
    #[serde(flatten)]
    pub(crate) found: Exploration,
    /// Who explored.
    pub(crate) author: Person,
    /// The run in which that was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<RunId>,
    /// When it was stored.
    pub(crate) created_at: Time,
}

super::record::entries!(Explored);

impl Once for Explored {
    const MEMBERS: Members = Exploration::MEMBERS;
}

impl<'de> Deserialize<'de> for Explored {
    /// serde's own way would read the parts of the document from lists, too.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct StoredExploration {
            id: EntryId,
            depth: Depth,
            author: Person,
            #[serde(default)]
            run_id: Option<RunId>,
            created_at: Time,
        }

        let value = typed::any(deserializer)?;
        let found = typed::read(&value).map_err(D::Error::custom)?;
        let StoredExploration { id, depth, author, run_id, created_at } =
            typed::read(&value).map_err(D::Error::custom)?;
        Ok(Self { id, depth, found, author, run_id, created_at })
    }
}

/// A file that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RelevantFile {
    /// Relative to the repository's root.
    #[schemars(schema_with = "super::plan_schema::path")]
    #[serde(deserialize_with = "repo_path")]
    pub(crate) path: String,
    /// How relevant it is: a number from 0 to 1, or low, medium or high.
    pub(crate) relevance: Relevance,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rationale: Option<String>,
}

/// How much something matters, as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Relevance {
    /// From 0 to 1.
    Number(f64),
    /// A word.
    Word(Extent),
}

impl<'de> Deserialize<'de> for Relevance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = typed::any(deserializer)?;
        if let Value::String(text) = &value {
            return in_any_case(text).map(Self::Word).map_err(D::Error::custom);
        }
        let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
        number.map(Self::Number).ok_or_else(|| D::Error::custom(format!("{value} is not between 0 and 1")))
    }
}

impl JsonSchema for Relevance {
    fn schema_name() -> Cow<'static, str> {
        "Relevance".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let word = generator.subschema_for::<AnyCase>();
        schemars::json_schema!({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, word]})
    }
}

/// The words of [`Extent`], with a capital letter or without.
struct AnyCase;

impl JsonSchema for AnyCase {
    fn schema_name() -> Cow<'static, str> {
        "AnyCase".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let words: Vec<Value> = Extent::ALL
            .iter()
            .flat_map(|extent| [json!(extent.as_str()), json!(capitalised(extent.as_str()))])
            .collect();
        schemars::json_schema!({"type": "string", "enum": words})
    }
}

fn capitalised(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn in_any_case(text: &str) -> Result<Extent, String> {
    let found =
        Extent::ALL.iter().find(|extent| text == extent.as_str() || text == capitalised(extent.as_str()));
    found.copied().ok_or_else(|| format!("`{text}` is none of {}", Extent::words()))
}

/// A path to a file or directory in the repository, as given.
fn repo_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match super::repo_path::RepoPath::parse(&text) {
        Ok(_) => Ok(text),
        Err(why) => Err(D::Error::custom(format!("`{text}`: {why}"))),
    }
}

fn any_case<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Extent, D::Error> {
    let text = String::deserialize(deserializer)?;
    in_any_case(&text).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Value {
        json!({
            "issue_id": "ISS-001",
            "relevant_files": [{"path": "src/a.rs", "relevance": 0.9}, {"path": "src/b.rs", "relevance": "High"}],
            "dependencies": ["serde"],
            "impact_scope": "low",
            "existing_patterns": [],
            "key_findings": ["the clock is read twice"],
            "complexity_assessment": "Medium",
            "_metadata": {"timestamp": "2026-11-21T10:00:00Z"}
        })
    }

    #[test]
    fn words_are_read_in_either_case_and_written_in_one() {
        let read: Exploration = typed::read(&document()).unwrap();
        assert_eq!(read.complexity_assessment, Extent::Medium);
        assert_eq!(read.relevant_files[1].relevance, Relevance::Word(Extent::High));
        let written = typed::to_value(&read).unwrap();
        assert_eq!(written["complexity_assessment"], "medium");
        assert_eq!(typed::read::<Exploration>(&written).unwrap(), read);
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let mut later = document();
        later["more"] = json!(1);
        assert!(typed::read::<Exploration>(&later).is_ok(), "a record of a later version");
        for (field, value) in [
            ("issue_id", json!("../x")),
            ("impact_scope", json!("huge")),
            ("relevant_files", json!([{"path": "a", "relevance": 2}])),
            ("relevant_files", json!([{"path": "../a", "relevance": 1}])),
            ("key_findings", Value::Null),
        ] {
            let mut other = document();
            other[field] = value;
            assert!(typed::read::<Exploration>(&other).is_err(), "{field}");
        }
    }
}
