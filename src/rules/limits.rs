//! The limits and forms of the texts that people write. Every operation and import that accepts a value checks it here.

use crate::model::{Code, Explain, IdError, IssueId, RELATIONS, Remedies};

/// The most characters of a title, which is one line in a list.
pub(crate) const LONGEST_TITLE: usize = 500;
/// Bytes of a label or the name of a component.
const LONGEST_LABEL: usize = 200;
/// The most bytes of a text: longer ones are data, not descriptions. The store bounds the record as a whole.
const LONGEST_TEXT: usize = 16 * 1024 * 1024;

/// People follow links, so only http and https are accepted, without invisible characters.
pub(crate) const WEB_ADDRESS: &str = r"^[Hh][Tt][Tt][Pp][Ss]?://\S+$";
/// The pattern of a relation, for JSON Schema.
pub(crate) const RELATION: &str = "^(parent-child|discovered-from|relates-to|duplicates|supersedes):.+$";

/// A value whose form or length does not fit its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitError {
    /// An empty title.
    #[error("the title is empty")]
    EmptyTitle,
    /// A title that is too long.
    #[error("the title has {0} characters; at most {LONGEST_TITLE} are allowed")]
    LongTitle(usize),
    /// A title that is not one line.
    #[error("the title contains a line break or another control character")]
    BrokenTitle,
    /// A text that is too long.
    #[error("the text has {0} bytes; at most {LONGEST_TEXT} are allowed")]
    LongText(usize),
    /// A tag or component without a name.
    #[error("a tag or component is empty")]
    EmptyLabel,
    /// A malformed tag or component.
    #[error("`{0}` cannot be a tag or component")]
    Label(String),
    /// A link that is not a web address.
    #[error("`{0}` is not a web URL")]
    Address(String),
    /// A relation of an unknown type.
    #[error("`{0}` is not a relation")]
    Relation(String),
    /// A relation without an id.
    #[error(transparent)]
    Id(#[from] IdError),
}

impl Explain for LimitError {
    fn code(&self) -> Code {
        match self {
            Self::EmptyTitle => Code::EmptyTitle,
            Self::LongTitle(_) | Self::LongText(_) => Code::TooLong,
            Self::BrokenTitle => Code::InvalidTitle,
            Self::EmptyLabel | Self::Label(_) => Code::InvalidLabel,
            Self::Address(_) => Code::InvalidUrl,
            Self::Relation(_) => Code::InvalidRelation,
            Self::Id(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        let words: String = match self {
            Self::EmptyTitle => "say in one line what is wrong or wanted".into(),
            Self::LongTitle(_) => "put the rest into the description".into(),
            Self::BrokenTitle => "put everything after the first line into the description".into(),
            Self::LongText(_) => "commit large data as a file, and name the file here".into(),
            Self::EmptyLabel => "give it a name; in a list, separate the names with commas".into(),
            Self::Label(_) => {
                format!(
                    "a tag or component is one line of at most {LONGEST_LABEL} bytes, without leading or trailing spaces"
                )
            }
            Self::Address(_) => "a URL begins with http:// or https://".into(),
            Self::Relation(_) => {
                format!("a relation is TYPE:ID, where TYPE is one of {}", RELATIONS.join(", "))
            }
            Self::Id(error) => return error.remedies(),
        };
        words.into()
    }
}

/// A trimmed title: one line, not empty, not too long.
pub(crate) fn title(text: &str) -> Result<String, LimitError> {
    let title = text.trim();
    let length = title.chars().count();
    if title.is_empty() {
        return Err(LimitError::EmptyTitle);
    }
    if length > LONGEST_TITLE {
        return Err(LimitError::LongTitle(length));
    }
    if title.chars().any(char::is_control) {
        return Err(LimitError::BrokenTitle);
    }
    Ok(title.to_owned())
}

/// A text without trailing white space, and not too long.
pub(crate) fn text(text: &str) -> Result<String, LimitError> {
    if text.len() > LONGEST_TEXT {
        return Err(LimitError::LongText(text.len()));
    }
    Ok(text.trim_end().to_owned())
}

/// A tag, or the name of a component.
pub(crate) fn label(text: &str) -> Result<&str, LimitError> {
    if text.is_empty() {
        return Err(LimitError::EmptyLabel);
    }
    let is_sound = text.trim() == text && text.len() <= LONGEST_LABEL && !text.chars().any(char::is_control);
    if is_sound { Ok(text) } else { Err(LimitError::Label(text.to_owned())) }
}

/// The URL of a web page: http or https, without spaces.
pub(crate) fn web_address(text: &str) -> Result<&str, LimitError> {
    let rest = text
        .split_once("://")
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
        .map(|(_, rest)| rest);
    let is_sound = rest.is_some_and(|rest| {
        !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
    });
    if is_sound { Ok(text) } else { Err(LimitError::Address(text.to_owned())) }
}

/// The type of a relation, and the name of its issue.
pub(crate) fn relation(text: &str) -> Result<(&str, &str), LimitError> {
    text.split_once(':')
        .filter(|(kind, _)| RELATIONS.contains(kind))
        .ok_or_else(|| LimitError::Relation(text.to_owned()))
}

/// A relation whose issue is given by its full id.
pub(crate) fn whole_relation(text: &str) -> Result<(&str, IssueId), LimitError> {
    let (kind, id) = relation(text)?;
    Ok((kind, IssueId::parse(id)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(title(" a b ").unwrap(), "a b");
        assert_eq!(title(" \n"), Err(LimitError::EmptyTitle));
        assert_eq!(title("a\nb"), Err(LimitError::BrokenTitle));
        assert_eq!(title(&"ç".repeat(LONGEST_TITLE)).unwrap().chars().count(), LONGEST_TITLE);
        assert_eq!(title(&"a".repeat(LONGEST_TITLE + 1)), Err(LimitError::LongTitle(LONGEST_TITLE + 1)));
    }

    #[test]
    fn labels_are_words_that_can_be_typed() {
        for sound in ["auth", "in review", "漢字", &"a".repeat(LONGEST_LABEL)] {
            assert_eq!(label(sound), Ok(sound));
        }
        assert_eq!(label(""), Err(LimitError::EmptyLabel));
        for wrong in [" ", " a", "a ", "a\nb", "\u{1b}[1m", &"a".repeat(LONGEST_LABEL + 1)] {
            assert_eq!(label(wrong), Err(LimitError::Label(wrong.to_owned())));
        }
    }

    #[test]
    fn only_web_addresses_are_links() {
        for sound in ["https://example.org/zoo/7", "HTTP://example.org"] {
            assert_eq!(web_address(sound), Ok(sound));
        }
        for wrong in ["", "http://", "javascript:alert(1)", "ftp://a", "https://a b", "https://a\u{7}", "a"] {
            assert!(web_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn relations_have_a_known_type() {
        assert_eq!(relation("duplicates:ISS-1"), Ok(("duplicates", "ISS-1")));
        assert!(whole_relation("relates-to:bd-0v1").is_ok());
        for wrong in ["likes:ISS-1", "duplicates", "duplicates:", "duplicates:!"] {
            assert!(whole_relation(wrong).is_err(), "{wrong}");
        }
    }
}
