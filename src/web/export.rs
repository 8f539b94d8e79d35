//! Exports the pages as files with relative links, which need no server. Unchanged files are not rewritten.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use maud::html;

use super::place::{Place, Query};
use super::server::assets::{ICON, SEARCH, STYLE};
use super::view::{Content, Export, Target, View};
use super::{layout, pages};
use crate::index::{Filter, Sort};
use crate::model::code::Code;
use crate::ops::issues::{self, List};
use crate::ops::plans::roadmap;
use crate::ops::work::run;
use crate::ops::{Answer, Refusal, Session, queue};
use crate::store::{object_id, records};

/// The search index is a script, since browsers read no other file from a disk.
const INDEX: &str = "search-index.js";
/// How many bytes of a description are indexed.
const SEARCHED: usize = 1_000;

/// The result of an export.
#[derive(Debug)]
pub(crate) struct Exported {
    /// The number of pages.
    pub(crate) pages: usize,
    /// The number of new or changed files.
    pub(crate) written: usize,
}

/// Writes all pages into a directory.
///
/// # Errors
/// Any error from reading the store; `cannot-write`.
pub(crate) fn export(session: &Session, folder: &Path) -> Answer<Exported> {
    let snapshot = session.store().snapshot()?;
    // The time of the last change, so that exporting the same state twice gives the same files.
    let now = object_id(&snapshot.commit().to_string()).map(|tip| session.store().step(tip)).transpose()?;
    let now = now.map_or_else(|| session.now(), |step| Ok(step.at))?;
    let all = everything(session)?;
    let known: BTreeSet<String> = all.iter().map(|(place, query)| file(place, query)).collect();
    let export = Export { known, texts: Default::default() };
    let mut out = Out { folder, exported: Exported { pages: 0, written: 0 } };
    let shown = |place: &Place, query: &Query| -> Result<String, Refusal> {
        let view = View { session, place, query, target: Target::Files(&export), refused: None, now };
        let content = match place {
            Place::Search => search(&view),
            _ => pages::content(&view),
        };
        // A page that cannot be rendered shows the reason instead.
        let content = content.unwrap_or_else(|refusal| layout::refusal(&view, &refusal));
        Ok(layout::document(&view, &content))
    };
    let count = Some(all.len() as u64);
    session.counted("pages", count, |done| -> Result<(), Refusal> {
        for (n, (place, query)) in all.iter().enumerate() {
            done(n as u64);
            out.page(&file(place, query), shown(place, query)?.as_bytes())?;
        }
        Ok(())
    })?;
    for place in export.texts.take() {
        let query = Query::default();
        let view = View {
            session,
            place: &place,
            query: &query,
            target: Target::Files(&export),
            refused: None,
            now,
        };
        out.page(&place.file(), pages::text(&view)?.as_bytes())?;
    }
    for asset in [STYLE, ICON, SEARCH] {
        out.write(asset.name, asset.content.as_bytes())?;
    }
    out.write(INDEX, index(session)?.as_bytes())?;
    Ok(session.done(out.exported, None))
}

/// All pages of an export.
fn everything(session: &Session) -> Result<Vec<(Place, Query)>, Refusal> {
    let snapshot = session.store().snapshot()?;
    let mut all: Vec<Place> = vec![
        Place::Overview,
        Place::Board,
        Place::Queues,
        Place::Executions,
        Place::Runs,
        Place::Roadmaps,
        Place::Audit,
        Place::Conflicts,
        Place::History,
        Place::Search,
    ];
    for id in records::issue_ids(&snapshot)? {
        all.extend(records::solution_ids(&snapshot, &id)?.into_iter().map(Place::Plan));
        all.extend(
            records::executions(&snapshot, &id)?.into_iter().map(|it| Place::Execution(it.execution.id)),
        );
        all.push(Place::Issue(id));
    }
    all.extend(queue::list(session, true)?.view.into_iter().map(|it| Place::Queue(it.queue.id)));
    all.extend(run::list(session)?.view.into_iter().map(|it| Place::Run(it.id)));
    all.extend(roadmap::list(session)?.view.into_iter().map(|it| Place::Roadmap(it.id)));
    let mut all: Vec<(Place, Query)> = all.into_iter().map(|place| (place, Query::default())).collect();
    let count = issues::count(session, &whole())?.view.count;
    let lists = count.div_ceil(pages::ISSUES_ON_A_PAGE).max(1);
    all.extend((1..=lists).map(|page| (Place::Issues, layout::one("page", page))));
    Ok(all)
}

/// A request for all issues.
fn whole() -> List {
    let filter = Filter { all: true, ..Filter::default() };
    List {
        filter,
        since: None,
        parent: None,
        mine: false,
        until: None,
        sort: Sort::Id,
        offset: 0,
        limit: None,
    }
}

/// The file name of a page.
pub(super) fn file(place: &Place, query: &Query) -> String {
    match query.number("page") {
        Some(page) if *place == Place::Issues && page > 1 => format!("lists/{page}.html"),
        _ => place.file(),
    }
}

/// The search page, whose script reads the index.
fn search(view: &View<'_>) -> Result<Content, Refusal> {
    let body = html! {
        h1 { "Search" }
        p id="told" role="status" {}
        ul.rows id="found" {}
        noscript { p { "The search needs a script." } }
        script src=(view.file(INDEX)) defer {}
        script src=(view.file(SEARCH.name)) defer {}
    };
    Ok(Content::new("Search", body))
}

/// The index as a script: id, title, status, and further searchable text of each issue.
fn index(session: &Session) -> Result<String, Refusal> {
    let mut rows: Vec<serde_json::Value> = Vec::new();
    issues::list::<Refusal>(session, &whole(), |it| {
        let issue = it.issue;
        let tags = issue.tags.iter().cloned().collect::<Vec<_>>().join(" ");
        let text = super::parts::cut(issue.context.as_deref().unwrap_or_default(), SEARCHED).0;
        let more = format!("{tags} {} {text}", issue.assignee.as_deref().unwrap_or_default());
        rows.push(serde_json::json!([issue.id, issue.title, it.derived.status, more]));
        Ok(())
    })?;
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let script = format!("window.wfIndex = [\n{}\n];\n", rows.join(",\n"));
    // Invisible characters become JSON escapes, which mean the same.
    Ok(crate::ui::text::clean_json(&script).into_owned())
}

/// The directory of an export.
struct Out<'a> {
    folder: &'a Path,
    exported: Exported,
}

impl Out<'_> {
    fn page(&mut self, name: &str, content: &[u8]) -> Result<(), Refusal> {
        self.exported.pages += 1;
        self.write(name, content)
    }

    /// Writes a file unless it already has this content.
    fn write(&mut self, name: &str, content: &[u8]) -> Result<(), Refusal> {
        let path = self.folder.join(name);
        let is_same = fs::metadata(&path).is_ok_and(|it| it.len() == content.len() as u64)
            && fs::read(&path).is_ok_and(|it| it == content);
        if is_same {
            return Ok(());
        }
        self.exported.written += 1;
        replace(&path, content).map_err(|error| {
            Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {error}", path.display()))
                .hint("name a directory that you can write to")
        })
    }
}

/// Replaces a file atomically.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(&new, path)
}
