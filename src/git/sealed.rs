//! git for what an agent wrote, in a git directory of this program: git reads neither the settings, hooks and attributes of
//! the agent nor those of the user, and starts no program of theirs.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::{Args, Git, GitError, HashKind, ObjectId};

/// Larger blobs are checked while they are read, so that a small pack which unfolds to a large file does not fill the memory.
const LARGE_BLOB: &str = "16m";
/// The largest allocation that git may make: larger blobs are streamed, and trees and commits are smaller.
const ALLOCATION: &str = "1g";
/// The processor time, in seconds, of a git process that reads what an agent made.
#[cfg(target_os = "linux")]
const MOST_SECONDS: u64 = 1200;
/// How much of what git complains about is kept, in bytes.
const COMPLAINT: u64 = 16 * 1024;

/// git, for a git directory that no agent can name or write.
#[derive(Debug)]
pub(crate) struct SealedGit {
    pub(super) git: Git,
    pub(super) folder: PathBuf,
    /// The commit whose attributes count, whatever the work tree has.
    attributes: Option<ObjectId>,
}

impl SealedGit {
    /// Makes the git directory, if wanted with a commit checked out in a work tree. It also sees the objects of the git directory
    /// `lender`.
    pub(crate) fn create(
        folder: &Path,
        checked_out: Option<(&Path, ObjectId)>,
        hash: HashKind,
        lender: &Path,
    ) -> Result<Self, GitError> {
        for inner in ["objects/info", "objects/pack", "refs"].map(|inner| folder.join(inner)) {
            fs::create_dir_all(&inner).map_err(GitError::io(&inner))?;
        }
        let head = match checked_out {
            Some((_, commit)) => format!("{commit}\n"),
            None => "ref: refs/heads/none\n".to_owned(),
        };
        let format = match hash {
            HashKind::Sha1 => "repositoryformatversion = 0\n".to_owned(),
            other => format!("repositoryformatversion = 1\n[extensions]\n\tobjectformat = {other}\n"),
        };
        let is_bare = checked_out.is_none();
        let config = format!(
            "[core]\n\tbare = {is_bare}\n\thooksPath = /dev/null\n\tfsmonitor = false\n\tbigFileThreshold = {LARGE_BLOB}\n\
             [gc]\n\tauto = 0\n[submodule]\n\trecurse = false\n[core]\n\t{format}"
        );
        let alternates = alternates(&lender.join("objects"))?;
        for (name, content) in [
            ("HEAD", head.as_bytes()),
            ("config", config.as_bytes()),
            ("objects/info/alternates", &alternates),
        ] {
            let path = folder.join(name);
            fs::write(&path, content).map_err(GitError::io(&path))?;
        }
        // Where the history of the lender ends, git must not look for more of it.
        match fs::copy(lender.join("shallow"), folder.join("shallow")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(GitError::io(folder)(error)),
            _ => {}
        }
        let work_dir = checked_out.map(|(work_dir, _)| work_dir);
        let attributes = checked_out.map(|(_, commit)| commit);
        Ok(Self { git: Git::new(folder, work_dir), folder: folder.to_owned(), attributes })
    }

    /// A git directory that [`Self::create`] made with a work tree; `attributes` is the commit that was checked out then.
    pub(crate) fn open(folder: &Path, work_dir: &Path, attributes: ObjectId) -> Self {
        Self {
            git: Git::new(folder, Some(work_dir)),
            folder: folder.to_owned(),
            attributes: Some(attributes),
        }
    }

    /// From now on, a git that someone runs there does not look into submodules, which an agent can configure.
    pub(crate) fn ignore_submodules(&self) -> Result<(), GitError> {
        let path = self.folder.join("config");
        let opened = File::options().append(true).open(&path);
        let written = opened.and_then(|mut file| file.write_all(b"[diff]\n\tignoreSubmodules = all\n"));
        written.map_err(GitError::io(&path))
    }

    /// The git directory.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The directory of its objects.
    pub(crate) fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Reads a pack of an agent, of at most `most` bytes. Its objects are not checked yet.
    pub(crate) fn unpack(&self, pack: File, most: u64) -> Result<(), GitError> {
        let args = Args::new(&["index-pack", "--stdin"]).with("--max-input-size=", most);
        let mut command = self.command(args);
        ended(spawned(command.stdin(pack).stdout(Stdio::null()), "index-pack")?, "index-pack")
    }

    /// Packs what leads from `known` to `tips`, and checks it in `to`: each object is sound, and what it names is there. `known` is
    /// what both have.
    pub(crate) fn hand_over(
        &self,
        tips: &[ObjectId],
        known: &[ObjectId],
        to: &Self,
        most: u64,
    ) -> Result<(), GitError> {
        let mut pack = self.pack(&wanted(tips, known))?;
        let check = to.strict_reader(pack.stdout.take(), most);
        // If the pack was cut short, its reader complains of that, which says less than why it was.
        let checked = std::thread::scope(|scope| {
            let checked = scope.spawn(|| check.and_then(|check| ended(check, "index-pack")));
            let packed = ended(pack, "pack-objects");
            let checked = checked.join().unwrap_or_else(|_| Err(cannot_wait("index-pack")));
            (packed, checked)
        });
        checked.0.and(checked.1)
    }

    /// Copies what leads from `known` to `tips` into another repository. Few objects become single files there, as with
    /// `git fetch`.
    pub(crate) fn give(
        &self,
        tips: &[ObjectId],
        known: &[ObjectId],
        to: &Git,
        limit: usize,
    ) -> Result<(), GitError> {
        let mut packing = self.pack(&wanted(tips, known))?;
        let mut pack = packing.stdout.take().ok_or_else(|| cannot_wait("pack-objects"))?;
        let mut header = [0; 12];
        if pack.read_exact(&mut header).is_err() {
            drop(pack);
            return ended(packing, "pack-objects").and(Err(cannot_wait("pack-objects")));
        }
        let count = u32::from_be_bytes([header[8], header[9], header[10], header[11]]);
        let is_small = usize::try_from(count).is_ok_and(|count| count < limit);
        let read: &[&'static str] =
            if is_small { &["unpack-objects", "-q"] } else { &["index-pack", "--stdin", "--fix-thin"] };
        let mut reader = to.command(Args::new(read));
        let mut reader = spawned(reader.stdin(Stdio::piped()).stdout(Stdio::null()), read[0])?;
        if let Some(mut into) = reader.stdin.take() {
            // One that ended early says why.
            let _ = into.write_all(&header).and_then(|()| io::copy(&mut pack, &mut into));
        }
        drop(pack);
        let given = ended(reader, read[0]);
        ended(packing, "pack-objects").and(given)
    }

    /// Starts a git that writes a pack of these revisions to its stdout.
    fn pack(&self, wanted: &str) -> Result<Child, GitError> {
        let options = ["pack-objects", "--quiet", "--revs", "--stdout", "--delta-base-offset"];
        let mut pack = self.command(Args::new(&options));
        let mut pack = spawned(pack.stdin(Stdio::piped()).stdout(Stdio::piped()), "pack-objects")?;
        if let Some(mut list) = pack.stdin.take() {
            // A git that ended early says why.
            let _ = list.write_all(wanted.as_bytes());
        }
        Ok(pack)
    }

    /// Starts a git that checks the pack which it reads. No other end of the pipe stays open here: if the reader ends, so does
    /// the writer.
    fn strict_reader(&self, pack: Option<ChildStdout>, most: u64) -> Result<Child, GitError> {
        let args = Args::new(&["index-pack", "--strict", "--stdin"]).with("--max-input-size=", most);
        let mut command = self.command(args);
        let command = command.stdin(pack.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::null());
        spawned(command, "index-pack")
    }

    pub(super) fn command(&self, args: impl Into<Args>) -> Command {
        let mut command = self.git.command(args);
        for name in ["GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_TRACE2_EVENT", "GIT_EXTERNAL_DIFF"] {
            command.env_remove(name);
        }
        for (name, value) in [
            ("GIT_ALLOC_LIMIT", ALLOCATION),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
        ] {
            command.env(name, value);
        }
        if let Some(commit) = self.attributes {
            command.env("GIT_ATTR_SOURCE", commit.to_string());
        }
        command
    }
}

/// The revisions that `git pack-objects` reads.
fn wanted(tips: &[ObjectId], known: &[ObjectId]) -> String {
    let tips = tips.iter().map(|tip| format!("{tip}\n"));
    tips.chain(known.iter().map(|id| format!("^{id}\n"))).collect()
}

/// The file in which git looks for another directory of objects.
pub(super) fn alternates(objects: &Path) -> Result<Vec<u8>, GitError> {
    let bytes = objects.as_os_str().as_encoded_bytes();
    if bytes.contains(&b'\n') {
        let why = "git cannot share the objects of a directory with a line break in its name";
        return Err(GitError::io(objects)(io::Error::other(why)));
    }
    Ok([bytes, b"\n"].concat())
}

/// Starts a git whose stderr is a pipe. An agent may have made what it reads, so its time is limited, as is its memory by
/// [`ALLOCATION`].
fn spawned(command: &mut Command, name: &str) -> Result<Child, GitError> {
    let child = command.stderr(Stdio::piped()).spawn().map_err(started(name))?;
    #[cfg(target_os = "linux")]
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(MOST_SECONDS), maximum: Some(MOST_SECONDS) };
        // It may have ended already.
        let _ = prlimit(Some(pid), Resource::Cpu, limit);
    }
    Ok(child)
}

fn started(command: &str) -> impl Fn(io::Error) -> GitError {
    let command = command.to_owned();
    move |source| GitError::Start { command: command.clone(), source }
}

fn cannot_wait(command: &str) -> GitError {
    GitError::Failed { command: command.to_owned(), stderr: "it could not be waited for".into(), code: None }
}

/// Waits for a git whose stderr is a pipe. A failure is an error with the beginning of what it complained about.
fn ended(mut child: Child, command: &str) -> Result<(), GitError> {
    let mut complaint = Vec::new();
    if let Some(mut stderr) = child.stderr.take() {
        let read = (&mut stderr).take(COMPLAINT).read_to_end(&mut complaint);
        // What comes after that must not block git.
        read.and_then(|_| io::copy(&mut stderr, &mut io::sink())).map_err(started(command))?;
    }
    let status = child.wait().map_err(started(command))?;
    if status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&complaint).trim().to_owned();
    Err(GitError::Failed { command: command.to_owned(), stderr, code: status.code() })
}
