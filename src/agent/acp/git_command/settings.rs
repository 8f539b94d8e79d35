//! Which settings of git an executor may give on a command line.

use crate::model::shell::line::UNKNOWN;

/// Sections of settings that only change how git shows or names things, apart from commands.
const LOOKS: &[&str] = &[
    "advice",
    "author",
    "blame",
    "color",
    "column",
    "committer",
    "diff",
    "grep",
    "i18n",
    "log",
    "merge",
    "rebase",
    "rerere",
    "status",
    "user",
];
/// Other settings that run nothing and lead nowhere.
const HARMLESS_KEYS: &[&str] = &[
    "commit.gpgsign",
    "commit.verbose",
    "core.abbrev",
    "core.autocrlf",
    "core.commentchar",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.quotepath",
    "core.safecrlf",
    "core.whitespace",
    "fetch.prune",
    "format.pretty",
    "gc.auto",
    "init.defaultbranch",
    "maintenance.auto",
    "pull.ff",
    "pull.rebase",
    "submodule.recurse",
    "tag.gpgsign",
    "tag.sort",
    "versionsort.suffix",
];

/// What a setting of the command line can do.
pub(super) enum Setting {
    Harmless,
    /// Its value is a command that git runs.
    Command,
    /// It changes which commands or hooks git runs.
    Forbidden,
}

/// What a setting can do, by its name.
pub(super) fn setting(key: &str) -> Setting {
    const COMMANDS: &[&str] = &[
        "askpass",
        "clean",
        "cmd",
        "command",
        "driver",
        "editor",
        "external",
        "fsmonitor",
        "gitproxy",
        "helper",
        "pager",
        "process",
        "program",
        "smudge",
        "sshcommand",
        "textconv",
        "uploadpack",
        "receivepack",
    ];
    let key = key.to_ascii_lowercase();
    let (section, name) =
        (key.split('.').next().unwrap_or_default(), key.rsplit('.').next().unwrap_or_default());
    if key.contains(UNKNOWN) || section == "alias" {
        Setting::Forbidden
    } else if matches!(&*key, "core.editor" | "core.pager" | "sequence.editor" | "diff.external")
        || section == "pager"
    {
        Setting::Command
    } else if COMMANDS.contains(&name) {
        Setting::Forbidden
    } else if LOOKS.contains(&section) || HARMLESS_KEYS.contains(&&*key) {
        Setting::Harmless
    } else {
        Setting::Forbidden
    }
}
