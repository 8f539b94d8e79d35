use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::export_ccw;
use super::export_plans::{Written, write_back};
use crate::cli::input::list_filter::FilterArgs;
use crate::cli::output_file::{json_to_file, to_file};
use crate::cli::{CliContext, Exit, Failure, Force, Outcome};
use crate::interchange::plan_tools::written;
use crate::model::json_text;
use crate::ops::store::{GithubReply, GithubSync, SyncGithub, SyncedIssue};
use crate::ops::{Done, Refusal, Session, store};
use crate::ui::{JsonLines, Screen, count};

/// Export the store for other programs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    to: To,
}

#[allow(clippy::large_enum_variant)] // There is only one.
#[derive(Debug, clap::Subcommand)]
enum To {
    /// Export everything as JSON lines, for `git wf import jsonl`
    ///
    /// The first line is {"format":"git-wf-export","version":1}. Then each file of the store has a line, in
    /// the order of the tree: its `path`, and its content as `record` (JSON as it is stored, with its clock),
    /// as `text` if it is not JSON, or as `hex` digits if it is not text. The last line counts the `files`.
    /// The same store always gives the same output. Redacted values are exported as `[redacted]`; the history is not
    /// exported.
    Jsonl(What),
    /// Export issues in the format of `bd` and `br`
    ///
    /// An issue that came from beads is written as its original record with the changes made here, so no value of that
    /// record is lost. Values for which beads has no field are left out and listed.
    Beads(What),
    /// Export issues, plans and queues in the format of `ccw issue`
    ///
    /// The last execution of an item becomes its status. Values for which ccw has no field are left out and listed, unless ccw keeps
    /// unknown fields, in which case `import ccw` restores them.
    Ccw(export_ccw::Args),
    /// Tick the boxes of done tasks in the `tasks.md` of OpenSpec
    ///
    /// For changes that `import openspec` read. All boxes of a completed or closed issue are ticked, except those that
    /// were added since it was claimed, and those with another mark, such as `[-]`. While it is being executed, a box is ticked
    /// once a commit is linked to its task or all criteria of the task are accepted; a task made of several boxes needs the latter.
    /// A box is identified by its line, or by its number if its text was changed. Every other byte stays, and no box is cleared.
    Openspec(Written),
    /// Tick the boxes of done tasks in the `tasks.md` of Spec Kit
    ///
    /// For features that `import spec-kit` read. All boxes of a completed or closed issue are ticked, except those that
    /// were added since it was claimed, and those with another mark, such as `[-]`. While it is being executed, a box is ticked
    /// once a commit is linked to its task or all criteria of the task are accepted; a task made of several boxes needs the latter.
    /// A box is identified by its line, or by its number if its text was changed. Every other byte stays, and no box is cleared.
    SpecKit(Written),
    /// Write statuses into the file of Task Master
    ///
    /// For tasks that `import task-master` read. A task becomes `in-progress` while its plan is being executed, `done` when the
    /// issue is completed or closed, and `cancelled` if it is closed as cancelled; a subtask is `done` once a commit is linked to
    /// it or its criteria are accepted. A task without a status gets one; what was put off there stays so, unless it has work.
    /// Every other byte stays, and what is done there stays done.
    TaskMaster(Written),
    /// Write statuses and ticks into the files of Backlog.md
    ///
    /// For tasks that `import backlog` read. When the issue is completed or closed, the task gets the last of the configured
    /// statuses, and the boxes of its criteria are ticked; while its plan is being executed, it gets the second one. The
    /// issue's id is added to `references`, by which the next import knows it. Every other byte stays.
    Backlog(Written),
    /// Write summaries of what is done beside the plans of Get Shit Done
    ///
    /// For plans that `import gsd` read. A plan whose issue is completed or closed gets a SUMMARY.md, by which the tool knows that
    /// it is done. An existing summary is left alone.
    Gsd(Written),
    /// Export issues as a table for spreadsheets (CSV)
    ///
    /// The filters and the order are those of `list`: closed issues are left out unless --all or --status is given.
    /// A cell that a spreadsheet would run as a formula begins with an apostrophe.
    Csv(Csv),
    /// Export who wrote which lines as Agent Trace records
    ///
    /// Prints one record per line (Agent Trace 0.1, <https://agent-trace.dev>) for each commit that is linked to an execution
    /// and added lines: the files, the added lines by their numbers in that commit, and the agent and model if a session
    /// recorded them; otherwise the contributor is unknown. `metadata` names the issue, the plan, the task and the
    /// execution. Merges are left out. The same store always gives the same output.
    AgentTrace(AgentTrace),
    /// Export the findings of `audit` as an in-toto statement, optionally signed
    ///
    /// The subjects are the commits (in-toto Statement v1). The predicate has their executions and tasks, the plans by digest,
    /// the reviews, the last check of each test, the gates of the policy, and the findings. --sign writes a detached
    /// signature beside the file, made with the program and key that git signs commits with (gpg.format, user.signingKey):
    /// FILE.sig (SSH, namespace `git-wf`), FILE.asc (OpenPGP) or FILE.p7s (X.509). Verify it with `ssh-keygen -Y verify -n
    /// git-wf -f SIGNERS -I WHO -s FILE.sig < FILE`, `gpg --verify FILE.asc FILE` or `gpgsm --verify FILE.p7s FILE`; openssl
    /// does not read the form in which gpgsm signs.
    ///
    /// With --tests, the subjects are the tested trees, and the predicate is in-toto's own `test-result` (v0.1): PASSED, WARNED
    /// (passed, but not proved to test the work) or FAILED, with the tests, the plans, and the checks with their proofs as
    /// annotations. `audit --against FILE` compares such a file with the checks of a store.
    InToto(InToto),
    /// Print or post a comment for an issue on GitHub, saying what was done; or send a roadmap
    ///
    /// It names the approach, the tasks with their files and commits, the changed files, and how they were verified.
    /// Posting it completes the plan's reply task by confirming its criteria. It can be posted only once, after all
    /// other tasks are done, and is stored as a comment on the issue. It goes to the repository where the issue is discussed,
    /// if a remote leads there or --repo names it.
    ///
    /// With --sync, it sends the type of the issue, its parent, what it depends on, and the comments written here, each with the
    /// name of its author. What was changed there since the last import stays. A roadmap becomes an issue, with its issues as
    /// sub-issues. Without --post, it only says what is new. Types and links need gh 2.94 or later.
    Github(Github),
}

#[derive(Debug, clap::Args)]
struct Csv {
    #[command(flatten)]
    filter: FilterArgs,
    /// Write to this file (completely or not at all)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct AgentTrace {
    /// A commit, or a range such as main..HEAD
    #[arg(value_name = "COMMIT|RANGE")]
    of: String,
    /// Write to this file (completely or not at all)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct InToto {
    /// Commits as `git log` takes them, such as main..HEAD (default: HEAD since the first execution)
    #[arg(value_name = "RANGE")]
    range: Vec<String>,
    /// Export the checks instead, one line per tested tree
    #[arg(long)]
    tests: bool,
    /// Write to this file (completely or not at all)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write a signature beside the file
    #[arg(long, requires = "output")]
    sign: bool,
}

#[derive(Debug, clap::Args)]
struct Github {
    /// The issue, or a roadmap
    #[arg(value_name = "ISSUE|ROADMAP")]
    issue: String,
    /// Send its type, parent, dependencies and comments instead
    #[arg(long)]
    sync: bool,
    /// Post it through `gh`; a comment only once the rest of the plan is done
    #[arg(long)]
    post: bool,
    /// The repository to post to; needed only if no remote leads to the one where the issue is discussed
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<String>,
    #[command(flatten)]
    force: Force,
}

#[derive(Debug, clap::Args)]
struct What {
    /// Export only these issues, with everything about them
    issues: Vec<String>,
    /// Write to this file (completely or not at all)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What an export answers with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Exported<T> {
    /// The file.
    output: String,
    #[serde(flatten)]
    contents: T,
}

/// What `export in-toto` answers with `--json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct StatedAnswer {
    /// The file.
    output: String,
    /// The file with its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

fn synced(screen: &mut Screen, view: &GithubSync) -> io::Result<()> {
    if view.issues.is_empty() {
        return writeln!(screen, "nothing new for {}", view.repository);
    }
    for SyncedIssue { id, url, changes } in &view.issues {
        let verb = if view.posted { "sent" } else { "would send" };
        let place = url.as_deref().unwrap_or(&view.repository);
        writeln!(screen, "{verb} {id} to {place}: {}", changes.join(", "))?;
    }
    Ok(())
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.to {
        To::Github(args) => github(context, args),
        To::Ccw(args) => export_ccw::run(args, context),
        To::Openspec(args) => write_back(&written::OPENSPEC, &args, context),
        To::SpecKit(args) => write_back(&written::SPEC_KIT, &args, context),
        To::TaskMaster(args) => write_back(&written::TASK_MASTER, &args, context),
        To::Backlog(args) => write_back(&written::BACKLOG, &args, context),
        To::Gsd(args) => write_back(&written::GSD, &args, context),
        To::Csv(args) => csv(context, args),
        To::Jsonl(What { issues, output }) => written(
            context,
            output.as_deref(),
            |session, out| store::export(session, &issues, out),
            |exported| format!("{} files", exported.files),
        ),
        To::AgentTrace(AgentTrace { of, output }) => written(
            context,
            output.as_deref(),
            |session, out| store::export_agent_trace(session, &of, out),
            |traced| count(traced.records, "record"),
        ),
        To::InToto(args) => stated(context, &args),
        To::Beads(What { issues, output }) => written(
            context,
            output.as_deref(),
            |session, out| store::export_beads(session, &issues, out),
            |handed| count(handed.issues, "issue"),
        ),
    }
}

fn github(context: &mut CliContext, args: Github) -> Outcome {
    let Github { issue, sync, post, repo, force } = args;
    let session = context.session()?;
    if sync || store::is_roadmap(&session, &issue)? {
        let done = store::sync_github(&session, &SyncGithub { what: issue, post, repo })?;
        return context.answer(done, |view, _, screen| synced(screen, view));
    }
    let reply = GithubReply { issue, post, repo, force: force.why() };
    let done = store::comment_for_github(&session, &reply)?;
    context.answer(done, |comment, _, screen| match &comment.url {
        _ if !comment.posted => write!(screen, "{}", comment.body),
        Some(url) => writeln!(screen, "posted: {url}"),
        None => writeln!(screen, "posted to {}", comment.repository.as_deref().unwrap_or("GitHub")),
    })
}

fn csv(context: &mut CliContext, args: Csv) -> Outcome {
    let Csv { filter, output } = args;
    refuse_two_documents(context, output.as_deref())?;
    let session = context.session()?;
    let Some(path) = output else {
        let mut out = BufWriter::with_capacity(1 << 16, context.screen.table()?);
        let done = store::export_csv::<Failure>(&session, &filter.0, &mut out)?;
        out.flush()?;
        drop(out);
        context.show_notices(done.notices);
        return Ok(Exit::Done);
    };
    let done = to_file(&path, |out| store::export_csv::<Failure>(&session, &filter.0, out))?;
    exported(context, &path, done, |table| count(table.issues, "issue"))
}

/// Writes the findings of an audit as a statement, or the results of tests as one for each tree, with a signature if requested.
fn stated(context: &mut CliContext, args: &InToto) -> Outcome {
    let InToto { range, tests, output, sign } = args;
    let output = output.as_deref();
    refuse_two_documents(context, output)?;
    let session = context.session()?;
    let mut document = Vec::new();
    // What is signed is what is written.
    let mut out = JsonLines::new(&mut document);
    let done = if *tests {
        let done = store::export_test_results(&session, range)?;
        for statement in &done.view {
            serde_json::to_writer(&mut out, statement).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
        }
        done.map(drop)
    } else {
        let done = store::export_in_toto(&session, range)?;
        let text = json_text::pretty(&done.view).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
        done.map(drop)
    };
    let Some(path) = output else {
        context.screen.json_lines()?.write_all(&document)?;
        context.show_notices(done.notices);
        return Ok(Exit::Done);
    };
    let signed = if *sign { Some(store::sign(&session, &document)?) } else { None };
    to_file(path, |out| Ok(out.write_all(&document)?))?;
    let mut signature = None;
    if let Some(signed) = signed {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", signed.extension));
        to_file(Path::new(&name), |out| Ok(out.write_all(&signed.signature)?))?;
        signature = Some(name.to_string_lossy().into_owned());
    }
    let output = path.to_string_lossy().into_owned();
    let done = done.map(|()| StatedAnswer { output, signature });
    context.answer(done, |view, _, screen| match &view.signature {
        None => writeln!(screen, "exported the statement to {}", view.output),
        Some(signature) => {
            writeln!(screen, "exported the statement to {}, signed in {signature}", view.output)
        }
    })
}

/// With `--json`, the answer must be the only document on stdout.
fn refuse_two_documents(context: &CliContext, output: Option<&Path>) -> Result<(), Failure> {
    if context.json() && output.is_none() {
        Err(Refusal::usage("--json prints one document, and the export is another")
            .hint("add --output FILE, or leave out --json")
            .into())
    } else {
        Ok(())
    }
}

/// Writes an export to stdout, or to a file and says so.
fn written<V: Serialize + JsonSchema>(
    context: &mut CliContext,
    output: Option<&Path>,
    write: impl FnOnce(&Session, &mut dyn Write) -> Result<Done<V>, Failure>,
    contents: fn(&V) -> String,
) -> Outcome {
    refuse_two_documents(context, output)?;
    let session = context.session()?;
    let Some(path) = output else {
        let mut out = BufWriter::with_capacity(1 << 16, context.screen.json_lines()?);
        let done = write(&session, &mut out)?;
        out.flush()?;
        drop(out);
        context.show_notices(done.notices);
        return Ok(Exit::Done);
    };
    let done = json_to_file(path, |out| write(&session, out))?;
    exported(context, path, done, contents)
}

/// Says what is in the file.
fn exported<V: Serialize + JsonSchema>(
    context: &mut CliContext,
    path: &Path,
    done: Done<V>,
    contents: fn(&V) -> String,
) -> Outcome {
    let output = path.to_string_lossy().into_owned();
    let done = done.map(|view| Exported { output, contents: view });
    context.answer(done, |view, _, screen| {
        writeln!(screen, "exported {} to {}", contents(&view.contents), view.output)
    })
}
