//! Landing through pull requests: the host merges, and what it says while it decides becomes feedback.

use std::time::{Duration, Instant};

use super::chosen::{ChosenIssue, chosen};
use super::commit_status;
use super::pulled::{LandByPullRequest, PullState, PullView, PulledIssue};
use super::target::LandTarget;
use super::{LandMethod, LandWork};
use crate::interchange::github::pulls::{self, PullRequest, PullText};
use crate::interchange::github::{GhError, completion};
use crate::model::branch::Branch;
use crate::model::code::Code;
use crate::model::execution::{Event, Land, LandHow};
use crate::model::hash::CommitHash;
use crate::model::issue::{Feedback, FeedbackDetail, FeedbackType, Stage};
use crate::model::op::Op;
use crate::model::remedy::RemedyCall;
use crate::model::shell;
use crate::ops::issues::existing;
use crate::ops::work::{as_claimed, publish_store};
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::process::supervise::Interrupts;
use crate::rules::lease::parse_duration;
use crate::rules::reply_task::{self, Discussion};
use crate::store::{ObjectId, StoreError, layout, object_id, records};
use crate::sync::{self, BranchPushed, CodePush};

/// The branches that are pushed for pull requests are below this name.
const BRANCHES: &str = "land";
/// The setting with the time between two questions to the host.
const POLL: &str = "wf.land.poll";
/// That time by default.
const USUAL_POLL: Duration = Duration::from_secs(60);
/// The longest time between two questions, after the host limited them.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// How often in a row the host may fail to answer.
const MOST_FAILURES: u32 = 8;
/// How often to look whether someone interrupts a wait.
const LOOK: Duration = Duration::from_millis(100);
/// The most bytes of a host's text that are kept.
const MOST_KEPT: usize = 16 * 1024;

/// Opens a pull request for each issue, or updates it; and follows them if wanted.
///
/// # Errors
/// Those of a landing; `no-remote`; `no-gh`, `not-logged-in`, `gh-failed`; usage if no remote leads to GitHub.
pub(crate) fn land_by_pull_request(session: &Session, input: &LandByPullRequest) -> Answer<PullView> {
    let permit = session.permit(Op::Land)?;
    session.check_store()?;
    let store = session.store();
    let target = LandTarget::find(session, input.onto.as_deref())?;
    let Some(remote) = target.remote.clone() else {
        return Err(Refusal::new(
            Code::NoRemote,
            "this repository has no remote to which a branch could be pushed",
        )
        .command("git remote add origin URL", "adds one"));
    };
    let repository = reply_task::repository(&store.repo().remote_urls()).ok_or_else(|| {
        Refusal::usage("no remote leads to a repository on GitHub")
            .command("git remote -v", "shows the remotes")
    })?;
    target.update_store(session)?;
    let tips = target.look(session)?;
    let work = LandWork {
        what: input.what.clone(),
        all: input.all,
        onto: input.onto.clone(),
        how: LandMethod::Merge,
        batch: 1,
        dry_run: false,
        by_hand: true,
    };
    let issues = chosen(session, &work, &target, &tips)?;
    let mut forge = Forge { session, permit, target, remote, repository, view: vec![] };
    for issue in &issues {
        let pulled = forge.propose(issue)?;
        forge.view.push(pulled);
    }
    if input.watch {
        forge.watch(&issues)?;
    }
    let Forge { target, repository, view, .. } = forge;
    Ok(session.done(PullView { onto: target.branch, repository, pulls: view }, None))
}

struct Forge<'s> {
    session: &'s Session,
    permit: Permit,
    target: LandTarget,
    remote: String,
    repository: String,
    view: Vec<PulledIssue>,
}

/// What a pull request says about an issue.
struct Words {
    title: String,
    body: String,
    labels: Vec<String>,
}

impl Forge<'_> {
    /// Pushes the branch of an issue, and opens its pull request or updates it.
    fn propose(&self, issue: &ChosenIssue) -> Result<PulledIssue, Refusal> {
        let id = &issue.issue;
        let [head] = issue.heads[..] else {
            let message = format!("the work of `{id}` is on several branches, and a pull request has one");
            return Err(
                Refusal::new(Code::NoBranch, message).command("git merge", "joins them; then link the merge")
            );
        };
        let branch = Branch::of_short(&format!("{BRANCHES}/{id}"))
            .ok_or_else(|| Refusal::unreadable(&format!("the id `{id}` as the name of a branch")))?;
        self.push(&branch, head)?;
        commit_status::set(self.session, &self.repository, issue, head)?;
        let words = self.words(issue)?;
        let text = PullText { title: &words.title, body: &words.body };
        let known = pulls::of_branch(&self.repository, branch.short())?;
        let now = CommitHash::from(head);
        let is_same = |pull: &&PullRequest| pull.is_merged() && now.as_str() == pull.head_ref_oid;
        let shown = |pull: &PullRequest, opened| PulledIssue {
            issue_id: id.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            branch: branch.clone(),
            number: pull.number,
            url: pull.url.clone(),
            state: PullState::Open,
            opened,
            feedback: 0,
        };
        if let Some(open) = known.iter().find(|pull| pull.is_open()) {
            pulls::edit(&self.repository, open.number, &text)?;
            return Ok(shown(open, false));
        }
        if let Some(merged) = known.iter().find(is_same) {
            self.record_merge(issue, merged)?;
            return Ok(PulledIssue { state: PullState::Merged, ..shown(merged, false) });
        }
        let url = self.open(&branch, &text, &words.labels)?;
        let number = url.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default();
        Ok(shown(&PullRequest { number, url, ..PullRequest::default() }, true))
    }

    fn push(&self, branch: &Branch, head: ObjectId) -> Result<(), Refusal> {
        let store = self.session.store();
        let (session, remote) = (self.session, &self.remote);
        let expected = session.asking(|watch| sync::fetch_branch(store, remote, branch, watch))?;
        if expected == Some(head) {
            return Ok(());
        }
        let push = CodePush { remote, branch, expected, new: head };
        match session.asking(|watch| sync::push_branch(store, &push, watch))? {
            BranchPushed::Accepted => Ok(()),
            BranchPushed::Moved => Err(Refusal::new(
                Code::Raced,
                format!("`{}` of `{remote}` was pushed by someone else meanwhile", branch.short()),
            )
            .command(
                format!("git fetch {}", shell::operand(remote)),
                "shows what they pushed; then try again",
            )),
        }
    }

    /// Opens a pull request. A label that the host does not know is no reason not to.
    fn open(&self, branch: &Branch, text: &PullText<'_>, labels: &[String]) -> Result<String, Refusal> {
        let all: Vec<&str> = labels.iter().map(String::as_str).collect();
        let (repository, base) = (&self.repository, self.target.branch.short());
        match pulls::open(repository, branch.short(), base, text, &all) {
            Err(GhError::Failed { said, .. }) if !all.is_empty() && said.contains("label") => {
                self.session.notice(Notice::note(format!("the pull request has no labels: {said}")));
                Ok(pulls::open(repository, branch.short(), base, text, &[])?)
            }
            opened => Ok(opened?),
        }
    }

    fn words(&self, issue: &ChosenIssue) -> Result<Words, Refusal> {
        let store = self.session.store();
        let snapshot = store.snapshot()?;
        let folder = existing(&snapshot, &issue.issue)?;
        let execution = records::execution(&snapshot, &issue.execution, &mut Vec::new())?
            .ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
        let plan = as_claimed(store, &folder, &execution.execution)?.typed_plan();
        let mut body = completion(&plan, &execution);
        body.push_str(&format!("\nIssue {} · plan {}\n", issue.issue, issue.solution));
        let place = Discussion::of(&folder.issue.record, Some(self.repository.clone()));
        if let Some((Some(repository), Some(number))) = place.as_ref().map(Discussion::parts) {
            let there = if repository.eq_ignore_ascii_case(&self.repository) { "" } else { repository };
            body.push_str(&format!("\nCloses {there}#{number}\n"));
        }
        let labels = folder.issue.record.tags.iter().cloned().collect();
        Ok(Words { title: issue.title.clone(), body, labels })
    }

    /// Asks the host again and again until each pull request is merged or closed.
    fn watch(&mut self, issues: &[ChosenIssue]) -> Result<(), Refusal> {
        let poll = poll(self.session)?;
        let interrupts = self.session.interrupts()?;
        let mut wait = poll;
        let mut failures = 0;
        while self.view.iter().any(|pulled| pulled.state == PullState::Open) {
            pause(wait, &interrupts)?;
            wait = poll;
            for (n, issue) in issues.iter().enumerate() {
                if self.view[n].state != PullState::Open {
                    continue;
                }
                match pulls::view(&self.repository, self.view[n].number) {
                    Ok(pull) => {
                        failures = 0;
                        self.follow(n, issue, &pull)?;
                    }
                    Err(error) if error.is_passing() && failures < MOST_FAILURES => {
                        failures += 1;
                        wait = (poll * 2u32.pow(failures)).min(LONGEST_WAIT);
                        if failures == 1 {
                            self.session.notice(Notice::note(format!("waited for the host: {error}")));
                        }
                        break;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    fn follow(&mut self, n: usize, issue: &ChosenIssue, pull: &PullRequest) -> Result<(), Refusal> {
        if pull.is_merged() {
            self.record_merge(issue, pull)?;
            self.view[n].state = PullState::Merged;
            return Ok(());
        }
        if !pull.is_open() {
            self.view[n].state = PullState::Closed;
            let what =
                format!("the pull request of `{}` was closed without a merge: {}", issue.issue, pull.url);
            self.session.notice(
                Notice::warning(what)
                    .remedy(RemedyCall::new(Op::Land, [&issue.issue]).flag("pr"), "opens another"),
            );
            return Ok(());
        }
        let mut told = Vec::new();
        for check in pull.status_check_rollup.iter().filter(|check| check.has_failed()) {
            let words = format!("check `{}` failed on {} {}", check.called(), pull.url, check.details_url);
            told.push((FeedbackType::Failure, Stage::Execute, words));
        }
        for review in &pull.reviews {
            let kind = if review.state == "CHANGES_REQUESTED" {
                FeedbackType::Rejection
            } else {
                FeedbackType::Clarification
            };
            if !review.body.trim().is_empty() {
                let words = format!("{} on {}:\n\n{}", review.author.login, pull.url, review.body);
                told.push((kind, Stage::Review, words));
            }
        }
        for (kind, stage, words) in told {
            if self.give_feedback(issue, kind, stage, &words)? {
                self.view[n].feedback += 1;
            }
        }
        Ok(())
    }

    /// Adds feedback unless the issue has it already.
    fn give_feedback(
        &self,
        issue: &ChosenIssue,
        kind: FeedbackType,
        stage: Stage,
        words: &str,
    ) -> Result<bool, Refusal> {
        let mut end = words.len().min(MOST_KEPT);
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        let content = words[..end].trim_end().to_owned();
        let folder = existing(&self.session.store().snapshot()?, &issue.issue)?;
        if folder.feedback.iter().any(|it| it.content == content) {
            return Ok(false);
        }
        let detail =
            FeedbackDetail { solution_id: Some(issue.solution.clone()), ..FeedbackDetail::default() };
        self.session.transact(self.permit, |tx| {
            let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
            let (content, detail) = (content.clone(), detail.clone());
            tx.append(&layout::feedback(&issue.issue), |id| Feedback {
                id,
                kind,
                stage,
                content,
                detail,
                author,
                created_at,
            })?;
            tx.describe(format!("land: {kind} from the pull request of {}", issue.issue));
            Ok(())
        })?;
        Ok(true)
    }

    /// Records that the host has merged a pull request.
    fn record_merge(&self, issue: &ChosenIssue, pull: &PullRequest) -> Result<(), Refusal> {
        let session = self.session;
        let store = session.store();
        let tips = self.target.look(session)?;
        let oid = pull.merge_commit.as_ref().and_then(|merge| object_id(&merge.oid));
        let after = oid.filter(|id| store.repo().is_commit(*id)).unwrap_or(tips.tip);
        let land = Land {
            onto: Some(self.target.branch.clone()),
            before: None,
            after: Some(after.into()),
            how: LandHow::PullRequest,
            tree: Some(store.code_tree_of(after)?.into()),
            commits: issue.commits.iter().map(|id| CommitHash::from(*id)).collect(),
            url: Some(pull.url.clone()),
            reason: None,
        };
        session.transact(self.permit, |tx| {
            tx.log(&issue.execution, Event::Land(land.clone()))?;
            tx.describe(format!("land: {} by {}", issue.issue, pull.url));
            Ok::<_, Refusal>(())
        })?;
        self.target.follow(session, tips.tip)?;
        publish_store(session)
    }
}

fn poll(session: &Session) -> Result<Duration, Refusal> {
    let Some(value) = session.store().config(POLL) else { return Ok(USUAL_POLL) };
    if value == "0" {
        return Ok(Duration::ZERO);
    }
    let millis = parse_duration(&value).and_then(|millis| u64::try_from(millis).ok());
    let why = "expected a number with a unit, such as 30s or 5m";
    let millis = millis.ok_or(StoreError::Config { key: POLL.into(), value, why })?;
    Ok(Duration::from_millis(millis))
}

fn pause(time: Duration, interrupts: &Interrupts) -> Result<(), Refusal> {
    let start = Instant::now();
    loop {
        if interrupts.take() {
            return Err(Refusal::new(Code::Interrupted, "nobody follows the pull requests any more")
                .hint("the same command goes on"));
        }
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK));
    }
}
