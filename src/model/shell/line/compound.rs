//! Commands and values with a syntax of their own: `case`, `[[ … ]]`, arrays.

use super::{End, Link, NotRead, Reader};

impl Reader {
    /// The rest of `case … esac`: any of its branches may run.
    pub(super) fn case(&mut self) -> Result<(), NotRead> {
        self.skip_blanks();
        if self.word()?.is_empty() {
            return Err(NotRead);
        }
        self.skip_lines()?;
        if !self.is_word("in") {
            return Err(NotRead);
        }
        self.at += 2;
        loop {
            self.skip_lines()?;
            if self.is_word("esac") {
                self.at += 4;
                self.link = Link::Any;
                return Ok(());
            }
            if self.peek() == Some('(') {
                self.at += 1;
            }
            self.patterns()?;
            self.link = Link::Any;
            self.list(End::Branch)?;
        }
    }

    /// The patterns of a branch, with the parenthesis after them.
    fn patterns(&mut self) -> Result<(), NotRead> {
        loop {
            self.skip_blanks();
            let start = self.at;
            self.word()?;
            if self.at == start {
                return Err(NotRead);
            }
            self.skip_blanks();
            match self.peek() {
                Some('|') => self.at += 1,
                Some(')') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(NotRead),
            }
        }
    }

    /// Blanks, line breaks and comments.
    fn skip_lines(&mut self) -> Result<(), NotRead> {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.follows("\\\n") => self.at += 2,
                Some('#') => self.skip_comment(),
                Some('\n') => {
                    self.at += 1;
                    self.bodies()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The values of an array, which run nothing but substitutions.
    pub(super) fn array(&mut self) -> Result<(), NotRead> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(NotRead),
                Some(')') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(c) if c.is_whitespace() => self.at += 1,
                Some('#' | '&' | '|' | ';' | '<' | '>' | '(') => return Err(NotRead),
                Some(_) => {
                    self.word()?;
                }
            }
        }
    }

    /// The rest of `[[ … ]]`, which runs nothing but substitutions.
    pub(super) fn condition(&mut self) -> Result<(), NotRead> {
        loop {
            match self.peek() {
                None => return Err(NotRead),
                Some(c) if c.is_whitespace() || "()<>!&|;".contains(c) => self.at += 1,
                Some(_) => {
                    if self.word()? == "]]" {
                        return Ok(());
                    }
                }
            }
        }
    }
}
