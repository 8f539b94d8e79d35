//! The overview: what this worktree executes, what is ready and what is not, what waits for the user.

use super::looks::issue_style;
use super::remedy::{spelled, with_remedies};
use super::{
    Block, Column, Line, Row, Section, Span, Table, Target, id, line, message, named, person, record, state,
    styled,
};
use crate::ops::issues::{Attention, AttentionItem, AttentionKind, Home, HomeIssues, HomeItems, SyncState};
use crate::ops::work::PrimedExecution;
use crate::ops::work::runs::workplaces::{RunWorkplace, WorkplaceUse};
use crate::ui::{count, style};

/// What a terminal shows before the commands that come next.
pub(crate) fn blocks(home: &Home) -> Vec<Block> {
    let mut blocks = vec![Block::Line(styled(style::DIM, place(home)).into())];
    if home.tip.is_none() {
        blocks.extend(no_store(home));
        return blocks;
    }
    match (&home.execution, &home.lost) {
        (Some(running), _) => blocks.extend(execution(running)),
        (None, Some(why)) => {
            blocks.push(Block::Line(line!["this worktree no longer executes ", record(why)]));
        }
        (None, None) if home.is_bare => {}
        (None, None) => blocks.push(Block::Line("this worktree executes nothing".into())),
    }
    blocks.extend(home.workplaces.iter().map(|place| Block::Line(workplace(place))));
    blocks.extend(work(home));
    let waiting = attention(home);
    if !waiting.is_empty() {
        let all = home.attention.iter().map(|group| group.count).sum();
        blocks.push(section("waiting for you", all, waiting));
    }
    blocks.extend([
        Block::Line(Line::default()),
        Block::Line(line!["issues: ", issues(home)]),
        Block::Line(line!["sync: ", sync(&home.sync)]),
    ]);
    blocks
}

/// What can be worked on and what cannot, inside and outside the queues.
pub(crate) fn work(home: &Home) -> Vec<Block> {
    let all = [
        items("ready", &home.ready),
        items("queued, not ready", &home.blocked),
        outside("not queued", &home.unblocked, "/issues?unblocked=1"),
        outside("waiting for other work", &home.waiting, "/issues?waiting=1"),
    ];
    all.into_iter().flatten().collect()
}

/// What waits for the user.
pub(crate) fn attention(home: &Home) -> Vec<Block> {
    home.attention.iter().flat_map(group).collect()
}

fn place(home: &Home) -> String {
    let worktree = match &home.worktree {
        None if home.is_bare => "bare repository".to_owned(),
        Some(name) => format!("worktree {name}"),
        None => "main worktree".to_owned(),
    };
    let branch = match &home.branch {
        _ if home.is_bare => String::new(),
        Some(name) => format!(" on {}", name.short()),
        None => " with a detached HEAD".to_owned(),
    };
    let role = home.role.map(|role| format!(", as {role}")).unwrap_or_default();
    format!("{worktree}{branch}{role}")
}

fn no_store(home: &Home) -> [Block; 2] {
    let fetches = match &home.sync.remote {
        Some(remote) => format!(
            "fetches the store of {remote}, or creates an empty one, and configures `git fetch` to fetch it too"
        ),
        None => "creates it".to_owned(),
    };
    [
        Block::Line(format!("there is no store here yet: {} does not exist", home.reference).into()),
        Block::Line(message(format!("`git wf init` {fetches}; branches and files stay as they are")).into()),
    ]
}

fn execution(running: &PrimedExecution) -> Vec<Block> {
    let branch = running.branch.as_ref().map(|name| format!(" on {}", name.short()));
    let left = match running.open_count {
        0 if running.tasks == 1 => "the task has a commit; verify, then finish".to_owned(),
        0 => format!("all {} have commits; verify, then finish", count(running.tasks, "task")),
        open => format!("{open} of {} to do", count(running.tasks, "task")),
    };
    let mut blocks = vec![
        cut(line!["executing ", id(&running.issue_id)], &running.title),
        Block::Line(line!["  ", id(&running.solution_id), branch, ": ", left]),
    ];
    if let Some(task) = &running.task {
        blocks.push(cut(line!["  task ", styled(style::ID, &task.id), ":"], &task.title));
    }
    blocks
}

/// A line that ends with a title, which a narrow terminal cuts.
fn cut(head: Line, title: &str) -> Block {
    let columns = [Column::left(""), Column::flexible("")];
    Block::Table(Table::new("", columns, [vec![head, record(title).into()]]))
}

/// Where something is at work.
pub(crate) fn workplace(place: &RunWorkplace) -> Line {
    if let Some(setup) = &place.setup {
        let folder = record(place.folder.to_string_lossy());
        return line![place.issue_id.as_str(), ": the setup command ", record(setup), " runs in ", folder];
    }
    let does = match place.used_to {
        WorkplaceUse::Execute => "an agent executes its plan",
        WorkplaceUse::Read => "an agent reads",
        WorkplaceUse::Test => "its tests run",
    };
    line![place.issue_id.as_str(), format!(": {does} in "), record(place.folder.to_string_lossy())]
}

fn section(name: &str, all: usize, blocks: Vec<Block>) -> Block {
    Section::new(format!("{name} ({all})"), blocks)
}

fn table(label: &str, rows: impl IntoIterator<Item = Row>) -> Block {
    let columns = vec![Column::left(""), Column::left(""), Column::flexible("")];
    let rows = rows.into_iter().collect();
    Block::Table(Table { label: label.to_owned(), columns, rows, ..Table::default() })
}

/// Says how many more there are, and leads to their list if there is one.
fn more(all: usize, shown: usize, list: Option<&'static str>) -> Option<Block> {
    let words = format!("and {} more", all - shown);
    let words = match list {
        Some(list) => named(Target::Listing(list), words),
        None => styled(style::DIM, words),
    };
    (all > shown).then(|| Block::Line(words.into()))
}

/// Items, each with what it waits for.
fn items(name: &str, items: &HomeItems) -> Option<Block> {
    let rows = items.first.iter().map(|item| {
        let target = Target::Item(item.queue_id.clone(), item.item.item_id().to_string());
        let cells = vec![
            Span::Link { to: target, name: item.item.to_string() }.into(),
            id(&item.issue_id).into(),
            record(&item.title).into(),
        ];
        let reasons = item.blocked_by.iter();
        let notes = reasons.map(|why| message(with_remedies(&why.reason, &why.remedies)).into()).collect();
        Row { cells, notes, ..Row::default() }
    });
    let blocks = [Some(table(name, rows)), more(items.count, items.first.len(), Some("/queues"))];
    (items.count > 0).then(|| section(name, items.count, blocks.into_iter().flatten().collect()))
}

/// Issues that are in no queue, each with the issues that it waits for; `list` has exactly these.
fn outside(name: &str, issues: &HomeIssues, list: &'static str) -> Option<Block> {
    let rows = issues.first.iter().map(|issue| {
        let after = match &issue.waits_for[..] {
            _ if issue.is_in_cycle => state(style::BAD, "in a cycle").into(),
            [] => state(issue_style(issue.status), issue.status).into(),
            [one] => line!["after ", id(one)],
            [one, others @ ..] => line!["after ", id(one), format!(" and {} more", others.len())],
        };
        Row::new([id(&issue.issue_id).into(), after, record(&issue.title).into()])
    });
    let blocks = [Some(table(name, rows)), more(issues.count, issues.first.len(), Some(list))];
    (issues.count > 0).then(|| section(name, issues.count, blocks.into_iter().flatten().collect()))
}

/// Things of one kind that wait for the user, each with what to do about it.
fn group(group: &Attention) -> Vec<Block> {
    let (verb, list) = match group.kind {
        AttentionKind::Decision => ("decide", None),
        AttentionKind::Cycle => ("cycle", None),
        AttentionKind::Conflict => ("resolve", Some("/conflicts")),
        AttentionKind::Lease => ("expired", Some("/executions")),
        AttentionKind::Run => ("resume", Some("/runs")),
        AttentionKind::Failure => ("failed", Some("/issues?status=failed")),
        AttentionKind::Review => ("review", None),
        AttentionKind::Choice => ("choose", None),
        AttentionKind::Landing => ("land", Some("/issues?unlanded=1")),
        AttentionKind::Question => ("answer", None),
    };
    let rows = group.first.iter().map(|item| {
        let verb = if item.gone_worktree.is_some() { "abandoned" } else { verb };
        Row {
            cells: vec![state(style::WARN, verb).into(), name(group, item), about(item)],
            notes: spelled(&item.remedies).map(|does| message(does).into()).into_iter().collect(),
            ..Row::default()
        }
    });
    let blocks = [Some(table(verb, rows)), more(group.count, group.first.len(), list)];
    blocks.into_iter().flatten().collect()
}

/// The id of what waits. People know an execution by its issue, and an entry of a log by a part of its id.
fn name(group: &Attention, item: &AttentionItem) -> Line {
    match (&item.issue_id, group.kind) {
        (Some(issue), AttentionKind::Lease) => id(issue).into(),
        _ => id(&item.id).into(),
    }
}

/// What waits, and whose lease expired or which worktree is gone.
fn about(item: &AttentionItem) -> Line {
    let mut about = Line::from(message(&item.what));
    if let (Some(actor), Some(at)) = (&item.actor, item.expired_at) {
        about.push(line![" (claimed by ", person(actor), "; the lease expired at ", Span::Point(at), ")"]);
    }
    if let (Some(actor), Some(worktree)) = (&item.actor, &item.gone_worktree) {
        let worktree = format!("`{worktree}`");
        about.push(line![
            " (claimed by ",
            person(actor),
            " in the worktree ",
            record(worktree),
            ", which is gone)"
        ]);
    }
    about
}

fn issues(home: &Home) -> Line {
    let counts = home
        .issues
        .iter()
        .map(|(status, count)| line![format!("{count} "), styled(issue_style(*status), status)]);
    let broken = (home.broken > 0)
        .then(|| Line::from(styled(style::BAD, format!("{} that cannot be read", home.broken))));
    let all = Line::listed(counts.chain(broken));
    if all.0.is_empty() { "none".into() } else { all }
}

fn sync(sync: &SyncState) -> Line {
    let Some(remote) = &sync.remote else { return "no remote".into() };
    let words = match (sync.ahead, sync.behind) {
        (None, _) | (_, None) => format!("never synced with {remote}"),
        (Some(0), Some(0)) => format!("up to date with {remote} as of the last fetch"),
        (Some(ahead), Some(0)) => format!("{} to push to {remote}", count(ahead, "commit")),
        (Some(0), Some(behind)) => format!("{} to merge from {remote}", count(behind, "commit")),
        (Some(ahead), Some(behind)) => {
            format!("{} to push to {remote}, {behind} to merge", count(ahead, "commit"))
        }
    };
    words.into()
}
