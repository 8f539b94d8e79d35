//! Signatures of documents by people whom git trusts: `gpg.ssh.allowedSignersFile` names them.

use std::ffi::OsString;
use std::io::{Seek, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::Repository;
use super::sign::NAMESPACE;

/// The namespace of signatures of checks, so that none can be passed off as that of something else.
pub(crate) const CHECK_NAMESPACE: &str = "wf-check";
/// The longest signature that is looked at, in bytes.
const LONGEST: usize = 16 * 1024;
/// How long `ssh-keygen` may take to look at a signature, which anyone may have made.
const LIMIT: Duration = Duration::from_secs(20);
/// What a signature contains before the public key: its name and its version.
const BEFORE_KEY: &[u8] = b"SSHSIG\0\0\0\x01";
/// How an SSH signature begins.
const BEGINS: &str = "-----BEGIN SSH SIGNATURE-----";

/// The keys of the people whom git trusts here.
#[derive(Debug)]
pub(crate) struct AllowedKeys {
    /// The words of the file, among which are the keys.
    words: Vec<String>,
    /// Whether it trusts keys that others certify: then any certificate may count.
    has_authorities: bool,
}

impl AllowedKeys {
    /// Whether a signature says that it is by one of them. Only its verification shows that it is.
    pub(crate) fn may_have_made(&self, signature: &str) -> bool {
        let Some(key) = public_key(signature) else { return false };
        let is_certificate = key.windows(8).any(|bytes| bytes == b"-cert-v0");
        (is_certificate && self.has_authorities)
            || self.words.iter().any(|word| decoded(word).is_some_and(|known| known == key))
    }
}

/// The public key in an SSH signature.
fn public_key(signature: &str) -> Option<Vec<u8>> {
    let body: String = signature.lines().map(str::trim).filter(|line| !line.starts_with("-----")).collect();
    let bytes = decoded(&body)?;
    let rest = bytes.strip_prefix(BEFORE_KEY)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?).map(<[u8]>::to_vec)
}

/// The bytes of a text in Base64.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::with_capacity(text.len()));
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Runs a program with this input. Returns its output if it ends well, and in time.
fn answered(words: &[OsString], input: &[u8]) -> Option<Vec<u8>> {
    let (program, args) = words.split_first()?;
    let mut stdin = tempfile::tempfile().ok()?;
    stdin.write_all(input).and_then(|()| stdin.rewind()).ok()?;
    let mut command = Command::new(program);
    let child = command.args(args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let process = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(LIMIT) else {
        let _ = kill_process(process, Signal::KILL);
        return None;
    };
    Some(output.ok()?).filter(|output| output.status.success()).map(|output| output.stdout)
}

impl Repository {
    /// The keys that `gpg.ssh.allowedSignersFile` lists; none if it cannot be read.
    pub(crate) fn allowed_keys(&self) -> AllowedKeys {
        let file = self.config().path("gpg.ssh.allowedSignersFile");
        let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        AllowedKeys {
            words: text
                .split_whitespace()
                .filter(|word| word.starts_with("AAAA"))
                .map(str::to_owned)
                .collect(),
            has_authorities: text.contains("cert-authority"),
        }
    }

    /// The principals whose key signed a document of checks; none if the signature is not good, or by nobody whom git trusts
    /// here, or if nothing here can tell.
    pub(crate) fn check_signers(&self, document: &[u8], signature: &str) -> Vec<String> {
        self.signers_of(CHECK_NAMESPACE, document, signature).unwrap_or_default()
    }

    /// The names of those who signed an exported statement.
    pub(crate) fn statement_signers(&self, document: &[u8], signature: &str) -> Vec<String> {
        self.signers_of(NAMESPACE, document, signature).unwrap_or_default()
    }

    fn signers_of(&self, namespace: &str, document: &[u8], signature: &str) -> Option<Vec<String>> {
        if signature.len() > LONGEST || !signature.trim_start().starts_with(BEGINS) {
            return None;
        }
        let config = self.config();
        let allowed = config.path("gpg.ssh.allowedSignersFile")?;
        let program = config.text("gpg.ssh.program").filter(|program| !program.is_empty());
        let program = program.unwrap_or_else(|| "ssh-keygen".to_owned());
        let mut file = tempfile::NamedTempFile::new().ok()?;
        file.write_all(signature.as_bytes()).and_then(|()| file.flush()).ok()?;
        let common = ["-s".into(), file.path().into(), "-f".into(), OsString::from(&allowed)];
        let find = ["-Y", "find-principals"].map(OsString::from);
        let listed = answered(&[&[program.clone().into()][..], &find, &common].concat(), b"")?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        // A pattern says nothing about who it was.
        let is_name =
            |name: &&str| !name.is_empty() && !name.starts_with('-') && !name.contains(['*', '?', '!']);
        let mut signers = Vec::new();
        for principal in listed.lines().map(str::trim).filter(is_name) {
            let verify = ["-Y", "verify", "-n", namespace, "-I", principal].map(OsString::from);
            let words = [&[program.clone().into()][..], &verify, &common].concat();
            if answered(&words, document).is_some() {
                signers.push(principal.to_owned());
            }
        }
        Some(signers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_in_a_signature_is_read() {
        assert_eq!(decoded("U1NIU0lH").as_deref(), Some(&b"SSHSIG"[..]));
        assert_eq!(decoded("YQ==").as_deref(), Some(&b"a"[..]));
        assert_eq!(decoded("a b"), None);
        // `SSHSIG`, version 1, and a key of three bytes.
        let signature =
            "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAAANhYmM=\n-----END SSH SIGNATURE-----\n";
        assert_eq!(public_key(signature).as_deref(), Some(&b"abc"[..]));
        let keys = |word: &str| AllowedKeys { words: vec![word.to_owned()], has_authorities: false };
        assert!(keys("YWJj").may_have_made(signature));
        assert!(!keys("YWJk").may_have_made(signature) && !keys("YWJj").may_have_made("abc"));
    }
}
