//! Who is writing: the identity that git would put into a commit.

use bstr::ByteSlice;

use crate::git::{Date, Signature, parse_signature};
use crate::model::Person;
use crate::store::repo::one_line;
use crate::store::{Clock, Store, StoreError};

/// What a front end knows about the acting person or agent, besides git's own configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acting {
    actor: Option<String>,
    role: Option<String>,
    is_in_run: bool,
    pub(in crate::store) clock: Clock,
}

impl Acting {
    /// A name and a role, each reduced to one line (empty counts as unset), and a clock.
    pub(crate) fn new(actor: Option<String>, role: Option<String>, clock: Clock) -> Self {
        Self { actor: filled_line(actor), role: filled_line(role), clock, is_in_run: false }
    }

    /// The same role under another name.
    pub(crate) fn called(self, actor: Option<String>) -> Self {
        Self { actor: filled_line(actor), ..self }
    }

    /// The role; `None` for an owner.
    pub(crate) fn role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// Marks what an agent of a run started.
    pub(crate) fn in_run(self) -> Self {
        Self { is_in_run: true, ..self }
    }
}

fn filled_line(text: Option<String>) -> Option<String> {
    text.map(|text| one_line(&text)).filter(|text| !text.is_empty())
}

/// Who writes: the git identity and, if set, the name and role that an agent gave itself.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// `user.name`
    pub(crate) name: String,
    /// `user.email`
    pub(crate) email: String,
    /// Seconds since 1970 and the offset, as git writes them.
    pub(crate) time: Date,
    /// The name that an agent gave itself.
    pub(crate) actor: Option<String>,
    /// The role that someone acts in; `None` for an owner.
    pub(crate) role: Option<String>,
}

impl Identity {
    /// `Ada <ada@example.org>`, followed by `(name)` if `WF_ACTOR` is set.
    pub(crate) fn person(&self) -> Person {
        Person::known(&self.name, &self.email, self.actor.as_deref())
    }

    pub(in crate::store) fn signature(&self) -> Signature {
        Signature { name: self.name.as_str().into(), email: self.email.as_str().into(), time: self.time }
    }
}

impl Store {
    /// The actor's role; `None` for an owner.
    pub(crate) fn role(&self) -> Option<&str> {
        self.acting.role.as_deref()
    }

    /// Whether an agent of a run acts.
    pub(crate) fn is_in_run(&self) -> bool {
        self.acting.is_in_run
    }

    /// The author and the time of a write.
    pub(crate) fn identity(&self) -> Result<Identity, StoreError> {
        let time = self.acting.clock.date()?;
        let acting = if self.in_hook { "committer" } else { "author" };
        let (name, email) = match self.named(acting).zip(self.named("committer")) {
            Some(((name, email), _)) if is_plain(&name) && is_plain(&email) => (name, email),
            // Leave names to git that it would clean or refuse.
            _ => self.identity_of_git()?,
        };
        Ok(Identity {
            name: one_line(&name),
            email: one_line(&email),
            time,
            actor: self.acting.actor.clone(),
            role: self.acting.role.clone(),
        })
    }

    /// The name and address of the author or the committer, read from the same places as the library does. The
    /// library also asks for the local time zone, which makes it read the time zone files of the whole system.
    fn named(&self, who: &str) -> Option<(String, String)> {
        let name = self.first_config(&[
            &format!("{who}.name"),
            "user.name",
            &format!("gitoxide.{who}.nameFallback"),
        ])?;
        let email = self.first_config(&[
            &format!("{who}.email"),
            "user.email",
            "gitoxide.user.emailFallback",
            &format!("gitoxide.{who}.emailFallback"),
        ])?;
        Some((name, email))
    }

    fn first_config(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.config(key))
    }

    /// The identity from git itself, which may guess it from the machine, or refuse with its own message.
    fn identity_of_git(&self) -> Result<(String, String), StoreError> {
        let line = self.git().ident(self.in_hook)?.map_err(|text| {
            let fatal = text.lines().find_map(|line| line.trim().strip_prefix("fatal: "));
            StoreError::Identity(fatal.unwrap_or("author identity unknown").to_owned())
        })?;
        let signature = parse_signature(&line).ok_or_else(|| {
            StoreError::Identity(format!("git calls you `{line}`, which is not an identity"))
        })?;
        Ok((signature.name.to_str_lossy().into_owned(), signature.email.to_str_lossy().into_owned()))
    }
}

/// Whether git would leave a name or an address unchanged. It strips these characters from both ends, drops brackets,
/// and refuses what is empty then.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(is_crud)
        && !text.ends_with(is_crud)
        && !text.contains(['<', '>', '\n'])
}

fn is_crud(c: char) -> bool {
    c <= ' ' || matches!(c, '.' | ',' | ':' | ';' | '<' | '>' | '"' | '\\' | '\'')
}
