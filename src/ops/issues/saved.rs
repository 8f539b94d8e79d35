//! Saved queries: `wf.query.NAME` in git's configuration holds options of `git wf list`.

use std::collections::BTreeMap;

use crate::model::nearest::nearest;
use crate::model::shell;
use crate::ops::{Refusal, Session};

/// The saved queries, as they are in git's configuration.
pub(crate) struct SavedQueries(BTreeMap<String, String>);

impl SavedQueries {
    /// All saved queries; of several with one name, the last counts, as in git.
    ///
    /// # Errors
    /// Git's configuration cannot be read.
    pub(crate) fn of(session: &Session) -> Result<Self, Refusal> {
        let all = session.store().git().config_below("wf.")?.into_iter();
        let saved = all.filter_map(|it| match it.subsection.strip_prefix("query")? {
            "" => Some((it.name, it.value)),
            // A name may have a dot.
            inner => Some((format!("{}.{}", inner.strip_prefix('.')?, it.name), it.value)),
        });
        Ok(Self(saved.collect()))
    }

    /// Git takes the last part of a key in any case.
    fn text(&self, name: &str) -> Option<&str> {
        let key = match name.rsplit_once('.') {
            Some((first, last)) => format!("{first}.{}", last.to_ascii_lowercase()),
            None => name.to_ascii_lowercase(),
        };
        self.0.get(&key).map(String::as_str)
    }

    /// The names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The options of a saved query, in which each other saved query is replaced with its options. A word that names
    /// none stays, since it can be a value.
    ///
    /// # Errors
    /// There is none with this name, a quote in it does not end, or it refers to itself.
    pub(crate) fn options(&self, name: &str) -> Result<Vec<String>, Refusal> {
        if self.text(name).is_some() {
            return self.expanded(name, &mut Vec::new());
        }
        let set =
            format!("git config {} \"--mine --unblocked\"", shell::operand(&format!("wf.query.{name}")));
        let (what, saves) = (format!("no saved query is called `@{name}`"), "saves one");
        Err(match nearest(name, self.names()) {
            Some(near) => Refusal::usage(what).hint(format!("did you mean `@{near}`?")).command(set, saves),
            None => Refusal::usage(what).command(set, saves),
        })
    }

    /// `within` are the queries that this one is part of.
    fn expanded(&self, name: &str, within: &mut Vec<String>) -> Result<Vec<String>, Refusal> {
        if within.iter().any(|it| it == name) {
            return Err(Refusal::usage(format!("the saved query `@{name}` refers to itself"))
                .command("git config --get-regexp wf.query", "shows the saved queries"));
        }
        within.push(name.to_owned());
        let mut all = Vec::new();
        for word in words(self.text(name).unwrap_or_default())? {
            match word.strip_prefix('@').filter(|inner| self.text(inner).is_some()) {
                Some(inner) => all.extend(self.expanded(inner, within)?),
                None => all.push(word),
            }
        }
        within.pop();
        Ok(all)
    }
}

/// The words of a query, quoted as in a shell.
///
/// # Errors
/// A quote does not end.
pub(crate) fn words(text: &str) -> Result<Vec<String>, Refusal> {
    shlex::split(text).ok_or_else(|| {
        Refusal::usage(format!("`{text}` has a quote that does not end")).hint("quote as in a shell")
    })
}
