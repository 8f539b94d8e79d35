//! The options of `git wf list`, of which saved queries consist.

#[cfg(feature = "web")]
use crate::ops::Refusal;

/// An option of `list`, or of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListOption {
    /// Its long name, without `--`.
    pub(crate) long: &'static str,
    pub(crate) short: Option<char>,
    pub(crate) takes_value: bool,
    /// Whether it can be given more than once.
    pub(crate) repeats: bool,
    /// Whether it says which issues are listed, or in which order. The others say how many are shown, and how.
    pub(crate) selects: bool,
}

const fn flag(long: &'static str, short: Option<char>) -> ListOption {
    ListOption { long, short, takes_value: false, repeats: false, selects: true }
}

const fn value(long: &'static str, short: Option<char>) -> ListOption {
    ListOption { takes_value: true, ..flag(long, short) }
}

const fn values(long: &'static str, short: Option<char>) -> ListOption {
    ListOption { repeats: true, ..value(long, short) }
}

const fn shape(option: ListOption) -> ListOption {
    ListOption { selects: false, ..option }
}

/// All options. A test compares them with the command line.
pub(crate) const LIST_OPTIONS: &[ListOption] = &[
    values("status", Some('s')),
    values("tag", Some('t')),
    values("priority", Some('p')),
    values("type", None),
    value("parent", None),
    flag("mine", None),
    value("assignee", None),
    value("author", None),
    value("wave", None),
    values("component", None),
    value("since", None),
    value("until", None),
    value("closed-since", None),
    value("closed-until", None),
    flag("has-solution", None),
    flag("unblocked", None),
    flag("waiting", None),
    flag("ready", None),
    flag("unlanded", None),
    value("search", None),
    flag("all", Some('a')),
    value("sort", None),
    shape(value("group-by", None)),
    shape(value("limit", Some('n'))),
    shape(value("offset", None)),
    shape(flag("count", None)),
    shape(flag("brief", None)),
    shape(values("fields", None)),
    shape(value("format", None)),
    shape(flag("json", None)),
    shape(value("color", None)),
    shape(value("date", None)),
    shape(flag("plain", None)),
    shape(flag("quiet", Some('q'))),
    shape(flag("verbose", Some('v'))),
];

fn long(name: &str) -> Option<&'static ListOption> {
    LIST_OPTIONS.iter().find(|option| option.long == name)
}

fn short(name: char) -> Option<&'static ListOption> {
    LIST_OPTIONS.iter().find(|option| option.short == Some(name))
}

/// Whether the next word is the value of an option in this one.
pub(super) fn wants_value(word: &str) -> bool {
    if let Some(name) = word.strip_prefix("--") {
        return long(name).is_some_and(|option| option.takes_value);
    }
    let Some(names) = word.strip_prefix('-') else { return false };
    // Short options can share a word, and the rest of it is the value of the first that takes one.
    let first = names.char_indices().find(|(_, name)| short(*name).is_some_and(|option| option.takes_value));
    first.is_some_and(|(at, name)| at + name.len_utf8() == names.len())
}

/// The options that words mean, each with its value if it takes one.
///
/// # Errors
/// A word is not an option of `list`, or one that was given before; a value is missing, or not expected.
#[cfg(feature = "web")]
pub(crate) fn options(words: Vec<String>) -> Result<Vec<(&'static ListOption, Option<String>)>, Refusal> {
    let (mut words, mut found) = (words.into_iter(), Vec::new());
    while let Some(word) = words.next() {
        if let Some(rest) = word.strip_prefix("--") {
            let (name, attached) =
                rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
            let option = long(name).ok_or_else(|| unreadable(&word, "is not an option of `list`"))?;
            let value = match (option.takes_value, attached) {
                (true, Some(value)) => Some(value.to_owned()),
                (true, None) => Some(words.next().ok_or_else(|| unreadable(&word, "has no value"))?),
                (false, Some(_)) => {
                    return Err(unreadable(&word, "has a value, which the option does not take"));
                }
                (false, None) => None,
            };
            found.push((option, value));
            continue;
        }
        let names = word.strip_prefix('-').filter(|names| !names.is_empty());
        let mut names = names.ok_or_else(|| unreadable(&word, "is not an option of `list`"))?;
        while let Some(name) = names.chars().next() {
            names = &names[name.len_utf8()..];
            let option = short(name).ok_or_else(|| unreadable(&word, "is not an option of `list`"))?;
            if !option.takes_value {
                found.push((option, None));
                continue;
            }
            let value = match std::mem::take(&mut names) {
                "" => words.next().ok_or_else(|| unreadable(&word, "has no value"))?,
                attached => attached.strip_prefix('=').unwrap_or(attached).to_owned(),
            };
            found.push((option, Some(value)));
        }
    }
    for (n, (option, _)) in found.iter().enumerate() {
        if !option.repeats && found[..n].iter().any(|(earlier, _)| earlier == option) {
            return Err(unreadable(&format!("--{}", option.long), GIVEN_TWICE));
        }
    }
    Ok(found)
}

/// What is wrong with an option that was given before, and does not repeat.
#[cfg(feature = "web")]
pub(crate) const GIVEN_TWICE: &str = "is given more than once";

#[cfg(feature = "web")]
fn unreadable(word: &str, why: &str) -> Refusal {
    Refusal::usage(format!("`{word}` {why}"))
        .command("git config --get-regexp wf.query", "shows the saved queries")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "web")]
    #[test]
    fn words_are_options_with_their_values() {
        let read = |text: &str| -> Result<String, String> {
            let found = options(shlex::split(text).unwrap()).map_err(|option| option.message)?;
            Ok(found
                .iter()
                .map(|(option, value)| match value {
                    Some(value) => format!("{}={value}", option.long),
                    None => option.long.to_owned(),
                })
                .collect::<Vec<_>>()
                .join(" "))
        };
        for (text, expected) in [
            ("", ""),
            ("--assignee 'Ada B' -t auth --tag=api --all", "assignee=Ada B tag=auth tag=api all"),
            ("-n5 -s=paused -atx -q", "limit=5 status=paused all tag=x quiet"),
            ("-aqn 3", "all quiet limit=3"),
            ("--tag @mine --tag --all", "tag=@mine tag=--all"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for (text, word) in [
            ("--status", "--status"),
            ("ISS-1", "ISS-1"),
            ("--all=yes", "--all=yes"),
            ("--frob 1", "--frob"),
            ("-n", "-n"),
            ("-ab", "-ab"),
            ("-", "-"),
            ("--", "--"),
            ("-n5 --limit 3", "--limit"),
            ("-aa", "--all"),
            ("--assignee a --tag x --assignee=b", "--assignee"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(&format!("`{word}`")), "{text}: {error}");
        }
    }

    #[test]
    fn the_value_of_an_option_can_be_the_next_word() {
        for word in ["--tag", "-t", "-at", "-aqn"] {
            assert!(wants_value(word), "{word}");
        }
        for word in ["--tag=x", "-tx", "-ta", "--all", "-a", "-", "--", "@mine", "tag"] {
            assert!(!wants_value(word), "{word}");
        }
    }
}
