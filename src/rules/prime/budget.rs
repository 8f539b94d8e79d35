//! How much text an agent gets, in tokens of language models.

use crate::model::hidden::is_hidden;

/// A longer word is not a word of a language.
const LONGEST_WORD: usize = 14;

/// What each character costs, in thirds of a token: English text has about four letters to a token; ids, hashes and
/// other long words have fewer than two.
fn costs(text: &str) -> impl Iterator<Item = (char, usize)> + '_ {
    let mut rest = text;
    let mut word = (0, 0);
    std::iter::from_fn(move || {
        let c = rest.chars().next()?;
        if word.0 == 0 && c.is_ascii_alphanumeric() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let has = |is: fn(&char) -> bool| rest[..end].chars().any(|c| is(&c));
            let is_mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
            word = (end, if is_mixed || end > LONGEST_WORD { 2 } else { 1 });
        }
        rest = &rest[c.len_utf8()..];
        let cost = match c {
            _ if c.is_ascii_alphanumeric() => {
                word.0 -= 1;
                word.1
            }
            // Hidden characters are shown escaped.
            _ if is_hidden(c) => 18,
            ' ' => 1,
            _ if c.is_ascii() => 2,
            // No tokenizer needs more than one token for a byte.
            _ => 3 * c.len_utf8(),
        };
        Some((c, cost))
    })
}

fn thirds(text: &str) -> usize {
    costs(text).map(|(_, cost)| cost).sum()
}

/// An estimate of the tokens of a text, which is rarely too low.
#[cfg(test)]
fn estimate(text: &str) -> usize {
    thirds(text).div_ceil(3)
}

/// How many tokens are left for texts from outside.
#[derive(Debug)]
pub(crate) struct TokenBudget {
    left: usize,
}

/// With fewer tokens, a text would say nothing.
const LEAST: usize = 8;

impl TokenBudget {
    /// A budget of this many tokens.
    pub(crate) fn new(tokens: usize) -> Self {
        Self { left: tokens * 3 }
    }

    /// For people, who get each text as it is.
    pub(crate) fn unlimited() -> Self {
        Self { left: usize::MAX }
    }

    /// The text, cut after `most` tokens or when the budget is used up; `None` if nothing is left for it.
    pub(crate) fn text(&mut self, text: &str, most: usize) -> Option<String> {
        let text = text.trim();
        if self.left == usize::MAX {
            return Some(text.to_owned());
        }
        let most = (most * 3).min(self.left);
        let whole = thirds(text);
        if whole <= most {
            self.left -= whole;
            return Some(text.to_owned());
        }
        if most < LEAST * 3 {
            return None;
        }
        let mut used = thirds("…");
        let mut cut = String::new();
        for (c, cost) in costs(text) {
            used += cost;
            if used > most {
                break;
            }
            cut.push(c);
        }
        self.left -= most;
        Some(format!("{}…", cut.trim_end()))
    }

    /// The first of these texts, and how many others there are.
    pub(crate) fn texts<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        count: usize,
        most: usize,
    ) -> (Vec<String>, usize) {
        let mut taken = Vec::new();
        let mut others = 0;
        for text in texts {
            match if others == 0 && taken.len() < count { self.text(text, most) } else { None } {
                Some(text) => taken.push(text),
                None => others += 1,
            }
        }
        (taken, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_the_budget_ends() {
        let mut budget = TokenBudget::new(30);
        assert_eq!(budget.text(" abc def ", 10).as_deref(), Some("abc def"));
        let cut = budget.text(&"word ".repeat(30), 20).unwrap();
        assert!(cut.ends_with('…') && estimate(&cut) <= 20, "{cut}");
        assert_eq!(budget.text(&"word ".repeat(30), 20), None);
        assert_eq!(budget.text("abc", 20).as_deref(), Some("abc"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut budget = TokenBudget::new(100);
        let texts = ["one", "two", "three"];
        assert_eq!(budget.texts(texts, 2, 10), (vec!["one".into(), "two".into()], 1));
        let long = "x".repeat(600);
        assert_eq!(budget.texts([long.as_str(), "a"], 5, 50).0.len(), 2);
        assert_eq!(budget.texts([long.as_str(), "a"], 5, 500).1, 1);
        assert_eq!(budget.texts([long.as_str(), "a"], 5, 500), (vec![], 2));
    }

    #[test]
    fn rare_characters_cost_more() {
        assert!(estimate("日本語") >= 3 && estimate("\u{200b}") >= 6);
        assert_eq!(estimate("three letters"), 5);
        assert_eq!(estimate("7k3m2pq9x4r1tza0"), 11);
        assert!(estimate(&"x".repeat(60)) == 40 && estimate("2026") == 2);
    }
}
