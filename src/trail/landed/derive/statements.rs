//! Commits of which the log says as which commit they came to the branch: a person or the host says so, or the landing itself,
//! such as of a commit whose change was there already.

use std::collections::{BTreeSet, HashMap};

use super::{Pass, Work, inside, places_of};
use crate::git::{ExactChange, ObjectId};
use crate::model::{CommitHash, Event, Land};
use crate::store::{StoreError, object_id};
use crate::trail::exact_change;

/// An entry of a log about a landing.
struct Statement<'a> {
    of: usize,
    after: ObjectId,
    land: &'a Land,
}

impl Statement<'_> {
    /// Whether it speaks of a linked commit: of itself, or of an earlier version that makes the same change.
    fn names(&self, work: &Work<'_>, changes: &HashMap<ObjectId, ExactChange>) -> bool {
        let Land { commits, .. } = self.land;
        if !self.land.is_stated() {
            return commits.contains(work.hash());
        }
        // A statement without a list speaks of everything.
        if commits.is_empty() || commits.contains(work.hash()) {
            return true;
        }
        let Some(change) = work.id.and_then(|id| changes.get(&id)) else { return false };
        let mut earlier = work.linked.rewritten_from.iter().filter(|hash| commits.contains(hash));
        earlier.any(|hash| is_of(hash, change, changes))
    }
}

/// Whether a commit makes a change.
fn is_of(hash: &CommitHash, change: &ExactChange, changes: &HashMap<ObjectId, ExactChange>) -> bool {
    object_id(hash).and_then(|id| changes.get(&id)) == Some(change)
}

impl Pass<'_> {
    /// Lets the commits that the log names stand for what it says, and what was derived before.
    pub(super) fn by_statement(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let statements = self.statements(work)?;
        let changes = self.changes_of_rewritten(&statements, work)?;
        for statement in &statements {
            let after = statement.after;
            let places = places_of(work, statement.of);
            for commit in work[places].iter_mut().filter(|commit| commit.is_open()) {
                if !statement.names(commit, &changes) {
                    continue;
                }
                match self.taken_back.get(&after) {
                    None if statement.land.is_stated() || self.is_later(after, commit) => {
                        commit.proof = Some(after.into());
                    }
                    Some(place) if statement.land.is_stated() => commit.note_revert(*place),
                    _ => {}
                }
            }
        }
        for commit in work.iter_mut().filter(|commit| commit.is_open()) {
            let Some(before) = self.questions[commit.of].before else { continue };
            if let Some(n) = before.landed.commits.iter().position(|hash| hash == commit.hash()) {
                commit.proof = before.proofs.get(n).cloned();
            }
        }
        Ok(())
    }

    /// The entries about open work that name a commit of the branch.
    fn statements(&self, work: &[Work<'_>]) -> Result<Vec<Statement<'_>>, StoreError> {
        let open = work.iter().filter(|commit| commit.is_open());
        let open: BTreeSet<usize> = open.map(|commit| commit.of).collect();
        let mut found = Vec::new();
        for of in open {
            for entry in &self.executions[of].log {
                if let Event::Land(land) = &entry.event
                    && let Some(after) = land.after.as_ref().and_then(|hash| self.store.commit_here(hash))
                {
                    found.push(Statement { of, after, land });
                }
            }
        }
        let named = found.iter().map(|statement| statement.after).collect();
        let here = inside(self.store, self.asked.tips, named)?;
        found.retain(|statement| here.contains(&statement.after));
        Ok(found)
    }

    /// The changes of the commits of which a statement names an earlier version, and of those versions.
    fn changes_of_rewritten(
        &self,
        statements: &[Statement<'_>],
        work: &[Work<'_>],
    ) -> Result<HashMap<ObjectId, ExactChange>, StoreError> {
        let mut wanted = Vec::new();
        let stated: Vec<&Statement<'_>> =
            statements.iter().filter(|statement| statement.land.is_stated()).collect();
        for commit in work.iter().filter(|commit| commit.is_open()) {
            for earlier in &commit.linked.rewritten_from {
                let is_named = stated
                    .iter()
                    .any(|statement| statement.of == commit.of && statement.land.commits.contains(earlier));
                if is_named {
                    wanted.extend(commit.id);
                    wanted.extend(self.store.commit_here(earlier));
                }
            }
        }
        exact_change::of_commits(self.store, &wanted)
    }
}
