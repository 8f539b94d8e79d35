//! What a pull request brought to the branch when the host merged it. A reviewer may have changed where it goes, or what is in it.

use super::chosen::ChosenIssue;
use super::pull_request::{Forge, branch_of};
use super::pulled::PullState;
use super::target::TargetTips;
use crate::interchange::github::pulls::PullRequest;
use crate::model::execution::{CommitLink, LinkedBy};
use crate::model::{CommitHash, Event, Land, LandHow, Op, RemedyCall, count};
use crate::ops::work::publish_store;
use crate::ops::{Notice, Refusal};
use crate::rules::LandedState;
use crate::store::{ObjectId, Store, StoreError, object_id, records};
use crate::sync;
use crate::trail::landed::derive_one;
use crate::trail::links;
use crate::trail::sources::Sources;

impl Forge<'_> {
    /// Records what the host merged by a pull request, as far as it is on the branch.
    pub(super) fn record_merge(&self, issue: &ChosenIssue, pull: &PullRequest) -> Result<PullState, Refusal> {
        let session = self.session;
        let store = session.store();
        let tips = self.target.look(session)?;
        let execution = records::execution(&store.snapshot()?, &issue.execution, &mut Vec::new())?
            .ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
        let there = derive_one(store, &self.target.branch, &[tips.tip], &execution)?.landed;
        let mut made: Vec<CommitHash> = Vec::new();
        let (after, before, commits) = match self.merge_commit(pull, &tips)? {
            Ok(after) => {
                let head = self.last_commit(issue, pull)?;
                let mut commits = Vec::new();
                for id in &issue.commits {
                    let is_in_it = head.map_or(Ok(false), |head| store.is_ancestor(*id, head))?;
                    if is_in_it || there.commits.contains(&CommitHash::from(*id)) {
                        commits.push(CommitHash::from(*id));
                    }
                }
                let proofs = derive_one(store, &self.target.branch, &[after], &execution)?.proofs;
                let before = before_merge(store, after, &proofs)?;
                if before.is_some() && store.code_commit(after)?.parents.len() == 1 && !commits.is_empty() {
                    made.push(after.into());
                }
                made.extend(proofs);
                (after, before, commits)
            }
            Err(why) if there.state != LandedState::Landed => {
                session.notice(self.not_there(issue, pull, &why));
                return Ok(PullState::Incomplete);
            }
            // The tip of the branch may have work of others, too.
            Err(_) => (tips.tip, None, issue.commits.iter().map(|id| CommitHash::from(*id)).collect()),
        };
        let lost = issue.commits.len() - commits.len();
        if lost > 0 {
            let why = format!("nothing shows that it still had {} of the work", count(lost, "commit"));
            session.notice(self.not_there(issue, pull, &why));
        }
        // An entry without a list would speak of everything.
        if !commits.is_empty() {
            let land = Land {
                onto: Some(self.target.branch.clone()),
                before: before.map(Into::into),
                after: Some(after.into()),
                how: LandHow::PullRequest,
                tree: Some(store.code_tree_of(after)?.into()),
                commits,
                url: Some(pull.url.clone()),
                reason: None,
            };
            self.log_merge(issue, pull, &land, &made)?;
        }
        self.target.follow(session, tips.tip)?;
        publish_store(session)?;
        Ok(if lost > 0 { PullState::Incomplete } else { PullState::Merged })
    }

    /// Records a landing, and links the commits that the host `made` of the work.
    fn log_merge(
        &self,
        issue: &ChosenIssue,
        pull: &PullRequest,
        land: &Land,
        made: &[CommitHash],
    ) -> Result<(), Refusal> {
        let mut links: Vec<CommitLink> = self.tick_of(issue, pull)?.into_iter().collect();
        for hash in made {
            if let Some(link) = self.link_of_host(issue, hash)?
                && links.iter().all(|known| known.hash != link.hash)
            {
                links.push(link);
            }
        }
        self.session.transact(self.permit, |tx| {
            for link in &links {
                tx.log(&issue.execution, Event::Commit(link.clone()))?;
            }
            tx.log(&issue.execution, Event::Land(land.clone()))?;
            tx.describe(format!("land: {} by {}", issue.issue, pull.url));
            Ok::<_, Refusal>(())
        })?;
        Ok(())
    }

    /// The link of a commit that the host made of the work, such as a squash; `None` if it is linked, or if it belongs to
    /// someone else.
    fn link_of_host(&self, issue: &ChosenIssue, hash: &CommitHash) -> Result<Option<CommitLink>, Refusal> {
        let store = self.session.store();
        let snapshot = store.snapshot()?;
        let Some(id) = store.commit_here(hash) else { return Ok(None) };
        if issue.commits.contains(&id) || !Sources::new(store, &snapshot).known(hash)?.is_empty() {
            return Ok(None);
        }
        let commit = store.code_commit(id)?;
        let files = links::files(store, &commit)?;
        Ok(Some(links::link(&commit, &files, vec![], LinkedBy::Land)))
    }

    /// The commit by which the host merged a pull request, which the branch has; the inner error says why there is none.
    fn merge_commit(
        &self,
        pull: &PullRequest,
        tips: &TargetTips,
    ) -> Result<Result<ObjectId, String>, Refusal> {
        let store = self.session.store();
        let (base, branch) = (&pull.base_ref_name, self.target.branch.short());
        if base != branch {
            return Ok(Err(format!("it was merged into `{base}`")));
        }
        let named = pull.merge_commit.as_ref().and_then(|merge| object_id(&merge.oid));
        match named.filter(|id| store.repo().is_commit(*id)) {
            Some(after) if store.is_ancestor(after, tips.tip)? => Ok(Ok(after)),
            _ => Ok(Err(format!("`{branch}` does not have the commit by which it was merged"))),
        }
    }

    /// The last commit of a pull request as it was merged, if it is here or can be fetched.
    fn last_commit(&self, issue: &ChosenIssue, pull: &PullRequest) -> Result<Option<ObjectId>, Refusal> {
        let store = self.session.store();
        let Some(last) = object_id(&pull.head_ref_oid) else { return Ok(None) };
        if !store.repo().is_commit(last) {
            let branch = branch_of(issue)?;
            self.session.asking(|watch| sync::fetch_branch(store, &self.remote, &branch, watch))?;
        }
        Ok(Some(last).filter(|last| store.repo().is_commit(*last)))
    }

    fn not_there(&self, issue: &ChosenIssue, pull: &PullRequest, why: &str) -> Notice {
        let (id, branch) = (&issue.issue, self.target.branch.short());
        let message = format!("{} is merged, but not all of `{id}` is on `{branch}`: {why}", pull.url);
        let call = RemedyCall::new(Op::Land, [id]).option("as", "COMMIT");
        Notice::warning(message).remedy(call, "states which commit of the branch has it")
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

/// The commit of the branch before the host merged a pull request as `after`: the first parent of a merge or a squash; if the
/// commits came one by one, as `proofs` say, the parent of the first.
fn before_merge(
    store: &Store,
    after: ObjectId,
    proofs: &[CommitHash],
) -> Result<Option<ObjectId>, StoreError> {
    let mut at = after;
    loop {
        let commit = store.code_commit(at)?;
        match commit.parents[..] {
            [parent] if proofs.contains(&parent.into()) => at = parent,
            _ => return Ok(commit.parents.first().copied()),
        }
    }
}
