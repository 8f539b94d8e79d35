use super::*;
use crate::cli::{Arguments, whole_command};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The arguments of `git wf …`.
fn said(typed: &str) -> String {
    let words = words(typed);
    let all: Vec<OsString> =
        [&["git-wf".to_owned()], &words[..]].concat().into_iter().map(OsString::from).collect();
    format!("{:?}", refusal(&parsed_by(&all), &words, &Arguments::parse(&all).unwrap_err()))
}

#[test]
fn the_help_that_is_named_is_that_of_the_command_which_was_meant() {
    for (typed, command_line) in [
        ("", "git wf"),
        ("frob", "git wf"),
        ("queue add", "git wf queue add"),
        ("--json queue manage new --frob", "git wf queue manage new"),
        ("show queue", "git wf show"),
        ("edit ISS-1 --priority 9", "git wf edit"),
    ] {
        assert_eq!(found(&whole_command(), &words(typed)).0, command_line, "{typed}");
    }
}

#[test]
fn what_is_wrong_is_named_with_what_to_do() {
    for (typed, message, hint) in [
        ("fail --reason broken", "no gate is being overridden", "`-m TEXT`"),
        ("queue hold S-1 --reason later", "no gate is being overridden", "`-m TEXT`"),
        (
            "plan choose ISS-1 --reason better",
            "no gate is being overridden",
            "leave it out; `git wf plan choose --help`",
        ),
        (
            "plan choose ISS-1 --force",
            "`git wf plan choose` needs `--reason <TEXT>`",
            "`git wf plan choose --help`",
        ),
        ("comment ISS-1 --reason later", "no option `--reason`", "`-m TEXT`"),
        ("feedback ISS-1 --body text", "no option `--body`", "`-m TEXT`"),
        ("new title --label a", "no option `--label`", "`-t TAG`"),
        ("new --json-file x", "no option `--json-file`", "`--from-json FILE`"),
        ("comment ISS-1 --input x", "no option `--input`", "`-F FILE`"),
        ("queue release S-1 -m later", "takes no text", "leave it out; `git wf queue release --help`"),
        (
            "comment ISS-001 hello there",
            "takes no further argument: `there`",
            "put a text of several words in quotes",
        ),
        ("list --frob", "`git wf list` has no argument `--frob`", "`git wf list --help`"),
        ("new --title", "`git wf new` has no option `--title`", "`git wf new TITLE`"),
        ("list --statu open", "no argument `--statu`", "did you mean `--status`?"),
        ("view ISS-1", "`git wf` has no command `view`", "`git wf show ID`"),
        ("ready", "`git wf` has no command `ready`", "`git wf list --unblocked`"),
        ("nxt", "`git wf` has no command `nxt`", "`next`? `git wf -h`"),
        ("pause G-1", "`git wf` has no command `pause`", "`git wf edit ISSUE --status paused`"),
        ("cancel G-1", "no command `cancel`", "`git wf close ISSUE --as cancelled`"),
        ("dep add G-1 G-2", "no command `dep`", "`git wf edit ISSUE --depends-on OTHER`"),
        ("label G-1 x", "no command `label`", "`git wf edit ISSUE --tag TAG`"),
        ("review G-1", "no command `review`", "`git wf plan review PLAN --approve`"),
        ("approve G-1", "no command `approve`", "`git wf plan review PLAN --approve`"),
        ("redact G-1", "`git wf redact` needs `<FIELD>`", "title, context, tags"),
        ("hooks instal", "has no command `instal`", "did you mean `install`?"),
        ("frobnicate", "no command `frobnicate`", "\"`git wf -h` lists all commands\""),
        (
            "queue frob",
            "`git wf queue` has no command `frob`",
            "the commands of `git wf queue` are: add, remove",
        ),
        ("queue manage frob", "`git wf queue manage` has no command `frob`", "are: new, list, activate"),
        ("queue add", "`git wf queue add` needs `<ISSUES|--all-planned|", "`git wf queue add --help`"),
        ("schema zzzzzz", "`zzzzzz` is not a valid value for `[KIND]`", "`git wf schema` lists them"),
        (
            "setup --completions ksh",
            "`ksh` is not a valid value for `--completions <SHELL>`",
            "expected one of bash",
        ),
        ("log -n x", "`x` is not a valid value for `--limit <N>`: not a whole number", "`git wf log --help`"),
        ("run A --retry 99", "for `--retry <N>`: it must be from 0 to 10", "`git wf run --help`"),
        ("run A --jobs 0", "for `--jobs <N>`: it must be from 1 to 64", "`git wf run --help`"),
        ("run A --wave 0", "for `--wave <N>`: it must be 1 or more", "`git wf run --help`"),
        ("log -n", "`--limit <N>` needs a value", "`git wf log --help`"),
        ("log -n 1 -n 2", "`--limit <N>` is given more than once", "`git wf log --help`"),
        ("trace x --dot --mermaid", "`--dot` cannot be used with `--mermaid`", "`git wf trace --help`"),
    ] {
        let said = said(typed);
        assert!(said.contains(message) && said.contains(hint), "{typed}: {said}");
    }
}
