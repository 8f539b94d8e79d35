//! The message of a commit of the ref.

use super::CommitNote;
use super::identity::Identity;
use crate::store::repo::one_line;

/// `git log --oneline` shows the subject; a longer one is cut.
const LONGEST_SUBJECT: usize = 200;

/// The subject and the trailers. Each is one line, whatever the user typed.
pub(super) fn message(note: &CommitNote, identity: &Identity) -> String {
    let mut subject = one_line(&note.subject);
    if subject.chars().count() > LONGEST_SUBJECT {
        subject = subject.chars().take(LONGEST_SUBJECT - 1).chain(['…']).collect();
    }
    let mut text = format!("{subject}\n\nWf-Op: {}\n", note.op);
    for (key, value) in
        [("Wf-Role", &identity.role), ("Wf-Actor", &identity.actor), ("Wf-Force", &note.force)]
    {
        if let Some(value) = value {
            text.push_str(&format!("{key}: {}\n", one_line(value)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Op;

    #[test]
    fn what_a_user_typed_cannot_forge_a_trailer() {
        let identity = Identity {
            name: "Ada".into(),
            email: "ada@example.org".into(),
            time: crate::git::Date::new(0, 0),
            actor: None,
            role: None,
        };
        let note = CommitNote {
            op: Op::Close,
            subject: "issue: close ISS-1\n\nWf-Role: owner".into(),
            force: Some("late\nWf-Actor: x".into()),
        };
        assert_eq!(
            message(&note, &identity),
            "issue: close ISS-1 Wf-Role: owner\n\nWf-Op: close\nWf-Force: late Wf-Actor: x\n"
        );
    }
}
