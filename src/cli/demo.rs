use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Context, Exit, Failure, Outcome};
use crate::ui::style;

/// Walk through a whole session in a throw-away repository: from an issue to a traced commit, across two clones
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to make it in, which must not exist; a new temporary one unless given
    folder: Option<PathBuf>,
}

/// What `demo` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DemoAnswer {
    /// Where everything is, to look around in.
    folder: String,
    /// The commands with their answers.
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    /// The folder it ran in, below the demo's.
    clone: &'static str,
    command: String,
    output: String,
}

/// A step of the walk: a word on it, the clone that it runs in, and what a user would type.
struct Walk {
    word: &'static str,
    clone: &'static str,
    command: &'static str,
}

const fn step(word: &'static str, clone: &'static str, command: &'static str) -> Walk {
    Walk { word, clone, command }
}

/// The main clone.
const SHOP: &str = "shop";
/// A colleague's clone.
const OTHER: &str = "colleague";

static WALK: &[Walk] = &[
    step("A store on its own ref, and hooks that bind commits by themselves.", SHOP, "git wf init --hooks"),
    step("Issues can come from another tracker.", SHOP, "git wf import beads ../issues.jsonl"),
    step("", SHOP, "git wf list --status registered --limit 10"),
    step(
        "A new issue.",
        SHOP,
        "git wf new --id ISS-001 \"Sessions end too early\" -m \"Everybody is logged out after an hour.\" -p high -t auth",
    ),
    step("A plan, as a planning agent writes it. The only one, so it is bound.", SHOP, "git wf solution add ISS-001 ../plan.json"),
    step("That is so already, and nothing is written.", SHOP, "git wf bind ISS-001"),
    step("", SHOP, "git wf queue add ISS-001"),
    step("An executor takes the next item: this worktree and branch are bound to it.", SHOP, "git wf next"),
    step("The test does not pass yet.", SHOP, "sh test.sh || echo \"as the issue says\""),
    step("The work itself, and a plain commit. The hooks do the rest.", SHOP, "sed -i.bak s/3600/43200/ session.sh && rm session.sh.bak && sh test.sh"),
    step("", SHOP, "git commit -qam \"Let sessions last for a working day\" && git log -1 --format=%B"),
    step("", SHOP, "git wf done -m \"Sessions last for twelve hours\""),
    step("From the commit to the plan and the issue, and back down.", SHOP, "git wf trace HEAD"),
    step("The same from the issue.", SHOP, "git wf trace ISS-001"),
    step("Every step, who and when.", SHOP, "git wf log ISS-001"),
    step("All of it is plain git objects.", SHOP, "git log --oneline refs/wf/main && git fsck --strict"),
    step("Share the code, then the store.", SHOP, "git push -q origin main && git wf sync origin"),
    step("A colleague clones the project.", OTHER, "git wf init && git wf sync"),
    step("The same commit traces to the same plan there.", OTHER, "git wf trace HEAD"),
    step("Both refs are the same commit.", OTHER, "git rev-parse refs/wf/main && git -C ../shop rev-parse refs/wf/main"),
];

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
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
            // Each answer is shown as it comes.
            context.screen.flush()?;
        }
        steps.push(Step { clone: walk.clone, command: walk.command.to_owned(), output });
    }
    let folder = folder.display().to_string();
    if context.json() {
        context.screen.print_json(&DemoAnswer { folder, steps })?;
    } else {
        writeln!(context.screen, "Look around in {folder}/{SHOP}, and delete {folder} when you have seen enough.")?;
    }
    Ok(Exit::Done)
}

fn announce(walk: &Walk, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    if !walk.word.is_empty() {
        writeln!(context.screen, "{}", painter.paint(style::DIM, &format!("# {}", walk.word)))?;
    }
    let line = format!("{}$ {}", walk.clone, walk.command);
    writeln!(context.screen, "{}", painter.paint(style::HEADING, &line))?;
    Ok(context.screen.flush()?)
}

fn folder(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        Failure::new("demo", format!("cannot make the folder `{}`: {error}", path.display()))
            .hint("name a folder that does not exist yet: `git wf demo FOLDER`")
    };
    match given {
        Some(path) => {
            std::fs::create_dir(&path).map_err(|error| failed(&path, error))?;
            std::path::absolute(&path).map_err(|error| failed(&path, error))
        }
        None => {
            let temporary = std::env::temp_dir();
            let made = tempfile::Builder::new().prefix("git-wf-demo-").tempdir();
            made.map(tempfile::TempDir::keep).map_err(|error| failed(&temporary, error))
        }
    }
}

/// The server, the project with its first commit, and the files that the walk reads.
fn prepare(folder: &Path) -> Result<(), Failure> {
    let shop = folder.join(SHOP);
    shell(folder, "git init -q --bare -b main server.git && git init -q -b main shop")?;
    identity(&shop, "Ada", "ada@example.org")?;
    let files = [
        (folder.join("issues.jsonl"), include_str!("demo/issues.jsonl")),
        (folder.join("plan.json"), include_str!("demo/plan.json")),
        (shop.join("session.sh"), include_str!("demo/session.sh")),
        (shop.join("test.sh"), include_str!("demo/test.sh")),
    ];
    for (path, text) in files {
        std::fs::write(&path, text)
            .map_err(|error| Failure::new("demo", format!("cannot write `{}`: {error}", path.display())))?;
    }
    shell(&shop, "git add . && git commit -qm \"A shop with sessions\" && git remote add origin ../server.git")?;
    shell(&shop, "git push -q origin main").map(|_| ())
}

fn identity(clone: &Path, name: &str, email: &str) -> Result<(), Failure> {
    shell(clone, &format!("git config user.name {name} && git config user.email {email}")).map(|_| ())
}

/// Runs what a user would type, with this very program as `git wf` and without the user's own configuration, which the
/// walk must not depend on. The answer is what came on stdout and stderr.
fn shell(folder: &Path, command: &str) -> Result<String, Failure> {
    let failed = |why: String| Failure::new("demo", format!("`{command}` in `{}`: {why}", folder.display()));
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
    Err(failed(output.status.to_string()).details(lines).hint("what the demo has made so far is in that folder"))
}
