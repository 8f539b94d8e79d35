//! Signatures of documents by people whom git trusts: `gpg.ssh.allowedSignersFile` names them.

use std::fs::File;
use std::io::{Seek, Write};
use std::process::Command;

use super::Repository;
use super::sign::NAMESPACE;

/// The namespace of signatures of checks, so that none can be passed off as that of something else.
pub(crate) const CHECK_NAMESPACE: &str = "wf-check";
/// The longest signature that is looked at, in bytes.
const LONGEST: usize = 16 * 1024;
/// How an SSH signature begins.
const BEGINS: &str = "-----BEGIN SSH SIGNATURE-----";

impl Repository {
    /// The principals whose key signed a document of checks; none if the signature is not good, or by nobody whom git trusts
    /// here, or if nothing here can tell.
    pub(crate) fn check_signers(&self, document: &[u8], signature: &str) -> Vec<String> {
        self.signers_of(CHECK_NAMESPACE, document, signature).unwrap_or_default()
    }

    /// The same for an exported statement.
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
        let found = Command::new(&program)
            .args(["-Y", "find-principals", "-s"])
            .arg(file.path())
            .arg("-f")
            .arg(&allowed)
            .output()
            .ok()?;
        if !found.status.success() {
            return None;
        }
        let listed = String::from_utf8_lossy(&found.stdout).into_owned();
        let mut stdin: File = tempfile::tempfile().ok()?;
        stdin.write_all(document).ok()?;
        // A pattern says nothing about who it was.
        let is_name =
            |name: &&str| !name.is_empty() && !name.starts_with('-') && !name.contains(['*', '?', '!']);
        let mut signers = Vec::new();
        for principal in listed.lines().map(str::trim).filter(is_name) {
            stdin.rewind().ok()?;
            let mut verify = Command::new(&program);
            verify.args(["-Y", "verify", "-n", namespace, "-I", principal, "-s"]);
            verify.arg(file.path()).arg("-f").arg(&allowed).stdin(stdin.try_clone().ok()?);
            if verify.output().is_ok_and(|output| output.status.success()) {
                signers.push(principal.to_owned());
            }
        }
        Some(signers)
    }
}
