use std::collections::HashMap;
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::print::trace as trace_print;
use crate::cli::print::trace_picture;
use crate::cli::{Context, Exit, Failure, Outcome, answer, existing};
use crate::index::{Index, IndexError, Needs};
use crate::model::execution::{CommitLink, Event};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::issue::Feedback;
use crate::model::status::ItemStatus;
use crate::model::time::Time;
use crate::ops::issues::IssueView;
use crate::ops::plans::SolutionView;
use crate::ops::queue::{ItemAnswer, World};
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::readiness::{ItemView, QueueView, in_order};
use crate::store::resolve::{Known, ResolveError};
use crate::store::{Snapshot, Store, records};
use crate::trail::log::{Log, Wanted};
use crate::trail::reach::Unreached;
use crate::trail::trace::{CommitFacts, commit, issues_of, range};

/// Follow commits to their tasks, plans and issues, or an issue to its commits
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An id, a commit, a range, or a branch (for its commits that the main branch lacks)
    #[arg(value_name = "ID|COMMIT|BRANCH|A..B")]
    of: String,
    /// Print Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with_all = ["dot", "json"])]
    mermaid: bool,
}

/// What `trace` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trace {
    /// What was asked for: an id, a range or branch, or the full hash of a commit.
    query: String,
    /// The commit, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<CommitFacts>,
    /// The executions that link it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked_by: Vec<ExecutionId>,
    /// The commits of a range or branch, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<Vec<TracedCommit>>,
    /// The issues with their plans, items, executions and commits.
    issues: Vec<TracedIssue>,
}

/// A commit of a range.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracedCommit {
    /// What git knows of it.
    #[serde(flatten)]
    pub(in crate::cli) commit: CommitFacts,
    /// What it carries out; nothing where no execution links it.
    pub(in crate::cli) carries_out: Vec<CarriesOut>,
}

/// What a commit was made for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CarriesOut {
    pub(in crate::cli) issue_id: IssueId,
    pub(in crate::cli) solution_id: SolutionId,
    /// The task, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) task_id: Option<String>,
    pub(in crate::cli) execution_id: ExecutionId,
    /// The commits of that work which it takes back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::cli) reverts: Vec<CommitHash>,
}

/// An issue and all that came of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracedIssue {
    /// The issue as `list` shows it.
    issue: IssueView,
    /// Its plans as `solution show` shows them.
    solutions: Vec<SolutionView>,
    /// Its items with their queues.
    items: Vec<ItemAnswer>,
    /// Its executions with their commits and checks.
    executions: Vec<answer::ExecutionAnswer>,
    /// Criteria that somebody ticked.
    accepted: Vec<Accepted>,
    /// What went wrong or was clarified.
    feedback: Vec<Feedback>,
    /// Steps that went over a gate, oldest first.
    overrides: Vec<Override>,
}

/// A criterion that no command can show.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Accepted {
    pub(in crate::cli) execution_id: ExecutionId,
    pub(in crate::cli) task_id: String,
    /// Its number within the task, from 1.
    pub(in crate::cli) criterion: u64,
    /// The evidence that the criterion holds.
    pub(in crate::cli) evidence: String,
    /// Who ticked it.
    pub(in crate::cli) actor: String,
    /// When.
    pub(in crate::cli) at: Time,
}

/// A step that went over a gate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Override {
    /// The commit of the ref.
    pub(in crate::cli) commit: String,
    /// The command.
    pub(in crate::cli) operation: String,
    /// Who.
    pub(in crate::cli) person: String,
    /// As what; none for an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) role: Option<String>,
    /// The reason.
    pub(in crate::cli) reason: String,
    /// When.
    pub(in crate::cli) at: Time,
}

/// An issue that is shown.
pub(in crate::cli) struct Traced {
    pub(in crate::cli) folder: IssueFolder,
    /// The executions that link what was asked for.
    pub(in crate::cli) links: Vec<ExecutionId>,
    pub(in crate::cli) overrides: Vec<Override>,
    /// Its items, for people.
    pub(in crate::cli) queued: Vec<Queued>,
}

/// Where an item stands.
pub(in crate::cli) struct Queued {
    pub(in crate::cli) queue_id: QueueId,
    pub(in crate::cli) item_id: ItemId,
    pub(in crate::cli) solution_id: SolutionId,
    pub(in crate::cli) status: ItemStatus,
}

/// What was asked for, and where it leads.
pub(in crate::cli) struct Found {
    pub(in crate::cli) query: String,
    pub(in crate::cli) commit: Option<CommitFacts>,
    pub(in crate::cli) commits: Option<Vec<TracedCommit>>,
    pub(in crate::cli) issues: Vec<Traced>,
    /// Which of all the commits nothing leads to.
    pub(in crate::cli) unreached: Unreached,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (index, ()) = context.ask(&store, Needs::LOG, |_| Ok(()))?;
    let mut found = find(&store, &index, &args.of)?;
    found.unreached = unreached(&store, &found);
    let world = world(&found, &index, context.json())?;
    let mut log = Log::of(&store, index)?;
    for issue in &mut found.issues {
        issue.overrides = overrides(&mut log, &issue.folder.issue.record.id)?;
    }
    if context.json() {
        let views = world.map(|world| world.views()).unwrap_or_default();
        context.screen.print_json(&answer(found, &views))?;
        return Ok(Exit::Done);
    }
    if let Some(world) = world {
        add_items(&mut found.issues, &world);
    }
    if args.dot {
        write!(context.screen, "{}", trace_picture::of(&found).dot())?;
    } else if args.mermaid {
        write!(context.screen, "{}", trace_picture::of(&found).mermaid())?;
    } else {
        trace_print::print(&found, context)?;
    }
    Ok(Exit::Done)
}

/// Where git cannot tell, the rest is shown all the same.
fn unreached(store: &Store, found: &Found) -> Unreached {
    let linked = found.issues.iter().flat_map(|it| &it.folder.executions).flat_map(ExecutionFolder::commits);
    let mut commits: Vec<CommitHash> = linked.map(|it| it.link.hash).collect();
    commits.extend(found.commit.iter().map(|it| it.hash.clone()));
    commits.extend(found.commits.iter().flatten().map(|it| it.commit.hash.clone()));
    Unreached::among(store, commits.iter()).unwrap_or_default()
}

fn answer(found: Found, views: &[QueueView]) -> Trace {
    let linked_by = found.issues.iter().flat_map(|it| it.links.clone());
    Trace {
        linked_by: if found.commit.is_some() { linked_by.collect() } else { vec![] },
        query: found.query,
        commit: found.commit,
        commits: found.commits,
        issues: found
            .issues
            .into_iter()
            .map(|Traced { folder, overrides, .. }| TracedIssue {
                issue: IssueView::of(&folder),
                solutions: SolutionView::all(&folder),
                items: items_of(&folder, views)
                    .map(|(queue, it)| ItemAnswer::of(&queue.queue.id, views.len(), it))
                    .collect(),
                executions: answer::executions_within(&folder, &found.unreached),
                accepted: folder
                    .executions
                    .iter()
                    .flat_map(|it| accepted(&it.execution.id, &folder))
                    .collect(),
                feedback: folder.feedback,
                overrides,
            })
            .collect(),
    }
}

/// The criteria that were ticked during an execution.
pub(in crate::cli) fn accepted(id: &ExecutionId, folder: &IssueFolder) -> Vec<Accepted> {
    let execution = folder.executions.iter().find(|it| it.execution.id == *id);
    let entries = execution.into_iter().flat_map(|it| &it.log).filter_map(|entry| match &entry.event {
        Event::Accept(accept) => Some(Accepted {
            execution_id: id.clone(),
            task_id: accept.task_id.clone(),
            criterion: accept.criterion,
            evidence: accept.evidence.clone(),
            actor: entry.actor.clone(),
            at: entry.at,
        }),
        _ => None,
    });
    entries.collect()
}

fn overrides(log: &mut Log<'_>, issue: &IssueId) -> Result<Vec<Override>, Failure> {
    let mut found = Vec::new();
    for n in log.find(Some(issue.as_str()), &Wanted::default(), None)?.into_iter().rev() {
        let step = log.step(n, None)?;
        if let Some(reason) = step.force {
            found.push(Override {
                commit: step.commit,
                operation: step.op.unwrap_or_default(),
                person: match step.actor {
                    Some(actor) => format!("{} ({actor})", step.author),
                    None => step.author,
                },
                role: step.role,
                reason,
                at: step.at,
            });
        }
    }
    Ok(found)
}

/// An id of ours beats a name of git's: ids are longer and say what they are.
fn find(store: &Store, index: &Index<'_>, text: &str) -> Result<Found, Failure> {
    let snapshot = index.snapshot()?;
    // No id has two dots.
    if text.contains("..") {
        return of_commits(index, text, range(store, text)?.unwrap_or_default());
    }
    match index.resolve(text)? {
        Ok(known) => of_id(&snapshot, &known, text),
        Err(ResolveError::Store(error)) => Err(error.into()),
        Err(other) => {
            if let Some(commits) = range(store, text)? {
                return of_commits(index, text, commits);
            }
            match commit(store, text)? {
                Some(commit) => of_commit(index, commit),
                None if matches!(other, ResolveError::Ambiguous { .. }) => Err(other.into()),
                None => {
                    Err(Failure::new("not-found", format!("`{text}` is neither an id here nor a commit"))
                        .hint("`git wf list --all` and `git log --oneline` show what there is"))
                }
            }
        }
    }
}

/// What the state of the items depends on; none where no item is to be shown. All queues `in_full`, or where many issues
/// are shown; else only what these issues have in them.
fn world(found: &Found, index: &Index<'_>, in_full: bool) -> Result<Option<World>, IndexError> {
    /// Issues of which each is looked up by itself, with what it depends on.
    const FEW: usize = 32;
    let mut issues = Vec::new();
    for issue in &found.issues {
        let id = &issue.folder.issue.record.id;
        if index.has_items(id)? {
            issues.push(id.clone());
        }
    }
    if issues.is_empty() {
        return Ok(None);
    }
    if !in_full
        && issues.len() <= FEW
        && let Some(known) = index.items_of(&index.queue_heads()?, issues)?
    {
        return Ok(Some(known.into()));
    }
    Ok(Some(index.queues()?.into()))
}

/// Adds where the items of the issues stand. People are shown nothing else of an item, and the rest of what can be derived
/// of a long queue takes as long again.
fn add_items(issues: &mut [Traced], world: &World) {
    let mut places: HashMap<IssueId, usize> = HashMap::new();
    for (n, traced) in issues.iter().enumerate() {
        places.insert(traced.folder.issue.record.id.clone(), n);
    }
    for queue in in_order(&world.queues, &world.facts, &world.policy) {
        for (at, item) in queue.items().iter().enumerate() {
            let Some(n) = places.get(&item.issue_id) else { continue };
            issues[*n].queued.push(Queued {
                queue_id: queue.queue().id.clone(),
                item_id: item.item_id.clone(),
                solution_id: item.solution_id.clone(),
                status: queue.state(at).0,
            });
        }
    }
}

fn traced((folder, links): (IssueFolder, Vec<ExecutionId>)) -> Traced {
    Traced { folder, links, overrides: Vec::new(), queued: Vec::new() }
}

fn of_id(snapshot: &Snapshot<'_>, known: &Known, text: &str) -> Result<Found, Failure> {
    let mut found = Found {
        query: text.to_owned(),
        commit: None,
        commits: None,
        issues: Vec::new(),
        unreached: Unreached::default(),
    };
    if let Some(issue) = known.issue() {
        found.issues.push(traced((existing(snapshot, &issue)?, vec![])));
        return Ok(found);
    }
    let Known::Queue(queue) = known else {
        return Err(Failure::usage(format!("`{text}` cannot be traced"))
            .hint("trace an issue, a plan, an execution, an item, a queue, a commit, a branch or a range"));
    };
    let folder = records::queue(snapshot, queue)?;
    for item in folder.iter().flat_map(|queue| &queue.items).filter(|item| !item.is_removed()) {
        let folder = records::issue(snapshot, &item.issue_id)?;
        found.issues.extend(folder.map(|folder| traced((folder, vec![]))));
    }
    found.query = queue.to_string();
    Ok(found)
}

fn of_commit(index: &Index<'_>, commit: CommitFacts) -> Result<Found, Failure> {
    let issues = issues_of(index, &commit.hash)?.into_iter().map(traced).collect();
    Ok(Found {
        query: commit.hash.to_string(),
        commit: Some(commit),
        commits: None,
        issues,
        unreached: Unreached::default(),
    })
}

fn of_commits(index: &Index<'_>, text: &str, commits: Vec<CommitFacts>) -> Result<Found, Failure> {
    let snapshot = index.snapshot()?;
    let mut issues: Vec<Traced> = Vec::new();
    let mut places: HashMap<IssueId, usize> = HashMap::new();
    let mut links: HashMap<ExecutionId, HashMap<CommitHash, CommitLink>> = HashMap::new();
    let mut listed = Vec::new();
    for commit in commits {
        let mut carries_out = Vec::new();
        for (issue, execution) in index.executions_of(&commit.hash)? {
            let at = match places.get(&issue) {
                Some(at) => *at,
                None => {
                    let Some(folder) = records::issue(&snapshot, &issue)? else { continue };
                    for it in &folder.executions {
                        links.insert(it.execution.id.clone(), it.links_by_hash());
                    }
                    places.insert(issue, issues.len());
                    issues.push(traced((folder, vec![])));
                    issues.len() - 1
                }
            };
            let link = links.get(&execution).and_then(|links| links.get(&commit.hash));
            carries_out.extend(carried_out(&issues[at].folder, &execution, link));
            if !issues[at].links.contains(&execution) {
                issues[at].links.push(execution);
            }
        }
        listed.push(TracedCommit { commit, carries_out });
    }
    Ok(Found {
        query: text.to_owned(),
        commit: None,
        commits: Some(listed),
        issues,
        unreached: Unreached::default(),
    })
}

fn carried_out(folder: &IssueFolder, id: &ExecutionId, link: Option<&CommitLink>) -> Option<CarriesOut> {
    let execution = folder.executions.iter().find(|it| it.execution.id == *id)?;
    Some(CarriesOut {
        issue_id: folder.issue.record.id.clone(),
        solution_id: execution.execution.solution_id.clone(),
        task_id: link.and_then(|link| link.task_id.clone()),
        execution_id: id.clone(),
        reverts: link.map(|link| link.reverts.clone()).unwrap_or_default(),
    })
}

/// The items of an issue, with their queues.
fn items_of<'a>(
    folder: &'a IssueFolder,
    views: &'a [QueueView],
) -> impl Iterator<Item = (&'a QueueView, &'a ItemView)> {
    let issue = &folder.issue.record.id;
    views.iter().flat_map(move |view| {
        view.items.iter().filter(move |it| it.item.issue_id == *issue).map(move |it| (view, it))
    })
}
