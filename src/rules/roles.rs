//! What an actor may do in its role. Guard rails, not walls: without a role, everyone is an owner and may do
//! everything.

/// Who makes plans.
const PLANNER: &str = "planner";
/// Who judges them.
const REVIEWER: &str = "reviewer";
/// Who puts them in order.
const INTEGRATOR: &str = "integrator";
/// Who carries them out.
const EXECUTOR: &str = "executor";

/// Every role that is known here.
const ALL: &[&str] = &[PLANNER, REVIEWER, INTEGRATOR, EXECUTOR];
/// What only an owner does, who names no role.
const OWNER: &[&str] = &[];

/// Operations, by the words that they begin with, and the roles that they belong to.
static OPERATIONS: &[(&str, &[&str])] = &[
    ("new", ALL),
    ("edit", ALL),
    ("comment", ALL),
    ("feedback", ALL),
    ("import", ALL),
    ("merge", ALL),
    ("solution add", &[PLANNER]),
    ("task", &[PLANNER]),
    ("solution review", &[REVIEWER]),
    ("bind", &[PLANNER, INTEGRATOR]),
    ("unbind", &[PLANNER, INTEGRATOR]),
    ("queue", &[INTEGRATOR]),
    ("conflicts", &[INTEGRATOR]),
    ("next", &[EXECUTOR]),
    ("verify", &[EXECUTOR]),
    ("accept", &[EXECUTOR]),
    ("done", &[EXECUTOR]),
    ("fail", &[EXECUTOR]),
    ("retry", &[EXECUTOR, INTEGRATOR]),
    ("lease", &[EXECUTOR]),
    ("link", &[EXECUTOR]),
    ("unlink", &[EXECUTOR]),
    // Finding lost links and following rewritten commits says nothing that git does not know already.
    ("relink", ALL),
    ("rewrite", ALL),
    ("close", OWNER),
    ("reopen", OWNER),
    ("policy", OWNER),
    ("project", OWNER),
    ("redact", OWNER),
    ("fsck", OWNER),
];

/// The roles that an operation belongs to; none if nobody here knows it.
fn roles_of(operation: &str) -> Option<&'static [&'static str]> {
    let begins = |words: &str| {
        operation.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    OPERATIONS.iter().find(|(words, _)| begins(words)).map(|(_, roles)| *roles)
}

/// Whether steps of this name are left by an operation that is known here, or by several: `queue` is all that begin so.
pub(crate) fn is_operation(name: &str) -> bool {
    let is_among = |words: &str| words.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    roles_of(name).is_some() || OPERATIONS.iter().any(|(words, _)| is_among(words))
}

/// The roles that are known here, and the owner.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().copied().chain(["owner"])
}

/// Whether a role may do this. A role or an operation that nobody knows here is not judged.
pub(crate) fn may(role: &str, operation: &str) -> bool {
    !ALL.contains(&role) || roles_of(operation).is_none_or(|roles| roles.contains(&role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_known_by_any_of_their_words() {
        for name in ["new", "queue", "queue add", "solution", "solution add", "task edit", "merge"] {
            assert!(is_operation(name), "{name}");
        }
        for name in ["", "nonsense", "que", "solutions", "news"] {
            assert!(!is_operation(name), "{name}");
        }
    }

    #[test]
    fn each_role_keeps_to_its_work() {
        for (role, may_do, may_not) in [
            (PLANNER, "solution add", "done"),
            (REVIEWER, "solution review", "solution add"),
            (INTEGRATOR, "queue add", "next"),
            (EXECUTOR, "next", "queue add"),
        ] {
            assert!(may(role, may_do) && !may(role, may_not), "{role}");
            assert!(may(role, "comment") && !may(role, "policy set"), "{role}");
        }
    }

    #[test]
    fn words_are_compared_whole_and_strangers_are_not_judged() {
        assert!(may(PLANNER, "nextcloud") && may("gardener", "done"));
    }

    /// The words that the commands here give to `describe`.
    fn operations(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                operations(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                let calls = text.split("tx.describe(").skip(1);
                found.extend(calls.filter_map(|call| {
                    let word = call.trim_start().strip_prefix('"')?;
                    Some(word.split('"').next()?.to_owned())
                }));
            }
        }
    }

    #[test]
    fn every_operation_has_its_roles() {
        let mut found = Vec::new();
        for folder in ["src/cli", "src/hooks", "src/ops"] {
            operations(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
        }
        assert!(found.len() > 30, "{found:?}");
        for operation in found {
            assert!(roles_of(&operation).is_some(), "`{operation}` is in no row");
        }
    }
}
