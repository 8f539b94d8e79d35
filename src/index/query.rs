//! Turns what a user types into a search into an FTS5 query. Only what the help names is an operator: AND, OR, NOT,
//! NEAR(…), parentheses, phrases in double quotes, `word*` and `title: word`. Everything else is text, and each run of
//! it is searched for as a phrase, so that `beads_rust-0v1`, `ledger.py` and `a-b` are found as written. If the
//! operators do not fit together, the text is searched for word by word, so no input is an error.

use super::words::separated;

/// The columns of the table `words`, in their order; their names can be before a colon.
pub(super) const COLUMNS: [&str; 7] =
    ["title", "context", "comments", "plans", "commits", "feedback", "explorations"];
/// Parentheses nested deeper are taken as text, since FTS5 limits the depth.
const DEEPEST: usize = 16;
/// The most words that are searched for; FTS5 takes more time for each one the more there are.
const MOST_WORDS: usize = 500;
/// The most phrases within one `NEAR(…)`, for which FTS5 takes more than linear time; more are taken as text.
const MOST_NEAR: usize = 32;

/// Text to be found as written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    text: String,
    /// Whether its last word is a prefix.
    begins: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Phrase(Phrase),
    Near(Vec<Phrase>, Option<u32>),
    Column(&'static str),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Phrase(Phrase),
    Near(Vec<Phrase>, Option<u32>),
    Column(&'static str, Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    /// Matches the first, but none of the others.
    Without(Box<Expression>, Vec<Expression>),
}

/// The query that `text` asks for.
pub(super) fn query(text: &str) -> String {
    match parse(text) {
        Some(expression) => expression.to_string(),
        // A phrase of no words is in no text.
        None => "\"\"".into(),
    }
}

/// A query for any of the words, wherever they are. None if there are none.
pub(super) fn any_of(text: &str) -> Option<String> {
    let mut found = Vec::new();
    parse(text)?.words(&mut found);
    (!found.is_empty()).then(|| found.join(" OR "))
}

/// `None` if there is nothing to search for.
fn parse(text: &str) -> Option<Expression> {
    // SQLite would take it as the end of the text.
    let text = &text.replace('\0', " ");
    let tokens = tokens(text);
    let words = tokens.iter().filter(|token| matches!(token, Token::Phrase(_) | Token::Near(..))).count();
    if words <= MOST_WORDS {
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        if let Some(found) = parser.any()
            && parser.at == tokens.len()
        {
            return Some(found);
        }
    }
    let words = text.split(|c: char| c.is_whitespace() || c == '"').filter_map(phrase).take(MOST_WORDS);
    all(words.map(Expression::Phrase).collect())
}

/// A run of text without spaces; none if it has no letter or digit.
fn phrase(text: &str) -> Option<Phrase> {
    let bare = text.trim_end_matches('*');
    bare.contains(char::is_alphanumeric)
        .then(|| Phrase { text: bare.to_owned(), begins: bare.len() < text.len() })
}

fn all(mut parts: Vec<Expression>) -> Option<Expression> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(Expression::All(parts)),
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let quoted = string(rest);
        if let Some((text, after)) = quoted {
            let begins = after.starts_with('*');
            rest = after.trim_start_matches('*');
            found.extend(phrase(&text).map(|phrase| Token::Phrase(Phrase { begins, ..phrase })));
            continue;
        }
        if let Some((near, after)) = near(rest) {
            found.push(near);
            rest = after;
            continue;
        }
        let end = match first {
            '(' | ')' | '"' => 1,
            first if first.is_whitespace() => first.len_utf8(),
            _ => rest.find(|c: char| c.is_whitespace() || "()\"".contains(c)).unwrap_or(rest.len()),
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        let column = COLUMNS.iter().find(|name| {
            part.strip_prefix(**name).is_some_and(|more| more.starts_with(':') && !more.starts_with("::"))
        });
        match part {
            "(" => found.push(Token::Open),
            ")" => found.push(Token::Close),
            "AND" => found.push(Token::And),
            "OR" => found.push(Token::Or),
            "NOT" => found.push(Token::Not),
            _ => match column {
                Some(name) => {
                    found.push(Token::Column(name));
                    found.extend(phrase(&part[name.len() + 1..]).map(Token::Phrase));
                }
                None => found.extend(phrase(part).map(Token::Phrase)),
            },
        }
    }
    found
}

/// The text in double quotes at the start, in which a doubled quote is one, and what follows it.
fn string(text: &str) -> Option<(String, &str)> {
    let mut inside = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let (part, after) = rest.split_once('"')?;
        inside.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                inside.push('"');
                rest = after;
            }
            None => return Some((inside, after)),
        }
    }
}

/// `NEAR(one "two words", 5)` at the start, and what follows it.
fn near(text: &str) -> Option<(Token, &str)> {
    let mut rest = text.strip_prefix("NEAR")?.trim_start().strip_prefix('(')?;
    let mut phrases = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(')') {
            return (!phrases.is_empty()).then_some((Token::Near(phrases, None), after));
        }
        if let Some(after) = rest.strip_prefix(',') {
            let (number, after) = after.split_once(')')?;
            let distance = number.trim().parse().ok()?;
            return (!phrases.is_empty()).then_some((Token::Near(phrases, Some(distance)), after));
        }
        if phrases.len() == MOST_NEAR {
            return None;
        }
        if let Some((text, after)) = string(rest) {
            let begins = after.starts_with('*');
            phrases.push(Phrase { begins, ..phrase(&text)? });
            rest = after.trim_start_matches('*');
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "(),\"".contains(c))?;
        phrases.push(phrase(&rest[..end])?);
        rest = &rest[end..];
    }
}

/// Follows the precedence of FTS5: adjacent words first, then NOT, AND, OR.
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, token: &Token) -> bool {
        let is_next = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn any(&mut self) -> Option<Expression> {
        let first = self.all()?;
        let mut parts = vec![first];
        while self.takes(&Token::Or) {
            parts.push(self.all()?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Expression::Any(parts)) }
    }

    fn all(&mut self) -> Option<Expression> {
        let mut parts = vec![self.without()?];
        while self.takes(&Token::And) {
            parts.push(self.without()?);
        }
        all(parts)
    }

    fn without(&mut self) -> Option<Expression> {
        let wanted = self.run()?;
        let mut unwanted = Vec::new();
        while self.takes(&Token::Not) {
            unwanted.push(self.run()?);
        }
        Some(if unwanted.is_empty() { wanted } else { Expression::Without(Box::new(wanted), unwanted) })
    }

    fn run(&mut self) -> Option<Expression> {
        let mut parts = vec![self.one()?];
        while matches!(
            self.tokens.get(self.at),
            Some(Token::Phrase(_) | Token::Near(..) | Token::Column(_) | Token::Open)
        ) {
            parts.push(self.one()?);
        }
        all(parts)
    }

    fn one(&mut self) -> Option<Expression> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Phrase(phrase) => Some(Expression::Phrase(phrase.clone())),
            Token::Near(phrases, distance) => Some(Expression::Near(phrases.clone(), *distance)),
            Token::Column(name) => {
                let of = self.deeper(Self::one)?;
                Some(Expression::Column(name, Box::new(of)))
            }
            Token::Open => {
                let inside = self.deeper(Self::any)?;
                self.takes(&Token::Close).then_some(inside)
            }
            Token::And | Token::Or | Token::Not | Token::Close => None,
        }
    }

    fn deeper(&mut self, read: impl Fn(&mut Self) -> Option<Expression>) -> Option<Expression> {
        self.depth += 1;
        let found = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        found
    }
}

impl std::fmt::Display for Phrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = separated(&self.text).replace('"', "\"\"");
        write!(f, "\"{text}\"{}", if self.begins { "*" } else { "" })
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let between = |f: &mut std::fmt::Formatter<'_>, parts: &[Self], word: &str| {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            write!(f, "({})", parts.join(word))
        };
        match self {
            Self::Phrase(phrase) => phrase.fmt(f),
            Self::Near(phrases, distance) => {
                let phrases: Vec<String> = phrases.iter().map(ToString::to_string).collect();
                let distance = distance.map(|distance| format!(", {distance}")).unwrap_or_default();
                write!(f, "NEAR({}{distance})", phrases.join(" "))
            }
            // FTS5 takes a column within a column only in parentheses.
            Self::Column(name, of) => match **of {
                Self::Column(..) => write!(f, "{name} : ({of})"),
                _ => write!(f, "{name} : {of}"),
            },
            Self::All(parts) => between(f, parts, " AND "),
            Self::Any(parts) => between(f, parts, " OR "),
            Self::Without(wanted, unwanted) => {
                write!(f, "({wanted} NOT ")?;
                between(f, unwanted, " OR ")?;
                write!(f, ")")
            }
        }
    }
}

impl Expression {
    /// The words that it searches for, each as a query.
    fn words(&self, found: &mut Vec<String>) {
        let mut add = |phrase: &Phrase| {
            let words = phrase.text.split(|c: char| c.is_whitespace() || c == '"');
            let words = words.filter(|word| word.contains(char::is_alphanumeric));
            found.extend(
                words.map(|text| (Phrase { text: text.to_owned(), begins: phrase.begins }).to_string()),
            );
        };
        match self {
            Self::Phrase(phrase) => add(phrase),
            Self::Near(phrases, _) => phrases.iter().for_each(add),
            Self::Column(_, of) | Self::Without(of, _) => of.words(found),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.words(found)),
        }
    }
}

#[cfg(test)]
mod tests;
