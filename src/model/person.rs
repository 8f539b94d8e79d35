//! People and agents, as records name them.

use super::verbatim::verbatim;

verbatim!(
    /// Someone: `Ada <ada@example.org>` as git writes it, followed by `(name)` for an agent that gave itself one. An
    /// import may bring any other text, such as a login.
    Person
);

impl Person {
    /// Someone with an identity of git and, for an agent, the name that it gave itself.
    pub(crate) fn known(name: &str, email: &str, actor: Option<&str>) -> Self {
        match actor {
            Some(actor) => Self(format!("{name} <{email}> ({actor})")),
            None => Self(format!("{name} <{email}>")),
        }
    }
}
