//! Patterns of paths: `*` and `?` within a name, `**` for any number of directories, `{a,b}` for either.

/// A longer pattern, or a longer path, matches nothing.
const LONGEST: usize = 1_024;
/// At most this many patterns come of the braces of one.
const MOST_SPREAD: usize = 256;

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// Without braces; any of them may match.
    spread: Vec<String>,
}

impl Glob {
    /// A pattern without a slash matches a name in any directory; one that ends in a slash matches what is below.
    pub(crate) fn new(pattern: &str) -> Self {
        let below = if pattern.ends_with('/') { "**" } else { "" };
        let anywhere = if pattern.trim_end_matches('/').contains('/') { "" } else { "**/" };
        let whole = format!("{anywhere}{}{below}", pattern.strip_prefix('/').unwrap_or(pattern));
        Self { spread: if whole.len() > LONGEST { vec![] } else { spread(&whole) } }
    }

    /// Whether it means this path, which is relative to the repository's root.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        path.len() <= LONGEST
            && self.spread.iter().any(|pattern| matches_path(&pattern.split('/').collect::<Vec<_>>(), &names))
    }
}

fn spread(pattern: &str) -> Vec<String> {
    let mut found = vec![pattern.to_owned()];
    while let Some(at) = found.iter().position(|part| braces(part).is_some()) {
        let Some((start, end)) = braces(&found[at]) else { break };
        let one = found.swap_remove(at);
        let words = one[start + 1..end].split(',');
        found.extend(words.map(|word| format!("{}{word}{}", &one[..start], &one[end + 1..])));
        if found.len() > MOST_SPREAD {
            return vec![];
        }
    }
    found
}

/// The first pair of braces without braces inside.
fn braces(pattern: &str) -> Option<(usize, usize)> {
    let end = pattern.find('}')?;
    let start = pattern[..end].rfind('{')?;
    Some((start, end))
}

/// `**` is tried for each number of directories, and the patterns are short.
fn matches_path(pattern: &[&str], names: &[&str]) -> bool {
    match pattern {
        [] => names.is_empty(),
        ["**"] => !names.is_empty(),
        ["**", rest @ ..] => {
            let rest = rest.iter().position(|part| *part != "**").map_or(&rest[..0], |at| &rest[at..]);
            if rest.is_empty() {
                return !names.is_empty();
            }
            (0..=names.len()).any(|skipped| matches_path(rest, &names[skipped..]))
        }
        [first, rest @ ..] => {
            names.first().is_some_and(|name| matches_name(first.as_bytes(), name.as_bytes()))
                && matches_path(rest, &names[1..])
        }
    }
}

/// Goes back to the last `*` if the rest does not match.
fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
        } else if pattern.get(p) == Some(&b'?') || pattern.get(p) == Some(&name[n]) {
            p += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_paths() {
        let matches = |pattern: &str, path: &str| Glob::new(pattern).matches(path);
        for (pattern, path) in [
            ("test_*.py", "a/b/test_x.py"),
            ("test_*.py", "test_.py"),
            ("tests/", "tests/a/b.rs"),
            ("**/tests/**", "tests/a.rs"),
            ("**/tests/**", "a/b/tests/c/d"),
            ("*.{test,spec}.{js,ts}", "web/a.spec.ts"),
            ("src/*/a?.c", "src/x/ab.c"),
            ("/conf/*.ini", "conf/x.ini"),
            ("a*b*c", "aXbXbc"),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("test_*.py", "a/test_x.pyc"),
            ("tests/", "tests"),
            ("**/tests/**", "mytests/a"),
            ("src/*/a?.c", "src/x/y/ab.c"),
            ("conf/*.ini", "a/conf/x.ini"),
            ("a*b*c", "abcd"),
        ] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        assert!(!matches(&"{a,b}".repeat(20), &"a".repeat(20)));
        assert!(!matches(&format!("{}x", "**/".repeat(300)), &"a/".repeat(400)));
    }
}
