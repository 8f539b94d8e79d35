//! Installs manual pages and completions where the system looks for those of this user. It is not an operation, since all
//! that it decides depends on the user's environment and shells, and nothing on a store.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap_complete::Shell;
use schemars::JsonSchema;
use serde::Serialize;

use super::completions;
use super::manual_pages::{self, PAGES};
use crate::cli::{CliContext, Exit, Failure, Outcome, acting, system_words};
use crate::model::{Code, text_enum};
use crate::ops::Refusal;
use crate::rules::roles;
use crate::ui::{clean_line, count};

/// Install manual pages and completions for this user, or remove them
///
/// Manual pages go to `share/man` beside the directory of the program if it is writable, as after `cargo install`, otherwise
/// to ~/.local/share/man. Completions are installed for bash, zsh and fish, if the shell is installed. No other file is
/// changed: if a start-up file needs a line, it is shown. Run this again after an update.
///
/// With --manual, only the pages are installed: DIR should be one that `manpath` lists.
///
/// With --completions, by hand: for bash, write to `~/.local/share/bash-completion/completions/git-wf`; for zsh, to
/// `_git-wf` in a directory of $fpath; for fish, to `~/.config/fish/conf.d/git-wf.fish`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Remove what `setup` wrote for this user; what `--manual` wrote stays
    #[arg(long)]
    uninstall: bool,
    /// Install only the manual pages, below this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["uninstall", "completions"])]
    manual: Option<PathBuf>,
    /// Print the completions for a shell instead, for a place of your own
    #[arg(long, value_name = "SHELL", conflicts_with = "uninstall")]
    completions: Option<Shell>,
}

text_enum!(
    /// What was done with a part.
    State {
        /// It was written.
        Installed = "installed",
        /// It was removed.
        Removed = "removed",
        /// There was nothing to remove.
        Absent = "absent",
        /// The shell is not installed here.
        Skipped = "skipped",
    }
);

text_enum!(
    /// A part of what is installed.
    InstalledPart {
        /// The manual pages.
        Manual = "manual",
        /// The completion of bash.
        Bash = "bash",
        /// The completion of zsh.
        Zsh = "zsh",
        /// The completion of fish.
        Fish = "fish",
    }
);

/// What `setup` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct SetupAnswer {
    /// The manual pages, then the completion of each shell.
    parts: Vec<SetupPart>,
}

/// The manual pages, or the completion of a shell.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
struct SetupPart {
    /// Which part.
    part: InstalledPart,
    /// What was done with it.
    state: State,
    /// The directory of the pages, or the file.
    place: Option<String>,
    /// The number of files.
    files: usize,
    /// What to add to a start-up file so that the system finds it.
    to_do: Option<String>,
}

/// The directories of a user.
struct Home {
    home: PathBuf,
    data: PathBuf,
    config: PathBuf,
}

/// The directory that an environment variable names, if that is an absolute path.
fn folder_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

impl Home {
    fn found() -> Result<Self, Failure> {
        let home = folder_in("HOME").ok_or_else(|| {
            Refusal::new(Code::NoDirectory, "HOME is not set, so there is nowhere to install for this user")
                .hint(ELSEWHERE)
        })?;
        Ok(Self {
            data: folder_in("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            config: folder_in("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            home,
        })
    }

    /// Where manual pages can be installed, best first.
    fn manuals(&self) -> Vec<PathBuf> {
        manual_pages::beside_the_program().into_iter().chain([self.data.join("man")]).collect()
    }

    /// Where a shell looks for completions.
    fn completion(&self, shell: Shell) -> Option<PathBuf> {
        match shell {
            Shell::Bash => {
                let own = folder_in("BASH_COMPLETION_USER_DIR");
                let folder = own.unwrap_or_else(|| self.data.join("bash-completion"));
                Some(folder.join("completions/git-wf"))
            }
            Shell::Zsh => Some(self.data.join("zsh/site-functions/_git-wf")),
            // In `completions`, it would be read for `git-wf` only, and not for `git wf`.
            Shell::Fish => Some(self.config.join("fish/conf.d/git-wf.fish")),
            _ => None,
        }
    }
}

/// A path for display: `~/…` in the home directory.
fn short(path: &Path) -> String {
    match folder_in("HOME").map(|home| path.strip_prefix(home)) {
        Some(Ok(inner)) => format!("~/{}", inner.display()),
        _ => path.display().to_string(),
    }
}

const ELSEWHERE: &str = "`git wf setup --manual DIR` and `git wf setup --completions SHELL` write elsewhere";

const SHELLS: &[(InstalledPart, Shell)] = &[
    (InstalledPart::Bash, Shell::Bash),
    (InstalledPart::Zsh, Shell::Zsh),
    (InstalledPart::Fish, Shell::Fish),
];

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    if let Some(shell) = args.completions {
        return completions::print(shell, context);
    }
    roles::admit_command(acting().role(), "setup")?;
    let parts = if let Some(folder) = args.manual {
        vec![manual_in(&std::path::absolute(&folder).unwrap_or(folder))?]
    } else if args.uninstall {
        uninstalled(&Home::found()?)?
    } else {
        installed(&Home::found()?)?
    };
    let answer = SetupAnswer { parts };
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print_parts(context, &answer)?;
    }
    Ok(Exit::Done)
}

fn installed(home: &Home) -> Result<Vec<SetupPart>, Failure> {
    let mut parts = vec![manual(home)?];
    for (part, shell) in SHELLS {
        if let Some(path) = home.completion(*shell) {
            parts.push(completion(*part, *shell, &path)?);
        }
    }
    Ok(parts)
}

fn uninstalled(home: &Home) -> Result<Vec<SetupPart>, Failure> {
    let mut parts = Vec::new();
    for folder in home.manuals() {
        parts.push(removed_manual(home, &folder)?);
    }
    if parts.iter().any(|part| part.files > 0) {
        parts.retain(|part| part.files > 0);
    } else {
        parts.truncate(1);
    }
    for (part, shell) in SHELLS {
        if let Some(path) = home.completion(*shell) {
            parts.push(removed(home, *part, &path)?);
        }
    }
    Ok(parts)
}

fn print_parts(context: &mut CliContext, answer: &SetupAnswer) -> io::Result<()> {
    for SetupPart { part, state, place, files, to_do } in &answer.parts {
        let what = match part {
            InstalledPart::Manual if *files > 0 => count(*files, "manual page"),
            InstalledPart::Manual => "manual pages".into(),
            shell => format!("the completion for {shell}"),
        };
        let place = short(Path::new(place.as_deref().unwrap_or_default()));
        let place = clean_line(&place);
        match state {
            State::Installed => writeln!(context.screen, "installed {what} in {place}")?,
            State::Removed => writeln!(context.screen, "removed {what} from {place}")?,
            State::Absent => writeln!(context.screen, "no {} in {place}", what.trim_start_matches("the "))?,
            State::Skipped => writeln!(context.screen, "skipped {part}, which is not installed")?,
        }
        if let Some(to_do) = to_do {
            writeln!(context.screen, "    {}", clean_line(to_do))?;
        }
    }
    Ok(())
}

fn failed(place: &Path, error: &io::Error) -> Failure {
    Refusal::new(Code::CannotWrite, format!("cannot write `{}`: {}", place.display(), system_words(error)))
        .hint(ELSEWHERE)
        .into()
}

/// Writes the pages to the first directory that is writable.
fn manual(home: &Home) -> Result<SetupPart, Failure> {
    let mut last = failed(&home.data, &io::ErrorKind::NotFound.into());
    for folder in home.manuals() {
        match manual_in(&folder) {
            Ok(part) => return Ok(part),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Writes the pages below a directory, and removes those of other versions there.
fn manual_in(folder: &Path) -> Result<SetupPart, Failure> {
    for (name, text) in PAGES {
        manual_pages::write(folder, name, text).map_err(|error| failed(folder, &error))?;
    }
    for old in manual_pages::outdated(folder) {
        std::fs::remove_file(&old).map_err(|error| failed(&old, &error))?;
    }
    let to_do = if manual_pages::is_found(folder) {
        None
    } else {
        Some(format!("`man` does not look there: `export MANPATH={}:` in ~/.profile", folder.display()))
    };
    Ok(SetupPart {
        part: InstalledPart::Manual,
        state: State::Installed,
        place: Some(folder.display().to_string()),
        files: PAGES.len(),
        to_do,
    })
}

fn completion(part: InstalledPart, shell: Shell, path: &Path) -> Result<SetupPart, Failure> {
    if !is_on_path(part.as_str()) {
        return Ok(SetupPart { part, state: State::Skipped, place: None, files: 0, to_do: None });
    }
    let script = completions::script(shell)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, &script))
        .map_err(|error| failed(path, &error))?;
    let to_do = match shell {
        Shell::Zsh if !zsh_looks_in(folder) => Some(format!(
            "zsh does not look there: `fpath+=({})` before `compinit` in ~/.zshrc",
            short(folder)
        )),
        Shell::Bash if !has_bash_completion() => Some(format!(
            "bash reads it through bash-completion, which is not installed: install that, or source git's completion \
             and then {} in ~/.bashrc",
            short(path)
        )),
        _ => None,
    };
    let place = Some(path.display().to_string());
    Ok(SetupPart { part, state: State::Installed, place, files: 1, to_do })
}

/// Removes the pages of all versions; other files stay.
fn removed_manual(home: &Home, folder: &Path) -> Result<SetupPart, Failure> {
    let current = PAGES.iter().map(|(name, _)| {
        folder.join(format!("man{}", name.rsplit('.').next().unwrap_or_default())).join(name)
    });
    let mut files = 0;
    for page in current.chain(manual_pages::outdated(folder)) {
        files += usize::from(is_removed(home, &page, "git\\-wf")?);
    }
    let state = if files > 0 { State::Removed } else { State::Absent };
    Ok(SetupPart {
        part: InstalledPart::Manual,
        state,
        place: Some(folder.display().to_string()),
        files,
        to_do: None,
    })
}

fn removed(home: &Home, part: InstalledPart, path: &Path) -> Result<SetupPart, Failure> {
    let is_removed = is_removed(home, path, "WF_COMPLETE")?;
    Ok(SetupPart {
        part,
        state: if is_removed { State::Removed } else { State::Absent },
        place: Some(path.display().to_string()),
        files: usize::from(is_removed),
        to_do: None,
    })
}

/// The directories that `setup` makes and that hold nothing but manual pages or completions. Those of fish are not among
/// them: fish makes them itself.
const OWN: [&str; 8] =
    ["completions", "bash-completion", "site-functions", "zsh", "man", "man1", "man5", "man7"];

/// Removes a file if it is ours, that is, if it contains `mark`; and the directories in [`OWN`] that are then empty.
fn is_removed(home: &Home, path: &Path, mark: &str) -> Result<bool, Failure> {
    let is_ours = std::fs::read_to_string(path).is_ok_and(|text| text.contains(mark));
    if is_ours {
        std::fs::remove_file(path).map_err(|error| failed(path, &error))?;
        let folders = path.ancestors().skip(1);
        let own = folders.take_while(|folder| {
            folder.starts_with(&home.home)
                && **folder != *home.home
                && (folder.file_name().is_some_and(|name| OWN.iter().any(|own| name == *own)))
        });
        // The first one that is not empty ends it.
        let _ = own.map(std::fs::remove_dir).take_while(Result::is_ok).count();
    }
    Ok(is_ours)
}

/// Whether the scripts of bash-completion are where packages put them.
fn has_bash_completion() -> bool {
    let data = std::env::var_os("XDG_DATA_DIRS").filter(|folders| !folders.is_empty());
    let data = data.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let packaged = std::env::split_paths(&data).map(|path| path.join("bash-completion/bash_completion"));
    let others = [
        "/usr/share/bash-completion/bash_completion",
        "/usr/local/etc/profile.d/bash_completion.sh",
        "/opt/homebrew/etc/profile.d/bash_completion.sh",
        "/run/current-system/sw/share/bash-completion/bash_completion",
        "/etc/bash_completion",
    ];
    packaged.chain(others.map(PathBuf::from)).any(|path| path.is_file())
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.is_absolute() && folder.join(program).is_file())
}

/// Whether zsh, as this user starts it, looks for functions in `folder`.
fn zsh_looks_in(folder: &Path) -> bool {
    let asked = Command::new("zsh")
        .args(["-i", "-c", "print -rl -- $fpath"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|asked| {
        String::from_utf8_lossy(&asked.stdout).lines().any(|line| Path::new(line) == folder)
    })
}
