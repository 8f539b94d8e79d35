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

    /// The identity of git, without the name that an agent gave itself.
    pub(crate) fn identity(&self) -> &str {
        self.0.split_once("> (").map_or(&self.0, |(identity, _)| &self.0[..=identity.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_has_the_identity_of_its_user() {
        for actor in [None, Some("codex"), Some("a (b)")] {
            assert_eq!(
                Person::known("Ada (x)", "ada@example.org", actor).identity(),
                "Ada (x) <ada@example.org>"
            );
        }
        assert_eq!(Person::from("ada").identity(), "ada");
    }
}
