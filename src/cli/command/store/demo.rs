use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Exit, Failure, Outcome, system_words};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ui::style;

/// Show a whole session in a throw-away repository, from an issue to a traced commit and across two clones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to create it; the directory must not exist yet (default: a new temporary directory)
    #[arg(value_name = "DIRECTORY")]
    folder: Option<PathBuf>,
}

/// The answer of `demo`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DemoAnswer {
    /// The directory that holds the repositories.
    folder: String,
    /// The commands, with what each printed.
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    /// What the command is for; empty if it continues the previous step.
    note: &'static str,
    /// The directory it ran in, below `folder`.
    clone: &'static str,
    /// The command line.
    command: &'static str,
    /// What it printed on stdout and stderr.
    output: String,
}

/// A step of the demo: what it is for, the clone it runs in, and what a user would type.
struct Walk {
    note: &'static str,
    clone: &'static str,
    command: &'static str,
}

const fn step(note: &'static str, clone: &'static str, command: &'static str) -> Walk {
    Walk { note, clone, command }
}

/// The main clone.
const SHOP: &str = "shop";
/// A colleague's clone.
const OTHER: &str = "colleague";

static WALK: &[Walk] = &[
    step(
        "Create the store on a ref of its own, and install the hooks that link commits to plans.",
        SHOP,
        "git wf init --hooks",
    ),
    step(
        "Create an issue. Anyone with a clone can do this, and so can an agent.",
        SHOP,
        "git wf new --id ISS-001 \"Sessions end too early\" -m \"Users are logged out after an hour.\" -p high -t auth",
    ),
    step("Issues can also come from another tracker.", SHOP, "git wf import beads ../issues.jsonl"),
    step("", SHOP, "git wf list"),
    step(
        "A planning agent writes a plan as JSON. It is the only plan of this issue, so it is bound at once.",
        SHOP,
        "git wf plan add ISS-001 ../plan.json",
    ),
    step("A bound plan can be queued.", SHOP, "git wf queue add ISS-001"),
    step(
        "An executor claims the next ready item. From now on this worktree executes that plan.",
        SHOP,
        "git wf next",
    ),
    step("The test fails: the bug is there.", SHOP, "sh test.sh || echo \"exit code $?\""),
    step("Fix it.", SHOP, "sed -i.bak s/3600/43200/ session.sh && rm session.sh.bak && git diff -U0"),
    step(
        "An ordinary commit is enough. The hooks add the trailers and link the commit to its task.",
        SHOP,
        "git commit -qam \"Let sessions last for a working day\" && git log -1 --format=%B",
    ),
    step(
        "Run the test commands of the plan, and record what they report for this commit.",
        SHOP,
        "git wf verify --yes",
    ),
    step(
        "The work is finished. The claim ends, and the issue is completed.",
        SHOP,
        "git wf done -m \"Sessions last for twelve hours\"",
    ),
    step("Trace a line of code back to the plan.", SHOP, "git wf why session.sh:3"),
    step("Trace the issue down to its commits and checks.", SHOP, "git wf trace ISS-001"),
    step("Does every commit follow a plan, and is there evidence for every task?", SHOP, "git wf audit"),
    step("Who did what, and when?", SHOP, "git wf log ISS-001"),
    step(
        "Agents work in clones of their own, which have only what git tracks. Ignored files that `.worktreeinclude` names come along, \
         and commands of `wf.workplace.setup`, such as `npm ci`, prepare the rest.",
        SHOP,
        "echo .env | tee -a .gitignore > .worktreeinclude && echo CURRENCY=EUR > .env && git config -f .wfconfig wf.workplace.setup \"test -s .env\" && \
         git add . && git commit -qm \"Say what a workplace needs\"",
    ),
    step(
        "Agents can do all of this on their own. Here, scripts stand in for them: one plans, one reviews the plan, one executes it.",
        SHOP,
        "git wf run shop-4f --planner ../planner.sh --reviewer ../reviewer.sh --executor ../executor.sh --yes",
    ),
    step("What did the run achieve, and what is left for a person?", SHOP, "git wf run report"),
    step(
        "The run has touched none of your branches. Merge its work when you are happy with it.",
        SHOP,
        "git merge -q --ff-only $(git branch --list 'wf/RUN-*' --format '%(refname)') && git wf why cart.sh:3",
    ),
    step(
        "The store is made of plain git objects.",
        SHOP,
        "git log --oneline refs/wf/main && git fsck --strict",
    ),
    step(
        "Publish the code. `next` and `done` have already published the store, so there is nothing left to sync.",
        SHOP,
        "git push -q origin main && git wf sync origin",
    ),
    step("A colleague clones the project and fetches the store.", OTHER, "git wf init && git wf sync"),
    step("The same commit leads to the same plan there.", OTHER, "git wf trace HEAD"),
    step(
        "Both clones hold the same state, down to the commit.",
        OTHER,
        "git rev-parse refs/wf/main && git -C ../shop rev-parse refs/wf/main",
    ),
];

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let folder = folder(args.folder)?;
    prepare(&folder)?;
    let mut steps = Vec::new();
    for walk in WALK {
        if walk.clone == OTHER && !folder.join(OTHER).exists() {
            shell(&folder, "git clone -q server.git colleague")?;
            identity(&folder.join(OTHER), "Grace", "grace@example.org")?;
        }
        if !context.json() {
            announce(walk, context)?;
        }
        let output = shell(&folder.join(walk.clone), walk.command)?;
        if !context.json() {
            for line in output.lines() {
                writeln!(context.screen, "{}", crate::ui::text::clean(line))?;
            }
            writeln!(context.screen)?;
            // Show each answer as soon as it is there.
            context.screen.flush()?;
        }
        steps.push(Step { note: walk.note, clone: walk.clone, command: walk.command, output });
    }
    let folder = folder.display().to_string();
    if context.json() {
        context.screen.print_json(&DemoAnswer { folder, steps })?;
    } else {
        writeln!(context.screen, "Look around in {folder}/{SHOP}, and delete {folder} when you are done.")?;
    }
    Ok(Exit::Done)
}

fn announce(walk: &Walk, context: &mut CliContext) -> Result<(), Failure> {
    let painter = context.screen.painter();
    if !walk.note.is_empty() {
        writeln!(context.screen, "{}", painter.paint(style::DIM, &format!("# {}", walk.note)))?;
    }
    let line = format!("{}$ {}", walk.clone, walk.command);
    writeln!(context.screen, "{}", painter.paint(style::HEADING, &line))?;
    Ok(context.screen.flush()?)
}

fn folder(given: Option<PathBuf>) -> Result<PathBuf, Refusal> {
    let named = given.clone().unwrap_or_else(std::env::temp_dir);
    let made = match given {
        Some(path) => std::fs::create_dir(&path).and_then(|()| std::path::absolute(&path)),
        None => tempfile::Builder::new().prefix("git-wf-demo-").tempdir().map(tempfile::TempDir::keep),
    };
    made.map_err(|error| {
        Refusal::new(
            Code::Demo,
            format!("cannot create the directory `{}`: {}", named.display(), system_words(&error)),
        )
        .hint("name a directory that does not exist yet: `git wf demo DIRECTORY`")
    })
}

/// Creates the server, the project with its first commit, and the files that the demo reads.
fn prepare(folder: &Path) -> Result<(), Failure> {
    let shop = folder.join(SHOP);
    shell(folder, "git init -q --bare -b main server.git && git init -q -b main shop")?;
    identity(&shop, "Ada", "ada@example.org")?;
    let files = [
        (folder.join("issues.jsonl"), include_str!("demo/issues.jsonl")),
        (folder.join("plan.json"), include_str!("demo/plan.json")),
        (folder.join("planner.sh"), include_str!("demo/planner.sh")),
        (folder.join("reviewer.sh"), include_str!("demo/reviewer.sh")),
        (folder.join("executor.sh"), include_str!("demo/executor.sh")),
        (shop.join("cart.sh"), include_str!("demo/cart.sh")),
        (shop.join("session.sh"), include_str!("demo/session.sh")),
        (shop.join("test.sh"), include_str!("demo/test.sh")),
        (shop.join("test-cart.sh"), include_str!("demo/test-cart.sh")),
    ];
    for (path, text) in files {
        std::fs::write(&path, text).map_err(|error| {
            Refusal::new(Code::Demo, format!("cannot write `{}`: {}", path.display(), system_words(&error)))
                .hint("name a directory that can be written as TMPDIR")
        })?;
    }
    shell(folder, "chmod +x planner.sh reviewer.sh executor.sh")?;
    shell(
        &shop,
        "git add . && git commit -qm \"A shop with sessions\" && git remote add origin ../server.git",
    )?;
    shell(&shop, "git push -q origin main").map(|_| ())
}

fn identity(clone: &Path, name: &str, email: &str) -> Result<(), Failure> {
    // The agents are the demo's own, and the demo is to look the same with and without bubblewrap.
    let sandbox = "git config wf.run.sandbox off";
    shell(clone, &format!("git config user.name {name} && git config user.email {email} && {sandbox}"))
        .map(|_| ())
}

/// Runs a command as a user would type it, with this program as `git wf` and without the user's configuration, which
/// must not affect the demo. Returns what it printed on stdout and stderr.
fn shell(folder: &Path, command: &str) -> Result<String, Failure> {
    let failed = |why: String| {
        Refusal::new(Code::Demo, format!("`{command}` in `{}`: {why}", folder.display()))
            .hint("the demo needs `git` and `sh` on the PATH")
    };
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut path = std::ffi::OsString::from(program.parent().unwrap_or(Path::new(".")));
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    let mut child = Command::new("sh");
    child.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("GIT_") || text.starts_with("WF_") {
            child.env_remove(&name);
        }
    }
    child
        .env("PATH", path)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_PAGER", "cat");
    let output = child.output().map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let lines = text.lines().map(str::to_owned).collect();
    Err(failed(output.status.to_string())
        .details(lines)
        .hint("what the demo has made so far is in that directory")
        .into())
}
