//! Translates serde's errors about a value of another type into the words of a finding.

/// The parts of a serde error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    /// The missing field.
    missing: Option<String>,
    /// The actual value.
    pub(super) found: Option<String>,
    /// The expected value.
    pub(super) expected: String,
}

impl Message {
    /// Parses an error: "missing field `effort`", "invalid type: an object, expected a string", "unknown variant `huge`,
    /// expected one of `small`, `large`".
    pub(super) fn new(text: &str) -> Self {
        if let Some(name) =
            text.strip_prefix("missing field ").and_then(|rest| rest.split('`').nth(1).map(str::to_owned))
        {
            return Self { missing: Some(name), found: None, expected: "a value".into() };
        }
        // An id.
        if let Some((found, of)) = text.strip_prefix('`').and_then(|text| text.rsplit_once("` cannot be ")) {
            let expected = match of.split_once(": ") {
                Some((kind, rule)) => format!("{kind} ({rule})"),
                None => of.to_owned(),
            };
            return Self { missing: None, found: Some(format!("`{found}`")), expected };
        }
        if text == "invalid number" {
            return Self { expected: "a whole number from 1 on".into(), ..Self::default() };
        }
        let Some((found, expected)) = text.split_once(", expected ") else {
            return Self { expected: format!("something else: {text}"), ..Self::default() };
        };
        let found = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "]
            .iter()
            .find_map(|prefix| found.strip_prefix(prefix))
            .unwrap_or(found);
        let found = match found.split_once(' ') {
            Some(("string", rest)) => rest.to_owned(),
            Some(("boolean", rest)) => rest.to_owned(),
            _ => found.to_owned(),
        };
        let expected = match expected.strip_prefix("one of ").and_then(|words| words.rsplit_once(", ")) {
            Some((words, last)) => format!("{words} or {last}"),
            None => expected.to_owned(),
        };
        Self { missing: None, found: Some(found), expected }
    }

    /// The path of the fault; `at` is where reading stopped, `.` for the top.
    pub(super) fn path(&self, at: &str) -> String {
        match (&self.missing, at) {
            (Some(name), ".") => name.clone(),
            (Some(name), at) => format!("{at}.{name}"),
            (None, ".") => "$".into(),
            (None, at) => at.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_is_there_and_what_should_be() {
        for (text, at, path, found, expected) in [
            ("missing field `effort`", "layers[0]", "layers[0].effort", None, "a value"),
            ("missing field `title`", ".", "title", None, "a value"),
            ("invalid type: an object, expected a string", "title", "title", Some("an object"), "a string"),
            ("invalid type: string \"a\", expected a list", "tasks", "tasks", Some("\"a\""), "a list"),
            ("invalid type: a list, expected an object", ".", "$", Some("a list"), "an object"),
            (
                "unknown variant `huge`, expected one of `small`, `medium`, `large`",
                "layers[1].effort",
                "layers[1].effort",
                Some("`huge`"),
                "`small`, `medium` or `large`",
            ),
            (
                "`x` cannot be the id of a roadmap: it is RMAP-",
                "id",
                "id",
                Some("`x`"),
                "the id of a roadmap (it is RMAP-)",
            ),
            (
                "invalid number",
                "tasks[0].parallel_group",
                "tasks[0].parallel_group",
                None,
                "a whole number from 1 on",
            ),
            ("too deep", ".", "$", None, "something else: too deep"),
        ] {
            let message = Message::new(text);
            assert_eq!(message.path(at), path, "{text}");
            assert_eq!((message.found.as_deref(), message.expected.as_str()), (found, expected), "{text}");
        }
    }
}
