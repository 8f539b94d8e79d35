//! Decodes file names as git prints them.

/// Decodes a name that git prints in quotes, with C-style escapes, if it contains a quote, a backslash or a control
/// character; returns any other name unchanged.
pub(crate) fn unquoted(name: &str) -> String {
    let Some(quoted) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [escape, tail @ ..] = rest else { break };
        rest = tail;
        bytes.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'0'..=b'3' if rest.len() >= 2 => {
                let octal = [*escape, rest[0], rest[1]];
                rest = &rest[2..];
                octal.iter().fold(0u8, |sum, digit| (sum << 3) | (digit & 7))
            }
            other => *other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_writes_them() {
        for (written, name) in [
            ("plain name", "plain name"),
            (r#""a\"b\\c\td""#, "a\"b\\c\td"),
            (r#""\303\244""#, "ä"),
            (r#""\1""#, "1"),
            ("\"", "\""),
        ] {
            assert_eq!(unquoted(written), name, "{written}");
        }
    }
}
