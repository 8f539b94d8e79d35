//! Landing through pull requests: the host merges, and what it says while it decides becomes feedback.

use super::chosen::{ChosenIssue, chosen};
use super::commit_status;
use super::follow::{FollowedPlans, Tick};
use super::pulled::{LandByPullRequest, PullState, PullView, PulledIssue};
use super::target::LandTarget;
use super::{LandMethod, LandWork};
use crate::interchange::github::pulls::{self, PullRequest, PullText};
use crate::interchange::github::{GhError, completion};
use crate::model::Branch;
use crate::model::Code;
use crate::model::CommitHash;
use crate::model::Event;
use crate::model::Feedback;
use crate::model::FeedbackDetail;
use crate::model::FeedbackType;
use crate::model::Land;
use crate::model::LandHow;
use crate::model::Op;
use crate::model::RemedyCall;
use crate::model::Stage;
use crate::model::execution::CommitLink;
use crate::model::execution::LinkedBy;
use crate::model::shell;
use crate::ops::host::Waits;
use crate::ops::host::limited;
use crate::ops::host::pause;
use crate::ops::host::poll;
use crate::ops::issues::existing;
use crate::ops::work::{as_claimed, publish_store};
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::rules::Discussion;
use crate::rules::reply_task;
use crate::store::ObjectId;
use crate::store::layout;
use crate::store::object_id;
use crate::store::records;
use crate::sync::{self, BranchPushed, CodePush};
use crate::trail::links;

/// The branches that are pushed for pull requests are below this name.
const BRANCHES: &str = "land";
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
    let followed = FollowedPlans::configured(store)?;
    let mut forge = Forge { session, permit, target, remote, repository, followed, view: vec![] };
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
    followed: FollowedPlans,
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
        let [work] = issue.heads[..] else {
            let message = format!("the work of `{id}` is on several branches, and a pull request has one");
            return Err(
                Refusal::new(Code::NoBranch, message).command("git merge", "joins them; then link the merge")
            );
        };
        let branch = Branch::of_short(&format!("{BRANCHES}/{id}"))
            .ok_or_else(|| Refusal::unreadable(&format!("the id `{id}` as the name of a branch")))?;
        let tick = self.followed.tick(self.session, work, issue)?;
        let head = self.push(&branch, work, tick.as_ref())?;
        commit_status::set(self.session, &self.repository, issue, head)?;
        let words = self.words(issue)?;
        let text = PullText { title: &words.title, body: &words.body };
        let known = limited(self.session, || pulls::of_branch(&self.repository, branch.short()))?;
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
            limited(self.session, || pulls::edit(&self.repository, open.number, &text))?;
            return Ok(shown(open, false));
        }
        for merged in known.iter().filter(|pull| pull.is_merged()) {
            let last = object_id(&merged.head_ref_oid);
            let is_ticked = match (last, &tick) {
                (Some(last), Some(tick)) => tick.is(self.session.store(), last, work)?,
                _ => false,
            };
            if is_ticked || last == Some(work) || last == Some(head) {
                self.record_merge(issue, merged)?;
                return Ok(PulledIssue { state: PullState::Merged, ..shown(merged, false) });
            }
        }
        let url = self.open(&branch, &text, &words.labels)?;
        let number = url.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default();
        Ok(shown(&PullRequest { number, url, ..PullRequest::default() }, true))
    }

    /// Pushes the branch of an issue: its work, and on top of that what ticks it off in the files of a plan tool. Returns its last
    /// commit.
    fn push(&self, branch: &Branch, work: ObjectId, tick: Option<&Tick>) -> Result<ObjectId, Refusal> {
        let store = self.session.store();
        let (session, remote) = (self.session, &self.remote);
        let expected = session.asking(|watch| sync::fetch_branch(store, remote, branch, watch))?;
        let head = match (tick, expected) {
            (None, _) => work,
            (Some(tick), Some(known)) if tick.is(store, known, work)? => known,
            (Some(tick), _) => tick.commit(store, work, store.config_bool("commit.gpgSign", false)?)?,
        };
        if expected == Some(head) {
            return Ok(head);
        }
        let push = CodePush { remote, branch, expected, new: head };
        match session.asking(|watch| sync::push_branch(store, &push, watch))? {
            BranchPushed::Accepted => Ok(head),
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
        let mut waits = Waits::new(poll);
        while self.view.iter().any(|pulled| pulled.state == PullState::Open) {
            pause(waits.next(), &interrupts)?;
            for (n, issue) in issues.iter().enumerate() {
                if self.view[n].state != PullState::Open {
                    continue;
                }
                match pulls::view(&self.repository, self.view[n].number) {
                    Ok(pull) => {
                        waits.succeeded();
                        self.follow(n, issue, &pull)?;
                    }
                    Err(error) if error.is_passing() && waits.failed() => {
                        if waits.is_first() {
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
        let tick = self.tick_of(issue, pull)?;
        session.transact(self.permit, |tx| {
            if let Some(tick) = &tick {
                tx.log(&issue.execution, Event::Commit(tick.clone()))?;
            }
            tx.log(&issue.execution, Event::Land(land.clone()))?;
            tx.describe(format!("land: {} by {}", issue.issue, pull.url));
            Ok::<_, Refusal>(())
        })?;
        self.target.follow(session, tips.tip)?;
        publish_store(session)
    }

    /// The link of the commit that ticked an issue off in a pull request: the one on top of its work.
    fn tick_of(&self, issue: &ChosenIssue, pull: &PullRequest) -> Result<Option<CommitLink>, Refusal> {
        let store = self.session.store();
        let last = object_id(&pull.head_ref_oid).filter(|id| store.repo().is_commit(*id));
        let Some(last) = last.filter(|last| !issue.commits.contains(last)) else { return Ok(None) };
        let commit = store.code_commit(last)?;
        if commit.parents != issue.heads {
            return Ok(None);
        }
        let files = links::files(store, &commit)?;
        Ok(Some(links::link(&commit, &files, vec![], LinkedBy::Land)))
    }
}
