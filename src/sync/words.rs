//! Parses and classifies messages of git and the remote, which are in English since `LC_MESSAGES` is C.

use std::time::Duration;

use super::rate_words;

/// Longer messages are cut.
const LONGEST: usize = 600;

/// Beginnings of lines that say nothing about this case.
const NOISE: &[&str] = &[
    "hint:",
    "From ",
    "To ",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
    "fatal: the remote end hung up unexpectedly",
    "error: failed to push some refs to",
    "Another git process seems to be running",
    "an editor opened by",
    "are terminated then try again",
    "may have crashed in this repository",
    "remove the file manually",
];

/// Why a push or fetch failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A name, a password or a key is missing or wrong.
    Credentials,
    /// Someone else moved or locked the ref at that moment.
    Contended,
    /// The host limits the rate of requests.
    Limited,
    /// Anything else.
    Other,
}

/// How the remote answered for one ref.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RefAnswer {
    /// It accepted the commit.
    Updated,
    /// It already had the commit.
    Unchanged,
    /// The local git did not push, since the remote's head is not in the history of the commit; its reason.
    Rejected(String),
    /// The remote refused; the reason.
    Refused(String),
}

/// The message of a failed command in one line.
pub(super) fn from_stderr(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = line_of(text.lines().filter(|line| {
        !line.starts_with(' ') && !line.trim_start_matches("remote:").trim().chars().all(|c| c == '=')
    }));
    if !line.is_empty() {
        return line;
    }
    // For a bundle, for example, git prints nothing else.
    let last = text.lines().find_map(|line| line.strip_prefix("error: "));
    last.map_or_else(|| "git does not say why".into(), |line| without_passwords(line.trim()))
}

/// What git says of a ref of this repository whose object is missing here.
pub(super) fn broken_ref(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let line =
        text.lines().find_map(|line| line.trim_start_matches("fatal: ").strip_prefix("bad object refs/"))?;
    Some(line_of(std::iter::once(format!("bad object refs/{line}").as_str())))
}

/// The reason for a refusal and what the remote, mostly a hook of it, printed.
pub(super) fn with_the_remotes(reason: &str, stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let from_remote = text
        .lines()
        .filter(|line| line.starts_with("remote:") || line.starts_with("error: remote unpack failed"));
    line_of(std::iter::once(reason).chain(from_remote))
}

/// The hint of a `pre-receive` hook of this program on the remote, or of another hook that prints hints as git does.
pub(super) fn hint_of_the_remote(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let hints = text.lines().filter_map(|line| line.strip_prefix("remote:")?.trim().strip_prefix("hint:"));
    Some(line_of(hints)).filter(|line| !line.is_empty())
}

pub(super) fn line_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        let mut line = line.trim();
        if NOISE.iter().any(|noise| line.starts_with(noise)) {
            continue;
        }
        for start in ["remote:", "fatal:", "error:"] {
            line = line.strip_prefix(start).unwrap_or(line).trim();
        }
        if NOISE.iter().any(|noise| line.starts_with(noise)) {
            continue;
        }
        let line = without_passwords(line.trim_end_matches('.'));
        if !line.is_empty() && !kept.contains(&line) {
            kept.push(line);
        }
    }
    let mut line = kept.join("; ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// `https://name:secret@host` without the part before the `@`.
pub(super) fn without_passwords(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        let end = after.find(|c: char| c == '/' || c == '\'' || c.is_whitespace()).unwrap_or(after.len());
        rest = after[..end].rfind('@').map_or(after, |at| &after[at + 1..]);
    }
    out.push_str(rest);
    out
}

/// Whether git failed before it reached the other side, which then accepted nothing.
pub(super) fn never_met(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    [
        "Could not read from remote repository",
        "unable to access",
        "unable to find remote helper",
        "No such remote",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Whether a message says that a name, a password or a key is missing or wrong.
pub(super) fn refuses_login(words: &str) -> bool {
    [
        "could not read Username",
        "could not read Password",
        "Authentication failed",
        "Permission denied (",
        "Host key verification failed",
        "terminal prompts disabled",
        "The requested URL returned error: 401",
        "The requested URL returned error: 403",
    ]
    .iter()
    .any(|needle| words.contains(needle))
}

/// Whether a message says that one may read there but not write.
pub(super) fn denies_write(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    [
        "permission to",
        "write access",
        "permission denied",
        "not allowed to push",
        "not allowed to upload",
        "not authorized to push",
        "push access",
        "access denied",
        "access rights",
        "service not enabled",
        "read only",
        "read-only",
        "insufficient permission",
        "unauthorized",
        "forbidden",
        "returned error: 403",
        "http 403",
        "denied by",
    ]
    .iter()
    .any(|needle| words.contains(needle))
}

/// Whether a message says that a ref may not have this name, or may not be written: some hosts take only branches and
/// tags.
pub(super) fn refuses_the_name(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    [
        "hidden ref",
        "funny refname",
        "refname",
        "ref name",
        "reference name",
        "prohibited by gerrit",
        "not permitted: create",
        "namespace",
        "only refs/heads/",
        "only branches",
        "unsupported ref",
        "invalid ref",
    ]
    .iter()
    .any(|needle| words.contains(needle))
}

/// The kind of failure that a message describes.
pub(super) fn trouble(words: &str) -> Trouble {
    if rate_words::limit(words).is_some() {
        return Trouble::Limited;
    }
    if refuses_login(words) {
        return Trouble::Credentials;
    }
    // A directory without write permission looks like a ref that cannot be locked, but trying again does not help.
    if has_any(
        words,
        &["Permission denied", "Read-only file system", "No space left", "insufficient permission"],
    ) {
        return Trouble::Other;
    }
    if has_any(
        words,
        &[
            "cannot lock ref",
            // From this program's own `pre-receive`.
            "was moved while this was pushed",
            "failed to update ref",
            "failed to lock",
            "incorrect old value provided",
            "reference already exists",
            "unable to update local ref",
            "Unable to create",
        ],
    ) {
        return Trouble::Contended;
    }
    Trouble::Other
}

fn has_any(words: &str, needles: &[&str]) -> bool {
    needles.iter().any(|needle| words.contains(needle))
}

/// A duration to show, such as `40 seconds` or `10 minutes`.
pub(super) fn spelled(wait: Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1000);
    let (number, unit) = if seconds < 120 { (seconds, "second") } else { (seconds.div_ceil(60), "minute") };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

/// What each URL answered for `reference`, from the output of `git push --porcelain`: after a line `To URL`, lines of flag,
/// `from:to`, summary and reason. Empty if the push did not get that far.
pub(super) fn answers(stdout: &[u8], reference: &str) -> Vec<(String, RefAnswer)> {
    let text = String::from_utf8_lossy(stdout);
    let mut url = "";
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(to) = line.strip_prefix("To ") {
            url = to;
        } else if let Some(answer) = answer(line, reference) {
            found.push((url.to_owned(), answer));
        }
    }
    found
}

fn answer(line: &str, reference: &str) -> Option<RefAnswer> {
    let mut fields = line.splitn(3, '\t');
    let (flag, update, summary) = (fields.next()?, fields.next()?, fields.next()?);
    if update.split_once(':')?.1 != reference {
        return None;
    }
    let reason = summary.split_once('(').map_or(summary, |(_, rest)| rest.trim_end_matches(')'));
    Some(match flag {
        "=" => RefAnswer::Unchanged,
        "!" if summary.starts_with("[rejected]") => RefAnswer::Rejected(reason.to_owned()),
        "!" => RefAnswer::Refused(reason.to_owned()),
        _ => RefAnswer::Updated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_without_what_git_always_says() {
        let stderr =
            b"fatal: '/srv/x.git' does not appear to be a git repository\nfatal: Could not read from remote \
            repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
        assert_eq!(from_stderr(stderr), "'/srv/x.git' does not appear to be a git repository");
        assert_eq!(from_stderr(b""), "git does not say why");
    }

    #[test]
    fn no_password_is_repeated() {
        let stderr =
            b"fatal: unable to access 'https://ada:s3cret@example.org/x.git/': Could not resolve host\n";
        assert_eq!(
            from_stderr(stderr),
            "unable to access 'https://example.org/x.git/': Could not resolve host"
        );
        assert_eq!(from_stderr(b"fatal: no such thing: http://a@b@c"), "no such thing: http://c");
    }

    #[test]
    fn the_answers_of_a_push() {
        let answer = |line: &str| answer(line, "refs/wf/main");
        assert_eq!(answer("*\tabc:refs/wf/main\t[new reference]"), Some(RefAnswer::Updated));
        assert_eq!(answer(" \tabc:refs/wf/main\t123..456"), Some(RefAnswer::Updated));
        assert_eq!(answer("=\tabc:refs/wf/main\t[up to date]"), Some(RefAnswer::Unchanged));
        let rejected = answer("!\tabc:refs/wf/main\t[rejected] (fetch first)");
        assert_eq!(rejected, Some(RefAnswer::Rejected("fetch first".into())));
        let refused = answer("!\tabc:refs/wf/main\t[remote rejected] (pre-receive hook declined)");
        assert_eq!(refused, Some(RefAnswer::Refused("pre-receive hook declined".into())));
        assert_eq!(answer("!\tabc:refs/heads/x\t[rejected] (fetch first)"), None);
        let several =
            b"To a\n!\tabc:refs/wf/main\t[rejected] (fetch first)\nTo b\n*\tabc:refs/wf/main\t[new]\nDone\n";
        let found = answers(several, "refs/wf/main");
        assert_eq!(found[0], ("a".into(), RefAnswer::Rejected("fetch first".into())));
        assert_eq!(found[1], ("b".into(), RefAnswer::Updated));
    }

    #[test]
    fn a_race_is_told_from_a_wall() {
        let held = "cannot lock ref 'refs/x/main': Unable to create '/x y/main.lock': File exists; a b";
        assert_eq!(trouble(held), Trouble::Contended);
        let race = "cannot lock ref 'refs/wf/main': is at a but expected b";
        assert_eq!(trouble(race), Trouble::Contended);
        let wall = "cannot lock ref 'refs/wf/main': Unable to create '/x/main.lock': Permission denied";
        assert_eq!(trouble(wall), Trouble::Other);
        assert_eq!(trouble("git@example.org: Permission denied (publickey)"), Trouble::Credentials);
        assert_eq!(trouble("pre-receive hook declined; no"), Trouble::Other);
        let raced = "pre-receive hook declined; `refs/wf/main` was moved while this was pushed";
        assert_eq!(trouble(raced), Trouble::Contended);
    }
}
