//! What the configuration of another program needs, so that it calls git-wf.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::{Answer, Refusal, Session};
use crate::trail::hooked::{self, HookManager};

/// Lines for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct HookLines {
    /// The program that reads the file.
    pub(crate) manager: HookManager,
    /// The file, relative to the top directory of the work tree.
    pub(crate) file: String,
    /// What to add to it.
    pub(crate) lines: Vec<String>,
}

/// A hook and how the program calls it: the arguments of git in the program's words, and what feeds its stdin.
struct HookCall {
    name: &'static str,
    lefthook: &'static str,
    pre_commit: &'static str,
    stdin: bool,
}

const CALLS: [HookCall; 5] = [
    HookCall { name: "commit-msg", lefthook: r#" "{1}""#, pre_commit: r#" "$1""#, stdin: false },
    HookCall { name: "post-commit", lefthook: "", pre_commit: "", stdin: false },
    HookCall {
        name: "post-merge",
        lefthook: " {1}",
        pre_commit: " $PRE_COMMIT_IS_SQUASH_MERGE",
        stdin: false,
    },
    HookCall {
        name: "post-rewrite",
        lefthook: " {1}",
        pre_commit: " $PRE_COMMIT_REWRITE_COMMAND",
        stdin: true,
    },
    HookCall {
        name: "pre-push",
        lefthook: r#" "{1}" "{2}""#,
        pre_commit: r#" "$PRE_COMMIT_REMOTE_NAME" "$PRE_COMMIT_REMOTE_URL""#,
        stdin: true,
    },
];

/// What the programs that are configured here need, and those that are named. Without any, nothing is listed.
///
/// # Errors
/// Any error from reading the repository.
pub(crate) fn hook_lines(session: &Session, named: &[HookManager]) -> Answer<Vec<HookLines>> {
    let mut managers = if named.is_empty() { configured(session) } else { vec![] };
    managers.extend(named.iter().map(|manager| (*manager, default_file(*manager).to_owned())));
    if managers.is_empty() {
        let words = HookManager::words();
        return Err(Refusal::nothing("no program that manages hooks is configured here")
            .hint(format!("name one: {words}")));
    }
    let lines = managers.into_iter().flat_map(|(manager, file)| lines(manager, &file)).collect();
    Ok(session.done(lines, None))
}

/// What the programs that can overwrite the shims need, and do not have yet.
pub(crate) fn missing_hook_lines(session: &Session) -> Vec<HookLines> {
    overwriting(session).into_iter().flat_map(|(manager, file)| lines(manager, &file)).collect()
}

/// The programs that can overwrite the shims and whose configuration does not call git-wf, each with its file.
pub(super) fn overwriting(session: &Session) -> Vec<(HookManager, String)> {
    let Some(top) = session.store().work_dir() else { return vec![] };
    let names: Vec<&str> = hooked::LINKING.iter().map(|(name, _)| *name).collect();
    let mut found = configured(session);
    // Others run the shims that they find.
    found.retain(|(manager, _)| !manager.runs_legacy() && !manager.is_configured_for(&top, &names));
    found
}

fn configured(session: &Session) -> Vec<(HookManager, String)> {
    let top = session.store().work_dir().unwrap_or_default();
    let managers = hooked::managers(session.store()).into_iter();
    let relative = |(manager, file): (HookManager, std::path::PathBuf)| {
        (manager, file.strip_prefix(&top).unwrap_or(&file).to_string_lossy().into_owned())
    };
    managers.map(relative).collect()
}

fn default_file(manager: HookManager) -> &'static str {
    match manager {
        HookManager::PreCommit | HookManager::Prek => ".pre-commit-config.yaml",
        HookManager::Lefthook => "lefthook.yml",
        HookManager::Husky => ".husky",
        HookManager::SimpleGitHooks => "package.json",
    }
}

/// The call of a shell, which does nothing on a machine without git-wf.
fn guarded(call: &HookCall, arguments: &str) -> String {
    format!("! command -v git-wf >/dev/null || git-wf hook {}{arguments}", call.name)
}

fn lines(manager: HookManager, file: &str) -> Vec<HookLines> {
    let file = file.to_owned();
    let mut lines = Vec::new();
    match manager {
        HookManager::Husky => {
            let script = |call: &HookCall| HookLines {
                manager,
                file: format!("{file}/{}", call.name),
                lines: vec![guarded(call, " \"$@\"")],
            };
            return CALLS.iter().map(script).collect();
        }
        HookManager::Lefthook => {
            for call in &CALLS {
                let HookCall { name, lefthook, .. } = call;
                lines.extend([
                    format!("{name}:"),
                    "  commands:".into(),
                    "    git-wf:".into(),
                    format!(
                        "      run: if command -v git-wf >/dev/null; then git-wf hook {name}{lefthook}; fi"
                    ),
                ]);
                if call.stdin {
                    lines.push("      use_stdin: true".into());
                }
            }
        }
        HookManager::SimpleGitHooks => {
            lines.push("\"simple-git-hooks\": {".into());
            for (n, call) in CALLS.iter().enumerate() {
                let comma = if n + 1 == CALLS.len() { "" } else { "," };
                let command = guarded(call, " \"$@\"").replace('"', "\\\"");
                lines.push(format!("  \"{}\": \"{command}\"{comma}", call.name));
            }
            lines.push("}".into());
        }
        HookManager::PreCommit | HookManager::Prek => {
            let names: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
            lines.push(format!("default_install_hook_types: [pre-commit, {}]", names.join(", ")));
            lines.extend(["repos:".into(), "- repo: local".into(), "  hooks:".into()]);
            for call in &CALLS {
                let feed = if call.name == "pre-push" { PUSHED } else { "" };
                let command = format!(
                    "! command -v git-wf >/dev/null || {feed}git-wf hook {}{}",
                    call.name, call.pre_commit
                );
                lines.extend([
                    format!("  - id: git-wf-{}", call.name),
                    "    name: git-wf".into(),
                    "    language: system".into(),
                    format!("    entry: sh -c '{command}' sh"),
                    format!("    stages: [{}]", call.name),
                    "    always_run: true".into(),
                ]);
                if call.name != "commit-msg" {
                    lines.push("    pass_filenames: false".into());
                }
            }
        }
    }
    vec![HookLines { manager, file, lines }]
}

/// What pre-commit knows of a push, as git would write it on stdin. It names no commits if the remote has none yet.
const PUSHED: &str = r#"echo "$PRE_COMMIT_LOCAL_BRANCH ${PRE_COMMIT_TO_REF:--} $PRE_COMMIT_REMOTE_BRANCH ${PRE_COMMIT_FROM_REF:--}" | "#;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(manager: HookManager) -> String {
        let all = lines(manager, default_file(manager));
        all.iter().map(|it| format!("{}\n{}\n", it.file, it.lines.join("\n"))).collect()
    }

    #[test]
    fn each_manager_gets_a_call_of_each_hook() {
        for manager in HookManager::ALL {
            let text = of(*manager);
            for call in &CALLS {
                assert!(text.contains(&format!("git-wf hook {}", call.name)), "{manager}: {text}");
            }
        }
    }

    #[test]
    fn lines_for_a_package_are_json() {
        let text = lines(HookManager::SimpleGitHooks, "package.json").remove(0).lines.join("\n");
        let json: serde_json::Value = serde_json::from_str(&format!("{{{text}}}")).unwrap_or_default();
        let command = json["simple-git-hooks"]["commit-msg"].as_str();
        assert_eq!(command, Some("! command -v git-wf >/dev/null || git-wf hook commit-msg \"$@\""));
    }
}
