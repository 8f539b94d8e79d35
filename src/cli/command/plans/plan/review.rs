use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Failure, Force, Outcome, named, print, read_text};
use crate::model::{Op, PlanDigest, RemedyCall, Score, Scores, Verdict};
use crate::ops::Refusal;
use crate::ops::plans::{self, Judgement};

/// What agents give; a verdict without scores implies them.
const SCORES: [&str; 5] = ["verdict", "technical", "risk", "completeness", "from_json"];

#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("What should change, or a remark; repeat for more paragraphs")))]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    /// Approve the plan as it is: the verdict of a person
    #[arg(long, conflicts_with_all = SCORES)]
    approve: bool,
    /// Reject the plan, and say with -m what should change
    #[arg(long, conflicts_with_all = SCORES, conflicts_with = "approve")]
    reject: bool,
    #[command(flatten)]
    message: MessageArgs,
    /// approved, concerns or rejected (default: from the total; you can only choose a harsher one). Without scores, it
    /// stands for 100, 70 or 0 in each
    #[arg(long, value_name = "VERDICT", value_parser = parse_verdict)]
    verdict: Option<Verdict>,
    /// Technical feasibility, 0 to 100
    #[arg(long, value_name = "N", value_parser = parse_score, allow_negative_numbers = true)]
    technical: Option<Score>,
    /// Risk score, 0 to 100; 100 means no risk
    #[arg(long, value_name = "N", value_parser = parse_score, allow_negative_numbers = true)]
    risk: Option<Score>,
    /// Completeness, 0 to 100
    #[arg(long, value_name = "N", value_parser = parse_score, allow_negative_numbers = true)]
    completeness: Option<Score>,
    /// A finding: what should change; repeat for more (-m gives one, too)
    #[arg(long = "finding", value_name = "TEXT")]
    findings: Vec<String>,
    /// The digest of the plan you reviewed; the review is refused if the plan has changed since
    #[arg(long, value_name = "DIGEST")]
    plan_digest: Option<PlanDigest>,
    /// Read the review from a JSON file (`-` for stdin); see `git wf schema review-input`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verdict", "technical", "risk", "completeness", "findings", "message", "file", "plan_digest"])]
    from_json: Option<String>,
    #[command(flatten)]
    force: Force,
}

fn parse_verdict(text: &str) -> Result<Verdict, String> {
    Verdict::parse(&text.to_ascii_lowercase()).ok_or_else(|| format!("expected one of {}", Verdict::words()))
}

fn parse_score(text: &str) -> Result<Score, String> {
    text.parse().ok().and_then(Score::new).ok_or_else(|| "a score is a number from 0 to 100".into())
}

impl Args {
    fn judgement(self) -> Result<Judgement, Failure> {
        if let Some(path) = &self.from_json {
            return Ok(Judgement::parse(read_text(path)?.as_bytes(), &named(path))?);
        }
        let mut findings = self.message.said(None)?.into_iter().collect::<Vec<_>>();
        findings.extend(self.findings.iter().cloned());
        if self.reject && findings.is_empty() {
            return Err(Refusal::usage("a rejection says what should change")
                .remedy(self.call().flag("reject").option("message", "TEXT"), "rejects it with a reason")
                .into());
        }
        let verdict = match (self.approve, self.reject) {
            (true, _) => Some(Verdict::Approved),
            (_, true) => Some(Verdict::Rejected),
            _ => self.verdict,
        };
        let scores = match (self.technical, self.risk, self.completeness, verdict) {
            (Some(technical), Some(risk), Some(completeness), _) => Scores { technical, risk, completeness },
            (None, None, None, Some(verdict)) => Scores::of_verdict(verdict),
            (None, None, None, None) => {
                return Err(self.incomplete("a review needs a verdict or three scores").into());
            }
            _ => return Err(self.incomplete("a review needs all three scores or none").into()),
        };
        Ok(Judgement::new(verdict, scores, findings, self.plan_digest)?)
    }
}

impl Args {
    fn call(&self) -> RemedyCall {
        RemedyCall::new(Op::SolutionReview, [&self.solution])
    }

    fn incomplete(&self, what: &str) -> Refusal {
        let review = self.call();
        let scores = ["technical", "risk", "completeness"];
        let scored = scores.into_iter().fold(review.clone(), |call, name| call.option(name, "N"));
        Refusal::usage(what)
            .remedy(review.clone().flag("approve"), "approves it")
            .remedy(review.flag("reject").option("message", "TEXT"), "rejects it")
            .remedy(scored, "gives scores, each 0 to 100")
            .hint("--from-json FILE reads them from a file")
    }
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let (solution, force) = (args.solution.clone(), args.force.why());
    let input = plans::ReviewPlan { solution, judgement: args.judgement()?, force };
    let done = plans::review(&session, &input)?;
    context.answer(done, |reviewed, is_new, screen| print::review::reviewed(screen, reviewed, is_new))
}
