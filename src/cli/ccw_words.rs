//! The commands of `ccw issue` under their own names: each is turned into the one that does the same here, before the
//! command line is parsed.

/// The options of ccw that have a value.
const VALUED: &[&str] = &[
    "--data",
    "--title",
    "--status",
    "--priority",
    "--description",
    "--queue",
    "--reason",
    "--result",
    "--solution",
];

/// The words of the command line, without the name of the program, as they are meant here.
pub(super) fn translated(words: Vec<String>) -> Vec<String> {
    let Some(at) = words.iter().position(|word| !word.starts_with('-')) else { return words };
    let (before, rest) = words.split_at(at);
    let (command, rest) = (rest[0].as_str(), &rest[1..]);
    match meant(command, rest) {
        Some(meant) => before.iter().cloned().chain(meant).collect(),
        None => words,
    }
}

/// What a command of ccw is here; `None` if it is the same.
fn meant(command: &str, rest: &[String]) -> Option<Vec<String>> {
    let given = Given::of(rest);
    // An option before it could have a value that looks like it.
    let first = rest.first().map(String::as_str).filter(|word| !word.starts_with('-'));
    match (command, first) {
        ("create", _) => Some(create(rest, &given)),
        // `init` has no argument here.
        ("init", Some(issue)) => Some(new(issue, &given)),
        ("list", Some(_)) if !given.has_option() => Some(words(["show"], rest)),
        ("list", _) if given.has("--brief") => Some(given.brief(&["list"])),
        ("history", None) => Some(given.brief(&["list", "--status", "completed,closed"])),
        ("update", Some(issue)) => Some(edit(issue, &given)),
        ("complete", _) => Some(words(["done"], rest)),
        ("done", Some(item)) if given.has("--fail") => {
            let reason = given.value("--reason").unwrap_or("Unknown failure");
            Some(owned(&["fail", item, "-m", reason]))
        }
        ("bind", Some(issue)) => {
            let file = given.value("--solution")?;
            Some(owned(&["solution", "add", issue, file]))
        }
        ("queue", Some("history")) => Some(given.brief(&["queue", "list", "--all"])),
        ("queue", Some("list")) if given.has("--brief") => Some(given.brief(&["queue", "list"])),
        ("queue", Some("switch")) => Some(owned(&["queue", "activate", given.plain.get(1)?, "--only"])),
        ("queue", Some("priority")) => {
            let (queue, number) = (given.plain.get(1)?, given.value("--priority")?);
            Some(owned(&["queue", "priority", queue, number]))
        }
        ("queue", Some("dag")) => {
            let queue = given.value("--queue")?;
            let json = given.has("--json").then_some("--json");
            Some(owned(&["queue", "dag", queue]).into_iter().chain(json.map(str::to_owned)).collect())
        }
        _ => None,
    }
}

/// The arguments of a command of ccw.
struct Given<'a> {
    all: &'a [String],
    /// Those that are neither options nor their values.
    plain: Vec<&'a str>,
}

impl<'a> Given<'a> {
    fn of(all: &'a [String]) -> Self {
        let mut plain = Vec::new();
        let mut words = all.iter();
        while let Some(word) = words.next() {
            if VALUED.contains(&word.as_str()) {
                words.next();
            } else if !word.starts_with('-') {
                plain.push(word.as_str());
            }
        }
        Self { all, plain }
    }

    fn has(&self, name: &str) -> bool {
        self.all.iter().any(|word| word == name)
    }

    /// Whether there is an option that `show` does not have.
    fn has_option(&self) -> bool {
        self.all.iter().any(|word| word.starts_with('-') && word != "--json")
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        let mut words = self.all.iter();
        while let Some(word) = words.next() {
            match word.strip_prefix(name).map(|rest| rest.strip_prefix('=')) {
                Some(Some(value)) => return Some(value),
                Some(None) if word == name => return words.next().map(String::as_str),
                _ => {}
            }
        }
        None
    }

    /// A list, as JSON where ccw prints JSON.
    fn brief(&self, command: &[&str]) -> Vec<String> {
        let mut meant = owned(command);
        if let Some(status) = self.value("--status") {
            meant.extend(owned(&["--status", status]));
        }
        if self.has("--brief") || self.has("--json") {
            meant.push("--json".to_owned());
        }
        meant
    }
}

/// `create`, with the fields as JSON in an option or on stdin, or with arguments of `new`.
fn create(rest: &[String], given: &Given<'_>) -> Vec<String> {
    let is_own = given.plain.is_empty() && given.value("--title").is_none();
    match given.value("--data") {
        Some(data) => {
            let json = given.has("--json").then_some("--json");
            owned(&["new", "--data", data]).into_iter().chain(json.map(str::to_owned)).collect()
        }
        None if is_own && !rest.iter().any(|word| word == "--help" || word == "-h") => {
            words(["new", "--from-json", "-"], rest)
        }
        None => words(["new"], rest),
    }
}

/// `init ISSUE`: a new issue with this id.
fn new(issue: &str, given: &Given<'_>) -> Vec<String> {
    let title = given.value("--title").unwrap_or(issue);
    let mut meant = owned(&["new", title, "--id", issue]);
    meant.extend(fields(given));
    meant
}

/// `update ISSUE`: changes fields.
fn edit(issue: &str, given: &Given<'_>) -> Vec<String> {
    let mut meant = owned(&["edit", issue]);
    for name in ["--title", "--status"] {
        if let Some(value) = given.value(name) {
            meant.extend(owned(&[name, value]));
        }
    }
    meant.extend(fields(given));
    meant
}

fn fields(given: &Given<'_>) -> Vec<String> {
    let mut meant = Vec::new();
    for (name, here) in [("--priority", "--priority"), ("--description", "--message")] {
        if let Some(value) = given.value(name) {
            meant.extend(owned(&[here, value]));
        }
    }
    meant.extend(given.has("--json").then(|| "--json".to_owned()));
    meant
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn words<const N: usize>(first: [&str; N], rest: &[String]) -> Vec<String> {
    owned(&first).into_iter().chain(rest.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(line: &str) -> String {
        translated(line.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn the_words_of_ccw_are_commands_here() {
        for (ccw, here) in [
            ("create --data {\"title\":\"t\"}", "new --data {\"title\":\"t\"}"),
            ("create", "new --from-json -"),
            ("--json create Tokens", "--json new Tokens"),
            ("init ISS-001", "new ISS-001 --id ISS-001"),
            ("init ISS-001 --title T --priority 2", "new T --id ISS-001 --priority 2"),
            ("list ISS-001 --json", "show ISS-001 --json"),
            ("list --brief", "list --json"),
            ("list --status planned,queued --brief", "list --status planned,queued --json"),
            ("history", "list --status completed,closed"),
            ("history --brief", "list --status completed,closed --json"),
            ("update ISS-001 --status in-progress", "edit ISS-001 --status in-progress"),
            ("update ISS-001 --title=T --description D --json", "edit ISS-001 --title T --message D --json"),
            ("complete S-1", "done S-1"),
            ("done S-1 --fail --reason broken", "fail S-1 -m broken"),
            ("bind ISS-001 --solution plan.json", "solution add ISS-001 plan.json"),
            ("queue history", "queue list --all"),
            ("queue list --brief", "queue list --json"),
            ("queue switch QUE-1", "queue activate QUE-1 --only"),
            ("queue priority QUE-1 --priority 2", "queue priority QUE-1 2"),
            ("queue dag --queue QUE-1 --json", "queue dag QUE-1 --json"),
        ] {
            assert_eq!(meant(ccw), here, "{ccw}");
        }
    }

    #[test]
    fn our_own_commands_stay_as_they_are() {
        for line in [
            "init --remote origin",
            "init --hooks",
            "list",
            "list --status planned --json",
            "list --tag a",
            "queue",
            "queue list",
            "queue dag QUE-1",
            "queue priority QUE-1 2",
            "queue add ISS-001",
            "bind ISS-001 SOL-ISS-001-1",
            "done S-1 -m done",
            "status ISS-001 --json",
            "next --queue QUE-1",
            "solutions ISS-001 --json",
            "--version",
            "-h",
        ] {
            assert_eq!(meant(line), line);
        }
    }
}
