//! Writes remedies as commands.

use crate::model::remedy::{Call, Remedy};
use crate::model::shell;

/// All remedies in one line; `None` if there are none.
pub(in crate::cli) fn spelled(remedies: &[Remedy]) -> Option<String> {
    let one = |remedy: &Remedy| match &remedy.call {
        Some(call) => format!("`{}` {}", command(call), remedy.words),
        None => remedy.words.clone(),
    };
    let all: Vec<String> = remedies.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// A sentence, followed by its remedies.
pub(in crate::cli) fn with_remedies(said: &str, remedies: &[Remedy]) -> String {
    match spelled(remedies) {
        Some(remedies) if said.ends_with('?') => format!("{said} {remedies}"),
        Some(remedies) => format!("{said}; {remedies}"),
        None => said.to_owned(),
    }
}

/// A call as a user types it.
fn command(call: &Call) -> String {
    let values = call.values.iter().map(|value| format!(" {}", shell::operand(value)));
    format!("git wf {}{}", call.operation, values.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_commands_and_what_they_do() {
        assert_eq!(spelled(&[]), None);
        let show = Remedy::call(Call::new("queue show --json", ["QUE-1"]), "shows it");
        assert_eq!(
            spelled(std::slice::from_ref(&show)).unwrap(),
            "`git wf queue show --json QUE-1` shows it"
        );
        let two = [show, Remedy::words("or leave out the id")];
        assert_eq!(spelled(&two).unwrap(), "`git wf queue show --json QUE-1` shows it; or leave out the id");
    }
}
