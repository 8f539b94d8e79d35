//! Actions on the board; each runs the same operation as its command.

use crate::model::{IssueStatus, PlanDigest, Priority, Score, Scores, StatusChange, Verdict};
use crate::ops::issues::{self, Close, ClosedAs, Edit, IssueView, NewFields, NewIssue, Reopen, SeenFields};
use crate::ops::plans::{self, Bind, Judgement};
use crate::ops::queue;
use crate::ops::work::{self, ClaimRequest, ClaimWorktree, Claimable, ReleaseLease, Retry};
use crate::ops::{Answer, Done, Notice, Refusal, Session};

/// What an operation reports.
pub(super) struct Report {
    /// One line.
    pub(super) words: String,
    pub(super) notices: Vec<Notice>,
}

/// The title and the description of a new issue.
pub(super) type Draft = (String, String);

/// An action on an issue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deed {
    /// Its id; empty for an issue that is being created.
    pub(super) issue: String,
    pub(super) act: BoardAct,
}

/// What to do with an issue.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BoardAct {
    /// Create an issue.
    Create(Draft),
    /// Set its priority.
    Priority(Priority),
    /// Set its status.
    Status(IssueStatus),
    /// Close it, with a reason.
    Close(Option<String>),
    /// Reopen it, with a reason.
    Reopen(Option<String>),
    /// Assign it; an empty string clears the assignee.
    Assign(String),
    /// Comment on it.
    Comment(String),
    /// Bind this plan.
    Bind(String),
    /// Unbind its plan.
    Unbind,
    /// Queue its bound plan.
    Queue,
    /// Remove it from its queue.
    Unqueue,
    /// Claim it, in this worktree or in a new one.
    Claim { has_own_worktree: bool },
    /// Release the claim.
    Release,
    /// Queue it again after a failure.
    Retry,
    /// Review this plan.
    Review(Review),
}

/// A review as filled in on the form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Review {
    /// The id of the plan.
    pub(super) plan: String,
    /// The plan version that the reviewer read.
    pub(super) digest: PlanDigest,
    /// The verdict; without one, the scores decide.
    pub(super) verdict: Option<Verdict>,
    /// Technical, risk and completeness.
    pub(super) scores: [Score; 3],
    /// Requested changes.
    pub(super) findings: Vec<String>,
}

impl Deed {
    /// Describes the action in progress, such as `closing ISS-001`.
    pub(super) fn words(&self) -> String {
        let verb = match &self.act {
            BoardAct::Create(_) => return "creating an issue".to_owned(),
            BoardAct::Priority(priority) => return format!("setting {} to {}", self.issue, priority.name()),
            BoardAct::Status(status) => return format!("setting {} to {status}", self.issue),
            BoardAct::Close(_) => "closing",
            BoardAct::Reopen(_) => "reopening",
            BoardAct::Assign(_) => "assigning",
            BoardAct::Comment(_) => "commenting on",
            BoardAct::Bind(_) => "binding",
            BoardAct::Unbind => "unbinding",
            BoardAct::Queue => "queueing",
            BoardAct::Unqueue => "removing from its queue",
            BoardAct::Claim { .. } => "claiming",
            BoardAct::Release => "releasing",
            BoardAct::Retry => "retrying",
            BoardAct::Review(_) => "reviewing the plan of",
        };
        format!("{verb} {}", self.issue)
    }

    /// Runs the operation. Returns the issue with what is reported.
    ///
    /// # Errors
    /// The operation's refusal.
    pub(super) fn perform(self, session: &Session) -> Result<(String, Report), Refusal> {
        let Self { issue, act } = self;
        let id = issue.clone();
        let report = match act {
            BoardAct::Create((title, text)) => return create(session, title, text),
            BoardAct::Status(status) => {
                let status = Some(StatusChange::To(status));
                standing(edit(session, issue, status, NewFields::default())?)
            }
            BoardAct::Priority(priority) => {
                let fields = NewFields::one("priority", priority.name().to_owned())?;
                report(edit(session, issue, None, fields)?, |view| {
                    format!("{}: priority {}", view.issue.id, view.issue.priority.name())
                })
            }
            BoardAct::Assign(who) => {
                report(edit(session, issue, None, NewFields::one("assignee", who)?)?, |view| {
                    let who = view.issue.assignee.as_deref().unwrap_or("nobody");
                    format!("{}: assigned to {who}", view.issue.id)
                })
            }
            BoardAct::Close(reason) => standing(issues::close(
                session,
                Close { issue, closed_as: ClosedAs::Completed, original: None, reason, force: None },
            )?),
            BoardAct::Reopen(reason) => {
                standing(issues::reopen(session, Reopen { issue, reason, force: None })?)
            }
            BoardAct::Comment(text) => {
                let done = issues::comment(session, &issue, &text)?;
                report(done, |comment| format!("commented on {}", comment.issue))
            }
            BoardAct::Bind(solution) => {
                let done =
                    plans::bind(session, &Bind { issue, solution: Some(solution.clone()), force: None })?;
                report(done, |view| format!("bound {solution} to {}", view.issue.id))
            }
            BoardAct::Unbind => standing(plans::unbind(session, &issue, None)?),
            BoardAct::Queue => queued(session, issue)?,
            BoardAct::Unqueue => report(queue::remove(session, &[issue], None)?, |removed| {
                let names: Vec<&str> = removed.iter().map(|item| item.item_id.as_str()).collect();
                format!("removed {} from its queue", names.join(", "))
            }),
            BoardAct::Claim { has_own_worktree } => claim(session, issue, has_own_worktree)?,
            BoardAct::Release => {
                let done = work::release(session, &ReleaseLease { item: Some(issue), force: None })?;
                report(done, |released| format!("released {id}, which is {}", released.issue_status))
            }
            BoardAct::Retry => retry(session, issue)?,
            BoardAct::Review(given) => review(session, given)?,
        };
        Ok((id, report))
    }
}

/// Also gives the id of the new issue.
fn create(session: &Session, title: String, text: String) -> Result<(String, Report), Refusal> {
    let text = if text.is_empty() { None } else { Some(text) };
    let done = issues::new(session, NewIssue { title: Some(title), text, ..NewIssue::default() })?;
    let new = done.view.issue.id.to_string();
    Ok((new, report(done, |view| format!("registered {}", view.issue.id))))
}

fn retry(session: &Session, issue: String) -> Result<Report, Refusal> {
    let done = work::retry(session, &Retry { issue: Some(issue), same_plan: false })?;
    Ok(report(done, |all| {
        let issues = all.iter().map(|retried| &retried.issue);
        let words = issues.map(|view| format!("{} is {}", view.issue.id, view.derived.status));
        words.collect::<Vec<_>>().join(", ")
    }))
}

fn edit(
    session: &Session,
    issue: String,
    status: Option<StatusChange>,
    fields: NewFields,
) -> Answer<IssueView> {
    let seen = SeenFields::default();
    issues::edit(session, Edit { issue, title: None, text: None, status, fields, seen, force: None })
}

fn queued(session: &Session, issue: String) -> Result<Report, Refusal> {
    let which = queue::QueueSelection { issues: vec![issue], ..queue::QueueSelection::default() };
    let done = queue::add(session, &queue::AddItems { which, queue: None, force: None })?;
    Ok(report(done, |items| {
        let names = items.iter().map(|added| {
            let queue = added.item.queue_id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
            format!("{}{queue}", added.item.item.item_id)
        });
        format!("queued as {}", names.collect::<Vec<_>>().join(", "))
    }))
}

fn review(session: &Session, given: Review) -> Result<Report, Refusal> {
    let Review { plan, digest, verdict, scores: [technical, risk, completeness], findings } = given;
    let scores = Scores { technical, risk, completeness };
    let judgement = Judgement::new(verdict, scores, findings, Some(digest))?;
    let input = plans::ReviewPlan { solution: plan.clone(), judgement, force: None };
    let done = plans::review(session, &input)?;
    let remarks: Vec<Notice> = done.view.remarks.iter().cloned().map(Notice::from).collect();
    let mut report = report(done, |view| {
        format!("reviewed {plan}: {}; combined verdict: {}", view.review.verdict, view.standing)
    });
    report.notices.extend(remarks);
    Ok(report)
}

fn claim(session: &Session, issue: String, has_own_worktree: bool) -> Result<Report, Refusal> {
    let wish = ClaimRequest {
        what: Claimable::Issue(issue, None),
        queue: None,
        allow_overlap: false,
        allow_missing: false,
        on: None,
        local: false,
        worktree: if has_own_worktree { ClaimWorktree::Beside } else { ClaimWorktree::Here },
        is_fresh: false,
        run: None,
        model: None,
    };
    Ok(report(work::claim(session, &wish)?, |claim| {
        let verb = if claim.is_new { "claimed" } else { "already claimed" };
        let place = match &claim.path {
            Some(path) => format!("in {}", path.display()),
            None => "in this worktree".to_owned(),
        };
        format!("{verb} {} (attempt {}) {place}", claim.solution_id, claim.attempt)
    }))
}

fn report<V>(done: Done<V>, words: impl FnOnce(&V) -> String) -> Report {
    Report { words: words(&done.view), notices: done.notices }
}

fn standing(done: Done<IssueView>) -> Report {
    let is_changed = done.commit.is_some();
    report(done, |view| {
        let already = if is_changed { "" } else { "already " };
        format!("{} is {already}{}", view.issue.id, view.derived.status)
    })
}
