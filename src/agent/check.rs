//! Turns the result of a command into the check that is recorded.

use super::secrets;
use crate::git::Environment;
use crate::model::{Check, CommitHash, TreeHash};
use crate::process::supervise::{ProcessEnd, Ran};
use crate::rules::CountedTests;

/// The most bytes of output in a record.
const LONGEST_TAIL: usize = 4 * 1024;

/// The state of the code that a command ran on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeState {
    /// The commit that was checked out.
    pub(crate) commit: Option<CommitHash>,
    /// Its tree; that of no file without a commit.
    pub(crate) tree: TreeHash,
    /// Whether the work tree had other changes.
    pub(crate) dirty: bool,
}

/// The check for one task.
pub(crate) fn record(
    task: &str,
    command: &str,
    ran: &Ran,
    counted: &CountedTests,
    code: &CodeState,
    environment: &Environment,
) -> Check {
    Check {
        task_id: Some(task.into()),
        command: command.to_owned(),
        exit_code: match ran.ended {
            ProcessEnd::Exited(code) => Some(code),
            ProcessEnd::Signal(_) | ProcessEnd::TimedOut | ProcessEnd::Interrupted => None,
        },
        duration_ms: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
        tree: (!code.dirty).then(|| code.tree.clone()),
        tests: counted.tests,
        named_tests: counted.named.clone(),
        proof: None,
        signature: None,
        signed_at: None,
        output_sha256: ran.output_sha256.clone(),
        output_tail: tail(ran, environment),
        commit: code.commit.clone(),
        dirty: code.dirty,
    }
}

/// The end of the output as it is stored: without escapes, control characters and secrets, and with a remark if the
/// exit code does not show how the command ended.
fn tail(ran: &Ran, environment: &Environment) -> String {
    let text = String::from_utf8_lossy(&ran.tail);
    let plain = anstream::adapter::strip_str(&text).to_string();
    let variables = environment
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())));
    let masked = secrets::masked(&plain, variables);
    let mut kept: String = masked.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    let end = match ran.ended {
        ProcessEnd::Exited(_) => None,
        ProcessEnd::Signal(number) => Some(format!("[ended by signal {number}]\n")),
        ProcessEnd::TimedOut => Some(format!("[stopped after {} s]\n", ran.took.as_secs())),
        ProcessEnd::Interrupted => Some("[interrupted]\n".into()),
    };
    if let Some(end) = end {
        if !kept.is_empty() && !kept.ends_with('\n') {
            kept.push('\n');
        }
        kept.push_str(&end);
    }
    let excess = kept.len().saturating_sub(LONGEST_TAIL);
    let start = (excess..kept.len()).find(|at| kept.is_char_boundary(*at)).unwrap_or(kept.len());
    kept.split_off(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn ran(ended: ProcessEnd, output: &[u8]) -> Ran {
        Ran { ended, took: Duration::from_millis(1500), output_sha256: String::new(), tail: output.to_vec() }
    }

    #[test]
    fn a_tail_is_plain_text() {
        let ran = ran(ProcessEnd::Exited(0), b"\x1b[31mred\x1b[0m\r\n\x07tab\there \xff\n");
        assert_eq!(tail(&ran, &Environment::default()), "red\ntab\there \u{fffd}\n");
    }

    #[test]
    fn a_tail_is_short_and_keeps_characters_whole() {
        let ran = ran(ProcessEnd::Exited(0), "é".repeat(5000).as_bytes());
        let tail = tail(&ran, &Environment::default());
        assert_eq!(tail.len(), LONGEST_TAIL);
        assert!(tail.chars().all(|c| c == 'é'));
    }

    #[test]
    fn a_secret_before_the_cut_is_masked_whole() {
        let output = format!("password={}\n{}", "x".repeat(100), "y".repeat(LONGEST_TAIL - 50));
        let ran = ran(ProcessEnd::Exited(0), output.as_bytes());
        assert!(!tail(&ran, &Environment::default()).contains("xx"));
    }

    #[test]
    fn an_end_without_an_exit_code_is_told() {
        assert_eq!(
            tail(&ran(ProcessEnd::TimedOut, b"slow"), &Environment::default()),
            "slow\n[stopped after 1 s]\n"
        );
        assert_eq!(
            record(
                "T1",
                "true",
                &ran(ProcessEnd::Signal(9), b""),
                &CountedTests::default(),
                &CodeState { commit: None, tree: "4b825dc".into(), dirty: true },
                &Environment::default()
            )
            .exit_code,
            None
        );
    }
}
