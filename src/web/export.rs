//! Exports the pages as files with relative links, which need no server. Unchanged files are not rewritten.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use maud::html;

use super::place::{FilePath, Hex, Place, Query};
use super::server::assets::{ICON, SEARCH, STYLE};
use super::view::{ExportState, LeavesOut, PageContent, RenderTarget, View};
use super::{layout, pages, parts};
use crate::index::{Filter, SortOrder};
use crate::model::{Code, CommitHash, Op, SolutionId, typed};
use crate::ops::issues::{self, List};
use crate::ops::plans::roadmap;
use crate::ops::trail::{self, LogInput};
use crate::ops::{Answer, Refusal, Session, queue};
use crate::rules::{ExecutionFolder, LinkedCommit};
use crate::run;
use crate::store::{object_id, records};

/// The search index is a script, since browsers read no other file from a disk.
const INDEX: &str = "search-index.js";
/// How many bytes of a description are indexed.
const SEARCHED: usize = 1_000;
/// The most changes of the store that have a page, the latest first.
const MOST_STEPS: usize = 1_000;
/// The most files of the project that have a page, since explaining one takes long.
const MOST_FILES: usize = 300;
/// Files and directories with a longer name, in bytes, have no page: its name would be too long for a file system.
const LONGEST_NAME: usize = 80;

/// The result of an export.
#[derive(Debug)]
pub(crate) struct ExportedPages {
    /// The number of pages.
    pub(crate) pages: usize,
    /// The number of new or changed files.
    pub(crate) written: usize,
}

/// Writes all pages into a directory.
///
/// # Errors
/// Any error from reading the store; `cannot-write`.
pub(crate) fn export(session: &Session, folder: &Path) -> Answer<ExportedPages> {
    let (all, leaves_out) = everything(session)?;
    let export = state(&all, leaves_out);
    Ok(session.done(write(session, folder, &all, &export)?, None))
}

/// The state of an export with these pages, before the first is written.
fn state(all: &[(Place, Query)], leaves_out: LeavesOut) -> ExportState {
    let mut files = Vec::new();
    for (place, _) in all {
        if let Place::File(path) = place {
            files.push(path.clone());
        }
    }
    ExportState {
        known: all.iter().map(|(place, query)| file(place, query)).collect(),
        files,
        leaves_out,
        more: Default::default(),
        kept: Default::default(),
        #[cfg(test)]
        computed: Default::default(),
    }
}

/// Writes these pages, and all that belongs to them.
fn write(
    session: &Session,
    folder: &Path,
    all: &[(Place, Query)],
    export: &ExportState,
) -> Result<ExportedPages, Refusal> {
    let snapshot = session.store().snapshot()?;
    // The time of the last change, so that exporting the same state twice gives the same files.
    let now = object_id(&snapshot.commit().to_string()).map(|tip| session.store().step(tip)).transpose()?;
    let now = now.map_or_else(|| session.now(), |step| Ok(step.at))?;
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut out = Out { folder, exported: ExportedPages { pages: 0, written: 0 } };
    let count = Some(all.len() as u64);
    session.counted("pages", count, |done| {
        each_page(all, export, |n, place, query| {
            done(n as u64);
            let view = View::new(session, place, query, RenderTarget::Files(export), None, now);
            out.page(&file(place, query), rendered(&view)?.as_bytes())
        })
    })?;
    for asset in [STYLE, ICON, SEARCH] {
        out.write(asset.name, asset.content.as_bytes())?;
    }
    out.write(INDEX, index(session)?.as_bytes())?;
    Ok(out.exported)
}

/// A page as it is in its file.
fn rendered(view: &View<'_>) -> Result<String, Refusal> {
    let content = match view.place {
        Place::Text(..) => return pages::text(view),
        Place::Search => Ok(search(view)),
        _ => pages::content(view),
    };
    // A page that cannot be rendered shows the reason instead.
    let content = content.unwrap_or_else(|refusal| layout::refusal(view, &refusal));
    Ok(layout::document(view, &content))
}

/// Writes each page with its number, and right after it its further pages and long texts, while [`ExportState::kept`] has what
/// they are made of.
fn each_page(
    all: &[(Place, Query)],
    export: &ExportState,
    mut write: impl FnMut(usize, &Place, &Query) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    for (n, (place, query)) in all.iter().enumerate() {
        write(n, place, query)?;
        loop {
            let Some((place, query)) = export.more.borrow_mut().pop() else { break };
            write(n, &place, &query)?;
        }
    }
    Ok(())
}

/// The pages of an export, and what it leaves out. Further pages of a list are found as the page before is written.
fn everything(session: &Session) -> Result<(Vec<(Place, Query)>, LeavesOut), Refusal> {
    let snapshot = session.store().snapshot()?;
    let mut all: Vec<Place> = vec![
        Place::Overview,
        Place::Issues,
        Place::Board,
        Place::Queues,
        Place::Executions,
        Place::Runs,
        Place::Roadmaps,
        Place::Files,
        Place::Audit,
        Place::Conflicts,
        Place::History,
        Place::Search,
    ];
    let mut trail = Trail::default();
    for id in records::issue_ids(&snapshot)? {
        all.extend(records::solution_ids(&snapshot, &id)?.into_iter().map(Place::Plan));
        for execution in records::executions(&snapshot, &id)? {
            trail.add(&execution);
            all.push(Place::Execution(execution.execution.id));
        }
        all.push(Place::Issue(id));
    }
    all.extend(queue::list(session, true)?.view.into_iter().map(|queue| Place::Queue(queue.queue.id)));
    all.extend(run::list(session)?.view.into_iter().map(|run| Place::Run(run.id)));
    all.extend(roadmap::list(session)?.view.into_iter().map(|roadmap| Place::Roadmap(roadmap.id)));
    all.extend(changed_plans(session)?.into_iter().map(Place::PlanDiff));
    let steps = steps(session)?;
    // They are at most ten, and each reads its own part of the log.
    let step_pages = steps.len().div_ceil(pages::STEPS_ON_A_PAGE);
    all.extend(steps.into_iter().map(Place::Step));
    let (files, leaves_out) = trail.files(session)?;
    all.extend(files.into_iter().map(Place::File));
    all.extend(trail.commits(session).into_iter().map(Place::Commit));
    let mut all: Vec<(Place, Query)> = all.into_iter().map(|place| (place, Query::default())).collect();
    all.extend((2..=step_pages).map(|page| (Place::History, layout::one("page", page))));
    Ok((all, leaves_out))
}

/// The commits of the project that executions link, and the files that they changed.
#[derive(Default)]
struct Trail {
    commits: BTreeSet<CommitHash>,
    files: BTreeSet<String>,
}

impl Trail {
    fn add(&mut self, execution: &ExecutionFolder) {
        for LinkedCommit { link, .. } in execution.commits() {
            self.files.extend(link.files.iter().map(ToString::to_string));
            self.commits.insert(link.hash.clone());
        }
    }

    /// The commits that are here.
    fn commits(&self, session: &Session) -> Vec<Hex> {
        let here = self.commits.iter().filter(|hash| session.store().commit_here(hash).is_some());
        here.filter_map(|hash| Hex::parse(hash.as_str())).collect()
    }

    /// The changed files that the current commit has, and whether there are more than an export explains.
    fn files(&self, session: &Session) -> Result<(Vec<FilePath>, LeavesOut), Refusal> {
        let (mut found, mut leaves_out) = (Vec::new(), LeavesOut::default());
        if session.store().work_dir().is_none() {
            return Ok((found, leaves_out));
        }
        let Some(tree) = session.store().code_tree()? else { return Ok((found, leaves_out)) };
        for path in self.files.iter().filter_map(|path| FilePath::parse(path)) {
            let is_short = path.as_str().split('/').all(|name| name.len() <= LONGEST_NAME);
            if !is_short || !tree.has(path.as_str())? {
                continue;
            }
            if found.len() == MOST_FILES {
                leaves_out.files = true;
                break;
            }
            found.push(path);
        }
        Ok((found, leaves_out))
    }
}

/// The latest changes of the store.
fn steps(session: &Session) -> Result<Vec<Hex>, Refusal> {
    let steps = trail::log(session, &LogInput { limit: Some(MOST_STEPS), ..LogInput::default() })?.view;
    steps.map(|step| Ok(Hex::parse(&step?.commit))).filter_map(Result::transpose).collect()
}

/// The plans that were changed after they had been added.
fn changed_plans(session: &Session) -> Result<BTreeSet<SolutionId>, Refusal> {
    let operations = [Op::SolutionAdd, Op::TaskAdd, Op::TaskEdit].map(|op| op.as_str().to_owned()).to_vec();
    let steps = trail::log(session, &LogInput { operations, ..LogInput::default() })?.view;
    let mut seen = BTreeSet::new();
    let mut again = BTreeSet::new();
    for step in steps {
        let subject = step?.subject;
        for (_, place) in parts::parts(&subject) {
            if let Some(Place::Plan(id)) = place
                && !seen.insert(id.clone())
            {
                again.insert(id);
            }
        }
    }
    Ok(again)
}

/// A request for all issues.
fn whole() -> List {
    let filter = Filter { all: true, ..Filter::default() };
    List { filter, sort: SortOrder::Id, ..List::default() }
}

/// The file name of a page.
pub(super) fn file(place: &Place, query: &Query) -> String {
    match query.number("page").filter(|page| *page > 1) {
        Some(page) => format!("lists/{page}/{}", place.file()),
        None => place.file(),
    }
}

/// The search page, whose script reads the index.
fn search(view: &View<'_>) -> PageContent {
    let body = html! {
        h1 { "Search" }
        p id="told" role="status" {}
        ul.rows id="found" {}
        noscript { p { "Search requires JavaScript." } }
        script src=(view.file(INDEX)) defer {}
        script src=(view.file(SEARCH.name)) defer {}
    };
    PageContent::new("Search", body)
}

/// The index as a script: id, title, status, and further searchable text of each issue.
fn index(session: &Session) -> Result<String, Refusal> {
    let mut rows: Vec<String> = Vec::new();
    issues::list::<Refusal>(session, &whole(), |shown| {
        let issue = shown.issue;
        let tags = issue.tags.iter().cloned().collect::<Vec<_>>().join(" ");
        let text = parts::cut(issue.context.as_deref().unwrap_or_default(), SEARCHED).0;
        let more = format!("{tags} {} {text}", issue.assignee.as_deref().unwrap_or_default());
        rows.push(typed::own_json(&(issue.id, issue.title, shown.derived.status, more)).to_string());
        Ok(())
    })?;
    let script = format!("window.wfIndex = [\n{}\n];\n", rows.join(",\n"));
    // Invisible characters become JSON escapes, which mean the same.
    Ok(crate::ui::text::clean_json(&script).into_owned())
}

/// The directory of an export.
struct Out<'a> {
    folder: &'a Path,
    exported: ExportedPages,
}

impl Out<'_> {
    fn page(&mut self, name: &str, content: &[u8]) -> Result<(), Refusal> {
        self.exported.pages += 1;
        self.write(name, content)
    }

    /// Writes a file unless it already has this content.
    fn write(&mut self, name: &str, content: &[u8]) -> Result<(), Refusal> {
        let path = self.folder.join(name);
        // The directory may be one of the project, where others decide what is a link.
        let parents = Path::new(name).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
        if let Some(link) = parents.map(|parent| self.folder.join(parent)).find(|parent| parent.is_symlink())
        {
            return Err(cannot_write(&path, &format!("`{}` is a link", link.display())));
        }
        let is_same = !path.is_symlink()
            && fs::metadata(&path).is_ok_and(|metadata| metadata.len() == content.len() as u64)
            && fs::read(&path).is_ok_and(|written| written == content);
        if is_same {
            return Ok(());
        }
        self.exported.written += 1;
        replace(&path, content).map_err(|error| cannot_write(&path, &error))
    }
}

/// Replaces a file, or a link, by a complete file.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    // Like any new file: others may read it if the user's umask allows it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".wf-").permissions(mode).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

fn cannot_write(path: &Path, why: &dyn std::fmt::Display) -> Refusal {
    Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {why}", path.display()))
        .hint("name a directory that you can write to")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::clones;

    #[test]
    fn the_pages_of_a_list_are_computed_once() {
        let both = clones::births(201);
        let session = clones::session(&both.path().join("ada"), |_| {});
        let (all, leaves_out) = everything(&session).unwrap();
        let export = state(&all, leaves_out);
        let folder = tempfile::tempdir().unwrap();
        write(&session, folder.path(), &all, &export).unwrap();
        for page in ["lists/2/conflicts.html", "lists/3/issues.html"] {
            assert!(folder.path().join(page).exists(), "{page}");
        }
        let computed = export.computed.borrow();
        let lists = [Place::Issues, Place::Conflicts, Place::Runs, Place::Roadmaps, Place::Executions];
        let issue = all.iter().map(|(place, _)| place).filter(|place| matches!(place, Place::Issue(_)));
        for list in lists.iter().chain(issue) {
            assert_eq!(computed.iter().filter(|it| *it == list).count(), 1, "{list:?}");
        }
    }
}
