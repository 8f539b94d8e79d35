//! What comes along with the chosen work, and what it needs that does not.

use std::collections::{BTreeMap, BTreeSet};

use super::chosen::{ChosenIssue, completed_work, in_order};
use super::place::HalfDonePlace;
use super::target::{LandTarget, TargetTips};
use super::tests::{LandTest, is_agreed, land_tests};
use super::work_left::{WorkLeft, is_within, work_left};
use crate::git::Revisions;
use crate::model::hash::CommitHash;
use crate::model::id::{IssueId, SolutionId};
use crate::model::op::{Op, Other};
use crate::model::remedy::RemedyCall;
use crate::model::status::ExecutionStatus;
use crate::model::words::count;
use crate::ops::queue::{BaseCommit, absent};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::facts;
use crate::store::{CodeCommit, ObjectId, ReadState, Snapshot, Store, StoreError, records};
use crate::trail::sources::Sources;
use crate::trail::{links, trailers};

/// How many commits of an issue are looked at for work of others.
const MOST_CARRIED: usize = 1000;

/// The plans that a commit works on: those that its trailers name, else those that link it.
pub(super) fn plans_of<R: ReadState>(
    read: &R,
    sources: &Sources<'_, R>,
    commit: &CodeCommit,
) -> Result<Vec<SolutionId>, StoreError> {
    let named = links::solutions(read, &trailers::parse(&commit.message))?;
    let mut plans: Vec<SolutionId> = named.into_iter().collect();
    if plans.is_empty() {
        for execution in sources.known(&commit.id.into())? {
            let folder = records::execution(read, &execution, &mut Vec::new())?;
            plans.extend(folder.map(|folder| folder.execution.solution_id));
        }
    }
    Ok(plans)
}

/// What comes along with the chosen work.
#[derive(Default)]
struct CarriedWork {
    /// Issues of which it has commits, each with the chosen ones that build on them, by their places.
    issues: BTreeMap<IssueId, Vec<usize>>,
    /// Commits that belong to no plan.
    of_nobody: Vec<CodeCommit>,
}

impl CarriedWork {
    fn find(
        session: &Session,
        snapshot: &Snapshot<'_>,
        tips: &TargetTips,
        chosen: &[ChosenIssue],
    ) -> Result<Self, Refusal> {
        let store = session.store();
        let sources = Sources::new(store, snapshot);
        let own: BTreeSet<&SolutionId> = chosen.iter().map(|issue| &issue.solution).collect();
        let mut found = Self::default();
        for (place, issue) in chosen.iter().enumerate() {
            for id in brought(store, issue, tips.tip)? {
                let Some(commit) = store.sound_commit(id)? else { continue };
                let plans = plans_of(snapshot, &sources, &commit)?;
                if plans.is_empty() && found.of_nobody.iter().all(|known| known.id != id) {
                    found.of_nobody.push(commit);
                }
                for plan in plans.iter().filter(|plan| !own.contains(plan)) {
                    let other = plan.issue();
                    if chosen.iter().all(|issue| issue.issue != other) {
                        let places = found.issues.entry(other).or_default();
                        if places.last() != Some(&place) {
                            places.push(place);
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The commits that come with an issue, without merges. Mostly they are its own, each on top of the others or of the branch, and
/// then git need not walk the history.
fn brought(store: &Store, issue: &ChosenIssue, tip: ObjectId) -> Result<Vec<ObjectId>, Refusal> {
    let mut own = Vec::new();
    let mut is_own = issue.heads.iter().all(|head| issue.commits.contains(head));
    for id in &issue.commits {
        let Some(commit) = store.sound_commit(*id)? else { continue };
        for parent in &commit.parents {
            is_own = is_own && (issue.commits.contains(parent) || store.is_ancestor(*parent, tip)?);
        }
        if commit.parents.len() < 2 && !store.is_ancestor(*id, tip)? {
            own.push(*id);
        }
    }
    if is_own {
        return Ok(own);
    }
    let wanted = issue.heads.iter().fold(Revisions::none(), Revisions::and).without(tip);
    Ok(store.git().revisions(wanted.no_merges().at_most(MOST_CARRIED)).map_err(StoreError::Git)?)
}

/// The chosen work with the completed work of others on which it builds and that comes along as a whole: that lands as well,
/// before it, with its own tests. Says what else comes along.
pub(super) fn with_carried(
    session: &Session,
    target: &LandTarget,
    tips: &TargetTips,
    mut chosen: Vec<ChosenIssue>,
) -> Result<Vec<ChosenIssue>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let mut carried = CarriedWork::find(session, &snapshot, tips, &chosen)?;
    let mut added: Vec<ChosenIssue> = Vec::new();
    for (other, places) in std::mem::take(&mut carried.issues) {
        let heads: Vec<ObjectId> = places.iter().flat_map(|place| &chosen[*place].heads).copied().collect();
        match whole(session, &snapshot, target, tips, &other, &heads)? {
            WholeWork::Lands(work) => {
                let first = &chosen[places[0]].issue;
                session.notice(Notice::note(format!(
                    "`{first}` builds on work of `{other}`, which lands before it"
                )));
                for place in places {
                    chosen[place].depends_on.insert(other.clone());
                }
                added.push(ChosenIssue { is_carried: true, ..*work });
            }
            WholeWork::Landed => {}
            WholeWork::Other => drop(carried.issues.insert(other, places)),
        }
    }
    let has_more = !added.is_empty();
    for n in 0..added.len() {
        for other in added.clone() {
            if other.issue != added[n].issue && is_within_any(store, &other, &added[n].heads)? {
                added[n].depends_on.insert(other.issue);
            }
        }
    }
    chosen.extend(added);
    tell(session, &snapshot, target, tips, &chosen, &carried)?;
    Ok(if has_more { in_order(chosen, &HalfDonePlace::issues(store)?) } else { chosen })
}

/// Leaves out the carried issues to whose tests nobody here has agreed, since nobody was asked, as in a run: they come along
/// without their tests.
pub(super) fn leave_out_unagreed(
    session: &Session,
    issues: &mut Vec<ChosenIssue>,
    tests: &mut Vec<LandTest>,
) -> Result<(), Refusal> {
    let mut unagreed: BTreeSet<IssueId> = BTreeSet::new();
    for (place, issue) in issues.iter().enumerate() {
        if issue.is_carried && !is_agreed(session, tests, place, issue)? {
            let other = &issue.issue;
            let message =
                format!("nobody here has agreed to the tests of `{other}`, so it comes along without them");
            let land = RemedyCall::new(Op::Land, [other.to_string()]);
            session.notice(Notice::warning(message).remedy(land, "asks for consent and lands it"));
            unagreed.insert(other.clone());
        }
    }
    if !unagreed.is_empty() {
        issues.retain(|issue| !unagreed.contains(&issue.issue));
        *tests = land_tests(session, issues)?;
    }
    Ok(())
}

/// The work of an issue of which some commits come along.
enum WholeWork {
    /// All of it comes along, and can land.
    Lands(Box<ChosenIssue>),
    /// It is on the branch already, in another form.
    Landed,
    /// It is not completed, or only a part of it comes along.
    Other,
}

fn whole(
    session: &Session,
    snapshot: &Snapshot<'_>,
    target: &LandTarget,
    tips: &TargetTips,
    issue: &IssueId,
    heads: &[ObjectId],
) -> Result<WholeWork, Refusal> {
    let store = session.store();
    let Some(folder) = records::issue(snapshot, issue)? else { return Ok(WholeWork::Other) };
    let holder = facts::holder(&folder).filter(|holder| holder.outcome() == ExecutionStatus::Completed);
    let Some(holder) = holder else { return Ok(WholeWork::Other) };
    let work = completed_work(store, snapshot, &folder, holder)?;
    let has_commits = !work.commits.is_empty();
    Ok(match work_left(store, target, tips, work, holder)? {
        WorkLeft::Lands(work) if is_within_any(store, &work, heads)? => WholeWork::Lands(work),
        WorkLeft::Nothing(_) if has_commits => WholeWork::Landed,
        _ => WholeWork::Other,
    })
}

/// Whether one of these commits has all work of an issue that is here.
fn is_within_any(store: &Store, issue: &ChosenIssue, heads: &[ObjectId]) -> Result<bool, StoreError> {
    for head in heads {
        if is_within(store, issue, *head)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says which work of other issues comes along since the chosen work builds on it, which commits of no plan do, and which
/// dependency is left behind.
pub(super) fn tell_carried(
    session: &Session,
    target: &LandTarget,
    tips: &TargetTips,
    chosen: &[ChosenIssue],
) -> Result<(), Refusal> {
    let snapshot = session.store().snapshot()?;
    let carried = CarriedWork::find(session, &snapshot, tips, chosen)?;
    tell(session, &snapshot, target, tips, chosen, &carried)
}

fn tell(
    session: &Session,
    snapshot: &Snapshot<'_>,
    target: &LandTarget,
    tips: &TargetTips,
    chosen: &[ChosenIssue],
    carried: &CarriedWork,
) -> Result<(), Refusal> {
    for (other, places) in &carried.issues {
        let Some(outline) = records::outline(snapshot, other)? else { continue };
        let issue = &chosen[places[0]].issue;
        let status = facts::status(&outline);
        let message = format!(
            "`{issue}` builds on work of `{other}`, which is {status} and comes along, without its tests"
        );
        session.notice(Notice::warning(message).remedy(both(other, issue), "lands both"));
    }
    tell_of_nobody(session, &carried.of_nobody);
    for issue in chosen {
        tell_left_behind(session, snapshot, target, tips.tip, issue, chosen, carried)?;
    }
    Ok(())
}

fn tell_of_nobody(session: &Session, commits: &[CodeCommit]) {
    let Some(first) = commits.last() else { return };
    let comes = if commits.len() == 1 { "comes" } else { "come" };
    let message = format!(
        "{} that no plan links {comes} along: {} {}",
        count(commits.len(), "commit"),
        CommitHash::from(first.id).short(),
        first.subject
    );
    session.notice(Notice::warning(message).remedy(Other::Audit, "lists such commits once they have landed"));
}

/// Names the completed dependencies of an issue that are neither on the branch nor land with it.
fn tell_left_behind(
    session: &Session,
    snapshot: &Snapshot<'_>,
    target: &LandTarget,
    tip: ObjectId,
    issue: &ChosenIssue,
    chosen: &[ChosenIssue],
    carried: &CarriedWork,
) -> Result<(), Refusal> {
    let mut needed = issue.depends_on.clone();
    needed.retain(|other| {
        !carried.issues.contains_key(other) && chosen.iter().all(|issue| issue.issue != *other)
    });
    if needed.is_empty() {
        return Ok(());
    }
    let branch = target.branch.short();
    let base = BaseCommit { name: branch.to_owned(), tip, is_target: true };
    let index = session.index_at_hand()?;
    for (other, _) in absent(session.store(), snapshot, &base, needed, index.as_ref())? {
        let message = format!("`{}` depends on `{other}`, which is not on `{branch}`", issue.issue);
        session.notice(Notice::warning(message).remedy(both(&other, &issue.issue), "lands both"));
    }
    Ok(())
}

fn both(first: &IssueId, second: &IssueId) -> RemedyCall {
    RemedyCall::new(Op::Land, [first.to_string(), second.to_string()])
}
