//! The commands of `ccw issue` under their own names: each is replaced by its equivalent before the command line is
//! parsed. Options that ccw does not have are passed on, so that the parser accepts or refuses them.

use super::command_at;
use crate::model::{IssueId, ItemId};

/// Translates the words of the command line, without the name of the program.
pub(super) fn translated(words: Vec<String>) -> Vec<String> {
    let Some(at) = command_at(&words) else { return words };
    let (before, rest) = words.split_at(at);
    let given = CcwArguments { words: rest[1..].to_vec(), is_json: before.iter().any(|word| word == JSON) };
    match command_of(&rest[0], given) {
        Some(meant) => before.iter().cloned().chain(meant).collect(),
        None => words,
    }
}

const JSON: &str = "--json";

/// The equivalent of a ccw command; `None` if it is the same here.
fn command_of(command: &str, mut given: CcwArguments) -> Option<Vec<String>> {
    match command {
        "create" => Some(create(given)),
        "init" => {
            // `init` has no argument here.
            let issue = given.take_first()?;
            let title = given.take_value("--title").unwrap_or_else(|| issue.clone());
            given.rename("--description", "--message");
            Some(given.after(&["new", &title, "--id", &issue]))
        }
        "list" => {
            let is_brief = given.take_flag("--brief");
            // `@NAME` is a saved query, not an issue.
            let issue = given.take_first().filter(|it| !it.starts_with('@'))?;
            if given.words.iter().any(|word| word != JSON) {
                return None;
            }
            if is_brief {
                given.add_json();
                given.words.push("--brief".to_owned());
            }
            Some(given.after(&["show", &issue]))
        }
        "history" => Some(given.after(&["list", "--status", "completed,closed"])),
        "update" if given.has("--from-queue") => {
            // A status follows from the queue anyway.
            given.rename("--from-queue", "");
            given.words.retain(|word| !word.is_empty());
            Some(given.after(&["queue", "show"]))
        }
        "update" => {
            given.rename("--description", "--message");
            Some(given.after(&["edit"]))
        }
        "done" | "complete" if given.take_flag("--fail") => {
            let reason = given.take_value("--reason").unwrap_or_else(|| "Unknown failure".to_owned());
            given.qualify();
            given.name_item();
            Some(given.after(&["fail", "-m", &reason]))
        }
        "complete" => {
            given.qualify();
            given.name_item();
            Some(given.after(&["done"]))
        }
        // Otherwise the reason is one for overriding a gate.
        "fail" if given.has("--reason") && given.first().is_some() && !given.is_forced() => {
            given.rename("--reason", "--message");
            given.qualify();
            given.name_item();
            Some(given.after(&["fail"]))
        }
        "done" | "fail" => {
            let is_qualified = given.qualify();
            (given.name_item() || is_qualified).then(|| given.after(&[command]))
        }
        "detail" => given.qualify().then(|| given.after(&[command])),
        "bind" | "register" if given.has("--solution") => {
            let file = given.take_value("--solution")?;
            let issue = given.take_first()?;
            Some(given.after(&["plan", "add", &issue, &file]))
        }
        "bind" | "register" => Some(given.after(&["plan", "choose"])),
        "solution" if given.is_about_issue() => Some(given.after(&["plan", "add"])),
        "solution" => Some(given.after(&["plan"])),
        "task" if given.is_about_issue() => {
            let names_task = given.words.get(1).is_some_and(|word| !word.starts_with('-'));
            Some(given.after(&["task", if names_task { "edit" } else { "add" }]))
        }
        "queue" => queue(given),
        "help" => {
            let topic = given.first()?;
            let own = COMMANDS.iter().find(|(ccw, _)| *ccw == topic)?.1;
            let own = own.split(' ').map(str::to_owned);
            let rest = given.words.iter().skip(1).cloned();
            Some(std::iter::once("help".to_owned()).chain(own).chain(rest).collect())
        }
        _ => None,
    }
}

/// The ccw commands that have other names here.
const COMMANDS: &[(&str, &str)] = &[
    ("create", "new"),
    ("history", "list"),
    ("update", "edit"),
    ("complete", "done"),
    ("bind", "plan choose"),
    ("register", "plan choose"),
    ("solution", "plan"),
    ("solutions", "plan list"),
    ("detail", "show"),
    ("status", "show"),
];

/// `create`, with the fields as JSON in an option or on stdin, or as options of `new`.
fn create(mut given: CcwArguments) -> Vec<String> {
    let title = given.take_value("--title");
    given.rename("--description", "--message");
    given.rename("--context", "--message");
    let is_said = ["--data", "--from-json", "--help", "-h"].iter().any(|name| given.has(name));
    match title {
        Some(title) => given.after(&["new", &title]),
        // Without a value, the option is refused.
        None if is_said || given.has("--title") || given.first().is_some() => given.after(&["new"]),
        None => given.after(&["new", "--from-json", "-"]),
    }
}

/// `queue`, where it is not as here.
fn queue(mut given: CcwArguments) -> Option<Vec<String>> {
    let is_brief = given.take_flag("--brief");
    if is_brief {
        given.add_json();
    }
    let command = given.first().map(str::to_owned);
    match command.as_deref() {
        None if is_brief => Some(given.after(&["queue"])),
        Some("history") => {
            given.take_first();
            Some(given.after(&["queue", "manage", "list", "--all"]))
        }
        Some("switch") => {
            given.take_first();
            Some(given.after(&["queue", "manage", "activate", "--only"]))
        }
        Some("activate") if given.words.iter().any(|word| word.contains(',')) => {
            let names = given.words.iter().flat_map(|word| word.split(',')).map(str::trim);
            given.words = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
            Some(given.after(&["queue", "manage"]).into_iter().chain(owned(&["--only"])).collect())
        }
        Some("dag") => {
            given.take_first();
            let queue = given.take_value("--queue");
            Some(given.after(&["queue", "graph"]).into_iter().chain(queue).collect())
        }
        Some("priority") => {
            let priority = given.take_value("--priority");
            Some(given.after(&["queue", "manage"]).into_iter().chain(priority).collect())
        }
        Some("list" | "activate" | "merge" | "archive") => Some(given.after(&["queue", "manage"])),
        Some("delete") => {
            given.take_first();
            Some(given.after(&["queue", "manage", "archive"]))
        }
        Some(_) if is_brief => Some(given.after(&["queue"])),
        _ => None,
    }
}

/// The arguments of a command of ccw.
struct CcwArguments {
    words: Vec<String>,
    /// Whether `--json` comes before the command.
    is_json: bool,
}

impl CcwArguments {
    fn has(&self, name: &str) -> bool {
        self.words.iter().any(|word| is_option(word, name))
    }

    fn is_forced(&self) -> bool {
        self.words.iter().any(|word| word.trim_start_matches('-') == "force")
    }

    /// The first argument, unless an option that has a value may come before it.
    fn first(&self) -> Option<&str> {
        let first = self.words.iter().find(|word| *word != JSON)?;
        (!first.starts_with('-')).then_some(first)
    }

    fn take_first(&mut self) -> Option<String> {
        self.first()?;
        let at = self.words.iter().position(|word| word != JSON)?;
        Some(self.words.remove(at))
    }

    /// Whether the first argument is an issue, and not the name of a command.
    fn is_about_issue(&self) -> bool {
        self.first().is_some_and(|word| IssueId::parse(word).is_ok())
    }

    fn take_flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    fn take_value(&mut self, name: &str) -> Option<String> {
        let at = self.words.iter().position(|word| is_option(word, name))?;
        if self.words[at] == name && at + 1 == self.words.len() {
            return None;
        }
        let word = self.words.remove(at);
        match word.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => Some(self.words.remove(at)),
        }
    }

    fn rename(&mut self, name: &str, here: &str) {
        for word in self.words.iter_mut().filter(|word| is_option(word, name)) {
            *word = word.replacen(name, here, 1).trim_start_matches('=').to_owned();
        }
    }

    /// Makes `S-1 --queue QUE-1` into `QUE-1:S-1`. Returns whether there was such an option.
    fn qualify(&mut self) -> bool {
        let Some(queue) = self.take_value("--queue") else { return false };
        match self.take_first() {
            Some(item) => self.words.insert(0, format!("{queue}:{item}")),
            None => self.words.extend(["--queue".to_owned(), queue]),
        }
        true
    }

    /// Makes `S-1` into `--item S-1`. Returns whether there was an item, and not a text.
    fn name_item(&mut self) -> bool {
        let Some(item) = self.first().filter(|word| is_item(word)).map(str::to_owned) else { return false };
        self.take_first();
        self.words.splice(0..0, ["--item".to_owned(), item]);
        true
    }

    fn add_json(&mut self) {
        if !self.is_json && !self.has(JSON) {
            self.words.push(JSON.to_owned());
        }
    }

    /// The first words, followed by the arguments.
    fn after(&self, first: &[&str]) -> Vec<String> {
        self.following(owned(first))
    }

    fn following(&self, mut first: Vec<String>) -> Vec<String> {
        first.extend(self.words.iter().cloned());
        first
    }
}

/// Whether a word names an item: its number, perhaps within a queue, or the id of its plan, execution or issue. A word
/// such as `half-done` is a text.
fn is_item(word: &str) -> bool {
    let number = word.rsplit_once(':').map_or(word, |(_, number)| number);
    let is_id = IssueId::parse(word).is_ok() && word.contains(|c: char| c.is_ascii_digit());
    let is_record = word.starts_with("SOL-") || word.starts_with("EXR-");
    ItemId::parse(number).is_ok() || (is_record && !word.contains(' ')) || is_id
}

/// Whether a word is this option, perhaps with its value.
fn is_option(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(line: &str) -> String {
        translated(line.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn the_words_of_ccw_are_commands_here() {
        for (ccw, here) in [
            ("create --data {\"title\":\"t\"}", "new --data {\"title\":\"t\"}"),
            ("create", "new --from-json -"),
            ("create --json", "new --from-json - --json"),
            ("create --title T", "new T"),
            ("create --title=T --description D --priority 2", "new T --message D --priority 2"),
            ("create --title", "new --title"),
            ("create --help", "new --help"),
            ("help solutions", "help plan list"),
            ("help solution add", "help plan add"),
            ("--json create Tokens", "--json new Tokens"),
            ("--color never --json create Tokens", "--color never --json new Tokens"),
            ("--date=iso history", "--date=iso list --status completed,closed"),
            ("init ISS-001", "new ISS-001 --id ISS-001"),
            ("init ISS-001 --title T --priority 2", "new T --id ISS-001 --priority 2"),
            ("init ISS-001 --force", "new ISS-001 --id ISS-001 --force"),
            ("list ISS-001 --json", "show ISS-001 --json"),
            ("list --json ISS-001", "show ISS-001 --json"),
            ("list ISS-001 --brief", "show ISS-001 --json --brief"),
            ("--json list --brief ISS-001", "--json show ISS-001 --brief"),
            ("history", "list --status completed,closed"),
            ("history --brief", "list --status completed,closed --brief"),
            ("update ISS-001 --status in-progress", "edit ISS-001 --status in-progress"),
            ("update --status planned ISS-001", "edit --status planned ISS-001"),
            ("update ISS-001 --title=T --description=D --json", "edit ISS-001 --title=T --message=D --json"),
            ("update ISS-001 ISS-002 --status paused", "edit ISS-001 ISS-002 --status paused"),
            ("update --help", "edit --help"),
            ("update --from-queue --json", "queue show --json"),
            ("update --from-queue QUE-1", "queue show QUE-1"),
            ("update --from-queue=QUE-1", "queue show QUE-1"),
            ("complete S-1", "done --item S-1"),
            ("complete S-1 --queue QUE-1", "done --item QUE-1:S-1"),
            ("done S-1 --fail --reason broken", "fail -m broken --item S-1"),
            ("done S-1 --fail --json", "fail -m Unknown failure --item S-1 --json"),
            ("done S-1 --queue QUE-1 -m done", "done --item QUE-1:S-1 -m done"),
            ("done S-1 --result r.json", "done --item S-1 --result r.json"),
            ("fail S-1 --reason broken", "fail --item S-1 --message broken"),
            ("detail S-1 --queue QUE-1", "detail QUE-1:S-1"),
            ("bind ISS-001 --solution plan.json", "plan add ISS-001 plan.json"),
            ("register ISS-001 --solution plan.json", "plan add ISS-001 plan.json"),
            ("bind ISS-001 SOL-ISS-001-1", "plan choose ISS-001 SOL-ISS-001-1"),
            ("solution ISS-001 --data {}", "plan add ISS-001 --data {}"),
            ("solution add ISS-001 plan.json", "plan add ISS-001 plan.json"),
            ("task ISS-001 --title T", "task add ISS-001 --title T"),
            ("task ISS-001 T1 --title T", "task edit ISS-001 T1 --title T"),
            ("queue --brief", "queue --json"),
            ("queue history", "queue manage list --all"),
            ("queue list", "queue manage list"),
            ("queue list --brief", "queue manage list --json"),
            ("--json queue list --brief", "--json queue manage list"),
            ("queue switch QUE-1", "queue manage activate --only QUE-1"),
            ("queue activate QUE-1,QUE-2", "queue manage activate QUE-1 QUE-2 --only"),
            ("queue activate QUE-1", "queue manage activate QUE-1"),
            ("queue delete QUE-1", "queue manage archive QUE-1"),
            ("queue priority QUE-1 --priority 2", "queue manage priority QUE-1 2"),
            ("queue priority QUE-1 2", "queue manage priority QUE-1 2"),
            ("queue dag --queue QUE-1 --json", "queue graph --json QUE-1"),
            ("queue dag QUE-1", "queue graph QUE-1"),
            ("help update", "help edit"),
        ] {
            assert_eq!(meaning(ccw), here, "{ccw}");
        }
    }

    #[test]
    fn our_own_commands_stay_as_they_are() {
        for line in [
            "init --remote origin",
            "init --hooks",
            "list",
            "list --brief",
            "list --status planned --json",
            "list --tag a",
            "list ISS-001 --tag a",
            "queue",
            "queue manage list",
            "queue graph QUE-1",
            "queue manage new later",
            "queue add ISS-001",
            "plan choose ISS-001 SOL-ISS-001-1",
            "plan add ISS-001 plan.json",
            "task add ISS-001 --title T",
            "done -m done",
            "done half-done",
            "fail broken",
            "fail --reason broken",
            "fail -m broken --force --reason late",
            "status ISS-001 --json",
            "next --queue QUE-1",
            "solutions ISS-001 --json",
            "help queue add",
            "--version",
            "-h",
        ] {
            assert_eq!(meaning(line), line);
        }
    }
}
