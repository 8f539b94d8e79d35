mod files;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use files::{Plans, Table};

use crate::cli::{CliContext, Failure, Outcome, named, print, system_words};
use crate::interchange::ImportReport;
use crate::interchange::beads::{self, BEADS};
use crate::interchange::ccw::{CCW, CcwFolder};
use crate::interchange::github::{GITHUB, IssuePages};
use crate::interchange::lines::{self, JsonLinesFile};
use crate::interchange::plan_tools::backlog::BACKLOG;
use crate::interchange::plan_tools::gsd::GSD;
use crate::interchange::plan_tools::openspec::OPENSPEC;
use crate::interchange::plan_tools::spec_kit::SPEC_KIT;
use crate::interchange::plan_tools::task_master::TASK_MASTER;
use crate::interchange::selection::{ImportSelection, SourceState};
use crate::model::{Code, Op};
use crate::ops::store::{self, Export, GithubSource, Import, ImportFromGitBug, ImportFromGithub, Selected};
use crate::ops::{Answer, Refusal, Session, issues};
use crate::store::PeriodBound;

/// How many lines an error about a wrong source lists.
const LINES_SHOWN: usize = 5;

/// Import issues from another tracker, or from an export
///
/// All issues are imported in one commit. Importing the same source again changes nothing; importing a newer version
/// applies its changes. If a field or a comment was changed both there and here, the later change wins. A comment that
/// the source no longer has stays. A record that cannot be imported is skipped and listed. A relation that would lead back
/// to its own issue is left out, and cycles of dependencies are noted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    /// Import issues from beads (`bd`, `br`), with labels, comments and dependencies
    ///
    /// Ids are kept. Values without a field in git wf are kept with the issue: `show` shows them, and `export beads`
    /// writes them back. An open issue that beads does not offer as work (deferred, pinned, a draft, a gate) is paused.
    /// A comment is known by its author, time and text. Several lines of one issue, as a union merge leaves them, are joined.
    Beads(Beads),
    /// Import issues of `ccw issue`, with plans, queues and executions
    ///
    /// Ids are kept. In ccw, 5 is the most urgent priority; here it is 1. An item that was started becomes an
    /// execution. If a field of an issue was changed both there and here, the later change wins; in plans, queues and
    /// items, what was changed here stays. A file or a line that cannot be read is named, and the rest is imported.
    Ccw(Ccw),
    /// Import bugs from git-bug, directly from its refs
    ///
    /// git-bug need not be installed. A bug becomes the issue GB-DIGITS, where DIGITS are the first ten of its id. Its
    /// comments and their edits are imported, too. Signatures of operations are not verified.
    GitBug(GitBug),
    /// Import issues from GitHub, from a file or through `gh`
    ///
    /// An issue gets the id GH-NUMBER. The file is the output of `gh issue list --json …`, with at least number,
    /// title, state and createdAt, or the pages of `gh api --paginate repos/OWNER/NAME/issues?state=all`.
    /// Issues of the same repository that block it, and its parent, are linked. A comment that moderators hid is marked, and
    /// agents are not given it. Pull requests are left out. Without --limit, `gh` is asked for at most 10,000 issues.
    Github(Github),
    /// Import changes of OpenSpec, with their plans
    ///
    /// A change becomes the issue OS-NAME, and its tasks become a plan; the tasks of a group depend on all those of the
    /// group before, and the scenarios of the specs are the acceptance criteria of the last one. A change that is archived or
    /// has all boxes ticked is closed, unless its plan is being executed here. `export openspec` ticks the boxes of what was done.
    Openspec(Plans),
    /// Import features of Spec Kit, with their plans
    ///
    /// A folder becomes the issue SK-FOLDER, and its tasks become a plan. A task depends on the last one without
    /// `[P]` and on all `[P]` tasks since, unless it is marked `[P]` itself or says `(depends on T001)`. `export spec-kit` ticks
    /// the boxes of what was done.
    SpecKit(Plans),
    /// Import tasks of Task Master
    ///
    /// A task becomes the issue TM-TAG-NUMBER, and its subtasks become a plan.
    TaskMaster(Plans),
    /// Import phases and plans of Get Shit Done
    ///
    /// A phase becomes the issue GSD-NAME, and each of its plans an issue below it, with that plan, which depends on the plans
    /// of the phases that its own depends on. In a workstream, it is GSD-STREAM-NAME. A plan with a summary is closed.
    Gsd(Plans),
    /// Import tasks of Backlog.md
    ///
    /// A task becomes the issue BL-ID, and its implementation plan becomes a plan. The last of the configured statuses
    /// means that it is done. Drafts are paused, and archived tasks are cancelled.
    Backlog(Plans),
    /// Import issues from a table (CSV), such as those of GitLab and Jira
    ///
    /// The columns of GitLab and Jira are known, and so are columns named like fields; --map names others.
    /// --dry-run shows which column has which field, and what the first rows would become. A number becomes the issue
    /// GL-GROUP-PROJECT-NUMBER for GitLab (GL-NUMBER if the row has no URL that names its project), else CSV-NUMBER. Times without
    /// a zone are in UTC. A row without a time of change counts as changed when the file was.
    Csv(Table),
    /// Import an export of git-wf, exactly as it was
    ///
    /// Importing into an empty store gives the same state. Existing records are merged, so nothing is lost; importing the same file
    /// again changes nothing. Two exports that a union merge joined are read as both. A line that cannot be imported is skipped and listed; what belongs to a skipped record is
    /// skipped with it. If you select issues, no queues, runs or roadmaps are imported.
    Jsonl(Jsonl),
}

#[derive(Debug, clap::Args)]
struct Beads {
    /// The output of `bd export`, or the directory of the tracker or its repository (`-` for stdin)
    file: String,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct Ccw {
    /// The project's directory, its `.workflow/issues`, or a work directory `codex-issue-…`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct GitBug {
    /// A remote whose bugs were fetched, or the path of another repository (default: the bugs of this one)
    #[arg(value_name = "REMOTE|PATH")]
    place: Option<String>,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct Github {
    /// A JSON file (`-` for stdin; default: ask `gh`)
    file: Option<String>,
    /// Ask `gh` for the issues of this repository (default: that of a remote)
    #[arg(long, value_name = "OWNER/NAME", conflicts_with = "file")]
    repo: Option<String>,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, clap::Args)]
struct Jsonl {
    /// The output of `git wf export jsonl` (`-` for stdin)
    file: String,
    #[command(flatten)]
    which: SelectionArgs,
    #[command(flatten)]
    how: How,
}

/// How to import.
#[derive(Debug, clap::Args)]
struct How {
    /// Show what would be imported, and write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Import nothing if a record cannot be imported
    #[arg(long)]
    strict: bool,
}

/// Which issues to import.
#[derive(Debug, clap::Args)]
struct SelectionArgs {
    /// Only issues of these types, such as bug,task
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    only: Vec<String>,
    /// Skip issues of these types
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    skip_type: Vec<String>,
    /// Only open or only closed issues
    #[arg(long)]
    state: Option<StateWord>,
    /// Only issues with this label; repeat to require several
    #[arg(short, long, value_name = "LABEL")]
    label: Vec<String>,
    /// Only issues that changed on this date or later: 2026-11-21 (a day in UTC), "2 weeks ago"
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Import at most N issues, in the order of the source
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StateWord {
    Open,
    Closed,
    All,
}

impl SelectionArgs {
    fn selection(self, session: &Session) -> Result<ImportSelection, Failure> {
        let since = issues::moment(session, self.since.as_deref(), PeriodBound::Since)?;
        let state = match self.state {
            None | Some(StateWord::All) => None,
            Some(StateWord::Open) => Some(SourceState::Open),
            Some(StateWord::Closed) => Some(SourceState::Closed),
        };
        Ok(ImportSelection {
            only_types: self.only,
            skip_types: self.skip_type,
            labels: self.label,
            state,
            since,
            limit: self.limit,
        })
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.from {
        From::Beads(Beads { file, which, how }) => {
            let hint = "give the file that the other tracker wrote, its directory, or `-` for stdin";
            let path = beads_file(&file)?;
            from_tracker(context, (which, how), |session, how| {
                let (op, tracker, name) = (Op::ImportBeads, &BEADS, &named(&path));
                let import = Import { op, tracker, name, records: &mut source(&path, hint)?, how };
                Ok(store::import(session, import))
            })
        }
        From::Ccw(Ccw { folder, which, how }) => {
            let mut records = ccw_folder(&folder)?;
            from_tracker(context, (which, how), |session, how| {
                let (op, tracker, name) = (Op::ImportCcw, &CCW, &format!("`{}`", folder.to_string_lossy()));
                let import = Import { op, tracker, name, records: &mut records, how };
                Ok(store::import(session, import))
            })
        }
        From::GitBug(GitBug { place, which, how }) => from_tracker(context, (which, how), |session, how| {
            Ok(store::import_git_bug(session, ImportFromGitBug { place, how }))
        }),
        From::Github(Github { file, repo, which, how }) => {
            from_tracker(context, (which, how), |session, how| {
                let source = match file {
                    None => GithubSource::Repository(repo),
                    Some(file) => {
                        let bytes = bytes_of(&file).map_err(|error| unread(&file, &error, GITHUB.hint))?;
                        GithubSource::File(named(&file), IssuePages::parse(&bytes, None))
                    }
                };
                Ok(store::import_github(session, ImportFromGithub { source, how }))
            })
        }
        From::Openspec(plans) => files::plans(context, plans, &OPENSPEC),
        From::SpecKit(plans) => files::plans(context, plans, &SPEC_KIT),
        From::TaskMaster(plans) => files::plans(context, plans, &TASK_MASTER),
        From::Gsd(plans) => files::plans(context, plans, &GSD),
        From::Backlog(plans) => files::plans(context, plans, &BACKLOG),
        From::Csv(table) => files::table(context, table),
        From::Jsonl(Jsonl { file, which, how: How { dry_run, strict } }) => {
            let session = context.session()?;
            let how = Selected { selection: which.selection(&session)?, dry_run, strict };
            let source = source(&file, "give the file that `git wf export jsonl` wrote, or `-` for stdin")?;
            let done = store::import_jsonl(&session, Export { name: &named(&file), source, how })?;
            context.answer(done, |taken, _, screen| print::import::export(screen, taken))
        }
    }
}

fn ccw_folder(folder: &Path) -> Result<CcwFolder, Failure> {
    let name = folder.to_string_lossy();
    if name == "-" {
        return Err(Refusal::usage("issues of ccw are read from a directory, not from stdin")
            .hint(CCW.hint)
            .into());
    }
    if folder.is_file() {
        let message = format!("`{name}` is a file, not a directory of ccw");
        return Err(Refusal::new(Code::CannotRead, message).hint(CCW.hint).into());
    }
    std::fs::read_dir(folder).map_err(|error| unread(&name, &error, CCW.hint))?;
    let found = CcwFolder::open(folder)
        .map_err(|error| Refusal::new(Code::CannotRead, error.to_string()).hint(CCW.hint))?;
    Ok(found.ok_or_else(|| {
        Refusal::new(Code::CannotRead, format!("`{name}` contains no ccw issues")).hint(CCW.hint)
    })?)
}

fn from_tracker(
    context: &mut CliContext,
    (which, How { dry_run, strict }): (SelectionArgs, How),
    import: impl FnOnce(&Session, Selected) -> Result<Answer<ImportReport>, Failure>,
) -> Outcome {
    let session = context.session()?;
    let selection = which.selection(&session)?;
    let is_json = context.json();
    let done = import(&session, Selected { selection, dry_run, strict })?;
    let done = done.map_err(|refusal| if is_json { refusal } else { cut(refusal) })?;
    context.answer(done, |report, _, screen| print::import::report(screen, report))
}

/// The refusal with only the first lines of what was skipped; a program gets all.
fn cut(mut refusal: Refusal) -> Refusal {
    if let Some(more) = refusal.details.len().checked_sub(LINES_SHOWN).filter(|more| *more > 0) {
        refusal.details.truncate(LINES_SHOWN);
        refusal.details.push(format!("… and {more} more; `--json` has them all").into());
    }
    refusal
}

/// The file itself, or that of the tracker in a directory.
fn beads_file(given: &str) -> Result<String, Failure> {
    if !Path::new(given).is_dir() {
        return Ok(given.to_owned());
    }
    let file = beads::file_in(Path::new(given)).ok_or_else(|| {
        Refusal::new(Code::CannotRead, format!("`{given}` contains no beads issues"))
            .hint("give the directory with `issues.jsonl`, or a repository with `.beads` in it")
    })?;
    Ok(file.to_string_lossy().into_owned())
}

fn source(file: &str, hint: &str) -> Result<JsonLinesFile, Failure> {
    let opened = opened(file).map_err(|error| unread(file, &error, hint))?;
    Ok(JsonLinesFile::new(&named(file), opened))
}

/// The file, or stdin for `-`, so that it can be read twice.
fn opened(file: &str) -> io::Result<File> {
    if file == "-" { lines::copied(&mut io::stdin().lock()) } else { lines::open(file) }
}

fn bytes_of(file: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file {
        "-" => io::stdin().lock().read_to_end(&mut bytes)?,
        file => File::open(file)?.read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

fn unread(file: &str, error: &io::Error, hint: &str) -> Failure {
    Refusal::new(Code::CannotRead, format!("cannot read {}: {}", named(file), system_words(error)))
        .hint(hint)
        .into()
}
