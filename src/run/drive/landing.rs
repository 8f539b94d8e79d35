//! Lands what a run completes, issue by issue, so that later issues begin with what has landed.

use super::Driver;
use crate::git::ObjectId;
use crate::model::{Branch, IssueId, IssueReached, IssueStatus, Op, RemedyCall, count};
use crate::ops::work::runs::is_in;
use crate::ops::work::{self, LandMethod, LandView, LandWork, NotLanded, WhyNotLanded};
use crate::ops::{Notice, Refusal, RefusalKind};
use crate::run::testing::{TEST_LIMIT, Unseen};
use crate::run::watch::RunUpdate;
use crate::store::{StoreError, object_id};

impl Driver<'_> {
    /// Lands a completed issue, if the run does that. What does not land is told, and the run goes on.
    pub(super) fn land(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let Some(view) = self.landed(issue.as_str(), false)? else { return Ok(()) };
        let is_conflict = |left: &NotLanded| left.issue_id == *issue && left.why == WhyNotLanded::Conflict;
        if !view.not_landed.iter().any(is_conflict) {
            return self.tell_landed(&view);
        }
        // Others landed while it was tested. Its agent knows best what it meant; then a person decides.
        if self.ask_about_target(issue)? { Ok(()) } else { self.land_work(issue.as_str()) }
    }

    /// Lands what an earlier process of the run left, or what did not fit before.
    pub(super) fn land_rest(&mut self) -> Result<(), Refusal> {
        self.land_work(&self.run.id.to_string())
    }

    fn land_work(&mut self, what: &str) -> Result<(), Refusal> {
        let view = self.landed(what, true)?;
        view.map_or(Ok(()), |view| self.tell_landed(&view))
    }

    /// Lands, if the run does that; `by_hand` begins the merge of a conflict for a person. `None` if there is nothing to tell any
    /// more.
    fn landed(&mut self, what: &str, by_hand: bool) -> Result<Option<LandView>, Refusal> {
        if !self.run.lands {
            return Ok(None);
        }
        let (onto, how) = (None, LandMethod::Merge);
        let input = LandWork {
            what: vec![what.to_owned()],
            all: false,
            onto,
            how,
            batch: 1,
            dry_run: false,
            by_hand,
        };
        let landed =
            work::landing(self.session, input).and_then(|landing| landing.run(TEST_LIMIT, &mut Unseen));
        match landed {
            Ok(done) => {
                for notice in &done.notices {
                    self.watch.update(&RunUpdate::Noticed(notice));
                }
                let last = done.view.landed.last().and_then(|it| object_id(&it.after));
                if let Some(tip) = last {
                    self.follow_target(tip)?;
                }
                Ok(Some(done.view))
            }
            Err(refusal) if refusal.is_stop() => Err(refusal),
            Err(refusal) if refusal.kind == RefusalKind::Nothing => Ok(None),
            Err(refusal) => {
                let what = format!("{what} did not land: {}", refusal.message);
                let call = RemedyCall::new(Op::Land, [&self.run.id]);
                self.watch.update(&RunUpdate::Noticed(&Notice::warning(what).remedy(call, "tries again")));
                Ok(None)
            }
        }
    }

    fn tell_landed(&mut self, view: &LandView) -> Result<(), Refusal> {
        let onto = view.onto.short();
        for landed in &view.landed {
            let commits = count(landed.commits.len(), "commit");
            let note = format!("{} landed on {onto} ({commits}, {})", landed.issue_id, landed.after.short());
            self.watch.update(&RunUpdate::Noticed(&Notice::note(note)));
            let mut reached = IssueReached::plain(landed.issue_id.clone(), IssueStatus::Completed);
            reached.landed = Some(landed.after.clone());
            reached.note = Some(format!("landed on {onto}"));
            self.log_issue("landed", reached)?;
        }
        for left in &view.not_landed {
            let what = format!("{} did not land on {onto}: {}", left.issue_id, left.message);
            let notice = match &left.place {
                Some(place) => {
                    let call = RemedyCall::new(Op::Land, [&left.issue_id]).flag("continue");
                    let does = format!(
                        "lands the unfinished merge in {}, once you have resolved it",
                        place.display()
                    );
                    Notice::warning(what).remedy(call, does)
                }
                None => {
                    Notice::warning(what).remedy(RemedyCall::new(Op::Land, [&left.issue_id]), "tries again")
                }
            };
            self.watch.update(&RunUpdate::Noticed(&notice));
            let message = format!("{} waits for you: it did not land on {onto}", left.issue_id);
            self.notify_waiting(&left.issue_id, "landing", message, Some(left.message.clone()))?;
        }
        Ok(())
    }

    /// Brings what others have landed meanwhile into the branch of the run, if the run lands: so a conflict with it shows before
    /// more lands.
    pub(super) fn take_in_target(&mut self) -> Result<(), Refusal> {
        if !self.run.lands {
            return Ok(());
        }
        match work::target_tip(self.session) {
            Ok(tip) if is_in(self.session.store(), tip, self.head) => Ok(()),
            Ok(tip) => self.follow_target(tip),
            Err(refusal) if refusal.is_stop() => Err(refusal),
            // Landing says what is wrong.
            Err(_) => Ok(()),
        }
    }

    /// Brings what has landed into the branch of the run, on which later issues build.
    fn follow_target(&mut self, tip: ObjectId) -> Result<(), Refusal> {
        let there = self.branch_tree()?;
        let message = format!("Merge what has landed into {}", Branch::of_run(&self.run.id));
        match there.git().merge_commit(tip, &message).map_err(StoreError::Git)? {
            Ok(()) => {}
            Err(words) => {
                let what = format!("the branch of the run cannot take in what has landed: {words}");
                self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
            }
        }
        self.know_branch()
    }
}
