//! Scopes that are patterns, such as `src/*.rs`: whether two of them, or one and a path, can mean one file.

/// A longer text is not compared as a pattern, which takes time that grows with the third power of its length.
const LONGEST: usize = 200;

/// Whether a text is a pattern; a scope in words can have a question mark.
fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?']) && !text.contains(char::is_whitespace)
}

/// Whether at least one of two scopes is a pattern, and both mean one path, or one of them a directory that the other is
/// in.
pub(super) fn meet(one: &str, two: &str) -> bool {
    if !(is_pattern(one) || is_pattern(two))
        || [one, two].iter().any(|text| text.len() > LONGEST || text.contains(char::is_whitespace))
    {
        return false;
    }
    let are_folders = [one, two].map(is_folder);
    let [one, two] = [one, two].map(str::to_lowercase);
    let [one, two] = [&one, &two]
        .map(|text| -> Vec<&str> { text.split('/').filter(|name| !matches!(*name, "" | ".")).collect() });
    holds(&one, &two, are_folders[0]) || holds(&two, &one, are_folders[1])
}

fn holds(one: &[&str], two: &[&str], is_folder: bool) -> bool {
    folders(two).any(|folder| globs_meet(folder, one))
        || is_folder && globs_meet(&[one, &["**"]].concat(), two)
}

fn globs_meet(one: &[&str], two: &[&str]) -> bool {
    intersect(one, two, &|name| *name == "**", &same_name)
}

/// Whether a path looks like that of a directory: it ends in a slash, or its last name has neither an extension nor the form
/// of files without one, such as `Makefile` and `.gitignore`.
fn is_folder(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !name.contains('.') && !name.starts_with(char::is_uppercase)
}

/// A path, and the directories above it that it names. What is in one of them belongs to it.
fn folders<'p, 't>(path: &'p [&'t str]) -> impl Iterator<Item = &'p [&'t str]> {
    (1..=path.len()).filter(|n| *n == path.len() || !path[n - 1].contains(['*', '?'])).map(|n| &path[..n])
}

/// Whether the patterns of two names fit one name.
fn same_name(one: &&str, two: &&str) -> bool {
    let [one, two]: [Vec<char>; 2] = [one, two].map(|name| name.chars().collect());
    intersect(&one, &two, &|sign| *sign == '*', &|one, two| one == two || *one == '?' || *two == '?')
}

/// Whether two patterns fit one sequence. A star fits any number of elements.
fn intersect<T>(
    one: &[T],
    two: &[T],
    is_star: &dyn Fn(&T) -> bool,
    is_same: &dyn Fn(&T, &T) -> bool,
) -> bool {
    // For each end of `two`: whether it fits the end of `one` from the next element on.
    let mut next: Vec<bool> = (0..=two.len()).map(|n| two[n..].iter().all(is_star)).collect();
    for first in one.iter().rev() {
        let mut now = vec![false; two.len() + 1];
        for n in (0..=two.len()).rev() {
            now[n] = match two.get(n) {
                None => is_star(first) && next[n],
                Some(_) if is_star(first) => next[n] || now[n + 1],
                Some(second) if is_star(second) => now[n + 1] || next[n],
                Some(second) => is_same(first, second) && next[n + 1],
            };
        }
        next = now;
    }
    next[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_meet_what_they_can_mean() {
        for (one, two) in [
            ("src/*", "src/a.rs"),
            ("src/*.rs", "SRC/a.rs"),
            ("src/*.rs", "src/a*"),
            ("src/*.rs", "src"),
            ("src/*", "src/a/b.rs"),
            ("src/**", "src/a/b.rs"),
            ("**/b.rs", "src/a/b.rs"),
            ("src/**/b.rs", "src/b.rs"),
            ("src/**/b.rs", "src/*/c/b.rs"),
            ("src/?.rs", "./src/a.rs"),
            ("*", "README.md"),
            ("src/*/c.rs", "src/a"),
            ("src/**/c.rs", "src/a/.b/"),
            ("src/*/d", "src/a/*/c.rs"),
        ] {
            assert!(meet(one, two) && meet(two, one), "{one} {two}");
        }
        for (one, two) in [
            ("src/*.rs", "src/a.ts"),
            ("src/*/c.rs", "src/a.rs"),
            ("src/*/c.rs", "src/a/d"),
            ("src/*.rs", "src/a"),
            ("src/*", "tests/a.rs"),
            ("src/?.rs", "src/ab.rs"),
            ("**/b.rs", "src/a.rs"),
            ("src/*.rs", "src/*.ts"),
            ("src/a.rs", "src/a.rs"),
            ("src/*", "all of src/a.rs?"),
            ("src/Makefile", "src/*/c.rs"),
            (".gitignore", "*/a"),
            ("is it *?", "src/a.rs"),
        ] {
            assert!(!meet(one, two) && !meet(two, one), "{one} {two}");
        }
    }
}
