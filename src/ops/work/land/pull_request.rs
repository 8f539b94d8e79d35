//! Landing through pull requests: the host merges.

use super::carried::tell_carried;
use super::chosen::{ChosenIssue, chosen};
use super::follow::{FollowedPlans, Tick};
use super::pulled::{LandByPullRequest, PullState, PullView, PulledIssue};
use super::target::LandTarget;
use super::{LandMethod, LandWork, commit_status};
use crate::interchange::github::pulls::{self, HostRemark, PullRequest, PullText};
use crate::interchange::github::{GhError, completion};
use crate::model::{Branch, Code, CommitHash, Op, shell};
use crate::ops::host::{Waits, limited, pause, poll};
use crate::ops::issues::existing;
use crate::ops::work::as_claimed;
use crate::ops::{Answer, Notice, Permit, Refusal, Session};
use crate::rules::{Discussion, reply_task};
use crate::store::{ObjectId, StoreError, object_id, records};
use crate::sync::{self, BranchPushed, CodePush};

/// The branches that are pushed for pull requests are below this name.
const BRANCHES: &str = "land";

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
    let issues = chosen(session, &work, &target, &tips, &FollowedPlans::none())?;
    tell_carried(session, &target, &tips, &issues)?;
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

/// The host of the repository, and the pull requests there.
pub(super) struct Forge<'s> {
    pub(super) session: &'s Session,
    pub(super) permit: Permit,
    pub(super) target: LandTarget,
    pub(super) remote: String,
    repository: String,
    followed: FollowedPlans,
    pub(super) view: Vec<PulledIssue>,
}

/// The branch that is pushed for the pull request of an issue.
pub(super) fn branch_of(issue: &ChosenIssue) -> Result<Branch, Refusal> {
    let id = &issue.issue;
    Branch::of_short(&format!("{BRANCHES}/{id}"))
        .ok_or_else(|| Refusal::unreadable(&format!("the id `{id}` as the name of a branch")))
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
        let branch = branch_of(issue)?;
        let tick = self.followed.tick(self.session, work, issue)?;
        let head = self.push(issue, &branch, work, tick.as_ref())?;
        commit_status::set(self.session, &self.repository, issue, head)?;
        let words = self.words(issue)?;
        let text = PullText { title: &words.title, body: &words.body };
        let known = limited(self.session, || pulls::of_branch(&self.repository, branch.short()))?;
        let (pull, opened) = match self.lasting(known, &[work, head], tick.as_ref())? {
            Some(pull) if pull.is_open() => {
                self.tell_other_base(issue, &pull);
                limited(self.session, || pulls::edit(&self.repository, pull.number, &text))?;
                (pull, false)
            }
            Some(pull) => (pull, false),
            None => {
                let url = limited(self.session, || self.open(&branch, &text, &words.labels))?;
                let number =
                    url.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default();
                (PullRequest { number, url, ..PullRequest::default() }, true)
            }
        };
        let state = if pull.is_merged() { self.record_merge(issue, &pull)? } else { PullState::Open };
        Ok(PulledIssue {
            issue_id: id.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            branch,
            number: pull.number,
            url: pull.url,
            state,
            opened,
            feedback: 0,
        })
    }

    /// Says if the host would merge a pull request into another branch, as after someone retargeted it.
    fn tell_other_base(&self, issue: &ChosenIssue, pull: &PullRequest) {
        let (base, branch) = (&pull.base_ref_name, self.target.branch.short());
        if !base.is_empty() && base != branch {
            let message = format!(
                "the pull request of `{}` goes into `{base}`, not `{branch}`: {}",
                issue.issue, pull.url
            );
            let command = format!("gh pr edit {} --base {}", pull.number, shell::operand(branch));
            self.session.notice(Notice::warning(message).command(command, "changes that"));
        }
    }

    /// Of the pull requests of a branch the open one, else one by which the host has merged one of these commits, or what ticks
    /// the first of them off.
    fn lasting(
        &self,
        known: Vec<PullRequest>,
        commits: &[ObjectId; 2],
        tick: Option<&Tick>,
    ) -> Result<Option<PullRequest>, Refusal> {
        let store = self.session.store();
        let mut merged = None;
        for pull in known {
            if pull.is_open() {
                return Ok(Some(pull));
            }
            // One that was merged into another branch brought nothing here.
            if !pull.is_merged() || pull.base_ref_name != self.target.branch.short() {
                continue;
            }
            let Some(last) = object_id(&pull.head_ref_oid) else { continue };
            let is_ticked = match tick {
                Some(tick) => tick.is(store, last, commits[0])?,
                None => false,
            };
            if merged.is_none() && (is_ticked || commits.contains(&last)) {
                merged = Some(pull);
            }
        }
        Ok(merged)
    }

    /// Pushes the branch of a pull request: the work, and on top of that what ticks it off in the files of a plan tool. Only such
    /// commits may go from the branch. Returns its last commit.
    fn push(
        &self,
        issue: &ChosenIssue,
        branch: &Branch,
        work: ObjectId,
        tick: Option<&Tick>,
    ) -> Result<ObjectId, Refusal> {
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
        if let Some(there) = expected {
            self.refuse_foreign(issue, branch, there, head, tick)?;
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

    /// Refuses to drop commits from the branch of a pull request that the issue never had, such as a reviewer's.
    fn refuse_foreign(
        &self,
        issue: &ChosenIssue,
        branch: &Branch,
        there: ObjectId,
        head: ObjectId,
        tick: Option<&Tick>,
    ) -> Result<(), Refusal> {
        let store = self.session.store();
        let folder = existing(&store.snapshot()?, &issue.issue)?;
        let mut foreign = Vec::new();
        let lost = store.git().between(&[there], &[head]).map_err(StoreError::Git)?;
        for commit in lost {
            let hash = commit.to_string();
            if folder.executions.iter().any(|execution| execution.knows_commit(&hash)) {
                continue;
            }
            let code = store.code_commit(commit)?;
            if !tick.is_some_and(|tick| tick.says_the_same(&code)) {
                foreign.push(format!("{} {}", CommitHash::from(commit).short(), code.subject));
            }
        }
        let Some(first) = foreign.first() else { return Ok(()) };
        let more = if foreign.len() > 1 { format!(" and {} more", foreign.len() - 1) } else { String::new() };
        let (short, remote) = (branch.short(), &self.remote);
        let message =
            format!("`{short}` of `{remote}` has commits that are not part of the work: {first}{more}");
        Err(Refusal::new(Code::Raced, message)
            .command(
                format!("git fetch {}", shell::operand(remote)),
                "brings them, to be merged into the work",
            )
            .command(
                format!("git push {} --delete {}", shell::operand(remote), shell::operand(short)),
                "gives them up",
            ))
    }

    /// Opens a pull request. A label that the host does not know is no reason not to.
    fn open(&self, branch: &Branch, text: &PullText<'_>, labels: &[String]) -> Result<String, GhError> {
        let all: Vec<&str> = labels.iter().map(String::as_str).collect();
        let (repository, base) = (&self.repository, self.target.branch.short());
        match pulls::open(repository, branch.short(), base, text, &all) {
            Err(GhError::Failed { said, .. }) if !all.is_empty() && said.contains("label") => {
                self.session.notice(Notice::note(format!("the pull request has no labels: {said}")));
                pulls::open(repository, branch.short(), base, text, &[])
            }
            opened => opened,
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
        let place = Discussion::from_issue(&folder.issue.record, Some(self.repository.clone()));
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
                match self.looked(n) {
                    Ok((pull, remarks)) => {
                        waits.succeeded();
                        self.follow(n, issue, &pull, &remarks)?;
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

    /// A pull request as it is now, with the remarks on its lines.
    fn looked(&self, n: usize) -> Result<(PullRequest, Vec<HostRemark>), GhError> {
        let number = self.view[n].number;
        let pull = pulls::view(&self.repository, number)?;
        let remarks = if pull.is_open() { pulls::remarks(&self.repository, number)? } else { vec![] };
        Ok((pull, remarks))
    }
}
