//! What known agents keep about themselves below the home directory: sessions, logins, settings. In a sandbox they can
//! write there, besides their workplace.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::definition::Agent;

/// What a program needs in a sandbox, beside its workplace.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramNeeds {
    /// Files and directories of its own, which it may write.
    pub(crate) state: Vec<PathBuf>,
    /// The files that its command line names, which it may read wherever they are.
    pub(crate) files: Vec<PathBuf>,
}

/// One place of an agent's own.
#[derive(Debug)]
struct StatePlace {
    /// Names of programs.
    programs: &'static [&'static str],
    /// The variable that names the directory instead.
    variable: Option<&'static str>,
    /// Where it is in the directory that the variable names.
    below: &'static str,
    /// Where it is in the home directory if the variable is not set.
    at_home: &'static str,
    kind: PlaceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    Folder,
    File,
}

const CLAUDE: &[&str] = &["claude", "claude-agent-acp", "claude-code", "claude-code-acp"];
const CODEX: &[&str] = &["codex", "codex-acp"];
const GEMINI: &[&str] = &["gemini", "gemini-cli"];
const QWEN: &[&str] = &["qwen", "qwen-code"];
const OPENCODE: &[&str] = &["opencode", "opencode-ai"];

const fn folder(
    programs: &'static [&'static str],
    variable: Option<&'static str>,
    below: &'static str,
    at_home: &'static str,
) -> StatePlace {
    StatePlace { programs, variable, below, at_home, kind: PlaceKind::Folder }
}

static PLACES: &[StatePlace] = &[
    folder(&["aider"], None, "", ".aider"),
    folder(CLAUDE, Some("CLAUDE_CONFIG_DIR"), "", ".claude"),
    StatePlace {
        programs: CLAUDE,
        variable: Some("CLAUDE_CONFIG_DIR"),
        below: ".claude.json",
        at_home: ".claude.json",
        kind: PlaceKind::File,
    },
    folder(&["cline"], None, "", ".cline"),
    folder(CODEX, Some("CODEX_HOME"), "", ".codex"),
    folder(&["copilot"], Some("COPILOT_HOME"), "", ".copilot"),
    folder(GEMINI, None, "", ".gemini"),
    folder(&["pi", "pi-acp"], Some("PI_CODING_AGENT_DIR"), "", ".pi"),
    folder(QWEN, None, "", ".qwen"),
    folder(&["vibe", "vibe-acp"], Some("VIBE_HOME"), "", ".vibe"),
    folder(OPENCODE, Some("XDG_CACHE_HOME"), "opencode", ".cache/opencode"),
    folder(OPENCODE, Some("XDG_CONFIG_HOME"), "opencode", ".config/opencode"),
    folder(OPENCODE, Some("XDG_DATA_HOME"), "opencode", ".local/share/opencode"),
    folder(OPENCODE, Some("XDG_STATE_HOME"), "opencode", ".local/state/opencode"),
];

impl Agent {
    /// What the agent needs in a sandbox: its state, and the files that its command line names.
    pub(crate) fn needs(&self, environment: &[(OsString, OsString)]) -> ProgramNeeds {
        let files = self.words().into_iter().map(PathBuf::from);
        let files = files.filter(|word| word.is_absolute() && word.is_file()).collect();
        ProgramNeeds { state: self.state(environment), files }
    }

    /// The files and directories of the agent's own, as its variables name them. Directories that are missing are made, since
    /// the agent could not make them in a sandbox; if that fails, the agent says so itself.
    fn state(&self, environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
        let words = self.words();
        let programs: Vec<&str> = words.iter().filter_map(|word| program_name(word)).collect();
        let mut found = Vec::new();
        for place in PLACES {
            if !programs.iter().any(|name| place.programs.contains(name)) {
                continue;
            }
            let Some(path) = place.path(environment) else { continue };
            if place.kind == PlaceKind::Folder {
                let _ = DirBuilder::new().mode(0o700).recursive(true).create(&path);
            }
            found.push(path);
        }
        found
    }
}

impl StatePlace {
    fn path(&self, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
        if let Some(named) = self.variable.and_then(|variable| absolute(environment, variable)) {
            return Some(if self.below.is_empty() { named } else { named.join(self.below) });
        }
        Some(absolute(environment, "HOME")?.join(self.at_home))
    }
}

/// The absolute path in a variable.
fn absolute(environment: &[(OsString, OsString)], variable: &str) -> Option<PathBuf> {
    let (_, value) = environment.iter().find(|(name, _)| name == variable)?;
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

/// The name of a program or package in a word of a command: that of `codex-acp` in `@zed-industries/codex-acp@0.5.0`.
fn program_name(word: &OsStr) -> Option<&str> {
    let name = Path::new(word).file_name()?.to_str()?;
    Some(name.split('@').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(command: &str, variables: &[(&str, &str)]) -> Vec<PathBuf> {
        let variables: Vec<_> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Agent::of_text(command, &[]).unwrap().state(&variables)
    }

    #[test]
    fn an_agent_has_what_its_variables_name_or_what_is_usual() {
        let home = tempfile::tempdir().unwrap();
        let at_home = ("HOME", home.path().to_str().unwrap());
        assert_eq!(state("codex", &[at_home]), [home.path().join(".codex")]);
        assert!(home.path().join(".codex").is_dir());
        let elsewhere = home.path().join("elsewhere");
        assert_eq!(
            state(
                "npx -y @zed-industries/codex-acp@0.5.0",
                &[at_home, ("CODEX_HOME", elsewhere.to_str().unwrap())]
            ),
            [elsewhere]
        );
        assert_eq!(
            state("claude", &[at_home]),
            [home.path().join(".claude"), home.path().join(".claude.json")]
        );
        assert!(!home.path().join(".claude.json").exists());
        assert_eq!(state("./planner.sh --model x", &[at_home]), [] as [PathBuf; 0]);
    }
}
