//! A review as a reviewer writes it: three scores and one list of findings, or scores with findings of their own.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::model::{
    Code, IssueId, Op, Other, PlanDigest, RemedyCall, Score, Scores, Solution, SolutionId, Verdict, strict,
    typed,
};
use crate::ops::Refusal;

/// A finding is a sentence or two; longer texts belong in the plan or in a comment.
const LONGEST_FINDING: usize = 10_000;
/// More is not useful for a plan of at most ten tasks.
const MOST_FINDINGS: usize = 100;

/// A review as JSON. Each of technical, risk and completeness is given once, either in `scores` or at the top level.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = example(), transform = with_all_scores)]
pub(crate) struct ReviewInput {
    /// The verdict (default: from the total); it can be harsher than the total, but not milder.
    verdict: Option<Verdict>,
    /// Each 0 to 100.
    #[serde(default)]
    scores: Dimensions,
    /// Whether it will work. A score from 0 to 100, or an object with `score` and `findings`.
    technical: Option<Dimension>,
    /// Whether the risks are known and small; 100 means no risk. A score, or an object with `score` and `findings`.
    risk: Option<Dimension>,
    /// Whether it covers everything that was asked for. A score, or an object with `score` and `findings`.
    completeness: Option<Dimension>,
    /// What should change.
    #[serde(default)]
    #[schemars(length(max = MOST_FINDINGS), inner(regex(pattern = r"\S"), length(max = LONGEST_FINDING)))]
    findings: Vec<String>,
    /// The digest of the plan that was read: the review is refused if the plan has changed since.
    plan_digest: Option<PlanDigest>,
    /// The total, if the reviewer computed it: the review is refused if the scores give another total.
    #[serde(alias = "total")]
    total_score: Option<Score>,
    /// The issue; if given, it must be that of the plan.
    #[serde(alias = "issueId")]
    issue_id: Option<IssueId>,
    /// The plan; if given, it must be the one that is reviewed.
    #[serde(alias = "solutionId")]
    solution_id: Option<SolutionId>,
}

/// The scores, where 100 is best.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Dimensions {
    /// Whether it will work.
    technical: Option<Dimension>,
    /// Whether the risks are known and small: 100 means no risk.
    risk: Option<Dimension>,
    /// Whether it covers everything that was asked for.
    completeness: Option<Dimension>,
}

/// A score, or an object with a score and what was found.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
enum Dimension {
    Score(Score),
    Judged(Judged),
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Judged {
    /// 0 to 100.
    score: Score,
    /// What should change.
    #[serde(default)]
    findings: Vec<String>,
}

impl<'de> Deserialize<'de> for Dimension {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = typed::any(deserializer)?;
        let read = if value.is_object() {
            typed::read(&value).map(Self::Judged)
        } else {
            typed::read(&value).map(Self::Score)
        };
        read.map_err(D::Error::custom)
    }
}

/// Makes the schema require all three scores, which the type cannot express.
fn with_all_scores(schema: &mut schemars::Schema) {
    let all = ["technical", "risk", "completeness"];
    let in_scores = json!({ "required": ["scores"], "properties": { "scores": { "required": all } } });
    schema.insert("anyOf".into(), json!([in_scores, { "required": all }]));
}

fn example() -> Value {
    json!({
        "scores": {"technical": 85, "risk": 70, "completeness": 60},
        "findings": ["T2 has no test for an empty key"]
    })
}

/// A review that is valid except for what depends on the plan.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    /// The verdict, if the reviewer gave one besides the scores.
    pub(super) verdict: Option<Verdict>,
    /// Each 0 to 100.
    pub(super) scores: Scores,
    /// The findings; one that belongs to a dimension starts with its name.
    pub(super) findings: Vec<String>,
    /// The digest of the plan that was read.
    plan_digest: Option<PlanDigest>,
    solution_id: Option<SolutionId>,
    issue_id: Option<IssueId>,
}

/// A review as read: the scores of its dimensions, and all findings.
struct ReadReview {
    input: ReviewInput,
    scores: Scores,
    findings: Vec<String>,
}

/// Reads a review, or says what is wrong with it.
fn read_input(bytes: &[u8]) -> Result<ReadReview, String> {
    let value = strict::parse(bytes)?;
    let mut input: ReviewInput = typed::read(&value).map_err(|error| error.to_string())?;
    let mut findings = std::mem::take(&mut input.findings);
    let mut score = |name: &str, one: Option<Dimension>, other: Option<Dimension>| match (one, other) {
        (Some(_), Some(_)) => Err(format!("`{name}` is given twice")),
        (None, None) => Err(format!("missing field `{name}`")),
        (Some(Dimension::Score(score)), None) | (None, Some(Dimension::Score(score))) => Ok(score),
        (Some(Dimension::Judged(judged)), None) | (None, Some(Dimension::Judged(judged))) => {
            findings.extend(judged.findings.iter().map(|finding| format!("{name}: {}", finding.trim())));
            Ok(judged.score)
        }
    };
    let scores = Scores {
        technical: score("technical", input.scores.technical.take(), input.technical.take())?,
        risk: score("risk", input.scores.risk.take(), input.risk.take())?,
        completeness: score("completeness", input.scores.completeness.take(), input.completeness.take())?,
    };
    Ok(ReadReview { input, scores, findings })
}

impl Judgement {
    /// Makes a review from its parts.
    ///
    /// # Errors
    /// `empty`, `too-long`.
    pub(crate) fn new(
        verdict: Option<Verdict>,
        scores: Scores,
        findings: Vec<String>,
        plan_digest: Option<PlanDigest>,
    ) -> Result<Self, Refusal> {
        let findings = checked(findings)?;
        Ok(Self { verdict, scores, findings, plan_digest, solution_id: None, issue_id: None })
    }

    /// Parses a review. `name` is what messages call the JSON.
    ///
    /// # Errors
    /// `invalid-json`, `other-total`; the same as [`Self::new`].
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Self, Refusal> {
        let input = read_input(bytes).map_err(|why| {
            Refusal::new(Code::InvalidJson, format!("{name} is not a review: {why}"))
                .remedy(RemedyCall::new(Other::Schema, ["review-input"]), "describes it")
        })?;
        let ReadReview { input, scores, findings } = input;
        if let Some(given) = input.total_score.filter(|given| given.rounded() != scores.total()) {
            return Err(Refusal::new(
                Code::OtherTotal,
                format!("the given total is {given}, but the scores give {}", scores.total()),
            )
            .hint("0.4 technical + 0.3 risk + 0.3 completeness; correct the scores, or omit the total"));
        }
        Ok(Self {
            solution_id: input.solution_id,
            issue_id: input.issue_id,
            ..Self::new(input.verdict, scores, findings, input.plan_digest)?
        })
    }

    /// Refuses a review of another plan, or of an earlier version.
    pub(super) fn is_about(&self, plan: &Solution, digest: &PlanDigest) -> Result<(), Refusal> {
        let id = &plan.id;
        if let Some(other) = self.solution_id.as_ref().filter(|other| *other != id) {
            return Err(Refusal::new(Code::OtherPlan, format!("the review is about `{other}`, not `{id}`"))
                .remedy(RemedyCall::new(Op::SolutionReview, [other]), "records it"));
        }
        if let Some(other) = self.issue_id.as_ref().filter(|other| **other != id.issue()) {
            return Err(Refusal::new(
                Code::OtherIssue,
                format!("the review is for a plan of `{other}`, but `{id}` is a plan of `{}`", id.issue()),
            )
            .hint("name the plan you reviewed, or omit issue_id")
            .remedy(RemedyCall::new(Other::SolutionList, [other]), "shows the plans of that issue"));
        }
        if let Some(read) = self.plan_digest.as_ref().filter(|read| *read != digest) {
            return Err(Refusal::new(
                Code::DigestMismatch,
                format!("plan `{id}` has changed since it was read: its digest is `{digest}`, not `{read}`"),
            )
            .remedy(RemedyCall::new(Other::SolutionShow, [id]), "shows it as it is now"));
        }
        Ok(())
    }
}

/// Trims the findings. Refuses empty ones, and too many.
fn checked(mut findings: Vec<String>) -> Result<Vec<String>, Refusal> {
    let count = findings.len();
    if count > MOST_FINDINGS {
        return Err(Refusal::new(
            Code::TooLong,
            format!("the review has {count} findings; at most {MOST_FINDINGS} are allowed"),
        )
        .hint("keep what matters most; one finding is enough to reject a plan that is wrong throughout"));
    }
    for (n, finding) in findings.iter_mut().enumerate() {
        *finding = finding.trim().to_owned();
        let length = finding.chars().count();
        let is_empty = ["", "technical:", "risk:", "completeness:"].contains(&finding.as_str());
        if is_empty {
            return Err(Refusal::new(Code::Empty, format!("finding {} is empty", n + 1))
                .hint("say what should change, or leave it out"));
        }
        if length > LONGEST_FINDING {
            return Err(Refusal::new(
                Code::TooLong,
                format!("finding {} has {length} characters; at most {LONGEST_FINDING} are allowed", n + 1),
            )
            .remedy(RemedyCall::new(Op::Comment, ["ISSUE"]), "takes longer texts"));
        }
    }
    Ok(findings)
}
