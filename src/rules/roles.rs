//! What an actor may do in the role that it named. Guard rails, not walls: who sets no role is an owner and may do all.

/// Who makes plans.
const PLANNER: &str = "planner";
/// Who judges them.
const REVIEWER: &str = "reviewer";
/// Who puts them in order.
const INTEGRATOR: &str = "integrator";
/// Who carries them out.
const EXECUTOR: &str = "executor";

/// Operations, by the words that they begin with, and the roles that they belong to. What is not listed anybody may do:
/// to report, to comment, to give feedback, to sync.
static OPERATIONS: &[(&str, &[&str])] = &[
    ("solution add", &[PLANNER]),
    ("task", &[PLANNER]),
    ("solution review", &[REVIEWER]),
    ("bind", &[PLANNER, INTEGRATOR]),
    ("unbind", &[PLANNER, INTEGRATOR]),
    ("queue", &[INTEGRATOR]),
    ("start", &[EXECUTOR]),
    ("next", &[EXECUTOR]),
    ("verify", &[EXECUTOR]),
    ("accept", &[EXECUTOR]),
    ("done", &[EXECUTOR]),
    ("fail", &[EXECUTOR]),
    ("retry", &[EXECUTOR, INTEGRATOR]),
    ("lease", &[EXECUTOR]),
    ("link", &[EXECUTOR]),
    ("unlink", &[EXECUTOR]),
    ("close", &[]),
    ("reopen", &[]),
    ("policy", &[]),
    ("project", &[]),
    ("redact", &[]),
];

/// Whether a role may do this. A role that nobody knows here is not judged.
pub(crate) fn may(role: &str, operation: &str) -> bool {
    let is_known = [PLANNER, REVIEWER, INTEGRATOR, EXECUTOR].contains(&role);
    let begins = |words: &str| {
        operation.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    match OPERATIONS.iter().find(|(words, _)| begins(words)) {
        Some((_, roles)) if is_known => roles.contains(&role),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
