//! The addresses of pages. Links, redirects and the files of an export all use them, so every link can be opened.
//! Parsing turns a path into ids and project paths before anything uses it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::model::hash::SHORT;
use crate::model::{EntryId, ExecutionId, IssueId, QueueId, RoadmapId, RunId, SolutionId};

/// Characters that a path segment cannot contain unencoded.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'\\');

/// Characters that the name of a file may not contain on every system.
const IN_FILE_NAME: &AsciiSet = &ENCODED.add(b':').add(b'*').add(b'|');

/// A page, without the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Running, ready and waiting work, and what waits for a person.
    Overview,
    /// The list of issues.
    Issues,
    /// The form for a new issue.
    NewIssue,
    /// An issue.
    Issue(IssueId),
    /// The whole description of an issue, or one of its comments, as plain text.
    Text(IssueId, Option<EntryId>),
    /// A plan.
    Plan(SolutionId),
    /// The differences between a plan and another, or an earlier version.
    PlanDiff(SolutionId),
    /// Issues by status.
    Board,
    /// The active queues.
    Queues,
    /// A queue.
    Queue(QueueId),
    /// Executions and their leases.
    Executions,
    /// An execution.
    Execution(ExecutionId),
    /// The runs.
    Runs,
    /// A run.
    Run(RunId),
    /// The trail of a commit of the project.
    Commit(Hex),
    /// The form to choose a file.
    Files,
    /// A file of the project, with the reason for every line.
    File(FilePath),
    /// The audit of a range of commits.
    Audit,
    /// Fields that two clones changed differently.
    Conflicts,
    /// The roadmaps.
    Roadmaps,
    /// A roadmap.
    Roadmap(RoadmapId),
    /// The commits of the store.
    History,
    /// The changes of one of these commits.
    Step(Hex),
    /// Redirects to the page of an id, a commit or a path, or to a search.
    Go,
    /// The search of an export.
    Search,
}

/// The hash of a commit, or a prefix of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hex(String);

impl Hex {
    /// `None` for anything but 4 to 64 hexadecimal digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hex && (4..=64).contains(&text.len())).then(|| Self(text.to_ascii_lowercase()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its first digits, as shown everywhere.
    pub(super) fn short(&self) -> &str {
        self.0.get(..SHORT).unwrap_or(&self.0)
    }
}

/// The path of a file from the top of the project; it cannot lead out of the project or into `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePath(String);

impl FilePath {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_path = text.split('/').all(|name| {
            !matches!(name, "" | "." | "..")
                && !name.eq_ignore_ascii_case(".git")
                && !name.chars().any(char::is_control)
        });
        if is_path { Some(Self(text.to_owned())) } else { None }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Place {
    /// The page at a path, such as `/issues/ISS-001`.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix('/')?;
        let segments: Vec<String> = rest
            .split('/')
            .map(|segment| Some(percent_decode_str(segment).decode_utf8().ok()?.into_owned()))
            .collect::<Option<_>>()?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        Some(match segments[..] {
            [""] => Self::Overview,
            ["issues"] => Self::Issues,
            ["issues", "new"] => Self::NewIssue,
            ["issues", id] => Self::Issue(IssueId::parse(id).ok()?),
            ["issues", id, "text"] => Self::Text(IssueId::parse(id).ok()?, None),
            ["issues", id, "comments", entry] => {
                Self::Text(IssueId::parse(id).ok()?, Some(EntryId::parse(entry).ok()?))
            }
            ["plans", id] => Self::Plan(SolutionId::parse(id).ok()?),
            ["plans", id, "diff"] => Self::PlanDiff(SolutionId::parse(id).ok()?),
            ["board"] => Self::Board,
            ["queues"] => Self::Queues,
            ["queues", id] => Self::Queue(QueueId::parse(id).ok()?),
            ["executions"] => Self::Executions,
            ["executions", id] => Self::Execution(ExecutionId::parse(id).ok()?),
            ["runs"] => Self::Runs,
            ["runs", id] => Self::Run(RunId::parse(id).ok()?),
            ["commits", hash] => Self::Commit(Hex::parse(hash)?),
            ["files"] => Self::Files,
            ["files", ref path @ ..] => Self::File(FilePath::parse(&path.join("/"))?),
            ["audit"] => Self::Audit,
            ["conflicts"] => Self::Conflicts,
            ["roadmaps"] => Self::Roadmaps,
            ["roadmaps", id] => Self::Roadmap(RoadmapId::parse(id).ok()?),
            ["history"] => Self::History,
            ["history", hash] => Self::Step(Hex::parse(hash)?),
            ["go"] => Self::Go,
            _ => return None,
        })
    }

    /// Whether the page can have megabytes, or take seconds.
    pub(super) fn can_be_large(&self) -> bool {
        matches!(
            self,
            Self::Text(..) | Self::File(_) | Self::Files | Self::Audit | Self::Step(_) | Self::PlanDiff(_)
        )
    }

    /// Whether the page has any number of texts, and so can have megabytes too, although it seldom has.
    pub(super) fn has_any_texts(&self) -> bool {
        matches!(self, Self::Issue(_) | Self::Plan(_) | Self::Execution(_))
    }

    /// The path, such as `/issues/ISS-001`.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Overview => "/".into(),
            Self::Issues => "/issues".into(),
            Self::NewIssue => "/issues/new".into(),
            Self::Issue(id) => format!("/issues/{id}"),
            Self::Text(id, None) => format!("/issues/{id}/text"),
            Self::Text(id, Some(entry)) => format!("/issues/{id}/comments/{entry}"),
            Self::Plan(id) => format!("/plans/{id}"),
            Self::PlanDiff(id) => format!("/plans/{id}/diff"),
            Self::Board => "/board".into(),
            Self::Queues => "/queues".into(),
            Self::Queue(id) => format!("/queues/{id}"),
            Self::Executions => "/executions".into(),
            Self::Execution(id) => format!("/executions/{id}"),
            Self::Runs => "/runs".into(),
            Self::Run(id) => format!("/runs/{id}"),
            Self::Commit(hash) => format!("/commits/{}", hash.as_str()),
            Self::Files => "/files".into(),
            Self::File(path) => format!("/files/{}", utf8_percent_encode(path.as_str(), ENCODED)),
            Self::Audit => "/audit".into(),
            Self::Conflicts => "/conflicts".into(),
            Self::Roadmaps => "/roadmaps".into(),
            Self::Roadmap(id) => format!("/roadmaps/{id}"),
            Self::History => "/history".into(),
            Self::Step(hash) => format!("/history/{}", hash.as_str()),
            Self::Go => "/go".into(),
            Self::Search => "/search".into(),
        }
    }

    /// The file of the page in an export, such as `issues/ISS-001.html`. No two pages share a file, even if the file
    /// system ignores case: a new id that differs from another only in case is refused. No directory has the name of a file
    /// either, although ids and paths can end in `.html` or `.txt`.
    pub(super) fn file(&self) -> String {
        match self {
            Self::Overview => "index.html".into(),
            Self::Text(id, None) => format!("texts/{id}.txt"),
            Self::Text(id, Some(entry)) => format!("comments/{id}/{entry}.txt"),
            Self::File(path) => {
                let path = utf8_percent_encode(path.as_str(), IN_FILE_NAME).to_string();
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
                let is_like_page =
                    |it: &str| it.trim_end_matches('_').to_ascii_lowercase().ends_with(".html");
                let folders = folder.split('/').filter(|it| !it.is_empty());
                let folders = folders.map(|it| format!("{it}{}/", if is_like_page(it) { "_" } else { "" }));
                format!("files/{}{name}.html", folders.collect::<String>())
            }
            _ => format!("{}.html", &self.path()[1..]),
        }
    }
}

/// The parameters of an address; names can repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses `q=a&page=2`, as a form sends it. Never fails.
    pub(super) fn parse(text: &str) -> Self {
        Self(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The first value with this name that is not blank, trimmed.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().filter(|(known, _)| known == name);
        found.map(|(_, value)| value.trim()).find(|value| !value.is_empty())
    }

    /// The values with this name that are not blank, trimmed.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.0.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// The first value with this name, untrimmed, even if it is blank.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A number, such as that of a page.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// The query with this value as the only one of its name.
    pub(super) fn with(&self, name: &str, value: impl ToString) -> Self {
        let mut all = self.without(name);
        all.0.push((name.to_owned(), value.to_string()));
        all
    }

    /// The query with one more value of a name.
    pub(super) fn and(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// The query without a name, and without empty values.
    pub(super) fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|(known, value)| known != name && !value.is_empty()).cloned().collect())
    }

    /// Whether all values are blank.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, value)| value.trim().is_empty())
    }

    /// `?q=a&page=2`, or an empty string.
    pub(super) fn suffix(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let mut text = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        text.extend_pairs(&self.0);
        text.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_back() {
        for path in [
            "/",
            "/issues",
            "/issues/new",
            "/issues/ISS-001",
            "/issues/GH-1/text",
            "/plans/SOL-ISS-001-1",
            "/plans/SOL-ISS-001-1/diff",
            "/board",
            "/queues",
            "/queues/QUE-1",
            "/executions",
            "/runs",
            "/commits/0123abcd",
            "/files",
            "/files/src/a%20b%3F%23.rs",
            "/audit",
            "/conflicts",
            "/roadmaps",
            "/history",
            "/history/0123abcd",
            "/go",
        ] {
            let place = Place::parse(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(place.path(), path);
        }
    }

    #[test]
    fn no_path_leads_out_of_the_project() {
        for path in [
            "",
            "issues",
            "/issues/",
            "/issues/..",
            "/issues/%2e%2e",
            "/issues/a%2Fb-1",
            "/issues/%FF",
            "/files/../x",
            "/files/%2e%2e/x",
            "/files/a/%2e%2e%2fb",
            "/files//etc/passwd",
            "/files/.git/config",
            "/commits/HEAD",
            "/commits/--help",
            "/history/@%7B1%7D",
            "/etc/passwd",
        ] {
            assert_eq!(Place::parse(path), None, "{path}");
        }
    }

    #[test]
    fn no_page_of_an_export_has_the_name_of_a_directory() {
        let file = |path: &str| Place::parse(path).unwrap_or_else(|| panic!("{path}")).file();
        for (page, below) in [
            ("/issues/GH-7", "/issues/GH-7.html/text"),
            (
                "/issues/GH-7",
                "/issues/GH-7.html/comments/20261125T233554333Z-00000-5f6cg8cp357e8tqa4wnqrm8awm",
            ),
            (
                "/issues/GH-7/text",
                "/issues/GH-7.txt/comments/20261125T233554333Z-00000-5f6cg8cp357e8tqa4wnqrm8awm",
            ),
            ("/files/a", "/files/a.html/b"),
            ("/files/a.html_", "/files/a.html/b"),
            ("/files/x/a", "/files/x/a.HTML_/b"),
        ] {
            let (page, below) = (file(page).to_ascii_lowercase(), file(below).to_ascii_lowercase());
            assert!(!below.starts_with(&format!("{page}/")), "{page} {below}");
        }
        assert_eq!(file("/files/a.html/b%3A%5C%2e%2e%5Cc"), "files/a.html_/b%3A%5C..%5Cc.html");
    }

    #[test]
    fn a_query_is_written_as_it_is_read() {
        let query = Query::parse("q=a+b%26&tag=x&tag=y&page=");
        assert_eq!((query.get("q"), query.get("page"), query.get("tag")), (Some("a b&"), None, Some("x")));
        assert_eq!(query.with("page", 2).suffix(), "?q=a+b%26&tag=x&tag=y&page=2");
        assert_eq!(Query::parse("a=1").without("a").suffix(), "");
    }
}
