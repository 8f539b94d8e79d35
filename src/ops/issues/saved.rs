//! Saved queries: `wf.query.NAME` in git's configuration holds options of `git wf list`.

use std::collections::BTreeMap;

use super::list_options::wants_value;
use crate::model::{nearest, shell};
use crate::ops::{Refusal, Session};

/// The saved queries, as they are in git's configuration.
pub(crate) struct SavedQueries(BTreeMap<String, String>);

impl SavedQueries {
    /// All saved queries; of several with one name, the last counts, as in git.
    ///
    /// # Errors
    /// Git's configuration cannot be read.
    pub(crate) fn load(session: &Session) -> Result<Self, Refusal> {
        let all = session.store().git().config_below("wf.")?.into_iter();
        let saved = all.filter_map(|setting| match setting.subsection.strip_prefix("query")? {
            "" => Some((setting.name, setting.value)),
            // A name may have a dot.
            inner => Some((format!("{}.{}", inner.strip_prefix('.')?, setting.name), setting.value)),
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

    /// Replaces each saved query that words name with its options, in which others can be named. A word that is the value of
    /// an option, or comes after `--`, stays, whatever it is.
    ///
    /// # Errors
    /// There is no such query, a quote in it does not end, or it refers to itself.
    pub(crate) fn expanded(&self, words: Vec<String>) -> Result<Vec<String>, Refusal> {
        let mut all = Vec::new();
        self.expand(words, &mut Vec::new(), &mut all)?;
        Ok(all)
    }

    /// `within` are the queries of which the words are a part.
    fn expand(
        &self,
        words: Vec<String>,
        within: &mut Vec<String>,
        all: &mut Vec<String>,
    ) -> Result<(), Refusal> {
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            // No option and no saved query comes after it.
            if word == "--" {
                all.push(word);
                all.extend(words);
                break;
            }
            let Some(name) = word.strip_prefix('@') else {
                let value = if wants_value(&word) { words.next() } else { None };
                all.push(word);
                all.extend(value);
                continue;
            };
            if within.iter().any(|known| known == name) {
                return Err(Refusal::usage(format!("the saved query `@{name}` refers to itself"))
                    .command("git config --get-regexp wf.query", "shows the saved queries"));
            }
            let text = self.text(name).ok_or_else(|| self.unknown(name))?;
            within.push(name.to_owned());
            self.expand(self::words(text)?, within, all)?;
            within.pop();
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Refusal {
        let set =
            format!("git config {} \"--mine --unblocked\"", shell::operand(&format!("wf.query.{name}")));
        let (what, saves) = (format!("no saved query is called `@{name}`"), "saves one");
        match nearest(name, self.names()) {
            Some(near) => Refusal::usage(what).hint(format!("did you mean `@{near}`?")).command(set, saves),
            None => Refusal::usage(what).command(set, saves),
        }
    }
}

/// The words of a query, quoted as in a shell.
///
/// # Errors
/// A quote does not end.
pub(crate) fn words(text: &str) -> Result<Vec<String>, Refusal> {
    shlex::split(text)
        .ok_or_else(|| Refusal::usage(format!("`{text}` has an unclosed quote")).hint("quote as in a shell"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_that_is_no_value_is_a_saved_query() {
        let saved = [("mine", "--tag @mine -s planned"), ("api", "@mine -t api"), ("lost", "@nobody")];
        let saved = SavedQueries(saved.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
        let expanded = |text: &str| saved.expanded(words(text).unwrap()).map(|words| words.join(" "));
        for (text, expected) in [
            ("--tag @mine --all", "--tag @mine --all"),
            ("-at @mine @api", "-at @mine --tag @mine -s planned -t api"),
            ("--tag=x @Mine", "--tag=x --tag @mine -s planned"),
            ("--assignee @nobody", "--assignee @nobody"),
            ("@mine -- @mine @nobody", "--tag @mine -s planned -- @mine @nobody"),
            ("--tag -- @mine", "--tag -- --tag @mine -s planned"),
        ] {
            assert_eq!(expanded(text).unwrap(), expected, "{text}");
        }
        for text in ["@nobody", "@lost", "--all @nobody"] {
            assert_eq!(expanded(text).unwrap_err().message, "no saved query is called `@nobody`", "{text}");
        }
    }
}
