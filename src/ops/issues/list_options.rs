//! The options of `git wf list`, of which saved queries consist, and the filters among them, which every front end reads here.

use std::sync::LazyLock;

use super::List;
use crate::model::{ISSUE_FIELDS, IssueField, IssueStatus, ValueKind};
use crate::ops::Refusal;

/// An option of `list`, or of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListOption {
    /// Its long name, without `--`.
    pub(crate) long: &'static str,
    pub(crate) short: Option<char>,
    /// What its value is called in the help; empty if it takes none.
    pub(crate) placeholder: &'static str,
    /// Whether it can be given more than once.
    pub(crate) repeats: bool,
    /// Whether it says which issues are listed, or in which order. The others say how many are shown, and how.
    pub(crate) selects: bool,
    /// The help of a filter; empty for an option that is none.
    pub(crate) help: &'static str,
}

impl ListOption {
    /// Whether it takes a value.
    pub(crate) fn takes_value(&self) -> bool {
        !self.placeholder.is_empty()
    }

    /// Whether it filters.
    pub(crate) fn filters(&self) -> bool {
        !self.help.is_empty()
    }
}

const fn flag(long: &'static str, help: &'static str) -> ListOption {
    ListOption { long, short: None, placeholder: "", repeats: false, selects: true, help }
}

const fn value(long: &'static str, placeholder: &'static str, help: &'static str) -> ListOption {
    ListOption { placeholder, ..flag(long, help) }
}

const fn values(long: &'static str, placeholder: &'static str, help: &'static str) -> ListOption {
    ListOption { repeats: true, ..value(long, placeholder, help) }
}

const fn short(short: char, option: ListOption) -> ListOption {
    ListOption { short: Some(short), ..option }
}

const fn shape(option: ListOption) -> ListOption {
    ListOption { selects: false, ..option }
}

/// The options beside those for the fields with one value.
const OPTIONS: &[ListOption] = &[
    short(
        's',
        values("status", "STATUS", "Only issues with this status; repeat, or separate several with commas"),
    ),
    short('t', values("tag", "TAG", "Only issues with this tag; repeat to require several")),
    values("component", "NAME", "Only issues that affect this component; repeat to require several"),
    value("parent", "ISSUE", "Only children of this issue"),
    flag("mine", "Only issues assigned to you"),
    value("author", "PERSON", "Only issues whose author's name or address contains this"),
    value("wave", "N", "Only issues of this roadmap wave"),
    value(
        "since",
        "DATE",
        "Only issues created at this time or later: 2026-11-21 (a day in UTC), 2026-11-21T08:00:00Z, \"2 weeks ago\"",
    ),
    value("until", "DATE", "Only issues created at this time or earlier"),
    value(
        "closed-since",
        "DATE",
        "Only issues completed, closed or cancelled at this time or later, and not reopened since",
    ),
    value(
        "closed-until",
        "DATE",
        "Only issues completed, closed or cancelled at this time or earlier, and not reopened since",
    ),
    flag("has-plan", "Only issues that have a plan"),
    flag("unblocked", "Only registered, planning and planned issues that wait for no other work"),
    flag("waiting", "Only registered, planning and planned issues that wait for other work"),
    flag("ready", "Only issues that `next` can take now"),
    flag("unlanded", "Only completed issues whose work is not on the target branch"),
    value("search", "TEXT", "Only issues that match this text, as in `search`"),
    short('a', flag("all", "Include completed, closed and cancelled issues")),
    value("sort", "SORT", ""),
    shape(value("group-by", "FIELD", "")),
    shape(short('n', value("limit", "N", ""))),
    shape(value("offset", "N", "")),
    shape(flag("count", "")),
    shape(flag("brief", "")),
    shape(values("fields", "FIELDS", "")),
    shape(value("format", "TEMPLATE", "")),
    shape(flag("json", "")),
    shape(value("color", "WHEN", "")),
    shape(value("date", "FORMAT", "")),
    shape(flag("plain", "")),
    shape(short('q', flag("quiet", ""))),
    shape(short('v', flag("verbose", ""))),
];

/// All options. A test compares them with the command line.
pub(crate) static LIST_OPTIONS: LazyLock<Vec<ListOption>> = LazyLock::new(|| {
    let fields = ISSUE_FIELDS.iter().map(|field| ListOption {
        short: field.short,
        // The name of a person may have a comma.
        repeats: !matches!(field.values, ValueKind::Person),
        ..value(field.word, field.placeholder, field.filter_help)
    });
    fields.chain(OPTIONS.iter().copied()).collect()
});

/// Why an option of a list cannot have a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongFilter {
    /// What is wrong.
    pub(crate) what: String,
    /// What is expected.
    pub(crate) expected: String,
}

impl From<WrongFilter> for Refusal {
    fn from(wrong: WrongFilter) -> Self {
        Self::usage(wrong.what).hint(wrong.expected)
    }
}

impl List {
    /// The list with these filters, each by the long name of its option. Options that are not filters are left out; a flag
    /// has an empty value.
    ///
    /// # Errors
    /// A value that the option does not take.
    pub(crate) fn filtered<'a>(
        given: impl IntoIterator<Item = (&'a ListOption, &'a str)>,
    ) -> Result<Self, WrongFilter> {
        let mut list = Self::default();
        for (option, value) in given {
            list.add(option, value)?;
        }
        Ok(list)
    }

    /// Adds a filter. Several values of an option that repeats may be separated by commas.
    ///
    /// # Errors
    /// A value that the option does not take.
    pub(crate) fn add(&mut self, option: &ListOption, value: &str) -> Result<(), WrongFilter> {
        if !option.repeats {
            return self.add_one(option.long, value);
        }
        if value.split(',').all(|one| one.trim().is_empty()) {
            return Err(WrongFilter {
                what: format!("`--{}` has no value", option.long),
                expected: "leave it out to find any".to_owned(),
            });
        }
        let mut each = value.split(',').map(str::trim).filter(|value| !value.is_empty());
        each.try_for_each(|value| self.add_one(option.long, value))
    }

    fn add_one(&mut self, option: &str, value: &str) -> Result<(), WrongFilter> {
        let (filter, text) = (&mut self.filter, value.to_owned());
        match option {
            "status" => filter.statuses.push(IssueStatus::asked(value).ok_or_else(|| WrongFilter {
                what: format!("`{value}` is not a status"),
                expected: format!("expected one of {}", IssueStatus::words()),
            })?),
            "tag" => filter.tags.push(text),
            "component" => filter.components.push(text),
            "parent" => self.parent = Some(text),
            "mine" => self.mine = true,
            "author" => filter.author = Some(text),
            "wave" => {
                filter.wave = Some(value.parse().map_err(|_| WrongFilter {
                    what: format!("`{value}` is not the number of a wave"),
                    expected: "waves are counted from 1".to_owned(),
                })?);
            }
            "since" => self.since = Some(text),
            "until" => self.until = Some(text),
            "closed-since" => self.closed_since = Some(text),
            "closed-until" => self.closed_until = Some(text),
            "has-plan" => filter.has_solution = true,
            "unblocked" => filter.unblocked = true,
            "waiting" => filter.waiting = true,
            "ready" => filter.ready = true,
            "unlanded" => filter.unlanded = true,
            "search" => filter.search = Some(text),
            "all" => filter.all = true,
            word => {
                if let Some(field) = IssueField::of_word(word) {
                    field.check(value).map_err(|expected| WrongFilter {
                        what: format!("`{value}` is not a {word}"),
                        expected,
                    })?;
                    filter.want(field, text);
                }
            }
        }
        Ok(())
    }
}

fn long(name: &str) -> Option<&'static ListOption> {
    LIST_OPTIONS.iter().find(|option| option.long == name)
}

fn of_short(name: char) -> Option<&'static ListOption> {
    LIST_OPTIONS.iter().find(|option| option.short == Some(name))
}

/// Whether the next word is the value of an option in this one.
pub(super) fn wants_value(word: &str) -> bool {
    if let Some(name) = word.strip_prefix("--") {
        return long(name).is_some_and(ListOption::takes_value);
    }
    let Some(names) = word.strip_prefix('-') else { return false };
    // Short options can share a word, and the rest of it is the value of the first that takes one.
    let first = names.char_indices().find(|(_, name)| of_short(*name).is_some_and(ListOption::takes_value));
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
            let value = match (option.takes_value(), attached) {
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
            let option = of_short(name).ok_or_else(|| unreadable(&word, "is not an option of `list`"))?;
            if !option.takes_value() {
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
    fn a_filter_is_read_alike_in_every_front_end() {
        let list = |given: &[(&str, &str)]| {
            let named = |name: &str| long(name).unwrap();
            List::filtered(given.iter().map(|(name, value)| (named(name), *value)))
        };
        let read = list(&[
            ("status", "planned, queued"),
            ("type", "Bug,task"),
            ("assignee", "Byron, Ada"),
            ("priority", "1"),
            ("priority", "low"),
            ("ready", ""),
            ("since", "yesterday"),
            ("limit", "3"),
        ])
        .unwrap();
        assert_eq!(read.filter.statuses, [IssueStatus::Planned, IssueStatus::Queued]);
        assert_eq!(read.filter.wanted("issue_type").unwrap(), ["Bug", "task"]);
        assert_eq!(read.filter.wanted("assignee").unwrap(), ["Byron, Ada"]);
        assert_eq!(read.filter.wanted("priority").unwrap(), ["1", "low"]);
        assert!(read.filter.ready && read.since.as_deref() == Some("yesterday") && read.limit.is_none());
        for (name, value, what) in [
            ("status", "sleeping", "`sleeping` is not a status"),
            ("priority", "1,soon", "`soon` is not a priority"),
            ("wave", "x", "`x` is not the number of a wave"),
            ("status", "", "`--status` has no value"),
            ("tag", " , ", "`--tag` has no value"),
        ] {
            assert_eq!(list(&[(name, value)]).unwrap_err().what, what);
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
