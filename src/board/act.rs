//! Actions on the board; each runs the same operation as its command.

use crate::model::{IssueStatus, PlanDigest, Priority, Score, Scores, StatusChange, Verdict};
use crate::ops::issues::{self, Close, ClosedAs, Edit, IssueView, NewFields, NewIssue, Reopen, SeenFields};
use crate::ops::plans::{self, Bind, Judgement};
use crate::ops::queue::{self, AddedItem};
use crate::ops::work::{self, ClaimRequest, ClaimWorktree, Claimable, ReleaseLease, Retry};
use crate::ops::{Done, Notice, Refusal, Session};

/// What an operation reports: one line, and its notices.
pub(super) type Said = (String, Vec<Notice>);
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
    pub(super) fn perform(self, session: &Session) -> Result<(String, Said), Refusal> {
        let Self { issue, act } = self;
        let id = issue.clone();
        let edit = |status, fields| {
            let seen = SeenFields::default();
            let input =
                Edit { issue: id.clone(), title: None, text: None, status, fields, seen, force: None };
            issues::edit(session, input)
        };
        let report = match act {
            BoardAct::Create((title, text)) => {
                let text = (!text.is_empty()).then_some(text);
                let done =
                    issues::new(session, NewIssue { title: Some(title), text, ..NewIssue::default() })?;
                let new = done.view.issue.id.to_string();
                return Ok((new, said(done, |view| format!("registered {}", view.issue.id))));
            }
            BoardAct::Status(status) => standing(edit(Some(StatusChange::To(status)), NewFields::default())?),
            BoardAct::Priority(priority) => {
                let done = edit(None, NewFields::one("priority", priority.name().to_owned())?)?;
                said(done, |view| format!("{}: priority {}", view.issue.id, view.issue.priority.name()))
            }
            BoardAct::Assign(who) => {
                let done = edit(None, NewFields::one("assignee", who)?)?;
                let who = done.view.issue.assignee.clone();
                let words = who.map_or("assigned to nobody".to_owned(), |who| format!("assigned to {who}"));
                said(done, |view| format!("{}: {words}", view.issue.id))
            }
            BoardAct::Close(reason) => standing(issues::close(
                session,
                Close { issue, closed_as: ClosedAs::Completed, original: None, reason, force: None },
            )?),
            BoardAct::Reopen(reason) => {
                standing(issues::reopen(session, Reopen { issue, reason, force: None })?)
            }
            BoardAct::Comment(text) => {
                said(issues::comment(session, &issue, &text)?, |it| format!("commented on {}", it.issue))
            }
            BoardAct::Bind(solution) => {
                let done =
                    plans::bind(session, &Bind { issue, solution: Some(solution.clone()), force: None })?;
                said(done, |view| format!("bound {solution} to {}", view.issue.id))
            }
            BoardAct::Unbind => standing(plans::unbind(session, &issue, None)?),
            BoardAct::Queue => {
                let which =
                    queue::QueueSelection { issues: vec![issue], all_planned: false, wave: None, tag: None };
                let done = queue::add(session, &queue::AddItems { which, queue: None, force: None })?;
                said(done, |items| {
                    let name = |it: &AddedItem| {
                        let queue =
                            it.item.queue_id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
                        format!("{}{queue}", it.item.item.item_id)
                    };
                    let names: Vec<String> = items.iter().map(name).collect();
                    format!("queued as {}", names.join(", "))
                })
            }
            BoardAct::Unqueue => said(queue::remove(session, &[issue], None)?, |removed| {
                let names: Vec<String> = removed.iter().map(|it| it.item_id.to_string()).collect();
                format!("removed {} from its queue", names.join(", "))
            }),
            BoardAct::Claim { has_own_worktree } => claim(session, issue, has_own_worktree)?,
            BoardAct::Release => said(
                work::release(session, &ReleaseLease { item: Some(issue.clone()), force: None })?,
                |it| format!("released {issue}, which is {}", it.issue_status),
            ),
            BoardAct::Retry => {
                let done = work::retry(session, &Retry { issue: Some(issue), same_plan: false })?;
                said(done, |all| {
                    let words: Vec<String> = all
                        .iter()
                        .map(|it| format!("{} is {}", it.issue.issue.id, it.issue.derived.status))
                        .collect();
                    words.join(", ")
                })
            }
            BoardAct::Review(Review { plan, digest, verdict, scores, findings }) => {
                let [technical, risk, completeness] = scores;
                let scores = Scores { technical, risk, completeness };
                let judgement = Judgement::new(verdict, scores, findings, Some(digest))?;
                let review = plans::ReviewPlan { solution: plan.clone(), judgement, force: None };
                let done = plans::review(session, &review)?;
                let remarks: Vec<Notice> = done.view.remarks.iter().cloned().map(Notice::from).collect();
                let (words, mut notices) = said(done, |it| {
                    format!("reviewed {plan}: {}; combined verdict: {}", it.review.verdict, it.standing)
                });
                notices.extend(remarks);
                (words, notices)
            }
        };
        Ok((id, report))
    }
}

fn claim(session: &Session, issue: String, has_own_worktree: bool) -> Result<Said, Refusal> {
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
    Ok(said(work::claim(session, &wish)?, |claim| {
        let verb = if claim.is_new { "claimed" } else { "already claimed" };
        let place =
            claim.path.as_ref().map_or("in this worktree".to_owned(), |it| format!("in {}", it.display()));
        format!("{verb} {} (attempt {}) {place}", claim.solution_id, claim.attempt)
    }))
}

fn said<V>(done: Done<V>, words: impl FnOnce(&V) -> String) -> Said {
    (words(&done.view), done.notices)
}

fn standing(done: Done<IssueView>) -> Said {
    let is_changed = done.commit.is_some();
    said(done, |view| {
        let already = if is_changed { "" } else { "already " };
        format!("{} is {already}{}", view.issue.id, view.derived.status)
    })
}
