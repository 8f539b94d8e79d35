//! The configuration of a workplace.

use std::fmt::Write;

use super::WorkplaceError;
use super::make::lender;
use crate::agent::agreed::LENDER;
use crate::store::{DEFAULT_REF, Store};

/// Settings of the user that change what git writes into files, objects and messages. Those that concern one machine or
/// one file system are found out by `git init`.
const COPIED: &[&str] = &[
    "core.attributesFile",
    "core.autocrlf",
    "core.bigFileThreshold",
    "core.checkRoundtripEncoding",
    "core.commentChar",
    "core.eol",
    "core.excludesFile",
    "core.quotePath",
    "core.safecrlf",
    "i18n.commitEncoding",
];
/// Settings by which files are written otherwise than they are stored.
const CONVERTING: [&str; 3] = ["core.attributesFile", "core.autocrlf", "core.eol"];
/// Settings that are false if the file system cannot keep what is stored.
const LIMITS: [&str; 2] = ["core.fileMode", "core.symlinks"];
/// Sections whose subsections name drivers: what files look like when they are checked out, merged and compared.
const DRIVERS: &[&str] = &["diff", "filter", "merge"];

/// What git-wf appends to the configuration that `git init` made.
pub(super) fn text(store: &Store) -> Result<String, WorkplaceError> {
    let identity = store.identity()?;
    let mut settings = vec![
        ("user.name".to_owned(), identity.name),
        ("user.email".to_owned(), identity.email),
        ("gc.auto".to_owned(), "0".to_owned()),
        ("maintenance.auto".to_owned(), "false".to_owned()),
        ("core.fsmonitor".to_owned(), "false".to_owned()),
        ("core.hooksPath".to_owned(), "/dev/null".to_owned()),
        ("commit.gpgSign".to_owned(), "false".to_owned()),
        ("tag.gpgSign".to_owned(), "false".to_owned()),
    ];
    settings.push((LENDER.to_owned(), lender(store)?.to_string_lossy().into_owned()));
    if store.reference() != DEFAULT_REF {
        settings.push(("wf.ref".to_owned(), store.reference().to_owned()));
    }
    settings.extend(COPIED.iter().filter_map(|key| Some(((*key).to_owned(), store.config(key)?))));
    for section in DRIVERS {
        for (driver, name, value) in store.repo().config().subsections(section) {
            settings.push((format!("{section}.{driver}.{name}"), value));
        }
    }
    let mut text = String::new();
    for (key, value) in settings {
        append(&mut text, &key, &value);
    }
    Ok(text)
}

/// Whether git may write files here otherwise than they are stored: by a setting, or by an attribute from outside of the tree, or
/// by a filter that an attribute in the tree can name.
pub(super) fn converts(store: &Store) -> bool {
    let repo = store.repo();
    let config = repo.config();
    let home = store.environment().folder("HOME").map(|home| home.join(".config"));
    let of_user = store.environment().folder("XDG_CONFIG_HOME").or(home);
    let files = of_user.into_iter().map(|folder| folder.join("git/attributes"));
    CONVERTING.iter().any(|key| config.text(key).is_some())
        || LIMITS.iter().any(|key| config.boolean(key) == Some(false))
        || !config.subsections("filter").is_empty()
        || files.chain([store.common_dir().join("info/attributes")]).any(|file| file.exists())
}

/// Appends a setting as git writes it. A name that git could not read is left out.
fn append(text: &mut String, key: &str, value: &str) {
    let Some((section, rest)) = key.split_once('.') else { return };
    let header = match rest.rsplit_once('.') {
        Some((driver, _)) if driver.contains(['\n', '\0']) => return,
        Some((driver, _)) => {
            format!("[{section} \"{}\"]", driver.replace('\\', "\\\\").replace('"', "\\\""))
        }
        None => format!("[{section}]"),
    };
    let name = rest.rsplit_once('.').map_or(rest, |(_, name)| name);
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    // Writing to a string does not fail.
    let _ = writeln!(text, "{header}\n\t{name} = \"{escaped}\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_a_value() {
        let mut text = String::new();
        append(&mut text, "filter.a\"b.clean", "x \"y\"\n[core]\n\thooksPath = z\\");
        append(&mut text, "core.eol", "lf");
        append(&mut text, "filter.a\nb.clean", "x");
        assert_eq!(
            text,
            "[filter \"a\\\"b\"]\n\tclean = \"x \\\"y\\\"\\n[core]\\n\\thooksPath = z\\\\\"\n[core]\n\teol = \"lf\"\n"
        );
    }
}
