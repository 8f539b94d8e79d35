//! A line for each record in a form that the user chose, as `git for-each-ref --format` has it: `%(id) %(title)`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Refusal;
use super::fields::FieldNames;

/// A form of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    /// The texts, each with the number of the field after it; none after the last.
    pieces: Vec<(String, Option<usize>)>,
    /// The fields in the order of the form.
    pub(crate) fields: FieldNames,
}

impl Format {
    /// Reads a form: `%(field)`, `%%`, and `%xx` with two hexadecimal digits for a byte of ASCII, such as `%09` for a
    /// tab.
    ///
    /// # Errors
    /// `unknown-field`; usage if a `%` means nothing.
    pub(crate) fn parse(text: &str, known: &BTreeSet<String>) -> Result<Self, Refusal> {
        let (mut pieces, mut names, mut piece) = (Vec::new(), Vec::new(), String::new());
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            piece.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('%') {
                piece.push('%');
                rest = after;
            } else if let Some((name, after)) = rest.strip_prefix('(').and_then(|named| named.split_once(')'))
            {
                pieces.push((std::mem::take(&mut piece), Some(names.len())));
                names.push(name.trim().to_owned());
                rest = after;
            } else if let Some(byte) = rest.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok())
                && byte.is_ascii()
            {
                piece.push(char::from(byte));
                rest = &rest[2..];
            } else {
                return Err(Refusal::usage(format!("`%{}` is not a placeholder", begin(rest)))
                    .hint("`%(title)` is a field, `%%` a percent sign, `%09` a tab"));
            }
        }
        piece.push_str(rest);
        pieces.push((piece, None));
        Ok(Self { pieces, fields: FieldNames::among(&names, known)? })
    }

    /// The line of a record, in which `shown` writes the value of a field.
    pub(crate) fn line(&self, record: &Value, shown: impl Fn(&str, Option<&Value>) -> String) -> String {
        let mut line = String::new();
        for (text, field) in &self.pieces {
            line.push_str(text);
            if let Some(name) = field.and_then(|n| self.fields.names().get(n)) {
                line.push_str(&shown(name, record.get(name)));
            }
        }
        line
    }
}

fn begin(text: &str) -> String {
    text.chars().take_while(|c| !c.is_whitespace()).take(10).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(format: &str) -> Result<String, Refusal> {
        let known = ["id", "title"].map(str::to_owned).into();
        let format = Format::parse(format, &known)?;
        Ok(format.line(&json!({"id": "A-1", "title": "t"}), |_, value| {
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        }))
    }

    #[test]
    fn fields_percent_signs_and_bytes() {
        assert_eq!(line("%(id): %(title) (%(id))").unwrap(), "A-1: t (A-1)");
        assert_eq!(line("100%% %(id)%09%41").unwrap(), "100% A-1\tA");
        assert_eq!(line("plain").unwrap(), "plain");
    }

    #[test]
    fn what_is_not_a_placeholder_is_refused() {
        assert!(line("%(titel)").unwrap_err().remedies[0].words.contains("did you mean `title`?"));
        for wrong in ["%", "%x", "%(id", "%é1", "%ff"] {
            assert!(line(wrong).unwrap_err().message.contains("is not a placeholder"), "{wrong}");
        }
    }
}
