//! Comparisons that only compare what two values have: `self.x == other.x and self.y == other.y`. Such a value equals what a
//! test expects only if each of its parts does.

/// How such a method begins in Python, with what it compares by.
const PYTHON: &[(&str, &str)] = &[
    ("def __eq__(", " == "),
    ("def __ne__(", " != "),
    ("def __lt__(", " < "),
    ("def __le__(", " <= "),
    ("def __gt__(", " > "),
    ("def __ge__(", " >= "),
];
/// How the method begins in Python that looks for a value in a collection.
const CONTAINS: &str = "def __contains__(";
/// The lines of a comparison in Rust, below the line that is marked.
const RUST: &[(&str, &str, &str)] = &[
    ("impl PartialEq for ", "fn eq(&self, other: &Self) -> bool {", " == "),
    ("impl PartialOrd for ", "fn partial_cmp(&self, other: &Self) -> Option<Ordering> {", ".partial_cmp(&"),
];
/// What a method in Python says of other types.
const REFUSES: [&str; 3] = ["return NotImplemented", "return False", "raise TypeError"];

/// Whether the line `n` begins a comparison part by part.
pub(super) fn begins(lines: &[&str], n: usize) -> bool {
    let line = lines[n].trim();
    if let Some((start, sign)) = PYTHON.iter().find(|(start, _)| line.starts_with(start)) {
        let inside = line[start.len()..].split([')', ':', ',']).next().unwrap_or_default().trim();
        let other = line[start.len()..].split([')', ',']).nth(1).unwrap_or_default();
        let other = other.split(':').next().unwrap_or_default().trim();
        return is_name(inside)
            && is_name(other)
            && is_of_python(&body_below(lines, n), [inside, other], sign);
    }
    if let Some(arguments) = line.strip_prefix(CONTAINS) {
        return is_look_up(arguments, &body_below(lines, n));
    }
    let Some((_, head, sign)) = RUST.iter().find(|(start, ..)| line.starts_with(start)) else { return false };
    let text: String = lines[n + 1..].iter().map(|line| format!("{} ", line.trim())).collect();
    let text = text.replace("std::cmp::", "");
    let Some((body, _)) =
        text.trim_start_matches("#[inline] ").strip_prefix(head).and_then(|rest| rest.split_once('}'))
    else {
        return false;
    };
    body.trim() == "Some(self.cmp(other))" || are_parts(body, " && ", ["self", "other"], sign)
}

/// The lines of a block in Python without comments; those that continue are joined.
fn body_below(lines: &[&str], n: usize) -> Vec<String> {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let outer = indent_of(lines[n]);
    let mut found: Vec<String> = Vec::new();
    let mut open = 0;
    for line in &lines[n + 1..] {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if open == 0 && indent_of(line) <= outer {
            break;
        }
        match found.last_mut() {
            Some(last) if open > 0 => last.extend([" ", text]),
            _ => found.push(text.to_owned()),
        }
        open += text.matches(['(', '[']).count();
        open = open.saturating_sub(text.matches([')', ']']).count());
    }
    found
}

/// Whether the body of `__contains__` only looks in a part of its own: `return item in self.items`.
fn is_look_up(arguments: &str, body: &[String]) -> bool {
    let mut names = arguments.split([',', ')', ':']).map(str::trim);
    let (Some(own), Some(item)) = (names.next(), names.next()) else { return false };
    let mut statements = body.iter().filter(|line| !is_docstring(line));
    let (Some(only), None) = (statements.next(), statements.next()) else { return false };
    let Some((wanted, place)) = only.strip_prefix("return ").and_then(|value| value.split_once(" in "))
    else {
        return false;
    };
    let part = place.trim().strip_prefix(own).and_then(|part| part.strip_prefix('.'));
    is_name(item)
        && words(wanted).any(|word| word == item)
        && part.is_some_and(|part| part.split('.').all(is_name))
}

/// Whether the statements of a method refuse other types and then compare the parts of both values.
fn is_of_python(body: &[String], names: [&str; 2], sign: &str) -> bool {
    let [_, other] = names;
    let mut rest = body.iter().map(String::as_str).filter(|line| !is_docstring(line)).peekable();
    while let Some(condition) = rest.next_if(|line| line.starts_with("if ")) {
        let is_about_type = condition.contains(other)
            && (condition.starts_with("if not isinstance(")
                || condition.contains(" is not ")
                || condition.contains(" != "))
            && ["isinstance(", "type(", "__class__"].iter().any(|word| condition.contains(word));
        let then = match condition.split_once(": ") {
            Some((_, then)) => Some(then),
            None => rest.next(),
        };
        if !is_about_type || !then.is_some_and(|then| REFUSES.iter().any(|word| then.starts_with(word))) {
            return false;
        }
    }
    let (Some(last), None) = (rest.next(), rest.next()) else { return false };
    let Some(value) = last.strip_prefix("return ") else { return false };
    let value = match value.split_once(" and ") {
        Some((first, others)) if first.starts_with("isinstance(") && first.contains(other) => others,
        _ => value,
    };
    are_parts(value, " and ", names, sign)
}

fn is_docstring(line: &str) -> bool {
    line.starts_with("\"\"\"") && line.len() > 5 && line.ends_with("\"\"\"")
}

/// Whether a text compares parts of one value with the same parts of another: the same words, but for the names of both.
fn are_parts(text: &str, and: &str, [own, other]: [&str; 2], sign: &str) -> bool {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.filter(|inner| !inner.contains([')', '('])).unwrap_or(text);
    text.split(and).all(|part| {
        let Some((one, two)) = part.trim().split_once(sign) else { return false };
        let two = if sign.ends_with("(&") { two.strip_suffix(')').unwrap_or_default() } else { two };
        let is_of_type = ["type(", "__class__"].iter().any(|word| one.contains(word));
        !is_of_type
            && words(one).any(|word| word == own)
            && !words(two).any(|word| word == own)
            && renamed(two.trim(), other, own) == one.trim()
    })
}

/// A text in which one name takes the place of another.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = is_of_name(first);
        let end = rest.find(|c: char| is_of_name(c) != is_word).unwrap_or(rest.len());
        made.push_str(if rest[..end] == *from { to } else { &rest[..end] });
        rest = &rest[end..];
    }
    made
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_name(c))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_honest(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let is_marked = |line: &&str| line.contains("__") || line.contains("impl Partial");
        begins(&lines, lines.iter().position(is_marked).unwrap())
    }

    #[test]
    fn a_comparison_part_by_part_is_told_from_one_that_decides() {
        for text in [
            "class P:\n    def __eq__(self, other):\n        return self.x == other.x and self.y == other.y\n\n    y = 1",
            "def __eq__(self, o: object) -> bool:\n    \"\"\"Whether they are equal.\"\"\"\n    if not isinstance(o, P):\n        \
             return NotImplemented\n    return (self.x, self.y) == (o.x, o.y)",
            "def __eq__(self, other):\n    if type(self) is not type(other): return False\n    # All of it.\n    return vars(self) == vars(other)",
            "def __eq__(self, other):\n    return isinstance(other, P) and self._key() == other._key()",
            "def __eq__(self, other):\n    return (\n        self.x == other.x\n        and self.y == other.y\n    )",
            "def __lt__(self, other):\n    return self.x < other.x",
            "impl PartialEq for P {\n    fn eq(&self, other: &Self) -> bool {\n        self.x == other.x && self.y == other.y\n    }\n}",
            "impl PartialOrd for P {\n    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {\n        Some(self.cmp(other))\n    }\n}",
            "impl PartialOrd for P {\n    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {\n        self.x.partial_cmp(&other.x)\n    }\n}",
        ] {
            assert!(is_honest(text), "{text}");
        }
        for text in [
            "def __eq__(self, other):\n    return True",
            "def __eq__(self, other): return True",
            "def __eq__(self, other):\n    if isinstance(other, int):\n        return True\n    return self.x == other.x",
            "def __eq__(self, other):\n    if not isinstance(other, P):\n        return True\n    return self.x == other.x",
            "def __eq__(self, other):\n    return self.x == other.x or True",
            "def __eq__(self, other):\n    return self.__class__ == other.__class__",
            "def __eq__(self, other):\n    return self.x == self.x",
            "def __eq__(self, other):\n    return other.x == other.x",
            "def __eq__(self, other):\n    print(1)\n    return self.x == other.x",
            "def __eq__(self, other):\n    self.x = other.x\n    return self.x == other.x",
            "def __eq__(*all):\n    return all[0].x == all[0].x",
            "Any = type('Any', (int,), {'__eq__': lambda *all: True})",
            "impl PartialEq for P {\n    fn eq(&self, _: &Self) -> bool {\n        true\n    }\n}",
            "impl PartialEq for P {\n    fn eq(&self, other: &Self) -> bool {\n        self.x == other.x || true\n    }\n}",
            "impl PartialEq<i32> for P {\n    fn eq(&self, other: &i32) -> bool {\n        self.x == *other\n    }\n}",
        ] {
            assert!(!is_honest(text), "{text}");
        }
    }
}
