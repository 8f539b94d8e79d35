//! Converts an audit to SARIF, for the code-scanning pages of a host.

use sha2::{Digest as _, Sha256};

use super::Audit;
use crate::interchange::sarif::{
    Base, Fingerprints, Level, Result, ResultProperties, RunProperties, SarifLocation, SarifLog, SarifRule,
};
use crate::rules::audit::Kind;
use crate::rules::{AuditFinding, AuditSeverity};
use crate::store::layout;

/// Maximum locations of one finding: hosts show no more.
const MOST_LOCATIONS: usize = 10;

/// The findings of an audit as the results of a run.
pub(crate) fn sarif(audit: &Audit) -> SarifLog {
    let rules = Kind::ALL.iter().map(|kind| SarifRule::new(kind.as_str(), kind.about())).collect();
    let results = audit.findings.iter().map(|finding| result(audit, finding)).collect();
    let properties = RunProperties {
        range: audit.range.clone(),
        commit_count: audit.commit_count,
        bound_count: audit.bound_count,
        task_count: audit.task_count,
        evidenced_count: audit.evidenced_count,
    };
    SarifLog::new(rules, results, properties)
}

fn result(audit: &Audit, finding: &AuditFinding) -> Result {
    Result {
        rule_id: finding.kind.as_str(),
        rule_index: Kind::ALL.iter().position(|kind| *kind == finding.kind).unwrap_or_default(),
        level: match finding.severity {
            AuditSeverity::Fault => Level::Error,
            AuditSeverity::Note => Level::Note,
        },
        message: said(audit, finding).into(),
        locations: locations(audit, finding),
        partial_fingerprints: Fingerprints { finding: fingerprint(finding) },
        properties: ResultProperties {
            commit: finding.commit.clone(),
            issue: finding.issue_id.clone(),
            solution: finding.solution_id.clone(),
            execution: finding.execution_id.clone(),
        },
    }
}

/// The message of a finding, with its subject, since a page shows it out of context.
fn said(audit: &Audit, finding: &AuditFinding) -> String {
    let commit = finding.commit.as_ref().map(|hash| {
        let subject =
            audit.commits.iter().find(|commit| commit.hash == *hash).map(|commit| commit.subject.as_str());
        let short = hash.short();
        subject.map_or_else(|| format!("commit {short}"), |subject| format!("commit {short}, \"{subject}\""))
    });
    let execution = finding.execution_id.as_ref().map(ToString::to_string);
    let issue = finding.issue_id.as_ref().map(ToString::to_string);
    let about: Vec<String> = commit.into_iter().chain(execution.or(issue)).collect();
    if about.is_empty() {
        finding.message.clone()
    } else {
        format!("{} ({})", finding.message, about.join("; "))
    }
}

/// The file that the finding is about, else the files of its commit, else the record of its issue.
fn locations(audit: &Audit, finding: &AuditFinding) -> Vec<SarifLocation> {
    if let Some(path) = &finding.path {
        return vec![SarifLocation::file(Base::WorkTree, path)];
    }
    let commit =
        finding.commit.as_ref().and_then(|hash| audit.commits.iter().find(|commit| commit.hash == *hash));
    let files = commit.map(|commit| commit.files.as_slice()).unwrap_or_default();
    if !files.is_empty() {
        return files
            .iter()
            .take(MOST_LOCATIONS)
            .map(|path| SarifLocation::file(Base::WorkTree, path))
            .collect();
    }
    let record = finding.issue_id.as_ref().map_or_else(|| layout::ROOT_PATH.to_owned(), layout::issue);
    vec![SarifLocation::file(Base::Store, &record)]
}

/// Over what the finding says and is about, so that a later audit of more commits finds the same.
fn fingerprint(finding: &AuditFinding) -> String {
    let parts = [
        finding.kind.to_string(),
        finding.commit.as_ref().map(ToString::to_string).unwrap_or_default(),
        finding.execution_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        finding.issue_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        finding.message.clone(),
    ];
    Sha256::digest(parts.join("\0")).iter().map(|byte| format!("{byte:02x}")).collect()
}
