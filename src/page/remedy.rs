//! Writes remedies as commands.

use crate::model::{Op, Other, Remedy, RemedyCall};

/// All remedies in one line; `None` if there are none.
pub(crate) fn spelled(remedies: &[Remedy]) -> Option<String> {
    let one = |remedy: &Remedy| match (remedy.line(), remedy.call.as_ref().and_then(by_hand)) {
        (Some(line), Some(plan)) => {
            let does = if plan.options.is_empty() { "writes a plan" } else { "writes a plan, and queues it" };
            format!("`{}` {does}; `{line}` {}", plan.command(), remedy.words)
        }
        (Some(line), None) => format!("`{line}` {}", remedy.words),
        (None, _) => remedy.words.clone(),
    };
    let all: Vec<String> = remedies.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("; ").replace("?; ", "? "))
}

/// How a person does what an agent does with a file in JSON.
fn by_hand(call: &RemedyCall) -> Option<RemedyCall> {
    let is_plan = call.operation == Op::SolutionAdd.into();
    let is_from_file = matches!(&call.values[..], [_, file] if file == "FILE");
    let is_same = call.options.iter().all(|option| option.name == "queue");
    (is_plan && is_from_file && is_same).then(|| RemedyCall {
        operation: Other::Plan.into(),
        options: call.options.clone(),
        values: vec![call.values[0].clone()],
    })
}

/// A sentence, followed by its remedies.
pub(crate) fn with_remedies(said: &str, remedies: &[Remedy]) -> String {
    match spelled(remedies) {
        Some(remedies) if said.ends_with('?') => format!("{said} {remedies}"),
        Some(remedies) => format!("{said}; {remedies}"),
        None => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_to_write_a_plan() {
        let add = RemedyCall::new(Op::SolutionAdd, ["A-1", "FILE"]);
        let said = |call: RemedyCall| spelled(&[Remedy::call(call, "adds one")]).unwrap();
        assert_eq!(said(add.clone()), "`git wf plan A-1` writes a plan; `git wf plan add A-1 FILE` adds one");
        assert!(
            said(add.clone().flag("queue"))
                .starts_with("`git wf plan --queue A-1` writes a plan, and queues it; ")
        );
        assert!(said(add.flag("add-reply-task")).starts_with("`git wf plan add"));
    }

    #[test]
    fn calls_are_commands_and_what_they_do() {
        assert_eq!(spelled(&[]), None);
        let show = Remedy::call(RemedyCall::new(Other::Show, ["QUE-1"]).flag("json"), "shows it");
        assert_eq!(spelled(std::slice::from_ref(&show)).unwrap(), "`git wf show QUE-1 --json` shows it");
        let fetch = Remedy::command("git fetch", "fetches it");
        assert_eq!(spelled(&[fetch]).unwrap(), "`git fetch` fetches it");
        let two = [show, Remedy::words("or leave out the id")];
        assert_eq!(spelled(&two).unwrap(), "`git wf show QUE-1 --json` shows it; or leave out the id");
    }
}
