//! The checks of each tested tree as an in-toto statement with the published predicate `test-result`, and whether such a
//! statement agrees with the checks that are here.

mod differences;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::differences::differences;
use crate::interchange::in_toto::{Resource, Statement};
use crate::model::text_enum::text_enum;
use crate::model::{Check, Code, Event, Execution, ExecutionId, IssueId, Other, RemedyCall, TreeHash};
use crate::ops::trail::audited;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{ExecutionFolder, Gate, GateValue, IssueFolder, PlanReview, evidence};
use crate::store::{ReadState, Store, records};
use crate::trail::signed_checks;

/// The predicate, version 0.1: <https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md>.
const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// What is added to the published fields is below this name.
const ANNOTATION: &str = "git-wf";

text_enum!(
    /// How the tests of a tree ended.
    TestResult {
        /// All passed.
        Passed = "PASSED",
        /// All passed, and nothing shows that some of them test the work.
        Warned = "WARNED",
        /// One did not pass.
        Failed = "FAILED",
    }
);

/// The predicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestPredicate {
    result: TestResult,
    /// The plans that name the tests, each with its checks as an annotation.
    configuration: Vec<Value>,
    /// The page of the pull request by which the work landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default)]
    passed_tests: Vec<String>,
    #[serde(default)]
    warned_tests: Vec<String>,
    #[serde(default)]
    failed_tests: Vec<String>,
}

/// The last check of each test on one tree, with the execution that each belongs to.
#[derive(Default)]
struct TreeChecks<'a> {
    checks: BTreeMap<(&'a ExecutionId, String), CheckedTest<'a>>,
}

struct CheckedTest<'a> {
    claim: &'a Execution,
    check: &'a Check,
    /// Whether someone vouches for it, or nobody needs to.
    is_sound: bool,
    url: Option<&'a str>,
}

/// States how the tests ended on each tree that was tested for the commits of a range: one statement a tree.
///
/// # Errors
/// As [`crate::ops::trail::audit()`]; `nothing-to-do` if no tree was tested.
pub(crate) fn export_test_results(
    session: &Session,
    range: &[String],
) -> Answer<Vec<Statement<TestPredicate>>> {
    let (audit, index) = audited(session, range)?;
    let snapshot = index.snapshot()?;
    let mut issues: Vec<&IssueId> =
        audit.commits.iter().flat_map(|commit| &commit.bound_to).map(|bound| &bound.issue_id).collect();
    issues.sort();
    issues.dedup();
    let counted = CountedIssues::read(session.store(), &snapshot, issues)?;
    let statements: Vec<_> =
        counted.by_tree().iter().map(|(tree, checks)| checks.statement((*tree).clone())).collect();
    if statements.is_empty() {
        return Err(Refusal::nothing(format!("no tree of `{}` was tested", audit.range)).remedy(
            RemedyCall::new(Other::ExportInToto, ["RANGE"]),
            "takes a range as `git log` does, such as main..HEAD",
        ));
    }
    Ok(session.done(statements, None))
}

/// Issues with those of their checks that count under the policy.
struct CountedIssues {
    folders: Vec<(IssueFolder, Vec<ExecutionFolder>)>,
    gate: GateValue,
}

impl CountedIssues {
    fn read<'i>(
        store: &Store,
        read: &impl ReadState,
        issues: impl IntoIterator<Item = &'i IssueId>,
    ) -> Result<Self, Refusal> {
        let gate = Gate::Evidence.setting(&records::root(read)?.policy);
        let mut folders = Vec::new();
        for id in issues {
            let Some(folder) = records::issue(read, id)? else { continue };
            let counted = folder.executions.iter();
            let counted = counted.map(|it| signed_checks::counting(store, it, gate).into_owned()).collect();
            folders.push((folder, counted));
        }
        Ok(Self { folders, gate })
    }

    fn by_tree(&self) -> BTreeMap<&TreeHash, TreeChecks<'_>> {
        let mut trees: BTreeMap<&TreeHash, TreeChecks<'_>> = BTreeMap::new();
        for (folder, counted) in &self.folders {
            for execution in counted {
                let claim = &execution.execution;
                let reviewed = PlanReview::from_reviews(folder, claim);
                let url = execution.log.iter().rev().find_map(|entry| match &entry.event {
                    Event::Land(land) => land.url.as_deref(),
                    _ => None,
                });
                for entry in &execution.log {
                    let Event::Check(check) = &entry.event else { continue };
                    let Some(tree) = &check.tree else { continue };
                    if check.dirty {
                        continue;
                    }
                    let proof = check.proof.as_ref();
                    let is_sound = match proof {
                        Some(proof) => evidence::is_vouched(execution, proof, reviewed),
                        None => self.gate < GateValue::Proved,
                    };
                    let test = CheckedTest { claim, check, is_sound, url };
                    trees.entry(tree).or_default().checks.insert((&claim.id, named(check)), test);
                }
            }
        }
        trees
    }
}

/// A test as it is listed: `T1: cargo test`.
fn named(check: &Check) -> String {
    match &check.task_id {
        Some(task) => format!("{task}: {}", check.command),
        None => check.command.clone(),
    }
}

impl TreeChecks<'_> {
    fn statement(&self, tree: TreeHash) -> Statement<TestPredicate> {
        Statement::new(vec![Resource::tree(tree)], PREDICATE, self.predicate())
    }

    fn predicate(&self) -> TestPredicate {
        let (mut passed, mut warned, mut failed) = (vec![], vec![], vec![]);
        let mut plans: BTreeMap<&ExecutionId, (&Execution, Vec<Value>)> = BTreeMap::new();
        let mut url = None;
        for ((id, name), test) in &self.checks {
            let list = match (test.check.has_passed(), test.is_sound) {
                (true, true) => &mut passed,
                (true, false) => &mut warned,
                (false, _) => &mut failed,
            };
            list.push(name.clone());
            url = url.or(test.url);
            plans.entry(id).or_insert((test.claim, vec![])).1.push(attested(test.check));
        }
        for list in [&mut passed, &mut warned, &mut failed] {
            list.sort();
            list.dedup();
        }
        let result = if !failed.is_empty() {
            TestResult::Failed
        } else if !warned.is_empty() {
            TestResult::Warned
        } else {
            TestResult::Passed
        };
        TestPredicate {
            result,
            configuration: plans.into_values().map(|(claim, checks)| configuration(claim, &checks)).collect(),
            url: url.map(str::to_owned),
            passed_tests: passed,
            warned_tests: warned,
            failed_tests: failed,
        }
    }
}

/// The plan of an execution, with its checks.
fn configuration(claim: &Execution, checks: &[Value]) -> Value {
    let uri = format!("wf://plan/{}", claim.solution_id);
    let mut descriptor = json!({"name": claim.solution_id, "uri": uri});
    if let Some(plan) = Resource::plan(&claim.plan_digest) {
        descriptor["digest"] = json!(plan)["digest"].clone();
    }
    descriptor["annotations"] = json!({ANNOTATION: {
        "issueId": claim.issue_id, "executionId": claim.id, "actor": claim.actor, "checks": checks,
    }});
    descriptor
}

/// A check with its proof; what is hidden or long stays in the store.
fn attested(check: &Check) -> Value {
    let all = json!({
        "taskId": check.task_id, "command": check.command, "exitCode": check.exit_code, "tests": check.tests,
        "outputSha256": check.output_sha256, "commit": check.commit, "proof": check.proof,
        "signature": check.signature,
    });
    let Value::Object(members) = all else { return all };
    members.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// What a file of statements says, beside what is here.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ComparedStatements {
    /// The principals of git's allowed signers who signed the file; absent if no signature is beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signers: Option<Vec<String>>,
    /// Each statement.
    pub(crate) statements: Vec<ComparedStatement>,
    /// How many things do not agree.
    pub(crate) fault_count: usize,
}

/// A statement about a tree, beside the checks that are here.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ComparedStatement {
    /// The tree.
    pub(crate) tree: TreeHash,
    /// What the statement says.
    pub(crate) result: TestResult,
    /// What the checks here say; absent if none that counts is of this tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) here: Option<TestResult>,
    /// What does not agree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<String>,
}

/// A statement as it is read.
#[derive(Deserialize)]
struct ReadStatement {
    #[serde(rename = "predicateType")]
    predicate_type: String,
    subject: Vec<ReadSubject>,
    predicate: Value,
}

#[derive(Deserialize)]
struct ReadSubject {
    #[serde(default)]
    digest: BTreeMap<String, String>,
}

/// A file with statements, and the signature beside it.
pub(crate) struct StatementFile<'a> {
    /// Its name, for messages.
    pub(crate) name: &'a str,
    /// Its content: one statement, an array of them, or one a line.
    pub(crate) text: &'a str,
    /// The SSH signature in the file with `.sig` behind the name.
    pub(crate) signature: Option<&'a str>,
}

/// Compares statements about test results with the checks of this store that count under its policy.
///
/// # Errors
/// `invalid-json` if the file has no such statement.
pub(crate) fn compare_statements(session: &Session, file: &StatementFile<'_>) -> Answer<ComparedStatements> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let ids = records::issue_ids(&snapshot)?;
    let counted = CountedIssues::read(store, &snapshot, &ids)?;
    let by_tree = counted.by_tree();
    let mut statements = Vec::new();
    for (tree, predicate) in read_statements(file)? {
        let here = by_tree.get(&tree).map(TreeChecks::predicate);
        let faults = differences(&predicate, here.as_ref());
        statements.push(ComparedStatement {
            tree,
            result: predicate.result,
            here: here.map(|here| here.result),
            faults,
        });
    }
    let signers =
        file.signature.map(|signature| store.repo().statement_signers(file.text.as_bytes(), signature));
    let is_badly_signed = signers.as_ref().is_some_and(Vec::is_empty);
    let fault_count =
        statements.iter().map(|it| it.faults.len()).sum::<usize>() + usize::from(is_badly_signed);
    Ok(session.done(ComparedStatements { signers, statements, fault_count }, None))
}

fn read_statements(file: &StatementFile<'_>) -> Result<Vec<(TreeHash, TestPredicate)>, Refusal> {
    let wrong = |what: String| {
        Refusal::new(Code::InvalidJson, format!("`{}`: {what}", file.name))
            .hint(format!("give a file with statements of {PREDICATE}"))
            .remedy(RemedyCall::new(Other::ExportInToto, ["RANGE"]).flag("tests"), "writes them")
    };
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(file.text).into_iter::<Value>() {
        match value.map_err(|error| wrong(format!("invalid JSON: {error}")))? {
            Value::Array(members) => values.extend(members),
            one => values.push(one),
        }
    }
    let mut found = Vec::new();
    for value in values {
        let statement: ReadStatement =
            serde_json::from_value(value).map_err(|error| wrong(format!("not a statement: {error}")))?;
        if statement.predicate_type != PREDICATE {
            return Err(wrong(format!("its predicate is `{}`", statement.predicate_type)));
        }
        let predicate: TestPredicate = serde_json::from_value(statement.predicate)
            .map_err(|error| wrong(format!("not a test result: {error}")))?;
        for subject in statement.subject {
            let Some(tree) = subject.digest.get("gitTree").and_then(|tree| TreeHash::parse(tree)) else {
                return Err(wrong("a subject is not named by `gitTree`".into()));
            };
            found.push((tree, predicate.clone()));
        }
    }
    if found.is_empty() {
        return Err(wrong("it has no statement".into()));
    }
    Ok(found)
}
