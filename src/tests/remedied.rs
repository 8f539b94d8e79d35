//! Checks in the source code that every refusal says what to do, and names a command if one helps, so that a new one cannot
//! lack a remedy.

use std::collections::{BTreeMap, BTreeSet};

use self::reading::{
    arms, body, closed, codes, is_remedied, methods, names_a_command, on_one_line, sources, variants,
};
use crate::model::code::Code;

mod parsed;
mod reading;

pub(crate) use parsed::written_calls;

/// The calls that make a refusal.
const MADE: &[&str] = &["Refusal::new(", "Refusal::usage(", "Refusal::nothing("];

/// Refusals whose remedy is not in the same expression: the file, some text of the expression, and the reason.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("ops/fields.rs", "there is no field", "the nearest field, or all, are added below it"),
    ("ops/plans/resolve.rs", "Code::ChoiceNeeded", "the struct has its remedies"),
    ("ops/plans/bind.rs", "Code::ChoiceNeeded", "the struct has its remedies"),
    ("ops/plans/plan_input.rs", "Code::InvalidPlan, message", "the struct has its remedies"),
    ("ops/plans/roadmap/add.rs", "dry run", "undoes a transaction, and nobody sees it"),
    ("ops/store/import.rs", "dry run", "undoes a transaction, and nobody sees it"),
    ("ops/queue/order.rs", "Code::Order", "each way to it is added below it"),
    ("ops/issues/edit.rs", "Code::DerivedStatus", "each status adds its own below it"),
    ("ops/queue/world.rs", "is not queued", "the next step is added below it"),
    ("ops/store/fsck/gone.rs", "no store any more", "added below it"),
    ("ops/queue/items.rs", "Code::Begun", "each status adds its own below it"),
    ("ops/work/unfinished.rs", "Code::NoCommit", "the struct has its remedies"),
    ("ops/work/ownership.rs", "Code::ClaimOfAnother", "each intent adds its own below it"),
    ("ops/work/agent_test.rs", "error.code()", "the struct has its remedies"),
    ("ops/work/target.rs", "Code::NotExecuting", "added below it"),
    ("ops/work/pick/refused.rs", "no item is ready", "added below it, with one for failed items"),
    ("ops/work/retry.rs", "Code::NewerPlan", "the struct has its remedies"),
    ("ops/work/retry.rs", "not failed", "each state adds its own below it"),
    ("run/begin.rs", "Refusal::nothing(none)", "added below it"),
    ("mcp/prompts.rs", "there is no prompt", "`prompts/list` is what to call, and the hint names it"),
    ("cli/command/store/hook.rs", "Code::PushRefused", "what refuses the push adds them"),
    ("mcp/tools/mod.rs", "Code::ReadOnly", "added below it"),
    ("ops/store/undo.rs", "Code::CannotUndo", "each operation adds its own below it"),
    ("web/", "", "a page has links to go on with"),
    ("ops/refusal.rs", "", "makes them for others"),
    ("cli/failure.rs", "", "makes them for others"),
];

/// The codes of refusals that may have words alone, since no command helps: why.
const IN_WORDS: &[(Code, &str)] = &[
    (Code::Bug, "only we can do something"),
    // What was given must change: the message says what is wrong with it, and the hint what is allowed.
    (Code::AmbiguousId, "the candidates are named; more of one must be typed"),
    (Code::CannotStore, "shorter texts"),
    (Code::ChoiceNeeded, "the argument `directory`"),
    (Code::Cycle, "one dependency less"),
    (Code::Empty, "a text"),
    (Code::EmptyComment, "a text"),
    (Code::EmptyTitle, "a text"),
    (Code::Exists, "another directory to export into"),
    (Code::InvalidArguments, "what does not fit the schema of the tool is named"),
    (Code::InvalidCursor, "a cursor of the same tool"),
    (Code::InvalidJson, "JSON in each line"),
    (Code::InvalidLabel, "the form of a label"),
    (Code::InvalidPolicy, "the values of a policy"),
    (Code::InvalidRelation, "the form of a relation"),
    (Code::InvalidTitle, "one line"),
    (Code::InvalidUrl, "the form of a URL"),
    (Code::InvalidUtf8, "UTF-8"),
    (Code::InvalidWord, "the words that are allowed"),
    (Code::NothingToDo, "the names of the programs that are known"),
    (Code::LowQuality, "the same command with what is missing"),
    (Code::MilderVerdict, "other scores, or no verdict"),
    (Code::NotRedactable, "the fields that can be hidden"),
    (Code::NotStrict, "the source, or --strict left out"),
    (Code::OtherMode, "the mode or the assessment"),
    (Code::OtherTotal, "how the total is computed"),
    (Code::OutsideRoots, "the directories that the client named"),
    (Code::SelfDependency, "another issue"),
    (Code::TooLarge, "less of it"),
    (Code::TooLong, "a shorter text"),
    (Code::TooMany, "a request of the protocol"),
    (Code::TooManyTasks, "fewer tasks"),
    (Code::UnknownRole, "the roles"),
    (Code::Usage, "which arguments are wrong, and what is allowed or that --help says so"),
    // Someone must do something for which neither this program nor git has a command.
    (Code::CannotEdit, "the file of a coding agent is not what it should be, or cannot be written"),
    (Code::CannotListen, "the port or the address"),
    (Code::CannotRead, "the file or its permissions"),
    (Code::CannotWrite, "the directory, its permissions, or space on the disk"),
    (Code::Declined, "the host says what to do"),
    (Code::Demo, "TMPDIR, or a program on the PATH"),
    (Code::Editor, "what the editor complained of"),
    (Code::GitFailed, "what git says"),
    (Code::GitMissing, "git must be installed"),
    (Code::GitTooOld, "a newer git must be installed"),
    (Code::HooksIo, "the directory and its permissions"),
    (Code::HooksTwoEarlier, "someone must look at both hooks"),
    (Code::InAHook, "the server must be started elsewhere"),
    (Code::Index, "the directory and its permissions"),
    (Code::Interrupted, "the same again"),
    (Code::Io, "permissions, or space on the disk"),
    (Code::LockFile, "the lock file must be removed"),
    (Code::MessageFile, "git calls this hook"),
    (Code::NoTurn, "the end of another process"),
    (Code::Mirror, "another clone, or another refspec"),
    (Code::NewerFormat, "a newer version must be installed"),
    (Code::NoAnswer, "the transcript is named"),
    (Code::NoDirectory, "a directory that exists"),
    (Code::NoGh, "`gh` must be installed"),
    (Code::NoProgram, "the program must be started by its path"),
    (Code::NoRandomNumbers, "the system must give them"),
    (Code::NotYourRole, "the roles that may; an owner decides"),
    (Code::OwnPlan, "someone else must review"),
    (Code::NotAgreed, "consent, or a directory in which it can be recorded"),
    (Code::Object, "the objects of an alternate must be restored"),
    (Code::Path, "the whole path"),
    (Code::Refused, "the host says what to do"),
    (Code::UnseenCommand, "the command must be written otherwise"),
    (Code::Worktree, "the settings of the project, or permissions, must change"),
    (Code::PartialClone, "a clone with all objects"),
    (Code::WorkplaceChanged, "the workplace is gone already; the message says what stood there"),
    (Code::WorktreeExchanged, "someone must look at what stands there"),
];

fn is_elsewhere(file: &str, made: &str) -> bool {
    ELSEWHERE.iter().any(|(place, part, _)| file.starts_with(place) && made.contains(part))
}

/// The refusals in words alone, by code.
fn in_words() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, code) in sources() {
        for way in MADE {
            for (from, _) in code.match_indices(way) {
                let end = closed(&code, from + way.len());
                let made = &code[from..end];
                let methods = methods(&code, end);
                let is_call = |(name, given): &(&str, &str)| {
                    ["remedy", "command", "next_step"].contains(name)
                        || *name == "hint" && names_a_command(&code, given)
                };
                if is_elsewhere(&file, made) || methods.iter().any(is_call) {
                    continue;
                }
                let what = match *way {
                    "Refusal::usage(" | "Failure::usage(" => BTreeSet::from(["Usage"]),
                    "Refusal::nothing(" => BTreeSet::from(["NothingToDo"]),
                    _ => codes(made),
                };
                for code in what {
                    found.entry(code.to_owned()).or_default().push(format!("{file}: {}", on_one_line(made)));
                }
            }
        }
        for (at, _) in code.match_indices("impl Explain for ") {
            let whole = &code[at..];
            let open = whole.find('{').unwrap_or_default() + 1;
            let whole = &whole[..closed(whole, open)];
            let (Some(of), Some(remedies)) = (body(whole, "fn code("), body(whole, "fn remedies(")) else {
                continue;
            };
            let of = arms(of);
            for (pattern, expression) in arms(remedies) {
                if names_a_command(&code, expression) {
                    continue;
                }
                let named = variants(pattern);
                let is_meant = |own: &str| {
                    named.is_empty() || variants(own).is_empty() || !variants(own).is_disjoint(&named)
                };
                for (own, expression) in &of {
                    for code in if is_meant(own) { codes(expression) } else { BTreeSet::new() } {
                        found
                            .entry(code.to_owned())
                            .or_default()
                            .push(format!("{file}: {}", on_one_line(pattern)));
                    }
                }
            }
        }
    }
    found
}

#[test]
fn every_refusal_names_a_command_unless_no_command_helps() {
    let found = in_words();
    let listed: Vec<String> = IN_WORDS.iter().map(|(code, _)| format!("{code:?}")).collect();
    let mut wrong = Vec::new();
    for code in Code::ALL {
        let name = format!("{code:?}");
        match (found.get(&name), listed.contains(&name)) {
            (Some(places), false) => {
                wrong.push(format!("{name} names no command:\n    {}", places.join("\n    ")));
            }
            (None, true) => wrong.push(format!("{name} always names a command, so it needs no reason")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_refusal_says_what_to_do() {
    let (mut count, mut bare) = (0, Vec::new());
    for (file, code) in sources() {
        for way in MADE {
            for (from, _) in code.match_indices(way) {
                count += 1;
                let end = closed(&code, from + way.len());
                let made = &code[from..end];
                if !is_elsewhere(&file, made) && !is_remedied(&code, end) {
                    bare.push(format!("{file}: {}", on_one_line(made)));
                }
            }
        }
    }
    assert!(count > 300, "only {count} refusals were found");
    assert!(bare.is_empty(), "without a hint or a remedy:\n{}", bare.join("\n"));
}
