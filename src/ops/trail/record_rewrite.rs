//! Records that git has rewritten commits, by an amend or a rebase: links follow to the new commits.

mod compose;
mod rebase;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use self::compose::composed;
use self::rebase::EndOfRebase;
use crate::git::ObjectId;
use crate::model::text_enum::text_enum;
use crate::model::{
    CommitHash, CommitLink, Event, ExecutionId, IssueId, Op, Rewrite, SolutionId, TaskId, count,
};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::ExecutionFolder;
use crate::store::{CodeCommit, ReadState, Store, StoreError, Tx, records};
use crate::trail::links::{files, issues_named, link, tasks};
use crate::trail::reach::Unreached;
use crate::trail::sources::Sources;
use crate::trail::{active, trailers};

text_enum!(
    /// How git rewrote commits.
    RewriteKind {
        /// `git commit --amend`.
        Amend = "amend",
        /// `git rebase`.
        Rebase = "rebase",
        /// `git reset --soft`, and a commit of what it left.
        Reset = "reset",
    }
);

/// Commits that git has rewritten.
#[derive(Debug)]
pub(crate) struct RecordRewrite {
    /// How.
    pub(crate) kind: RewriteKind,
    /// Each commit and its replacement.
    pub(crate) rewritten: Vec<Rewrite>,
}

/// A commit that replaced others.
struct Successor {
    commit: CodeCommit,
    files: Vec<String>,
}

/// Lets the links of rewritten commits follow to their replacements, and links what someone made during a rebase. Returns
/// the plans that these commits belong to. This needs no permit of a role: git has done it.
///
/// # Errors
/// Any error from reading or writing the store.
pub(crate) fn record_rewrite(session: &Session, input: &RecordRewrite) -> Answer<BTreeSet<SolutionId>> {
    let kind = input.kind;
    let store = session.store();
    let reported = composed(&input.rewritten);
    let end = match kind {
        RewriteKind::Rebase => Some(EndOfRebase::read(store, reported.clone())?),
        RewriteKind::Amend | RewriteKind::Reset => None,
    };
    let rewritten = end.as_ref().map_or(&reported, EndOfRebase::rewritten);
    let commits = successors(store, rewritten)?;
    let snapshot = store.snapshot()?;
    let executions = executions(store, &snapshot, rewritten, &commits)?;
    let made = end.as_ref().map(|end| end.new_commits(store, &snapshot)).transpose()?;
    let made = made.filter(|made| !made.is_empty());
    if executions.is_empty() && made.is_none() {
        return Ok(session.done(BTreeSet::new(), None));
    }
    let successors = commits
        .into_iter()
        .map(|(hash, commit)| {
            let files = files(store, &commit)?;
            Ok((hash, Successor { commit, files }))
        })
        .collect::<Result<BTreeMap<_, _>, StoreError>>()?;
    let committed = store.transact(Op::Rewrite, |tx| {
        let mut followed = BTreeSet::new();
        let mut solutions = BTreeSet::new();
        let mut linked = 0;
        if let Some(made) = &made {
            linked += made.link(tx, store, true, &mut solutions)?;
        }
        for id in &executions {
            let Some(folder) = records::execution(tx, id, &mut Vec::new())? else { continue };
            let found = map_links(tx, store, &folder, rewritten, &successors)?;
            if !found.is_empty() {
                solutions.insert(folder.execution.solution_id.clone());
            }
            followed.extend(found);
        }
        if let Some(made) = &made {
            linked += made.link(tx, store, false, &mut solutions)?;
        }
        let plans = solutions.iter().map(SolutionId::as_str).collect::<Vec<_>>().join(", ");
        let of = match (followed.len(), followed.first()) {
            (1, Some(hash)) => hash.short().to_owned(),
            (n, _) => count(n, "commit"),
        };
        tx.describe(match linked {
            0 => format!("execution: follow {kind} of {of} of {plans}"),
            n => format!(
                "execution: follow {kind} of {of} and link {} made in it, of {plans}",
                count(n, "commit")
            ),
        });
        Ok::<_, Refusal>(solutions)
    })?;
    session.notice_all(committed.far_future.warnings().map(Notice::from));
    Ok(session.done(committed.answer, committed.commit))
}

/// Appends to the log of one execution. Returns the commits that were followed.
fn map_links(
    tx: &mut Tx<'_>,
    store: &Store,
    folder: &ExecutionFolder,
    rewritten: &[Rewrite],
    successors: &BTreeMap<CommitHash, Successor>,
) -> Result<Vec<CommitHash>, StoreError> {
    let id = &folder.execution.id;
    let known: HashSet<&CommitHash> = folder.known_commits().chain(folder.unlinked_commits()).collect();
    let open: Vec<&Rewrite> =
        rewritten.iter().filter(|pair| known.contains(&pair.old) && !has(folder, pair)).collect();
    // An old commit may have been rewritten before, and someone undid that.
    let old: HashSet<&CommitHash> = open.iter().map(|pair| &pair.old).collect();
    let undone = folder.undone_rewrites(&|hash| !old.contains(hash), &|hash| old.contains(hash));
    let links: BTreeMap<CommitHash, CommitLink> = folder
        .with_rewrites(undone.clone())
        .commits()
        .into_iter()
        .map(|commit| (commit.link.hash.clone(), commit.link))
        .collect();
    if !undone.is_empty() {
        let unreached = Unreached::among(store, undone.iter().map(|rewrite| &rewrite.old))?;
        for rewrite in undone.into_iter().filter(|rewrite| unreached.is_adrift(&rewrite.old)) {
            tx.log(id, Event::Rewrite(rewrite))?;
        }
    }
    let mut seen: BTreeSet<&CommitHash> = BTreeSet::new();
    for pair in &open {
        let Some(new) = successors.get(&pair.new) else { continue };
        if links.contains_key(&pair.new) || !seen.insert(&pair.new) {
            continue;
        }
        let replaced: Vec<&CommitLink> = open
            .iter()
            .filter(|rewrite| rewrite.new == pair.new)
            .filter_map(|rewrite| links.get(&rewrite.old))
            .collect();
        if let Some(link) = changed_link(tx, &folder.execution.solution_id, &replaced, new)? {
            tx.log(id, Event::Commit(link))?;
        }
    }
    for pair in &open {
        let tree = successors.get(&pair.new).map(|new| new.commit.tree.into());
        tx.log(id, Event::Rewrite(Rewrite { tree, ..(*pair).clone() }))?;
    }
    Ok(open.into_iter().map(|pair| pair.old.clone()).collect())
}

/// The link of a commit that replaces these, if it differs from the first of them in more than its hash, which is all
/// that a rewrite entry records. A squash belongs to the tasks of all of them, whatever is left of their messages.
fn changed_link(
    tx: &Tx<'_>,
    plan: &SolutionId,
    replaced: &[&CommitLink],
    new: &Successor,
) -> Result<Option<CommitLink>, StoreError> {
    let Some(first) = replaced.first() else { return Ok(None) };
    let mut known: Vec<TaskId> = Vec::new();
    for task in replaced.iter().flat_map(|link| link.tasks()) {
        if !known.contains(task) {
            known.push(task.clone());
        }
    }
    let trailers = trailers::parse(&new.commit.message);
    let named = tasks(tx, plan, &trailers, known.clone(), || Ok(new.files.clone()))?;
    let tasks = if replaced.len() == 1 || known.is_empty() {
        named
    } else {
        let more = named.into_iter().filter(|task| !known.contains(task)).collect::<Vec<_>>();
        [known, more].concat()
    };
    let is_same = first.subject == new.commit.subject && first.files == new.files && first.tasks().eq(&tasks);
    let link = link(&new.commit, &new.files, tasks, first.linked_by);
    Ok((!is_same).then(|| link.taking_back(first.reverts.clone())))
}

/// Whether the log already has this pair.
fn has(folder: &ExecutionFolder, pair: &Rewrite) -> bool {
    folder.log.iter().any(|entry| matches!(&entry.event, Event::Rewrite(known) if (known.old == pair.old && known.new == pair.new)))
}

fn successors(store: &Store, rewritten: &[Rewrite]) -> Result<BTreeMap<CommitHash, CodeCommit>, StoreError> {
    let mut found = BTreeMap::new();
    for pair in rewritten {
        let Ok(id) = ObjectId::from_hex(pair.new.as_bytes()) else { continue };
        if !found.contains_key(&pair.new) {
            found.insert(pair.new.clone(), store.code_commit(id)?);
        }
    }
    Ok(found)
}

/// The executions that know an old commit.
fn executions(
    store: &Store,
    read: &impl ReadState,
    rewritten: &[Rewrite],
    commits: &BTreeMap<CommitHash, CodeCommit>,
) -> Result<BTreeSet<ExecutionId>, StoreError> {
    let mut found = unlinking(store, read, rewritten, commits.values())?;
    let sources = Sources::new(store, read);
    for pair in rewritten {
        found.extend(sources.known(&pair.old)?);
    }
    Ok(found)
}

/// The executions from which someone removed the link of an old commit by hand, so that what replaces it is not linked again.
/// The index does not list them: they are looked for among those of this worktree's issue and of the issues that the
/// messages of the new `commits` name.
pub(crate) fn unlinking<'a>(
    store: &Store,
    read: &impl ReadState,
    rewritten: &[Rewrite],
    commits: impl IntoIterator<Item = &'a CodeCommit>,
) -> Result<BTreeSet<ExecutionId>, StoreError> {
    let mut issues: BTreeSet<IssueId> =
        active::read(store)?.map(|active| active.issue_id).into_iter().collect();
    issues.extend(commits.into_iter().flat_map(|commit| issues_named(&commit.message)));
    let old: BTreeSet<&CommitHash> = rewritten.iter().map(|pair| &pair.old).collect();
    let mut found = BTreeSet::new();
    for issue in issues {
        for execution in records::executions(read, &issue)? {
            if execution.unlinked_commits().any(|unlinked| old.contains(unlinked)) {
                found.insert(execution.execution.id);
            }
        }
    }
    Ok(found)
}
