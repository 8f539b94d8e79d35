//! Signs a document that is not a git object, with the program and the key that git uses for commits. git has no
//! command for that.

use crate::git::Config;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use super::Repository;
use super::allowed_signers::CHECK_NAMESPACE;
use crate::model::{Code, Explain, Remedies};

/// The namespace of SSH signatures, so that none can be passed off as the signature of a commit.
pub(super) const NAMESPACE: &str = "git-wf";

/// A detached signature.
#[derive(Debug)]
pub(crate) struct DetachedSignature {
    /// The output of the program, in ASCII.
    pub(crate) signature: Vec<u8>,
    /// The extension of the signature's file: `sig`, `asc` or `p7s`.
    pub(crate) extension: &'static str,
}

/// Why a document could not be signed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignError {
    /// No key is configured, and SSH has no default key.
    #[error("git has no key to sign with")]
    NoKey,
    /// The value of `gpg.format` is unknown.
    #[error("`gpg.format` is `{0}`, which is not a kind of signature")]
    Format(String),
    /// Checks are signed with SSH keys only.
    #[error("`gpg.format` is `{0}`, and checks are signed with SSH keys")]
    NotSsh(String),
    /// The program is missing, or it cannot be given the document.
    #[error("cannot run `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The program did not sign.
    #[error("`{program}` did not sign: {words}")]
    Failed {
        /// The program.
        program: String,
        /// The last line of its output.
        words: String,
    },
}

impl Explain for SignError {
    fn code(&self) -> Code {
        match self {
            Self::NoKey => Code::NoSigningKey,
            Self::Format(_) | Self::NotSsh(_) => Code::Config,
            Self::Start { .. } | Self::Failed { .. } => Code::CannotSign,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NoKey => Remedies::command("git config user.signingKey KEY", "names it")
                .or_command("git config gpg.format ssh", "sets its kind: ssh, openpgp or x509"),
            Self::Format(_) => {
                Remedies::command("git config gpg.format ssh", "sets it: ssh, openpgp or x509")
            }
            Self::NotSsh(_) => Remedies::command("git config gpg.format ssh", "sets it"),
            Self::Start { .. } | Self::Failed { .. } => Remedies::command(
                "git commit -S --allow-empty -m test",
                "signs in the same way, for a test: with gpg.format, gpg.program and user.signingKey",
            ),
        }
    }
}

impl Repository {
    /// Signs a document. Without a configured key, `gpg` uses that of `person`.
    ///
    /// # Errors
    /// See [`SignError`].
    pub(crate) fn sign(&self, document: &[u8], person: &str) -> Result<DetachedSignature, SignError> {
        self.sign_in(NAMESPACE, document, person)
    }

    /// Signs a document of a check with an SSH key.
    ///
    /// # Errors
    /// See [`SignError`]; `gpg.format` is not `ssh`.
    pub(crate) fn sign_check(&self, document: &[u8]) -> Result<String, SignError> {
        let format = self.config().text("gpg.format").unwrap_or_else(|| "openpgp".into());
        if !format.eq_ignore_ascii_case("ssh") {
            return Err(SignError::NotSsh(format));
        }
        let signed = self.sign_in(CHECK_NAMESPACE, document, "")?;
        Ok(String::from_utf8_lossy(&signed.signature).into_owned())
    }

    fn sign_in(
        &self,
        namespace: &str,
        document: &[u8],
        person: &str,
    ) -> Result<DetachedSignature, SignError> {
        let config = self.config();
        let key = setting(&config, "user.signingKey");
        let format = setting(&config, "gpg.format").unwrap_or_else(|| "openpgp".into());
        let (default, extension) = match format.to_ascii_lowercase().as_str() {
            "openpgp" => ("gpg", "asc"),
            "x509" => ("gpgsm", "p7s"),
            "ssh" => ("ssh-keygen", "sig"),
            _ => return Err(SignError::Format(format)),
        };
        let own = match default {
            "gpg" => setting(&config, "gpg.openpgp.program").or_else(|| setting(&config, "gpg.program")),
            "gpgsm" => setting(&config, "gpg.x509.program"),
            _ => setting(&config, "gpg.ssh.program"),
        };
        let program = own.unwrap_or_else(|| default.to_owned());
        let mut command = Command::new(&program);
        // A key that is given as text must be in a file until the program has ended.
        let mut literal = None;
        if default == "ssh-keygen" {
            let key = key.ok_or(SignError::NoKey)?;
            let path = match key_text(&key) {
                Some(text) => {
                    let start = |source| SignError::Start { program: program.clone(), source };
                    let mut file = tempfile::NamedTempFile::new().map_err(start)?;
                    writeln!(file, "{text}").map_err(start)?;
                    // The private key is in the SSH agent.
                    command.arg("-U");
                    literal.insert(file).path().to_owned()
                }
                None => config.path("user.signingKey").unwrap_or_else(|| PathBuf::from(&key)),
            };
            command.args(["-Y", "sign", "-n", namespace, "-f"]).arg(path);
        } else {
            command.args(["--armor", "--detach-sign", "--local-user"]).arg(key.as_deref().unwrap_or(person));
        }
        let output = fed(&mut command, document);
        let Output { status, stdout, stderr } =
            output.map_err(|source| SignError::Start { program: program.clone(), source })?;
        let says = String::from_utf8_lossy(&stderr);
        if status.success() && !stdout.is_empty() {
            Ok(DetachedSignature { signature: stdout, extension })
        } else {
            Err(SignError::Failed { program, words: said(&says) })
        }
    }
}

fn setting(config: &Config<'_>, key: &str) -> Option<String> {
    config.text(key).filter(|value| !value.is_empty())
}

/// The public key itself, if `user.signingKey` has it instead of a file name.
fn key_text(key: &str) -> Option<&str> {
    key.strip_prefix("key::").or_else(|| Some(key).filter(|key| key.starts_with("ssh-")))
}

/// The last line that is not blank.
fn said(words: &str) -> String {
    words
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("it printed no message")
        .to_owned()
}

/// Runs a program with the document as stdin.
fn fed(command: &mut Command, document: &[u8]) -> std::io::Result<Output> {
    let mut file: File = tempfile::tempfile()?;
    file.write_all(document)?;
    file.rewind()?;
    command.stdin(file).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_file_or_its_text() {
        assert_eq!(key_text("key::ssh-ed25519 AAAA"), Some("ssh-ed25519 AAAA"));
        assert_eq!(key_text("ssh-ed25519 AAAA"), Some("ssh-ed25519 AAAA"));
        assert_eq!(key_text("~/.ssh/id_ed25519"), None);
    }

    #[test]
    fn the_last_words_of_a_program_say_why_it_failed() {
        assert_eq!(said("gpg: a\ngpg: no key\n\n"), "gpg: no key");
        assert_eq!(said("\n"), "it printed no message");
    }
}
