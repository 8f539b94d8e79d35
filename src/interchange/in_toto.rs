//! in-toto statements, version 1: claims about artifacts that are identified by their digests.
//! <https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>

use serde::Serialize;

use crate::model::{CommitHash, PlanDigest, TreeHash};

const TYPE: &str = "https://in-toto.io/Statement/v1";

/// A predicate about artifacts.
#[derive(Debug, Serialize)]
pub(crate) struct Statement<P> {
    #[serde(rename = "_type")]
    of_type: &'static str,
    subject: Vec<Resource>,
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    predicate: P,
}

#[serde_with::skip_serializing_none]
/// An artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Resource {
    name: Option<String>,
    uri: Option<String>,
    digest: ResourceDigest,
}

/// What identifies an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum ResourceDigest {
    /// The full id of a commit.
    #[serde(rename = "gitCommit")]
    GitCommit(CommitHash),
    /// The full id of a tree.
    #[serde(rename = "gitTree")]
    GitTree(TreeHash),
    /// 64 hexadecimal digits.
    #[serde(rename = "sha256")]
    Sha256(String),
}

impl<P> Statement<P> {
    /// States that `predicate` holds for `subject`.
    pub(crate) fn new(subject: Vec<Resource>, predicate_type: &'static str, predicate: P) -> Self {
        Self { of_type: TYPE, subject, predicate_type, predicate }
    }
}

impl Resource {
    /// A commit.
    pub(crate) fn commit(hash: CommitHash) -> Self {
        Self { name: None, uri: None, digest: ResourceDigest::GitCommit(hash) }
    }

    /// A tree.
    pub(crate) fn tree(hash: TreeHash) -> Self {
        Self { name: None, uri: None, digest: ResourceDigest::GitTree(hash) }
    }

    /// A plan, by the digest of its canonical JSON. `None` if it is not a digest.
    pub(crate) fn plan(digest: &PlanDigest) -> Option<Self> {
        let hex = digest.as_str().strip_prefix("sha256:")?;
        let is_hex = hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then(|| Self { name: None, uri: None, digest: ResourceDigest::Sha256(hex.to_owned()) })
    }

    /// Sets the name.
    pub(crate) fn called(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Sets the address.
    pub(crate) fn at(self, uri: impl Into<String>) -> Self {
        Self { uri: Some(uri.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_statement_has_the_fields_of_the_specification() {
        let plan = PlanDigest::of_plan(&json!({}));
        let plan = Resource::plan(&plan).unwrap().called("SOL-A-1").at("wf://plan/SOL-A-1");
        let statement =
            Statement::new(vec![Resource::commit("ab".into())], "https://example.org/x/v1", vec![plan]);
        let written = serde_json::to_value(&statement).unwrap();
        assert_eq!(written["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(written["subject"], json!([{"digest": {"gitCommit": format!("{:0<40}", "ab")}}]));
        assert_eq!(written["predicateType"], "https://example.org/x/v1");
        assert_eq!(written["predicate"][0]["name"], "SOL-A-1");
        assert_eq!(written["predicate"][0]["digest"]["sha256"].as_str().unwrap().len(), 64);
    }

    #[test]
    fn only_a_digest_names_a_plan() {
        for text in ["", "sha256:ab", "md5:0"] {
            assert_eq!(Resource::plan(&PlanDigest::from(text)), None);
        }
    }
}
