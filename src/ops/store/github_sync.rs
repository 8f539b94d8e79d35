//! Sends to GitHub what is here of an issue: its type, its parent, what blocks it, and its comments; and of a roadmap, an issue
//! with its issues as sub-issues. Nothing is sent twice: what was sent is marked there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::github::{named, of_remote, refuse_elsewhere};
use crate::interchange::github::sent::{
    HostIssue, HostLinks, LinkChange, change, host_issue, made_issues, make_issue, sent_mark,
};
use crate::interchange::github::{GITHUB, GhError, comment_on};
use crate::model::code::Code;
use crate::model::id::{IssueId, RoadmapId};
use crate::model::issue::{Comment, Issue};
use crate::model::op::Op;
use crate::model::redaction::REDACTED;
use crate::model::remedy::RemedyCall;
use crate::ops::host::limited;
use crate::ops::issues::{self, Edit, NewFields, existing};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::folder::IssueFolder;
use crate::rules::reply_task::{self, Discussion};
use crate::store::{Snapshot, records, resolve};

/// The kind of relation of an issue to its parent.
const PARENT: &str = "parent-child";

/// What to send.
#[derive(Debug, Clone)]
pub(crate) struct SyncGithub {
    /// An issue or a roadmap, or an unambiguous prefix of its id.
    pub(crate) what: String,
    /// Send it; otherwise it is only said.
    pub(crate) post: bool,
    /// The repository; by default that of a remote.
    pub(crate) repo: Option<String>,
}

/// What was sent, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GithubSync {
    /// `OWNER/NAME`.
    pub(crate) repository: String,
    /// Whether it was sent.
    pub(crate) posted: bool,
    /// What was sent of each issue of which anything is new.
    pub(crate) issues: Vec<SyncedIssue>,
}

/// What was sent of an issue, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SyncedIssue {
    /// The id here: of an issue, or of the roadmap.
    pub(crate) id: String,
    /// Its address on GitHub; null if it is not there yet.
    pub(crate) url: Option<String>,
    /// What is new there, in words.
    pub(crate) changes: Vec<String>,
}

/// Whether a text names a roadmap rather than an issue.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn is_roadmap(session: &Session, what: &str) -> Result<bool, Refusal> {
    let state = session.store().snapshot()?;
    Ok(resolve::issue(&state, what).is_err() && resolve::roadmap(&state, what).is_ok())
}

/// Sends what is new of an issue or a roadmap.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `not-from-github`, `other-repository`; `no-gh`, `not-logged-in`, `gh-failed`.
pub(crate) fn sync_github(session: &Session, input: &SyncGithub) -> Answer<GithubSync> {
    session.permit(Op::Edit)?;
    if is_roadmap(session, &input.what)? {
        return sync_roadmap(session, input);
    }
    let state = session.store().snapshot()?;
    let id = resolve::issue(&state, &input.what)?;
    let folder = existing(&state, &id)?;
    let remote = reply_task::repository(&session.store().repo().remote_urls());
    let place = Discussion::from_issue(&folder.issue.record, remote);
    let Some((Some(repository), Some(number))) = place.as_ref().map(Discussion::parts) else {
        return Err(Refusal::new(Code::NotFromGithub, format!("`{id}` has no known issue on GitHub"))
            .remedy(RemedyCall::new(Op::Edit, [&id]).option("source-url", "URL"), "sets its URL there"));
    };
    refuse_elsewhere(session, &id, repository, input.repo.as_deref())?;
    let mut sync = Sync::new(session, repository.to_owned(), input.post);
    sync.send(&state, &folder, number)?;
    Ok(session.done(sync.view, None))
}

/// Sends a roadmap: an issue for it, and one below that for each of its issues that is not on GitHub yet.
fn sync_roadmap(session: &Session, input: &SyncGithub) -> Answer<GithubSync> {
    let state = session.store().snapshot()?;
    let roadmap: RoadmapId = resolve::roadmap(&state, &input.what)?;
    let Some(folder) = records::roadmap(&state, &roadmap)? else {
        return Err(Refusal::unreadable(&format!("roadmap `{roadmap}`")));
    };
    let record = &folder.roadmap.record;
    let repository = match input.repo.clone() {
        Some(given) => named(given)?,
        None => of_remote(session)?,
    };
    let made = limited(session, || made_issues(&repository))?;
    let mut sync = Sync::new(session, repository, input.post);
    let document =
        record.read().map_err(|error| Refusal::unreadable(&format!("roadmap `{roadmap}`: {error}")))?;
    let url = sync.make(roadmap.as_str(), &record.title, document.requirement.as_deref(), None, &made)?;
    let parent = url.as_deref().and_then(reply_task::number_of);
    let mut sent = Vec::new();
    for id in &record.issue_ids {
        let folder = existing(&state, id)?;
        if sync.number(&folder.issue.record).is_some() {
            sent.push(id);
            continue;
        }
        let issue = &folder.issue.record;
        let url = sync.make(id.as_str(), &issue.title, issue.context.as_deref(), parent, &made)?;
        if let Some(url) = url
            && input.post
        {
            remember(session, id, &url)?;
            sent.push(id);
        }
    }
    // Now all of them have a number.
    let state = session.store().snapshot()?;
    for id in sent {
        let folder = existing(&state, id)?;
        if let Some(number) = sync.number(&folder.issue.record) {
            sync.parent = parent;
            match sync.send(&state, &folder, number) {
                // It may have been deleted or moved there; the others are sent.
                Err(refusal) if refusal.code == Code::GhFailed => {
                    let message = format!("`{id}` was not sent: {}", refusal.message);
                    session.notice(Notice { remedies: refusal.remedies, ..Notice::warning(message) });
                }
                sent => sent?,
            }
        }
    }
    Ok(session.done(sync.view, None))
}

/// Keeps the address of an issue that was made on GitHub.
fn remember(session: &Session, id: &IssueId, url: &str) -> Result<(), Refusal> {
    let fields = NewFields { source_url: Some(url.to_owned()), ..NewFields::default() };
    issues::edit(session, Edit { issue: id.to_string(), fields, ..Edit::default() }).map(drop)
}

struct Sync<'s> {
    session: &'s Session,
    view: GithubSync,
    /// The issue that the issues are sub-issues of, if they have no other parent.
    parent: Option<u64>,
}

impl<'s> Sync<'s> {
    fn new(session: &'s Session, repository: String, posted: bool) -> Self {
        Self { session, view: GithubSync { repository, posted, issues: vec![] }, parent: None }
    }

    /// The number of an issue in the repository.
    fn number(&self, issue: &Issue) -> Option<u64> {
        let place = Discussion::from_issue(issue, Some(self.view.repository.clone()))?;
        let (repository, number) = place.parts();
        if repository?.eq_ignore_ascii_case(&self.view.repository) { number } else { None }
    }

    /// The address of the issue that was made of `id`, which is made now if there is none; `None` if nothing is sent.
    fn make(
        &mut self,
        id: &str,
        title: &str,
        text: Option<&str>,
        parent: Option<u64>,
        made: &BTreeMap<String, String>,
    ) -> Result<Option<String>, Refusal> {
        if let Some(known) = made.get(id) {
            return Ok(Some(known.clone()));
        }
        let repository = &self.view.repository;
        let body = format!("{}\n\n{}\n", text.unwrap_or_default().trim_end(), sent_mark(id));
        let url = if self.view.posted {
            Some(limited(self.session, || make_issue(repository, title, &body, parent))?)
        } else {
            None
        };
        let mut changes = vec!["new issue".to_owned()];
        changes.extend(parent.map(|number| format!("sub-issue of #{number}")));
        self.view.issues.push(SyncedIssue { id: id.to_owned(), url: url.clone(), changes });
        Ok(url)
    }

    /// Sends what is new of an issue that is on GitHub.
    fn send(&mut self, state: &Snapshot<'_>, folder: &IssueFolder, number: u64) -> Result<(), Refusal> {
        let issue = &folder.issue.record;
        let repository = self.view.repository.clone();
        let host = limited(self.session, || host_issue(&repository, number))?;
        let mut changes = self.send_links(state, issue, number, &host)?;
        for comment in unsent(folder, &host) {
            if self.view.posted {
                let text = comment_text(comment);
                limited(self.session, || comment_on(&repository, number, &text))?;
            }
            changes.push(format!("comment by {}", comment.author));
        }
        if changes.is_empty() {
            return Ok(());
        }
        let url = Some(format!("https://github.com/{repository}/issues/{number}"));
        self.view.issues.push(SyncedIssue { id: issue.id.to_string(), url, changes });
        Ok(())
    }

    fn send_links(
        &self,
        state: &Snapshot<'_>,
        issue: &Issue,
        number: u64,
        host: &HostIssue,
    ) -> Result<Vec<String>, Refusal> {
        if host.is_old {
            self.session.notice(Notice::warning("types, parents and dependencies need `gh` 2.94 or later"));
            return Ok(vec![]);
        }
        let imported = issue.imported.as_ref().filter(|record| (GITHUB.is_own)(record));
        let base =
            imported.and_then(|record| record.as_object()).map(HostLinks::from_record).unwrap_or_default();
        let mut change_there = LinkChange::between(&self.links(state, issue)?, &host.links, &base);
        if change_there.is_empty() || !self.view.posted {
            return Ok(change_there.words());
        }
        let repository = &self.view.repository;
        match limited(self.session, || Ok(change(repository, number, &change_there).err())) {
            Ok(None) => {}
            Ok(Some(GhError::Failed { said, .. }))
                if change_there.kind.is_some() && said.contains("type") =>
            {
                self.session
                    .notice(Notice::warning(format!("the type of `{}` was not sent: {said}", issue.id)));
                change_there.kind = None;
                if !change_there.is_empty() {
                    limited(self.session, || change(repository, number, &change_there))?;
                }
            }
            Ok(Some(error)) => return Err(error.into()),
            Err(refusal) => return Err(refusal),
        }
        Ok(change_there.words())
    }

    /// The type and the links of an issue here, as far as the other issues are in the repository.
    fn links(&self, state: &Snapshot<'_>, issue: &Issue) -> Result<HostLinks, Refusal> {
        let number = |id: &IssueId| -> Result<Option<u64>, Refusal> {
            Ok(records::outline(state, id)?.and_then(|outline| self.number(&outline.issue.record)))
        };
        let mut links =
            HostLinks { kind: issue.issue_type.as_deref().map(capitalized), ..HostLinks::default() };
        for id in &issue.depends_on {
            links.blocked_by.extend(number(id)?);
        }
        for id in issue.related(PARENT) {
            links.parent = links.parent.or(number(&id)?);
        }
        links.parent = links.parent.or(self.parent);
        Ok(links)
    }
}

/// The comments that were written here and are not on GitHub yet.
fn unsent<'a>(folder: &'a IssueFolder, host: &'a HostIssue) -> impl Iterator<Item = &'a Comment> {
    let standing = folder.standing_comments().into_iter().filter(|standing| {
        let is_own = standing.comment.source_id.is_none()
            && standing.replaces.iter().all(|version| version.source_id.is_none());
        is_own
            && !standing.is_withdrawn()
            && standing.comment.body != REDACTED
            && !host.marks.contains(standing.first().id.as_str())
    });
    standing.map(|standing| standing.comment)
}

/// A comment with its author, as GitHub shows it: there, whoever sends it is the author.
fn comment_text(comment: &Comment) -> String {
    let (author, body) = (&comment.author, comment.body.trim_end());
    format!("**{author}** on {}:\n\n{body}\n\n{}\n", comment.created_at, sent_mark(comment.id.as_str()))
}

/// `bug` as `Bug`: so GitHub writes types.
fn capitalized(word: &str) -> String {
    let mut rest = word.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}
