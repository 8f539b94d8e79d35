//! `solution review`.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::input::review::Judgement;
use crate::cli::print::review as review_print;
use crate::cli::{Context, Exit, Failure, Force, Outcome, existing, plan_named};
use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::{Feedback, FeedbackDetail, FeedbackType, Stage};
use crate::model::review::{Review, Score, Scores, Verdict};
use crate::model::solution::Solution;
use crate::rules::folder::IssueFolder;
use crate::rules::review;
use crate::store::{Tx, layout};
use crate::ui::style;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The plan, or an issue for its bound or only plan
    solution: String,
    /// approved, concerns or rejected (default, and the mildest allowed: what the total says)
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
    /// A finding: what should change; repeat for more
    #[arg(long = "finding", value_name = "TEXT")]
    findings: Vec<String>,
    /// The digest of the plan you reviewed; the review is refused if the plan has changed since
    #[arg(long, value_name = "DIGEST")]
    plan_digest: Option<String>,
    /// Read the review from a JSON file (`-` for stdin); see `git wf schema review-input`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verdict", "technical", "risk", "completeness", "findings", "plan_digest"])]
    from_json: Option<String>,
    #[command(flatten)]
    force: Force,
}

fn parse_verdict(text: &str) -> Result<Verdict, String> {
    Verdict::parse(&text.to_ascii_lowercase()).ok_or_else(|| format!("allowed are {}", Verdict::words()))
}

fn parse_score(text: &str) -> Result<Score, String> {
    text.parse().ok().and_then(Score::new).ok_or_else(|| "a score is a number from 0 to 100".into())
}

/// What `solution review` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Reviewed {
    issue_id: IssueId,
    solution_id: SolutionId,
    /// The review as it is stored.
    review: Review,
    /// What all reviews of the plan as it is now come to.
    standing: Verdict,
    /// The round of review that this is: 1 and, for each earlier plan that was rejected, 1 more.
    round: usize,
    /// Plans that were rejected, this one included; from 2 on an owner decides.
    rejected_rounds: usize,
    /// What the reviewer should know beside that.
    remarks: Vec<String>,
}

impl Args {
    fn input(&self) -> Result<Judgement, Failure> {
        if let Some(path) = &self.from_json {
            return Judgement::read(path);
        }
        let (Some(technical), Some(risk), Some(completeness)) =
            (self.technical, self.risk, self.completeness)
        else {
            return Err(Failure::usage("a review needs all three scores")
                .hint("--technical N --risk N --completeness N, each 0 to 100; or --from-json FILE"));
        };
        let scores = Scores { technical, risk, completeness };
        Judgement::new(self.verdict, scores, self.findings.clone(), self.plan_digest.clone())
    }
}

pub(in crate::cli) fn run(args: &Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let id = plan_named(&store.snapshot()?, &args.solution)?;
    let input = args.input()?;
    let committed = context.transact(&store, |tx| {
        let folder = existing(tx, &id.issue())?;
        let plan = folder.solution(&id).ok_or_else(|| Failure::unreadable(&format!("plan `{id}`")))?;
        review_plan(tx, &folder, plan, &input, &args.force)
    })?;
    let review = committed.answer;
    let folder = existing(&store.snapshot()?, &id.issue())?;
    let plan = folder.solution(&id).ok_or_else(|| Failure::unreadable(&format!("plan `{id}`")))?;
    answer(&folder, plan, review, committed.commit.is_some(), context)
}

fn answer(
    folder: &IssueFolder,
    plan: &Solution,
    review: Review,
    is_new: bool,
    context: &mut Context,
) -> Outcome {
    let standing = review::standing(plan, folder.reviews(&plan.id));
    let issue_id = plan.id.issue();
    let mut queued = folder.items.iter().map(|it| &it.item);
    let queued = queued.find(|item| item.solution_id == plan.id && !item.is_removed());
    let remarks = review::remarks(&issue_id, &review, &standing, queued);
    // Between the commit and now another process may have changed the plan: then nothing stands of this review.
    let stands = standing.verdict.unwrap_or(review.verdict);
    let round = standing.rejected_rounds + usize::from(stands != Verdict::Rejected);
    if context.json() {
        context.screen.print_json(&Reviewed {
            issue_id,
            solution_id: plan.id.clone(),
            review,
            standing: stands,
            round,
            rejected_rounds: standing.rejected_rounds,
            remarks,
        })?;
        return Ok(Exit::Done);
    }
    let painter = context.screen.painter();
    let verb = if is_new { "reviewed" } else { "reviewed already:" };
    writeln!(
        context.screen,
        "{verb} {}, round {round}: {}, total {} (technical {}, risk {}, completeness {})",
        painter.paint(style::ID, plan.id.as_str()),
        painter.paint(review_print::verdict_style(review.verdict), review.verdict.as_str()),
        review.total,
        review.scores.technical,
        review.scores.risk,
        review.scores.completeness
    )?;
    for remark in remarks {
        writeln!(context.screen, "  {}", painter.paint(style::DIM, &remark))?;
    }
    Ok(Exit::Done)
}

/// Appends the review, and for a rejection what the next planner should know. The same review by the same reviewer once
/// more is the one that is there.
fn review_plan(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    plan: &Solution,
    input: &Judgement,
    force: &Force,
) -> Result<Review, Failure> {
    let (id, digest) = (&plan.id, plan.plan_digest());
    input.is_about(plan, &digest)?;
    if force.why().is_none() {
        review::may_review(plan, tx.person())?;
    }
    let verdict = settled(plan, input)?;
    let me = review::Reviewer::of(tx.person());
    let mine = |it: &&Review| it.plan_digest == digest && review::Reviewer::of(&it.author) == me;
    let last = folder.reviews(id).iter().rfind(mine);
    if let Some(same) =
        last.filter(|it| it.verdict == verdict && it.scores == input.scores && it.findings == input.findings)
    {
        return Ok(same.clone());
    }
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    let made = tx.append(&layout::reviews(id), |entry| Review {
        id: entry,
        verdict,
        scores: input.scores,
        total: input.scores.total(),
        findings: input.findings.clone(),
        plan_digest: digest,
        author: author.clone(),
        created_at,
    })?;
    if verdict == Verdict::Rejected {
        let content = review::rejection_text(id, &made);
        tx.append(&layout::feedback(&id.issue()), |entry| Feedback {
            id: entry,
            kind: FeedbackType::Rejection,
            stage: Stage::Review,
            content,
            detail: FeedbackDetail { solution_id: Some(id.clone()), ..FeedbackDetail::default() },
            author,
            created_at,
        })?;
    }
    tx.note.force = force.why();
    tx.describe("solution review", format!("solution: review {id}: {verdict}, total {}", made.total));
    Ok(made)
}

/// The verdict that was given, or the one of the total. A person may judge harsher than the scores; who judges milder
/// means other scores.
fn settled(plan: &Solution, input: &Judgement) -> Result<Verdict, Failure> {
    let total = input.scores.total();
    let by_total = review::verdict_of(total);
    let is_empty = plan.typed_plan().tasks.is_empty();
    let mildest = if is_empty { Verdict::Rejected } else { by_total };
    match input.verdict {
        Some(given) if given < mildest && is_empty => Err(Failure::new(
            "no-tasks",
            format!("plan `{}` has no tasks, and such a plan cannot be {given}", plan.id),
        )
        .hint("reject it, or leave the verdict out")),
        Some(given) if given < mildest => Err(Failure::new(
            "milder-verdict",
            format!("`{given}` is milder than the scores, whose total of {total} is {by_total}"),
        )
        .hint("give the scores that you mean, or leave the verdict out")),
        Some(given) => Ok(given),
        None => Ok(mildest),
    }
}
