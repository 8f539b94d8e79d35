//! Calls as commands.

use crate::model::RemedyCall;

/// A call as a user types it.
pub(in crate::cli) fn command(call: &RemedyCall) -> String {
    call.command()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Op, Other};

    #[test]
    fn options_come_before_the_arguments() {
        let fail = RemedyCall::from(Op::Fail).option("message", "it is slow");
        assert_eq!(command(&fail), "git wf fail -m 'it is slow'");
        let edit = RemedyCall::new(Op::Edit, ["A-1"]).option("depends-on", "-A-2").option("status", "paused");
        assert_eq!(command(&edit), "git wf edit --depends-on=-A-2 --status paused A-1");
    }

    #[test]
    fn every_operation_is_a_command() {
        let whole = crate::cli::whole_command();
        // Some are an option of a command.
        let is_command = |name: &str| {
            let found = name.split(' ').try_fold(&whole, |command, word| match word.strip_prefix("--") {
                Some(option) => {
                    command.get_arguments().find(|it| it.get_long() == Some(option)).map(|_| command)
                }
                None => command.find_subcommand(word),
            });
            found.is_some()
        };
        // What hooks, runs and syncs record has no command of its own.
        let alone = [Op::Explore, Op::Session, Op::Rewrite, Op::Merge].map(Op::as_str);
        let ops = Op::ALL.iter().map(|op| op.as_str()).filter(|name| !alone.contains(name));
        let others = Other::ALL.iter().map(|other| other.as_str());
        let missing: Vec<&str> = ops.chain(others).filter(|name| !is_command(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
