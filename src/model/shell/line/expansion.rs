//! Words, and what a shell replaces in them.

use super::{End, NotRead, Reader, UNKNOWN};

/// The characters that end a word.
pub(super) const ENDS: &str = " \t\n;&|<>()";

impl Reader {
    /// The word that begins here, without its quotes; empty if none does.
    pub(super) fn word(&mut self) -> Result<String, NotRead> {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                c if ENDS.contains(c) => break,
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => self.at += 1,
                        Some(c) => {
                            word.push(c);
                            self.at += 1;
                        }
                        None => word.push('\\'),
                    }
                }
                '\'' => word.push_str(&self.single_quoted()?),
                '"' => self.double_quoted(&mut word)?,
                '$' | '`' => self.expansion(&mut word, false)?,
                '*' | '?' => {
                    word.push(UNKNOWN);
                    self.at += 1;
                }
                '[' if self.is_glob() => {
                    word.push(UNKNOWN);
                    self.at += 1;
                }
                '{' if self.is_brace_expansion() => {
                    word.push(UNKNOWN);
                    self.at += 1;
                }
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        Ok(word)
    }

    /// Whether the bracket here is closed within its word.
    fn is_glob(&self) -> bool {
        self.in_word().skip(1).any(|c| c == ']')
    }

    /// Whether a shell makes several words of the brace here.
    fn is_brace_expansion(&self) -> bool {
        let rest: String = self.in_word().collect();
        rest.contains('}') && (rest.contains(',') || rest.contains(".."))
    }

    fn in_word(&self) -> impl Iterator<Item = char> {
        self.text[self.at..].iter().copied().take_while(|c| !ENDS.contains(*c))
    }

    fn single_quoted(&mut self) -> Result<String, NotRead> {
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|c| *c == '\'').ok_or(NotRead)?;
        self.at += length + 2;
        Ok(rest[..length].iter().collect())
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), NotRead> {
        self.at += 1;
        loop {
            match self.peek().ok_or(NotRead)? {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => {
                    self.at += 1;
                    let c = self.peek().ok_or(NotRead)?;
                    if !"$`\"\\\n".contains(c) {
                        word.push('\\');
                    }
                    if c != '\n' {
                        word.push(c);
                    }
                    self.at += 1;
                }
                '$' | '`' => self.expansion(word, true)?,
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// The substitutions in the text of a here-document, up to its end.
    pub(super) fn expansions(&mut self) -> Result<(), NotRead> {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\\' => self.at += 2,
                '$' | '`' => self.expansion(&mut text, true)?,
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// What begins with a dollar sign or a backtick.
    fn expansion(&mut self, word: &mut String, is_quoted: bool) -> Result<(), NotRead> {
        if self.peek() == Some('`') {
            word.push(UNKNOWN);
            return self.backticks();
        }
        self.at += 1;
        match self.peek() {
            Some('(') => {
                word.push(UNKNOWN);
                self.parenthesized()
            }
            Some('{') => {
                word.push(UNKNOWN);
                self.at += 1;
                self.braced(is_quoted)
            }
            Some('\'') if !is_quoted => {
                let text = self.single_quoted()?;
                // Its escapes can stand for anything, also for the quote that seems to end it.
                if text.contains('\\') {
                    return Err(NotRead);
                }
                word.push_str(&text);
                Ok(())
            }
            Some('"') if !is_quoted => self.double_quoted(word),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                word.push(UNKNOWN);
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                word.push(UNKNOWN);
                self.at += 1;
                Ok(())
            }
            _ => {
                word.push('$');
                Ok(())
            }
        }
    }

    /// `$(…)`, or an arithmetic expression.
    fn parenthesized(&mut self) -> Result<(), NotRead> {
        if !self.follows("((") {
            self.at += 1;
            return self.subshell(End::Parenthesis);
        }
        let mut depth = 0_usize;
        for (n, c) in self.text[self.at..].iter().enumerate() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                '$' if !self.is_name(self.at + n + 1) => return Err(NotRead),
                '`' | '\'' | '"' | '\\' => return Err(NotRead),
                _ => {}
            }
            if depth == 0 {
                // A shell takes it for commands unless two parentheses close it.
                let is_arithmetic = self.text[self.at + n - 1] == ')';
                self.at += n + 1;
                return if is_arithmetic { Ok(()) } else { Err(NotRead) };
            }
        }
        Err(NotRead)
    }

    /// Whether a character is one of the name of a variable.
    fn is_name(&self, at: usize) -> bool {
        self.text.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    }

    /// The rest of `${…}`.
    fn braced(&mut self, is_quoted: bool) -> Result<(), NotRead> {
        self.depth += 1;
        if self.depth > super::DEEPEST {
            return Err(NotRead);
        }
        let mut text = String::new();
        loop {
            match self.peek().ok_or(NotRead)? {
                '}' => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(());
                }
                '\\' => self.at += 2,
                '"' => self.double_quoted(&mut text)?,
                '\'' if !is_quoted => {
                    self.single_quoted()?;
                }
                '\'' => self.apostrophes()?,
                '$' | '`' => self.expansion(&mut text, true)?,
                _ => self.at += 1,
            }
        }
    }

    /// A text between apostrophes in `"${…}"`. Whether they quote it depends on the operator and the shell, so it may hold
    /// nothing that this would change.
    fn apostrophes(&mut self) -> Result<(), NotRead> {
        let text = self.single_quoted()?;
        if text.contains(['$', '`', '}', '"', '\\', '\n']) { Err(NotRead) } else { Ok(()) }
    }

    fn backticks(&mut self) -> Result<(), NotRead> {
        self.at += 1;
        let mut inner = String::new();
        loop {
            let c = self.peek().ok_or(NotRead)?;
            self.at += 1;
            match c {
                '`' => break,
                '\\' => {
                    let next = self.peek().ok_or(NotRead)?;
                    self.at += 1;
                    if !"`\\$".contains(next) {
                        inner.push('\\');
                    }
                    inner.push(next);
                }
                c => inner.push(c),
            }
        }
        self.within(&inner, |reader| reader.subshell(End::Text))
    }
}
